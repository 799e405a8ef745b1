"""What each model decides on labelled and new data: the likeliest class, by a threshold, or by expected benefit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.case._along_routes import Sides
from shiftproof.case._candidates import Candidates
from shiftproof.case._payoff import Worth
from shiftproof.case._soft import Decided
from shiftproof.case._tables import Tables, is_table
from shiftproof.core import Codes, Floats, Phrase, as_table, check_fraction, fault
from shiftproof.measures import Benefit, check_benefit, check_open_decision

if TYPE_CHECKING:
    from shiftproof.panel import Panel


@dataclass(frozen=True, eq=False, kw_only=True)
class DecisionOptions:
    """What a caller may say about decisions and what they are worth; see `select` for each."""

    benefit: object = None
    table: object = None
    new_table: object = None
    threshold: float | None = None
    pos_label: object = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Rule:
    """How probabilities become decisions.

    Parameters
    ----------
    classes : ndarray of shape (k,)
        The labels.
    positive : int
        The place of the positive class.
    threshold : float, optional
        Decide for the positive class from here on; by default for the likeliest class.
    benefit : Benefit or BenefitMatrix, optional
        What decisions are worth; the profit is then that of decisions by expected benefit.
    table, new_table : tables, optional
        Where the benefit finds its columns, of the labelled rows that were tested and of the new ones.
    """

    classes: NDArray[Any]
    positive: int
    threshold: float | None = None
    benefit: Any = None
    table: Any = None
    new_table: Any = None

    def __post_init__(self) -> None:
        if self.threshold is not None:
            check_fraction(self.threshold, "threshold", hint="0.5 is usual")
            if len(self.classes) > 2:
                hint = "leave it out to predict the most likely class"
                raise fault("threshold", "be left out for more than two classes", self.threshold, hint)

    def decide(self, probabilities: Floats) -> Codes:
        """Decide without regard to benefits."""
        if self.threshold is None:
            return np.asarray(probabilities.argmax(axis=1), dtype=np.int64)
        called = probabilities[:, self.positive] >= self.threshold
        return np.where(called, self.positive, 1 - self.positive).astype(np.int64)


def make_rule(options: DecisionOptions, panel: Panel, rows: NDArray[np.intp] | slice, tables: Tables) -> Rule:
    """Check the caller's options for decisions, and find the amounts of labelled and new rows."""
    if options.benefit is not None:
        n_classes = len(panel.classes_)
        learnt = panel.feature_names
        benefit = check_benefit(options.benefit, n_classes=n_classes, pos_label=options.pos_label, features=learnt)
        check_open_decision(benefit)
    # Samples of tables have no amounts of all rows.
    table, new_table = (None, None) if tables.whole is not None else (tables.labelled, tables.new)
    return Rule(
        classes=panel.classes_,
        positive=_positive_place(options, panel),
        threshold=options.threshold,
        benefit=options.benefit,
        table=_tested_rows(table if options.table is None else options.table, rows, len(panel.y)),
        new_table=(new_table if is_table(new_table) else None) if options.new_table is None else options.new_table,
    )


def _positive_place(options: DecisionOptions, panel: Panel) -> int:
    """Return the place of the positive class; of several the first, where nothing depends on it."""
    if options.pos_label is None and len(panel.classes_) > 2:
        return 0
    return panel.positive(options.pos_label)


def _tested_rows(table: object, rows: NDArray[np.intp] | slice, n: int) -> object:
    """Keep the rows of a table that were tested; texts and sparse matrices hold no amounts."""
    if not is_table(table):
        return None
    if isinstance(rows, slice) or len(rows) == n:
        return table
    whole = as_table(table, "table")
    if whole.n_rows != n:
        raise fault("table", "have one row per label", Phrase(f"{whole.n_rows:,} for {n:,}"), "pass the rows of X")
    cells = {name: whole.column(name).cells() for name in whole.names}
    return {name: [values[row] for row in rows] for name, values in cells.items()}


def sides_of(candidates: Candidates, rule: Rule) -> dict[str, Sides]:
    """Decide every row by every model."""
    sides = {}
    for name in candidates.names:
        old, new = (
            Decided(probabilities=each[name], decisions=rule.decide(each[name]), positive=rule.positive)
            for each in (candidates.old, candidates.new)
        )
        sides[name] = Sides(actual=old, expected=old, new=new)
    return sides


def profit_sides(candidates: Candidates, rule: Rule) -> dict[str, Sides]:
    """Decide every row by expected benefit, with what each decision is worth."""
    codes, benefit, positive = candidates.codes, rule.benefit, rule.positive
    worth = Worth.of(benefit, rule.classes, positive, n=candidates.n, table=rule.table)
    new_worth = Worth.of(benefit, rule.classes, positive, n=candidates.m, table=rule.new_table, name="new_table")
    # A matrix has no amounts that are known only afterwards.
    outcomes = benefit.outcomes(codes, rule.table, positive=positive) if isinstance(benefit, Benefit) else None
    sides = {}
    for name in candidates.names:
        actual = expected = worth.decided(candidates.old[name])
        if outcomes is not None and expected.worth is not None:
            brought = expected.worth.copy()
            # Only in the column of the actual class; what other classes would have brought never happened.
            brought[np.arange(len(codes)), codes] = np.where(expected.decisions == positive, *outcomes)
            actual = replace(expected, worth=brought)
        sides[name] = Sides(actual=actual, expected=expected, new=new_worth.decided(candidates.new[name]))
    return sides

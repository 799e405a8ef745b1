"""What both verbs begin with: a panel, its scores of the new rows, the kind of shift and the ways to estimate by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.case._along_routes import Estimates, Sides, estimate
from shiftproof.case._candidates import Candidates, gather
from shiftproof.case._decisions import Rule, profit_sides, sides_of
from shiftproof.case._payoff import check_learnt
from shiftproof.case._routes import FEWEST_NEW, Routes, find_routes
from shiftproof.case._soft import MEASURES, Floats
from shiftproof.core import Argument, Column, InputError, Phrase, Seed, as_table, check_choice, fault
from shiftproof.measures import Benefit
from shiftproof.panel import Panel, cross_fit, is_texts, named_models, warn_refitted
from shiftproof.selection.rivals._interface import Setting
from shiftproof.shift import ShiftKind

_MOST_COLUMNS = 50
_OF_TWO = ("precision", "recall", "f1", "auc")


@dataclass(frozen=True, eq=False)
class Judged:
    """Everything that estimates are made from.

    Attributes
    ----------
    panel : Panel
        The models and their out-of-fold scores.
    candidates : Candidates
        What they say of both tables.
    routes : Routes
        The ways from one to the other.
    rule : Rule
        How decisions are made.
    sides : mapping of str to Sides
        What every model decides; `profits` by expected benefit.
    fits : int
        How many models were fitted for the panel; none if it was given.
    notes : tuple of str
        What was not as it should be.
    """

    panel: Panel
    candidates: Candidates
    routes: Routes
    rule: Rule
    sides: Mapping[str, Sides]
    profits: Mapping[str, Sides]
    fits: int
    notes: tuple[str, ...]

    def sides_for(self, measure: str) -> Mapping[str, Sides]:
        """Give the decisions that a measure is about."""
        return self.profits if measure == "profit" else self.sides

    def estimate(self, measure: str) -> Estimates:
        """Estimate a measure of every model along every way."""
        return estimate(MEASURES[measure], self.sides_for(measure), self.candidates, self.routes)

    def claimed(self, measure: str) -> dict[str, float]:
        """Give the measure on the labelled rows, as cross-validation has it."""
        found = self.candidates
        function = MEASURES[measure].function
        return {
            name: float(function(side.true, found.labels, found.base).value)
            for name, side in self.sides_for(measure).items()
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class Asked:
    """What a user may ask of both verbs, beside models and tables."""

    benefit: Any
    table: Any
    new_table: Any
    threshold: float | None
    pos_label: Any
    cv: Any
    plan: Mapping[str, Any] = field(default_factory=dict)
    sample_weight: Any
    groups: Any
    shift: ShiftKind | None
    random_state: Seed
    n_jobs: int | None
    progress: bool | None


def judge(models: Any, X: Any, y: Any, X_new: Any, asked: Asked, *, purpose: str) -> Judged:
    """Cross-fit what is not scored yet, and find the ways to estimate by."""
    panel, fits = _panel(models, X, y, asked)
    positive = _positive(panel, asked.pos_label, asked.benefit)
    check_learnt(asked.benefit, panel.feature_names)
    candidates, notes = gather(
        panel, X, X_new, shift=asked.shift, purpose=purpose, random_state=asked.random_state, n_jobs=asked.n_jobs
    )
    rule = Rule(
        classes=panel.classes_,
        positive=positive,
        threshold=asked.threshold,
        benefit=asked.benefit,
        table=_rows_of(asked.table if asked.table is not None else X, candidates, len(panel.y)),
        new_table=asked.new_table if asked.new_table is not None else _as_given(X_new),
    )
    return assemble(panel, candidates, rule, fits=fits, notes=notes)


def assemble(panel: Panel, candidates: Candidates, rule: Rule, *, fits: int = 0, notes: tuple[str, ...] = ()) -> Judged:
    """Find the ways to estimate by, and what every model decides."""
    profits = profit_sides(candidates, rule) if rule.benefit is not None else {}
    return Judged(panel, candidates, find_routes(candidates), rule, sides_of(candidates, rule), profits, fits, notes)


def check_measure(measure: str, judged: Judged) -> str:
    """Refuse measures that do not fit the classes or lack what they need."""
    check_choice(measure, "measure", list(MEASURES))
    if measure == "profit" and judged.rule.benefit is None:
        raise InputError(
            Argument("measure", "profit"), " needs a benefit; pass ", Argument("benefit", Phrase("sp.Benefit(...)"))
        )
    return measure


def usual_measures(judged: Judged, pos_label: Any) -> tuple[str, ...]:
    """Name the measures that make sense where none is asked for."""
    several = judged.candidates.k > 2 and pos_label is None
    named = ("accuracy", "brier") if several else ("accuracy", "f1", "auc", "brier")
    return (*named, "profit") if judged.rule.benefit is not None else named


def setting_of(judged: Judged, X: Any, X_new: Any, asked: Asked) -> Setting:
    """Give what rivals may look at; features only where every labelled row was tested."""
    whole = judged.candidates.n == len(judged.panel.y)
    return Setting(
        candidates=judged.candidates,
        X=X if whole else None,
        X_new=X_new if whole else None,
        found=judged.routes,
        random_state=asked.random_state,
        n_jobs=asked.n_jobs,
    )


def unknowable(candidates: Candidates) -> bool:
    """Tell whether nothing can be said of the new rows without labels of them."""
    return candidates.shift.refused or candidates.m < FEWEST_NEW


def units_of(influence: Floats) -> Floats:
    """Give how far apart right and wrong are in a row, from influences of shape (l, m, k): 1 for the accuracy."""
    return np.asarray(np.sqrt(np.mean((influence.max(axis=2) - influence.min(axis=2)) ** 2, axis=1)))


def needs_positive(measure: str) -> bool:
    """Tell whether a measure is about one class against the others."""
    return measure in _OF_TWO


def _panel(models: Any, X: Any, y: Any, asked: Asked) -> tuple[Panel, int]:
    if isinstance(models, Panel):
        given = {"cv": asked.cv, "sample_weight": asked.sample_weight, "groups": asked.groups}
        for name, value in given.items():
            if value is not None:
                raise fault(name, "be left out with a Panel", value, "the panel was made with its own")
        models.matches(X, y)
        return models, 0
    if X is None or y is None:
        raise fault("X" if X is None else "y", "be given with models", None, "pass models, X, y, X_new, or a Panel")
    how = {"cv": asked.cv, "n_jobs": asked.n_jobs, "sample_weight": asked.sample_weight, "groups": asked.groups}
    settings = {"random_state": asked.random_state} | {name: value for name, value in how.items() if value is not None}
    if asked.cv is None and "cv" in asked.plan:
        warn_refitted(named_models(models))
    panel = cross_fit(models, X, y, progress=asked.progress, **(settings | dict(asked.plan)))
    return panel, panel.n_fits


def _positive(panel: Panel, pos_label: Any, benefit: Any) -> int:
    """Give the place of the positive class; of several the first, where nothing depends on it."""
    if pos_label is None and len(panel.classes_) > 2:
        if isinstance(benefit, Benefit):
            hint = "name the class that pays by pos_label, or use Benefit.matrix(...)"
            raise fault("benefit", "say which of several classes it is about", "no pos_label", hint)
        return 0
    return panel.positive(pos_label)


def _as_given(table: Any) -> Any:
    """Give what amounts can be looked up in; texts and sparse matrices are no tables."""
    from scipy import sparse

    return None if table is None or sparse.issparse(table) or is_texts(table) else table


def _rows_of(table: Any, candidates: Candidates, n: int) -> Any:
    """Keep the rows that were tested."""
    if _as_given(table) is None or candidates.n == n:
        return _as_given(table)
    whole = as_table(table, "table")
    if whole.n_rows != n:
        raise fault("table", "have one row per label", Phrase(f"{whole.n_rows:,} for {n:,}"), "pass the rows of X")
    cells = {name: whole.column(name).cells() for name in whole.names}
    return {name: [each[row] for row in candidates.rows] for name, each in cells.items()}


def features_of(X: Any, rows: NDArray[np.intp]) -> list[list[Any]]:
    """Give columns of some rows, to rehearse shifts by; none of texts and sparse matrices."""
    if _as_given(X) is None:
        return []
    table = as_table(X)
    columns = [table.column(name) for name in table.names[:_MOST_COLUMNS]]
    held = [each.values for each in columns]
    return [
        [values[row] for row in rows]
        if isinstance(values, list)
        else Column(each.name, each.family, values[rows]).cells()
        for each, values in zip(columns, held, strict=True)
    ]

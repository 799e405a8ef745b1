"""Replay one period: fit on the rows before it, estimate without its labels, then look at them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.case import SOFT_MEASURES, Case, Decided, DecisionOptions, PriorGrounds, find_grounds, one_hot
from shiftproof.core import (
    Codes,
    Floats,
    InputError,
    ResultUnreliable,
    Rows,
    ShiftproofWarning,
)
from shiftproof.selection import Performance, estimate_case
from shiftproof.simulation import take_rows

if TYPE_CHECKING:
    from shiftproof.panel import Panel

#: Folds of each period's cross-fit where the caller names none: a backtest fits many panels.
FOLDS = 5
# A model is scored on so many later periods, and on so many rows of each: enough to see it age, cheap beside a fit.
OLDEST, _AGED_ROWS = 6, 2_000


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelledPast:
    """All labelled rows, and how each period is to be replayed.

    Attributes
    ----------
    models : object
        Classifiers to cross-fit, as the caller gave them; None if there are scores.
    scored : Panel, optional
        A deployed model's scores of all rows; then nothing is fitted.
    X, table : table, optional
        Features, and amounts of a benefit.
    classes, codes : ndarrays
        The labels, and for each row the place of its own.
    options : DecisionOptions
        How decisions are made and what they are worth.
    first : str
        The measure that is summarised.
    measures : sequence of str or str, optional
        What is estimated, as for `estimate_performance`; by default `first` and the usual measures.
    level : float
        The nominal coverage of the intervals.
    along_rows : mapping of str to array
        What `cross_fit` needs for each row: weights and groups.
    cv : object
        Its folds; None for the usual ones.
    exclude : sequence of column names, optional
        Columns to leave out.
    hidden : frozenset of str
        More of them, such as the time.
    seed : int
        Of folds, forests and samples.
    """

    models: object
    scored: Panel | None
    X: object
    table: object
    classes: NDArray[Any]
    codes: Codes
    options: DecisionOptions
    first: str
    measures: Sequence[str] | str | None
    level: float
    along_rows: Mapping[str, Any]
    cv: object
    exclude: Sequence[object] | None
    hidden: frozenset[str]
    seed: int

    @property
    def fewest(self) -> int:
        """The fewest rows of each class that the rows before a period must have."""
        return self.cv if isinstance(self.cv, int) and self.cv > FOLDS else FOLDS

    def labels(self, rows: Rows) -> NDArray[Any]:
        """Return the labels of rows."""
        return np.asarray(self.classes[self.codes[rows]])

    def features(self, rows: Rows) -> Any:
        """Return the features of rows, if there are any."""
        return None if self.X is None else take_rows(self.X, rows)

    def amounts(self, rows: Rows) -> Any:
        """Return the rows of the table with amounts, if there is one."""
        return None if self.table is None else take_rows(self.table, rows)

    def case(self, before: Rows, current: Rows) -> Case:
        """Return the case that a user would have had at the end of `before`, with the rows of `current` as new data."""
        options = replace(self.options, table=self.amounts(before), new_table=self.amounts(current))
        models, y = self.models, self.labels(before)
        fitting: dict[str, Any] = {}
        if self.scored is not None:
            models = scores_between(self.scored, before, current)
        else:
            fitting = {name: values[before] for name, values in self.along_rows.items()}
            fitting |= {"own_folds": {"cv": FOLDS}} if self.cv is None else {"cv": self.cv}
        return Case.of(
            models,
            self.features(before),
            y,
            self.features(current),
            purpose="a backtest",
            options=options,
            exclude=self.exclude,
            hide=self.hidden,
            random_state=self.seed,
            n_jobs=1,
            progress=False,
            **fitting,
        )


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """What one period has shown; plain values, so that it can be written to a file.

    Attributes
    ----------
    estimates : dict of str to dict of str to dict
        By model and measure: `validated`, `estimate`, `actual` and `refused`; and what the interval is made from, once
        the record of earlier periods is known: `shares`, `centres`, `variances`, `allowance` and `broken`.
    ages : dict of str to list of float
        Each model's measure on the sampled rows of its own period and of the periods after it; NaN where one has none.
    aged_by : str
        That measure.
    shift_kind : str
        The type of shift between the rows before and those of the period.
    reach, foreign_by : dict of str to float
        How far the period is from the rows before it, and what of that makes it another kind of data.
    fits : int
        How many models were fitted.
    notes : list of dict
        The fields of what the reader of the estimates should know.
    failure : str
        The message of the error, if the period could not be replayed.
    error : InputError or None
        The error itself, which is raised if every period fails. It is not written to a file.
    caught : tuple of warnings
        What the user should know; the same of several periods is said once. They are not written to a file.
    """

    estimates: dict[str, dict[str, dict[str, Any]]]
    ages: dict[str, list[float]]
    reach: dict[str, float]
    foreign_by: dict[str, float]
    aged_by: str = ""
    shift_kind: str = ""
    fits: int = 0
    notes: list[dict[str, Any]] = field(default_factory=list)
    failure: str = ""
    error: InputError | None = None
    caught: tuple[ShiftproofWarning, ...] = ()


def replay(past: LabelledPast, before: Rows, current: Rows, later: Sequence[Rows]) -> Replayed:
    """Fit on `before`, estimate for `current`, and measure there and on the periods after it.

    An error that concerns this period alone, such as a column that held something else, is kept instead of raised.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ShiftproofWarning)
        try:
            replayed = _replay(past, before, current, later)
        except InputError as error:
            replayed = Replayed(estimates={}, ages={}, reach={}, foreign_by={}, failure=str(error.clause), error=error)
    ours = [one.message for one in caught if isinstance(one.message, ShiftproofWarning)]
    for one in caught:
        # Those of the user's models go where they would have gone.
        if not isinstance(one.message, ShiftproofWarning):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    return replace(replayed, caught=tuple(one for one in ours if not isinstance(one, ResultUnreliable)))


def _replay(past: LabelledPast, before: Rows, current: Rows, later: Sequence[Rows]) -> Replayed:
    case = past.case(before, current)
    # No baseline of the new rows is needed: their labels are known.
    performance = estimate_case(case, measures=past.measures, first=past.first, shares={}, level=past.level)
    # A profit needs the amounts of every later row; the accuracy needs only labels.
    aged_by = performance.measures[0] if performance.measures[0] != "profit" else "accuracy"
    return Replayed(
        estimates=compared(case, performance, performance.truth(past.labels(current))),
        ages={} if past.scored is not None else _ages(past, case, (current, *later), aged_by),
        reach=performance.shift.evidence.reach,
        foreign_by=performance.shift.evidence.foreign_by,
        aged_by=aged_by,
        shift_kind=performance.shift.kind,
        fits=case.n_fits,
        notes=[asdict(note) for note in performance.notes],
    )


def compared(
    case: Case, performance: Performance, actual: Mapping[str, Mapping[str, float]]
) -> dict[str, dict[str, dict[str, Any]]]:
    """Return by model and measure what was validated, what the estimate rests on, and what was true."""
    prospect, of_models = case.prospect, performance.estimates
    comparisons: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in of_models}
    for measure in performance.measures:
        validated, units = np.array(list(prospect.validated(measure).values())), prospect.units(measure)
        grounds = find_grounds(prospect, measure, prospect.estimate(measure), validated=validated, units=units)
        for place, name in enumerate(prospect.estimate(measure).names):
            own = grounds.only(place)
            comparisons[name][measure] = {
                "validated": of_models[name][measure].validated,
                "estimate": float(own.values[0]),
                "shares": own.parts.shares.tolist(),
                "centres": own.parts.centres[:, 0].tolist(),
                "variances": own.parts.covariances[:, 0, 0].tolist(),
                "allowance": float(own.allowance[0]),
                "broken": float(own.broken[0]),
                "prior": _prior(own.prior),
                "actual": actual[name][measure],
                "refused": of_models[name][measure].refused,
            }
    return comparisons


def _prior(prior: PriorGrounds | None) -> list[float] | None:
    """Return chance, estimate and variance of what one model has if only the class proportions changed."""
    return None if prior is None else [prior.chance, float(prior.values[0]), float(prior.covariance[0, 0])]


def _ages(past: LabelledPast, case: Case, periods: Sequence[Rows], measure: str) -> dict[str, list[float]]:
    """Measure the refitted models on a sample of their own period and of each period after it."""
    rule, panel = case.prospect.rule, case.panel
    ages: dict[str, list[float]] = {name: [] for name in case.scored_by}
    for rows in periods:
        sample = sampled_rows(rows, past.seed)
        try:
            scores = panel.apply(past.features(sample), models=case.scored_by) if len(sample) else {}
        except Exception:  # a model that cannot score a later period is left out of that age
            scores = {}
        for name, values in ages.items():
            values.append(_value(scores.get(name), past.codes[sample], measure, rule.decide, rule.positive))
    return ages


def sampled_rows(rows: Rows, seed: int) -> Rows:
    """Return the rows on which models of every age are compared: the same for all of them."""
    if len(rows) <= _AGED_ROWS:
        return rows
    drawn = np.random.default_rng([seed, len(rows)]).choice(len(rows), _AGED_ROWS, replace=False)
    return rows[np.sort(drawn)]


def _value(
    scores: Floats | None, codes: Codes, measure: str, decide: Callable[[Floats], Codes], positive: int
) -> float:
    if scores is None:
        return float("nan")
    decided = Decided(probabilities=scores, decisions=decide(scores), positive=positive)
    equal = np.full(len(codes), 1 / len(codes))
    return float(SOFT_MEASURES[measure].function(decided, one_hot(codes, scores.shape[1]), equal).value)


def scores_between(panel: Panel, before: Rows, current: Rows) -> Panel:
    """Return a panel of scores alone: labelled rows are those before, new rows those of a period."""
    from shiftproof.panel import Panel as AnyPanel

    between = AnyPanel.from_scores(
        panel.classes_[panel.y[before]],
        {name: scores[before] for name, scores in panel.out_of_fold.items()},
        new={name: scores[current] for name, scores in panel.out_of_fold.items()},
        sample_weight=None if panel.sample_weight is None else panel.sample_weight[before],
    )
    return replace(between, class_assumed=panel.class_assumed)

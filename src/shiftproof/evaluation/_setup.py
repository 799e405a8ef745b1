"""How the models of a panel are measured: on which rows, by which decisions, worth what."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Floats, Interval, Table, as_table, fault, listed
from shiftproof.measures import MEASURES, Benefit, BenefitMatrix, IntervalPlan, Scores
from shiftproof.panel import Panel


@dataclass(frozen=True, eq=False, kw_only=True)
class Setup:
    """How every model of a panel is measured.

    Parameters
    ----------
    panel : Panel
        The models and their out-of-fold scores.
    positive : int
        The index of the positive class in the panel's `classes_`.
    threshold : float or None
        The positive class is predicted at this probability or above; None if the more likely class is predicted.
    level : float
        The coverage of the intervals.
    benefit : Benefit, BenefitMatrix or None
        What decisions are worth.
    table : table or None
        Where the benefit finds its columns, row by row.
    """

    panel: Panel
    positive: int = 1
    threshold: float | None = None
    level: float = 0.9
    benefit: Benefit | BenefitMatrix | None = None
    table: object = None

    def estimates(self, name: str, measures: Sequence[str]) -> dict[str, Interval]:
        """Return the measures of one model, each the mean over the repeats; with a benefit also the profit."""
        plan = IntervalPlan(level=self.level)
        # Each repeat on its own: the mean over repeats would be the scores of an ensemble.
        repeats = [self.scores(name, repeat) for repeat in range(self.panel.n_repeats)]
        estimates = {
            measure: _average([MEASURES[measure].function(scores, plan) for scores in repeats]) for measure in measures
        }
        if self.benefit is not None:
            estimates["profit"] = self.profit(name)
        return estimates

    def fold_values(self, name: str, measure: str) -> Floats:
        """Return the measure of one model in every fold of every repeat; NaN where it is undefined."""
        if measure == "profit":
            profits = [self._row_profits(name, repeat) for repeat in range(self.panel.n_repeats)]
            values = [
                float(np.average(profits[repeat][rows], weights=self._weights(rows))) for repeat, rows in self._folds()
            ]
        else:
            # Without intervals: some are simulated, and would be thrown away.
            value = MEASURES[measure].value
            values = [value(self._scores_of(name, repeat, rows)) for repeat, rows in self._folds()]
        return np.array(values, dtype=np.float64)

    def scores(self, name: str, repeat: int) -> Scores:
        """Return all rows that one repeat tested, as measures take them."""
        folds = self.panel.folds[repeat]
        rows, groups = folds >= 0, self.panel.groups
        # Folds and groups widen the intervals: models share training rows, and rows of a group are similar.
        return self._scores_of(name, repeat, rows, folds=folds[rows], groups=None if groups is None else groups[rows])

    def profit(self, name: str) -> Interval:
        """Return the mean benefit per row, with an interval corrected for the folds as those of the measures are."""
        of_repeats = []
        for repeat, folds in enumerate(self.panel.folds):
            rows = folds >= 0
            mean = _benefit_mean(self._row_profits(name, repeat)[rows], self._weights(rows), self.level)
            # Benefits have no limits, so the interval is widened around the estimate on its own scale.
            wider = math.sqrt(self.scores(name, repeat).inflation)
            low, high = (mean.estimate + wider * (end - mean.estimate) for end in (mean.low, mean.high))
            method = f"{mean.method} (nadeau-bengio)" if wider > 1 else mean.method
            of_repeats.append(Interval(estimate=mean.estimate, low=low, high=high, level=self.level, method=method))
        return _average(of_repeats)

    def _folds(self) -> Iterator[tuple[int, NDArray[np.bool_]]]:
        """Go through the test rows of every fold of every repeat."""
        for repeat, folds in enumerate(self.panel.folds):
            for fold in np.unique(folds[folds >= 0]):
                yield repeat, folds == fold

    def _scores_of(self, name: str, repeat: int, rows: NDArray[np.bool_], **dependence: NDArray[Any] | None) -> Scores:
        return Scores.of(
            self.panel.y[rows],
            self.panel.fold_probabilities[name][repeat][rows],
            # Of several classes every one is taken against the rest, whichever is named here.
            positive=self.positive,
            threshold=self.threshold,
            sample_weight=self._weights(rows),
            **dependence,
        )

    def _weights(self, rows: NDArray[np.bool_]) -> Floats | None:
        return None if self.panel.sample_weight is None else self.panel.sample_weight[rows]

    def _row_profits(self, name: str, repeat: int) -> Floats:
        """Return the profit of each row if decided by expected benefit; NaN for rows that this repeat did not test."""
        rows = self.panel.folds[repeat] >= 0
        probabilities = self.panel.fold_probabilities[name][repeat][rows]
        profits = np.full(len(rows), np.nan)
        if isinstance(self.benefit, BenefitMatrix):
            order = _class_order(self.benefit, self.panel)
            # From the panel's order of classes to that of the matrix.
            labels = self.benefit.classes[np.argsort(order)[self.panel.y[rows]]]
            profits[rows] = self.benefit.each(labels, self.benefit.decide(probabilities[:, order]))
        elif self.benefit is not None:
            truth = (self.panel.y[rows] == self.positive).astype(int)
            columns = take_rows(self.table, rows)
            decisions = self.benefit.decide(probabilities[:, self.positive], columns)
            profits[rows] = self.benefit.each(truth, decisions, columns)
        return profits


def take_rows(table: object, rows: NDArray[np.bool_]) -> Any:
    """Return a table of these rows."""
    if table is None:
        return None
    whole: Table = as_table(table, "table")
    if whole.n_rows != len(rows):
        raise fault("table", f"have one row per label, {len(rows):,}", whole.n_rows, "pass rows in the same order as X")
    # No copy where no row is left out.
    if rows.all():
        return whole
    places = np.flatnonzero(rows)
    return {name: [cells[place] for place in places] for name in whole.names for cells in [whole.column(name).cells()]}


def _average(intervals: list[Interval]) -> Interval:
    """Average estimates and ends over repeats, which reduce the noise of splitting but add no new rows."""
    if len(intervals) == 1:
        return intervals[0]
    first = intervals[0]
    estimate, low, high = (
        float(np.mean([getattr(interval, end) for interval in intervals])) for end in ("estimate", "low", "high")
    )
    method = f"{first.method}, mean of {len(intervals)} repeats"
    return Interval(estimate=estimate, low=low, high=high, level=first.level, method=method)


def _benefit_mean(values: Floats, weight: Floats | None, level: float) -> Interval:
    """Return the mean of benefits with its interval."""
    # The same amount for every outcome: each row then counts with its own value.
    known = Benefit(tp=values, fp=values, fn=values, tn=values)
    ones = np.ones(len(values), dtype=int)
    return known.mean(ones, ones, level=level, sample_weight=weight)


def _class_order(benefit: BenefitMatrix, panel: Panel) -> NDArray[np.intp]:
    """Return the panel's classes in the order of the matrix."""
    ours, theirs = panel.classes_.tolist(), benefit.classes.tolist()
    # A matrix without names has the classes 0 to k - 1.
    if theirs == list(range(len(ours))) and set(theirs) != set(ours):
        return np.arange(len(ours))  # unnamed: rows in the order of the classes
    if set(ours) != set(theirs):
        raise fault("the classes of benefit", f"be those of y, {listed(ours)}", theirs, "name each once")
    return np.array([ours.index(label) for label in theirs], dtype=np.intp)

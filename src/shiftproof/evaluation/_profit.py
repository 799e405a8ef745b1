"""What a model's decisions bring, row by row."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Argument, InputError, Interval, Table, as_table, fault, listed
from shiftproof.measures import Benefit, BenefitMatrix, Scores
from shiftproof.panel import Panel

Floats = NDArray[np.float64]


def row_profits(panel: Panel, name: str, repeat: int, *, benefit: Any, table: Any, positive: int) -> Floats:
    """Return what each row brings if decided by expected benefit; NaN in rows that this repeat did not test."""
    rows = panel.folds[repeat] >= 0
    probabilities = panel.fold_probabilities[name][repeat][rows]
    found = np.full(len(rows), np.nan)
    if isinstance(benefit, BenefitMatrix):
        order = _order(benefit, panel)
        labels = benefit.classes[np.argsort(order)[panel.y[rows]]]
        found[rows] = benefit.each(labels, benefit.decide(probabilities[:, order]))
        return found
    truth = (panel.y[rows] == positive).astype(int)
    columns = take_rows(table, rows)
    found[rows] = benefit.each(truth, benefit.decide(probabilities[:, positive], columns), columns)
    return found


def profit(panel: Panel, name: str, benefit: Any, *, table: Any, positive: int, level: float) -> Interval:
    """Return the mean benefit per row, with an interval that allows for the folds as those of the measures do."""
    found = []
    for repeat, folds in enumerate(panel.folds):
        rows = folds >= 0
        values = row_profits(panel, name, repeat, benefit=benefit, table=table, positive=positive)[rows]
        weight = None if panel.sample_weight is None else panel.sample_weight[rows]
        mean = benefit_mean(values, weight, level)
        wider = math.sqrt(scores_of(panel, name, repeat, positive, None).inflation)
        low, high = (mean.estimate + wider * (end - mean.estimate) for end in (mean.low, mean.high))
        how = f"{mean.method} (nadeau-bengio)" if wider > 1 else mean.method
        found.append(Interval(estimate=mean.estimate, low=low, high=high, level=level, method=how))
    return average(found)


def benefit_mean(values: Floats, weight: Any, level: float) -> Interval:
    """Return the mean of benefits with its interval; a constant column makes every row count as it is."""
    known = Benefit(tp=values, fp=values, fn=values, tn=values)
    ones = np.ones(len(values), dtype=int)
    return known.mean(ones, ones, level=level, sample_weight=weight)


def scores_of(panel: Panel, name: str, repeat: int, positive: int, threshold: float | None) -> Scores:
    """Return the rows of one repeat as measures take them."""
    folds = panel.folds[repeat]
    rows = folds >= 0
    return Scores.of(
        panel.y[rows],
        panel.fold_probabilities[name][repeat][rows],
        positive=positive,
        threshold=threshold,
        sample_weight=None if panel.sample_weight is None else panel.sample_weight[rows],
        folds=folds[rows],
        groups=None if panel.groups is None else panel.groups[rows],
    )


def average(intervals: list[Interval]) -> Interval:
    """Average estimates and ends over repeats: more repeats steady them, and bring no new rows."""
    if len(intervals) == 1:
        return intervals[0]
    first = intervals[0]
    estimate, low, high = (
        float(np.mean([getattr(each, end) for each in intervals])) for end in ("estimate", "low", "high")
    )
    how = f"{first.method}, mean of {len(intervals)} repeats"
    return Interval(estimate=estimate, low=low, high=high, level=first.level, method=how)


def check_benefit(benefit: Any, panel_names: tuple[str, ...], several: bool, pos_label: Any) -> None:
    """Refuse a benefit that cannot be used: of no class in particular, or part of what the models learnt from."""
    if benefit is None or isinstance(benefit, BenefitMatrix):
        return
    if not isinstance(benefit, Benefit):
        hint = "write sp.Benefit(tp=9, fp=-1), or Benefit.matrix(...) for several classes"
        raise fault("benefit", "be a Benefit or a BenefitMatrix", benefit, hint)
    if several and pos_label is None:
        hint = "name the class that pays by pos_label, or use Benefit.matrix(...)"
        raise fault("benefit", "say which of several classes it is about", "no pos_label", hint)
    learnt = sorted(benefit.actual_columns & set(panel_names))
    if learnt:
        raise InputError(
            f"the models must not have learnt from actual amounts, got the feature {listed(learnt)}; "
            "leave it out of X and pass it by ",
            Argument("table", ...),
        )


def _order(benefit: BenefitMatrix, panel: Panel) -> NDArray[np.intp]:
    """Return the panel's classes in the order of the matrix."""
    ours, theirs = panel.classes_.tolist(), benefit.classes.tolist()
    if theirs == list(range(len(ours))) and set(theirs) != set(ours):
        return np.arange(len(ours))  # unnamed: rows in the order of the classes
    if set(ours) != set(theirs):
        raise fault("the classes of benefit", f"be those of y, {listed(ours)}", theirs, "name each once")
    return np.array([ours.index(label) for label in theirs], dtype=np.intp)


def take_rows(table: Any, rows: NDArray[np.bool_]) -> Any:
    """Return a table of these rows."""
    if table is None:
        return None
    whole: Table = as_table(table, "table")
    if whole.n_rows != len(rows):
        raise fault("table", f"have one row per label, {len(rows):,}", whole.n_rows, "pass the rows of X in its order")
    if rows.all():
        return whole
    kept = np.flatnonzero(rows)
    return {name: [cells[at] for at in kept] for name in whole.names for cells in [whole.column(name).cells()]}

"""Measures of decisions: accuracy, precision, recall, F, G-mean, balanced accuracy."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Interval, check_vector, fault
from shiftproof.measures._ends import around, recovered, smooth_ends, spread, undefined
from shiftproof.measures._scores import IntervalPlan, Scores
from shiftproof.stats import wilson

Mask = NDArray[np.bool_]


def accuracy(scores: Scores, plan: IntervalPlan) -> Interval:
    """Give the share of rows decided right, with Wilson's interval.

    Examples
    --------
    >>> y, p = np.repeat([1, 0], [75, 25]), np.full(100, 0.9)
    >>> print(accuracy(Scores.of(y, np.column_stack([1 - p, p])), IntervalPlan(level=0.8)))
    0.750 [0.691, 0.801]
    """
    everything = np.ones(len(scores.y), dtype=bool)
    return _with_remarks(_rate(scores, scores.decisions == scores.y, everything, plan), scores, plan)


def error(scores: Scores, plan: IntervalPlan) -> Interval:
    """Give the share of rows decided wrong, with Wilson's interval."""
    everything = np.ones(len(scores.y), dtype=bool)
    return _with_remarks(_rate(scores, scores.decisions != scores.y, everything, plan), scores, plan)


def precision(scores: Scores, plan: IntervalPlan) -> Interval:
    """Give the share of true positives among the rows decided positive, with Wilson's interval.

    With more than two classes: the mean over the classes; the interval recovers its variance from theirs.
    """
    parts = []
    for code in scores.targets:
        decided = scores.decisions == code
        if not decided.any():
            return undefined(f"{_class(scores, code)} is never predicted", plan)
        parts.append(_rate(scores, decided & (scores.y == code), decided, plan))
    return _mean(parts, scores, plan)


def recall(scores: Scores, plan: IntervalPlan) -> Interval:
    """Give the share of the positives that are decided positive, with Wilson's interval.

    With more than two classes: the mean over the classes, which is the balanced accuracy.
    """
    return _mean_recall(scores, scores.targets, plan)


def balanced_accuracy(scores: Scores, plan: IntervalPlan) -> Interval:
    """Give the mean over the classes of the share decided right.

    The interval recovers its variance from Wilson's intervals of the classes (MOVER).
    """
    return _mean_recall(scores, range(scores.n_classes), plan)


def g_mean(scores: Scores, plan: IntervalPlan) -> Interval:
    """Give the geometric mean over the classes of the share decided right.

    The interval recovers its variance from Wilson's intervals of the classes (MOVER).

    Examples
    --------
    >>> scores = Scores.of([0, 0, 0, 0, 1], [[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.1, 0.9], [0.2, 0.8]])
    >>> print(g_mean(scores, IntervalPlan()))
    0.866 [0.297, 0.977]
    """
    parts = _recalls(scores, range(scores.n_classes), plan)
    if isinstance(parts, Interval):
        return parts
    value = _geometric([part.estimate for part in parts])
    return around(value, recovered(_geometric, parts), plan, "wilson, variance recovery", remarks=scores.remarks)


def f1(scores: Scores, plan: IntervalPlan) -> Interval:
    """Give the harmonic mean of precision and recall; see :func:`f_beta`."""
    return f_beta(scores, plan)


def f_beta(scores: Scores, plan: IntervalPlan, *, beta: float = 1.0) -> Interval:
    r"""Give F, in which recall counts ``beta`` times as much as precision.

    .. math:: F_\beta = \frac{(1 + \beta^2) TP}{(1 + \beta^2) TP + \beta^2 FN + FP}

    Of the M = TP + FP + FN rows that take part, TP is binomial with some rate J, and of the rest FN is with
    some rate q, independently; F depends on the two alone,
    :math:`F/(1 - F) = (1 + \beta^2) J/(1 - J)/(1 - q + \beta^2 q)`. The interval follows from Wilson's intervals
    of both; for :math:`\beta = 1`, where :math:`F = 2J/(1 + J)`, it is that of J carried over. With more than two
    classes F is the mean over the classes, whose interval is on the logit scale.

    Examples
    --------
    >>> p = np.array([0.9, 0.8, 0.7, 0.2])
    >>> print(f_beta(Scores.of([1, 1, 0, 1], np.column_stack([1 - p, p])), IntervalPlan()))
    0.667 [0.261, 0.919]
    """
    square = float(check_vector([beta], "beta")[0]) ** 2
    if not 0 < beta <= 1e6:
        raise fault("beta", "be above 0 and at most 1e6", beta, "1 gives precision and recall equal weight")
    if scores.n_classes > 2:
        return _macro_f(scores, plan, square)
    positive, decided = scores.y == scores.positive, scores.decisions == scores.positive
    involved, wrong = positive | decided, positive != decided
    if not involved.any():
        return undefined("no positives, none predicted", plan)
    parts = [_rate(scores, positive & decided, involved, plan)]
    parts.append(
        _rate(scores, positive & wrong, wrong, plan)
        if wrong.any()
        # Without a wrong row the types of errors are unknown.
        else Interval(estimate=0.5, low=0.0, high=1.0, level=plan.level, method="unknown")
    )

    def value(rates: Sequence[float]) -> float:
        hits = (1 + square) * rates[0]
        return hits / (hits + (1 - rates[0]) * (1 - rates[1] + square * rates[1]))

    ends = recovered(value, parts)
    if square == 1:  # one rate alone decides: carry its ends over, which is better than adding up moves
        ends = value([parts[0].low, 0.5]), value([parts[0].high, 0.5])
    method = "wilson" if square == 1 else "wilson, variance recovery"
    return around(value([part.estimate for part in parts]), ends, plan, method, remarks=scores.remarks)


def _macro_f(scores: Scores, plan: IntervalPlan, square: float) -> Interval:
    values, influences = [], np.zeros(len(scores.y))
    for code in scores.targets:
        positive, decided = scores.y == code, scores.decisions == code
        if not (positive | decided).any():
            return undefined(f"{_class(scores, code)} neither occurs nor is predicted", plan)
        # F as a ratio of two means of rows, linearised.
        hits = (1 + square) * (positive & decided)
        involved = hits + square * (positive & ~decided) + (decided & ~positive)
        share = scores.mean(involved)
        values.append(scores.mean(hits) / share)
        influences += (hits - values[-1] * involved) / share / scores.n_classes
    value = float(np.mean(values))
    sizes = [scores.size((scores.y == code) | (scores.decisions == code)) for code in scores.targets]
    variance, df = spread(influences, scores)
    ends = smooth_ends(value, variance, df, least_size=min(sizes), level=plan.level)
    return around(value, ends, plan, "delta on the logit scale", remarks=scores.remarks)


def _rate(scores: Scores, part: Mask, whole: Mask, plan: IntervalPlan) -> Interval:
    size = scores.size(whole)
    # Sums of weights may exceed the whole in the last digit.
    return wilson(min(scores.share(part, whole), 1.0) * size, size, level=plan.level)


def _with_remarks(rate: Interval, scores: Scores, plan: IntervalPlan) -> Interval:
    return around(rate.estimate, (rate.low, rate.high), plan, rate.method, remarks=scores.remarks)


def _recalls(scores: Scores, codes: Sequence[int], plan: IntervalPlan) -> list[Interval] | Interval:
    """Return each class's recall, or which class has none."""
    parts = []
    for code in codes:
        rows = scores.y == code
        if not rows.any():
            return undefined(f"no rows of {_class(scores, code)}", plan)
        parts.append(_rate(scores, rows & (scores.decisions == code), rows, plan))
    return parts


def _mean_recall(scores: Scores, codes: Sequence[int], plan: IntervalPlan) -> Interval:
    parts = _recalls(scores, codes, plan)
    return parts if isinstance(parts, Interval) else _mean(parts, scores, plan)


def _mean(parts: Sequence[Interval], scores: Scores, plan: IntervalPlan) -> Interval:
    if len(parts) == 1:
        return _with_remarks(parts[0], scores, plan)
    value = _arithmetic([part.estimate for part in parts])
    return around(value, recovered(_arithmetic, parts), plan, "wilson, variance recovery", remarks=scores.remarks)


def _arithmetic(rates: Sequence[float]) -> float:
    return math.fsum(rates) / len(rates)


def _geometric(rates: Sequence[float]) -> float:
    # Roots first: the product of many small rates would underflow.
    return float(math.prod(rate ** (1 / len(rates)) for rate in rates))


def _class(scores: Scores, code: int) -> str:
    if scores.n_classes > 2:
        return f"class {code}"
    return "the positive class" if code == scores.positive else "the negative class"

"""How pure the top of a ranked list is: average precision, and precision at three recalls."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Floats, Interval, generator
from shiftproof.measures._ends import around, smooth_ends, spread, undefined
from shiftproof.measures._scores import IntervalPlan, Scores

# The recalls of the three-point average.
RECALLS = (0.2, 0.5, 0.8)
# Resamples are drawn as counts on at most this many groups of neighbouring scores.
_MOST_CELLS = 1024
# Up to this many classes get all resamples each. With more, each gets fewer: the mean variance is as exact.
_MOST_CLASSES = 10
# About a million counts are in memory at a time.
_BATCH_VALUES = 2**20


def average_precision(scores: Scores, plan: IntervalPlan) -> Interval:
    r"""Give the precision at the score of each positive row, averaged over the positives.

    .. math:: AP = \sum_j (R_j - R_{j-1}) P_j

    over the distinct scores from above, R recall and P precision. The interval is on the logit scale, with the
    variance of the rows' influences (:func:`precision_influences`) and Student's t. With more than two classes:
    the mean over the classes, each against the rest.

    Examples
    --------
    >>> p = np.array([0.1, 0.4, 0.35, 0.8])
    >>> scores = Scores.of([0, 0, 1, 1], np.column_stack([1 - p, p]))
    >>> round(average_precision(scores, IntervalPlan()).estimate, 4)  # (1 + 2/3) / 2
    0.8333
    """
    values, influences = [], np.zeros(len(scores.y))
    for code in scores.targets:
        positive = scores.y == code
        if not positive.any():
            return undefined(_missing(scores, code), plan)
        value, moved = precision_influences(scores.probabilities[:, code], positive, scores.weights)
        values.append(value)
        influences += moved / len(scores.targets)
    value = float(np.mean(values))
    variance, df = spread(influences, scores)
    least = min(scores.size(scores.y == code) for code in scores.targets)
    ends = smooth_ends(value, variance, df, least_size=least, level=plan.level)
    return around(value, ends, plan, "delta on the logit scale", remarks=scores.remarks)


def three_point_average_precision(scores: Scores, plan: IntervalPlan) -> Interval:
    """Give the mean of the interpolated precision at 20, 50 and 80% recall.

    Interpolated: the best precision at that recall or a higher one. The interval is on the logit scale with the
    variance of bootstrap resamples. These are drawn as counts on groups of neighbouring scores, so their cost
    hardly grows with the rows, and have as many rows as the data have effectively. With more than two classes:
    the mean over the classes, each against the rest.

    Examples
    --------
    >>> p = np.array([0.9, 0.8, 0.7, 0.6, 0.5])
    >>> scores = Scores.of([1, 0, 1, 1, 0], np.column_stack([1 - p, p]))
    >>> round(three_point_average_precision(scores, IntervalPlan()).estimate, 4)  # (1 + 3/4 + 3/4) / 3
    0.8333
    """
    for code in scores.targets:
        if not (scores.y == code).any():
            return undefined(_missing(scores, code), plan)
    value = three_point_value(scores)
    tables = [_counts(scores, code) for code in scores.targets]
    # Resampled class by class: the variance of a mean is at most the mean of the variances.
    fewer = max(100, plan.n_resamples * _MOST_CLASSES // max(len(tables), _MOST_CLASSES))
    per_class = replace(plan, n_resamples=min(fewer, plan.n_resamples))
    variance = float(np.mean([_resampled_variance(table, scores, per_class) for table in tables]))
    least = min(scores.size(scores.y == code) for code in scores.targets)
    ends = smooth_ends(value, variance, max(least - 1, 1.0), least_size=least, level=plan.level)
    return around(value, ends, plan, "bootstrap on the logit scale", remarks=scores.remarks)


def three_point_value(scores: Scores) -> float:
    """Return the three-point average precision alone; NaN if a class has no rows.

    Examples
    --------
    >>> three_point_value(Scores.of([0, 0], [[0.9, 0.1], [0.2, 0.8]]))
    nan
    """
    if not all((scores.y == code).any() for code in scores.targets):
        return math.nan
    return float(np.mean([_three_points(_counts(scores, code)[np.newaxis])[0] for code in scores.targets]))


def precision_influences(values: Floats, positive: NDArray[np.bool_], weights: Floats) -> tuple[float, Floats]:
    r"""Give average precision and the influence of each row on it.

    With :math:`\pi` the share of positives, P(s) the precision and N(s) the share of rows at s and above, row j
    moves AP by :math:`[y_j (P(s_j) - AP) + \sum_{i: y_i = 1, s_i \le s_j} w_i (y_j - P(s_i))/N(s_i)] / \pi`.

    Examples
    --------
    >>> value, moved = precision_influences(np.array([0.4, 0.35, 0.8]), np.array([False, True, True]), np.ones(3))
    >>> round(value, 4), moved.round(3)
    (0.8333, array([-0.333, -0.083,  0.417]))
    """
    distinct, place = np.unique(-values, return_inverse=True)  # the highest score first
    # As shares of all rows: sums of weights are then probabilities.
    w = weights / weights.sum()
    hits = np.bincount(place, w * positive, minlength=len(distinct))
    reach = np.bincount(place, w, minlength=len(distinct)).cumsum()
    precision = hits.cumsum() / reach
    share = hits.sum()
    value = float(hits @ precision / share)
    # For each distinct score, sums over the positives at it and below.
    gain = (hits / reach)[::-1].cumsum()[::-1]
    loss = (hits * precision / reach)[::-1].cumsum()[::-1]
    moved: Floats = (positive * (precision - value + gain)[place] - loss[place]) / share
    return value, moved


def _counts(scores: Scores, code: int) -> Floats:
    """Give the weights of positives and negatives at each distinct score, the highest first: shape (2, cells)."""
    positive = scores.y == code
    distinct, place = np.unique(-scores.probabilities[:, code], return_inverse=True)
    return np.stack(
        [np.bincount(place, scores.weights * side, minlength=len(distinct)) for side in (positive, ~positive)]
    )


def _three_points(counts: Floats) -> Floats:
    """Give the three-point average precision of each table of counts: (tables, 2, cells) to (tables,)."""
    hits = counts[:, 0].cumsum(axis=1)
    reach = hits + counts[:, 1].cumsum(axis=1)
    with np.errstate(invalid="ignore"):  # nothing drawn yet at the top: no precision, and none is needed
        precision = np.where(reach > 0, hits / reach, 0.0)
    # Interpolated precision: the best at this recall or any higher one.
    best = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    rows = np.arange(len(counts))
    total = hits[:, -1:]
    # A recall that is reached exactly must not be missed by rounding.
    firsts = [(hits >= recall * total * (1 - 1e-12)).argmax(axis=1) for recall in RECALLS]
    values: Floats = np.mean([best[rows, first] for first in firsts], axis=0)
    return values


def _resampled_variance(table: Floats, scores: Scores, plan: IntervalPlan) -> float:
    cells = _merged(table)
    # The effective number of rows: dependent rows carry less information.
    size = max(2, round(float(scores.weights.sum()) / scores.inflation))
    shares = cells.ravel() / cells.sum()
    rng = generator(plan.random_state)
    values, step = [], max(1, _BATCH_VALUES // cells.size)
    for start in range(0, plan.n_resamples, step):
        drawn = rng.multinomial(size, shares, size=min(step, plan.n_resamples - start))
        drawn = drawn.reshape(-1, *cells.shape)
        # A resample without positives has no recall.
        values.append(_three_points(drawn[drawn[:, 0].any(axis=1)].astype(np.float64)))
    resampled = np.concatenate(values)
    return float(resampled.var(ddof=1)) if len(resampled) > 1 else 0.0


def _merged(table: Floats) -> Floats:
    """Merge neighbouring scores into at most ``_MOST_CELLS`` groups, fine where positives are."""
    n_cells = table.shape[1]
    if n_cells <= _MOST_CELLS:
        return table
    # Both classes have the same weight: positives are usually rare, and the measure is about them.
    reached = (table / table.sum(axis=1, keepdims=True)).sum(axis=0).cumsum() / 2
    starts = np.unique(np.searchsorted(reached, np.arange(_MOST_CELLS) / _MOST_CELLS))
    merged: Floats = np.add.reduceat(table, starts[starts < n_cells], axis=1)
    return merged


def _missing(scores: Scores, code: int) -> str:
    return "no positives" if scores.n_classes == 2 else f"no rows of class {code}"

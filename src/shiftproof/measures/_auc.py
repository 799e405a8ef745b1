"""The area under the ROC curve: DeLong's variance in one sort, and the difference between two models."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from shiftproof.core import Interval, check_vector, fault
from shiftproof.measures._ends import around, smooth_ends, spread, undefined
from shiftproof.measures._scores import IntervalPlan, Scores
from shiftproof.stats import SchemeComparison


def auc(scores: Scores, plan: IntervalPlan) -> Interval:
    r"""Give the probability that a positive row scores above a negative one, ties counting half.

    The variance is DeLong's (1988), from the share of negatives below each positive and of positives above each
    negative (:func:`placements`), all found in one sort (Sun and Xu 2014). If a class has few
    rows, it is usually too small, so each class gets one more row with the variance that Hanley and McNeil (1982)
    expect at this AUC. The interval is on the logit scale with Student's t. It is never wider than that of a rate over
    the smaller class's rows, because :math:`A (1 - A) / \min(n_1, n_0)` bounds the variance of AUC. If the classes are
    separated, only this bound is used. With more than two classes: the mean over the classes, each against the rest,
    with the covariances between them.

    Examples
    --------
    >>> p = np.array([0.1, 0.4, 0.35, 0.8])
    >>> print(auc(Scores.of([0, 0, 1, 1], np.column_stack([1 - p, p])), IntervalPlan()))
    0.750 [0.198, 0.973]
    """
    values, influences = [], np.zeros(len(scores.y))
    for code in scores.targets:
        positive = scores.y == code
        if positive.all() or not positive.any():
            return undefined(f"class {code} is {'the only one' if positive.all() else 'missing'}", plan)
        value, moved = auc_influences(scores.probabilities[:, code], positive, scores.weights)
        values.append(value)
        influences += moved / len(scores.targets)
    value = float(np.mean(values))
    # The model of Hanley and McNeil is about one positive class.
    prior = _expected(value, scores) if scores.n_classes == 2 else None
    variance, df = spread(influences, scores, prior=prior)
    sizes = [min(scores.size(scores.y == code), scores.size(scores.y != code)) for code in scores.targets]
    # The rarest class decides how certain the mean is.
    ends = smooth_ends(value, variance, df, least_size=min(sizes), level=plan.level, bounded=True)
    return around(value, ends, plan, "delong on the logit scale", remarks=scores.remarks)


def placements(
    values: NDArray[np.float64], positive: NDArray[np.bool_], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Give each row's share of the other class on its right side: below a positive, above a negative.

    Ties count half. These are DeLong's structural components, in one sort.

    Examples
    --------
    >>> placements(np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True]), np.ones(4))
    array([1. , 0.5, 0.5, 1. ])
    """
    distinct, place = np.unique(values, return_inverse=True)
    above = np.bincount(place, weights * positive, minlength=len(distinct))
    below = np.bincount(place, weights * ~positive, minlength=len(distinct))
    shares = np.empty(len(values))
    # Half of the ties: a tie is a coin flip.
    shares[positive] = ((below.cumsum() - below / 2) / below.sum())[place[positive]]
    shares[~positive] = ((above[::-1].cumsum()[::-1] - above / 2) / above.sum())[place[~positive]]
    return shares


def auc_influences(
    values: NDArray[np.float64], positive: NDArray[np.bool_], weights: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    """Give AUC and the influence of each row on it.

    Examples
    --------
    >>> auc_influences(np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True]), np.ones(4))
    (0.75, array([ 0.5, -0.5, -0.5,  0.5]))
    """
    shares = placements(values, positive, weights)
    total = weights[positive].sum()
    value = float(weights[positive] @ shares[positive] / total)
    # An influence is per row of all rows, so a row of a rare class moves the AUC more.
    part = total / weights.sum()
    return value, (shares - value) / np.where(positive, part, 1 - part)


def compare_auc(
    y: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    level: float = 0.95,
    folds: ArrayLike | None = None,
    names: tuple[str, str] = ("A", "B"),
) -> SchemeComparison:
    """Compare the AUCs of two models on the same rows (DeLong, DeLong and Clarke-Pearson 1988).

    Parameters
    ----------
    y : array-like of shape (n,)
        1 for positive rows, 0 for negative ones; both must occur.
    first, second : array-like of shape (n,)
        The scores of the two models, on any scale.
    level : float
        The nominal coverage of the interval.
    folds : array-like of shape (n,), optional
        Which fold's models scored each row; the variance is then multiplied by 1 + k/(k - 1).
    names : tuple of two str
        The names of the two models.

    Returns
    -------
    SchemeComparison
        The difference, first minus second, with its normal interval, clipped to -1 and 1; z and its two-sided p-value.

    Examples
    --------
    >>> y = np.tile([0, 0, 1, 1], 25)
    >>> a, b = np.tile([0.1, 0.4, 0.6, 0.8], 25), np.tile([0.1, 0.7, 0.6, 0.8], 25)
    >>> print(compare_auc(y, a, b).sentence())
    A is better by 25.0 points [15.1, 34.9] (p < 0.001).
    """
    labels = check_vector(y, "y")
    if set(np.unique(labels)) != {0.0, 1.0}:
        raise fault("y", "hold both 0 and 1 and nothing else", y, "code the positive class as 1")
    plan = IntervalPlan(level=level)
    # The labels take the place of probabilities: only weights and folds of these rows are used.
    rows = Scores.of(labels, np.column_stack([1 - labels, labels]), folds=folds)
    areas = []
    for name, given in (("first", first), ("second", second)):
        values = check_vector(given, name)
        if len(values) != len(labels):
            raise fault(name, f"have one score per row, {len(labels)}", len(values), "score the same rows with both")
        areas.append(auc_influences(values, labels == 1, rows.weights))
    difference = areas[0][0] - areas[1][0]
    variance, _ = spread(areas[0][1] - areas[1][1], rows)
    if not variance > 0:  # both models rank the rows the same, or a class has only one row
        variance = 0.0 if difference == 0 else math.nan
    error = math.sqrt(variance)
    z = difference / error if error > 0 else math.nan if math.isnan(error) else 0.0
    # Without a standard error the interval covers every possible difference.
    half = -float(special.ndtri((1 - level) / 2)) * error if error == error else 2.0
    interval = around(
        difference, (difference - half, difference + half), plan, "delong", remarks=rows.remarks, limits=(-1.0, 1.0)
    )
    p_value = 2 * float(special.ndtr(-abs(z))) if z == z else 1.0
    return SchemeComparison(
        difference=interval, statistic=z, p_value=p_value, method="delong's test of two AUCs", names=names
    )


def _expected(value: float, scores: Scores) -> dict[int, float]:
    """Give the variance of each class's influences if the scores were exponential (Hanley and McNeil 1982)."""
    part = float(scores.mean(scores.y == scores.positive))
    # Theirs are 2A²/(1 + A) - A² for positives and A/(2 - A) - A² for negatives, or the other way round if the
    # classes change names; their mean does not depend on names.
    placed = (2 * value**2 / (1 + value) + value / (2 - value)) / 2 - value**2
    return {scores.positive: placed / part**2, 1 - scores.positive: placed / (1 - part) ** 2}

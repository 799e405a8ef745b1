"""The ends of intervals that never leave the range of their measure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import special

from shiftproof.core import Interval
from shiftproof.measures._scores import IntervalPlan, Scores, kish
from shiftproof.stats import wilson

Ends = tuple[float, float]


def undefined(reason: str, plan: IntervalPlan, limits: Ends = (0.0, 1.0)) -> Interval:
    """Return the interval of a measure without a value: NaN, with the whole range as interval.

    Examples
    --------
    >>> interval = undefined("no positives", IntervalPlan())
    >>> print(interval, interval.method)
    nan [0.000, 1.000] undefined (no positives)
    """
    method = f"undefined ({reason})"
    return Interval(estimate=math.nan, low=limits[0], high=limits[1], level=plan.level, method=method)


def around(
    estimate: float,
    ends: Ends,
    plan: IntervalPlan,
    method: str,
    *,
    remarks: Sequence[str] = (),
    limits: Ends = (0.0, 1.0),
) -> Interval:
    """Make the interval, kept within its limits and around its estimate."""
    estimate = min(max(estimate, limits[0]), limits[1])
    low, high = min(max(ends[0], limits[0]), estimate), max(min(ends[1], limits[1]), estimate)
    full_method = f"{method} ({', '.join(remarks)})" if remarks else method
    return Interval(estimate=estimate, low=low, high=high, level=plan.level, method=full_method)


def recovered(function: Callable[[Sequence[float]], float], parts: Sequence[Interval]) -> Ends:
    r"""Give the ends of a function of independent rates from their intervals, by variance recovery.

    One rate after the other is moved to its ends. This moves the function f, increasing or decreasing in it, by
    :math:`d_i^-` and :math:`d_i^+`; the ends are :math:`f - \sqrt{\sum (d_i^-)^2}` and
    :math:`f + \sqrt{\sum (d_i^+)^2}` (MOVER, Zou and Donner 2008, generalises Newcombe 1998).

    Examples
    --------
    >>> ends = recovered(lambda r: r[0] - r[1], [wilson(56, 70), wilson(48, 80)])
    >>> [round(end, 4) for end in ends]
    [0.0524, 0.3339]
    """
    rates = [part.estimate for part in parts]
    centre = function(rates)
    below = above = 0.0
    for i, part in enumerate(parts):
        moved = [function([*rates[:i], end, *rates[i + 1 :]]) - centre for end in (part.low, part.high)]
        # The lower end of a rate moves a decreasing function up.
        below, above = math.hypot(below, min(moved)), math.hypot(above, max(moved))
    return centre - below, centre + above


def spread(
    influences: NDArray[np.float64], scores: Scores, *, prior: Mapping[int, float] | None = None
) -> tuple[float, float]:
    r"""Give the variance of an estimate and its degrees of freedom from the influence of each row.

    The variance adds up over the true classes, whose rows are drawn independently; within a class it is the
    sample variance of the influences, divided by the number of rows. For AUC this is DeLong's variance. The
    degrees of freedom are Satterthwaite's.

    Parameters
    ----------
    influences : ndarray of shape (n,)
        By how much each row, at weight 1 of n, moves the estimate.
    scores : Scores
        The rows.
    prior : mapping of class to variance, optional
        What the variance of a class's influences would be by some model; counts as one more row of that class.

    Returns
    -------
    variance, df : float
        NaN where a class has one row and no prior.

    Examples
    --------
    >>> scores = Scores.of([0, 0, 1, 1], [[0.9, 0.1], [0.4, 0.6], [0.5, 0.5], [0.2, 0.8]])
    >>> spread(np.array([0.5, -0.5, -0.5, 0.5]), scores)
    (0.125, 2.0)
    """
    w, total = scores.weights, float(scores.weights.sum())
    parts: list[float] = []
    freedoms: list[float] = []
    for code in np.unique(scores.y):
        rows = scores.y == code
        used, values = w[rows], influences[rows]
        size, mass = kish(used), float(used.sum())
        mean = float(used @ values) / mass
        freedom = size - 1
        # With equal weights, the sum of squared deviations.
        squares = float((used**2) @ (values - mean) ** 2) * (size / mass) ** 2
        if prior is not None:
            freedom, squares = freedom + 1, squares + prior[int(code)]
        variance = squares / freedom if freedom > 1e-9 else math.nan
        # The random sizes of the classes can make influences not average to zero within a class.
        parts.append((variance + mean**2) * (mass / total) ** 2 / size)
        freedoms.append(freedom)
    variance = sum(parts)
    if not variance > 0:
        return variance, math.nan
    # Satterthwaite (1946).
    df = variance**2 / sum(part**2 / freedom for part, freedom in zip(parts, freedoms, strict=True))
    return variance * scores.inflation, df


def logit_ends(estimate: float, variance: float, df: float, level: float) -> Ends:
    r"""Give the ends of a rate on the logit scale: logit r ± t s/(r (1 - r)).

    Examples
    --------
    >>> low, high = logit_ends(0.9, 0.001, 1e6, 0.95)
    >>> round(low, 3), round(high, 3)
    (0.819, 0.947)
    """
    # The delta method: the derivative of logit r is 1 / (r (1 - r)).
    step = student(level, df) * math.sqrt(variance) / (estimate * (1 - estimate))
    centre = special.logit(estimate)
    return float(special.expit(centre - step)), float(special.expit(centre + step))


def student(level: float, df: float) -> float:
    """Give the two-sided quantile of Student's t.

    Examples
    --------
    >>> round(student(0.95, 9), 3)
    2.262
    """
    # stdtrit is inaccurate for huge df, where t equals the normal quantile to all digits
    tail = (1 + level) / 2
    return float(special.stdtrit(df, tail)) if df < 1e8 else float(special.ndtri(tail))


def smooth_ends(
    estimate: float, variance: float, df: float, *, least_size: float, level: float, bounded: bool = False
) -> Ends:
    """Give the ends of a smooth measure on the logit scale.

    Where the estimate is 0 or 1, or its variance is unknown, the ends are those of a rate over ``least_size``
    rows. With ``bounded`` the measure never varies more than that rate, so the ends are never wider.

    Examples
    --------
    >>> [round(end, 3) for end in smooth_ends(1.0, 0.0, 9.0, least_size=10, level=0.95)]
    [0.722, 1.0]
    """
    widest = wilson(estimate * least_size, least_size, level=level)
    if not (0 < estimate < 1 and variance > 0 and df > 0):
        return widest.low, widest.high
    low, high = logit_ends(estimate, variance, df, level)
    if not bounded:
        return low, high
    return max(low, widest.low), min(high, widest.high)

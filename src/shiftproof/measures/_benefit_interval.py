"""The interval of a mean of skewed values, such as profits."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from shiftproof.core import Floats, Interval, check_fraction

# One moment, or one per cut of a list.
Moments = float | Floats


def mean_interval(values: Floats, *, level: float = 0.95, scale: float = 1.0) -> Interval:
    r"""Give the interval of a mean, with the skewness taken out of Student's t.

    With the sample's mean m, deviation s and skewness :math:`\gamma`, Hall (1992) makes
    :math:`T = \sqrt n (m - \mu)/s` symmetric by

    .. math:: g(T) = T + \frac{\gamma T^2}{3\sqrt n} + \frac{\gamma^2 T^3}{27 n} + \frac{\gamma}{6\sqrt n},

    which rises throughout and is inverted in closed form; the ends are :math:`m - s\,g^{-1}(\pm t)/\sqrt n`.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Independent values.
    level : float
        The nominal coverage.
    scale : float
        What the mean and its ends are multiplied with, such as n for a total.

    Returns
    -------
    Interval
        Without ends (infinite) for a single value.

    Examples
    --------
    Three of a hundred letters earn 20 each, and every letter costs 0.68. The interval extends further up than down:

    >>> print(mean_interval(np.repeat([19.32, -0.68], [3, 97]), scale=100))
    -8.000 [-60.404, 127.274]
    """
    check_fraction(level, "level", hint="0.95 means 95%")
    n, mean = len(values), float(values.mean())
    if n == 1:
        return Interval(estimate=scale * mean, low=-math.inf, high=math.inf, level=level, method="one row, no spread")
    deviation = float(values.std(ddof=1))
    # rounding alone makes constant values differ in the last digits
    if deviation <= 1e-12 * abs(mean):
        return Interval(estimate=scale * mean, low=scale * mean, high=scale * mean, level=level, method="constant")
    skewness = float((((values - mean) / deviation) ** 3).mean())
    low, high = (float(end) for end in mean_ends(mean, deviation, skewness, n, level=level))
    return Interval(
        estimate=scale * mean, low=scale * low, high=scale * high, level=level, method="t, skewness removed"
    )


def mean_ends(mean: Moments, deviation: Moments, skewness: Moments, n: float, *, level: float) -> tuple[Floats, Floats]:
    """Give the ends of many such intervals from the moments."""
    # Hall's equation is solved at both quantiles of t.
    t = -float(special.stdtrit(n - 1, (1 - level) / 2))
    step = np.asarray(deviation) / math.sqrt(n)
    # beyond this the cube root changes sign and the ends diverge: a handful of rows has all the profit
    part = np.clip(np.asarray(skewness, dtype=np.float64) / (3 * math.sqrt(n)), -0.3 / t, 0.3 / t)
    return np.minimum(mean - step * _inverse(t, part), mean), np.maximum(mean - step * _inverse(-t, part), mean)


def _inverse(t: float, part: Floats) -> Floats:
    """Solve g(T) = t."""
    # Without skewness g is the identity; dividing by it would be 0/0.
    flat = np.abs(part) < 1e-9
    safe = np.where(flat, 1.0, part)
    return np.where(flat, t, (np.cbrt(1 + 3 * safe * (t - safe / 2)) - 1) / safe)

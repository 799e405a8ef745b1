"""Intervals for one proportion and for the difference of two.

No interval leaves the range of its quantity, and each contains its estimate. Counts may be
fractional: a success rate r over n cases is ``r * n`` successes.
"""

from __future__ import annotations

import math
import numbers
from typing import Any

from scipy import special

from shiftproof.core import Interval, check_fraction, fault


def wilson(successes: float, n: float, *, level: float = 0.95, z: float | None = None) -> Interval:
    r"""Compute Wilson's score interval of a proportion.

    The ends are the rates from which the observed rate r is z standard errors away,

    .. math:: \frac{r + z^2/2n \pm z\sqrt{r(1-r)/n + z^2/4n^2}}{1 + z^2/n}.

    Parameters
    ----------
    successes : float
        The number of successes, between 0 and ``n``; may be fractional.
    n : float
        The number of cases; any positive number.
    level : float
        The nominal coverage.
    z : float, optional
        The normal quantile itself, for tables that round it; ``level`` then follows from it.

    Returns
    -------
    Interval
        With the observed rate as estimate.

    Examples
    --------
    >>> print(wilson(750, 1000, level=0.8))
    0.750 [0.732, 0.767]

    A textbook that rounds the 80% quantile to 1.28 prints, for a rate of 0.75 over 10 cases:

    >>> print(wilson(7.5, 10, z=1.28))
    0.750 [0.549, 0.881]
    """
    successes, n = _check_counts(successes, n)
    if z is None:
        z = _normal_quantile(check_fraction(level, "level", hint="0.95 means 95%"))
    else:
        z = _check_z(z)
        level = _level_of(z)
    return _around(successes / n, _wilson_ends(successes / n, n, z), level, "wilson")


def clopper_pearson(successes: float, n: float, *, level: float = 0.95) -> Interval:
    r"""Compute Clopper and Pearson's interval of a proportion, with a coverage of at least ``level``.

    With :math:`\alpha = 1 - \text{level}`, s successes of n, and B the quantile of the beta distribution,

    .. math:: [B(\alpha/2;\; s,\; n - s + 1),\quad B(1 - \alpha/2;\; s + 1,\; n - s)],

    where the low end is 0 if s = 0 and the high end 1 if s = n.

    Parameters
    ----------
    successes : float
        The number of successes, between 0 and ``n``; may be fractional.
    n : float
        The number of cases; any positive number.
    level : float
        The coverage that is guaranteed.

    Returns
    -------
    Interval
        With the observed rate as estimate.

    Examples
    --------
    >>> print(clopper_pearson(0, 10))
    0.000 [0.000, 0.308]
    """
    successes, n = _check_counts(successes, n)
    tail = (1 - check_fraction(level, "level", hint="0.95 means 95%")) / 2
    failures = n - successes
    low = float(special.betaincinv(successes, failures + 1, tail)) if successes > 0 else 0.0
    high = float(special.betainccinv(successes + 1, failures, tail)) if failures > 0 else 1.0
    return _around(successes / n, (low, high), level, "clopper-pearson")


def jeffreys(successes: float, n: float, *, level: float = 0.95) -> Interval:
    r"""Compute Jeffreys' interval of a proportion: equal posterior tails under the prior Beta(1/2, 1/2).

    With :math:`\alpha = 1 - \text{level}`, s successes of n, and B the quantile of the beta distribution,

    .. math:: [B(\alpha/2;\; s + 1/2,\; n - s + 1/2),\quad B(1 - \alpha/2;\; s + 1/2,\; n - s + 1/2)],

    where, as is usual, the low end is 0 if s = 0 and the high end 1 if s = n.

    Parameters
    ----------
    successes : float
        The number of successes, between 0 and ``n``; may be fractional.
    n : float
        The number of cases; any positive number.
    level : float
        The nominal coverage.

    Returns
    -------
    Interval
        With the observed rate as estimate.

    Examples
    --------
    >>> print(jeffreys(1, 10))
    0.100 [0.011, 0.381]
    """
    successes, n = _check_counts(successes, n)
    tail = (1 - check_fraction(level, "level", hint="0.95 means 95%")) / 2
    failures = n - successes
    low = float(special.betaincinv(successes + 0.5, failures + 0.5, tail)) if successes > 0 else 0.0
    high = float(special.betainccinv(successes + 0.5, failures + 0.5, tail)) if failures > 0 else 1.0
    return _around(successes / n, (low, high), level, "jeffreys")


def newcombe(successes_1: float, n_1: float, successes_2: float, n_2: float, *, level: float = 0.95) -> Interval:
    r"""Compute Newcombe's hybrid score interval of the difference of two independent proportions.

    With the rates :math:`r_i` and their Wilson intervals :math:`[l_i, u_i]`,

    .. math::
        r_1 - r_2 - \sqrt{(r_1 - l_1)^2 + (u_2 - r_2)^2} \quad\text{to}\quad
        r_1 - r_2 + \sqrt{(u_1 - r_1)^2 + (r_2 - l_2)^2}

    (Newcombe 1998, method 10).

    Parameters
    ----------
    successes_1, n_1 : float
        The numbers of successes and of cases in the first sample.
    successes_2, n_2 : float
        The same for the second sample.
    level : float
        The nominal coverage.

    Returns
    -------
    Interval
        The estimate is the difference, first minus second.

    Examples
    --------
    >>> print(newcombe(56, 70, 48, 80))
    0.200 [0.052, 0.334]
    """
    successes_1, n_1 = _check_counts(successes_1, n_1, "_1")
    successes_2, n_2 = _check_counts(successes_2, n_2, "_2")
    z = _normal_quantile(check_fraction(level, "level", hint="0.95 means 95%"))
    first, second = successes_1 / n_1, successes_2 / n_2
    low_1, high_1 = _wilson_ends(first, n_1, z)
    low_2, high_2 = _wilson_ends(second, n_2, z)
    difference = first - second
    low = difference - math.hypot(first - low_1, high_2 - second)
    high = difference + math.hypot(high_1 - first, second - low_2)
    return _around(difference, (low, high), level, "newcombe", least=-1.0)


def _wilson_ends(rate: float, n: float, z: float) -> tuple[float, float]:
    # A mean of the rate and 1/2 with weights n and z^2: nothing here overflows or cancels.
    weight, pull = n / (n + z * z), z * z / (n + z * z)
    centre = weight * rate + pull / 2
    half = math.sqrt(pull * (weight * rate * (1 - rate) + pull / 4))
    return min(max(centre - half, 0.0), rate), max(min(centre + half, 1.0), rate)


def _around(estimate: float, ends: tuple[float, float], level: float, method: str, *, least: float = 0.0) -> Interval:
    """Make the interval, kept within [least, 1] and around its estimate."""
    low, high = min(max(ends[0], least), estimate), max(min(ends[1], 1.0), estimate)
    return Interval(estimate=estimate, low=low, high=high, level=float(level), method=method)


def _normal_quantile(level: float) -> float:
    return -float(special.ndtri((1 - level) / 2))


def _level_of(z: float) -> float:
    return float(special.erf(z / math.sqrt(2)))


def _check_z(z: Any) -> float:
    # Beyond 8 the level is 1 to the last digit.
    if not _is_real(z) or not 0 < z <= 8:
        raise fault("z", "be a number above 0 and at most 8", z, "1.96 is the 95% quantile")
    return float(z)


def _check_counts(successes: Any, n: Any, suffix: str = "") -> tuple[float, float]:
    if not _is_real(n) or not 0 < n < math.inf:
        raise fault(f"n{suffix}", "be a positive number", n, "give the number of cases, at least one")
    # A sum of weights may exceed n by rounding; more than that is a mistake.
    if not _is_real(successes) or not 0 <= successes <= n * (1 + 1e-12):
        rule = f"lie between 0 and n{suffix} = {float(n):g}"
        raise fault(f"successes{suffix}", rule, successes, "give a count; for a rate give rate * n")
    return min(float(successes), float(n)), float(n)


def _is_real(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)

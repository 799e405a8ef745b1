"""Distances of two samples, their intervals, and the smallest distance that a test can detect."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import chdtri, chndtr, gammaln, ndtri

from shiftproof.core import Floats, Interval, check_count, check_fraction
from shiftproof.stats._null import log_binomial
from shiftproof.stats._records import ContinuousRecord, Record, require_continuous


def hellinger(record: Record) -> float:
    """Return the Hellinger distance ``sqrt(sum (sqrt p - sqrt q)^2)``, from 0 to sqrt 2.

    Numbers are counted in 30 equal-width bins over the pooled finite range; each category is a bin of its own (2007
    paper, sec. 5.3).

    Parameters
    ----------
    record : ContinuousRecord or NominalRecord
        From `compare` or a `Reference`.

    Returns
    -------
    float
        From 0 (the same shares) to sqrt 2 (nothing in common); NaN if one side has no values.

    Examples
    --------
    >>> from shiftproof.stats import compare
    >>> round(hellinger(compare(["a", "a"], ["b", "b"])), 4)
    1.4142
    """
    p, q = _binned(record)
    if not p.sum() or not q.sum():
        return math.nan
    return float(np.sqrt(np.square(np.sqrt(p / p.sum()) - np.sqrt(q / q.sum())).sum()))


def wasserstein(record: Record, *, standardized: bool = False) -> float:
    """Return Wasserstein-1, the mean distance that values move, in units of the feature.

    Parameters
    ----------
    record : ContinuousRecord
        From `compare` or a `Reference`; infinities are left out.
    standardized : bool, default False
        Whether to return the distance in standard deviations of the reference; infinite if the reference is constant
        and the current values moved.

    Returns
    -------
    float
        At least 0; NaN if one side has no finite values.

    Examples
    --------
    >>> from shiftproof.stats import compare
    >>> wasserstein(compare([0, 1, 3], [5, 6, 8]))
    5.0
    """
    record = require_continuous(record, "wasserstein")
    if not standardized or not record.w1 > 0.0:
        return record.w1
    sd = record.sd_reference
    return record.w1 / sd if sd > 0.0 else math.inf


def psi(record: Record) -> float:
    """Return the population stability index ``sum (q - p) log(q/p)``.

    Numbers are counted between the reference's deciles, categories one by one; an empty cell counts as half an
    observation.

    Parameters
    ----------
    record : ContinuousRecord or NominalRecord
        From `compare` or a `Reference`.

    Returns
    -------
    float
        At least 0; NaN if one side has no values. By convention 0.1 is a moderate change and 0.25 a large one.

    Examples
    --------
    >>> from shiftproof.stats import compare
    >>> round(psi(compare(["a"] * 50 + ["b"] * 50, ["a"] * 40 + ["b"] * 60)), 4)
    0.0405
    """
    if isinstance(record, ContinuousRecord):
        p, q = record.cells_reference, record.cells_current
    else:
        p, q = record.counts_reference, record.counts_current
    if not p.sum() or not q.sum():
        return math.nan
    p_share, q_share = np.maximum(p, 0.5) / p.sum(), np.maximum(q, 0.5) / q.sum()
    return float(((q_share - p_share) * np.log(q_share / p_share)).sum())


def ks_interval(record: Record, *, level: float = 0.95) -> Interval:
    """Return the Kolmogorov-Smirnov distance with an interval that is valid for any distribution and size.

    The interval uses the Dvoretzky-Kiefer-Wolfowitz inequality with Massart's constant for both samples. It is
    conservative, and never outside 0 to 1.

    Parameters
    ----------
    record : ContinuousRecord
        From `compare` or a `Reference`.
    level : float
        The nominal coverage.

    Returns
    -------
    Interval
        The distance D; from 0 to 1 if one side has no values.

    Examples
    --------
    >>> from shiftproof.stats import compare
    >>> print(ks_interval(compare(range(1000), range(300, 1300))))
    0.300 [0.206, 0.394]
    """
    level = check_fraction(level, "level", hint="0.95 means 95%")
    record = require_continuous(record, "ks_interval")
    if not record.n or not record.m:
        return Interval(estimate=math.nan, low=0.0, high=1.0, level=level, method="dkw")
    # Each side errs with probability (1 - level)/2: 2 exp(-2 n e^2) = (1 - level)/2.
    reach = math.log(4 / (1 - level)) / 2
    error = math.sqrt(reach / record.n) + math.sqrt(reach / record.m)
    low, high = max(record.d - error, 0.0), min(record.d + error, 1.0)
    return Interval(estimate=record.d, low=low, high=high, level=level, method="dkw")


def detectable_ks(n: int, m: int, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the smallest Kolmogorov-Smirnov distance that is detected with this power in samples of these sizes.

    The test rejects distances of at least c. At the point of the true distance d, the observed distance is normal with
    a standard deviation of at most sqrt((1 - d^2)(1/n + 1/m))/2. NaN if even complete separation is not significant.

    Parameters
    ----------
    n, m : int
        The sizes of the two samples.
    alpha : float
        The level of the test.
    power : float
        The probability of detecting a change of this size.

    Returns
    -------
    float
        A distance from 0 to 1, or NaN.

    Examples
    --------
    >>> print(f"{detectable_ks(1000, 5):.2f}, {detectable_ks(1000, 1000):.3f}")
    0.74, 0.079
    """
    n, m = check_count(n, "n", least=1), check_count(m, "m", least=1)
    alpha, power = check_fraction(alpha, "alpha"), check_fraction(power, "power", hint="0.8 means 80%")
    if _log_separation(n, m) > math.log(alpha):
        return math.nan
    effective = n * m / (n + m)
    critical = min(math.sqrt(-math.log(alpha / 2) / 2 / effective), 1.0)
    z = float(ndtri(power))

    # Negative while d is below the distance that is detected with this power.
    def short(d: float) -> float:
        return d - critical - z * math.sqrt(max(1 - d * d, 0.0) / effective) / 2

    return 1.0 if short(1.0) <= 0 else float(brentq(short, 0.0, 1.0))


def detectable_hellinger(n: int, m: int, categories: int, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the smallest Hellinger distance of categories that a chi-square test detects with this power.

    For small distances the statistic is non-central chi-square with ``4 H^2 n m/(n + m)``. NaN if even complete
    separation is not significant.

    Parameters
    ----------
    n, m : int
        The sizes of the two samples.
    categories : int
        The number of categories.
    alpha : float
        The level of the test.
    power : float
        The probability of detecting a change of this size.

    Returns
    -------
    float
        A distance from 0 to sqrt 2, or NaN.

    Examples
    --------
    >>> print(f"{detectable_hellinger(1000, 5, 3):.2f}, {detectable_hellinger(1000, 1000, 3):.3f}")
    0.70, 0.069
    """
    n, m = check_count(n, "n", least=1), check_count(m, "m", least=1)
    degrees = max(check_count(categories, "categories", least=1) - 1, 1)
    alpha, power = check_fraction(alpha, "alpha"), check_fraction(power, "power", hint="0.8 means 80%")
    if _log_separation(n, m) > math.log(alpha):
        return math.nan
    critical = float(chdtri(degrees, alpha))
    # A bracket for the root: the power rises with the non-centrality.
    top = 100.0
    while 1 - chndtr(critical, degrees, top) < power:
        top *= 2
    need = float(brentq(lambda excess: 1 - chndtr(critical, degrees, excess) - power, 0.0, top))
    return min(math.sqrt(need * (n + m) / (4 * n * m)), math.sqrt(2))


def detectable_share(n: int, m: int, share: float, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the smallest change of a share, such as that of missing values, that a test detects with this power.

    Parameters
    ----------
    n, m : int
        The sizes of the two samples.
    share : float
        The share in both samples if nothing changed.
    alpha : float
        The level of the test.
    power : float
        The probability of detecting a change of this size.

    Returns
    -------
    float
        A difference of shares from 0 to 1; NaN if even complete separation is not significant.

    Examples
    --------
    >>> print(f"{detectable_share(1000, 1000, 0.1):.3f}, {detectable_share(1000, 5, 0.1):.2f}")
    0.038, 0.38
    """
    n, m = check_count(n, "n", least=1), check_count(m, "m", least=1)
    alpha, power = check_fraction(alpha, "alpha"), check_fraction(power, "power", hint="0.8 means 80%")
    if _log_separation(n, m) > math.log(alpha):
        return math.nan
    # A share of 0 has no spread; one case among all rows is the smallest possible share.
    share = min(max(share, 1 / (n + m)), 1 - 1 / (n + m))
    reach = float(ndtri(power) - ndtri(alpha / 2))
    return min(reach * math.sqrt(share * (1 - share) * (1 / n + 1 / m)), 1.0)


def hellinger_interval(record: Record, *, level: float = 0.95) -> Interval:
    r"""Return the Hellinger distance of categories without its upward bias, with an interval.

    Counts of two samples differ by chance even if the distribution is the same: the squared distance is too large by
    about ``(k - 1)(1/n + 1/m)/4``, and by more if counts are small. The squared distance that is expected if the pooled
    counts are split at random is subtracted. The interval contains all distances h for which the estimated square is
    within z standard deviations of ``h^2``. The variance is ``h^2 (1 - h^2/4)(1/n + 1/m)``, by the delta method, plus
    ``(k - 1)(1/n + 1/m)^2/8`` for the bias. With fewer than about ten values per category, the interval is too narrow.

    Parameters
    ----------
    record : ContinuousRecord or NominalRecord
        From `compare` or a `Reference`.
    level : float
        The nominal coverage.

    Returns
    -------
    Interval
        From 0 to sqrt 2 if one side has no values.

    Examples
    --------
    >>> from shiftproof.stats import compare
    >>> print(hellinger_interval(compare(["a"] * 60 + ["b"] * 40, ["a"] * 30 + ["b"] * 70)))
    0.288 [0.179, 0.454]
    """
    level = check_fraction(level, "level", hint="0.95 means 95%")
    p, q = _binned(record)
    n, m = int(p.sum()), int(q.sum())
    if not n or not m:
        return Interval(estimate=math.nan, low=0.0, high=math.sqrt(2), level=level, method="delta, bias removed")
    used = int(((p + q) > 0).sum())
    noise = 1 / n + 1 / m
    overlap = float(np.sqrt(p / n * (q / m)).sum())
    square = 2 * _overlap_without_change(p + q, n, m) - 2 * overlap
    z_square = float(ndtri((1 + level) / 2)) ** 2
    # (square - t)^2 = z^2 (t (1 - t/4) noise + bias variance) is quadratic in t = h^2.
    lead, middle = 1 + z_square * noise / 4, 2 * square + z_square * noise
    last = square**2 - z_square * (used - 1) * noise**2 / 8
    root = math.sqrt(max(middle**2 - 4 * lead * last, 0.0))
    distance = math.sqrt(max(square, 0.0))
    low = min(math.sqrt(max((middle - root) / (2 * lead), 0.0)), distance)
    high = max(math.sqrt(min(max((middle + root) / (2 * lead), 0.0), 2.0)), distance)
    return Interval(estimate=distance, low=low, high=high, level=level, method="delta, bias removed")


def _overlap_without_change(pooled: NDArray[np.int64], n: int, m: int) -> float:
    """Return the Bhattacharyya coefficient on average if the pooled counts fall on the two samples by chance alone."""
    counts, times = np.unique(pooled[pooled > 0].astype(np.float64), return_counts=True)
    share = n / (n + m)
    spread = share * (1 - share)
    # E sqrt(X (N - X)) of X ~ Bin(N, share): second-order approximation, or the exact sum if that is too rough.
    roots = counts * math.sqrt(spread) - 1 / (8 * math.sqrt(spread))
    rough = counts * spread < 50
    near = np.floor(counts[rough, None] * share) + np.arange(-120.0, 121.0)
    inside = np.clip(near, 0, counts[rough, None])
    chance = np.where(inside == near, np.exp(log_binomial(inside, counts[rough, None], share)), 0.0)
    roots[rough] = (chance * np.sqrt(inside * (counts[rough, None] - inside))).sum(axis=1)
    return float(min((times * roots).sum() / math.sqrt(n * m), 1.0))


def _log_separation(n: int, m: int) -> float:
    """Return the log of the chance that two samples of one distribution do not overlap, 2/C(n + m, n)."""
    return math.log(2) + float(gammaln(n + 1) + gammaln(m + 1) - gammaln(n + m + 1))


def _binned(record: Record) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if isinstance(record, ContinuousRecord):
        return record.bins_reference, record.bins_current
    return record.counts_reference, record.counts_current


def skewness(values: ArrayLike) -> Floats:
    r"""Return the third standardised moment along the first axis, :math:`m_3 / m_2^{3/2}`.

    The skewness of the Hellinger distances of all features, as in `detect` and `stress`, is large if few features
    account for the change. Table 5 of Cieslak and Chawla (2007; Table 6 of 2009) has the skewness of the distances'
    means over the features by which rows were dropped.

    Parameters
    ----------
    values : array-like of shape (n,) or (n, m)
        Such as one distance per feature.

    Returns
    -------
    ndarray of shape () or (m,)
        NaN for fewer than three values, or if all are equal.

    Examples
    --------
    >>> float(skewness([0.0, 0.0, 1.0]).round(4))
    0.7071
    """
    given = np.asarray(values, dtype=np.float64)
    if len(given) < 3:
        return np.full(given.shape[1:], math.nan)
    centred = given - given.mean(axis=0)
    spread = np.abs(centred).max(axis=0)
    # Values that are nearer to each other than this differ by rounding.
    varies = spread > 1e-12 * np.abs(given).max(axis=0)
    scaled = np.divide(centred, spread, out=np.full(given.shape, math.nan), where=varies)
    return np.asarray((scaled**3).mean(axis=0) / (scaled**2).mean(axis=0) ** 1.5)

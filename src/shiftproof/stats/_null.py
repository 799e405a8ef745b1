"""Null distributions that scipy does not offer in the shape we need."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from shiftproof.core import Floats
from shiftproof.stats import _kernels

_NODES = 400
# Up to here the one-sample distribution is computed exactly; above, its expansion has five digits and mostly ten.
_FEW = 140
# Stirling's series has sixteen digits from here on.
_STIRLING = 16


def log_binomial(x: Floats, n: Floats, share: float) -> Floats:
    """Return the logarithm of the chance of x in n rows, in Loader's form (2000): large counts keep their digits.

    Examples
    --------
    >>> np.exp(log_binomial(np.array([0.0, 1.0, 2.0]), np.array(2.0), 0.25))
    array([0.5625, 0.375 , 0.0625])
    """
    factorials = _beyond_power(n) - _beyond_power(x) - _beyond_power(n - x)
    return factorials - _deviance(x, n * share) - _deviance(n - x, n * (1 - share))


def hypergeometric(x: int, total: int, row: int, column: int) -> float:
    """Return the chance of x in the corner of a table of two by two with these margins, none of which is 0.

    Examples
    --------
    >>> round(hypergeometric(1, 12, 4, 3), 6)
    0.509091
    """
    counts, rows = np.array([x, column - x, column], dtype=np.float64), np.array([row, total - row, total])
    first, second, both = log_binomial(counts, rows.astype(np.float64), column / total)
    return float(np.exp(first + second - both))


def _beyond_power(n: Floats) -> Floats:
    """Return log n! - (n log n - n)."""
    large = np.maximum(n, float(_STIRLING))
    series = np.polyval([1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12], large**-2) / large
    small = special.gammaln(n + 1) - special.xlogy(n, n) + n
    return np.where(n >= _STIRLING, np.log(2 * math.pi * large) / 2 + series, small)


def _deviance(x: Floats, mean: Floats) -> Floats:
    """Return x log(x/mean) - x + mean without subtracting large numbers."""
    beyond = (x - mean) / mean
    return np.asarray(mean * (special.xlog1py(1 + beyond, beyond) - beyond))


def ks_exact(n: int, m: int, gap: int) -> float:
    """Return P(n m D >= gap) for two samples of sizes n and m without ties.

    Equal sizes have a closed form (Gnedenko and Korolyuk), 2 sum (-1)^(k-1) C(2n, n - k h)/C(2n, n) with h = n D;
    otherwise lattice paths that leave the band are counted.
    """
    if gap <= 0:
        return 1.0
    if n != m:
        return min(float(_kernels.paths_outside(min(n, m), max(n, m), gap)), 1.0)
    h = -(-gap // n)
    k = np.arange(1, n // h + 1)
    log_ratio = 2 * special.gammaln(n + 1) - special.gammaln(n - k * h + 1) - special.gammaln(n + k * h + 1)
    terms = np.where(k % 2 == 1, 2.0, -2.0) * np.exp(log_ratio)
    return float(min(max(terms.sum(), 0.0), 1.0))


def ks_limit(n: int, d: float) -> float:
    """Return P(D_n >= d) of the one-sample statistic, as scipy's ``kstwo.sf`` does but without long sums.

    From n d^2 = 2.2 on it is twice the one-sided chance (Simard and L'Ecuyer 2011), Smirnov's sum of n terms. The terms
    are a smooth bump that is flat at both ends, so a few hundred of them, evenly spread, give the sum to all digits.
    """
    if n * d * d < 0.01:  # a smaller one has a chance of 1e-53 at most
        return 1.0
    if d < 0.5 and n * d * d < 2.2 and n > _FEW:
        return 1.0 - _pelz_good(n, d)
    if n <= _FEW:
        # scipy.stats takes half a second to import, and most samples are larger.
        from scipy.stats import kstwo

        return float(np.clip(kstwo.sf(d, n), 0.0, 1.0))
    if n <= 500 or d >= 0.5:
        return float(min(2 * special.smirnov(n, d), 1.0))
    j = (np.arange(_NODES) + 0.5) / _NODES * n * (1 - d)
    u = j / n
    # log C(n, j) by Stirling, joined with the powers to avoid subtracting large numbers
    correction = (1 / n - 1 / j - 1 / (n - j)) / 12 - (1 / n**3 - 1 / j**3 - 1 / (n - j) ** 3) / 360
    exponent = n * (u * np.log1p(d / u) + (1 - u) * np.log1p(-d / (1 - u))) - np.log(d + u) + correction
    terms = np.exp(exponent) / np.sqrt(2 * math.pi * n * u * (1 - u))
    return float(min(2 * d * terms.sum() * n * (1 - d) / _NODES, 1.0))


def _pelz_good(n: int, d: float) -> float:
    """Return P(D_n <= d) by the expansion of Pelz and Good (1976) up to n^(-3/2), in theta functions for small d."""
    z = math.sqrt(n) * d
    odd = (math.pi / 2 * (2 * np.arange(math.ceil(16 * z / math.pi) + 1) + 1)) ** 2
    even = (math.pi * np.arange(1, math.ceil(16 * z / math.pi) + 1)) ** 2
    fall, even_fall = np.exp(-odd / (2 * z**2)), np.exp(-even / (2 * z**2))
    terms = (
        (fall / z).sum(),
        ((odd - z**2) * fall / (6 * z**4)).sum(),
        ((6 * z**6 + 2 * z**4 + (2 * z**4 - 5 * z**2) * odd + (1 - 2 * z**2) * odd**2) * fall / (72 * z**7)).sum()
        - (even * even_fall / (36 * z**3)).sum(),
        (
            (5 - 30 * z**2) * odd**3
            + (212 * z**4 - 60 * z**2) * odd**2
            + (135 * z**4 - 96 * z**6) * odd
            - (30 * z**6 + 90 * z**8)
        )
        @ fall
        / (6480 * z**10)
        + ((3 * z**2 - even) * even * even_fall / (216 * z**6)).sum(),
    )
    total = sum(term / n ** (power / 2) for power, term in enumerate(terms))
    return float(np.clip(math.sqrt(2 * math.pi) * total, 0.0, 1.0))


def cvm_limit(x: float) -> float:
    """Return P(T > x) of the limiting Cramér-von Mises distribution.

    By Anderson and Darling's series (1952, eq. 4.35) below 1; above, where that loses all digits to ``1 - cdf``, by
    the first term of Smirnov's (1936), ``1/pi`` times the integral of ``2/u sqrt(-u/sin u) exp(-x u^2/2)`` from pi
    to 2 pi: the next is smaller by exp(-4 pi^2 x).
    """
    if x < 0.003:  # the probability is 1 to more digits than a double has
        return 1.0
    if x >= 1.0:
        # both ends are singular as 1/sqrt: Gauss-Chebyshev nodes take that away
        nodes = np.cos((2 * np.arange(1, _NODES + 1) - 1) * math.pi / (2 * _NODES))
        u = 1.5 * math.pi + 0.5 * math.pi * nodes
        smooth = 2 / u * np.sqrt(-u / np.sin(u) * (u - math.pi) * (2 * math.pi - u))
        return float((smooth * np.exp(-x * u**2 / 2)).sum() / _NODES)
    k = np.arange(20)
    y = 4 * k + 1
    q = y**2 / (16 * x)
    terms = np.exp(special.gammaln(k + 0.5) - special.gammaln(k + 1) - 2 * q) * np.sqrt(y) * special.kve(0.25, q)
    return float(min(max(1.0 - terms.sum() / (math.pi**1.5 * math.sqrt(x)), 0.0), 1.0))


@lru_cache(maxsize=256)
def cvm_exact(n: int, m: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the values of T and the chances P(T >= value) over all orders of two small samples without ties."""
    # T = sum over pooled points of (i m - j n)^2 / (n m (n + m)^2): add up the squares along every path
    ways: list[dict[int, int]] = [{} for _ in range(m + 1)]
    for i in range(n + 1):
        for j in range(m + 1):
            if i == 0 and j == 0:
                ways[0] = {0: 1}
                continue
            here: dict[int, int] = {}
            square = (i * m - j * n) ** 2
            for source in ([ways[j]] if i else []) + ([ways[j - 1]] if j else []):
                for total, count in source.items():
                    here[total + square] = here.get(total + square, 0) + count
            ways[j] = here
    totals = np.array(sorted(ways[m]), dtype=np.float64)
    counts = np.array([ways[m][int(total)] for total in totals], dtype=np.float64)
    tail = np.cumsum(counts[::-1])[::-1] / counts.sum()
    return totals / (n * m * (n + m) ** 2), tail


def chi_square_variance(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> float:
    """Return the variance of Pearson's statistic over all tables with these margins.

    Lewis, Saunders and Westcott (1984); the mean is (r - 1)(c - 1) N/(N - 1).
    """
    total = float(rows.sum())
    r, c = len(rows), len(columns)
    sigma_rows = (total * (1 / rows).sum() - r**2) / (total - 2)
    sigma_columns = (total * (1 / columns).sum() - c**2) / (total - 2)
    nu_rows = (r - 1) * (total - r) / (total - 1)
    nu_columns = (c - 1) * (total - c) / (total - 1)
    return float(
        2 * total / (total - 3) * (nu_rows - sigma_rows) * (nu_columns - sigma_columns)
        + total**2 / (total - 1) * sigma_rows * sigma_columns
    )

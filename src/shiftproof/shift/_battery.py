"""One test of many moments at once: every feature, the score and the whole, combined."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from shiftproof.core import Floats
from shiftproof.stats import cauchy_combination

# Traces, variances relative to the largest, and differences below these are rounding errors.
_NO_SPREAD = 1e-10
_SMALLEST_SHARE = 1e-3
_NO_DIFFERENCE = 1e-6


@dataclass(frozen=True, eq=False)
class CovariancePart:
    """Centred rows whose cross product is one part of a covariance, and the degrees of freedom behind it."""

    rows: Floats
    df: float


@dataclass(frozen=True, eq=False)
class Moments:
    """Differences of means that are zero under the null, and how they scatter.

    Parameters
    ----------
    difference : array of shape (p,)
        The differences.
    parts : sequence of CovariancePart
        The covariance of `difference` is the sum of their ``rows.T @ rows``.
    p_apart : float
        The p-value of a difference without any scatter: that of values which never overlap.
    """

    difference: Floats
    parts: Sequence[CovariancePart]
    p_apart: float

    def take(self, columns: slice) -> Moments:
        """Keep some of the columns."""
        parts = [CovariancePart(part.rows[:, columns], part.df) for part in self.parts]
        return Moments(self.difference[columns], parts, self.p_apart)

    def quadratic(self) -> float:
        """Test these columns together; see `quad`."""
        covariances = [part.rows.T @ part.rows for part in self.parts]
        covariance = np.asarray(sum(covariances))
        # Nel and van der Merwe's degrees of freedom; with one part they are its own.
        size = _size(covariance)
        spent = sum(_size(term) / part.df for term, part in zip(covariances, self.parts, strict=True))
        df = size / spent if spent > 0 else math.inf
        return quad(self.difference, covariance, df, p_apart=self.p_apart)

    def dense(self) -> float:
        """Test the plain sum of squares, which finds small changes of many columns.

        Its distribution is that of a multiple of chi-square with the same mean and variance.
        """
        rows = [part.rows for part in self.parts]
        # Of thousands of columns every copy takes a hundred megabytes: parts are neither stacked nor squared whole.
        trace = float(sum(np.einsum("ij,ij->", part, part) for part in rows))
        if trace < _NO_SPREAD:
            return math.nan
        if rows[0].shape[1] <= sum(map(len, rows)):
            square = np.asarray(sum(part.T @ part for part in rows))
        else:
            square = np.block([[part @ other.T for other in rows] for part in rows])
        scale = float((square**2).sum()) / trace
        return float(special.chdtrc(trace / scale, float((self.difference**2).sum()) / scale))


def pooled(reference: Floats, current: Floats) -> Moments:
    """Compare the means of two samples that have one covariance."""
    n, m = len(reference), len(current)
    before, after = reference.mean(axis=0), current.mean(axis=0)
    df = max(n + m - 2, 1)
    rows = np.vstack([reference, current])
    rows[:n] -= before
    rows[n:] -= after
    rows *= math.sqrt((1 / n + 1 / m) / df)
    return Moments(after - before, [CovariancePart(rows, df)], p_apart(n, m))


def p_apart(n: int, m: int) -> float:
    """Give the chance that two samples of one continuous distribution do not overlap at all."""
    log_ways = special.gammaln(n + m + 1) - special.gammaln(n + 1) - special.gammaln(m + 1)
    return float(np.exp(-min(log_ways, 700.0)))


def quad(z: Floats, covariance: Floats, df: float, *, p_apart: float = 1e-300) -> float:
    """Test whether a vector is zero, given its covariance as estimated with some degrees of freedom.

    Directions with less than a thousandth of the largest variance are left out; Hotelling's F test of the rest, or
    chi-square where there are too few degrees of freedom for it.

    Examples
    --------
    >>> round(quad(np.array([1.0, 2.0]), np.eye(2), math.inf), 6)  # chi-square 5 with 2 degrees of freedom
    0.082085
    """
    if np.trace(covariance) < _NO_SPREAD:
        return 1.0 if np.abs(z).max(initial=0.0) < _NO_DIFFERENCE else p_apart
    variances, directions = np.linalg.eigh(covariance)
    kept = variances > _SMALLEST_SHARE * variances[-1]
    k = int(kept.sum())
    statistic = float(((z @ directions[:, kept]) ** 2 / variances[kept]).sum())
    if df <= k + 2 or math.isinf(df):
        return float(special.chdtrc(k, statistic))
    return float(special.fdtrc(k, df - k + 1, statistic * (df - k + 1) / (df * k)))


def battery(moments: Moments, blocks: Sequence[slice], score: slice) -> float:
    """Combine the tests of every feature, of the score and of all features together.

    Each feature counts once, the score and the whole half as much as all features together.
    """
    d = len(blocks)
    p = [moments.take(block).quadratic() for block in blocks]
    p += [moments.take(score).quadratic(), moments.take(slice(0, score.start)).dense()]
    return cauchy_combination(p, [1.0] * d + [d / 2, d / 2])


def _size(covariance: Floats) -> float:
    return float((covariance**2).sum() + np.trace(covariance) ** 2)

"""Which mixture of the classes are the new rows? Estimated from the moments of a score, and tested on all others."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from shiftproof.core import Floats
from shiftproof.shift._battery import CovariancePart, Moments, p_apart

_ITERATIONS = 6
# Relative to the mean variance, so that collinear moments can be inverted.
_RIDGE = 1e-3
_FEWEST = 5  # rows for a covariance of their own


@dataclass(frozen=True, eq=False)
class ClassMixture:
    """The shares of the classes among the new rows.

    Parameters
    ----------
    shares : array of shape (k,)
        The estimate, on the simplex.
    unbounded : array of shape (k,)
        The estimate without the bounds; adds up to 1.
    covariance : array of shape (k, k)
        Of `unbounded`.
    weights : array of shape (k, m)
        How much each score moment adds to each share, with the shares at a bound fixed there.
    """

    shares: Floats
    unbounded: Floats
    covariance: Floats
    weights: Floats

    @property
    def errors(self) -> Floats:
        """The standard errors of the shares."""
        return np.sqrt(np.diag(self.covariance))

    def p_same(self, counts: NDArray[np.int64]) -> float:
        """Test whether the shares are those of the reference, given its class counts (Wald)."""
        p = counts / counts.sum()
        total = self.covariance + (np.diag(p) - np.outer(p, p)) / counts.sum()
        off = (self.unbounded - p)[1:]
        return float(special.chdtrc(len(off), off @ np.linalg.solve(total[1:, 1:], off)))


def estimate_mixture(reference: Floats, codes: NDArray[np.int64], current: Floats) -> ClassMixture:
    r"""Estimate the shares q of the classes from moments: the mean on the new rows is :math:`\sum_c q_c M_c`.

    Generalised least squares with the covariance :math:`C_q/n_T + \sum_c q_c^2 C_c/n_c`, where :math:`C_c` is that
    within a class and :math:`C_q` that of the mixture. It depends on q: six rounds.

    Parameters
    ----------
    reference, current : arrays of shape (n, m) and (n_T, m)
        Functions of the score.
    codes : array of shape (n,)
        The class of each reference row, 0 … k-1; every class occurs.

    Examples
    --------
    >>> score = np.array([[0.0], [0.1], [-0.1], [1.0], [0.9], [1.1]])
    >>> new = np.array([[0.0], [1.0], [1.1], [0.9], [1.0], [0.0]])
    >>> estimate_mixture(score, np.array([0, 0, 0, 1, 1, 1]), new).shares.round(3)
    array([0.333, 0.667])
    """
    counts = np.bincount(codes)
    means = class_means(reference, codes)
    target = current.mean(axis=0)
    shares = counts / len(codes)
    for _ in range(_ITERATIONS):
        covariance = np.asarray(
            sum(part.rows.T @ part.rows for part in mixture_parts(reference, codes, current, shares))
        )
        covariance += np.eye(len(covariance)) * (_RIDGE * np.trace(covariance) / len(covariance) + 1e-12)
        # Rows that turn the covariance into the identity.
        whiten = np.linalg.inv(np.linalg.cholesky(covariance))
        shares = _on_simplex(whiten @ means.T, whiten @ target)
    free, covariance = _least_squares(means, whiten, np.ones(len(counts), dtype=bool))
    unbounded = np.eye(len(counts))[0] + free @ (target - means[0])
    weights, _ = _least_squares(means, whiten, shares > 0)
    return ClassMixture(shares, unbounded, covariance, weights)


def leftover(
    reference: Floats, codes: NDArray[np.int64], current: Floats, mixture: ClassMixture, score: slice
) -> Moments:
    """Return what no mixture of the classes explains: each moment less its part in the estimated shares.

    Both tables are overwritten, because of thousands of columns every copy takes a hundred megabytes.
    """
    spill = class_means(reference, codes).T @ mixture.weights
    reference -= reference[:, score] @ spill.T
    current -= current[:, score] @ spill.T
    difference = current.mean(axis=0) - mixture.shares @ class_means(reference, codes)
    parts = mixture_parts(reference, codes, current, mixture.shares)
    return Moments(difference, parts, p_apart(len(reference), len(current)))


def class_means(rows: Floats, codes: NDArray[np.int64]) -> Floats:
    """Return the mean of each class, shape (k, p)."""
    counts = np.bincount(codes)
    member = np.zeros((len(counts), len(codes)))
    member[codes, np.arange(len(codes))] = 1.0
    return np.asarray(member @ rows / counts[:, None])


def mixture_parts(reference: Floats, codes: NDArray[np.int64], current: Floats, shares: Floats) -> list[CovariancePart]:
    """Lay out the covariance of the new rows' mean less the mixture of the class means.

    The scatter of both is taken from all rows, as in a pooled test, new rows counting as much as the others: what is
    rare may not occur among few new rows, or in a class, which then seem not to scatter at all. A class of fewer than
    five rows has no covariance of its own and takes that within all classes.
    """
    n, m = len(reference), len(current)
    counts = np.bincount(codes)
    means = class_means(reference, codes)
    between = means - shares @ means
    parts = []
    for code in np.flatnonzero(shares).tolist():
        size, share = int(counts[code]), float(shares[code])
        own, df = (codes == code, size - 1) if size >= _FEWEST else (codes >= 0, max(n - len(counts), 1))
        scale = math.sqrt((share / m + share**2 / size) / df)
        both = np.vstack([reference[own], between[code : code + 1]])
        both[:-1] -= means[code] if size >= _FEWEST else means[codes]
        both[:-1] *= scale
        both[-1] *= math.sqrt(share / m)
        both *= math.sqrt(n / (n + m))
        parts.append(CovariancePart(both, df))
    if m > 1:
        scale = math.sqrt((1 / m + float((shares**2 / counts).sum())) / (m - 1) * m / (n + m))
        scatter = current - current.mean(axis=0)
        scatter *= scale
        parts.append(CovariancePart(scatter, m - 1))
    return parts


def _least_squares(means: Floats, whiten: Floats, free: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return the weights of the moments in each share, and the shares' covariance, with those not free fixed at 0."""
    k = len(means)
    first, *others = np.flatnonzero(free).tolist()
    # From the free shares but the first to all shares.
    spread = np.zeros((k, len(others)))
    spread[others, np.arange(len(others))] = 1.0
    spread[first] = -1.0
    slope = whiten @ (means[others] - means[first]).T
    # Scores without information leave the shares open: a large variance, not a division by zero.
    covariance = np.linalg.inv(slope.T @ slope + 1e-6 * np.eye(len(others)))
    return spread @ covariance @ slope.T @ whiten, spread @ covariance @ spread.T


def _on_simplex(matrix: Floats, target: Floats) -> Floats:
    """Minimise ``|matrix @ q - target|`` over shares q."""
    # The last row makes them add up to 1; as a weight it is exact after the division.
    heavy = 1e4 * max(float(np.abs(matrix).max()), 1.0)
    rows = np.vstack([matrix, np.full((1, matrix.shape[1]), heavy)])
    shares, _ = optimize.nnls(rows, np.append(target, heavy))
    return np.asarray(shares / shares.sum())

"""Ranks of several scores at once, compared within blocks."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from shiftproof.core import Phrase, check_matrix, fault
from shiftproof.stats._result import TestResult

# Directions in which the ranks vary less than this share of the most are numerical noise.
_FLAT = 1e-9


def blocked_kruskal_wallis(
    reference: ArrayLike,
    current: ArrayLike,
    *,
    blocks_reference: ArrayLike | None = None,
    blocks_current: ArrayLike | None = None,
    inflation: float = 1.0,
) -> TestResult:
    r"""Test whether two samples of scores have the same distribution, by ranks within blocks.

    For one score and one block this is the Kruskal-Wallis test with its correction for ties. With several scores per
    row, it is Puri and Sen's test, which compares the vector of rank sums with its covariance under permutation. With
    blocks, such as rows scored by different models, rows are ranked only within their block, and the rank sums are
    added with van Elteren's weights :math:`1/(N_b + 1)`.

    Parameters
    ----------
    reference, current : array-like of shape (n,) or (n, k), and (m,) or (m, k)
        The scores, without missing values. Columns that add up to a constant, as probabilities do, are fine.
    blocks_reference, blocks_current : array-like of shape (n,) and (m,), optional
        The block of each row. Blocks that only one sample has are left out, and counted in the note.
    inflation : float, default 1
        How many times larger the variance of the reference's part is than for independent rows.

    Returns
    -------
    TestResult
        The statistic and its chi-square p-value. If all values are equal, the statistic is 0 and p is 1.

    Examples
    --------
    >>> result = blocked_kruskal_wallis([0.1, 0.2, 0.4, 0.5], [0.3, 0.6, 0.7, 0.8])
    >>> print(f"H = {result.statistic:.3f}, p = {result.p_value:.3f}")
    H = 3.000, p = 0.083
    >>> blocked_kruskal_wallis([1, 2], [3, 4], blocks_reference=[0, 1], blocks_current=[2, 2]).note
    'no block has rows of both sides'
    """
    old, new = _scores(reference, "reference"), _scores(current, "current")
    if old.shape[1] != new.shape[1]:
        hint = "pass the same scores for both"
        raise fault("current", f"have as many columns as reference, {old.shape[1]}", new.shape[1], hint)
    for side, name in ((old, "reference"), (new, "current")):
        if not len(side):
            raise fault(name, "hold at least one row", 0, "check the filter it came from")
    if not isinstance(inflation, (int, float)) or not inflation >= 1:
        raise fault("inflation", "be at least 1", inflation, "1 stands for independent rows")
    old_blocks, new_blocks = (
        _blocks(blocks_reference, len(old), "reference"),
        _blocks(blocks_current, len(new), "current"),
    )
    from scipy.stats import rankdata

    total = np.zeros(old.shape[1])
    covariance = np.zeros((old.shape[1], old.shape[1]))
    shared, left_out = np.intersect1d(old_blocks, new_blocks), len(old) + len(new)
    for block in shared:
        left, right = old[old_blocks == block], new[new_blocks == block]
        n, m = len(left), len(right)
        left_out -= n + m
        ranks = (rankdata(np.concatenate([left, right]), axis=0) - (n + m + 1) / 2) / (n + m + 1)
        total += ranks[n:].sum(axis=0)
        # under permutation the rank sum varies by n m / N / (N - 1) times the sum of squares: of it m/N by the
        # reference's part, which is inflated, and n/N by the current one's
        squares = ranks.T @ ranks
        covariance += n * m / (n + m) / (n + m - 1) * squares * (n + m * inflation) / (n + m)
    if not len(shared):
        return TestResult(statistic=0.0, p_value=1.0, method="none", note="no block has rows of both sides")
    statistic, df = _quadratic(total, covariance)
    method = "Kruskal-Wallis" if old.shape[1] == 1 else f"Puri-Sen, {df} degrees of freedom"
    if len(shared) > 1:
        method += f", within {len(shared)} blocks"
    note = f"{left_out} rows left out because their block has only one side" if left_out else ""
    if not df:
        return TestResult(statistic=0.0, p_value=1.0, method=method, note="all scores are equal")
    return TestResult(statistic=statistic, p_value=float(special.chdtrc(df, statistic)), method=method, note=note)


def _scores(values: ArrayLike, name: str) -> NDArray[np.float64]:
    array = np.asarray(values)
    return check_matrix(array[:, None] if array.ndim == 1 else values, name)


def _blocks(values: ArrayLike | None, rows: int, side: str) -> NDArray[np.int64]:
    if values is None:
        return np.zeros(rows, dtype=np.int64)
    array = np.asarray(values)
    if array.shape != (rows,):
        raise fault(
            f"blocks_{side}", f"have one value per row, {rows}", Phrase(f"shape {array.shape}"), "align the two"
        )
    return array


def _quadratic(total: NDArray[np.float64], covariance: NDArray[np.float64]) -> tuple[float, int]:
    """Return the squared length of `total` in units of its covariance, and over how many dimensions."""
    values, vectors = np.linalg.eigh(covariance)
    used = values > max(_FLAT * float(values.max(initial=0.0)), math.ulp(0.0))
    along = vectors[:, used].T @ total
    return float((along**2 / values[used]).sum()), int(used.sum())

"""Rows of a period that resemble each other say less than independent ones: by how much, from the reference."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtri

#: Fewer periods say too little about how much they differ.
LEAST_PERIODS = 10
_CAUTION = 0.9


def design_effect(values: ArrayLike, periods: ArrayLike) -> tuple[float, float]:
    """Measure by how much the periods of the reference differ, compared with independent rows.

    Parameters
    ----------
    values : array, shape (m,)
        A column's values in the reference as numbers, or the cells of categories; NaN is left out.
    periods : array, shape (m,)
        The period of each row: anything that can be sorted.

    Returns
    -------
    effect : float
        The design effect, at least 1: an upper limit, at 90%, of the variance of a period's mean rank (and of its
        spread) as a multiple of that of independent rows. It is 1 with fewer than ten periods.
    mean_period : float
        The mean number of rows in a period.
    """
    numbers = np.asarray(values, dtype=np.float64)
    labels, codes = np.unique(np.asarray(periods)[~np.isnan(numbers)], return_inverse=True)
    numbers = numbers[~np.isnan(numbers)]
    sizes = np.bincount(codes).astype(np.float64)
    if len(labels) < LEAST_PERIODS:
        return 1.0, float(sizes.mean()) if len(sizes) else 0.0
    _, place, times = np.unique(numbers, return_inverse=True, return_counts=True)
    u = ((np.cumsum(times) - times / 2) / len(numbers))[place]  # mid-ranks
    ratios = [_variance_ratio(f, codes, sizes) for f in (2 * u - 1, 6 * u**2 - 6 * u + 1)]
    freedom = len(labels) - 1
    # The 10% point of chi-square: the ratio of independent rows is chi-square over its degrees of freedom.
    return max(1.0, max(ratios) * freedom / float(chdtri(freedom, _CAUTION))), float(sizes.mean())


def _variance_ratio(f: NDArray[np.float64], codes: NDArray[np.intp], sizes: NDArray[np.float64]) -> float:
    """Return the variance between periods over that of independent rows."""
    variance = float(f.var())
    if variance <= 0:
        return 0.0
    means = np.bincount(codes, f) / sizes
    return float(np.sum(sizes * (means - f.mean()) ** 2) / (len(sizes) - 1) / variance)


def effect_of_batch(effect: NDArray[np.float64], mean_period: float | None, rows: int) -> NDArray[np.float64]:
    """Return the design effect of a batch: it grows with batches that are larger than the reference's periods."""
    if mean_period is None or rows <= mean_period:
        return effect
    return 1 + (effect - 1) * rows / mean_period

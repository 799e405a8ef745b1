"""Rows of a period that resemble each other say less than independent ones: by how much, from the reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtri

#: Fewer periods say too little about how much they differ.
LEAST_PERIODS = 10
_CAUTION = 0.9
# Variances below this are rounding errors.
_NO_SPREAD = 1e-12

Floats = NDArray[np.float64]


def design_effect(
    values: ArrayLike, periods: ArrayLike, *, nominal: bool = False, seasons: NDArray[np.int64] | None = None
) -> tuple[float, float]:
    """Measure by how much the periods of the reference differ, compared with independent rows.

    Parameters
    ----------
    values : array, shape (m,)
        A column's values in the reference as numbers, or the cells of categories; NaN is missing.
    periods : array, shape (m,)
        The period of each row: anything that can be sorted.
    nominal : bool, default False
        Whether values are categories, each of which can be more frequent in some periods.
    seasons : array of int, shape (m,), optional
        The season of each row: only differences beyond those of seasons count.

    Returns
    -------
    effect : float
        The design effect, at least 1: an upper limit, at 90%, of the variance of a period's mean rank, of its spread,
        of its missing share and of its share of each category, as a multiple of that of independent rows. It is 1 with
        fewer than ten periods.
    mean_period : float
        The mean number of rows with a value in a period.
    """
    numbers, labels = np.asarray(values, dtype=np.float64), np.asarray(periods)
    missing = np.isnan(numbers)
    sizes = np.unique(labels[~missing], return_counts=True)[1]
    of_rows = np.zeros(len(labels), np.int64) if seasons is None else seasons
    effects = [
        _effect([missing], labels, of_rows),
        _effect(_functions(numbers[~missing], len(sizes), nominal), labels[~missing], of_rows[~missing]),
    ]
    return max(effects), float(sizes.mean()) if len(sizes) else 0.0


def _functions(numbers: Floats, n_periods: int, nominal: bool) -> Iterator[NDArray[Any]]:
    """Yield the functions of values whose means are compared: ranks and their spread, and single categories."""
    _, place, times = np.unique(numbers, return_inverse=True, return_counts=True)
    u = ((np.cumsum(times) - times / 2) / max(len(numbers), 1))[place]  # mid-ranks
    yield from (2 * u - 1, 6 * u**2 - 6 * u + 1)
    if nominal:
        # A level with less than one row a period says too little about how much periods differ.
        yield from (place == level for level in np.flatnonzero(times >= n_periods))


def _effect(functions: Iterable[NDArray[Any]], periods: NDArray[Any], seasons: NDArray[np.int64]) -> float:
    """Return an upper limit of the variance of periods' means, as a multiple of that of independent rows."""
    codes, sizes = np.unique(periods, return_inverse=True, return_counts=True)[1:]
    season, times = np.unique(seasons, return_inverse=True, return_counts=True)[1:]
    freedom = period_freedom(codes, season)
    if freedom < LEAST_PERIODS - 1:
        return 1.0
    within = (f - (np.bincount(season, f) / times)[season] for f in functions)
    varying = (f for f in within if f.var() > _NO_SPREAD)
    squares = [float(np.sum(sizes * (np.bincount(codes, f) / sizes) ** 2) / f.var()) for f in varying]
    # The 10% point of chi-square: for independent rows the sum of squares is about chi-square.
    return max(1.0, max(squares, default=0.0) / float(chdtri(freedom, _CAUTION)))


def period_freedom(periods: NDArray[np.int64], seasons: NDArray[np.int64]) -> int:
    """Return how many periods say by how much periods differ, beyond those that show the mean of each season.

    Parameters
    ----------
    periods, seasons : array of int, shape (m,)
        The period and the season of each row.

    Examples
    --------
    >>> weeks, days = np.repeat(np.arange(14), 10) // 7, np.repeat(np.arange(14), 10)
    >>> period_freedom(days, days % 7), period_freedom(weeks, days % 7)
    (7, 1)
    """
    n_periods, n_seasons = len(np.unique(periods)), len(np.unique(seasons))
    pairs = np.unique(periods * (int(seasons.max(initial=0)) + 1) + seasons)
    # Where a period lies within one season, the mean of each season is estimated from its periods.
    nested = len(pairs) == n_periods
    return n_periods - (n_seasons if nested else 1)


def effect_of_batch(effect: NDArray[np.float64], mean_period: float | None, rows: int) -> NDArray[np.float64]:
    """Return the design effect of a batch: it grows with batches that are larger than the reference's periods."""
    if mean_period is None or rows <= mean_period:
        return effect
    return 1 + (effect - 1) * rows / mean_period

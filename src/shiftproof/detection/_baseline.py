"""The Hellinger distances that chance alone gives."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shiftproof.stats import NominalRecord, Record, skewness

# Few, because this costs as much as the records of small tables; the 95% quantile then rests on ten draws.
_DRAWS = 200
# Of very many features the means hardly vary, and fewer draws do: draws times features.
_MOST_DRAWS, _FEWEST_DRAWS = 200_000, 40
# Draws times categories of one feature, so that a column of a million categories takes a second and not an hour.
_MOST_CELLS = 10_000_000


@dataclass(frozen=True, kw_only=True)
class HellingerBaseline:
    """The mean Hellinger distance over the features, and its skew, between two samples of the reference itself.

    Attributes
    ----------
    mean : float
        The average at these numbers of rows.
    high : float
        Exceeded in one of twenty draws, features drawn independently.
    skew : float
        The skewness of the distances over the features, on average.
    """

    mean: float
    high: float
    skew: float


def hellinger_baseline(records: Iterable[Record], rng: np.random.Generator) -> HellingerBaseline:
    """Draw both samples from each feature's reference shares, as often as 200 times, and compare them."""
    compared = [record for record in records if record.n and record.m]
    times = int(np.clip(_MOST_DRAWS // max(len(compared), 1), _FEWEST_DRAWS, _DRAWS))
    draws = [_distances(record, times, rng) for record in compared]
    if not draws:
        return HellingerBaseline(mean=math.nan, high=math.nan, skew=math.nan)
    distances = np.array(draws)
    means = distances.mean(axis=0)
    skews = skewness(distances)
    skews = skews[~np.isnan(skews)]
    return HellingerBaseline(
        mean=float(means.mean()),
        high=float(np.quantile(means, 0.95)),
        skew=float(skews.mean()) if len(skews) else math.nan,
    )


def _distances(record: Record, draws: int, rng: np.random.Generator) -> NDArray[np.float64]:
    counts = record.counts_reference if isinstance(record, NominalRecord) else record.bins_reference
    counts = counts[counts > 0]
    if len(counts) < 2:
        return np.zeros(draws)
    shares = counts / counts.sum()
    # Counts are drawn instead of rows, so the cost does not grow with the tables; two draws at least, for a spread.
    times = min(draws, max(_MOST_CELLS // len(counts), 2))
    old = rng.multinomial(record.n, shares, size=times) / record.n
    new = rng.multinomial(record.m, shares, size=times) / record.m
    drawn = np.sqrt(((np.sqrt(old) - np.sqrt(new)) ** 2).sum(axis=1))
    # Fewer draws are repeated, so that all features have the same number.
    return np.resize(drawn, draws)

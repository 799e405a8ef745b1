"""Streams with seasons, on the monitor's own alarms: every stream is a column, and its mean differs between seasons.

`monitor_tables.py` prints the tables; the tests run the same simulations, shorter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from benchmarks.monitor_streams import ALPHA, Floats, Ints, Rng, count_rows, delay, number_edges
from numpy.typing import NDArray

from shiftproof.monitoring.alarms import N_CUTS, Alarms, BatchFacts, CellPlan, Level, State
from shiftproof.monitoring.alarms._seasons import SeasonalMaterial

Flags = NDArray[np.bool_]
LEVELS: tuple[Level, ...] = ("changed", "material")
#: The logarithm of the evidence that raises the alarm of a column that is watched alone.
LIMITS = {"changed": np.log(1 / ALPHA), "material": np.log(2 / ALPHA)}


@dataclass(frozen=True)
class SeasonStreams:
    """Streams of one column each, whose mean differs between seasons.

    Attributes
    ----------
    means : array, shape (seasons,)
        The mean of each season.
    bounds, cuts : array, shape (S, E) and (S, 31)
        The largest value of each cell, and the quantiles of the reference.
    alarms : Alarms
        In which every stream is a column.
    """

    means: Floats
    bounds: Floats
    cuts: Floats
    alarms: Alarms

    @classmethod
    def of(
        cls, means: Floats, *, streams: int, m: int, rng: Rng, seasonal: bool = True, share: float = 1.0
    ) -> SeasonStreams:
        """Draw references of m rows of each season, and cut all of its rows into cells.

        With a share of alpha, as segments have it, the error of the reference gets that share, too.
        """
        season = np.repeat(np.arange(len(means)), m)
        values = rng.normal(means[season], 1, (streams, len(season)))
        part = rng.permuted(np.tile(np.arange(len(season)) < len(season) // 4, (streams, 1)), axis=1)
        edges = [number_edges(row[inside]) for row, inside in zip(values, part, strict=True)]
        width = min(map(len, edges))
        bounds = np.array([row[:width] for row in edges])
        ordered = np.sort(values, axis=1)
        cuts = ordered[:, -(-np.arange(1, N_CUTS + 1) * len(season) // (N_CUTS + 1)) - 1]
        rows = [season == number for number in range(len(means))]
        by_season = [_plans(values, part, bounds, cuts, own) for own in rows]
        whole = _plans(values, part, bounds, cuts, season >= 0)
        alarms = Alarms.of(whole, alpha=ALPHA, seasons=by_season if seasonal else ())
        # Every stream is watched alone: the error of its reference is not shared with the others.
        material = SeasonalMaterial(by_season if seasonal else [whole], share * ALPHA * streams)
        return cls(means, bounds, cuts, replace(alarms, material=material))

    def step(self, state: State, number: int, rows: Ints, shift: float, rng: Rng) -> tuple[State, dict[Level, Floats]]:
        """Add a batch with so many rows of each season; return the logarithms of each stream's evidence."""
        season = np.repeat(np.arange(len(self.means)), rows)
        return self.add(state, number, rng.normal(self.means[season] + shift, 1, (len(self.bounds), len(season))), rows)

    def add(self, state: State, number: int, values: Floats, rows: Ints) -> tuple[State, dict[Level, Floats]]:
        """Add a batch of given values, those of each season one after another."""
        season = np.repeat(np.arange(len(self.means)), rows)
        pieces = {s: tuple(_counted(values[:, season == s], self.bounds)) for s in np.flatnonzero(rows).tolist()}
        below = np.cumsum(_counted(values, self.cuts)[:, 1:-1], axis=1)
        facts = BatchFacts(
            n=len(season),
            counts=tuple(_counted(values, self.bounds)),
            below=tuple(below),
            seasons=pieces if len(self.alarms.changed) > 1 else {},
        )
        state, reading = self.alarms.step(state, facts, str(number))
        return state, {level: np.array([*reading.columns[level].values()]) for level in LEVELS}


def _counted(values: Floats, bounds: Floats) -> Ints:
    counts = np.zeros((len(values), bounds.shape[1] + 2), np.int64)
    count_rows(values, bounds, counts)
    return counts


def _plans(values: Floats, part: Flags, bounds: Floats, cuts: Floats, own: Flags) -> dict[str, CellPlan]:
    inside = [_counted(np.where(side[:, own], values[:, own], np.inf), bounds) for side in (part, ~part)]
    # Rows of the other side were put into the last cell.
    outside = [np.sum(~side[:, own], axis=1) for side in (part, ~part)]
    for counts, others in zip(inside, outside, strict=True):
        counts[:, -1] -= others
    below = np.cumsum(_counted(values[:, own], cuts)[:, 1:-1], axis=1)
    return {
        str(stream): CellPlan(kind="number", part=a, pool=b, reference=a + b, cuts=c)
        for stream, (a, b, c) in enumerate(zip(*inside, below, strict=True))
    }


def season_rows(number: int, seasons: int, n: int, span: int) -> Ints:
    """Return the rows of each season of a batch: it begins with season `number` and has `span` of them."""
    rows = np.zeros(seasons, np.int64)
    np.add.at(rows, (number * span + np.arange(n) * span // n) % seasons, 1)
    return rows


def alarms_by_season(
    seasons: int,
    *,
    streams: int,
    batches: int,
    n: int = 100,
    m: int = 100,
    span: int = 1,
    shift: float = 0.0,
    start: int = 0,
    seasonal: bool = True,
) -> dict[Level, Ints]:
    """Return the first batch at which each stream alarms, by level; 0 for none.

    Parameters
    ----------
    seasons : int
        How many, with means from -1 to 1 standard deviations.
    streams, batches : int
        How many streams of how many batches.
    n, m : int
        Rows of a batch, and reference rows of each season.
    span : int
        How many seasons a batch has.
    shift, start : float, int
        By how much the mean changes with which batch.
    seasonal : bool
        Whether the alarms know of seasons.
    """
    rng = np.random.default_rng((seasons, span, start))
    means = np.sin(2 * np.pi * np.arange(seasons) / seasons)
    made = SeasonStreams.of(means, streams=streams, m=m, rng=rng, seasonal=seasonal)
    state, first = made.alarms.start(), {level: np.zeros(streams, np.int64) for level in LEVELS}
    for number in range(1, batches + 1):
        rows = season_rows(number, seasons, n, span)
        state, evidence = made.step(state, number, rows, shift if number > start else 0.0, rng)
        for level in LEVELS:
            first[level][(evidence[level] >= LIMITS[level]) & (first[level] == 0)] = number
        if shift and all(np.all(alarms > 0) for alarms in first.values()):
            break
    return first


def delay_by_season(
    seasons: int, *, start: int, shift: float, level: Level = "changed", **size: Any
) -> tuple[float, float]:
    """Return median and 90% point of the batches from a change to the alarm, of streams that were quiet before."""
    first = alarms_by_season(seasons, shift=shift, start=start, **size)[level]
    quiet = (first == 0) | (first > start)
    return delay(np.where(first > start, first - start, 0), quiet)

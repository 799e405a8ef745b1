"""Streams of batches on the monitor's own alarms: how they are drawn, cut into cells and stepped.

Every stream is a column of its own, so that thousands of them step at once. Given its reference, a stream's counts
are multinomial with probabilities that are known, so that batches of any size cost the same. Only dependent rows and
correlated features are drawn row by row. The simulations are in `monitor_delays.py` (*changed*) and
`monitor_paging.py` (*material*, *harm*), the tables in `monitor_tables.py`. The tests run the same simulations,
shorter in the suite and at full length in `make soak`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.signal import lfilter
from scipy.special import ndtr

from shiftproof.monitoring.alarms import CellPlan
from shiftproof.monitoring.alarms._changed import ChangedBets
from shiftproof.monitoring.alarms._evidence import Mode
from shiftproof.monitoring.alarms._material import MaterialBets

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Rng = np.random.Generator
Kind = Literal["number", "category"]
PARTS, N_CUTS, MOST_LEVELS = 16, 31, 62
ALPHA, RUN_LENGTH = 0.05, 1000
MODES: tuple[Mode, ...] = ("ever", "run length")


@dataclass(frozen=True)
class Normal:
    """Normal values, some of them missing; the mean may differ between streams, shape (S, 1)."""

    mean: float | Floats = 0.0
    sd: float = 1.0
    missing: float = 0.0

    def draw(self, rng: Rng, shape: tuple[int, ...]) -> Floats:
        """Draw rows."""
        return _with_gaps(rng, rng.normal(self.mean, self.sd, shape), self.missing)

    def below(self, edges: Floats) -> Floats:
        """Return the probability of a value up to each edge."""
        return np.asarray(ndtr((edges - self.mean) / self.sd))


@dataclass(frozen=True)
class Steps:
    """The values 0, 1, 2, ... with given probabilities, some missing."""

    shares: tuple[float, ...]
    missing: float = 0.0

    def draw(self, rng: Rng, shape: tuple[int, ...]) -> Floats:
        """Draw rows."""
        values = np.searchsorted(np.cumsum(self.shares)[:-1], rng.uniform(size=shape), side="right")
        return _with_gaps(rng, values.astype(np.float64), self.missing)

    def below(self, edges: Floats) -> Floats:
        """Return the probability of a value up to each edge."""
        total = np.concatenate([[0.0], np.cumsum(self.shares)])
        return np.asarray(total[np.searchsorted(np.arange(len(self.shares)), edges, side="right")])

    def plus(self, level: int, more: float) -> Steps:
        """Return the same with more of one level."""
        shares = np.array(self.shares) * (1 - more)
        shares[level] += more
        return Steps(tuple(shares.tolist()), self.missing)


Source = Normal | Steps
#: The columns of the table of quiet streams: the source, the reference's rows, and what the column holds.
LEVELS_500 = Steps((*(np.arange(1, 501) ** -0.8 / np.sum(np.arange(1, 501) ** -0.8)).tolist(), 0.0))
QUIET: dict[str, tuple[Source, int, Kind]] = {
    "normal": (Normal(), 1000, "number"),
    "5 tied values": (Steps((0.3, 0.25, 0.2, 0.15, 0.1)), 1000, "number"),
    "two-valued, 2%": (Steps((0.98, 0.02)), 1000, "number"),
    "two-valued, 1%": (Steps((0.99, 0.01)), 1000, "number"),
    "two-valued, 0.5%": (Steps((0.995, 0.005)), 1000, "number"),
    "30% missing": (Normal(missing=0.3), 1000, "number"),
    "500 levels": (LEVELS_500, 2000, "category"),
}


def _with_gaps(rng: Rng, values: Floats, missing: float) -> Floats:
    return np.where(rng.uniform(size=values.shape) < missing, np.nan, values) if missing else values


def number_edges(part: Floats) -> Floats:
    """Return the largest value of each cell but the last, as a baseline places them."""
    ordered = np.sort(part[~np.isnan(part)])
    n = len(ordered)
    distinct, times = np.unique(ordered, return_counts=True)
    frequent = distinct[times * PARTS >= n]
    quantiles = ordered[-(-np.arange(1, PARTS) * n // PARTS) - 1]
    edges: Floats = np.unique(np.concatenate([quantiles, frequent, np.nextafter(frequent, -np.inf)]))
    filled = np.diff(np.searchsorted(ordered, edges, side="right"), prepend=-1) > 0
    kept: Floats = edges[filled & ~((edges == ordered[-1]) & ~np.isin(edges, frequent))]
    return kept


def level_cells(counts: Ints) -> Ints:
    """Return the cell of each level, given its counts in part A: 0 is missing, then by rising share."""
    frequent = [int(level) for level in np.argsort(-counts, kind="stable") if counts[level] >= 5][:MOST_LEVELS]
    # Keys: -2 for levels that part A does not have, -1 for its rare ones.
    sizes = [(0, -2), (int(counts.sum() - counts[frequent].sum()), -1)]
    ordered = sorted(sizes + [(int(counts[level]), level) for level in frequent])
    place = {key: number for number, (_, key) in enumerate(ordered, 1)}
    cells = np.where(counts > 0, place[-1], place[-2])
    cells[frequent] = [place[level] for level in frequent]
    return cells


@dataclass(frozen=True)
class Streams:
    """Streams of one column each: their plans, and where values lie.

    Attributes
    ----------
    plans : list of CellPlan
        One for each stream.
    bounds : array, shape (S, E)
        For numbers, the largest value of each cell, padded with infinity; for categories, the cell of each level.
    cuts : array, shape (S, 31)
        For numbers, the quantiles of the reference.
    """

    plans: list[CellPlan]
    bounds: NDArray[Any]
    cuts: Floats

    @classmethod
    def of(cls, reference: Floats, rng: Rng, kind: Kind = "number", levels: int = 0) -> Streams:
        """Cut references, shape (S, m), into cells."""
        m = reference.shape[1]
        size = max(50, m // 4 if kind == "number" else m // 2)
        inside = rng.permuted(np.tile(np.arange(m) < size, (len(reference), 1)), axis=1)
        made = [
            _number_plan(values, part) if kind == "number" else _category_plan(values, part, levels)
            for values, part in zip(reference, inside, strict=True)
        ]
        plans, bounds, cuts = zip(*made, strict=True)
        width = max(map(len, bounds))
        padded = [
            np.concatenate([b, np.full(width - len(b), np.inf, b.dtype)]) if len(b) < width else b for b in bounds
        ]
        return cls(list(plans), np.array(padded), np.array(cuts))

    @classmethod
    def like(cls, source: Source, count: int, m: int, rng: Rng, kind: Kind = "number") -> Streams:
        """Draw and cut references of m rows from a source."""
        return cls.of(source.draw(rng, (count, m)), rng, kind, len(getattr(source, "shares", ())))

    @property
    def widths(self) -> Ints:
        """The number of cells of each stream."""
        return np.array([len(plan.part) for plan in self.plans])

    @property
    def by_name(self) -> dict[str, CellPlan]:
        """The plans with names, as alarms take them."""
        return {str(number): plan for number, plan in enumerate(self.plans)}

    def shares(self, source: Source) -> Floats:
        """Return the probability of each cell, shape (S, K), padded with 0."""
        if self.plans[0].kind == "number":
            present = np.diff(source.below(self.bounds), axis=1, prepend=0.0, append=1.0) * (1 - source.missing)
            return np.concatenate([np.full((len(present), 1), source.missing), present], axis=1)
        shares = np.zeros((len(self.plans), int(self.widths.max())))
        for row, cells in zip(shares, self.bounds, strict=True):
            row[: cells.max() + 1] = np.bincount(cells, getattr(source, "shares", None))
        return shares

    def flat(self, counts: Ints) -> Ints:
        """Return padded counts one stream after another."""
        return counts[np.arange(counts.shape[1]) < self.widths[:, None]]

    def count(self, values: Floats) -> Ints:
        """Count rows, shape (S, n), in the cells of numbers, one stream after another."""
        counts = np.zeros((len(values), self.bounds.shape[1] + 2), np.int64)
        count_rows(values, self.bounds, counts)
        return self.flat(counts)


def _number_plan(values: Floats, part: NDArray[np.bool_]) -> tuple[CellPlan, Floats, Floats]:
    present = np.sort(values[~np.isnan(values)])
    cuts = present[-(-np.arange(1, N_CUTS + 1) * len(present) // (N_CUTS + 1)) - 1]
    edges = number_edges(values[part])
    cells = np.where(np.isnan(values), 0, 1 + np.searchsorted(edges, values, side="left"))
    below = np.searchsorted(present, cuts, side="right")
    return _plan("number", cells, part, len(edges) + 2, below), edges, cuts


def _category_plan(values: Floats, part: NDArray[np.bool_], levels: int) -> tuple[CellPlan, Ints, Floats]:
    codes = values.astype(np.int64)
    cell_of = level_cells(np.bincount(codes[part], minlength=levels))
    width = int(max(2, cell_of.max())) + 1
    return _plan("category", cell_of[codes], part, width, None), cell_of, np.empty(0)


def _plan(kind: Kind, cells: Ints, part: NDArray[np.bool_], width: int, cuts: Ints | None) -> CellPlan:
    counts = [np.bincount(cells[rows], minlength=width) for rows in (part, ~part)]
    return CellPlan(kind=kind, part=counts[0], pool=counts[1], reference=counts[0] + counts[1], cuts=cuts)


@njit()  # without a cache on disk, which would remember one of the two names that this module is imported by
def count_rows(values: Floats, bounds: Floats, counts: Ints) -> None:
    """Count rows in cells, where NaN is the first cell."""
    for stream in range(len(values)):
        for value in values[stream]:
            if value == value:
                counts[stream, 1 + np.searchsorted(bounds[stream], value)] += 1
            else:
                counts[stream, 0] += 1


@dataclass
class Stepping:
    """The evidence of change of all streams, batch by batch."""

    bets: ChangedBets
    mode: Mode = "ever"
    effect: Callable[[int], Floats] = lambda _: np.ones(1)
    batch: int = 0
    arrays: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.arrays = self.arrays or self.bets.begin()

    def step(self, counts: Ints, rng: Rng, n: int = 0) -> Floats:
        """Add a batch, counts one stream after another; return the logarithm of each stream's evidence."""
        return self.bet(counts, rng, n)[0]

    def bet(self, counts: Ints, rng: Rng, n: int = 0) -> tuple[Floats, Floats]:
        """Add a batch; return the logarithms of the evidence and of all bets."""
        self.batch += 1
        uniforms = rng.uniform(size=int(self.bets.n_values.sum()))
        log_e = self.bets.join(*self.bets.bet(self.arrays, counts, uniforms, self.effect(n)))
        self.arrays["changed"] = self.bets.experts.grow(self.arrays["changed"], log_e, self.batch, self.mode)
        return self.bets.experts.evidence(self.arrays["changed"], self.batch, self.mode), log_e

    def copy(self) -> Stepping:
        """Return a copy that can go another way."""
        return Stepping(self.bets, self.mode, self.effect, self.batch, dict(self.arrays))


def first_alarms(step: Callable[[int], Floats], batches: int, limit: float) -> Ints:
    """Step through batches and return the first at which each stream reaches the limit, or 0."""
    first = np.zeros(0, np.int64)
    for batch in range(1, batches + 1):
        above = step(batch) >= math.log(limit)
        first = first if len(first) else np.zeros(len(above), np.int64)
        first[above & (first == 0)] = batch
        if np.all(first > 0):
            break
    return first


def delay(first: Ints, keep: NDArray[np.bool_] | None = None) -> tuple[float, float]:
    """Return the median and the 90% point of delays, infinite where there was no alarm."""
    late = np.where(first == 0, np.inf, first)[slice(None) if keep is None else keep]
    return float(np.quantile(late, 0.5, method="higher")), float(np.quantile(late, 0.9, method="higher"))


def false_share(first: Ints) -> float:
    """Return the share of streams with an alarm."""
    return float(np.mean(first > 0))


@dataclass
class MaterialStepping:
    """The evidence of material distance of all streams, batch by batch."""

    bets: MaterialBets
    arrays: dict[str, Any]
    effect: Floats
    widths: Ints
    batch: int = 0

    @classmethod
    def of(cls, cut: Streams, effect: Floats | None = None) -> MaterialStepping:
        """Prepare streams, each of which is watched alone: the level is not shared."""
        bets = MaterialBets(cut.by_name, ALPHA * len(cut.plans))
        return cls(bets, dict(bets.begin()), np.ones(len(cut.plans)) if effect is None else effect, cut.widths)

    def step(self, counts: Ints, below: Ints, n: int, rng: Rng) -> Floats:
        """Add a batch: counts of categories or rows up to the cuts; return the logarithm of each stream's evidence."""
        self.batch += 1
        streams = len(self.effect)
        by_stream = [row[:width] for row, width in zip(counts, self.widths, strict=True)]
        split = rng.uniform(size=int(self.bets.n_uniforms.sum()))
        levels = self.bets.bet(self.arrays, by_stream, split).ravel()
        none = np.zeros(streams, np.int64)
        log_e = self.bets.join(below, none, np.full(streams, n), levels)
        log_e = log_e / np.repeat(self.effect, np.diff(self.bets.experts.starts))
        self.arrays["material"] = self.bets.experts.grow(self.arrays["material"], log_e, self.batch, "ever")
        return self.bets.experts.evidence(self.arrays["material"], self.batch, "ever")


def autoregressive(rng: Rng, last: Floats, n: int) -> Floats:
    """Draw the next rows of AR(1) streams with coefficient 0.5 and variance 1."""
    noise = math.sqrt(0.75) * rng.normal(size=(len(last), n))
    return np.asarray(lfilter([1.0], [1.0, -0.5], noise, axis=1, zi=0.5 * last[:, None])[0])

"""Streams of batches on the monitor's own alarms: how often they are false, and how late they come.

Every stream is a column of its own, so that thousands of them step at once. Given its reference, a stream's counts
are multinomial with probabilities that are known, so that batches of any size cost the same. Only dependent rows and
correlated features are drawn row by row. `monitor.py` prints the tables; the tests run the same simulations, shorter
in the suite and at full length in `make soak`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.signal import lfilter
from scipy.special import ndtr, ndtri

from shiftproof.monitoring.alarms import CellPlan, design_effect
from shiftproof.monitoring.alarms._changed import ChangedBets
from shiftproof.monitoring.alarms._changepoint import begin_range
from shiftproof.monitoring.alarms._dependence import effect_of_batch
from shiftproof.monitoring.alarms._evidence import Experts, Mode, blame, log_mean
from shiftproof.monitoring.alarms._harm import Bias, HarmBets, bet_on_estimate, bet_on_labels
from shiftproof.monitoring.alarms._material import MaterialBets

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Rng = np.random.Generator
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
QUIET: dict[str, tuple[Source, int, Literal["number", "category"]]] = {
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
    def of(
        cls, reference: Floats, rng: Rng, kind: Literal["number", "category"] = "number", levels: int = 0
    ) -> Streams:
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
        _count(values, self.bounds, counts)
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


def _plan(
    kind: Literal["number", "category"], cells: Ints, part: NDArray[np.bool_], width: int, cuts: Ints | None
) -> CellPlan:
    counts = [np.bincount(cells[rows], minlength=width) for rows in (part, ~part)]
    return CellPlan(kind=kind, part=counts[0], pool=counts[1], reference=counts[0] + counts[1], cuts=cuts)


@njit()  # without a cache on disk, which would remember one of the two names that this module is imported by
def _count(values: Floats, bounds: Floats, counts: Ints) -> None:
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


def quiet(
    source: Source,
    m: int,
    kind: Literal["number", "category"] = "number",
    *,
    streams: int,
    batches: int,
    sizes: Sequence[int] = (100,),
    mode: Mode = "ever",
) -> float:
    """Return the share of streams with a false alarm ever; sizes of batches are drawn from those given."""
    rng = np.random.default_rng(m)
    cut = Streams.of(source.draw(rng, (streams, m)), rng, kind, len(getattr(source, "shares", ())))
    stepping, p = Stepping(ChangedBets.of(cut.by_name), mode), cut.shares(source)
    first = first_alarms(
        lambda _: stepping.step(cut.flat(rng.multinomial(rng.choice(sizes), p)), rng),
        batches,
        1 / ALPHA if mode == "ever" else RUN_LENGTH,
    )
    return float(np.mean(first > 0))


Change = Callable[[int], Source]
#: What changes at a batch, given how many batches ago, for each source of the table of delays.
CHANGES: dict[str, tuple[Source, int, Literal["number", "category"], dict[str, Change]]] = {
    "normal": (
        Normal(),
        1000,
        "number",
        {
            "0.1 sd": lambda _: Normal(0.1),
            "0.25 sd": lambda _: Normal(0.25),
            "0.5 sd": lambda _: Normal(0.5),
            "1 sd": lambda _: Normal(1.0),
            "sd x 1.3": lambda _: Normal(sd=1.3),
            "missing 0 -> 5%": lambda _: Normal(missing=0.05),
            "drift to 0.5 in 50": lambda ago: Normal(min(ago / 50, 1.0) * 0.5),
        },
    ),
    "two-valued": (Steps((0.99, 0.01)), 1000, "number", {"1% -> 2%": lambda _: Steps((0.98, 0.02))}),
    "500 levels": (
        LEVELS_500,
        2000,
        "category",
        {"level + 0.05": lambda _: LEVELS_500.plus(5, 0.05), "new level 0.05": lambda _: LEVELS_500.plus(500, 0.05)},
    ),
}


@dataclass(frozen=True)
class Delays:
    """Delays after a change, and how often the range of its beginning holds the truth.

    Attributes
    ----------
    median, late : float
        The median delay and its 90% point, in batches; 1 is the first changed batch.
    in_range : float
        How often the range given at the alarm holds the first changed batch.
    """

    median: float
    late: float
    in_range: float


def delays(
    name: str, start: int, *, streams: int, mode: Mode = "ever", within: int = 150, n: int = 100
) -> dict[str, Delays]:
    """Let streams be quiet for `start` batches, then change; all changes go on from the same state."""
    source, m, kind, changes = CHANGES[name]
    rng = np.random.default_rng(start)
    cut = Streams.of(source.draw(rng, (streams, m)), rng, kind, len(getattr(source, "shares", ())))
    stepping, p = Stepping(ChangedBets.of(cut.by_name), mode), cut.shares(source)
    limit = 1 / ALPHA if mode == "ever" else RUN_LENGTH
    before: list[Floats] = []
    highest = np.full(streams, -np.inf)
    for _ in range(start):
        evidence, log_e = stepping.bet(cut.flat(rng.multinomial(n, p)), rng)
        highest = np.maximum(highest, evidence) if mode == "ever" else evidence
        before = [*before, log_e][-50:]
    keep = highest < math.log(limit)
    return {
        change: _after(stepping.copy(), cut, before, rng, make=make, limit=limit, within=within, n=n, keep=keep)
        for change, make in changes.items()
    }


def _after(
    stepping: Stepping,
    cut: Streams,
    before: list[Floats],
    rng: Rng,
    *,
    make: Change,
    limit: float,
    within: int,
    n: int,
    keep: NDArray[np.bool_],
) -> Delays:
    """Go on with changed batches until all streams alarmed that had not before."""
    first, covered, history = np.zeros(len(cut.plans), np.int64), [], before
    starts = stepping.bets.experts.starts
    for ago in range(1, within + 1):
        counts = cut.flat(rng.multinomial(n, cut.shares(make(ago))))
        evidence, log_e = stepping.bet(counts, rng)
        history = [*history, log_e]
        alarmed = np.flatnonzero((evidence >= math.log(limit)) & (first == 0))
        first[alarmed] = ago
        for stream in alarmed[keep[alarmed]][:20]:  # the range takes longest; 20 per batch are plenty
            column = slice(starts[stream], starts[stream + 1])
            weights = stepping.bets.experts.log_weights[column]
            experts = Experts(weights, np.array([0, len(weights)]))
            low, high, _ = begin_range(np.array([past[column] for past in history]), experts)
            covered.append(low <= len(before) <= high)
        if np.all(first[keep] > 0):
            break
    return Delays(*delay(first, keep), float(np.mean(covered)) if covered else math.nan)


@njit()
def _count_correlated(bounds: Floats, loading: float, shifts: Floats, seed: int, counts: Ints) -> None:
    """Draw 100 rows of correlated normal features and count them; `bounds` has one row per stream and feature."""
    np.random.seed(seed)  # noqa: NPY002 - compiled code has no other generator that it can make
    features = len(shifts)
    rest = math.sqrt(1.0 - loading * loading)
    for stream in range(len(bounds) // features):
        for _ in range(100):
            common = loading * np.random.standard_normal()  # noqa: NPY002
            for feature in range(features):
                value = shifts[feature] + common + rest * np.random.standard_normal()  # noqa: NPY002
                row = stream * features + feature
                counts[row, 1 + np.searchsorted(bounds[row], value)] += 1


@dataclass(frozen=True)
class Together:
    """False alarms of many features by three rules, or delays."""

    mean: float
    largest: float
    blamed: float
    delay: float


def features_together(
    rho: float, *, streams: int, batches: int, features: int = 50, shifted: int = 0, start: int = 0
) -> Together:
    """Watch correlated normal features together; the first ones may shift by 0.5 sd after `start` batches."""
    rng = np.random.default_rng(int(100 * rho) + shifted)
    loading = math.sqrt(rho)
    common = loading * rng.normal(size=(streams, 1, 1000))
    reference = common + math.sqrt(1 - rho) * rng.normal(size=(streams, features, 1000))
    cut = Streams.of(reference.reshape(streams * features, 1000), rng)
    stepping = Stepping(ChangedBets.of(cut.by_name))
    first = np.zeros((3, streams), np.int64)
    for batch in range(1, batches + 1):
        shifts = np.where(np.arange(features) < (shifted if batch > start else 0), 0.5, 0.0)
        counts = np.zeros((streams * features, cut.bounds.shape[1] + 2), np.int64)
        _count_correlated(cut.bounds, loading, shifts, int(rng.integers(2**31)), counts)
        evidence = stepping.step(cut.flat(counts), rng).reshape(streams, features)
        limit = math.log(1 / ALPHA)
        above = [
            [log_mean(row) >= limit for row in evidence],
            evidence.max(axis=1) >= limit + math.log(features),
            [len(blame(row, limit)) > 0 for row in evidence],
        ]
        first[np.array(above) & (first == 0)] = batch
    late = np.where(first[0] > start, first[0] - start, 0)
    mean, largest, blamed = (first > 0).mean(axis=1).tolist()
    return Together(mean, largest, blamed, delay(late, (first[0] == 0) | (first[0] > start))[0])


def shift_of(distance: float) -> float:
    """Return the shift of a normal mean, in sd, that makes a KS distance."""
    return float(2 * ndtri((1 + distance) / 2))


def levels_at(distance: float) -> Steps:
    """Return five levels at a Hellinger distance from the even ones: two gain what the others lose."""
    low, high = 0.0, 0.2
    for _ in range(60):
        middle = (low + high) / 2
        shares = np.array([0.2 + 1.5 * middle] * 2 + [0.2 - middle] * 3)
        low, high = (middle, high) if np.sum((np.sqrt(shares) - np.sqrt(0.2)) ** 2) < distance**2 else (low, middle)
    return Steps(tuple((np.array([0.2 + 1.5 * low] * 2 + [0.2 - low] * 3)).tolist()))


def material(
    distance: float,
    n: int,
    *,
    streams: int,
    batches: int,
    kind: Literal["number", "category"] = "number",
    m: int = 2000,
) -> Ints:
    """Return the batch of the first alarm of streams at a distance from the reference, or 0."""
    rng = np.random.default_rng(n + int(1000 * distance))
    even = Normal() if kind == "number" else Steps((0.2,) * 5)
    cut = Streams.of(even.draw(rng, (streams, m)), rng, kind, 5)
    if kind == "number":
        shares = np.diff(Normal(shift_of(distance)).below(cut.cuts), axis=1, prepend=0.0, append=1.0)
    else:
        shares = cut.shares(levels_at(distance))
    stepping = MaterialStepping.of(cut)

    def step(_: int) -> Floats:
        counts = rng.multinomial(n, shares)
        below = np.cumsum(counts, axis=1)[:, :-1].ravel() if kind == "number" else np.empty(0, np.int64)
        return stepping.step(counts, below, n, rng)

    return first_alarms(step, batches, 2 / ALPHA)


@dataclass
class MaterialStepping:
    """The evidence of material distance of all streams, batch by batch."""

    bets: MaterialBets
    arrays: dict[str, Any]
    effect: Floats
    batch: int = 0

    @classmethod
    def of(cls, cut: Streams, effect: Floats | None = None) -> MaterialStepping:
        """Prepare streams, each of which is watched alone: the level is not shared."""
        bets = MaterialBets(cut.by_name, ALPHA * len(cut.plans))
        return cls(bets, dict(bets.begin()), np.ones(len(cut.plans)) if effect is None else effect)

    def step(self, counts: Ints, below: Ints, n: int, rng: Rng) -> Floats:
        """Add a batch: counts of categories or rows up to the cuts; return the logarithm of each stream's evidence."""
        self.batch += 1
        streams = len(self.effect)
        levels = self.bets.bet(self.arrays, list(counts), rng.uniform(size=int(self.bets.n_uniforms.sum()))).ravel()
        none = np.zeros(streams, np.int64)
        log_e = self.bets.join(below, none, np.full(streams, n), levels)
        log_e = log_e / np.repeat(self.effect, np.diff(self.bets.experts.starts))
        self.arrays["material"] = self.bets.experts.grow(self.arrays["material"], log_e, self.batch, "ever")
        return self.bets.experts.evidence(self.arrays["material"], self.batch, "ever")


def _autoregressive(rng: Rng, last: Floats, n: int) -> Floats:
    """Draw the next rows of AR(1) streams with coefficient 0.5 and variance 1."""
    noise = math.sqrt(0.75) * rng.normal(size=(len(last), n))
    return np.asarray(lfilter([1.0], [1.0, -0.5], noise, axis=1, zi=0.5 * last[:, None])[0])


def dependent(
    kind: Literal["AR(1)", "day"], n: int, *, streams: int, batches: int, start: int = 0, shift: float = 0.25
) -> tuple[Ints, Ints, Floats]:
    """Watch dependent rows, without and with a design effect from ten periods of 100 reference rows.

    Returns
    -------
    without, with_effect : array of int, shape (S,)
        The batch of the first alarm, or 0. Rows shift after `start` batches, if that is not 0.
    effect : array, shape (S,)
        The design effects.
    """
    rng = np.random.default_rng(n)
    periods = np.repeat(np.arange(10), 100)
    last = rng.normal(size=streams)
    if kind == "AR(1)":
        reference = _autoregressive(rng, last, 1000)
        last = reference[:, -1]
    else:
        reference = rng.normal(size=(streams, 1000)) + 0.05 * rng.normal(size=(streams, 10)).repeat(100, axis=1)
    effect = np.array([design_effect(values, periods)[0] for values in reference])
    cut = Streams.of(reference, rng)
    bets = ChangedBets.of(cut.by_name)
    both = [Stepping(bets), Stepping(bets, effect=lambda rows: effect_of_batch(effect, 100.0, rows))]
    first = np.zeros((2, streams), np.int64)
    for batch in range(1, batches + 1):
        moved = shift if start and batch > start else 0.0
        if kind == "AR(1)":
            rows = _autoregressive(rng, last, n)
            last = rows[:, -1]
            counts = cut.count(rows + moved)
        else:
            day = Normal(moved + 0.05 * rng.normal(size=(streams, 1)))
            counts = cut.flat(rng.multinomial(n, cut.shares(day)))
        above = np.array([stepping.step(counts, rng, n) for stepping in both]) >= math.log(1 / ALPHA)
        first[above & (first == 0)] = batch
    return first[0], first[1], effect


def material_dependent(
    distance: float, *, streams: int, batches: int, n: int = 100, m: int = 2000
) -> tuple[Ints, Ints]:
    """Return the first alarms of *material* on AR(1) rows at a distance, without and with a design effect."""
    rng = np.random.default_rng(int(100 * distance))
    reference = _autoregressive(rng, rng.normal(size=streams), m)
    effect = np.array([design_effect(values, np.repeat(np.arange(m // 100), 100))[0] for values in reference])
    cut = Streams.of(reference, rng)
    both = [MaterialStepping.of(cut), MaterialStepping.of(cut, effect)]
    last, first = reference[:, -1], np.zeros((2, streams), np.int64)
    for batch in range(1, batches + 1):
        rows = _autoregressive(rng, last, n)
        last = rows[:, -1]
        counts = np.zeros((streams, N_CUTS + 2), np.int64)
        _count(rows + shift_of(distance), cut.cuts, counts)
        below = np.cumsum(counts[:, 1:], axis=1)[:, :-1].ravel()
        above = np.array([stepping.step(counts, below, n, rng) for stepping in both]) >= math.log(2 / ALPHA)
        first[above & (first == 0)] = batch
    return first[0], first[1]


#: Harm: the floor, the rows of a batch, the sd of the estimate's bias, and the variance of a row's residual.
FLOOR, ROWS, BIAS_SD, ROW_VARIANCE = 0.8, 500, 0.04, 0.14


def harm(
    drop: float, *, streams: int, batches: int, start: int = 0, bias: float | None = None, tau: float = BIAS_SD
) -> Ints:
    """Return the first alarms without labels, where accuracy is below the floor by a drop.

    Parameters
    ----------
    drop : float
        How far accuracy is below the floor; 0 means no harm.
    streams, batches : int
        How many.
    start : int
        How many batches accuracy is at the floor before it drops.
    bias : float or None
        The bias of all estimates of a stream; drawn for each stream by default.
    tau : float
        What the alarm takes for the sd of the bias.
    """
    rng = np.random.default_rng(int(1000 * drop))
    error = math.sqrt(ROW_VARIANCE / ROWS)
    bets = HarmBets.of(FLOOR, tau, ALPHA)
    experts = Experts(np.tile(bets.experts.log_weights, streams), np.arange(streams + 1) * 5)
    off = rng.normal(0, BIAS_SD, streams) if bias is None else np.full(streams, bias)
    log_s = experts.none()

    def step(batch: int) -> Floats:
        nonlocal log_s
        actual = FLOOR - (drop if batch > start else 0.0)
        estimates = actual + off + math.hypot(error, 0.02) * rng.normal(size=streams)
        log_s = experts.grow(log_s, bets.log_e(estimates, error).ravel(), batch, "ever")
        return experts.evidence(log_s, batch, "ever")

    return first_alarms(step, batches, 2 / ALPHA)


def harm_with_labels(
    drop: float, labelled: int, *, streams: int, batches: int, start: int = 0, redrawn: int = 0
) -> dict[str, Ints]:
    """Return the first alarms by labels alone and by labels and estimates together.

    Parameters
    ----------
    drop : float
        How far accuracy is below the floor.
    labelled : int
        Labelled rows of each batch.
    streams, batches : int
        How many.
    start : int
        How many batches accuracy is at the floor before it drops.
    redrawn : int
        After how many batches the bias is drawn again; 0 keeps it.
    """
    rng = np.random.default_rng(labelled + int(1000 * drop))
    error = math.sqrt(ROW_VARIANCE / ROWS)
    experts = Experts(np.full(5 * streams, math.log(0.2)), np.arange(streams + 1) * 5)
    bias = Bias(np.zeros(streams), np.full(streams, BIAS_SD**2))  # type: ignore[arg-type] # all streams at once
    off = rng.normal(0, BIAS_SD, streams)
    by_labels, by_both = experts.none(), experts.none()
    first = np.zeros((2, streams), np.int64)
    for batch in range(1, batches + 1):
        off = rng.normal(0, BIAS_SD, streams) if redrawn and batch % redrawn == 0 else off
        actual = FLOOR - (drop if batch > start else 0.0)
        estimates = actual + off + math.hypot(error, 0.02) * rng.normal(size=streams)
        right = rng.binomial(labelled, actual, streams)
        residual = off + math.sqrt(ROW_VARIANCE / labelled + 0.02**2) * rng.normal(size=streams)
        bias = bias.step(BIAS_SD, residual, labelled)  # type: ignore[arg-type]
        floors = FLOOR + ndtri(ALPHA / 4) * np.sqrt(bias.variance)
        on_labels = bet_on_labels(FLOOR, right, labelled).ravel()
        on_both = bet_on_estimate(floors, estimates - bias.mean, error**2 + 0.02**2).ravel()
        by_labels = experts.grow(by_labels, on_labels, batch, "ever")
        by_both = experts.grow(by_both, on_both, batch, "ever")
        labels = experts.evidence(by_labels, batch, "ever")
        alone = labels >= math.log(1 / ALPHA)
        both = (labels >= math.log(2 / ALPHA)) | (experts.evidence(by_both, batch, "ever") >= math.log(4 / ALPHA))
        first[np.array([alone, both]) & (first == 0)] = batch
    return {"labels": first[0], "both": first[1]}


def false_share(first: Ints) -> float:
    """Return the share of streams with an alarm."""
    return float(np.mean(first > 0))

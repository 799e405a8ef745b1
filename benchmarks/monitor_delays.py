"""Simulations of *changed*: false alarms, delays, many features, dependent rows, and the end of an incident."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from benchmarks.monitor_streams import (
    ALPHA,
    LEVELS_500,
    RUN_LENGTH,
    Floats,
    Ints,
    Kind,
    Normal,
    Rng,
    Source,
    Stepping,
    Steps,
    Streams,
    autoregressive,
    delay,
    first_alarms,
)
from numba import njit
from numpy.typing import NDArray

from shiftproof.monitoring._recovery import RECOVERED, STILL_RECOVERED, has_returned
from shiftproof.monitoring.alarms import CellPlan, design_effect
from shiftproof.monitoring.alarms._changed import ChangedBets
from shiftproof.monitoring.alarms._changepoint import begin_range
from shiftproof.monitoring.alarms._dependence import effect_of_batch
from shiftproof.monitoring.alarms._evidence import Experts, Mode, blame, log_mean


def quiet(
    source: Source,
    m: int,
    kind: Kind = "number",
    *,
    streams: int,
    batches: int,
    sizes: Sequence[int] = (100,),
    mode: Mode = "ever",
) -> float:
    """Return the share of streams with a false alarm ever; sizes of batches are drawn from those given."""
    rng = np.random.default_rng(m)
    cut = Streams.like(source, streams, m, rng, kind)
    stepping, p = Stepping(ChangedBets.of(cut.by_name), mode), cut.shares(source)
    first = first_alarms(
        lambda _: stepping.step(cut.flat(rng.multinomial(rng.choice(sizes), p)), rng),
        batches,
        1 / ALPHA if mode == "ever" else RUN_LENGTH,
    )
    return float(np.mean(first > 0))


Change = Callable[[int], Source]
#: What changes at a batch, given how many batches ago, for each source of the table of delays.
CHANGES: dict[str, tuple[Source, int, Kind, dict[str, Change]]] = {
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
    cut = Streams.like(source, streams, m, rng, kind)
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
    for ago in range(1, within + 1):
        counts = cut.flat(rng.multinomial(n, cut.shares(make(ago))))
        evidence, log_e = stepping.bet(counts, rng)
        history = [*history, log_e]
        alarmed = np.flatnonzero((evidence >= math.log(limit)) & (first == 0))
        first[alarmed] = ago
        for stream in alarmed[keep[alarmed]][:20]:  # the range takes longest; 20 per batch are plenty
            low, high, _ = _beginning(stepping.bets, stream, history)
            covered.append(low <= len(before) <= high)
        if np.all(first[keep] > 0):
            break
    return Delays(*delay(first, keep), float(np.mean(covered)) if covered else math.nan)


def _beginning(bets: ChangedBets, stream: int, history: Sequence[Floats]) -> tuple[int, int, int]:
    """Return with which of the last batches a stream's change began: the first, last and likeliest."""
    column = slice(bets.experts.starts[stream], bets.experts.starts[stream + 1])
    weights = bets.experts.log_weights[column]
    return begin_range(np.array([past[column] for past in history]), Experts(weights, np.array([0, len(weights)])))


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
        reference = autoregressive(rng, last, 1000)
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
            rows = autoregressive(rng, last, n)
            last = rows[:, -1]
            counts = cut.count(rows + moved)
        else:
            day = Normal(moved + 0.05 * rng.normal(size=(streams, 1)))
            counts = cut.flat(rng.multinomial(n, cut.shares(day)))
        above = np.array([stepping.step(counts, rng, n) for stepping in both]) >= math.log(1 / ALPHA)
        first[above & (first == 0)] = batch
    return first[0], first[1], effect


@dataclass
class Incident:
    """An incident of one stream: the data before it, since which batch it is looked at, and its recovery."""

    before: CellPlan
    since: int
    recovered: int = 0

    def follow(self, counts: Sequence[Ints], batch: int) -> None:
        """Look at a stream's batches, the last of which is `batch`."""
        first = self.recovered - 1 if self.recovered else self.since
        recent = np.array(counts[max(first, batch - 256) :])
        rule = STILL_RECOVERED if self.recovered else RECOVERED
        back = has_returned(self.before, recent, recent.sum(axis=1).astype(np.float64), 1.0, rule)
        self.recovered = (self.recovered or batch) if back else 0


@dataclass(frozen=True)
class Recovery:
    """How incidents end.

    Attributes
    ----------
    too_soon : float
        The share that counted as recovered at any time while the change lasted.
    median, late : float
        Batches from the return to the recovery, and their 90% point.
    open_again : float
        The share that was open again at any time after it had recovered.
    false_alarms : float
        The share with a false alarm ever after it was resolved.
    """

    too_soon: float
    median: float
    late: float
    open_again: float
    false_alarms: float


@dataclass
class IncidentStreams:
    """Streams whose incidents are opened and followed as a monitor does."""

    cut: Streams
    stepping: Stepping
    rng: Rng
    counts: list[Ints] = field(default_factory=list)
    bets: list[Floats] = field(default_factory=list)
    incidents: dict[int, Incident] = field(default_factory=dict)

    def step(self, shares: Floats, n: int) -> None:
        """Add a batch to every stream."""
        counts = self.cut.flat(self.rng.multinomial(n, shares))
        evidence, log_e = self.stepping.bet(counts, self.rng)
        self.counts.append(counts)
        self.bets = [*self.bets, log_e][-256:]
        for stream in range(len(self.cut.plans)):
            cells = self.cells(stream)
            if stream in self.incidents:
                self.incidents[stream].follow([past[cells] for past in self.counts], len(self.counts))
            elif evidence[stream] >= math.log(1 / ALPHA):
                low, _, likeliest = _beginning(self.stepping.bets, stream, self.bets)
                earlier = len(self.counts) - len(self.bets)
                pool = self.stepping.arrays["pool"][cells] - sum(past[cells] for past in self.counts[earlier + low :])
                before = replace(self.cut.plans[stream], reference=pool)
                self.incidents[stream] = Incident(before, earlier + likeliest)

    def cells(self, stream: int) -> slice:
        """Return where a stream's cells are."""
        return slice(*self.stepping.bets.starts[stream : stream + 2])

    def resolve(self) -> None:
        """Acknowledge all incidents that recovered, as resolved."""
        arrays = self.stepping.bets.begin()
        for stream, incident in self.incidents.items():
            cells = self.cells(stream)
            since = self.counts[incident.recovered - 1 :] if incident.recovered else []
            arrays["pool"][cells] = incident.before.reference + sum(past[cells] for past in since)
        self.stepping = Stepping(self.stepping.bets, arrays=arrays)


def recovery(
    before: Source,
    changed: Source,
    *,
    streams: int,
    lasts: int = 50,
    back: int = 40,
    quiet: int = 0,
    start: int = 50,
    n: int = 100,
    m: int = 1000,
    kind: Kind = "number",
) -> Recovery:
    """Let streams change for some batches and return; then resolve the incidents, and go on for `quiet` batches."""
    rng = np.random.default_rng(lasts)
    cut = Streams.like(before, streams, m, rng, kind)
    watched = IncidentStreams(cut, Stepping(ChangedBets.of(cut.by_name)), rng)
    calm, away = cut.shares(before), cut.shares(changed)
    for _ in range(start):
        watched.step(calm, n)
    early = set(watched.incidents)
    too_soon, open_again, first = set[int](), set[int](), dict[int, int]()
    for batch in range(1, lasts + back + 1):
        watched.step(away if batch <= lasts else calm, n)
        recovered = {stream for stream, one in watched.incidents.items() if one.recovered} - early
        if batch <= lasts:
            too_soon |= recovered
        else:
            open_again |= {stream for stream in first if stream not in recovered}
            first |= {stream: batch - lasts for stream in recovered if stream not in first}
    opened = [stream for stream in watched.incidents if stream not in early]
    late = delay(np.array([first.get(stream, 0) for stream in opened]))
    watched.resolve()
    after = first_alarms(lambda _: watched.stepping.step(cut.flat(rng.multinomial(n, calm)), rng), quiet, 1 / ALPHA)
    false = float(np.mean(after[[*first]] > 0)) if quiet else math.nan
    return Recovery(len(too_soon) / len(opened), *late, len(open_again) / max(len(first), 1), false)

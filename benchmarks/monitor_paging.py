"""Simulations of the alarms that page: *material* at distances from the reference, *harm* below the floor."""

from __future__ import annotations

import math

import numpy as np
from benchmarks.monitor_streams import (
    ALPHA,
    LEVELS_500,
    N_CUTS,
    RUN_LENGTH,
    Floats,
    Ints,
    Kind,
    MaterialStepping,
    Normal,
    Source,
    Steps,
    Streams,
    autoregressive,
    count_rows,
    first_alarms,
)
from scipy.special import ndtri

from shiftproof.monitoring.alarms import design_effect
from shiftproof.monitoring.alarms._evidence import Experts, Mode
from shiftproof.monitoring.alarms._harm import Bias, HarmBets, bet_on_estimate, bet_on_labels


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


def at_distance(distance: float, kind: Kind) -> tuple[Source, Source]:
    """Return a source and one at a distance from it: KS for normal numbers, Hellinger for five categories."""
    if kind == "number":
        return Normal(), Normal(shift_of(distance))
    return Steps((0.2,) * 5), levels_at(distance)


#: Categories that change: five of which one is left, and one of 500 that gains a share.
LEVELS: dict[str, tuple[Source, Source]] = {
    "one level only": (Steps((0.2,) * 5), Steps((0.0, 0.0, 0.0, 0.0, 1.0))),
    "500 levels, + 0.1": (LEVELS_500, LEVELS_500.plus(5, 0.1)),
    "500 levels, + 0.2": (LEVELS_500, LEVELS_500.plus(5, 0.2)),
}


def material(
    sources: tuple[Source, Source],
    n: int,
    *,
    streams: int,
    batches: int,
    kind: Kind = "number",
    m: int = 2000,
    start: int = 0,
    day_sd: float = 0.0,
    seed: int = 0,
) -> Ints:
    """Return the batch of the first alarm of streams, or 0.

    Parameters
    ----------
    sources : tuple of Source
        Of the reference, and of all batches after `start`.
    n, m : int
        Rows of a batch and of the reference.
    streams, batches : int
        How many.
    kind : {"number", "category"}
        What the columns hold.
    start : int
        How many batches come from the same source as the reference.
    day_sd : float
        By how much the logarithms of the levels' shares differ between batches.
    seed : int
        Draws the streams.
    """
    rng = np.random.default_rng(n + seed)
    cut = Streams.like(sources[0], streams, m, rng, kind)
    stepping = MaterialStepping.of(cut)
    if kind == "number":
        shares = [np.diff(source.below(cut.cuts), axis=1, prepend=0.0, append=1.0) for source in sources]
    else:
        shares = [cut.shares(source) for source in sources]

    def step(batch: int) -> Floats:
        p = shares[batch > start]
        if day_sd:
            p = p * np.exp(day_sd * rng.normal(size=p.shape))
            p /= p.sum(axis=1, keepdims=True)
        counts = rng.multinomial(n, p)
        below = np.cumsum(counts, axis=1)[:, :-1].ravel() if kind == "number" else np.empty(0, np.int64)
        return stepping.step(counts, below, n, rng)

    return first_alarms(step, batches, 2 / ALPHA)


def material_dependent(
    distance: float, *, streams: int, batches: int, n: int = 100, m: int = 2000
) -> tuple[Ints, Ints]:
    """Return the first alarms of *material* on AR(1) rows at a distance, without and with a design effect."""
    rng = np.random.default_rng(int(100 * distance))
    reference = autoregressive(rng, rng.normal(size=streams), m)
    effect = np.array([design_effect(values, np.repeat(np.arange(m // 100), 100))[0] for values in reference])
    cut = Streams.of(reference, rng)
    both = [MaterialStepping.of(cut), MaterialStepping.of(cut, effect)]
    last, first = reference[:, -1], np.zeros((2, streams), np.int64)
    for batch in range(1, batches + 1):
        rows = autoregressive(rng, last, n)
        last = rows[:, -1]
        counts = np.zeros((streams, N_CUTS + 2), np.int64)
        count_rows(rows + shift_of(distance), cut.cuts, counts)
        below = np.cumsum(counts[:, 1:], axis=1)[:, :-1].ravel()
        above = np.array([stepping.step(counts, below, n, rng) for stepping in both]) >= math.log(2 / ALPHA)
        first[above & (first == 0)] = batch
    return first[0], first[1]


#: Without labels in the baseline *material* has the whole alpha; otherwise it shares it with *harm*.
PAGING = ALPHA / 2
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
    bets = HarmBets.of(FLOOR, tau, PAGING)
    experts = Experts(np.tile(bets.experts.log_weights, streams), np.arange(streams + 1) * 5)
    off = rng.normal(0, BIAS_SD, streams) if bias is None else np.full(streams, bias)
    log_s = experts.none()

    def step(batch: int) -> Floats:
        nonlocal log_s
        actual = FLOOR - (drop if batch > start else 0.0)
        estimates = actual + off + math.hypot(error, 0.02) * rng.normal(size=streams)
        log_s = experts.grow(log_s, bets.log_e(estimates, error).ravel(), batch, "ever")
        return experts.evidence(log_s, batch, "ever")

    return first_alarms(step, batches, 2 / PAGING)


def harm_with_labels(
    drop: float,
    labelled: int,
    *,
    streams: int,
    batches: int,
    start: int = 0,
    redrawn: int = 0,
    begin: int = 0,
    every: int = 1,
    mode: Mode = "ever",
    seed: int = 0,
) -> dict[str, Ints]:
    """Return the first alarms by labels alone, and as a monitor has them: by labels and estimates together.

    Labels come after the batch has been added: an estimate is corrected by the labels of batches before.

    Parameters
    ----------
    drop : float
        How far accuracy is below the floor.
    labelled : int
        Labelled rows of each batch that has labels.
    streams, batches : int
        How many.
    start : int
        How many batches accuracy is at the floor before it drops.
    redrawn : int
        After how many batches the bias is drawn again; 0 keeps it.
    begin : int
        How many batches come before the first labels.
    every : int
        One of so many batches has labels.
    mode : {"ever", "run length"}
        What the alarms promise.
    seed : int
        Draws the streams.
    """
    rng = np.random.default_rng([labelled, int(1000 * drop), seed])
    error = math.sqrt(ROW_VARIANCE / ROWS)
    bets = HarmBets.of(FLOOR, BIAS_SD, PAGING)
    experts = Experts(np.tile(bets.experts.log_weights, streams), np.arange(streams + 1) * 5)
    bias = Bias(np.zeros(streams), np.full(streams, BIAS_SD**2))  # type: ignore[arg-type] # all streams at once
    off = rng.normal(0, BIAS_SD, streams)
    wealth = dict.fromkeys(("plain", "corrected", "labels"), experts.none())
    limit = math.log(2 / PAGING if mode == "ever" else RUN_LENGTH)
    shared = math.log(2) if mode == "run length" else 0.0
    first, steps = np.zeros((2, streams), np.int64), 0
    for batch in range(1, batches + 1):
        off = rng.normal(0, BIAS_SD, streams) if redrawn and batch % redrawn == 0 else off
        actual = FLOOR - (drop if batch > start else 0.0)
        estimates = actual + off + math.hypot(error, 0.02) * rng.normal(size=streams)
        bias = bias.step(BIAS_SD)
        floors = FLOOR + ndtri(PAGING / 4) * np.sqrt(bias.variance)
        corrected = bet_on_estimate(floors, estimates - bias.mean, error**2 + 0.02**2)
        for name, log_e in (("plain", bets.log_e(estimates, error)), ("corrected", corrected)):
            wealth[name] = experts.grow(wealth[name], log_e.ravel(), batch, mode)
        if batch > begin and batch % every == 0:
            steps += 1
            right = rng.binomial(labelled, actual, streams)
            residual = off + math.sqrt(ROW_VARIANCE / labelled + 0.02**2) * rng.normal(size=streams)
            bias = bias.learn(BIAS_SD, residual, labelled)  # type: ignore[arg-type]
            by_labels = bet_on_labels(FLOOR, right, labelled).ravel()
            wealth["labels"] = experts.grow(wealth["labels"], by_labels, steps, mode)
        labels = experts.evidence(wealth["labels"], steps, mode)
        alone = labels >= limit - (math.log(2) if mode == "ever" else 0.0)
        by_estimates = experts.evidence(wealth["corrected"], batch, mode) - math.log(2)
        both = np.maximum(labels - shared, by_estimates) if steps else experts.evidence(wealth["plain"], batch, mode)
        first[np.array([alone & (steps > 0), both >= limit]) & (first == 0)] = batch
    return {"labels": first[0], "both": first[1]}


#: Accuracy in five strata of equal size, from the rows that the model is least sure of to the surest; 0.8 on average.
STRATA = np.array([0.56, 0.70, 0.80, 0.95, 0.99])
#: How much of what can be lost the bets on strata stake.
STAKES = np.array([0.1, 0.25, 0.5, 0.75, 0.95])


def harm_stratified(
    drop: float, labelled: int, *, streams: int, batches: int, start: int = 0, parts: int = 1
) -> dict[str, Ints]:
    """Return the first alarms by labels alone: of simple random rows, and of rows drawn within strata.

    Rows are drawn in proportion to the scatter of each stratum, and at least one of each. The bet is on their weighted
    mean (Horvitz and Thompson), which is at most 1 if strata are sampled each at a fixed number.

    Parameters
    ----------
    drop : float
        How far accuracy is below the floor, by the same amount in all strata but the surest.
    labelled : int
        Labelled rows of each batch.
    streams, batches, start : int
        As in `harm_with_labels`.
    parts : int
        Into how many stratified samples the labels of a batch are divided, each with a bet of its own.
    """
    rng = np.random.default_rng([labelled, int(1000 * drop), parts])
    experts = Experts(np.full(5 * streams, math.log(0.2)), np.arange(streams + 1) * 5)
    pull = np.sqrt(STRATA * (1 - STRATA)) + 0.2
    counts = np.maximum(np.floor(labelled / parts * pull / pull.sum()), 1).astype(np.int64)
    while counts.sum() < labelled // parts:
        counts[np.argmax(pull / counts)] += 1
    simple, strata = experts.none(), experts.none()
    first = np.zeros((2, streams), np.int64)
    for batch in range(1, batches + 1):
        # The model is sure of the surest rows, and stays right there.
        moved = STRATA - (1.25 * drop * (np.arange(5) < 4) if batch > start else 0.0)
        right = rng.binomial(labelled, moved.mean(), streams)
        simple = experts.grow(simple, bet_on_labels(FLOOR, right, labelled).ravel(), batch, "ever")
        bets = np.zeros((streams, len(STAKES)))
        for _ in range(parts):
            weighted = (rng.binomial(counts, moved, (streams, 5)) / counts).mean(axis=1)
            bets += np.log1p(STAKES / (1 - FLOOR) * (FLOOR - weighted)[:, None])
        strata = experts.grow(strata, bets.ravel(), batch, "ever")
        evidence = np.array([experts.evidence(wealth, batch, "ever") for wealth in (simple, strata)])
        first[(evidence >= math.log(1 / PAGING)) & (first == 0)] = batch
    return {"simple": first[0], "strata": first[1]}

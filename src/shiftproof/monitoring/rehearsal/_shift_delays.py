"""After how many batches a change of one column would be known, following the user's own past."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from shiftproof.monitoring.alarms import Alarms, BatchFacts, CellPlan, Level, State
from shiftproof.monitoring.rehearsal._injection import moved, share_to_move
from shiftproof.monitoring.rehearsal._result import Delay

# A change that takes more batches is called not found.
HORIZON = 40
# Every column changes in turn, in at least and at most so many streams.
_FEWEST, _MOST = 16, 30
_WATCHED: tuple[Level, ...] = ("changed", "material")


def shift_delays(
    alarms: Alarms,
    plans: Mapping[str, CellPlan],
    past: Sequence[BatchFacts],
    state: State,
    *,
    distance: float,
    rng: np.random.Generator,
) -> list[Delay]:
    """Return the delays of *changed* and *material* if one column moves to a distance from the reference.

    Parameters
    ----------
    alarms : Alarms
        As the monitor has them.
    plans : mapping of str to CellPlan
        The columns.
    past : sequence of BatchFacts
        A changed batch is one of the past, drawn at random, in which rows move.
    state : State
        After the past.
    distance : float
        KS distance for numbers, Hellinger distance for categories.
    rng : Generator
        Draws batches and rows.
    """
    columns = [*plans.values()]
    order = rng.permutation(len(columns)).tolist()
    firsts: dict[Level, list[int]] = {level: [] for level in _WATCHED}
    for stream in range(min(max(_FEWEST, 2 * len(columns)), _MOST)):
        place = order[stream % len(order)]
        share = share_to_move(columns[place], distance)
        change = partial(moved, plan=columns[place], place=place, share=share, rng=rng)
        found = first_alarms(alarms, state, partial(_drawn, past, change, rng), name=f"{distance} {stream}")
        for level in _WATCHED:
            firsts[level].append(found[level])
    return [Delay.of("shift", distance, level, firsts[level], horizon=HORIZON) for level in _WATCHED]


def first_alarms(alarms: Alarms, state: State, draw: Callable[[], BatchFacts], *, name: str) -> dict[Level, int]:
    """Return after how many batches each alarm comes, 0 if not within the horizon.

    Parameters
    ----------
    alarms : Alarms
        As the monitor has them.
    state : State
        Before the first batch.
    draw : callable
        Returns the next batch.
    name : str
        Names the stream; it changes the random numbers that spread ties.
    """
    first: dict[Level, int] = dict.fromkeys(_WATCHED, 0)
    for batch in range(1, HORIZON + 1):
        state, reading = alarms.step(state, draw(), f"{name} {batch}")
        for level in _WATCHED:
            if reading.alarms[level] and not first[level]:
                first[level] = batch
        if all(first.values()):
            break
    return first


def _drawn(
    past: Sequence[BatchFacts], change: Callable[[BatchFacts], BatchFacts], rng: np.random.Generator
) -> BatchFacts:
    return change(past[int(rng.integers(len(past)))])

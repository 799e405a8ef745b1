"""Replay the past through the alarms of a monitor, then put changes into it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from shiftproof.core import check_count, check_fraction, fault
from shiftproof.monitoring._result import MonitorTerms
from shiftproof.monitoring.alarms import Alarms, BatchFacts, CellPlan
from shiftproof.monitoring.rehearsal._advice import advise, usual_floor
from shiftproof.monitoring.rehearsal._harm_delays import Quiet, harm_delay
from shiftproof.monitoring.rehearsal._injection import joined, part_of
from shiftproof.monitoring.rehearsal._replay import PastBatch, replay
from shiftproof.monitoring.rehearsal._result import Delay, MonitorRehearsal, SizeTrial
from shiftproof.monitoring.rehearsal._shift_delays import shift_delays
from shiftproof.stats import wilson

# Batches half, twice and four times as large as those of the past are tried.
_SIZES = (0.5, 2, 4)
# The chance that a batch at the floor is called below it.
_CLEARLY = 0.98


@dataclass(frozen=True, kw_only=True)
class RehearsalPlan:
    """Which changes are put into the past.

    Attributes
    ----------
    drops : tuple of float
        How far accuracy falls below the floor.
    shifts : tuple of float
        How far a column moves from the reference.
    label_counts : tuple of int
        Numbers of labelled rows per batch, at most all its rows; 0 for none.
    """

    drops: tuple[float, ...]
    shifts: tuple[float, ...]
    label_counts: tuple[int, ...]

    @classmethod
    def of(cls, *, drops: Sequence[float], shifts: Sequence[float], label_counts: Sequence[int]) -> RehearsalPlan:
        """Check what the caller asks for; sizes are sorted, and each is tried once."""
        for name, values in (("drops", drops), ("shifts", shifts)):
            for value in values:
                check_fraction(value, name)
        if not len(shifts):
            raise fault("shifts", "name at least one distance", shifts, "0.2 is twice the limit of material")
        counts = [check_count(count, "label_counts") for count in label_counts]
        return cls(
            drops=tuple(sorted({*drops})), shifts=tuple(sorted({*shifts})), label_counts=tuple(sorted({*counts}))
        )


def rehearse(
    plans: Mapping[str, CellPlan],
    alarms: Alarms,
    terms: MonitorTerms,
    past: Sequence[PastBatch],
    plan: RehearsalPlan,
    *,
    rng: np.random.Generator,
) -> MonitorRehearsal:
    """Say what a monitor would have made of past batches, and how soon it would have known of changes.

    Parameters
    ----------
    plans : mapping of str to CellPlan
        The columns of the baseline.
    alarms, terms
        Of the monitor.
    past : sequence of PastBatch
        In the order of time.
    plan : RehearsalPlan
        Which changes.
    rng : Generator
        The seed of the simulated batches.
    """
    state, raised = replay(alarms, past)
    # Accuracy has simulations of its own.
    facts = [replace(batch.facts, accuracy=None, accuracy_error=None) for batch in past]
    moving = partial(shift_delays, alarms, plans, rng=rng)
    shift = [delay for distance in plan.shifts for delay in moving(facts, state, distance=distance)]
    quiet = Quiet.of([batch.facts for batch in past], [batch.actual for batch in past])
    drop_delays: list[Delay] = []
    rows = int(np.median([batch.facts.n for batch in past]))
    if quiet is not None and alarms.harm is not None:
        fall = partial(harm_delay, quiet, alarms, alarms.harm, rng=rng)
        # A batch cannot have more labels than rows.
        counts = sorted({min(count, rows) for count in plan.label_counts})
        drop_delays = [fall(drop=drop, labels=count) for drop in plan.drops for count in counts]
    distance = plan.shifts[len(plan.shifts) // 2]
    sizes = [_trial(alarms, plans, facts, times=times, distance=distance, rng=rng) for times in _SIZES]
    own = next(delay for delay in shift if delay.size == distance and delay.level == "material")
    sizes.insert(1, SizeTrial(rows=rows, times=1, delay=own))
    below = _below(past, terms.floor)
    return MonitorRehearsal(
        batches=tuple(batch.name for batch in past),
        rows=rows,
        alarms=tuple(raised),
        below_floor=below,
        shifts=tuple(shift),
        drops=tuple(drop_delays),
        sizes=tuple(sizes),
        advice=advise(sizes, drop_delays, rows=rows, floor=usual_floor(quiet, terms.floor, below)),
        terms=terms,
    )


def _trial(
    alarms: Alarms,
    plans: Mapping[str, CellPlan],
    facts: Sequence[BatchFacts],
    *,
    times: float,
    distance: float,
    rng: np.random.Generator,
) -> SizeTrial:
    """Try batches of another size, joined from those of the past or random parts of them."""
    if times > 1:
        # A last group of fewer batches would be another size.
        groups = [facts[start : start + int(times)] for start in range(0, len(facts) - int(times) + 1, int(times))]
        resized = [joined(group) for group in groups]
    else:
        resized = [part_of(batch, times, rng) for batch in facts]
    named = [PastBatch(name=f"{times:g} {number}", facts=batch) for number, batch in enumerate(resized)]
    state, _ = replay(alarms, named)
    delays = shift_delays(alarms, plans, resized, state, distance=distance, rng=rng)
    rows = int(np.median([batch.n for batch in resized]))
    return SizeTrial(rows=rows, times=times, delay=next(delay for delay in delays if delay.level == "material"))


def _below(past: Sequence[PastBatch], floor: float | None) -> int | None:
    """Count the past batches whose actual accuracy was below the floor by more than chance explains."""
    known = [(batch.actual, batch.facts.n) for batch in past if batch.actual is not None]
    if floor is None or not known:
        return None
    return sum(wilson(round(actual * n), n, level=_CLEARLY).high < floor for actual, n in known)

from __future__ import annotations

import numpy as np
from tests.monitoring.conftest import make_batch

from shiftproof.monitoring import Monitor
from shiftproof.monitoring.rehearsal._past import past_batches
from shiftproof.monitoring.rehearsal._replay import replay
from shiftproof.monitoring.rehearsal._shift_delays import HORIZON, first_alarms, shift_delays


def test_larger_shifts_are_known_sooner(monitor: Monitor) -> None:
    past = past_batches(monitor.baseline, [make_batch(200, seed=seed) for seed in range(1, 8)])
    state, _ = replay(monitor._alarms, past)
    facts = [batch.facts for batch in past]
    rng, plans = np.random.default_rng(0), monitor.baseline.columns
    small, large = (
        {delay.level: delay for delay in shift_delays(monitor._alarms, plans, facts, state, distance=size, rng=rng)}
        for size in (0.25, 0.45)
    )
    assert large["material"].batches is not None
    assert large["material"].batches < (small["material"].batches or HORIZON)
    assert large["changed"].batches == 1


def test_batches_like_the_past_raise_nothing(monitor: Monitor) -> None:
    past = past_batches(monitor.baseline, [make_batch(200, seed=seed) for seed in range(1, 8)])
    state, _ = replay(monitor._alarms, past)
    draws = iter(range(10**6))
    found = first_alarms(monitor._alarms, state, lambda: past[next(draws) % 7].facts, name="quiet")
    assert found == {"changed": 0, "material": 0}

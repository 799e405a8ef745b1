from __future__ import annotations

from tests.monitoring.conftest import make_batch

from shiftproof.monitoring import Monitor
from shiftproof.monitoring.rehearsal._past import past_batches
from shiftproof.monitoring.rehearsal._replay import replay


def test_replay_raises_what_a_monitor_raises(monitor: Monitor) -> None:
    batches = [make_batch(seed=seed, shift=20.0 * (seed > 4)) for seed in range(1, 8)]
    past = past_batches(monitor.baseline, batches)
    _, raised = replay(monitor._alarms, past)
    updates = [monitor.add(batch, id=one.name) for batch, one in zip(batches, past, strict=True)]
    first = next(update for update in updates if update.opened)
    assert [one.level for one in raised if one.batch == raised[0].batch] == [one.level for one in first.opened]
    assert raised[0].batch == first.id
    assert "age" in raised[0].columns


def test_replay_of_a_quiet_past_raises_nothing(monitor: Monitor) -> None:
    past = past_batches(monitor.baseline, [make_batch(seed=seed) for seed in range(1, 8)])
    state, raised = replay(monitor._alarms, past)
    assert raised == []
    assert state.batches["changed"] == 7

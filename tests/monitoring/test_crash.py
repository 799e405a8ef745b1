"""What happens if a program dies while it adds a batch, or if many add at the same time."""

from __future__ import annotations

import os
import random
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import text
from tests._stores import Place, Stores
from tests.monitoring.conftest import make_batch

from shiftproof.monitoring import Monitor
from shiftproof.monitoring.alarms import State

LONGER = int(os.environ.get("SIMULATIONS", "1"))
KILLS = 10 if LONGER == 1 else 200
WRITERS, EACH = 8, 5 if LONGER == 1 else 50
BATCHES = [make_batch(50, shift=3.0 * (day >= 4), seed=day) for day in range(8)]

# Python warns of forks beside threads; the children only compute, write and end.
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")


def state_of(monitor: Monitor) -> bytes | None:
    with monitor._store.log(monitor._key) as log:
        return log.state()


@dataclass(frozen=True)
class Quiet:
    """What batches leave if nothing crashes.

    Parameters
    ----------
    states : list of bytes or None
        The states before and after every batch.
    seconds : float
        What a batch takes.
    """

    states: list[bytes | None]
    seconds: float


@pytest.fixture(scope="module")
def quiet(empty_store: Place, stores: Stores) -> Quiet:
    monitor = Monitor(stores.copy(empty_store))
    states, began = [state_of(monitor)], time.monotonic()
    for day, batch in enumerate(BATCHES):
        # The first one compiles.
        began = time.monotonic() if day == 1 else began
        monitor.add(batch, id=f"day {day}")
        states.append(state_of(monitor))
    return Quiet(states, (time.monotonic() - began) / (len(BATCHES) - 1))


def killed_child(store: Place, n_before: int, seconds: float) -> set[str]:
    """Kill a process some time after it added a number of batches; return the names of those that it acknowledged."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            monitor = Monitor(store)
            os.write(writing, b"opened\n")
            for day, batch in enumerate(BATCHES):
                os.write(writing, f"{monitor.add(batch, id=f'day {day}').id}\n".encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        lines = [pipe.readline() for _ in range(1 + n_before)]
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return {line.rstrip("\n") for line in (*lines, *pipe)} - {"opened"}


def test_kill_leaves_no_batch_half_there_and_none_missing(empty_store: Place, stores: Stores, quiet: Quiet) -> None:
    chance = random.Random(0)  # noqa: S311 - moments, not secrets
    interrupted = 0
    for _ in range(KILLS):
        store = stores.copy(empty_store)
        acknowledged = killed_child(store, chance.randrange(len(BATCHES)), chance.uniform(0.0, quiet.seconds))
        monitor = Monitor(store)
        names = [line.batch.id for line in monitor.status().recent]
        assert acknowledged <= {*names}
        assert len(names) <= len(acknowledged) + 1
        with monitor._store.log(monitor._key) as log:
            batches = [log.find(name) for name in names]
            n_readings = len(log.readings())
        assert n_readings == len(names)
        assert all(batch is not None and len(batch.columns) == 4 and len(batch.figures) == 7 for batch in batches)
        assert state_of(monitor) == quiet.states[len(names)]
        interrupted += 0 < len(names) < len(BATCHES)
        for day, batch in enumerate(BATCHES):
            monitor.add(batch, id=f"day {day}")
        assert state_of(monitor) == quiet.states[-1]
        if isinstance(store, Path):
            with monitor._store.reading() as connection:
                assert connection.scalar(text("PRAGMA integrity_check")) == "ok"
    # The moments are random: most of them must lie between the first and the last batch.
    assert interrupted >= KILLS / 2


def test_eight_writers_lose_nothing(store: Place) -> None:
    children = []
    for writer in range(WRITERS):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                monitor = Monitor(store)
                for number in range(EACH):
                    monitor.add(make_batch(50, seed=1000 * writer + number), id=f"{writer}: {number}")
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * WRITERS
    monitor = Monitor(store)
    assert {*monitor.history()["batch"]} == {
        f"{writer}: {number}" for writer in range(WRITERS) for number in range(EACH)
    }
    # Whatever the order was, the state is that of the batches in that order.
    with monitor._store.log(monitor._key) as log:
        order = [batch.id for batch in log.recent(WRITERS * EACH)]
        state = log.state()
    replayed = monitor._alarms.start()
    for name in order:
        writer, number = map(int, name.split(": "))
        facts = monitor.baseline.summarise(make_batch(50, seed=1000 * writer + number)).facts
        replayed, _ = monitor._alarms.step(replayed, facts, name)
    stored = State.from_bytes(state or b"")
    # A false alarm, which 400 batches may have, sets the pool before it aside; nothing else may differ.
    assert State(stored.batches, {**stored.arrays, "before": replayed.arrays["before"]}) == replayed

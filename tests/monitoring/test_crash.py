"""What happens if a program dies while it adds a batch, or if many add at the same time."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest
from sqlalchemy import text
from tests._stores import Place, Stores
from tests.monitoring.conftest import make_batch

from shiftproof.monitoring import Monitor

LONGER = int(os.environ.get("SIMULATIONS", "1"))
KILLS = 10 if LONGER == 1 else 200
WRITERS, EACH = 8, 5 if LONGER == 1 else 50
BATCHES = [make_batch(50, shift=3.0 * (day >= 4), seed=day) for day in range(8)]

# Python warns of forks beside threads; the children only compute, write and end.
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")


def state_of(monitor: Monitor) -> bytes | None:
    with monitor._store.log(monitor._key) as log:
        return log.state()


@pytest.fixture(scope="module")
def states(empty_store: Place, stores: Stores) -> list[bytes | None]:
    """Return the states before and after every batch, if nothing crashes."""
    monitor = Monitor(stores.copy(empty_store))
    states = [state_of(monitor)]
    for day, batch in enumerate(BATCHES):
        monitor.add(batch, id=f"day {day}")
        states.append(state_of(monitor))
    return states


def killed_child(store: Place, seconds: float) -> set[str]:
    """Add batches in another process until it is killed; return the names of those that it acknowledged."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            monitor = Monitor(store)
            for day, batch in enumerate(BATCHES):
                os.write(writing, f"{monitor.add(batch, id=f'day {day}').id}\n".encode())
        finally:
            os._exit(0)
    os.close(writing)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        return {*pipe.read().split("\n")} - {""}


def test_kill_leaves_no_batch_half_there_and_none_missing(
    empty_store: Place, stores: Stores, states: list[bytes | None]
) -> None:
    chance = random.Random(0)  # noqa: S311 - moments, not secrets
    interrupted = 0
    for _ in range(KILLS):
        store = stores.copy(empty_store)
        acknowledged = killed_child(store, chance.uniform(0.0, 0.35))
        monitor = Monitor(store)
        names = [line.batch.id for line in monitor.status().recent]
        assert acknowledged <= {*names}
        assert len(names) <= len(acknowledged) + 1
        with monitor._store.log(monitor._key) as log:
            batches = [log.find(name) for name in names]
            n_readings = len(log.readings())
        assert n_readings == len(names)
        assert all(batch is not None and len(batch.columns) == 4 and len(batch.figures) == 6 for batch in batches)
        assert state_of(monitor) == states[len(names)]
        interrupted += 0 < len(names) < len(BATCHES)
        for day, batch in enumerate(BATCHES):
            monitor.add(batch, id=f"day {day}")
        assert state_of(monitor) == states[-1]
        if isinstance(store, Path):
            with monitor._store.reading() as connection:
                assert connection.scalar(text("PRAGMA integrity_check")) == "ok"
    # The moments are random: not all of them may lie before or after the batches.
    assert interrupted >= KILLS / 10


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
    assert replayed.to_bytes() == state

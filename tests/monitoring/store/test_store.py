from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from shiftproof.monitoring.store import BatchRecord, Store

Record = Callable[..., BatchRecord]


def test_store_that_is_opened_again_has_what_was_written(store: Store, record: Record) -> None:
    with store.log(1, write=True) as log:
        log.append(record(0), b"reading")
    with Store(store.place).log(1) as log:
        assert log.count() == (1, 100)


def test_error_within_a_transaction_leaves_no_trace(store: Store, record: Record) -> None:
    with suppress(ZeroDivisionError), store.log(1, write=True) as log:
        log.append(record(0), b"reading")
        log.replace_state(b"state")
        _ = 1 / 0
    with store.log(1) as log:
        assert (log.count(), log.state(), log.readings()) == ((0, 0), None, [])


def count(store: Store) -> int:
    with store.log(1) as log:
        return log.count()[0]


def add(store: Store, batch: BatchRecord) -> None:
    with store.log(1, write=True) as log:
        log.append(batch, b"reading")


def test_snapshot_shows_one_moment_to_its_thread_alone(store: Store, record: Record) -> None:
    add(store, record(0))
    with store.snapshot(), ThreadPoolExecutor(1) as others:
        assert count(store) == 1
        add(store, record(1))
        with store.snapshot():
            assert count(store) == 1
        assert count(store) == 1
        assert others.submit(count, store).result() == 2
    assert count(store) == 2


def test_snapshot_ends_with_an_error(store: Store, record: Record) -> None:
    with suppress(ZeroDivisionError), store.snapshot():
        _ = count(store) / 0
    add(store, record(0))
    assert count(store) == 1

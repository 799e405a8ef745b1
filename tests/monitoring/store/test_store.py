from __future__ import annotations

from collections.abc import Callable
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

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from shiftproof.core import StoreError
from shiftproof.monitoring.store import BatchRecord, Store

Record = Callable[..., BatchRecord]


def test_store_that_is_opened_again_has_what_was_written(store: Store, record: Record) -> None:
    with store.log(1, write=True) as log:
        log.append(record(0), b"reading")
    with Store(store.path).log(1) as log:
        assert log.count() == (1, 100)


def test_error_within_a_transaction_leaves_no_trace(store: Store, record: Record) -> None:
    with suppress(ZeroDivisionError), store.log(1, write=True) as log:
        log.append(record(0), b"reading")
        log.replace_state(b"state")
        _ = 1 / 0
    with store.log(1) as log:
        assert (log.count(), log.state(), log.readings()) == ((0, 0), None, [])


def test_store_that_does_not_exist_is_not_created_by_opening(store: Store) -> None:
    other = store.path.with_name("other.db")
    with pytest.raises(StoreError) as caught:
        Store(other)
    assert str(caught.value) == (
        f"{other}: there is no such store; create one by shiftproof monitor init or a baseline."
    )
    assert not other.exists()

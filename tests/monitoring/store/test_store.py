from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from shiftproof.core import StoreError
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


def test_store_that_does_not_exist_is_not_created_by_opening(store: Store) -> None:
    other = Path(store.place).with_name("other.db")
    with pytest.raises(StoreError) as caught:
        Store(other)
    assert str(caught.value) == (
        f"{other}: there is no such store; create one with shiftproof monitor init or a baseline."
    )
    assert not other.exists()


def test_store_that_was_deleted_is_not_created_again(store: Store, record: Record) -> None:
    Path(store.place).unlink()
    with pytest.raises(StoreError) as caught, store.log(1, write=True) as log:
        log.append(record(0), b"")
    assert str(caught.value) == (
        f"{store.place}: the file cannot be opened; check that its folder exists and may be read and written."
    )
    assert not Path(store.place).exists()


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a folder that nobody can write to")
def test_store_in_a_folder_that_cannot_be_written_is_refused() -> None:
    with pytest.raises(StoreError) as caught:
        Store("/proc/self/monitor.db", create=True)
    assert str(caught.value) == (
        "/proc/self/monitor.db: the file cannot be opened; check that its folder exists and may be read and written."
    )

from __future__ import annotations

import pytest
from sqlalchemy import Executable, delete, update
from tests.monitoring.store.conftest import START

from shiftproof.core import StoreError
from shiftproof.monitoring.store import MonitorRecord, Store, baseline_files, find_monitor, monitor_names
from shiftproof.monitoring.store import _schema as schema


def test_monitor_is_read_as_it_was_created(store: Store) -> None:
    with store.reading() as connection:
        assert monitor_names(connection) == ["default"]
        assert find_monitor(connection, "default") == MonitorRecord(
            key=1, name="default", created=START, settings={"alpha": 0.05}
        )
        assert find_monitor(connection, "other") is None
        assert baseline_files(connection, 1, store.place) == {"counts.parquet": b"123"}


@pytest.mark.parametrize("damage", [update(schema.baseline_files).values(content=b"0"), delete(schema.baseline_files)])
def test_damaged_baseline_is_refused(store: Store, damage: Executable) -> None:
    with store.writing() as connection:
        connection.execute(damage)
    with pytest.raises(StoreError) as caught, store.reading() as connection:
        baseline_files(connection, 1, store.place)
    assert str(caught.value) == (
        f"{store.place}: the baseline in this store is damaged (wrong checksum); restore it from a copy."
    )

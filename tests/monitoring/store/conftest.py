"""A store with one monitor, and batches to put into it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from tests._stores import Stores

from shiftproof.monitoring.store import BatchRecord, ColumnRecord, FigureRecord, Store, create_monitor

START = datetime(2024, 1, 1, tzinfo=UTC)


@pytest.fixture
def store(stores: Stores) -> Store:
    """Return an empty store with a monitor whose key is 1."""
    store = Store(stores.new(), create=True)
    with store.writing() as connection:
        create_monitor(connection, "default", START, {"alpha": 0.05}, {"counts.parquet": b"123"})
    return store


def make_record(day: int, name: str = "") -> BatchRecord:
    """Return a batch of the n-th day with one quantity and one column."""
    column = ColumnRecord(
        name="age",
        measure="ks",
        distance=0.1,
        p_value=float("nan"),
        missing=0.0,
        p_missing=1.0,
        unseen=0.25,
        changed=1.5,
        material=-0.5,
    )
    return BatchRecord(
        number=0,
        id=name or f"day {day}",
        checksum=f"hash {day}",
        at=START + timedelta(days=day),
        arrived=START + timedelta(days=day, hours=3),
        n_rows=100 + day,
        facts={"shift": "none"},
        figures=(FigureRecord(quantity="accuracy", subject="", estimate=0.8, low=0.7, high=0.9, level=0.9),),
        columns=(column,),
    )


@pytest.fixture
def record() -> Callable[..., BatchRecord]:
    """Make batches."""
    return make_record

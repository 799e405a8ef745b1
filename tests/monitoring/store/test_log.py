from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from math import isnan

import pytest
from sqlalchemy import update
from tests.monitoring.store.conftest import START

from shiftproof.core import StoreError
from shiftproof.monitoring.store import KEPT_READINGS, BatchRecord, IncidentRecord, Store, create_monitor
from shiftproof.monitoring.store import _schema as schema

Record = Callable[..., BatchRecord]


def incident(raised: int = 1) -> IncidentRecord:
    return IncidentRecord(
        number=0,
        level="material",
        raised=raised,
        first=1,
        last=raised,
        likeliest=1,
        columns=("age",),
        peak=4.0,
        by_labels=False,
        recovered=None,
        acknowledged=None,
        reason="",
        how="",
    )


def test_find_returns_a_batch_as_it_was_appended(store: Store, record: Record) -> None:
    with store.log(1, write=True) as log:
        written = log.append(record(0), b"reading")
        read = log.find("day 0")
        assert log.find("day 1") is None
    assert read is not None
    assert replace(read, columns=()) == replace(written, columns=())
    # NaN is not equal to itself.
    assert isnan(read.columns[0].p_value)
    assert replace(read.columns[0], p_value=0.0) == replace(written.columns[0], p_value=0.0)
    assert read.figure("accuracy") == written.figures[0]
    assert read.figure("share", "1") is None


def test_batch_is_found_by_its_content(store: Store, record: Record) -> None:
    with store.log(1, write=True) as log:
        for name in ("first", "second"):
            log.append(record(0, name), b"")
        found = log.of_content("hash 0")
        assert (found and found.id, log.of_content("hash 1")) == ("first", None)


def test_same_id_cannot_be_written_twice(store: Store, record: Record) -> None:
    with store.log(1, write=True) as log:
        log.append(record(0), b"")
    with pytest.raises(StoreError), store.log(1, write=True) as log:
        log.append(record(0), b"")


def test_readings_are_kept_for_the_last_batches_only(
    store: Store, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shiftproof.monitoring.store._log.KEPT_READINGS", 3)
    with store.log(1, write=True) as log:
        for day in range(5):
            log.append(record(day), b"%d" % day)
        assert log.readings() == [(3, b"2"), (4, b"3"), (5, b"4")]
    assert KEPT_READINGS == 256


def test_state_is_replaced_and_checked(store: Store) -> None:
    with store.log(1, write=True) as log:
        log.replace_state(b"one")
        log.replace_state(b"two")
        assert log.state() == b"two"
    with store.writing() as connection:
        connection.execute(update(schema.states).values(content=b"0"))
    with pytest.raises(StoreError) as caught, store.log(1) as log:
        log.state()
    assert str(caught.value) == (
        f"{store.place}: the state of the alarms is damaged (wrong checksum); restore it from a copy."
    )


def test_rows_come_by_time_and_not_by_arrival(store: Store, record: Record) -> None:
    with store.log(1, write=True) as log:
        for day in (2, 0, 1):
            log.append(record(day), b"")
        rows = [row for chunk in log.rows(schema.figures, chunk=2) for row in chunk]
        assert [row[0] for row in rows] == ["day 0", "day 1", "day 2"]
        assert [batch.id for batch in log.recent(2)] == ["day 0", "day 1"]
        assert [batch.columns for batch in log.recent(2)] == [(), ()]


def test_batches_of_another_monitor_are_not_seen(store: Store, record: Record) -> None:
    with store.writing() as connection:
        other = create_monitor(connection, "other", START, {}, {"a": b""})
    with store.log(1, write=True) as log:
        log.append(record(0), b"")
    with store.log(other.key, write=True) as log:
        log.append(record(0), b"")
        log.append(record(1), b"")
        assert log.count() == (2, 201)
        log.remember_file("day 1", (9, 2**60))
        assert log.files() == {"day 1": (9, 2**60)}
        assert [[figure.estimate for figure in batch.figures] for batch in log.recent(9)] == [[0.8], [0.8]]
    with store.log(1) as log:
        assert (log.count(), log.files()) == ((1, 100), {})


def test_incident_is_opened_followed_and_closed(store: Store, record: Record) -> None:
    with store.log(1, write=True) as log:
        log.append(record(0), b"")
        log.append(record(1), b"")
        opened = log.open_incident(incident())
        assert log.incidents(only_open=True) == [opened]
        log.follow_incident(opened.number, peak=9.0, recovered=2, columns=("a", "b"))
        log.close_incident(opened.number, when=START, reason="known campaign", how="accept")
        assert log.incidents(only_open=True) == []
        assert log.incidents() == [
            replace(
                opened,
                peak=9.0,
                recovered=2,
                columns=("a", "b"),
                acknowledged=START,
                reason="known campaign",
                how="accept",
            )
        ]


def test_prune_deletes_figures_and_keeps_names(store: Store, record: Record) -> None:
    with store.log(1, write=True) as log:
        for day in range(3):
            log.append(record(day), b"")
        assert log.prune(START + timedelta(days=2)) == 2
        assert log.prune(START + timedelta(days=2)) == 0
        kept = log.find("day 0")
        assert kept is not None
        assert (kept.checksum, kept.figures, kept.columns) == ("hash 0", (), ())
        assert len(log.recent(3)[-1].figures) == 1

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.monitoring.store.conftest import START
from tests.monitoring.store.test_labels import COMPARISON

from shiftproof.monitoring.store import (
    BatchRecord,
    ChannelRecord,
    IncidentRecord,
    Pulse,
    Store,
    before,
    create_monitor,
    every_monitor,
)

Record = Callable[..., BatchRecord]


@pytest.fixture
def filled(store: Store, record: Record) -> Store:
    """Return a store with four batches, of which the last arrived is the second in time."""
    with store.log(1, write=True) as log:
        for day in (0, 2, 3, 1):
            log.append(record(day), b"")
    return store


def incident(raised: int) -> IncidentRecord:
    return IncidentRecord(
        number=0, level="material", raised=raised, first=raised, last=raised, likeliest=raised, columns=("age",),
        peak=4.0, by_labels=False, recovered=None, acknowledged=None, reason="", how="",
    )  # fmt: skip


def test_neighbours_go_by_time(filled: Store) -> None:
    with filled.pages(1) as pages:
        assert [pages.neighbours(number) for number in (1, 4, 2, 3)] == [(None, 4), (1, 2), (4, 3), (2, None)]


def test_latest_batches_of_a_range(filled: Store) -> None:
    with filled.pages(1) as pages:
        assert pages.latest(3) == [3, 2, 4]
        assert pages.latest(9, since=START + timedelta(days=1), until=START + timedelta(days=2)) == [2, 4]
        assert pages.nth_latest_time(2) == START + timedelta(days=1)
        assert pages.nth_latest_time(4) is None


def test_names_are_those_of_the_monitor(filled: Store, record: Record) -> None:
    with filled.pages(1) as pages:
        assert pages.batch_id(2) == record(2).id
        assert pages.batch_id(99) is None
    with filled.pages(2) as pages:
        assert pages.batch_id(2) is None


def test_distances_by_column_and_batch(filled: Store, record: Record) -> None:
    with filled.pages(1) as pages:
        found = pages.distances([1, 3])
        assert pages.distances([]) == {}
    expected = {one.name: one.distance for one in record(0).columns if one.distance == one.distance}
    assert {name: known[1] for name, known in found.items()} == expected
    assert all(sorted(known) == [1, 3] for known in found.values())


def test_figures_come_in_parts(filled: Store) -> None:
    after, seen = before(START + timedelta(days=1)), []
    with filled.pages(1) as pages:
        while True:
            rows, onward = pages.figures(pages.figure_table, after, segment="", until=None, count=2)
            if onward is None:
                break
            seen.append([*dict.fromkeys(row["number"] for row in rows)])
            after = onward
        rows, _ = pages.figures(pages.column_table, before(None), segment="", until=START, only={"name": "age"})
    assert seen == [[4, 2], [3]]
    assert [(row["number"], row["name"], row["at"]) for row in rows] == [(1, "age", START)]


def test_the_pulse_changes_with_batches_labels_and_incidents(store: Store, record: Record) -> None:
    pulses = []

    def feel() -> None:
        with store.pages(1) as pages:
            pulses.append(pages.pulse())

    feel()
    with store.log(1, write=True) as log:
        log.append(record(0), b"")
    feel()
    with store.log(1, write=True) as log:
        log.labels.compare(COMPARISON)
    feel()
    with store.log(1, write=True) as log:
        opened = log.open_incident(incident(1))
    feel()
    with store.log(1, write=True) as log:
        log.close_incident(opened.number, when=START, reason="seen", how="restart")
    feel()
    assert len({*pulses}) == 5
    assert pulses[0] == Pulse(last_batch=0, last_labels=0, n_incidents=0, n_closed=0, n_recovered=0)
    assert (pulses[-1].n_incidents, pulses[-1].n_closed) == (1, 1)


def test_messages_about_an_incident(store: Store, record: Record) -> None:
    channel = ChannelRecord(
        number=0, monitor=1, name="hook", kind="webhook", settings={}, levels=("material",), events=("opened",)
    )
    with store.log(1, write=True) as log:
        log.append(record(0), b"")
        number = log.open_incident(incident(1)).number
        log.outbox.add_channel(channel, START)
        added = log.outbox.channels(1)[0]
        log.outbox.post(added.number, number, {"event": "opened", "headline": "Alarm"}, START)
    with store.pages(1) as pages:
        (sent,) = pages.alerts(number)
        assert pages.alerts(number + 1) == []
    assert (sent.channel, sent.event, sent.headline, sent.created, sent.delivered) == (
        "hook", "opened", "Alarm", START, None,
    )  # fmt: skip


def test_every_monitor_in_the_order_of_creation(store: Store) -> None:
    with store.writing() as connection:
        create_monitor(connection, "a second", datetime(2024, 1, 1, tzinfo=UTC), {}, {"file": b""})
        names = [one.name for one in every_monitor(connection)]
    assert names[-1] == "a second"


def test_a_batch_with_its_figures_by_number(filled: Store, record: Record) -> None:
    with filled.log(1) as log:
        assert [one.number for one in log.batches([3, 1])] == [1, 3]
        assert log.batches([1])[0].figures == replace(record(0)).figures

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from tests._stores import Place, Stores
from tests.monitoring.conftest import make_batch, make_table

from shiftproof.core import StoreError
from shiftproof.monitoring import Baseline, Monitor
from shiftproof.monitoring._reader import MonitorReader, StoreReader, actual_accuracy
from shiftproof.monitoring._times import utc
from shiftproof.monitoring.store import FigureLine


@pytest.fixture(scope="module")
def reader(watched: Monitor) -> MonitorReader:
    return StoreReader(watched.store).monitors()[0]


def test_there_must_be_a_store(stores: Stores) -> None:
    with pytest.raises(StoreError, match="the store does not exist"):
        StoreReader(stores.new())


def test_monitors_are_opened_once(store: Place, baseline: Baseline) -> None:
    source = StoreReader(store)
    (first,) = source.monitors()
    Monitor(store, baseline, name="second")
    again, second = source.monitors()
    assert again is first
    assert (second.name, source.monitor(second.key), source.monitor(99)) == ("second", second, None)
    assert source.place == str(first.monitor.store)


def test_classes_and_scores(reader: MonitorReader) -> None:
    assert (reader.classes, reader.score_columns) == (("no", "yes"), ("p",))


def test_without_scores_there_are_none(stores: Stores) -> None:
    place = stores.new()
    Monitor(place, Baseline.of(make_batch(200)))
    bare = StoreReader(place).monitors()[0]
    assert (bare.classes, bare.score_columns) == ((), ())


def test_a_batch_is_the_one_that_was_returned(reader: MonitorReader, watched: Monitor) -> None:
    last = watched.status().last
    assert last is not None
    again = reader.batch(last.batch.number)
    assert again is not None
    assert again.to_dict() == last.to_dict()
    assert reader.batch(999) is None


def test_batches_of_a_range_the_latest_first(reader: MonitorReader) -> None:
    lines = reader.lines(2, until=utc("2024-03-05"))
    assert [line.batch.id for line in lines] == ["day 4", "day 3"]
    assert reader.neighbours(lines[0].batch.number) == (4, 6)
    assert reader.lately(4) == utc("2024-03-06")
    assert reader.lately(10) is None


def test_the_course_has_the_figures_of_the_history(reader: MonitorReader, watched: Monitor) -> None:
    spans = reader.course([FigureLine("accuracy")])
    frame = watched.history()
    known = frame[frame["quantity"] == "accuracy"]["estimate"].tolist()
    assert [span.points[0].last for span in spans] == known
    assert actual_accuracy(spans[0]) is None
    labelled = actual_accuracy(replace(spans[0], n_labels=20, n_right=15, n_labelled_rows=5000))
    assert str(labelled) == "0.750 [0.568, 0.872]"


def test_distances_of_the_latest_batches(reader: MonitorReader) -> None:
    by_column = reader.distances(5)
    assert sorted(by_column) == ["age", "gap", "job", "p"]
    ages = by_column["age"]
    # The sixth to the eighth of ten batches are shifted.
    assert min(one for one in ages[:3] if one is not None) > 0.4
    assert max(one for one in ages[3:] if one is not None) < 0.3


def test_old_and_new_of_a_recent_batch(reader: MonitorReader) -> None:
    columns = reader.old_and_new(1)
    assert columns["age"].new.sum() == 200
    assert reader.old_and_new(999) == {}


def test_figures_of_all_batches_and_of_one_column(reader: MonitorReader) -> None:
    rows = [*reader.every_figure(since=utc("2024-03-09"))]
    assert {row["id"] for row in rows} == {"day 8", "day 9"}
    assert {row["quantity"] for row in rows} == {"accuracy", "share", "loss chance", "evidence"}
    ages = [*reader.every_figure(column="age", until=utc("2024-03-01"))]
    assert [(row["id"], row["name"], row["n_rows"]) for row in ages] == [("day 0", "age", 200)]


def test_the_pulse_of_a_store_follows_its_monitors(store: Place) -> None:
    source = StoreReader(store)
    before = source.pulses()
    Monitor(store).add(make_batch(200, seed=5), id="one")
    assert source.pulses() != before
    assert source.pulses() == source.pulses()


def test_incidents_and_their_messages(reader: MonitorReader) -> None:
    incidents = reader.status().incidents
    assert reader.incident(incidents[0].number) == incidents[0]
    assert reader.incident(999) is None
    assert reader.alerts(incidents[0].number) == []


def test_labels_show_the_actual_accuracy_over_time(store: Place) -> None:
    monitor = Monitor(store)
    table = make_table(200, seed=4)
    labels = table.pop("y")
    monitor.add(table, at="2024-01-01", id="one")
    monitor.label("one", {int(row): labels[row] for row in monitor.plan("one", 40).rows})
    (span,) = StoreReader(store).monitors()[0].course([FigureLine("accuracy")])
    actual = actual_accuracy(span)
    update = monitor.status().last
    assert update is not None
    assert update.labels is not None
    assert actual == update.labels.alone
    assert span.end - span.start == timedelta(0)

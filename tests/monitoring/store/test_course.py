from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.monitoring.store.conftest import START
from tests.monitoring.store.test_labels import COMPARISON

from shiftproof.monitoring.store import (
    BatchRecord,
    ColumnLine,
    CoursePoint,
    CourseSpan,
    FigureLine,
    FigureRecord,
    Store,
    read_course,
)

Record = Callable[..., BatchRecord]
ACCURACY = FigureLine("accuracy")


def figure(value: float) -> FigureRecord:
    return FigureRecord(quantity="accuracy", subject="", estimate=value, low=value - 0.1, high=value + 0.2, level=0.9)


def write(store: Store, record: Record, values: list[float | None], *, days: list[float] | None = None) -> None:
    """Write a batch per value, a day apart or at other days."""
    with store.log(1, write=True) as log:
        for place, value in enumerate(values):
            at = START + timedelta(days=place if days is None else days[place])
            log.append(replace(record(place), at=at, figures=() if value is None else (figure(value),)), b"")


def course(store: Store, *lines: FigureLine | ColumnLine, **options: object) -> list[CourseSpan]:
    with store.reading() as connection:
        return read_course(connection, 1, lines or (ACCURACY,), **options)  # type: ignore[arg-type]


def test_few_batches_are_spans_of_their_own(store: Store, record: Record) -> None:
    write(store, record, [0.8, None, 0.6], days=[2, 0, 0])
    spans = course(store, most=3)
    assert [(one.first_number, one.last_number, one.n_batches) for one in spans] == [(2, 2, 1), (3, 3, 1), (1, 1, 1)]
    assert spans[0].points == (CoursePoint(first=None, least=None, most=None, last=None),)
    point = spans[1].points[0]
    assert (point.first, point.least, point.most, point.last) == (0.6,) * 4
    assert (point.low, point.high) == pytest.approx((0.5, 0.8))


def test_a_span_has_its_first_least_most_and_last_value(store: Store, record: Record) -> None:
    write(store, record, [0.5, 0.9, 0.1, 0.6, 0.7, 0.7, 0.2, 0.3])
    spans = course(store, most=2)
    assert [(one.n_batches, one.first_number, one.last_number) for one in spans] == [(4, 1, 4), (4, 5, 8)]
    assert [(one.start, one.end) for one in spans] == [
        (START, START + timedelta(days=3)),
        (START + timedelta(days=4), START + timedelta(days=7)),
    ]
    first, second = (one.points[0] for one in spans)
    assert (first.first, first.least, first.most, first.last) == (0.5, 0.1, 0.9, 0.6)
    assert (second.first, second.least, second.most, second.last) == (0.7, 0.2, 0.7, 0.3)
    assert (first.low, first.high) == pytest.approx((0.0, 1.1))


def test_batches_of_one_time_follow_each_other_as_they_arrived(store: Store, record: Record) -> None:
    write(store, record, [0.5, 0.9, 0.1], days=[0, 0, 0])
    (span,) = course(store, most=1)
    assert (span.first_number, span.last_number) == (1, 3)
    assert (span.points[0].first, span.points[0].last) == (0.5, 0.1)


def test_a_range_of_time_has_its_ends(store: Store, record: Record) -> None:
    write(store, record, [0.1, 0.2, 0.3, 0.4])
    spans = course(store, since=START + timedelta(days=1), until=START + timedelta(days=2))
    assert [one.points[0].first for one in spans] == [0.2, 0.3]
    assert course(store, since=START + timedelta(days=9)) == []


def test_other_monitors_and_segments_are_left_out(store: Store, record: Record) -> None:
    write(store, record, [0.1])
    assert course(store, segment="north")[0].points[0].first is None
    with store.reading() as connection:
        assert read_course(connection, 2, [ACCURACY]) == []


def test_several_lines_are_read_at_once(store: Store, record: Record) -> None:
    with store.log(1, write=True) as log:
        batch = log.append(record(0), b"")
    lines: list[FigureLine | ColumnLine] = [
        ACCURACY,
        FigureLine("share", "yes"),
        ColumnLine("age"),
        ColumnLine("age", "unseen"),
    ]
    (span,) = course(store, *lines)
    assert span.last_number == batch.number
    assert [point.first for point in span.points] == [0.8, None, 0.1, 0.25]


def test_labels_of_a_span_are_added_up(store: Store, record: Record) -> None:
    write(store, record, [0.5, 0.9, 0.1])
    with store.log(1, write=True) as log:
        for batch in (1, 3):
            log.labels.compare(replace(COMPARISON, batch=batch, n_used=20, n_right=15))
    rows = [record(day).n_rows for day in (0, 2)]
    (span,) = course(store, most=1)
    assert (span.n_labels, span.n_right, span.n_labelled_rows) == (40, 30, sum(rows))
    assert [one.n_labels for one in course(store)] == [20, 0, 20]


def test_times_may_be_as_far_apart_as_times_can_be(store: Store, record: Record) -> None:
    write(store, record, [0.1, 0.2, 0.3], days=[0, 3, 2_900_000])
    assert [one.n_batches for one in course(store, most=2)] == [2, 1]

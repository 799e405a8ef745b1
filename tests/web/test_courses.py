from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.monitoring import _made as made

from shiftproof.monitoring import LevelEvidence
from shiftproof.monitoring.imports import ImportedLine
from shiftproof.monitoring.store import ColumnLine, CoursePoint, CourseSpan, FigureLine
from shiftproof.web._courses import (
    LEVELS,
    Course,
    accuracy_chart,
    course_lines,
    distance_chart,
    evidence_chart,
    evidence_lines,
    lanes,
    level_chart,
    shares_chart,
    without_small_estimates,
)
from shiftproof.web._scale import TimeScale

START = datetime(2024, 3, 1, tzinfo=UTC)
ACCURACY = FigureLine("accuracy")


def span(day: int, *values: float | None, n_batches: int = 1, **fields: Any) -> CourseSpan:
    known: dict[str, Any] = {
        "start": START + timedelta(days=day), "end": START + timedelta(days=day + n_batches - 1),
        "first_number": day, "last_number": day + n_batches - 1, "n_batches": n_batches, "n_rows": 100 * n_batches,
        "n_labels": 0, "n_right": 0, "n_labelled_rows": 0,
        "points": tuple(
            CoursePoint(first=one, least=one, most=one, last=one, low=one and one - 0.1, high=one and one + 0.1)
            for one in values
        ),
    }  # fmt: skip
    return CourseSpan(**(known | fields))


def course(spans: list[CourseSpan], *lines: FigureLine | ColumnLine) -> Course:
    return Course(
        lines=lines or (ACCURACY,),
        spans=spans,
        times=TimeScale.around([spans[0].start, spans[-1].end]),
        batch_url=lambda number: f"/batches/{number}",
        range_url=lambda start, end: f"/?from={start:%d}&to={end:%d}",
    )


def test_a_batch_is_a_point_and_a_span_is_four() -> None:
    wide = CoursePoint(first=0.5, least=0.1, most=0.9, last=0.6, low=0.0, high=1.0)
    found = course([span(0, 0.5), span(1, n_batches=3, points=(wide,)), span(4, None)]).points(ACCURACY)
    assert [point.y for point in found] == [0.5, 0.5, 0.1, 0.9, 0.6, None]
    assert {(point.low, point.high) for point in found[1:5]} == {(0.0, 1.0)}
    assert [point.x for point in found] == sorted(point.x for point in found)


def test_a_span_without_any_value_is_a_gap() -> None:
    empty = CoursePoint(first=None, least=None, most=None, last=None)
    found = course([span(0, n_batches=2, points=(empty,))]).points(ACCURACY)
    assert [point.y for point in found] == [None]


def test_spans_of_a_few_rows_have_no_estimates_but_evidence() -> None:
    lines = [ACCURACY, FigureLine("evidence", "harm"), FigureLine("share", "yes")]
    few, enough = without_small_estimates([span(0, 0.5, 2.0, 0.3, n_rows=19), span(1, 0.5, 2.0, 0.3)], lines)
    assert [point.first for point in few.points] == [None, 2.0, None]
    assert [point.first for point in enough.points] == [0.5, 2.0, 0.3]


def test_hits_cover_the_width_and_lead_on() -> None:
    wide = CoursePoint(first=0.5, least=0.5, most=0.5, last=0.5)
    hits = course([span(0, 0.5), span(1, n_batches=3, points=(wide,)), span(4, 0.5)]).hits(lambda _: "words")
    assert (hits[0].start, hits[-1].end) == (0.0, 1.0)
    assert [left.end for left in hits[:-1]] == [right.start for right in hits[1:]]
    assert [hit.href for hit in hits] == ["/batches/0", "/?from=02&to=04", "/batches/4"]


def test_accuracy_has_floor_labels_and_words() -> None:
    labelled = span(1, 0.8, n_labels=20, n_right=15, n_labelled_rows=5000)
    chart = accuracy_chart(course([span(0, 0.82), labelled]), made.status())
    assert chart is not None
    assert [name for _, name, _ in chart.key] == [
        "estimated, with interval", "actual, from labels", "floor 78.0%", "validated 83.0%",
    ]  # fmt: skip
    assert chart.hits[1].words == "2024-03-02 · estimated 80.0% [70.0%, 90.0%] · actual 75.0% [56.8%, 87.2%]"
    assert "The last estimate is 80.0%. 1 points have labels." in chart.words


def test_what_other_tools_found_has_points_of_its_own() -> None:
    before = [
        ImportedLine(id=f"nannyml {day}", at=START + timedelta(days=day), n_rows=9, accuracy=one, actual=two)
        for day, one, two in ((0, made.interval(0.9), 0.7), (1, None, None), (99, made.interval(0.1), None))
    ]
    spans = [span(0, 0.82), span(4, 0.8)]
    chart = accuracy_chart(course(spans), made.status(imported=tuple(before)))
    assert chart is not None
    assert [(line.name, [point.y for point in line.points]) for line in chart.points] == [
        ("imported, estimated", [0.9]), ("imported, actual", [0.7]),
    ]  # fmt: skip


def test_without_estimates_there_are_no_charts() -> None:
    lines = (ACCURACY, FigureLine("share", "yes"), ColumnLine("p"))
    bare = course([span(0, None, None, None)], *lines)
    assert accuracy_chart(bare, made.status()) is None
    assert shares_chart(bare) is None
    assert distance_chart(bare, "Score shift", "", 0.1) is None
    assert evidence_chart(bare, {}) is None


def test_evidence_is_a_share_of_an_alarm() -> None:
    lines = [FigureLine("evidence", level) for level in ("harm", "material", "changed")]
    chart = evidence_chart(course([span(0, -1.0, 1.5, 99.0)], *lines), made.status().levels)
    assert chart is not None
    assert chart.words.endswith("Now: material 0%, changed 20%.")
    assert [(line.name, line.points[0].y) for line in chart.lines] == [("material", 0.5), ("changed", 1.4)]


def test_evidence_beyond_the_alarm_is_called_an_alarm_and_not_a_share() -> None:
    lines = [FigureLine("evidence", level) for level in ("harm", "material", "changed")]
    levels = {"harm": made.evidence("harm", 0.0), "changed": made.evidence("changed", 40.0)}
    chart = evidence_chart(course([span(0, 0.0, 0.0, 99.0)], *lines), levels)
    assert chart is not None
    assert chart.words.endswith("Now: harm 0%, changed alarm raised.")


def test_lines_beyond_the_border_do_not_cover_each_other() -> None:
    lines = {level: FigureLine("evidence", level) for level in LEVELS}
    beyond = course([span(0, 99.0, 99.0, 99.0)], *lines.values())
    levels = {level: LevelEvidence(level=level, log_evidence=99.0, log_limit=1.0) for level in LEVELS}
    drawn = evidence_lines(beyond, lines, levels)
    assert len({line.points[0].y for line in drawn}) == 3
    chart = level_chart(beyond, drawn, title="Evidence", words="", help_text="", limit="alarm")
    assert chart.key[-1] == ("alarm", "alarm", "level")


@pytest.mark.parametrize(
    ("classes", "shown"),
    [(["no", "yes"], ["yes"]), (["a", "b", "c"], ["a", "b", "c"]), (["x"] * 9, ["x"] * 5), ([], [])],
)
def test_of_two_classes_one_is_shown(classes: list[str], shown: list[str]) -> None:
    lines = course_lines(classes, ["p"])
    assert [line.subject for line in lines if isinstance(line, FigureLine) and line.quantity == "share"] == shown
    assert lines[-1] == ColumnLine("p")


def test_incidents_are_bars_from_their_beginning() -> None:
    times = TimeScale(START, START + timedelta(days=30))
    over = made.incident(number=5, recovered=made.named(9), acknowledged=START + timedelta(days=400), reason="done")
    pair = lanes([made.incident(), over], times, lambda number: f"/incidents/{number}")
    assert pair is not None
    assert 'href="/incidents/4"' in pair[1]
    assert "#5 closed" in pair[1]
    assert "raised 2024-03-07, open" in pair[1]


def test_incidents_outside_the_range_are_left_out() -> None:
    later = TimeScale(START + timedelta(days=40), START + timedelta(days=50))
    over = made.incident(recovered=made.named(9))
    assert lanes([over], later, str) is None
    assert lanes([made.incident()], later, str) is not None

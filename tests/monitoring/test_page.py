from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.monitoring import _made as made

from shiftproof.core import Interval
from shiftproof.monitoring import Monitor, TrackRecord
from shiftproof.monitoring._label_result import BatchLabels
from shiftproof.monitoring._page import _interval
from shiftproof.reporting import redacted, render


def test_update_page_has_alarms_columns_and_classes() -> None:
    page = made.update().to_page()
    assert [section.anchor for section in page.sections] == ["alarms", "columns", "shares"]
    assert page.verdict == "No alarm."
    html = render(page)
    assert "SECRET" in html
    assert "day 7" in html


def test_redacted_pages_hide_names_of_batches_and_cells() -> None:
    raised = made.incident(recovered=made.named(8))
    update = made.update(opened=(raised,), open_incidents=(raised,))
    for page in (update.to_page(), made.status(incidents=(raised,)).to_page()):
        html = render(redacted(page))
        assert "SECRET" not in html
        assert "day 7" not in html
        assert "batch 7" in html


def test_status_page_has_course_alarms_incidents_and_batches(watched: Monitor, tmp_path: Path) -> None:
    status = watched.status()
    page = status.to_page()
    assert [section.anchor for section in page.sections] == ["course", "alarms", "incidents", "columns", "batches"]
    columns = status.sections().columns
    assert columns is not None
    assert str(columns.text).startswith("Batch 'day 9' compared with the baseline.")
    assert {row[0] for row in columns.rows} == {"p", "age", "gap", "job"}
    assert page.title == "Monitor default"
    assert [note.code for note in status.notes] == ["independent rows"]
    alarms = status.sections().alarms
    assert str(alarms.text).count("independent rows") == 1
    html = status.save(tmp_path / "page.html").read_text(encoding="utf-8")
    assert html.count("<svg") >= 1
    assert "day 5" in html


def test_status_page_gives_the_track_record_once() -> None:
    record = TrackRecord(n_batches=1, n_contained=0, n_labels=50, level=0.9)
    labels = BatchLabels(
        n_labels=50, n_used=50, n_right=35, alone=made.interval(0.7), accuracy=made.interval(0.72), contained=False
    )
    status = made.status(track_record=record)
    lines = tuple(replace(line, labels=labels) for line in status.recent)
    html = render(replace(status, recent=lines).to_page())
    assert html.count("0 of 1") == 1
    # Without the section of labels, the summary has it.
    assert render(status.to_page()).count("0 of 1") == 1


def test_status_page_names_the_monitor_once() -> None:
    assert "monitor" not in made.status().to_page().head
    assert made.status().to_page(title="All of sales").head["monitor"] == "default"


def test_columns_after_the_ten_furthest_are_folded() -> None:
    age = made.update().columns["age"]
    columns = {f"c{place}": replace(age, column=f"c{place}", distance=place / 100) for place in range(21)}
    section = made.status(last=made.update(columns=columns)).sections().columns
    assert section is not None
    assert [row[0] for row in section.rows] == [f"c{place}" for place in range(20, 10, -1)]
    (others,) = section.sections
    assert (others.title, others.folded, len(others.rows)) == ("The other 11 columns", True, 11)
    assert "(11 more not shown)" in section.figures[0].draw()


def test_late_batches_are_marked_and_alarms_stand_beside_the_batch_that_raised_them() -> None:
    times = (1, 3, 2, 4)
    lines = [
        made.line(number, batch=replace(made.named(number), at=made.named(time).at))
        for number, time in enumerate(times, 1)
    ]
    status = made.status(
        recent=tuple(sorted(lines, key=lambda line: line.batch.at)), incidents=(made.incident(raised=made.named(2)),)
    )
    sections = status.sections()
    assert sections.batches is not None
    assert sections.course is not None
    assert [(row[1], str(row[-1])) for row in sections.batches.rows] == [
        ("2024-03-04", ""),
        ("2024-03-03", "material"),
        ("2024-03-02 (late)", ""),
        ("2024-03-01", ""),
    ]
    assert str(sections.course.text).endswith(
        "1 batch arrived late: shown at the time of the data, with the evidence after the batch arrived."
    )


def test_alarms_say_what_they_are_for() -> None:
    assert [row[-1] for row in made.status().sections().alarms.rows] == ["for your information", "look into it"]


def test_labels_of_all_rows_have_no_interval() -> None:
    exact = Interval(estimate=0.55, low=0.55, high=0.55, level=0.9, method="labels of all rows")
    assert _interval(exact) == "55.0%"
    assert _interval(made.interval(0.8)) == "80.0% [77.0%, 83.0%]"


def test_closed_incidents_are_faint() -> None:
    closed = made.incident(acknowledged=made.START, reason="seen")
    section = made.status(incidents=(closed, made.incident(number=5))).sections().incidents
    assert section is not None
    assert section.faint == [1]
    assert [row[-1] for row in section.rows] == ["open", "acknowledged (reason: seen)"]


def test_incident_names_its_first_columns() -> None:
    section = made.status(incidents=(made.incident(columns=tuple("abcdefg")), made.incident())).sections().incidents
    assert section is not None
    assert [row[5] for row in section.rows] == ["age, p", "a, b, c, d, e and 2 more"]


def test_incident_with_one_beginning_names_it_once() -> None:
    one = made.incident(first=made.named(6), last=made.named(6))
    section = made.status(incidents=(one, made.incident())).sections().incidents
    assert section is not None
    assert [str(row[4]) for row in section.rows] == ["'day 6' ('day 5' to 'day 7')", "'day 6'"]

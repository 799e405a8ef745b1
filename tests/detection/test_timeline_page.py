"""The page of a timeline."""

from __future__ import annotations

from pathlib import Path

from shiftproof.detection import Timeline


def test_timeline_page_leaves_out_columns_that_nothing_was_given_for(timeline: Timeline, tmp_path: Path) -> None:
    text = timeline.save(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<strong>1 of 4 months shifted</strong>" in text
    assert "The latest period, 2009-04" in text
    assert "p-value of the scores" not in text
    assert "type of shift" not in text
    assert text.count("<svg") == 2


def test_timeline_sections_list_every_period_with_unbroken_words(timeline: Timeline) -> None:
    periods = timeline.sections().periods
    assert periods.columns[:3] == ("period", "rows", "verdict")
    assert [(row[1], row[2]) for row in periods.rows] == [
        ("200", "no\N{NO-BREAK SPACE}shift"),
        ("200", "shifted"),
        ("0", "cannot\N{NO-BREAK SPACE}tell"),
        ("2", "cannot\N{NO-BREAK SPACE}tell"),
    ]


def test_timeline_page_counts_the_rows_of_all_periods(timeline: Timeline) -> None:
    facts = timeline.to_page().facts
    assert (facts["reference rows"], facts["current rows"], facts["rows without day"]) == ("400", "402", "3")

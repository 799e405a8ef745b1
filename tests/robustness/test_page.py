"""The page of a stress test."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import shiftproof as sp
from shiftproof.robustness._page import _change_text


def test_stress_page_is_whole(stress_result: sp.Stress, tmp_path: Path) -> None:
    path = stress_result.save(tmp_path / "stress.html")
    text = path.read_text(encoding="utf-8")
    for heading in (
        "Which model is robust",
        "How far the features can move",
        "Sensitivity index",
        "Can the shift be detected without labels?",
    ):
        assert heading in text
    assert "<b>$x$</b>" not in text
    assert text.count("<svg") == 9
    assert stress_result.plot().figure is not None


def test_stress_sections_write_mean_and_worst_accuracy_of_each_family(stress_result: sp.Stress) -> None:
    overview = stress_result.sections().overview
    for cells in overview.rows:
        rows = [row for row in stress_result.rows if row.model == cells[0] and row.family == "mar"]
        mean = np.mean([row.accuracy.estimate for row in rows])
        assert f"{mean:.3f}, {min(row.lowest for row in rows):.3f}" in cells


def test_stress_page_names_the_best_compromise(stress_result: sp.Stress) -> None:
    lead = stress_result.ranking["best compromise"]
    page = stress_result.to_page()
    mean = f"{100 * lead.value.estimate:.1f}%"
    assert page.verdict == f"Use {lead.model}: {mean} accuracy on average with and without shifts"
    assert page.facts["test rows"] == "120"
    assert str(page.summary).startswith(f"{lead.model!r} is the most accurate ")


def test_stress_sections_list_every_row_of_the_table(stress_result: sp.Stress) -> None:
    shifts = stress_result.sections().shifts
    assert [row[0] for row in shifts.rows] == [row.model for row in stress_result.rows]
    assert [row[1] for row in shifts.rows[:4]] == ["no shift", "MCAR 25%", "MCAR 50%", "MAR 25%"]


def test_a_change_that_rounds_to_nothing_has_no_sign() -> None:
    assert [_change_text(part) for part in (-0.004, 0.0, 0.126, -0.126, np.nan)] == ["0%", "0%", "+13%", "-13%", ""]

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from matplotlib.figure import Figure

from shiftproof.plots import ImportedPoint, IncidentSpan, drawn_svg, monitor_course, monitor_size

DAYS = [datetime(2024, 3, 1, tzinfo=UTC) + timedelta(days=day) for day in range(6)]
ESTIMATES = np.array([0.8, 0.81, 0.79, 0.7, 0.69, 0.8])
ENDS = (ESTIMATES - 0.02, ESTIMATES + 0.02)
EVIDENCE = {"changed": [0.0, 0.1, 0.2, 0.9, 7.0, 1.0], "harm": [0.0, 0.0, 0.0, 0.5, 1.1, 0.9]}
SPAN = IncidentSpan(level="harm", first=DAYS[2], last=DAYS[3], raised=DAYS[4], end=DAYS[5])


def test_course_has_accuracy_above_evidence_on_one_axis() -> None:
    ax = Figure().subplots()
    monitor_course(DAYS, ESTIMATES, ENDS, evidence=EVIDENCE, spans=[SPAN], floor=0.75, validated=0.82, ax=ax)
    upper, lower = ax.figure.axes
    assert upper is ax
    assert upper.get_xlim() == lower.get_xlim()
    legend = upper.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["interval", "estimated accuracy", "validated", "floor"]
    changed = lower.lines[0].get_ydata()
    assert max(np.asarray(changed)) == pytest.approx(1.3)  # more than an alarm is cut


def test_course_without_estimates_is_the_evidence_alone() -> None:
    nothing = np.full(6, np.nan)
    ax = monitor_course(DAYS, nothing, (nothing, nothing), evidence=EVIDENCE, ax=Figure().subplots())
    assert ax.figure.axes == [ax]
    assert ax.get_ylabel() == "evidence"
    assert monitor_size(False)[1] < monitor_size(True)[1]


def test_one_batch_and_an_incident_from_before_can_be_drawn() -> None:
    early = IncidentSpan(level="material", first=DAYS[0], last=DAYS[1], raised=DAYS[1], closed=True)
    ends = (ENDS[0][5:], ENDS[1][5:])
    ax = Figure().subplots()
    monitor_course(DAYS[5:], ESTIMATES[5:], ends, evidence={"changed": [0.5]}, spans=[early], ax=ax)
    assert ax.get_xlim()[0] < ax.get_xlim()[1]


def test_course_is_drawn_as_svg_with_tips() -> None:
    def draw(ax: object) -> object:
        return monitor_course(DAYS, ESTIMATES, ENDS, evidence=EVIDENCE, ax=ax)  # type: ignore[arg-type]

    picture = drawn_svg(draw, monitor_size(), "monitor")  # type: ignore[arg-type]
    assert "2024-03-04 00:00: estimated accuracy 70.0%; evidence: changed 90%, harm 50%" in picture


def test_axes_of_the_caller_are_used() -> None:
    ax = Figure().subplots()
    assert monitor_course(DAYS, ESTIMATES, ENDS, evidence=EVIDENCE, ax=ax) is ax


def test_imports_are_drawn_beside_and_before_the_batches() -> None:
    before = DAYS[0] - timedelta(days=30)
    points = [
        ImportedPoint(at=before, estimate=0.8, low=0.7, high=0.9, actual=0.75),
        ImportedPoint(at=DAYS[0], actual=0.7),
        ImportedPoint(at=DAYS[1], estimate=0.9, low=0.8, high=1.0),
    ]
    ax = Figure().subplots()
    monitor_course(DAYS, ESTIMATES, ENDS, evidence=EVIDENCE, imported=points, ax=ax)
    drawn = {line.get_label(): np.asarray(line.get_ydata()).tolist() for line in ax.lines}
    # A batch that was only measured is no gap in the line of estimates.
    assert drawn["imported estimate"] == [0.8, 0.9]
    assert drawn["imported, with labels"] == [0.75, 0.7]
    assert ax.get_xlim()[1] - ax.get_xlim()[0] > 30


def test_imports_alone_can_be_drawn() -> None:
    ax = Figure().subplots()
    monitor_course([], [], ([], []), evidence={}, imported=[ImportedPoint(at=DAYS[0], actual=0.7)], ax=ax)
    assert ax.get_ylabel() == "accuracy"

"""`shiftproof reproduce slides` writes one table and two figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from shiftproof.experiments import DataSources, reproduce
from shiftproof.experiments import _slides as slides
from shiftproof.experiments._cells import GridCell
from shiftproof.experiments._slides import EXPERIMENT
from shiftproof.experiments._slides_runs import TOPICS, worked_examples


def test_two_topics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slides, "TOPICS", ("marketing", "costs"))
    found = reproduce(EXPERIMENT, DataSources(), tmp_path, quick=True)
    assert [path.name for path in sorted(found.folder.glob("*.svg"))] == ["figure-cph.svg", "figure-lift.svg"]
    text = (found.folder / "examples.csv").read_text(encoding="utf-8")
    assert "Lift,21% / 5%,4.2,4.2,yes\n" in text
    assert len(text.splitlines()) == 1 + sum(
        len(worked_examples(DataSources(), topic=topic)) for topic in ("marketing", "costs")
    )


def test_every_topic_is_a_cell() -> None:
    cells = EXPERIMENT.cells(EXPERIMENT.scope(None, quick=True))
    assert all(isinstance(cell, GridCell) for cell in cells)
    assert [cell.key["topic"] for cell in cells] == list(TOPICS)

"""A stream is quiet, then it changes, and the monitor sees it."""

from __future__ import annotations

import numpy as np
import pytest

from shiftproof.experiments import DataSources
from shiftproof.experiments import _monitors_runs as runs
from shiftproof.experiments._cells import GridCell, run_cell


def test_a_large_change_is_found_with_its_first_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "REFERENCE", 1500)
    key = {"change": "x + 1 sd", "stream": 0, "quiet": 3, "changed": 2}
    rows, _ = run_cell(GridCell(runs.watched_stream, key), DataSources())
    assert rows["level"].tolist() == list(runs.LEVELS)
    assert rows["delay"].tolist()[0] == 1
    assert not rows["false"].any()


@pytest.mark.parametrize("name", runs.CHANGES)
def test_changes_change_what_they_say(name: str) -> None:
    rows, y = runs.draw_rows(2000, np.random.default_rng(0))
    changed = runs.CHANGES[name](rows)
    assert len(changed) == len(y)
    assert changed["x"].equals(rows["x"]) == (not name.startswith(("x", "sd")))
    assert ((changed["kind"] == "rare").mean() > 0.03) == name.startswith("rare")

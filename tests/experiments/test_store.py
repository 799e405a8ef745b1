"""Finished cells are kept whole, and read in the order of the grid."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from tests.experiments._toy import toy_rows

from shiftproof.experiments import DataSources
from shiftproof.experiments._cells import GridCell
from shiftproof.experiments._store import CellStore


def test_cells_come_back_in_order_with_their_times(tmp_path: Path) -> None:
    store, sources = CellStore(tmp_path / "cells"), DataSources()
    store.prepare()
    grid = [GridCell(toy_rows, {"dataset": name}) for name in "abc"]
    for at, cell in reversed(list(enumerate(grid))):
        assert not store.has(cell, sources)
        store.write(cell, sources, pd.DataFrame({"at": [at]}), 0.5)
    assert all(store.has(cell, sources) for cell in grid)
    assert store.read(grid, sources)["toy-rows"]["at"].tolist() == [0, 1, 2]
    assert store.read(grid[1:2], sources)["toy-rows"]["at"].tolist() == [1]
    assert store.seconds(grid, sources) == pytest.approx(1.5)


def test_parts_of_programs_that_run_are_left_alone(tmp_path: Path) -> None:
    store = CellStore(tmp_path)
    (tmp_path / "now.part").write_bytes(b"half")
    store.prepare()
    assert (tmp_path / "now.part").exists()

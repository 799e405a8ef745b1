"""Cells have names, seeds and files of their own."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from tests.experiments._toy import toy_rows

from shiftproof.experiments import DataSources
from shiftproof.experiments import _cells as cells
from shiftproof.experiments._cells import GridCell, cell_seed, run_cell


def test_rows_begin_with_the_key() -> None:
    rows, seconds = run_cell(GridCell(toy_rows, {"dataset": "a", "seed": 0}), DataSources())
    assert list(rows) == ["dataset", "seed", "draw", "value"]
    assert set(rows["dataset"]) == {"a"}
    assert seconds >= 0


def test_name_and_file_say_what_is_run(tmp_path: Path) -> None:
    cell = GridCell(toy_rows, {"dataset": "a", "seed": 3})
    assert (cell.part, cell.name) == ("toy-rows", "toy-rows-a-3")
    assert cell.file(DataSources()).startswith("toy-rows-a-3-")


def test_file_changes_with_the_data(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1.0], "label": [0]})
    cell = GridCell(toy_rows, {"dataset": "iris.1"}, ("iris.1",))
    files = {cell.file(DataSources())}
    for value in (0, 1):
        frame.assign(label=value).to_csv(tmp_path / "iris.1.csv", index=False)
        files.add(cell.file(DataSources(tmp_path)))
    assert len(files) == 3


def test_file_changes_with_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = GridCell(toy_rows, {"dataset": "a"})
    before = cell.file(DataSources())
    monkeypatch.setattr(cells, "_mark_of_code", lambda _work: "other code")
    assert cell.file(DataSources()) != before


def test_seeds_differ_by_name_and_number() -> None:
    assert len({cell_seed("iris.1", 0), cell_seed("iris.1", 1), cell_seed("iris.2", 0)}) == 3

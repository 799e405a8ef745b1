"""The report of ReverseTesting, from two small sets and a few worlds."""

from __future__ import annotations

import pandas as pd
import pytest

from shiftproof.experiments import DataSources
from shiftproof.experiments import _reverse_costs as costs
from shiftproof.experiments import _reverse_runs as runs
from shiftproof.experiments._experiment import Scope
from shiftproof.experiments._reverse_testing import EXPERIMENT, recount
from shiftproof.experiments._runner import run_cells
from shiftproof.experiments._store import CellStore


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pd.DataFrame]:
    """The tables of a run of one UCI set, the simulated gifts and the fewest worlds."""
    cells = [
        cell
        for cell in EXPERIMENT.cells(Scope(1, quick=True))
        if cell.key.get("dataset", "Iris") in ("Iris", "gifts") and cell.key.get("k", 2) == 2
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "BLOCK", 1)
        patch.setattr(costs, "ROWS", 600)
        rows = run_cells(cells, DataSources(), CellStore(tmp_path_factory.mktemp("cells")))
    return {table.name: table.frame for table in EXPERIMENT.report(rows, Scope(1, quick=True)).tables}


def test_every_table_of_the_paper_is_there(frames: dict[str, pd.DataFrame]) -> None:
    numbers = [f"table-{number:02}" for number in (1, 2, 3, 4, 5, 6, 7, 8, 9)]
    assert [*frames][:11] == [*numbers, "table-10-14", "table-13"]
    assert {"table-15-16", "table-17-18", "equation-3", "observations", "summary", "gaps"} < {*frames}


def test_our_figures_stand_before_the_printed_ones(frames: dict[str, pd.DataFrame]) -> None:
    assert frames["table-07"]["DT"].tolist() == ["94.0 (92.0)"]
    pairs = frames["table-10-14"]
    assert len(pairs) == 6
    assert pairs["test (Table 10)"].iloc[0] == "DT (DT)"


def test_pairs_are_right_wrong_or_undecided(frames: dict[str, pd.DataFrame]) -> None:
    summary = frames["summary"]
    assert (summary["right"] + summary["wrong"] + summary["undecided"] == summary["pairs"]).all()
    assert len(frames["statements"]) == 9


def test_recount_corrects_the_papers_counts() -> None:
    table = recount()
    again = dict(zip(table["what"], table["from the printed cells"], strict=True))
    assert again["entries in the newsgroup tables"] == "24"
    assert again["errors of cross-validation on 30 UCI pairs"] == "14"
    assert again["errors of leave-one-out on 30 UCI pairs"] == "16, including a tie"
    assert again["training rows of Wine in leave-one-out"] == "106 rows impossible, 142 rows possible"


def test_the_grid_is_that_of_the_paper() -> None:
    cells = EXPERIMENT.cells(Scope(1))
    repeats = [cell for cell in cells if cell.part == "validated-accuracies" and cell.key["dataset"] == "Pima"]
    assert len(repeats) * runs.BLOCK == 100
    assert len({cell.key["dataset"] for cell in cells if "dataset" in cell.key}) == 13

"""Chapter 6 with two problems, solved in three ways."""

from __future__ import annotations

import pandas as pd
import pytest

from shiftproof.experiments import DataSources
from shiftproof.experiments._experiment import Scope
from shiftproof.experiments._report import Reproduction
from shiftproof.experiments._runner import run_cells
from shiftproof.experiments._store import CellStore
from shiftproof.experiments._thesis_structured import EXPERIMENT, SOLVED, conflict_table


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    chosen = [cell for cell in EXPERIMENT.cells(Scope(1)) if cell.key["problem"] in ("iris.2", "iris.3")]
    return EXPERIMENT.report(run_cells(chosen, DataSources(), CellStore(tmp_path_factory.mktemp("cells"))), Scope(1))


def test_each_solution_has_all_methods_and_statements(report: Reproduction) -> None:
    frames: dict[str, pd.DataFrame] = {table.name: table.frame for table in report.tables}
    for name in SOLVED:
        methods = {"CC", "AC", "Max", "X", "T50", "MS", "Q0.5", "Q1", "Q2", "NAS", "Combined"}
        assert {*frames[f"methods-{name}"]["method"]} == methods
        assert len(frames[f"statements-{name}"]) == 12
    errors = [frames[f"methods-{name}"].set_index("method")["mean AE"].to_dict() for name in SOLVED]
    assert len({each["CC"] for each in errors}) == 1
    assert len({each["Q2"] for each in errors}) == 3


def test_nas_cannot_choose_between_perfect_quantifiers() -> None:
    table = conflict_table()
    assert table["line"].tolist() == ["w1", "w2"]
    assert table["nas"].tolist() == [1, 1]
    assert table["recall"].tolist() == pytest.approx([8 / 14, 1])
    assert table["Q"].tolist()[1] == pytest.approx(1)


def test_figures_6_1_to_6_9_are_drawn(report: Reproduction) -> None:
    names = [figure.name for figure in report.figures]
    assert names[:7] == [f"figure-6.{number}" for number in range(1, 8)]
    assert len(names) == 7 + 4 * len(SOLVED)
    for figure in report.figures[:7]:
        figure.draw()

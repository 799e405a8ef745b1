"""Chapter 5 with two problems, and what can be recomputed from its printed tables."""

from __future__ import annotations

import pandas as pd
import pytest

from shiftproof.experiments import DataSources
from shiftproof.experiments._cells import GridCell
from shiftproof.experiments._experiment import Scope
from shiftproof.experiments._report import Reproduction
from shiftproof.experiments._runner import run_cells
from shiftproof.experiments._store import CellStore
from shiftproof.experiments._thesis_neighbours import EXPERIMENT, TABLE_5_1, weight_table
from shiftproof.experiments._thesis_open import similar_estimates
from shiftproof.experiments._thesis_runs import (
    combined_estimates,
    libsvm_agreement,
    machine_estimates,
    neighbour_estimates,
    reversed_estimates,
)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    """Two problems; the machine is not tuned, which would take most of the time."""
    cells = [
        cell
        for problem in ("iris.2", "wine.3")
        for cell in (
            GridCell(neighbour_estimates, {"problem": problem, "seed": 0}),
            GridCell(machine_estimates, {"problem": problem, "seed": 0, "tune": False}),
            GridCell(combined_estimates, {"problem": problem, "seed": 0}),
            GridCell(libsvm_agreement, {"problem": problem}),
            GridCell(similar_estimates, {"problem": problem, "seed": 0}),
        )
    ]
    cells.append(GridCell(reversed_estimates, {"problem": "iris.1", "seed": 0}))
    rows = run_cells(cells, DataSources(), CellStore(tmp_path_factory.mktemp("cells")))
    return EXPERIMENT.report(rows, Scope(1))


def table(report: Reproduction, name: str) -> pd.DataFrame:
    return next(each for each in report.tables if each.name == name).frame


def test_table_5_1_is_the_printed_one() -> None:
    texts = weight_table().drop(columns="alpha").to_numpy().ravel().tolist()
    assert len(texts) == sum(map(len, TABLE_5_1.values()))
    assert [text for text in texts if text.split(" (")[0] != text.split(" (")[1].rstrip(")")] == []


def test_every_method_and_statement_is_there(report: Reproduction) -> None:
    methods = table(report, "methods")["method"]
    assert {*methods} == {"BL", "CC", "AC", "Max", "X", "T50", "MS", "KNN", "PWK", "PWKa", "Combined"}
    statements = table(report, "statements")
    assert len(statements) == 23
    theorem = statements[statements["the thesis says"].str.contains("Theorem 5.1")]
    assert theorem["here"].tolist() == ["largest difference 0 in 220 samples"]
    assert theorem["the same"].tolist() == ["yes"]


def test_agreement_with_libsvm_is_over_problems(report: Reproduction) -> None:
    frame = table(report, "libsvm")
    assert frame["problems on which libsvm ends"].tolist() == [2] * 5
    assert frame["lowest"].min() > 0.98


def test_figures_of_chapters_2_and_5_are_drawn(report: Reproduction) -> None:
    names = ["2.2-2.3", "5.1a", "5.1b", "5.2a", "5.2b", "5.3", "5.4", "5.5"]
    assert [figure.name for figure in report.figures] == [f"figure-{name}" for name in names]
    report.figures[-1].draw()


def test_the_grid_has_all_problems_and_seeds() -> None:
    assert len(EXPERIMENT.cells(Scope(2))) == 2 * (24 * 4 + 1) + 24
    assert len(EXPERIMENT.cells(Scope(1, quick=True))) == 15

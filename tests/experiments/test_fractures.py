"""The report of both papers, from two small tables in the place of two sets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from shiftproof.experiments import DataSources
from shiftproof.experiments import _fractures_runs as runs
from shiftproof.experiments._cells import GridCell
from shiftproof.experiments._experiment import Scope
from shiftproof.experiments._fractures import EXPERIMENT, SELECTIONS, phi_frame, skew_table
from shiftproof.experiments._report import Reproduction
from shiftproof.experiments._runner import run_cells
from shiftproof.experiments._store import CellStore
from shiftproof.stats import skewness


def small(_sources: Any, name: str) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(len(name))
    y = (rng.random(400) < 0.25).astype(np.int64)
    return pd.DataFrame(rng.normal(size=(400, 3)) + y[:, None], columns=["a", "b", "c"]), y


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    cells = [GridCell(cell.work, cell.key) for cell in EXPERIMENT.cells(Scope(1, quick=True))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "load_set", small)
        # The bank's rows have no time here: they are split like all others.
        patch.setattr(runs, "NATURAL", "nothing")
        patch.setattr(runs, "BOOTSTRAPS", 20)
        rows = run_cells(cells, DataSources(), CellStore(tmp_path_factory.mktemp("cells")))
    return EXPERIMENT.report(rows, Scope(1, quick=True))


def test_tables_stand_beside_the_printed_ones(report: Reproduction) -> None:
    frames = {table.name: table.frame for table in report.tables}
    table = frames["table-2"]
    assert table["set"].tolist() == ["estate", "phoneme", "**mean**", "**mean gap**", "bank, for Compustat"]
    assert table["MAR 50"].iloc[0].endswith("(0.174)")
    assert table["base"].iloc[4].endswith("(0.400)")
    printed = [text.rstrip(")").split(" (") for text in table["MAR 50"].iloc[:2]]
    gap = np.mean([abs(float(ours) - float(said)) for ours, said in printed])
    assert float(table["MAR 50"].iloc[3]) == pytest.approx(gap, abs=0.0011)
    assert frames["gaps"]["KS test"].tolist() == ["two-sided", "one-sided", "other side"]
    assert frames["moved"]["offset 2 sd"].tolist() == [1, 1, 1, 1]
    assert len(frames["statements"]) == 25
    assert {"friedman", "kruskal-wallis", "accuracy", "figure-13", "figure-14", "figure-17"} < {*frames}


def test_figures_2_to_17_are_drawn(report: Reproduction) -> None:
    numbers = ["02-05", "06", "07", "08", "09", "10", "11", "13", "14", "15", "16", "17"]
    assert [figure.name for figure in report.figures] == [f"figure-{number}" for number in numbers]
    report.figures[1].draw()
    report.figures[-1].draw()


def test_a_masked_feature_is_no_feature_that_stands() -> None:
    # Both other features always fail together; the masked one can be seen in no experiment of its own.
    rows = [
        ("s", 0, SELECTIONS[5], masked, "\t".join(name for name in failing if name != masked), "a\tb\tc")
        for masked, failing in (("a", "bc"), ("b", ""), ("c", ""))
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "seed", "shift", "masked", "failed", "features"])
    assert phi_frame(frame)["phi"].tolist() == [0]
    assert phi_frame(frame.assign(masked=""))["phi"].iloc[0] == pytest.approx(1 / 3)


def test_skew_is_the_librarys_and_is_undefined_for_a_single_experiment() -> None:
    distances = [0.1, 0.1, 0.4, 0.2]
    frame = pd.DataFrame({"dataset": "s", "seed": 0, "shift": ["MAR 25"] * 3 + ["base"], "hellinger": distances})
    table = skew_table(frame)
    assert table.columns.tolist() == ["MAR 25"]
    assert table.loc["s", "MAR 25"] == pytest.approx(float(skewness(distances[:3])))


def test_the_grid_has_eight_sets_and_the_bank() -> None:
    cells = EXPERIMENT.cells(Scope(1))
    assert len({cell.key["dataset"] for cell in cells}) == 9
    assert [cell.part for cell in cells if cell.key["dataset"] == "bank"] == ["feature-failures", "failures-by-class"]

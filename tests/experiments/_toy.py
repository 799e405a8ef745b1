"""An experiment for tests of the runner: each cell notes that it runs, waits, and returns a few random numbers."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from shiftproof.experiments import DataSources, reproduce
from shiftproof.experiments._cells import GridCell, cell_seed
from shiftproof.experiments._experiment import Experiment, Scope
from shiftproof.experiments._report import PaperTable, Reproduction

LOG, WAIT = "TOY_LOG", "TOY_WAIT"


def toy_rows(_sources: DataSources, dataset: str, seed: int) -> pd.DataFrame:
    """Note the run, and draw."""
    if LOG in os.environ:
        with Path(os.environ[LOG]).open("a", encoding="utf-8") as log:
            log.write(f"{dataset} {seed}\n")
    time.sleep(float(os.environ.get(WAIT, "0")))
    rng = np.random.default_rng(cell_seed(dataset, seed))
    return pd.DataFrame({"draw": range(3), "value": rng.normal(size=3)})


def other_rows(_sources: DataSources, dataset: str) -> pd.DataFrame:
    """Return rows with other columns."""
    return pd.DataFrame({"length": [len(dataset)]})


def toy_cells(scope: Scope) -> list[GridCell]:
    """Return a cell for each data set and seed, and some of another kind."""
    sets = ["a"] if scope.quick else ["a", "bb", "ccc"]
    cells = [
        GridCell(toy_rows, {"dataset": name, "seed": seed}, effort=len(name))
        for seed in range(scope.seeds)
        for name in sets
    ]
    return [*cells, *(GridCell(other_rows, {"dataset": name}) for name in sets)]


def toy_report(rows: Mapping[str, pd.DataFrame], scope: Scope) -> Reproduction:
    """Return one table of both parts."""
    means = rows["toy-rows"].groupby("dataset", as_index=False)["value"].mean()
    table = means.merge(rows["other-rows"], on="dataset").assign(n=len(rows["toy-rows"]))
    return Reproduction(title=f"Toy, {scope.seeds} seeds", tables=[PaperTable(name="t", title="Means", frame=table)])


TOY = Experiment(name="toy", title="Toy", cells=toy_cells, report=toy_report, seeds=2)


if __name__ == "__main__":
    reproduce(TOY, DataSources(), Path(sys.argv[1]), workers=int(sys.argv[2]))

"""An experiment of a source as a command: its grid of cells, and the report that is made of their rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shiftproof._version import __version__
from shiftproof.experiments._cells import processor_seconds
from shiftproof.experiments._report import Reproduction
from shiftproof.experiments._runner import CellProgress, run_cells
from shiftproof.experiments._store import CellStore
from shiftproof.reporting import write_whole

if TYPE_CHECKING:
    import pandas as pd

    from shiftproof.experiments._cells import GridCell
    from shiftproof.experiments._sources import DataSources

#: The folder of finished cells, which all experiments and lengths share.
CELLS = "cells"
#: What was run, and how long it took; beside the tables because it differs from run to run.
RUN = "run.json"


@dataclass(frozen=True)
class Scope:
    """How much of an experiment is run.

    Parameters
    ----------
    seeds : int
        How often everything random is drawn again.
    quick : bool
        Whether fewer data sets and repeats are run, to see within a minute that everything works.
    """

    seeds: int
    quick: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Experiment:
    """An experiment of a source.

    Parameters
    ----------
    name : str
        The name on the command line.
    title : str
        What is run again.
    cells : callable
        Returns the cells of a scope.
    report : callable
        Returns tables and figures, from the rows of each part and the scope.
    seeds : int
        The default number of seeds.
    """

    name: str
    title: str
    cells: Callable[[Scope], list[GridCell]]
    report: Callable[[Mapping[str, pd.DataFrame], Scope], Reproduction]
    seeds: int = 1

    def scope(self, seeds: int | None, *, quick: bool) -> Scope:
        """Return how much is run: with `quick` one seed, unless a number was given."""
        return Scope(seeds if seeds is not None else 1 if quick else self.seeds, quick)


@dataclass(frozen=True, eq=False, kw_only=True)
class Reproduced:
    """A finished run.

    Parameters
    ----------
    folder : Path
        Where tables and figures are.
    reproduction : Reproduction
        The tables and figures.
    cells : int
        How many cells they are made of.
    seconds : float
        The processor time of these cells.
    reference_fits : float
        The same, in units of a reference fit.
    """

    folder: Path
    reproduction: Reproduction
    cells: int
    seconds: float
    reference_fits: float


def reproduce(
    experiment: Experiment,
    sources: DataSources,
    out: Path,
    *,
    seeds: int | None = None,
    quick: bool = False,
    workers: int = 1,
    backend: str | None = None,
    on_progress: Callable[[CellProgress], None] | None = None,
) -> Reproduced:
    """Run an experiment and write its tables and figures.

    Parameters
    ----------
    experiment : Experiment
        What to run.
    sources : DataSources
        The data sets.
    out : Path
        Finished cells go to its folder ``cells``; tables and figures to one with the name of the experiment.
    seeds : int, optional
        How often everything random is drawn again; by default as often as the experiment needs.
    quick : bool
        Run a small part, in less than a minute; its tables have a folder of their own.
    workers, backend, on_progress
        As in `run_cells`.
    """
    scope = experiment.scope(seeds, quick=quick)
    cells = experiment.cells(scope)
    sources.check(name for cell in cells for name in cell.data)
    store = CellStore(out / CELLS)
    rows = run_cells(cells, sources, store, workers=workers, backend=backend, on_progress=on_progress)
    reproduction = experiment.report(rows, scope)
    folder = out / (f"{experiment.name}-quick" if quick else experiment.name)
    seconds = store.seconds(cells, sources)
    fits = _known_fits(folder / RUN, seconds) or seconds / reference_fit()
    reproduction.write(folder)
    run = {
        "experiment": experiment.name,
        "quick": quick,
        "seeds": scope.seeds,
        "cells": len(cells),
        "reference_fits": round(fits),
        "processor_seconds": round(seconds, 1),
        "version": __version__,
    }
    write_whole(folder / RUN, json.dumps(run, indent=2) + "\n")
    return Reproduced(folder=folder, reproduction=reproduction, cells=len(cells), seconds=seconds, reference_fits=fits)


def _known_fits(run: Path, seconds: float) -> float | None:
    """Return how many reference fits the same cells took when they were reported before: a fit depends on the load."""
    if not run.is_file():
        return None
    before = json.loads(run.read_text(encoding="utf-8"))
    return float(before["reference_fits"]) if before["processor_seconds"] == round(seconds, 1) else None


def reference_fit() -> float:
    """Return how long a processor takes for a logistic regression on 10,000 rows with 20 columns, in seconds."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    from shiftproof.core import one_thread

    rng = np.random.default_rng(0)
    X = rng.normal(size=(10_000, 20))
    y = rng.random(10_000) < 1 / (1 + np.exp(-X @ rng.normal(size=20)))
    model: Any = LogisticRegression(max_iter=1000)
    times = []
    with one_thread():
        for _ in range(5):
            began = processor_seconds()
            model.fit(X, y)
            times.append(processor_seconds() - began)
    return min(times)

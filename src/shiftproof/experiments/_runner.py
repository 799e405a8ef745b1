"""Run the cells of an experiment, in any order and anywhere: what is finished is kept, and counted once."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shiftproof.core import SCHEMES, available_names, cluster, cluster_client, fault, on_cluster
from shiftproof.experiments._cells import GridCell, run_cell

if TYPE_CHECKING:
    import pandas as pd

    from shiftproof.experiments._sources import DataSources
    from shiftproof.experiments._store import CellStore

Finished = tuple[GridCell, "pd.DataFrame", float]


@dataclass(frozen=True)
class CellProgress:
    """How far a run is.

    Parameters
    ----------
    done : int
        Finished cells, those of earlier runs included.
    total : int
        All cells.
    name : str
        The cell that was finished last; empty at the start.
    seconds_left : float or None
        About how long the rest takes; None at the start.
    """

    done: int
    total: int
    name: str = ""
    seconds_left: float | None = None


def run_cells(
    cells: Sequence[GridCell],
    sources: DataSources,
    store: CellStore,
    *,
    workers: int = 1,
    backend: str | None = None,
    on_progress: Callable[[CellProgress], None] | None = None,
) -> dict[str, pd.DataFrame]:
    """Run the cells that are not kept yet, keep each as soon as it is finished, and return the rows of all.

    Parameters
    ----------
    cells : sequence of GridCell
        The grid; rows are returned in its order, whatever the order in which cells were finished.
    sources : DataSources
        The data sets.
    store : CellStore
        Where finished cells are kept.
    workers : int
        How many cells to run at a time.
    backend : str, optional
        A backend of joblib, or the address of a Dask cluster, as for `cluster`; by default the one that is configured,
        or else processes of this machine.
    on_progress : callable, optional
        Called at the start and after each cell.
    """
    store.prepare()
    left = [cell for cell in cells if not store.has(cell, sources)]
    # The longest first: at the end no worker waits for one that began late.
    left.sort(key=lambda cell: -cell.effort)
    kept, effort, finished_effort = len(cells) - len(left), sum(cell.effort for cell in left), 0.0
    began = time.monotonic()
    tell = on_progress or _silent
    with _configured(backend):
        tell(CellProgress(kept, len(cells)))
        for number, (cell, rows, seconds) in enumerate(_finished(left, sources, workers), 1):
            store.write(cell, sources, rows, seconds)
            finished_effort += cell.effort
            ahead = (time.monotonic() - began) * (effort / finished_effort - 1)
            tell(CellProgress(kept + number, len(cells), cell.name, max(ahead, 0.0)))
    return store.read(cells, sources)


def _silent(_progress: CellProgress) -> None:
    """Show nothing."""


def _configured(backend: str | None) -> AbstractContextManager[Any]:
    """Return the context in which joblib uses this backend."""
    if backend is None:
        return nullcontext()
    if backend.startswith(tuple(SCHEMES)):
        return cluster(backend)
    from joblib import parallel_config
    from joblib.parallel import BACKENDS, EXTERNAL_BACKENDS

    try:
        return parallel_config(backend=backend)  # type: ignore[no-any-return]
    except ValueError:
        available = available_names([*BACKENDS, *EXTERNAL_BACKENDS])
        raise fault("--backend", "be dask://HOST:PORT or a backend of joblib", backend, available) from None


def _finished(cells: Sequence[GridCell], sources: DataSources, workers: int) -> Iterator[Finished]:
    """Yield each cell as soon as it is finished, in any order; on a cluster in the order of the cells."""
    client = cluster_client()
    if client is not None:
        yield from on_cluster(client, _run_one, [(cell, sources) for cell in cells])
        return
    from joblib import Parallel, delayed

    calls = [delayed(_run_one)(cell, sources) for cell in cells]
    # Of threads, the last to leave its cell restores the filters of warnings, or not; this context does for all.
    with warnings.catch_warnings():
        try:
            parallel = Parallel(n_jobs=workers, return_as="generator_unordered")
        except ValueError:
            # A backend that returns nothing before everything is done: a few cells at a time, so that they are kept.
            for start in range(0, len(calls), 2 * workers):
                yield from Parallel(n_jobs=workers)(calls[start : start + 2 * workers])
        else:
            yield from parallel(calls)


def _run_one(cell: GridCell, sources: DataSources) -> Finished:
    """Run a cell on a worker, which may be another machine: rows are returned, and kept by the one who asked."""
    return cell, *run_cell(cell, sources)

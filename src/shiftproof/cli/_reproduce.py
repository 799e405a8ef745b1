"""`shiftproof reproduce`."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from shiftproof.cli._terminal import STANDARD_OUTPUT, consoles
from shiftproof.core import Phrase, check_count, counted, fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from shiftproof.experiments import CellProgress, Reproduced

# A log gets a line so many seconds after the one before.
_PAUSE = 20.0


def reproduce(
    *,
    name: str,
    data: Path | None = None,
    out: Path = Path("reproduced"),
    seeds: int | None = None,
    quick: bool = False,
    workers: int | None = None,
    backend: str | None = None,
) -> int:
    """Run an experiment from a paper again, and show its tables next to the published ones.

    A run that was interrupted continues where it stopped: finished parts are
    kept in FOLDER/cells. The tables are the same, byte for byte, for any number
    of workers. The pages in docs/papers show them.

    [dim]shiftproof reproduce thesis-neighbours --data folder --quick[/dim]
    [dim]shiftproof reproduce slides[/dim]

    Parameters
    ----------
    name : NAME
        fractures: Cieslak and Chawla (2007, 2009). monitors: a monitor's alarms on simulated streams.
        reverse-testing: Fan and Davidson (2006). slides: worked examples from slides on evaluation. thesis-neighbours
        and thesis-structured: chapters 5 and 6 of Barranquero's thesis (2013).
    data : FOLDER
        A folder with one file per data set, such as iris.1.csv, whose last column is called label. Without this option,
        data sets come from scikit-learn or OpenML, if available there.
    out : FOLDER
        Write tables (CSV and Markdown) and figures (SVG) to a subfolder of this folder named after the experiment.
    seeds : N
        Number of random repetitions. Default: as many as in docs/papers.
    quick
        Run only a small part, in less than a minute.
    workers : N
        Number of parts to run in parallel. Default: one per core.
    backend : NAME
        Where the parts run: dask://HOST:PORT for a Dask cluster, or a joblib backend. Default: loky, which uses local
        processes.
    """
    from shiftproof.experiments import DataSources, find_experiment
    from shiftproof.experiments import reproduce as run

    if out == STANDARD_OUTPUT:
        raise fault("--out", "name a folder", "-", "tables and figures are written as files")
    if out.exists() and not out.is_dir():
        raise fault("--out", "name a folder", Phrase(f"the file {str(out)!r}"), "choose another path")
    for option, number in (("--seeds", seeds), ("--workers", workers)):
        if number is not None:
            check_count(number, option, least=1)
    experiment = find_experiment(name)
    output, progress = consoles()
    with _followed(progress) as follow:
        found = run(
            experiment,
            DataSources(data),
            out,
            seeds=seeds,
            quick=quick,
            workers=workers or os.cpu_count() or 1,
            backend=backend,
            on_progress=follow,
        )
    _show(output, found)
    return 0


@contextmanager
def _followed(console: Console) -> Iterator[Callable[[CellProgress], None]]:
    """Yield a function that shows progress: one changing line on a terminal, now and then a line in a log."""
    shown = 0.0
    with console.status("") as status:

        def follow(progress: CellProgress) -> None:
            nonlocal shown
            words = progress_words(progress)
            status.update(words)
            ends = not progress.name or progress.done == progress.total
            if not console.is_terminal and (ends or time.monotonic() - shown > _PAUSE):
                shown = time.monotonic()
                console.print(words, highlight=False, markup=False, soft_wrap=True)

        yield follow


def progress_words(progress: CellProgress) -> str:
    """Say how far a run is.

    Examples
    --------
    >>> from shiftproof.experiments import CellProgress
    >>> progress_words(CellProgress(3, 8, "rates-iris.1-0", 130.0))
    '3 of 8 cells: rates-iris.1-0; about 2 minutes left'
    >>> progress_words(CellProgress(3, 8))
    '3 of 8 cells were already done'
    """
    cells = f"{progress.done} of {progress.total} cells"
    if not progress.name:
        return f"{cells} were already done" if progress.done else f"{progress.total} cells to run"
    seconds = progress.seconds_left or 0.0
    left = f"{seconds:.0f} seconds" if seconds < 90 else f"{seconds / 60:.0f} minutes"
    return f"{cells}: {progress.name}" + (f"; about {left} left" if progress.done < progress.total else "")


def _show(console: Console, found: Reproduced) -> None:
    """Print which tables and figures there are, and what they cost."""
    from rich.text import Text

    console.print(Text(found.reproduction.title, style="bold"))
    for table in found.reproduction.tables:
        console.print(Text(f"  {table.name}.csv: {table.title}"))
    if found.reproduction.figures:
        console.print(Text(f"  and {counted(len(found.reproduction.figures), 'figure')} (SVG)"))
    console.print(
        Text(f"{counted(found.cells, 'part')} done. Everything is in {found.folder}; tables.md has all tables.")
    )

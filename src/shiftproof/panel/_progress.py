"""Run many fits: in parallel if requested, with a progress bar if it takes long."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Any

from shiftproof.core import check_jobs, cluster_client, on_cluster, one_thread

# Seconds; a bar for shorter work would only flicker.
_PATIENCE = 1.0


class Progress:
    """A bar on standard error that counts tasks; it appears if `show` is true, or after a second on a terminal."""

    def __init__(self, total: int, show: bool | None, doing: str = "fitting models") -> None:
        self._total, self._done, self._show, self._doing = total, 0, show, doing
        self._began = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Progress:
        if self._show:
            self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def step(self) -> None:
        """Count one more."""
        self._done += 1
        waited = time.monotonic() - self._began > _PATIENCE
        if self._bar is None and self._show is None and waited and sys.stderr.isatty():
            self._start()
        if self._bar is not None:
            self._bar.update(self._task, completed=self._done)

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
        console = Console(stderr=True)
        self._bar = Bar(*columns, console=console, transient=console.is_terminal)
        self._task = self._bar.add_task(self._doing, total=self._total, completed=self._done)
        self._bar.start()


def run_all(
    work: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    *,
    n_jobs: int | None,
    progress: bool | None,
    doing: str = "fitting models",
    on_result: Callable[[int, Any], None] | None = None,
) -> list[Any]:
    """Do all tasks, results in their order; `cluster` or `joblib.parallel_config` decide where.

    `on_result` is called here with the number and the result of each task.
    """
    results: list[Any] = []
    n_jobs, client = check_jobs(n_jobs), cluster_client()
    with Progress(len(tasks), progress, doing) as bar, one_thread():
        done = _parallel(work, tasks, n_jobs) if client is None else on_cluster(client, work, tasks)
        for result in done:
            if on_result is not None:
                on_result(len(results), result)
            results.append(result)
            bar.step()
    return results


def _parallel(work: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], n_jobs: int | None) -> Iterable[Any]:
    from joblib import Parallel, delayed

    caller = os.getpid(), threading.get_ident()
    calls = [delayed(_alone)(caller, work, task) for task in tasks]
    try:
        parallel = Parallel(n_jobs=n_jobs, return_as="generator")
    except ValueError:  # a backend that returns everything at the end
        parallel = Parallel(n_jobs=n_jobs)
    done: Iterable[Any] = parallel(calls)
    return done


def _alone(caller: tuple[int, int], work: Callable[..., Any], task: tuple[Any, ...]) -> Any:
    """Work on one core: the fits themselves are the parallelism, and results do not depend on how many run."""
    if caller == (os.getpid(), threading.get_ident()):
        return work(*task)  # `run_all` has limited this thread already
    # OpenMP counts its threads for each thread, BLAS for the whole process.
    with one_thread("openmp" if caller[0] == os.getpid() else None):
        return work(*task)

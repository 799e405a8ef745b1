"""Threads: over names of columns, and how many the numerical libraries may use."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from typing import Any, Literal, TypeVar

from shiftproof.core._checks import check_jobs

T = TypeVar("T")


def in_threads(work: Callable[[str], T], names: Sequence[str], n_jobs: int | None) -> Iterator[tuple[str, T]]:
    """Apply `work` to every name, and give the results in their order.

    Parameters
    ----------
    work : function of a name
        It should release the interpreter's lock most of the time.
    names : sequence of str
        Such as columns.
    n_jobs : int, optional
        Number of threads; by default one per core.

    Examples
    --------
    >>> list(in_threads(str.upper, ["a", "b"], 2))
    [('a', 'A'), ('b', 'B')]
    """
    threads, cores = check_jobs(n_jobs), os.cpu_count() or 1
    # As in joblib: -1 means all cores, -2 all but one.
    threads = cores if threads is None else threads if threads > 0 else max(cores + 1 + threads, 1)
    # One column or one core: a pool would only cost time.
    pool: AbstractContextManager[Any] = nullcontext()
    if threads > 1 and len(names) > 1:
        pool = ThreadPoolExecutor(min(threads, len(names)))
    with pool as executor:
        results = executor.map(work, names) if executor else map(work, names)
        yield from zip(names, results, strict=True)


@contextmanager
def one_thread(library: Literal["blas", "openmp"] | None = None) -> Iterator[None]:
    """Hold one of the numerical libraries, or all, at one thread each.

    Parameters
    ----------
    library : {"blas", "openmp"}, optional
        Linear algebra, or what scikit-learn's own loops use. OpenMP counts its threads for each thread, BLAS for the
        whole process.
    """
    # Only an import loads a library, and looking for all of them costs as much as a small fit.
    with _libraries(len(sys.modules)).limit(limits=1, user_api=library):
        yield


@lru_cache(maxsize=1)
def _libraries(n_modules: int) -> Any:  # noqa: ARG001 - the key of the cache
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()


def let_this_thread_set_limits() -> None:
    """Let this thread end a limit that another thread began: threadpoolctl 3.8 and newer refuse that silently."""
    for library in _libraries(len(sys.modules)).lib_controllers:
        clear = getattr(library, "clear_controlling_thread", None)
        if clear is not None:
            clear(force=True)

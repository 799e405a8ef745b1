"""How many threads the numerical libraries may use."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Literal


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

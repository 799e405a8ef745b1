"""How many threads the numerical libraries may use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal


@contextmanager
def one_thread(library: Literal["blas", "openmp"] | None = None) -> Iterator[None]:
    """Hold one of the numerical libraries, or all, at one thread each.

    Parameters
    ----------
    library : {"blas", "openmp"}, optional
        Linear algebra, or what scikit-learn's own loops use. OpenMP counts its threads for each thread, BLAS for the
        whole process.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with threadpool_limits(limits=1, user_api=library):
        yield

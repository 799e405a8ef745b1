"""Compiled kernels, wherever the package is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile to release the interpreter's lock, and cache the machine code on disk if possible.

    Parameters
    ----------
    **options
        Further options of `numba.njit`.
    """
    from numba import njit

    def compiled(function: Callable[..., Any]) -> Any:
        try:
            return njit(cache=True, nogil=True, **options)(function)
        except RuntimeError:  # read-only installation, and no home directory for the cache
            return njit(nogil=True, **options)(function)

    return compiled

"""Compiled kernels, wherever the package is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile without the interpreter's lock, and keep the machine code where there is a place for it.

    Parameters
    ----------
    **options
        Further options of `numba.njit`.
    """
    from numba import njit

    def compiled(function: Callable[..., Any]) -> Any:
        try:
            return njit(cache=True, nogil=True, **options)(function)
        except RuntimeError:  # installed read-only, and no home to keep anything in
            return njit(nogil=True, **options)(function)

    return compiled

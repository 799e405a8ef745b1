from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import pytest

from shiftproof.core import kernel


def double(value: int) -> int:
    return 2 * value


def test_kernel_compiles_and_keeps_the_python_function() -> None:
    compiled = kernel()(double)
    assert compiled(21) == 42
    assert compiled.py_func is double
    assert compiled.targetoptions["nogil"]


def test_kernel_compiles_without_a_cache_where_none_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []

    def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
        asked.append(options)
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return lambda function: function

    monkeypatch.setattr(numba, "njit", njit)
    assert kernel(fastmath=True)(double) is double
    assert asked == [{"cache": True, "nogil": True, "fastmath": True}, {"nogil": True, "fastmath": True}]

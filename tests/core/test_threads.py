from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest
from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

from shiftproof.core import one_thread
from shiftproof.core._threads import _libraries


def test_one_thread_limits_libraries_and_restores_them() -> None:
    np.ones(2) @ np.ones(2)  # loads linear algebra
    before = threadpool_info()
    with one_thread():
        assert {library["num_threads"] for library in threadpool_info()} == {1}
    assert threadpool_info() == before
    with one_thread("blas"):
        inside = threadpool_info()
    assert {library["num_threads"] for library in inside if library["user_api"] == "blas"} == {1}
    assert [library for library in inside if library["user_api"] != "blas"] == [
        library for library in before if library["user_api"] != "blas"
    ]


def test_one_thread_looks_again_after_an_import(monkeypatch: pytest.MonkeyPatch) -> None:
    with one_thread():
        pass
    looked = _libraries.cache_info().misses
    with one_thread():
        pass
    assert _libraries.cache_info().misses == looked
    monkeypatch.setitem(sys.modules, "a_module_with_a_library", ModuleType("a_module_with_a_library"))
    with one_thread():
        pass
    assert _libraries.cache_info().misses == looked + 1

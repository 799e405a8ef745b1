from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

from shiftproof.core import one_thread


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

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

from shiftproof.case import Case, Tables, in_one_thread


@in_one_thread
def threads_of(case: Case, library: str) -> set[int]:
    return {int(info["num_threads"]) for info in threadpool_info() if info["user_api"] == library}


@pytest.mark.parametrize("n_jobs", [None, 1, 2])
def test_in_one_thread_holds_linear_algebra_always_and_openmp_where_one_job_is_asked_for(n_jobs: int | None) -> None:
    import sklearn.ensemble  # noqa: F401 - loads OpenMP

    table = {"a": np.arange(3.0)}
    case = Case(scored=None, tables=Tables(labelled=table, new=table), n_jobs=n_jobs)
    before = {int(info["num_threads"]) for info in threadpool_info() if info["user_api"] == "openmp"}
    assert threads_of(case, "blas") == {1}
    assert threads_of(case, "openmp") == ({1} if n_jobs == 1 else before)

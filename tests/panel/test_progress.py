from __future__ import annotations

import pytest

from shiftproof.panel._progress import run_all


def power(base: int, exponent: int) -> int:
    return int(base**exponent)


@pytest.mark.parametrize("n_jobs", [None, 1])
def test_run_all_gives_results_in_the_order_of_the_tasks(n_jobs: int | None) -> None:
    assert run_all(power, [(2, 3), (3, 2), (5, 1)], n_jobs=n_jobs, progress=False) == [8, 9, 5]


def test_run_all_shows_a_bar_only_if_asked(capsys: pytest.CaptureFixture[str]) -> None:
    run_all(power, [(2, 3), (3, 2)], n_jobs=None, progress=True, doing="raising powers")
    assert "raising powers" in capsys.readouterr().err
    run_all(power, [(2, 3), (3, 2)], n_jobs=None, progress=None)
    assert capsys.readouterr().err == ""

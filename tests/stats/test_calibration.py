"""Tests keep their level: under no change P(p <= a) is at most a, and close to a for continuous data."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shiftproof.stats import (
    Record,
    TestResult,
    chi_square,
    compare,
    cramer_von_mises,
    kolmogorov_smirnov,
    kruskal_wallis,
    missingness,
)

LEVELS = (0.01, 0.05, 0.1)
# `make soak` simulates twenty times as long.
LONGER = int(os.environ.get("SIMULATIONS", "1"))
SIZES = [(30, 30, 1500), (60, 30, 1500), (200, 150, 800), (1000, 300, 400), (5000, 5000, 200), (5000, 47, 500)]
Draw = Callable[[np.random.Generator, int], NDArray[Any]]


def _p_values(draw: Draw, test: Callable[[Record], TestResult], n: int, m: int, times: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(n + 7 * m)
    return np.array([test(compare(draw(rng, n), draw(rng, m))).p_value for _ in range(LONGER * times)])


def _assert_level(p: NDArray[np.float64], *, close: bool) -> None:
    for level in LEVELS:
        found = float((p <= level).mean())
        error = 3.5 * np.sqrt(level * (1 - level) / len(p))
        assert found <= level + error, (level, found)
        if close:
            assert found >= level - error - 0.1 * level, (level, found)


def _normal(rng: np.random.Generator, n: int) -> NDArray[Any]:
    return rng.normal(size=n)


def _coarse(rng: np.random.Generator, n: int) -> NDArray[Any]:
    return rng.poisson(1.5, n)


def _letters(rng: np.random.Generator, n: int) -> NDArray[Any]:
    return rng.choice(np.array(["a", "b", "c", "d"]), n, p=[0.6, 0.3, 0.08, 0.02])


def _two_letters(rng: np.random.Generator, n: int) -> NDArray[Any]:
    return rng.choice(np.array(["a", "b"]), n, p=[0.7, 0.3])


def _gaps(rng: np.random.Generator, n: int) -> NDArray[Any]:
    return np.where(rng.uniform(size=n) < 0.15, np.nan, 1.0)


@pytest.mark.parametrize(("n", "m", "times"), SIZES)
@pytest.mark.parametrize("test", [kruskal_wallis, cramer_von_mises])
def test_continuous_data_meet_the_level(test: Any, n: int, m: int, times: int) -> None:
    _assert_level(_p_values(_normal, test, n, m, times), close=True)


@pytest.mark.parametrize(("n", "m", "times"), SIZES)
def test_ks_meets_the_level(n: int, m: int, times: int) -> None:
    # an exact test of a discrete statistic: close only where the statistic is fine enough
    _assert_level(_p_values(_normal, kolmogorov_smirnov, n, m, times), close=min(n, m) >= 100 and n != m)


@pytest.mark.parametrize(("n", "m", "times"), SIZES)
@pytest.mark.parametrize("test", [kolmogorov_smirnov, kruskal_wallis, cramer_von_mises])
def test_ties_do_not_raise_false_alarms(test: Any, n: int, m: int, times: int) -> None:
    _assert_level(_p_values(_coarse, test, n, m, times), close=False)


@pytest.mark.parametrize(("n", "m", "times"), SIZES)
@pytest.mark.parametrize("draw", [_letters, _two_letters])
def test_chi_square_meets_the_level(draw: Draw, n: int, m: int, times: int) -> None:
    # Each p-value of four letters takes up to 9,999 random tables, and one of a 2 x 2 table sums over all of them.
    fewer = min(times, 150) if draw is _letters else times // 4
    _assert_level(_p_values(draw, chi_square, n, m, fewer), close=False)


@pytest.mark.parametrize(("n", "m", "times"), SIZES)
def test_missingness_meets_the_level(n: int, m: int, times: int) -> None:
    _assert_level(_p_values(_gaps, missingness, n, m, times // 4), close=False)


@pytest.mark.parametrize("size", [30, 300, 5000])
def test_kruskal_wallis_of_four_groups_meets_the_level(size: int) -> None:
    rng = np.random.default_rng(size)
    times = 2000 if size < 5000 else 400
    p = np.array([kruskal_wallis(*rng.normal(size=(4, size))).p_value for _ in range(LONGER * times)])
    _assert_level(p, close=True)

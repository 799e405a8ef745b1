"""The interval of a mean of skewed amounts."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats as scipy_stats

from shiftproof.measures._benefit_interval import mean_ends, mean_interval

LONGER = int(os.environ.get("SIMULATIONS", "1"))

Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]

DRAWS: list[tuple[str, Draw, float]] = [
    ("many gifts", lambda rng, n: (rng.uniform(size=n) < 0.3) * rng.gamma(2, 8, n) - 0.68, 0.3 * 16 - 0.68),
    ("few gifts", lambda rng, n: (rng.uniform(size=n) < 0.07) * rng.gamma(2, 8, n) - 0.68, 0.07 * 16 - 0.68),
    ("constants", lambda rng, n: np.where(rng.uniform(size=n) < 0.15, 5.0, -1.0), 0.15 * 6 - 1),
]


@pytest.mark.parametrize("n", [200, 1000, 5000])
@pytest.mark.parametrize(("name", "draw", "truth"), DRAWS, ids=[name for name, _, _ in DRAWS])
def test_mean_interval_covers_the_mean_of_skewed_amounts(name: str, draw: Draw, truth: float, n: int) -> None:
    rng, times = np.random.default_rng(n), 2000 * LONGER
    covered = sum(n * truth in mean_interval(draw(rng, n), scale=n) for _ in range(times)) / times
    error = 1.5 * 0.22 / times**0.5
    assert 0.93 - error <= covered <= 0.97 + error, (name, covered)


def test_mean_interval_reaches_further_towards_the_long_tail() -> None:
    values = np.repeat([19.32, -0.68], [6, 194])
    interval = mean_interval(values)
    assert interval.high - interval.estimate > 1.3 * (interval.estimate - interval.low)
    even = mean_interval(np.tile([1.0, -1.0], 50))
    assert even.high == pytest.approx(-even.low) == pytest.approx(1.984 * np.sqrt(1 / 99), rel=1e-3)


def test_mean_interval_of_one_value_is_infinite_and_of_equal_values_a_point() -> None:
    one, same = mean_interval(np.array([5.0])), mean_interval(np.full(7, 0.1), scale=10)
    assert (one.estimate, one.low, one.high, one.method) == (5, -np.inf, np.inf, "one row, no spread")
    assert (same.low, same.high, same.method) == (same.estimate, same.estimate, "constant")
    assert same.estimate == pytest.approx(1)


@given(skewness=st.floats(-3, 3), n=st.integers(30, 5000), level=st.sampled_from([0.8, 0.95, 0.99]))
def test_mean_ends_solve_halls_equation(skewness: float, n: int, level: float) -> None:
    low, high = mean_ends(0.0, 1.0, skewness, n, level=level)
    t = float(scipy_stats.t.ppf((1 + level) / 2, n - 1))
    # Beyond this part the skewness is clipped, and the equation is another one.
    assume(abs(skewness) / (3 * np.sqrt(n)) < 0.3 / t)
    for end, quantile in ((float(low), t), (float(high), -t)):
        statistic = -end * np.sqrt(n)
        root = np.sqrt(n)
        transformed = (
            statistic
            + skewness * statistic**2 / (3 * root)
            + skewness**2 * statistic**3 / (27 * n)
            + skewness / (6 * root)
        )
        assert transformed == pytest.approx(quantile, abs=1e-6)


def test_mean_ends_enclose_the_mean_where_a_few_rows_carry_all_profit() -> None:
    low, high = mean_ends(2.0, 10.0, 50.0, 20, level=0.95)
    assert low <= 2 <= high

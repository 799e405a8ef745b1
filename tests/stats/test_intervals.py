from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import beta, binom, binomtest

from shiftproof.core import InputError, Interval
from shiftproof.stats._intervals import clopper_pearson, jeffreys, newcombe, wilson

OneProportion = Callable[..., Interval]
ALL: list[OneProportion] = [wilson, clopper_pearson, jeffreys]


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"), [(750, 1000, 0.732, 0.767), (75, 100, 0.691, 0.801), (7.5, 10, 0.549, 0.881)]
)
def test_wilson_gives_the_slides_intervals_with_their_rounded_quantile(
    successes: float, n: float, low: float, high: float
) -> None:
    interval = wilson(successes, n, z=1.28)
    assert (round(interval.low, 3), round(interval.high, 3)) == (low, high)
    assert interval.estimate == 0.75
    assert interval.level == pytest.approx(0.79945, abs=1e-5)


def test_the_unrounded_80_percent_level_differs_from_the_slides_only_at_ten_cases() -> None:
    assert str(wilson(750, 1000, level=0.8)) == "0.750 [0.732, 0.767]"
    assert str(wilson(75, 100, level=0.8)) == "0.750 [0.691, 0.801]"
    assert str(wilson(7.5, 10, level=0.8)) == "0.750 [0.548, 0.881]"


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [  # Newcombe (1998), Table II, method 10
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((6, 7), (2, 7), 0.0582, 0.8062),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 10), (0, 20), -0.1611, 0.2775),
        ((0, 10), (0, 10), -0.2775, 0.2775),
        ((10, 10), (0, 20), 0.6791, 1.0),
        ((10, 10), (0, 10), 0.6075, 1.0),
    ],
)
def test_newcombe_gives_the_papers_table(
    first: tuple[int, int], second: tuple[int, int], low: float, high: float
) -> None:
    interval = newcombe(*first, *second)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=5.1e-5)
    assert interval.method == "newcombe"


@pytest.mark.parametrize(("successes", "n"), [(1, 7), (3, 10), (2.5, 10), (400, 1000)])
def test_jeffreys_cuts_equal_tails_off_the_posterior(successes: float, n: float) -> None:
    interval = jeffreys(successes, n, level=0.9)
    posterior = beta(successes + 0.5, n - successes + 0.5)
    assert posterior.cdf(interval.low) == pytest.approx(0.05, abs=1e-9)
    assert posterior.sf(interval.high) == pytest.approx(0.05, abs=1e-9)


def test_jeffreys_reaches_the_borders_where_all_or_none_succeed() -> None:
    assert jeffreys(0, 10).low == 0
    assert jeffreys(10, 10).high == 1
    assert jeffreys(0, 10).high == pytest.approx(beta.ppf(0.975, 0.5, 10.5), abs=1e-12)


@given(st.integers(1, 3000), st.data(), st.floats(0.01, 0.999))
@settings(max_examples=80, deadline=None)
def test_wilson_and_clopper_pearson_agree_with_scipy(n: int, data: st.DataObject, level: float) -> None:
    successes = data.draw(st.integers(0, n))
    test = binomtest(successes, n)
    both = (wilson, test.proportion_ci(level, "wilson")), (clopper_pearson, test.proportion_ci(level, "exact"))
    for ours, theirs in both:
        mine = ours(successes, n, level=level)
        assert (mine.low, mine.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@given(st.floats(1e-6, 1e9), st.floats(0, 1), st.floats(1e-6, 1 - 1e-12), st.sampled_from(ALL))
@settings(max_examples=200, deadline=None)
def test_an_interval_holds_its_estimate_and_stays_in_range(
    n: float, rate: float, level: float, method: OneProportion
) -> None:
    interval = method(rate * n, n, level=level)
    assert 0 <= interval.low <= interval.estimate <= interval.high <= 1
    assert interval.estimate == pytest.approx(rate)
    assert interval.level == level


@given(st.floats(1e-3, 1e6), st.floats(0, 1), st.floats(1e-3, 1e6), st.floats(0, 1), st.floats(1e-3, 0.9999))
@settings(max_examples=200, deadline=None)
def test_a_difference_holds_its_estimate_stays_in_range_and_turns_with_its_samples(
    n_1: float, rate_1: float, n_2: float, rate_2: float, level: float
) -> None:
    interval = newcombe(rate_1 * n_1, n_1, rate_2 * n_2, n_2, level=level)
    assert -1 <= interval.low <= interval.estimate <= interval.high <= 1
    turned = newcombe(rate_2 * n_2, n_2, rate_1 * n_1, n_1, level=level)
    assert (turned.low, turned.high) == pytest.approx((-interval.high, -interval.low), abs=1e-12)


@pytest.mark.parametrize("method", ALL)
def test_failures_mirror_successes_and_more_level_is_wider(method: OneProportion) -> None:
    few, many = method(3, 20), method(17, 20)
    assert (few.low, few.high) == pytest.approx((1 - many.high, 1 - many.low), abs=1e-12)
    wide = method(3, 20, level=0.99)
    assert wide.low < few.low < few.high < wide.high


def coverage(method: OneProportion, n: int, rates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the exact probability, at each rate, that the 95% interval holds it."""
    intervals = [method(successes, n) for successes in range(n + 1)]
    low = np.array([interval.low for interval in intervals])
    high = np.array([interval.high for interval in intervals])
    inside = (low <= rates[:, np.newaxis]) & (rates[:, np.newaxis] <= high)
    chance = np.asarray(binom.pmf(np.arange(n + 1), n, rates[:, np.newaxis]))
    return np.asarray((inside * chance).sum(axis=1))


@pytest.mark.parametrize("n", [10, 30, 100, 1000, 5000])
def test_intervals_cover_as_they_say(n: int) -> None:
    rates = (np.arange(400) + 0.5) / 400
    assert coverage(wilson, n, rates).mean() == pytest.approx(0.95, abs=0.01)
    assert coverage(jeffreys, n, rates).mean() == pytest.approx(0.95, abs=0.01)
    assert coverage(clopper_pearson, n, rates).min() >= 0.95


@pytest.mark.parametrize(("n_1", "n_2"), [(10, 10), (20, 30), (15, 60)])
def test_newcombe_covers_on_average(n_1: int, n_2: int) -> None:
    rates = (np.arange(20) + 0.5) / 20
    intervals = [[newcombe(a, n_1, b, n_2) for b in range(n_2 + 1)] for a in range(n_1 + 1)]
    low = np.array([[interval.low for interval in row] for row in intervals])
    high = np.array([[interval.high for interval in row] for row in intervals])
    shares = [
        ((low <= p - q) & (p - q <= high)).ravel()
        @ np.outer(binom.pmf(np.arange(n_1 + 1), n_1, p), binom.pmf(np.arange(n_2 + 1), n_2, q)).ravel()
        for p in rates
        for q in rates
    ]
    assert np.mean(shares) == pytest.approx(0.95, abs=0.015)
    assert np.min(shares) > 0.88


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((0, 0), "n must be a positive number, got 0; give the number of cases, at least one."),
        ((1, -3), "n must be a positive number, got -3; give the number of cases, at least one."),
        ((1, math.inf), "n must be a positive number, got inf; give the number of cases, at least one."),
        ((1, math.nan), "n must be a positive number, got nan; give the number of cases, at least one."),
        ((1, "ten"), "n must be a positive number, got 'ten'; give the number of cases, at least one."),
        ((1, True), "n must be a positive number, got True; give the number of cases, at least one."),
        ((11, 10), "successes must lie between 0 and n = 10, got 11; give a count; for a rate give rate * n."),
        ((-1, 10), "successes must lie between 0 and n = 10, got -1; give a count; for a rate give rate * n."),
        ((math.nan, 10), "successes must lie between 0 and n = 10, got nan; give a count; for a rate give rate * n."),
        ((None, 10), "successes must lie between 0 and n = 10, got None; give a count; for a rate give rate * n."),
    ],
)
@pytest.mark.parametrize("method", ALL)
def test_bad_counts_are_told_in_one_sentence(method: OneProportion, arguments: tuple[Any, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        method(*arguments)


@pytest.mark.parametrize("level", [95, 0, 1, -0.5, math.nan, "95%", True])
@pytest.mark.parametrize("method", [*ALL, lambda s, n, level: newcombe(s, n, s, n, level=level)])
def test_a_level_in_percent_is_told_in_one_sentence(method: OneProportion, level: Any) -> None:
    sentence = f"level must be a number strictly between 0 and 1, got {level!r}; 0.95 means 95%."
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        method(1, 10, level=level)


@pytest.mark.parametrize("z", [0, -1.96, 9, math.nan, "1.96"])
def test_a_bad_quantile_is_told_in_one_sentence(z: Any) -> None:
    sentence = f"z must be a number above 0 and at most 8, got {z!r}; 1.96 is the 95% quantile."
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        wilson(1, 10, z=z)


def test_newcombe_names_the_sample_that_is_wrong() -> None:
    with pytest.raises(InputError, match=r"^n_2 must be a positive number, got 0; "):
        newcombe(1, 10, 0, 0)
    with pytest.raises(InputError, match=r"^successes_1 must lie between 0 and n_1 = 10, got 12; "):
        newcombe(12, 10, 1, 10)


def test_numpy_numbers_and_sums_of_weights_pass() -> None:
    three: list[Any] = [np.int64(3), np.float32(3), np.float64(3)]
    for successes in three:
        assert wilson(successes, 10) == wilson(3, 10)
        assert isinstance(wilson(successes, 10).low, float)
    assert wilson(1 + 1e-15, 1).high == 1

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import cauchy, false_discovery_control, norm

from shiftproof.core import InputError
from shiftproof.stats._multiple import (
    _possible_sets,
    benjamini_hochberg,
    bergmann_hommel,
    cauchy_combination,
    hochberg,
    holm,
    hommel,
    shaffer,
)

Adjust = Callable[..., NDArray[np.float64]]
ALL: list[Adjust] = [benjamini_hochberg, holm, hochberg, hommel]

p_values = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1.0, 0.05, 0.01, 5e-324]))


def test_the_fifteen_p_values_of_benjamini_and_hochberg() -> None:
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344]
    p += [0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]
    # The paper rejects four at a false discovery rate of 0.05, and three by Holm's kind of error.
    assert (benjamini_hochberg(p) <= 0.05).sum() == 4
    assert (holm(p) <= 0.05).sum() == 3


@given(st.lists(p_values, max_size=40))
@settings(max_examples=150, deadline=None)
def test_benjamini_hochberg_agrees_with_scipy(p: list[float]) -> None:
    theirs = false_discovery_control(p) if p else np.empty(0)
    np.testing.assert_allclose(benjamini_hochberg(p), theirs, rtol=1e-12, atol=0)


@given(st.lists(p_values, min_size=1, max_size=6))
@settings(max_examples=100, deadline=None)
def test_holm_is_the_closed_test_of_bonferroni(p: list[float]) -> None:
    places = range(len(p))
    subsets = [s for size in range(1, len(p) + 1) for s in itertools.combinations(places, size)]
    closed = [max(min(1, len(s) * min(p[j] for j in s)) for s in subsets if i in s) for i in places]
    np.testing.assert_allclose(holm(p), closed, rtol=1e-12, atol=0)


@given(st.lists(p_values, min_size=1, max_size=7))
@settings(max_examples=100, deadline=None)
def test_hommel_is_the_closed_test_of_simes(p: list[float]) -> None:
    places = range(len(p))
    subsets = [s for size in range(1, len(p) + 1) for s in itertools.combinations(places, size)]
    simes = {s: min(len(s) / j * value for j, value in enumerate(sorted(p[i] for i in s), 1)) for s in subsets}
    closed = [max(simes[s] for s in subsets if i in s) for i in places]
    np.testing.assert_allclose(hommel(p), np.minimum(closed, 1), rtol=1e-12, atol=0)


@given(st.lists(p_values, max_size=30))
def test_hochberg_lies_between_hommel_and_holm(p: list[float]) -> None:
    assert (hochberg(p) <= holm(p)).all()
    assert (hommel(p) <= hochberg(p) * (1 + 1e-12)).all()


def test_hochberg_rejects_as_its_rule_says() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        p = rng.random(6) ** 3
        # Step up: the largest i with p(i) <= alpha / (m - i + 1) and all below it are rejected.
        order = np.argsort(p)
        passed = np.flatnonzero(p[order] <= 0.1 / np.arange(6, 0, -1))
        rejected = np.zeros(6, dtype=bool)
        rejected[order[: passed[-1] + 1 if len(passed) else 0]] = True
        np.testing.assert_array_equal(hochberg(p) <= 0.1, rejected)


def test_hochberg_and_hommel_by_hand() -> None:
    # The worst sets with the third test are {3, 5} and {3, 4, 5}: twice 0.03, and three halves of 0.04.
    p = [0.001, 0.02, 0.03, 0.04, 0.8]
    np.testing.assert_allclose(hochberg(p), [0.005, 0.08, 0.08, 0.08, 0.8])
    np.testing.assert_allclose(hommel(p), [0.005, 0.06, 0.06, 0.08, 0.8])


@pytest.mark.parametrize(
    ("k", "expected"), [(2, [1]), (3, [3, 1, 1]), (4, [6, 3, 3, 3, 2, 1]), (5, [10, 6, 6, 6, 6, 4, 4, 3, 2, 1])]
)
def test_the_factors_of_shaffer(k: int, expected: list[int]) -> None:
    # Of k methods, t_i as in Shaffer (1986) and in Garcia and Herrera (2008), table 2, for k = 5.
    p = np.linspace(0.001, 0.002, k * (k - 1) // 2)
    np.testing.assert_allclose(shaffer(p), np.maximum.accumulate(p * expected))


@given(st.integers(2, 6), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_shaffer_is_between_the_raw_p_values_and_holm(k: int, random: Any) -> None:
    p = np.array([random.random() ** 3 for _ in range(k * (k - 1) // 2)])
    assert (shaffer(p) <= holm(p)).all()
    assert (shaffer(p) >= p).all()
    # Tests that were not made cannot be among those that are equal.
    some = p.copy()
    some[random.sample(range(len(p)), len(p) // 2)] = math.nan
    done = ~np.isnan(some)
    assert np.array_equal(np.isnan(shaffer(some)), ~done)
    assert (shaffer(some)[done] <= holm(some)[done]).all()


def groupings(k: int) -> list[tuple[int, ...]]:
    """Return every division of k methods into groups, as the group of each."""
    return [
        g for g in itertools.product(range(k), repeat=k) if all(g[i] <= max(g[:i], default=-1) + 1 for i in range(k))
    ]


def test_shaffer_is_never_below_the_closed_test_of_what_can_be_equal() -> None:
    # The closed test over all sets of pairs that can be equal at once (Bergmann and Hommel 1988) controls the error.
    rng = np.random.default_rng(0)
    pairs = list(itertools.combinations(range(4), 2))
    possible = {tuple(i for i, (a, b) in enumerate(pairs) if g[a] == g[b]) for g in groupings(4)} - {()}
    assert len(groupings(4)) == 15
    for _ in range(300):
        p = rng.random(6) ** 3
        closed = [max(len(s) * min(p[list(s)]) for s in possible if i in s) for i in range(6)]
        np.testing.assert_allclose(bergmann_hommel(p), np.minimum(closed, 1))
        assert (shaffer(p) >= np.minimum(closed, 1) * (1 - 1e-12)).all()


def test_bergmann_hommel_has_bells_number_of_divisions_and_is_never_above_shaffer() -> None:
    assert [len(_possible_sets(k)) for k in range(1, 10)] == [1, 2, 5, 15, 52, 203, 877, 4140, 21147]
    p = np.random.default_rng(0).random((50, 36)) ** 4
    for values in p:
        assert (bergmann_hommel(values) <= shaffer(values) * (1 + 1e-12)).all()
    gaps = [math.nan, 0.01, 0.02, math.nan, 0.03, 0.2]
    assert np.isnan(bergmann_hommel(gaps)).tolist() == np.isnan(gaps).tolist()
    assert bergmann_hommel([]).shape == (0,)
    with pytest.raises(InputError) as error:
        bergmann_hommel(np.full(45, 0.5))
    assert str(error.value) == "p must compare at most 9 methods, got 10; use shaffer for more."


def test_shaffer_refuses_what_are_not_all_pairs() -> None:
    with pytest.raises(InputError) as error:
        shaffer([0.1, 0.2])
    assert str(error.value) == (
        "p must have a value for all pairs of k methods, got 2 values; "
        "give 1, 3, 6, 10 or more, one per pair of methods."
    )
    assert shaffer([]).shape == (0,)
    assert np.isnan(shaffer([math.nan])).all()


@given(st.lists(st.one_of(p_values, st.just(math.nan)), max_size=30), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
@pytest.mark.parametrize("adjust", ALL)
def test_adjusting_keeps_order_and_missing_and_never_lowers(adjust: Adjust, p: list[float], random: Any) -> None:
    values = np.array(p, dtype=float)
    adjusted = adjust(values)
    there = ~np.isnan(values)
    assert adjusted.shape == values.shape
    assert np.array_equal(np.isnan(adjusted), ~there)
    assert np.array_equal(adjusted[there], adjust(values[there]))
    assert (adjusted[there] >= values[there]).all()
    assert (adjusted[there] <= 1).all()
    order = np.argsort(values[there], kind="stable")
    assert (np.diff(adjusted[there][order]) >= 0).all()
    shuffle = random.sample(range(len(p)), len(p))
    assert np.array_equal(adjust(values[shuffle]), adjusted[shuffle], equal_nan=True)


@given(st.lists(p_values, max_size=30))
def test_holm_is_at_least_as_strict_as_benjamini_hochberg(p: list[float]) -> None:
    assert (holm(p) >= benjamini_hochberg(p) * (1 - 1e-12)).all()


def test_both_keep_their_promise_under_the_null() -> None:
    rng = np.random.default_rng(0)
    p = rng.random((3000, 20))
    p[:, :10] /= 1e6  # half of the features have really shifted
    wrong = np.array([(benjamini_hochberg(row)[10:] <= 0.1).sum() for row in p])
    found = np.array([(benjamini_hochberg(row) <= 0.1).sum() for row in p])
    # With m0 true nulls of m, the rate is a m0 / m exactly.
    assert np.mean(wrong / found) == pytest.approx(0.05, abs=0.005)
    assert np.mean([(holm(row)[10:] <= 0.1).any() for row in p]) == pytest.approx(0.1, abs=0.022)


@pytest.mark.parametrize("adjust", ALL)
def test_empty_single_and_all_missing(adjust: Adjust) -> None:
    assert adjust([]).shape == (0,)
    assert adjust([0.3]).tolist() == [0.3]
    assert np.isnan(adjust([math.nan, None])).all()
    given_values = np.array([0.5, 0.1])
    adjust(given_values)
    assert given_values.tolist() == [0.5, 0.1]


@pytest.mark.parametrize(
    ("p", "sentence"),
    [
        ([0.2, 1.5, 2], "p must lie between 0 and 1, got 1.5; give p-values, not statistics."),
        ([-0.1], "p must lie between 0 and 1, got -0.1; give p-values, not statistics."),
        ([math.inf], "p must lie between 0 and 1, got inf; give p-values, not statistics."),
        ([[0.1, 0.2]], "p must have one dimension, got shape (1, 2); pass one column or a flat list."),
        (0.1, "p must have one dimension, got shape (); pass one column or a flat list."),
        (["a"], "p must be numbers, got ['a']; convert text to numbers first."),
        ([[0.1], [0.1, 0.2]], "p must be numbers, got [[0.1], [0.1, 0.2]]; convert text to numbers first."),
    ],
)
@pytest.mark.parametrize("adjust", ALL)
def test_what_is_not_a_p_value_is_told_in_one_sentence(adjust: Adjust, p: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        adjust(p)


def test_combining_equal_p_values_changes_nothing() -> None:
    for p in (1e-200, 1e-9, 0.03, 0.5, 0.9):
        assert cauchy_combination([p] * 4) == pytest.approx(p, rel=1e-9)


def test_combining_is_the_cauchy_distribution_of_the_weighted_sum() -> None:
    p, weights = np.array([0.02, 0.3, 0.7]), np.array([2.0, 1.0, 1.0])
    total = float(weights @ np.tan((0.5 - p) * np.pi) / weights.sum())
    assert cauchy_combination(p, weights) == pytest.approx(float(cauchy.sf(total)), rel=1e-9)


def test_one_quiet_test_never_hides_a_loud_one() -> None:
    assert cauchy_combination([1e-6, 1.0]) < 1e-5
    assert cauchy_combination([0.0, 1.0]) <= 1e-299


def test_tests_not_done_and_tests_of_no_weight_do_not_count() -> None:
    assert cauchy_combination([0.02, float("nan")]) == pytest.approx(0.02)
    assert cauchy_combination([0.02, 1e-9], [1.0, 0.0]) == pytest.approx(0.02)
    assert math.isnan(cauchy_combination([float("nan")]))
    with pytest.raises(InputError, match="weights must be 2, one per test, got 1; leave them out"):
        cauchy_combination([0.1, 0.2], [1.0])
    with pytest.raises(InputError, match="weights must be at least 0, got -1"):
        cauchy_combination([0.1, 0.2], [1.0, -1.0])


def test_the_combined_p_value_holds_its_level_for_dependent_tests() -> None:
    rng = np.random.default_rng(0)
    for rho in (0.0, 0.5, 0.95):
        z = np.sqrt(rho) * rng.normal(size=(4000, 1)) + np.sqrt(1 - rho) * rng.normal(size=(4000, 6))
        combined = [cauchy_combination(row) for row in 2 * norm.sf(np.abs(z))]
        assert np.mean(np.array(combined) <= 0.05) < 0.065

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from shiftproof.core import InputError
from shiftproof.stats import blocked_kruskal_wallis, kruskal_wallis

RUNS = 400 * int(os.environ.get("SIMULATIONS", "1"))
LISTS = st.lists(st.integers(0, 9), min_size=2, max_size=30)


@given(LISTS, LISTS)
def test_one_score_in_one_block_is_kruskal_wallis(old: list[int], new: list[int]) -> None:
    ours, theirs = blocked_kruskal_wallis(old, new), kruskal_wallis(old, new)
    assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-12)
    assert ours.p_value == pytest.approx(theirs.p_value, rel=1e-9, abs=1e-12)


def test_probabilities_of_two_classes_are_one_score() -> None:
    rng = np.random.default_rng(0)
    old, new = rng.random(60), rng.random(40) ** 2
    both = blocked_kruskal_wallis(np.column_stack([1 - old, old]), np.column_stack([1 - new, new]))
    assert both.statistic == pytest.approx(stats.kruskal(old, new).statistic, rel=1e-9)


def test_several_scores_are_compared_by_their_permutation_covariance() -> None:
    rng = np.random.default_rng(1)
    old, new = rng.normal(size=(30, 3)), rng.normal(0.3, 1, size=(20, 3))
    ranks = stats.rankdata(np.concatenate([old, new]), axis=0)
    draws = np.array([ranks[rng.permutation(50)[:20]].sum(axis=0) for _ in range(20_000)])
    gap = ranks[30:].sum(axis=0) - 20 * 25.5
    brute = gap @ np.linalg.solve(np.cov(draws.T), gap)
    assert blocked_kruskal_wallis(old, new).statistic == pytest.approx(brute, rel=0.05)


def test_blocks_keep_what_differs_between_them_out_of_the_comparison() -> None:
    rng = np.random.default_rng(2)
    blocks = np.repeat([0, 1], [90, 10]), np.repeat([0, 1], [10, 90])
    old, new = (rng.normal(size=100) + 5 * side for side in blocks)
    assert blocked_kruskal_wallis(old, new).p_value < 1e-6
    assert blocked_kruskal_wallis(old, new, blocks_reference=blocks[0], blocks_current=blocks[1]).p_value > 0.05


def test_its_p_values_are_uniform_without_any_shift() -> None:
    rng = np.random.default_rng(3)
    p = []
    for _ in range(RUNS):
        old, new = rng.dirichlet([1, 2, 3], size=90), rng.dirichlet([1, 2, 3], size=60)
        before, after = rng.integers(0, 3, 90), rng.integers(0, 3, 60)
        p.append(blocked_kruskal_wallis(old, new, blocks_reference=before, blocks_current=after).p_value)
    assert stats.kstest(p, "uniform").pvalue > 0.001


def test_inflation_widens_the_reference_part_only() -> None:
    old, new = np.arange(40.0), np.arange(10.0) + 25
    plain, wide = (blocked_kruskal_wallis(old, new, inflation=by).statistic for by in (1.0, 2.0))
    assert plain / wide == pytest.approx((1 / 10 + 2 / 40) / (1 / 10 + 1 / 40))


def test_equal_scores_say_nothing() -> None:
    result = blocked_kruskal_wallis([0.5] * 9, [0.5] * 4)
    assert (result.statistic, result.p_value, result.note) == (0.0, 1.0, "all scores are equal")


def test_rows_in_blocks_of_one_side_are_counted() -> None:
    result = blocked_kruskal_wallis([1, 2, 3, 9], [2, 3, 4], blocks_reference=[0, 0, 0, 7], blocks_current=[0, 0, 0])
    assert result.note == "1 rows left out because their block has only one side"


@pytest.mark.parametrize(
    ("old", "new", "options", "words"),
    [
        ([[0.1, 0.9]], [0.2], {}, "current must have as many columns as reference, 2, got 1"),
        ([0.1], [0.2], {"inflation": 0.5}, "inflation must be at least 1, got 0.5"),
        ([0.1, 0.2], [0.2], {"blocks_reference": [0]}, "blocks_reference must have one value per row, 2"),
        ([0.1, float("nan")], [0.2], {}, "reference must be finite, got nan"),
    ],
)
def test_bad_input_gets_one_sentence(old: object, new: object, options: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        blocked_kruskal_wallis(old, new, **options)  # type: ignore[arg-type]

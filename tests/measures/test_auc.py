from __future__ import annotations

import math
import os
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri
from sklearn.metrics import roc_auc_score

from shiftproof.core import InputError
from shiftproof.measures._auc import auc, auc_influences, compare_auc, placements
from shiftproof.measures._ends import spread
from shiftproof.measures._scores import IntervalPlan, Scores
from shiftproof.stats import wilson

LONGER = int(os.environ.get("SIMULATIONS", "1"))


def _binary(y: NDArray[Any], p: NDArray[np.float64], **given: object) -> Scores:
    return Scores.of(y, np.column_stack([1 - p, p]), **given)  # type: ignore[arg-type]


def test_the_ct_ratings_of_hanley_and_mcneil_give_the_published_delong_error() -> None:
    # Hanley and McNeil (1982), Table I: 58 normal and 51 abnormal images rated 1 to 5. Their area is 0.893;
    # Stata's manual ([R] roctab) prints 0.8932, DeLong's standard error 0.0307 and [0.83295, 0.95339].
    normal, abnormal = [33, 6, 6, 11, 2], [3, 2, 2, 11, 33]
    ratings = np.concatenate([np.repeat(np.arange(1, 6), normal), np.repeat(np.arange(1, 6), abnormal)])
    y = np.repeat([0, 1], [58, 51])
    scores = _binary(y, ratings / 10)
    value, influences = auc_influences(ratings.astype(float), y == 1, np.ones(109))
    variance, _ = spread(influences, scores)
    half = 1.959964 * math.sqrt(variance)
    assert (round(value, 4), round(math.sqrt(variance), 4)) == (0.8932, 0.0307)
    assert (value - half, value + half) == pytest.approx((0.83295, 0.95339), abs=1e-5)
    found = auc(scores, IntervalPlan())
    assert found.estimate == pytest.approx(value, abs=1e-12)
    assert (found.low, found.high) == pytest.approx((0.816, 0.940), abs=2e-3)


@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(2, 12))
@settings(max_examples=60)
def test_delong_agrees_with_all_pairs(seed: int, n_positive: int, n_negative: int) -> None:
    rng = np.random.default_rng(seed)
    x, z = rng.integers(6, size=n_positive) / 5, rng.integers(6, size=n_negative) / 5
    wins = (x[:, None] > z) + (x[:, None] == z) / 2
    value, v10, v01 = wins.mean(), wins.mean(axis=1), wins.mean(axis=0)
    y = np.repeat([1, 0], [n_positive, n_negative])
    p = np.concatenate([x, z])
    assert placements(p, y == 1, np.ones(len(y))) == pytest.approx(np.concatenate([v10, v01]), abs=1e-14)
    found, influences = auc_influences(p, y == 1, np.ones(len(y)))
    variance, _ = spread(influences, _binary(y, p))
    assert found == pytest.approx(value, abs=1e-14)
    assert variance == pytest.approx(v10.var(ddof=1) / n_positive + v01.var(ddof=1) / n_negative, abs=1e-14)


@given(st.integers(0, 10**6), st.integers(10, 80), st.integers(2, 4), st.booleans())
@settings(max_examples=60)
def test_estimates_agree_with_scikit_learn(seed: int, n: int, k: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.concatenate([np.arange(k), np.arange(k), rng.integers(k, size=n)]))
    p = rng.dirichlet(np.full(k, 0.7), len(y)).round(1) + 0.1
    p /= p.sum(axis=1, keepdims=True)
    weights = rng.integers(0, 3, len(y)) + 0.25 if weighted else np.ones(len(y))
    found = auc(Scores.of(y, p, sample_weight=weights), IntervalPlan())
    if k == 2:
        truth = roc_auc_score(y, p[:, 1], sample_weight=weights)
    else:
        each = [roc_auc_score(y == c, p[:, c], sample_weight=weights) for c in range(k)]
        truth = np.mean(each)
    assert found.estimate == pytest.approx(truth, abs=1e-12)
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    if not weighted and k > 2:
        assert found.estimate == pytest.approx(roc_auc_score(y, p, multi_class="ovr"), abs=1e-12)


def test_the_positive_class_may_be_either() -> None:
    rng = np.random.default_rng(0)
    y, p = rng.integers(2, size=50), rng.random(50)
    one, other = auc(_binary(y, p), IntervalPlan()), auc(_binary(y, p, positive=0), IntervalPlan())
    assert (one.estimate, one.low, one.high) == pytest.approx((other.estimate, other.low, other.high), abs=1e-12)


def test_separated_classes_have_the_interval_of_a_rate_over_the_smaller_class() -> None:
    y = np.repeat([0, 1], [90, 10])
    found = auc(_binary(y, y * 0.8 + 0.1), IntervalPlan())
    assert (found.estimate, found.high) == (1, 1)
    assert found.low == pytest.approx(wilson(10, 10).low)
    reverse = auc(_binary(y, 0.9 - y * 0.8), IntervalPlan())
    assert (reverse.estimate, reverse.low) == (0, 0)


def test_hostile_inputs() -> None:
    assert auc(_binary(np.array([1]), np.array([0.5])), IntervalPlan()).method == "undefined (class 1 is the only one)"
    assert auc(_binary(np.zeros(3, int), np.full(3, 0.5)), IntervalPlan()).method == "undefined (class 1 is missing)"
    tied = auc(_binary(np.arange(100) % 2, np.full(100, 0.5)), IntervalPlan())
    assert tied.estimate == 0.5
    assert 0.35 < tied.low < 0.5 < tied.high < 0.65
    pair = auc(_binary(np.array([0, 1]), np.array([0.2, 0.9])), IntervalPlan())
    assert (pair.estimate, pair.high) == (1, 1)
    assert pair.low < 0.3


def test_folds_and_weights_are_told_and_widen() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(100) % 2
    p = ndtr(rng.normal(size=100) + y)
    plain, folded = auc(_binary(y, p), IntervalPlan()), auc(_binary(y, p, folds=np.arange(100) // 10), IntervalPlan())
    assert folded.method == "delong on the logit scale (nadeau-bengio over 10 folds)"
    assert folded.width == pytest.approx(plain.width * math.sqrt(1 + 10 / 9), rel=0.05)
    weighted = auc(_binary(y, p, sample_weight=1 + 9.0 * (np.arange(100) % 4 > 1)), IntervalPlan())
    assert weighted.method == "delong on the logit scale (kish effective size)"
    assert weighted.width > plain.width * 1.1


@pytest.mark.parametrize(("n", "prevalence"), [(200, 0.1), (200, 0.5), (1000, 0.05), (5000, 0.1)])
@pytest.mark.parametrize("truth", [0.6, 0.85, 0.95])
def test_intervals_cover(n: int, prevalence: float, truth: float) -> None:
    rng, times = np.random.default_rng(n), (800 if n < 5000 else 400) * LONGER
    shift, hits = math.sqrt(2) * float(ndtri(truth)), 0
    for _ in range(times):
        y = rng.random(n) < prevalence
        found = auc(_binary(y, ndtr(rng.normal(size=n) + shift * y)), IntervalPlan())
        hits += truth in found
    error = 3 * math.sqrt(0.05 * 0.95 / times)
    assert 0.94 - error < hits / times < 0.965 + error


def _two_models(rng: np.random.Generator, n: int) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]:
    y = rng.permutation(np.arange(n) % 2)
    shared = rng.normal(size=n) + y
    return y, shared + 0.5 * rng.normal(size=n), shared + 0.5 * rng.normal(size=n)


def test_the_difference_of_two_aucs_agrees_with_all_pairs() -> None:
    y, a, b = _two_models(np.random.default_rng(1), 40)
    wins = [(s[y == 1][:, None] > s[y == 0]) * 1.0 for s in (a, b)]
    gap = wins[0] - wins[1]
    error = math.sqrt(gap.mean(axis=1).var(ddof=1) / 20 + gap.mean(axis=0).var(ddof=1) / 20)
    found = compare_auc(y, a, b)
    assert found.difference.estimate == pytest.approx(gap.mean(), abs=1e-14)
    assert found.statistic == pytest.approx(gap.mean() / error, rel=1e-10)
    assert found.difference.width == pytest.approx(2 * 1.959964 * error, rel=1e-6)


def test_equal_models_are_told_apart_at_the_level() -> None:
    rng, times = np.random.default_rng(2), 1000 * LONGER
    p = np.array([compare_auc(*_two_models(rng, 200)).p_value for _ in range(times)])
    assert abs((p < 0.05).mean() - 0.05) < 0.025


def test_a_model_against_itself_does_not_differ() -> None:
    y, a, _ = _two_models(np.random.default_rng(3), 30)
    found = compare_auc(y, a, 2 * a)
    assert (found.difference.estimate, found.statistic, found.p_value) == (0, 0, 1)
    few = compare_auc([0, 1], [0.1, 0.9], [0.9, 0.1])
    assert (few.difference.low, few.difference.high, few.p_value) == (-1, 1, 1)
    folded = compare_auc(y, a, -a, folds=np.arange(30) % 5)
    assert folded.difference.method == "delong (nadeau-bengio over 5 folds)"


@pytest.mark.parametrize(
    ("y", "second", "sentence"),
    [
        ([0, 0], [1, 2], "y must hold both 0 and 1 and nothing else, got [0, 0]; code the positive class as 1."),
        ([0, 1], [1], "second must have one score per row, 2, got 1; score the same rows with both."),
    ],
)
def test_what_does_not_fit_is_told(y: list[int], second: list[float], sentence: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        compare_auc(y, [0.5, 0.6], second)

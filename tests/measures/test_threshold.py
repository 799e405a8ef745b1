from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn import metrics

from shiftproof.core import InputError, Interval
from shiftproof.measures import _threshold as measures
from shiftproof.measures._scores import IntervalPlan, Scores
from shiftproof.stats import wilson

LONGER = int(os.environ.get("SIMULATIONS", "1"))
NAMES = ("accuracy", "error", "precision", "recall", "f1", "g_mean", "balanced_accuracy")


def _of(name: str, scores: Scores, plan: IntervalPlan | None = None) -> Interval:
    found: Interval = getattr(measures, name)(scores, plan or IntervalPlan())
    return found


def _drawn(seed: int, n: int, k: int, weighted: bool) -> tuple[NDArray[Any], NDArray[Any], Scores]:
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.concatenate([np.arange(k), rng.integers(k, size=n)]))
    p = rng.dirichlet(np.full(k, 0.7), len(y)).round(2) + 0.02
    p /= p.sum(axis=1, keepdims=True)
    weights = rng.integers(0, 4, len(y)) + 0.5 if weighted else np.ones(len(y))
    return y, weights, Scores.of(y, p, sample_weight=weights)


@given(st.integers(0, 10**6), st.integers(10, 80), st.integers(2, 4), st.booleans())
@settings(max_examples=40)
def test_estimates_agree_with_scikit_learn(seed: int, n: int, k: int, weighted: bool) -> None:
    y, weights, scores = _drawn(seed, n, k, weighted)
    said = scores.decisions
    averaged = {"average": "binary" if k == 2 else "macro", "sample_weight": weights}
    truths = {
        "accuracy": metrics.accuracy_score(y, said, sample_weight=weights),
        "error": 1 - metrics.accuracy_score(y, said, sample_weight=weights),
        "recall": metrics.recall_score(y, said, **averaged),
        "f1": metrics.f1_score(y, said, **averaged),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, said, sample_weight=weights),
    }
    if len(np.unique(said)) == k:
        truths["precision"] = metrics.precision_score(y, said, **averaged)
    for name, truth in truths.items():
        found = _of(name, scores)
        assert found.estimate == pytest.approx(truth, abs=1e-12), name
        assert 0 <= found.low <= found.estimate <= found.high <= 1
    recalls = metrics.recall_score(y, said, average=None, sample_weight=weights)
    assert _of("g_mean", scores).estimate == pytest.approx(np.prod(recalls) ** (1 / k), abs=1e-12)
    for beta in (0.5, 2.0):
        truth = metrics.fbeta_score(y, said, beta=beta, **averaged)
        assert measures.f_beta(scores, IntervalPlan(), beta=beta).estimate == pytest.approx(truth, abs=1e-12)


def test_rates_have_wilsons_interval_on_their_own_denominators() -> None:
    y = np.repeat([1, 1, 0, 0], [30, 10, 5, 55])
    p = np.repeat([0.9, 0.1, 0.9, 0.1], [30, 10, 5, 55])
    scores = Scores.of(y, np.column_stack([1 - p, p]))
    for name, hits, n in (("accuracy", 85, 100), ("error", 15, 100), ("precision", 30, 35), ("recall", 30, 40)):
        truth, found = wilson(hits, n), _of(name, scores)
        assert (found.low, found.high) == pytest.approx((truth.low, truth.high), abs=1e-12)
        assert found.method == "wilson"
    jaccard, found = wilson(30, 45), _of("f1", scores)
    carried = [2 * end / (1 + end) for end in (jaccard.low, jaccard.high)]
    assert [found.low, found.high] == pytest.approx(carried, abs=1e-12)


def test_f_of_beta_close_to_one_is_close_to_f1() -> None:
    _, _, scores = _drawn(3, 60, 2, False)
    near, one = measures.f_beta(scores, IntervalPlan(), beta=1 + 1e-6), measures.f1(scores, IntervalPlan())
    assert (near.estimate, near.low, near.high) == pytest.approx((one.estimate, one.low, one.high), abs=1e-4)


@pytest.mark.parametrize("beta", [0, -1, math.nan, math.inf])
def test_beta_is_checked(beta: float) -> None:
    with pytest.raises(InputError, match=r"^beta must"):
        measures.f_beta(_drawn(0, 10, 2, False)[2], IntervalPlan(), beta=beta)


def test_undefined_measures_say_why() -> None:
    nothing = Scores.of([0, 0], [[0.9, 0.1]] * 2)
    for name, why in (
        ("precision", "the positive class is never predicted"),
        ("recall", "no rows of the positive class"),
        ("f1", "no positives, none predicted"),
        ("g_mean", "no rows of the positive class"),
        ("balanced_accuracy", "no rows of the positive class"),
    ):
        found = _of(name, nothing)
        assert math.isnan(found.estimate)
        assert (found.low, found.high, found.method) == (0, 1, f"undefined ({why})")
    three = Scores.of([0, 1], [[0.9, 0.1, 0.0], [0.1, 0.9, 0.0]])
    assert _of("f1", three).method == "undefined (class 2 neither occurs nor is predicted)"
    assert _of("precision", three).method == "undefined (class 2 is never predicted)"
    assert _of("recall", three).method == "undefined (no rows of class 2)"
    assert _of("accuracy", nothing).estimate == 1


def test_no_positive_found_is_zero_and_all_found_is_one_with_an_interval() -> None:
    missed = Scores.of([1, 0, 0, 0], [[0.9, 0.1]] * 4)
    assert str(_of("f1", missed)).startswith("0.000 [0.000, 0.8")
    assert _of("g_mean", missed).estimate == 0
    assert 0.3 < _of("g_mean", missed).high < 1
    perfect = Scores.of([1, 0] * 10, [[0.1, 0.9], [0.9, 0.1]] * 10)
    for name in set(NAMES) - {"error"}:
        found = _of(name, perfect)
        assert found.estimate == found.high == 1
        assert 0.6 < found.low < 0.95
    macro = _of("f1", Scores.of(np.arange(30) % 3, np.eye(3)[np.arange(30) % 3]))
    assert (macro.estimate, macro.high) == (1, 1)
    assert 0.5 < macro.low < 0.9


@pytest.mark.parametrize("y", [0, 1])
def test_one_row_is_enough(y: int) -> None:
    scores = Scores.of([y], [[0.3, 0.7]])
    for name in NAMES:
        found = _of(name, scores)
        assert 0 <= found.low <= found.high <= 1


@pytest.mark.parametrize(("n", "prevalence"), [(200, 0.05), (200, 0.3), (1000, 0.1), (5000, 0.02), (5000, 0.5)])
@pytest.mark.parametrize("name", ["f1", "g_mean", "balanced_accuracy"])
def test_intervals_cover(name: str, n: int, prevalence: float) -> None:
    rng, times, (tpr, fpr) = np.random.default_rng(n), 1000 * LONGER, (0.75, 0.1)
    tp, fp = tpr * prevalence, fpr * (1 - prevalence)
    truth = {"f1": 2 * tp / (tp + fp + prevalence), "g_mean": math.sqrt(tpr * (1 - fpr))}.get(name, (1 + tpr - fpr) / 2)
    hits = defined = 0
    for counts in rng.multinomial(n, [tp, prevalence - tp, fp, 1 - prevalence - fp], size=times):
        # Whole rows of one kind weigh the same as their count would, so four rows of decisions are repeated.
        p = np.repeat([0.9, 0.1, 0.9, 0.1], counts)
        found = _of(name, Scores.of(np.repeat([1, 1, 0, 0], counts), np.column_stack([1 - p, p])))
        defined += not math.isnan(found.estimate)
        hits += truth in found
    error = 3 * math.sqrt(0.05 * 0.95 / times)
    assert 0.94 - error < hits / defined < 0.96 + error + 0.01


@pytest.mark.parametrize("n", [200, 1000])
def test_macro_f1_covers(n: int) -> None:
    rng, times = np.random.default_rng(n), 800 * LONGER
    joint = np.array([[0.40, 0.05, 0.05], [0.05, 0.20, 0.05], [0.02, 0.03, 0.15]])  # true class, decided class
    truth = np.mean(2 * joint.diagonal() / (joint.sum(axis=0) + joint.sum(axis=1)))
    hits = 0
    for counts in rng.multinomial(n, joint.ravel(), size=times):
        cell = np.repeat(np.arange(9), counts)
        hits += truth in _of("f1", Scores.of(cell // 3, np.eye(3)[cell % 3]))
    assert 0.92 < hits / times < 0.975

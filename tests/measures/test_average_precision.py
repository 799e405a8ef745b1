from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import ndtr
from sklearn.metrics import average_precision_score, precision_recall_curve

from shiftproof.measures import _average_precision
from shiftproof.measures._average_precision import (
    average_precision,
    precision_influences,
    three_point_average_precision,
)
from shiftproof.measures._scores import IntervalPlan, Scores

LONGER = int(os.environ.get("SIMULATIONS", "1"))


def _binary(y: NDArray[np.intp], p: NDArray[np.float64], **given: object) -> Scores:
    return Scores.of(y, np.column_stack([1 - p, p]), **given)  # type: ignore[arg-type]


def _three_points(y: NDArray[np.bool_], p: NDArray[np.float64], weights: NDArray[Any]) -> float:
    precision, recall, _ = precision_recall_curve(y, p, sample_weight=weights)
    return float(np.mean([precision[recall >= r - 1e-12].max() for r in (0.2, 0.5, 0.8)]))


@given(st.integers(0, 10**6), st.integers(10, 80), st.integers(2, 4), st.booleans())
@settings(max_examples=50)
def test_estimates_agree_with_scikit_learn(seed: int, n: int, k: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.concatenate([np.arange(k), np.arange(k), rng.integers(k, size=n)]))
    p = rng.dirichlet(np.full(k, 0.7), len(y)).round(1) + 0.1
    p /= p.sum(axis=1, keepdims=True)
    weights = rng.integers(0, 3, len(y)) + 0.25 if weighted else np.ones(len(y))
    scores, plan = Scores.of(y, p, sample_weight=weights), IntervalPlan(n_resamples=100)
    codes = [1] if k == 2 else list(range(k))
    truth = np.mean([average_precision_score(y == c, p[:, c], sample_weight=weights) for c in codes])
    found = average_precision(scores, plan)
    assert found.estimate == pytest.approx(truth, abs=1e-12)
    three = three_point_average_precision(scores, plan)
    by_curve = np.mean([_three_points(y == c, p[:, c], weights) for c in codes])
    assert three.estimate == pytest.approx(by_curve, abs=1e-12)
    for interval in (found, three):
        assert 0 <= interval.low <= interval.estimate <= interval.high <= 1


def test_influences_are_derivatives() -> None:
    rng = np.random.default_rng(0)
    y, step, n = rng.random(40) < 0.4, 1e-6, 40
    p = (rng.normal(size=n) + y).round(1)
    value, influences = precision_influences(p, y, np.ones(n))
    moved = [precision_influences(p, y, np.ones(n) + step * (np.arange(n) == j))[0] for j in range(n)]
    assert (np.array(moved) - value) / step * n == pytest.approx(influences, abs=1e-4)
    assert influences.sum() == pytest.approx(0, abs=1e-12)


def test_a_perfect_list_and_a_worst_one() -> None:
    y = np.repeat([1, 0], [10, 90])
    p = np.linspace(0.9, 0.1, 100)
    for measure in (average_precision, three_point_average_precision):
        best = measure(_binary(y, p), IntervalPlan())
        assert (best.estimate, best.high) == (1, 1)
        assert 0.5 < best.low < 1
        worst = measure(_binary(y, p[::-1].copy()), IntervalPlan())
        assert 0 < worst.low <= worst.estimate < 0.11
        none = measure(_binary(np.zeros(3, int), np.full(3, 0.5)), IntervalPlan())
        assert math.isnan(none.estimate)
        assert none.method == "undefined (no positives)"
        one = measure(_binary(np.array([1]), np.array([0.5])), IntervalPlan())
        assert (one.estimate, one.high) == (1, 1)
        assert one.low < 0.3
        tied = measure(_binary(y, np.full(100, 0.3)), IntervalPlan())
        assert tied.estimate == pytest.approx(0.1)
        assert 0.03 < tied.low < 0.1 < tied.high < 0.3
    missing = Scores.of([0, 1], [[0.9, 0.1, 0], [0.1, 0.9, 0]])
    assert average_precision(missing, IntervalPlan()).method == "undefined (no rows of class 2)"
    assert three_point_average_precision(missing, IntervalPlan()).method == "undefined (no rows of class 2)"


def test_many_rows_are_resampled_on_few_cells_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    y = (rng.random(6000) < 0.1).astype(int)
    fine = ndtr(rng.normal(size=6000) + 1.5 * y)
    wide = three_point_average_precision(_binary(y, fine), IntervalPlan())
    assert wide == three_point_average_precision(_binary(y, fine), IntervalPlan())  # seeded
    folded = three_point_average_precision(_binary(y, fine, folds=np.arange(6000) % 10), IntervalPlan())
    assert folded.width == pytest.approx(wide.width * math.sqrt(1 + 10 / 9), rel=0.15)
    assert folded.method == "bootstrap on the logit scale (nadeau-bengio over 10 folds)"
    monkeypatch.setattr(_average_precision, "_MOST_CELLS", 6000)
    assert wide.width == pytest.approx(three_point_average_precision(_binary(y, fine), IntervalPlan()).width, rel=0.1)


@pytest.mark.parametrize(("n", "prevalence", "shift"), [(200, 0.3, 1.5), (500, 0.1, 2.0), (500, 0.5, 0.8)])
def test_intervals_cover(n: int, prevalence: float, shift: float) -> None:
    rng, times, plan = np.random.default_rng(n), 200 * LONGER, IntervalPlan(n_resamples=100)

    def draw(size: int) -> Scores:
        y = rng.random(size) < prevalence
        return _binary(y.astype(int), ndtr(rng.normal(size=size) + shift * y))

    many = draw(400_000)
    for measure, repeats in ((average_precision, 4 * times), (three_point_average_precision, times)):
        truth = measure(many, plan).estimate
        hits = np.mean([truth in measure(draw(n), plan) for _ in range(repeats)])
        error = 3 * math.sqrt(0.05 * 0.95 / repeats)
        assert 0.935 - error < hits <= min(0.97 + error, 1)


def test_three_point_average_precision_of_many_classes_draws_fewer_resamples_of_each() -> None:
    k, rng = 40, np.random.default_rng(0)
    y = np.arange(20 * k) % k
    scores = Scores.of(y, rng.dirichlet(np.ones(k) / 4, size=len(y)) / 2 + np.eye(k)[y] / 2)
    few, many = (three_point_average_precision(scores, IntervalPlan(n_resamples=n)) for n in (400, 4000))
    assert few.estimate == many.estimate
    assert few.high - few.low == pytest.approx(many.high - many.low, rel=0.1)

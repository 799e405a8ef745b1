from __future__ import annotations

import math
import os
import re

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from shiftproof.core import InputError
from shiftproof.measures._registry import MEASURES, measure
from shiftproof.measures._scores import IntervalPlan, Scores

LONGER = int(os.environ.get("SIMULATIONS", "1"))


def test_the_names_and_their_order() -> None:
    assert list(MEASURES) == [
        "accuracy",
        "error",
        "precision",
        "recall",
        "f1",
        "g_mean",
        "balanced_accuracy",
        "auc",
        "average_precision",
        "three_point_average_precision",
        "brier",
        "log_loss",
        "calibration_error",
    ]
    assert [name for name, item in MEASURES.items() if not item.higher_is_better] == [
        "error",
        "brier",
        "log_loss",
        "calibration_error",
    ]
    assert all(item.name == name and item.description for name, item in MEASURES.items())
    assert MEASURES["log_loss"].limits == (0, math.inf)


def test_the_registry_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        MEASURES["x"] = MEASURES["auc"]  # type: ignore[index]


def test_an_unknown_name_is_told() -> None:
    with pytest.raises(InputError, match=re.escape("; got 'acuracy'. Did you mean 'accuracy'?")):
        measure("acuracy", [0, 1], [[1, 0], [0, 1]])


@pytest.mark.parametrize("name", list(MEASURES))
@pytest.mark.parametrize("k", [2, 3])
def test_every_measure_keeps_its_range_on_odd_data(name: str, k: int) -> None:
    rng = np.random.default_rng(0)
    limits = (0, 2) if (name, k) == ("brier", 3) else MEASURES[name].limits
    for n in (1, 2, 3, 10):
        for y in (np.zeros(n, int), np.arange(n) % k, rng.integers(k, size=n)):
            for p in (np.full((n, k), 1 / k), np.eye(k)[y], np.eye(k)[(y + 1) % k], rng.dirichlet(np.ones(k), n)):
                for weights in (None, rng.random(n) + 0.01):
                    found = measure(name, y, p, sample_weight=weights, folds=np.arange(n) % 2, n_resamples=100)
                    assert limits[0] <= found.low <= found.high <= limits[1]
                    assert math.isnan(found.estimate) or found.low <= found.estimate <= found.high
                    assert math.isnan(found.estimate) == found.method.startswith("undefined")


@pytest.mark.parametrize("name", list(MEASURES))
def test_equal_weights_change_nothing_and_order_does_not_matter(name: str) -> None:
    rng = np.random.default_rng(1)
    y = np.arange(90) % 3
    p = rng.dirichlet(np.ones(3), 90) + np.eye(3)[y]
    p /= p.sum(axis=1, keepdims=True)
    plain = measure(name, y, p)
    weighted = measure(name, y, p, sample_weight=np.full(90, 0.1))
    order = rng.permutation(90)
    shuffled = measure(name, y[order], p[order])
    for other in (weighted, shuffled):
        assert other.estimate == pytest.approx(plain.estimate, abs=1e-12)
        assert (other.low, other.high) == pytest.approx((plain.low, plain.high), abs=1e-9)
        assert other.method == plain.method


def _fold_scores(x: NDArray[np.float64], y: NDArray[np.intp], folds: NDArray[np.intp]) -> NDArray[np.float64]:
    """Score each row by the linear discriminant of the other folds."""
    scores = np.empty(len(y))
    for fold in range(folds.max() + 1):
        rows = folds != fold
        weights, bias = _discriminant(x[rows], y[rows])
        scores[~rows] = x[~rows] @ weights + bias
    return scores


def _discriminant(x: NDArray[np.float64], y: NDArray[np.intp]) -> tuple[NDArray[np.float64], float]:
    means = np.stack([x[y == 0].mean(axis=0), x[y == 1].mean(axis=0)])
    centred = x - means[y]
    weights = np.linalg.solve(centred.T @ centred / (len(y) - 2), means[1] - means[0])
    return weights, float(-weights @ means.mean(axis=0) + np.log(y.mean() / (1 - y.mean())))


@pytest.mark.parametrize(("n", "d", "shift"), [(200, 5, 1.0), (200, 20, 1.5), (200, 50, 1.5), (1000, 20, 1.0)])
def test_cross_validated_intervals_cover_the_refitted_model(n: int, d: int, shift: float) -> None:
    rng, times = np.random.default_rng(d), (250 if n < 1000 else 150) * LONGER
    found, naive = np.zeros(2), np.zeros(2)
    folds = np.arange(n) % 10
    for _ in range(times):
        y = rng.permutation(np.arange(n) % 2)
        x = rng.normal(size=(n, d))
        x[:, 0] += shift * y
        p = expit(_fold_scores(x, y, folds))
        weights, bias = _discriminant(x, y)
        length = np.linalg.norm(weights)
        right = (ndtr((weights[0] * shift + bias) / length) + ndtr(-bias / length)) / 2
        truths = {"accuracy": right, "auc": ndtr(weights[0] * shift / length / math.sqrt(2))}
        both = np.column_stack([1 - p, p])
        for i, (name, truth) in enumerate(truths.items()):
            found[i] += truth in measure(name, y, both, folds=folds)
            naive[i] += truth in measure(name, y, both)
    assert (found / times > 0.93 - 2 * math.sqrt(0.05 * 0.95 / times)).all()
    if d == 50:  # taking the rows as independent is not honest
        assert naive[1] / times < 0.93


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("k", [2, 3])
def test_value_alone_is_the_estimate_of_the_interval(name: str, k: int) -> None:
    rng = np.random.default_rng(k)
    probabilities = rng.dirichlet(np.ones(k), size=60)
    y = np.arange(60) % k
    for labels in (y, np.zeros(60, dtype=int)):  # with one class alone, some measures are undefined
        scores = Scores.of(labels, probabilities, sample_weight=rng.uniform(1, 2, 60))
        expected = MEASURES[name].function(scores, IntervalPlan(n_resamples=100)).estimate
        assert MEASURES[name].value(scores) == pytest.approx(expected, abs=1e-15, nan_ok=True)

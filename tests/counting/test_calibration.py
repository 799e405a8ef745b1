from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import optimize, special

from shiftproof.counting._calibration import _calibration_terms, learn_calibration
from shiftproof.quantification import Labelled


def scored(seed: int, n: int = 300, k: int = 3, temperature: float = 1.0) -> Labelled:
    rng = np.random.default_rng(seed)
    codes = np.append(np.arange(k), rng.integers(0, k, n - k))
    x = rng.normal(size=(n, k))
    x[np.arange(n), codes] += 1.0
    return Labelled(special.softmax(temperature * x, axis=1), codes)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_penalised_likelihood_is_largest(k: int) -> None:
    labelled = scored(k, k=k, temperature=2.0)
    logs = np.log(labelled.probabilities)

    def loss(at: np.ndarray) -> float:
        told = special.log_softmax(at[0] * logs + np.append(0, at[1:]), axis=1)
        return float(-told[np.arange(len(logs)), labelled.codes].sum() + (at[0] - 1) ** 2 / 2)

    best = optimize.minimize(loss, np.append(1.0, np.zeros(k - 1)), tol=1e-10)
    found = learn_calibration(labelled)
    np.testing.assert_allclose(np.append(found.slope, found.biases[1:]), best.x, atol=1e-4)
    assert found.biases[0] == 0


@pytest.mark.parametrize("seed", range(5))
def test_calibrated_scores_average_to_the_prevalence(seed: int) -> None:
    labelled = scored(seed, temperature=3.0)
    np.testing.assert_allclose(learn_calibration(labelled)(labelled.probabilities).mean(axis=0), labelled.prevalence)


def test_too_bold_scores_are_tempered() -> None:
    assert learn_calibration(scored(0, n=4000, temperature=4.0)).slope == pytest.approx(0.25, abs=0.02)


def test_scores_that_separate_the_classes_or_are_0_and_1_stay_finite() -> None:
    sure = Labelled([[1.0, 0.0]] * 5 + [[0.0, 1.0]], [0] * 5 + [1])
    found = learn_calibration(sure)
    calibrated = found(sure.probabilities)
    assert np.isfinite(calibrated).all()
    np.testing.assert_allclose(calibrated.mean(axis=0), sure.prevalence)
    assert calibrated[5, 1] > 0.99


def test_scores_that_speak_for_the_wrong_class_say_nothing() -> None:
    wrong = scored(0, k=2, n=500)
    turned = Labelled(wrong.probabilities[:, ::-1], wrong.codes)
    found = learn_calibration(turned)
    assert found.slope == 0
    np.testing.assert_allclose(found(turned.probabilities), np.tile(turned.prevalence, (500, 1)))


@pytest.mark.parametrize("k", [2, 3])
def test_calibration_terms_are_the_derivatives_of_the_log_loss(k: int) -> None:
    rng = np.random.default_rng(k)
    logs, codes = np.log(rng.dirichlet(np.ones(k), size=40)), rng.integers(k, size=40)
    weights, row_weights = rng.normal(size=k), rng.integers(1, 4, size=40).astype(float)

    def log_loss(at: Any) -> float:
        linear = at[0] * logs + np.append(0.0, at[1:])
        return float((np.log(np.exp(linear).sum(axis=1)) - linear[np.arange(40), codes]) @ row_weights)

    loss, gradient, curvature = _calibration_terms(logs, codes, row_weights, weights)
    plain = _calibration_terms.py_func(logs, codes, row_weights, weights)
    assert loss == pytest.approx(log_loss(weights))
    steps = 1e-5 * np.eye(k)
    slopes = [(log_loss(weights + step) - log_loss(weights - step)) / 2e-5 for step in steps]
    assert gradient == pytest.approx(slopes, abs=1e-5)
    bends = [(_calibration_terms(logs, codes, row_weights, weights + step)[1] - gradient) / 1e-5 for step in steps]
    assert curvature == pytest.approx(np.array(bends), abs=1e-3)
    for compiled, by_python in zip((loss, gradient, curvature), plain, strict=True):
        assert compiled == pytest.approx(by_python)

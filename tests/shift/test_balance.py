from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

from shiftproof.shift._balance import balance


def test_the_weights_meet_their_moments() -> None:
    rng = np.random.default_rng(0)
    functions = rng.normal(size=(500, 6))
    target = np.array([0.5, -0.3, 0.2, 0.0, 0.1, 0.4])
    found = balance(functions, target, 1e-9)
    np.testing.assert_allclose(found.weights @ functions, target, atol=1e-6)
    assert found.weights.sum() == pytest.approx(1)
    assert (found.weights > 0).all()


def test_the_tilt_is_the_minimum_that_scipy_finds() -> None:
    rng = np.random.default_rng(1)
    functions, target, base = rng.normal(size=(200, 3)), np.array([0.8, 0.1, -0.5]), rng.random(200)

    def dual(tilt: np.ndarray) -> float:
        return float(np.log(base @ np.exp((functions - target) @ tilt)) + 0.05 * tilt @ tilt / 2)

    best = optimize.minimize(dual, np.zeros(3), options={"gtol": 1e-9})
    found = balance(functions, target, 0.05, base=base, start=np.ones(3))
    np.testing.assert_allclose(found.tilt, best.x, atol=1e-5)
    assert found.objective == pytest.approx(best.fun, abs=1e-10)


def test_equal_means_keep_the_weights_equal() -> None:
    functions = np.random.default_rng(2).normal(size=(50, 2))
    found = balance(functions, functions.mean(axis=0), 0.01)
    np.testing.assert_allclose(found.weights, 1 / 50)
    assert found.entropy == pytest.approx(0, abs=1e-12)


def test_a_target_out_of_reach_ends_on_few_rows() -> None:
    functions = np.random.default_rng(3).normal(size=(300, 2))
    found = balance(functions, np.array([50.0, 50.0]), 0.01)
    assert np.isfinite(found.weights).all()
    assert found.entropy > 3


def test_repeated_and_constant_functions_are_no_trouble() -> None:
    column = np.random.default_rng(4).normal(size=(100, 1))
    found = balance(np.hstack([column, column, np.ones((100, 1))]), np.array([0.4, 0.4, 1.0]), 1e-6)
    np.testing.assert_allclose(found.weights @ column, [0.4], atol=1e-4)

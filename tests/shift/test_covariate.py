from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from shiftproof.shift._balance import balance
from shiftproof.shift._covariate import class_gain, unbalanced

Pair = tuple[np.ndarray, np.ndarray]


def _drawn(rng: np.random.Generator, *, tilt: float = 0.0) -> Pair:
    return rng.normal(size=(600, 2)), rng.normal([tilt, 0.0], size=(300, 2))


def test_what_follows_the_features_is_explained_by_their_weights() -> None:
    rng = np.random.default_rng(0)
    p_values = []
    for _ in range(150):
        old, new = _drawn(rng, tilt=0.5)
        score = tuple(np.column_stack([x[:, 0] + 0.3 * rng.normal(size=len(x)), x[:, 1]]) for x in (old, new))
        weights = balance(old, new.mean(axis=0), 1e-4).weights
        p_values.append(unbalanced((score[0], score[1]), (old, new), weights).quadratic())
    assert stats.kstest(p_values, "uniform").pvalue > 0.001


def test_what_moved_beyond_the_features_is_left_over() -> None:
    rng = np.random.default_rng(1)
    old, new = _drawn(rng, tilt=0.5)
    score = rng.normal(size=(600, 1)), rng.normal(0.5, 1, size=(300, 1))
    weights = balance(old, new.mean(axis=0), 1e-4).weights
    assert unbalanced(score, (old, new), weights).quadratic() < 1e-4


def _gain(new_x: np.ndarray, old_x: np.ndarray, shares: float) -> float:
    """Two normal classes at -1 and 1; the balanced function, noise, knows nothing of them."""
    rng = np.random.default_rng(2)
    functions = rng.normal(size=(len(old_x), 1)), rng.normal(size=(len(new_x), 1))
    positive = tuple(special.expit(2 * x) for x in (old_x, new_x))
    probabilities = tuple(np.column_stack([1 - p, p]) for p in positive)
    found = balance(functions[0], functions[1].mean(axis=0), 0.01)
    q = np.array([1 - shares, shares])
    half = np.array([0.5, 0.5])
    return class_gain((probabilities[0], probabilities[1]), functions, found, training=half, shares=q, ridge=0.01)


def test_the_gain_is_the_log_likelihood_of_other_class_shares() -> None:
    rng = np.random.default_rng(3)
    old, new = rng.normal(np.repeat([-1, 1], 1000)), rng.normal(np.repeat([-1, 1], [60, 340]))
    ratio = (0.85 * stats.norm.pdf(new - 1) + 0.15 * stats.norm.pdf(new + 1)) / (
        (stats.norm.pdf(new - 1) + stats.norm.pdf(new + 1)) / 2
    )
    assert _gain(new, old, 0.85) == pytest.approx(np.log(ratio).sum(), rel=0.1)


def test_nothing_is_gained_without_a_change_and_never_less_than_nothing() -> None:
    rng = np.random.default_rng(4)
    old, new = rng.normal(np.repeat([-1, 1], 1000)), rng.normal(np.repeat([-1, 1], 200))
    assert 0 <= _gain(new, old, 0.52) < 3
    assert _gain(new, old, 0.5) == pytest.approx(0, abs=1e-6)

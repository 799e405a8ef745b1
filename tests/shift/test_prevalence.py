from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

from shiftproof.shift._functions import legendre, midranks
from shiftproof.shift._prevalence import class_means, estimate_mixture, leftover, mixture_parts


def _scores(counts: list[int], rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    codes = np.repeat(np.arange(len(counts)), counts)
    return rng.normal(codes * 1.2, 1.0), codes


def _moments(counts: list[int], new: list[int], seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    (old, codes), (fresh, _) = _scores(counts, rng), _scores(new, rng)
    return legendre(midranks(old), 4), codes, legendre(midranks(old, fresh), 4)


@pytest.mark.parametrize(
    ("counts", "new"), [([300, 200], [50, 150]), ([200, 200, 200], [30, 20, 150]), ([90, 60], [80, 0])]
)
def test_shares_minimise_the_weighted_distance(counts: list[int], new: list[int]) -> None:
    """Brute force over the simplex with the covariance at the estimate, which is a fixed point."""
    old, codes, fresh = _moments(counts, new, 0)
    found = estimate_mixture(old, codes, fresh)
    covariance = sum(part.rows.T @ part.rows for part in mixture_parts(old, codes, fresh, found.shares))
    covariance = covariance + np.eye(4) * 1e-3 * np.trace(covariance) / 4
    means, target = class_means(old, codes), fresh.mean(axis=0)

    def distance(free: np.ndarray) -> float:
        off = target - np.append(1 - free.sum(), free) @ means
        return float(off @ np.linalg.solve(covariance, off))

    k = len(counts)
    start = np.full(k - 1, 1 / k)
    limits = optimize.LinearConstraint(np.ones(k - 1), -np.inf, 1)
    best = optimize.minimize(distance, start, bounds=[(0, 1)] * (k - 1), constraints=limits, tol=1e-12)
    np.testing.assert_allclose(found.shares[1:], best.x, atol=2e-3)
    assert found.shares.sum() == pytest.approx(1)


@pytest.mark.parametrize("k", [2, 3])
def test_errors_are_those_of_repeated_samples(k: int) -> None:
    new = [60, 140] if k == 2 else [20, 60, 120]
    rng = np.random.default_rng(1)
    shares, errors, off = [], [], []
    truth = np.array(new) / 200
    for seed in range(200):
        drawn = rng.multinomial(200, truth).tolist()
        found = estimate_mixture(*_moments([250] * k, drawn, seed))
        shares.append(found.unbounded)
        errors.append(found.errors)
        off.append((found.unbounded - truth) / found.errors)
    np.testing.assert_allclose(np.mean(shares, axis=0), truth, atol=0.03)
    np.testing.assert_allclose(np.mean(errors, axis=0) / np.std(shares, axis=0), 1, atol=0.2)
    assert (np.abs(off) < 1.96).mean() > 0.92


@pytest.mark.parametrize("k", [2, 3])
def test_p_values_are_uniform_if_the_shares_are_the_same(k: int) -> None:
    rng = np.random.default_rng(2)
    p_values = []
    for seed in range(300):
        counts, new = (rng.multinomial(size, np.full(k, 1 / k)).tolist() for size in (400, 150))
        old, codes, fresh = _moments(counts, new, seed)
        p_values.append(estimate_mixture(old, codes, fresh).p_same(np.array(counts)))
    assert stats.kstest(p_values, "uniform").pvalue > 0.001
    assert 0.02 <= np.mean(np.array(p_values) < 0.05) <= 0.085


def test_another_share_is_seen() -> None:
    old, codes, fresh = _moments([300, 300], [20, 180], 3)
    assert estimate_mixture(old, codes, fresh).p_same(np.array([300, 300])) < 1e-4


def test_a_mixture_leaves_nothing_over_and_a_shift_within_a_class_does() -> None:
    rng = np.random.default_rng(4)
    rows, codes = rng.normal(size=(600, 3)), np.repeat([0, 1], 300)
    rows[codes == 1] += [1, 0, 0.5]
    fresh = rng.normal(size=(200, 3)) + np.repeat([[0, 0, 0], [1, 0, 0.5]], [40, 160], axis=0)
    score = slice(2, 3)
    mixture = estimate_mixture(rows[:, score], codes, fresh[:, score])
    left = leftover(rows.copy(), codes, fresh.copy(), mixture, score)
    assert left.take(slice(0, 2)).quadratic() > 0.05
    assert left.difference[2] == pytest.approx(0, abs=1e-9)  # it made the estimate
    moved = leftover(rows, codes, fresh + np.array([0, 0.5, 0]), mixture, score)
    assert moved.take(slice(0, 2)).quadratic() < 1e-4


def test_a_value_that_is_rare_everywhere_is_no_surprise() -> None:
    """One new row in 500 with a value that a thousand old rows never had."""
    rows, fresh = np.zeros((1000, 1)), np.zeros((500, 1))
    fresh[0] = 1.0
    codes = np.repeat([0, 1], 500)
    both = np.column_stack([rows, codes + np.tile([0.0, 0.1], 500)])
    new = np.column_stack([fresh, np.repeat([0.0, 1.0], 250) + np.tile([0.0, 0.1], 250)])
    mixture = estimate_mixture(both[:, 1:], codes, new[:, 1:])
    assert leftover(both, codes, new, mixture, slice(1, 2)).take(slice(0, 1)).quadratic() > 0.05


def test_scores_that_tell_nothing_leave_the_shares_open() -> None:
    constant = np.zeros((100, 4))
    found = estimate_mixture(constant, np.repeat([0, 1], 50), constant[:30])
    assert np.isfinite(found.shares).all()
    assert found.errors[1] > 0.5


def test_a_class_of_one_row_counts() -> None:
    old, codes, fresh = _moments([100, 1], [50, 0], 5)
    found = estimate_mixture(old, codes, fresh)
    assert np.isfinite(found.shares).all()
    assert np.isfinite(found.errors).all()

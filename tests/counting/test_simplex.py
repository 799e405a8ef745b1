from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

from shiftproof.counting._simplex import SAME, Unmixed, learn_unmixed


def columns(k: int, rng: np.random.Generator) -> np.ndarray:
    means = rng.dirichlet(np.ones(k), k).T + 1.5 * np.eye(k) * rng.uniform(size=k)
    return np.asarray(means / means.sum(axis=0))


@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_the_nearest_mixture_is_that_of_scipy(k: int) -> None:
    rng = np.random.default_rng(k)
    means = columns(k, rng)
    targets = rng.dirichlet(np.full(k, 0.4), 25)
    found = Unmixed(means).nearest(targets)
    outside = (Unmixed(means).unbounded(targets) < 0).any(axis=1)
    assert outside.sum() > 5
    for target, shares in zip(targets, found, strict=True):
        heavy = 1e3
        wanted, _ = optimize.nnls(np.vstack([means, np.full(k, heavy)]), np.append(target, heavy))
        # As near as scipy's solution at least, which bends the constraint a little.
        exact = ((means @ shares - target) ** 2).sum()
        assert exact <= ((means @ (wanted / wanted.sum()) - target) ** 2).sum() + 1e-9
        np.testing.assert_allclose(shares, wanted, atol=1e-3)
    assert found.min() >= 0
    np.testing.assert_allclose(found.sum(axis=1), 1)


@pytest.mark.parametrize("k", [3, 6])
def test_the_conditions_of_a_minimum_hold(k: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(40):
        means = columns(k, rng)
        target = rng.dirichlet(np.full(k, 0.3))
        shares = Unmixed(means).nearest(target[None])[0]
        slope = means.T @ (means @ shares - target)
        free = shares > 1e-12
        assert np.ptp(slope[free]) < 1e-8
        assert (slope >= slope[free].mean() - 1e-8).all()


def test_two_classes_are_clipped() -> None:
    means = np.array([[0.7, 0.2], [0.3, 0.8]])
    p = np.linspace(0, 1, 21)
    wanted = np.clip((p - 0.3) / 0.5, 0, 1)
    np.testing.assert_allclose(Unmixed(means).nearest(np.column_stack([1 - p, p]))[:, 1], wanted, atol=1e-8)


def test_exact_mixtures_are_found() -> None:
    rng = np.random.default_rng(1)
    means, truth = columns(4, rng), rng.dirichlet(np.ones(4), 30)
    np.testing.assert_allclose(Unmixed(means).nearest(truth @ means.T), truth, atol=1e-6)
    np.testing.assert_allclose(Unmixed(means).unbounded(truth @ means.T), truth, atol=1e-6)


def test_of_classes_that_look_the_same_the_nearest_to_the_target_is_given() -> None:
    vectors = np.array([[0.2, 0.5, 0.3]] * 4 + [[0.6, 0.2, 0.2]] * 2)
    unmixed, notes = learn_unmixed(vectors, np.array([0, 0, 1, 1, 2, 2]), np.zeros(6, dtype=np.int64), np.ones(6))
    assert notes == (SAME,)
    shares = unmixed.nearest(np.array([[0.4, 0.35, 0.25]]))[0]
    # Classes 0 and 1 are the same; half of both together, and their difference is that of the target.
    np.testing.assert_allclose(shares, [0.275, 0.225, 0.5], atol=1e-4)


def test_means_are_averaged_over_the_folds_that_have_the_class() -> None:
    vectors = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    unmixed, notes = learn_unmixed(vectors, np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]), np.ones(4))
    np.testing.assert_allclose(unmixed.means, [[0.75, 0.0], [0.25, 1.0]])
    assert notes == ()


@pytest.mark.parametrize("k", [62, 63, 64, 70])
def test_many_classes(k: int) -> None:
    rng = np.random.default_rng(0)
    means = 0.5 * np.eye(k) + 0.5 / k
    shares = np.zeros((2, k))
    shares[:, :3] = [[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]]
    targets = shares @ means.T + rng.normal(0, 1e-4, (2, k))
    np.testing.assert_allclose(Unmixed(means).nearest(targets), shares, atol=2e-3)

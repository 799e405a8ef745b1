from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from shiftproof.quantification import METHODS, Labelled, Samples


def scored(seed: int, n: int = 40) -> Labelled:
    rng = np.random.default_rng(seed)
    codes = np.append([0, 1], rng.integers(0, 2, n - 2))
    p = np.round(rng.beta(1 + codes, 2 - codes), 1 if seed % 2 else 6)
    return Labelled(np.column_stack([1 - p, p]), codes)


def energy(share: float, labelled: Labelled, new: np.ndarray) -> float:
    """The energy distance by its definition, 2 E|X - Y| - E|X - X'| - E|Y - Y'|, of the mixture and the new scores."""
    old = labelled.probabilities[:, 1]
    weights = np.where(labelled.codes == 1, share / labelled.counts[1], (1 - share) / labelled.counts[0])
    same = np.full(len(new), 1 / len(new))

    def mean(a: np.ndarray, v: np.ndarray, b: np.ndarray, w: np.ndarray) -> float:
        return float(v @ np.abs(a[:, None] - b) @ w)

    return 2 * mean(old, weights, new, same) - mean(old, weights, old, weights) - mean(new, same, new, same)


@given(seed=st.integers(0, 400))
def test_the_energy_distance_is_least(seed: int) -> None:
    labelled = scored(seed)
    new = np.random.default_rng(seed + 1).choice(labelled.probabilities[:, 1], 15)
    learned = METHODS["energy matching"].learn(labelled)
    if learned.notes:
        return
    found = learned.estimate(Samples.of(np.column_stack([1 - new, new])))[0, 1]
    best = optimize.minimize_scalar(lambda q: energy(q, labelled, new), bounds=(0, 1), method="bounded").x
    assert energy(found, labelled, new) <= energy(best, labelled, new) + 1e-12


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_exact_mixtures_are_found(share: float) -> None:
    labelled = Labelled([[0.8, 0.2], [0.6, 0.4], [0.5, 0.5], [0.1, 0.9]], [0, 0, 1, 1])
    rows = [0, 1] * round(10 * (1 - share)) + [2, 3] * round(10 * share)
    found = METHODS["energy matching"].learn(labelled).estimate(Samples.from_lists(labelled.probabilities, [rows]))
    assert found[0, 1] == pytest.approx(share)


def test_scores_beyond_the_labelled_ones_count_as_the_outermost() -> None:
    learned = METHODS["energy matching"].learn(Labelled([[0.7, 0.3], [0.4, 0.6]], [0, 1]))
    shares = learned.raw(Samples.from_matrix([[1.0, 0.0], [0.7, 0.3], [0.0, 1.0], [0.4, 0.6]], [[0], [1], [2], [3]]))
    np.testing.assert_allclose(shares[:, 1], [0, 0, 1, 1], atol=1e-12)


def test_equal_scores_say_nothing() -> None:
    learned = METHODS["energy matching"].learn(Labelled([[0.4, 0.6]] * 4, [0, 1, 0, 1]))
    assert learned.notes == ("the class has the same histogram as the others: the plain count is given",)
    assert learned.estimate(Samples.of([[0.4, 0.6]])).tolist() == [[0.0, 1.0]]

"""The order of models: what must add up, and draws from the same normal distributions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftproof.case._along_routes import Estimates
from shiftproof.core import Floats
from shiftproof.selection._order import Order, order_by, strengths


def estimates_of(said: Floats, noise: Floats, correction: Floats | None = None) -> Estimates:
    none = np.zeros_like(noise)
    names = tuple(f"model {at}" for at in range(said.shape[1]))
    return Estimates(names, said, np.zeros_like(said) if correction is None else correction, noise, none, none)


def any_estimates(seed: int, models: int = 4, ways: int = 3) -> Estimates:
    rng = np.random.default_rng(seed)
    parts = rng.normal(size=(ways, models, models)) * 0.03
    return estimates_of(0.8 + 0.05 * rng.normal(size=(ways, models)), parts @ parts.transpose(0, 2, 1))


def ordered(found: Estimates, weights: Floats, *, higher: bool = True, scale: float = 1.0, trust: float = 1.0) -> Order:
    return order_by(found, weights, trust=trust, scale=scale, higher_is_better=higher)


@given(seed=st.integers(0, 10**6), models=st.integers(1, 6), scale=st.floats(0.5, 4), higher=st.booleans())
def test_probabilities_add_up(seed: int, models: int, scale: float, higher: bool) -> None:
    found = ordered(any_estimates(seed, models), np.array([0.5, 0.3, 0.2]), scale=scale, higher=higher)
    assert (found.beats >= 0).all()
    assert (found.beats <= 1).all()
    assert found.beats + found.beats.T == pytest.approx(np.ones((models, models)))
    assert np.diagonal(found.beats) == pytest.approx(np.full(models, 0.5))
    assert found.best.sum() == pytest.approx(1)
    assert (found.best >= 0).all()


@pytest.mark.parametrize("scale", [1.0, 2.5])
@pytest.mark.parametrize("higher", [True, False])
def test_pairs_are_those_of_draws(higher: bool, scale: float) -> None:
    found, possible = any_estimates(3), np.array([0.2, 0.5, 0.3])
    order = ordered(found, possible, higher=higher, scale=scale)
    rng = np.random.default_rng(1)
    counts = rng.multinomial(60_000, possible)
    drawn = np.concatenate(
        [
            rng.multivariate_normal(centre, scale**2 * noise, size=count, method="eigh")
            for centre, noise, count in zip(found.said, found.label_noise, counts, strict=True)
        ]
    )
    drawn = drawn if higher else -drawn
    beats = (drawn[:, :, None] > drawn[:, None, :]).mean(axis=0) + 0.5 * np.eye(4)
    assert order.beats == pytest.approx(beats, abs=0.01)
    assert order.best.argmax() == beats.sum(axis=1).argmax()


def test_scores_are_the_mean_over_all_ways_and_not_turned_round() -> None:
    found = any_estimates(4)
    chances = np.array([0.1, 0.6, 0.3])
    for higher in (True, False):
        order = ordered(found, chances, higher=higher)
        assert order.scores == pytest.approx(chances @ found.said)


def test_lower_is_better_turns_the_order_round() -> None:
    found, weights = any_estimates(5), np.array([0.5, 0.3, 0.2])
    up, down = ordered(found, weights), ordered(found, weights, higher=False)
    assert up.beats == pytest.approx(down.beats.T)
    accuracy = any_estimates(6)
    error = estimates_of(1 - accuracy.said, accuracy.label_noise)
    same = ordered(accuracy, weights), ordered(error, weights, higher=False)
    assert same[0].beats == pytest.approx(same[1].beats)
    assert same[0].best == pytest.approx(same[1].best, abs=0.03)


@pytest.mark.parametrize("spread", [0.0, 0.02])
def test_identical_models_share(spread: float) -> None:
    said = np.tile([0.9, 0.9, 0.1], (3, 1))
    noise = np.zeros((3, 3, 3))
    noise[:, :2, :2] = spread**2
    order = ordered(estimates_of(said, noise), np.array([0.5, 0.3, 0.2]))
    assert order.best == pytest.approx([0.5, 0.5, 0.0])
    assert order.beats[0] == pytest.approx([0.5, 0.5, 1.0])


def test_without_errors_the_ways_decide() -> None:
    said = np.array([[0.8, 0.7], [0.6, 0.7], [0.8, 0.7]])
    order = ordered(estimates_of(said, np.zeros((3, 2, 2))), np.array([0.5, 0.3, 0.2]))
    assert order.beats == pytest.approx(np.array([[0.5, 0.7], [0.3, 0.5]]))
    assert order.best == pytest.approx([0.7, 0.3])


def test_errors_that_models_share_do_not_count() -> None:
    said = np.tile([0.81, 0.80], (3, 1))
    apart, together = np.tile(0.05**2 * np.eye(2), (3, 1, 1)), np.full((3, 2, 2), 0.05**2)
    weights = np.array([1.0, 0.0, 0.0])
    assert ordered(estimates_of(said, apart), weights).beats[0, 1] == pytest.approx(0.556, abs=0.001)
    assert ordered(estimates_of(said, together), weights).beats[0, 1] == 1.0


def test_a_larger_scale_makes_less_sure() -> None:
    found, weights = any_estimates(7, models=2, ways=1), np.array([1.0])
    chances = [abs(ordered(found, weights, scale=scale).beats[0, 1] - 0.5) for scale in (0.5, 1.0, 2.0, 4.0)]
    assert chances == sorted(chances, reverse=True)


def test_trust_takes_part_of_the_correction() -> None:
    found = estimates_of(np.tile([0.8, 0.7], (3, 1)), np.zeros((3, 2, 2)), np.tile([-0.15, 0.0], (3, 1)))
    weights = np.array([1.0, 0.0, 0.0])
    assert ordered(found, weights, trust=0.5).scores == pytest.approx([0.725, 0.7])
    assert ordered(found, weights, trust=0.5).best == pytest.approx([1, 0])
    assert ordered(found, weights, trust=1.0).best == pytest.approx([0, 1])


@given(seed=st.integers(0, 10**6), models=st.integers(2, 6))
def test_probability_of_the_best_orders_models_by_the_expected_number_beaten(seed: int, models: int) -> None:
    order = ordered(any_estimates(seed, models), np.array([0.5, 0.3, 0.2]))
    wins = order.beats.sum(axis=1)
    for one in range(models):
        for other in range(models):
            if wins[one] > wins[other] + 1e-6:
                assert order.best[one] >= order.best[other]


def test_strengths_give_back_the_probabilities_of_pairs() -> None:
    given = np.array([0.6, 0.3, 0.1])
    beats = given[:, None] / (given[:, None] + given)
    assert strengths(beats) == pytest.approx(given, abs=1e-6)
    assert strengths(np.array([[0.5]])).tolist() == [1.0]


def test_a_model_whose_measure_is_undefined_does_not_spoil_the_others() -> None:
    said = np.tile([0.8, np.nan, 0.6], (3, 1))
    noise = np.tile(1e-4 * np.eye(3), (3, 1, 1))
    noise[:, 1, :] = noise[:, :, 1] = np.nan
    order = ordered(estimates_of(said, noise), np.array([0.5, 0.3, 0.2]))
    assert order.beats[0, 2] == pytest.approx(1.0)
    assert np.nansum(order.best) == pytest.approx(1.0)
    assert order.best[0] > 0.99

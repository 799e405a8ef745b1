from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from shiftproof import InputError
from shiftproof.counting._calibration import learn_calibration
from shiftproof.counting._expectation import learn_expectation_maximization
from shiftproof.quantification import METHODS, Labelled, Samples


def scored(seed: int, n: int = 60, k: int = 2) -> Labelled:
    rng = np.random.default_rng(seed)
    codes = np.append(np.arange(k), rng.integers(0, k, n - k))
    weights = rng.integers(1, 6, size=(n, k)).astype(float)
    weights[np.arange(n), codes] += rng.integers(0, 6, n)
    return Labelled(weights / weights.sum(axis=1, keepdims=True), codes)


def plain_loop(scores: np.ndarray, prior: np.ndarray, tolerance: float, rounds: int) -> np.ndarray:
    """Saerens, Latinne and Decaestecker's algorithm as printed."""
    now = prior
    for _ in range(rounds):
        posterior = scores * now / prior
        posterior /= posterior.sum(axis=1, keepdims=True)
        before, now = now, posterior.mean(axis=0)
        if np.abs(now - before).max() <= tolerance:
            break
    return now


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("calibrate", [True, False])
@settings(max_examples=50)
@given(seed=st.integers(0, 5000))
def test_all_samples_at_once_are_the_plain_loop(k: int, calibrate: bool, seed: int) -> None:
    labelled = scored(seed, k=k)
    rng = np.random.default_rng(seed)
    lists = [rng.integers(0, 60, m) for m in (1, 5, 40)]
    method = METHODS["expectation maximization"].having(calibrate=calibrate, tolerance=1e-6, most_rounds=60)
    found = method.learn(labelled).estimate(Samples.from_lists(labelled.probabilities, lists))
    scores = learn_calibration(labelled)(labelled.probabilities) if calibrate else labelled.probabilities
    for rows, shares in zip(lists, found, strict=True):
        # Rounding may decide whether one more round is made.
        np.testing.assert_allclose(shares, plain_loop(scores[rows], labelled.prevalence, 1e-6, 60), atol=2e-6)


def test_the_likelihood_is_largest() -> None:
    labelled = scored(7, n=400)
    scores = labelled.probabilities[:150]
    method = METHODS["expectation maximization"].having(calibrate=False)
    found = method.learn(labelled).estimate(Samples.of(scores))[0, 1]
    ratio = scores / labelled.prevalence
    best = optimize.minimize_scalar(
        lambda q: -np.log(ratio @ [1 - q, q]).sum(), bounds=(0, 1), method="bounded", options={"xatol": 1e-10}
    )
    assert 0.05 < best.x < 0.95
    assert found == pytest.approx(best.x, abs=1e-5)


def test_sure_scores_are_counted() -> None:
    labelled = Labelled([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], [0, 1, 1])
    method = METHODS["expectation maximization"].having(calibrate=False)
    samples = Samples.from_lists(labelled.probabilities, [[0], [1], [0, 0, 0, 1]])
    np.testing.assert_allclose(method.learn(labelled).estimate(samples)[:, 1], [0, 1, 0.25])


def test_scores_that_say_nothing_give_the_training_prevalence_and_say_so() -> None:
    labelled = Labelled([[0.2, 0.8]] * 3 + [[0.8, 0.2]] * 7, [0, 0, 0, 1, 1, 1, 1, 1, 0, 0])
    learned = METHODS["expectation maximization"].learn(labelled)
    assert learned.notes == ("the scores say nothing about the class, so the training prevalence is returned",)
    np.testing.assert_allclose(learned.estimate(Samples.of(labelled.probabilities[:3])), [[0.5, 0.5]])


def test_options_are_checked() -> None:
    method = METHODS["expectation maximization"]
    with pytest.raises(InputError, match=r"^tolerance must be at least 0 and below 1, got -1; 1e-8 is usual\.$"):
        method.having(tolerance=-1).learn(scored(0))
    with pytest.raises(InputError, match=r"^most_rounds must be a whole number of at least 1; got 0\.$"):
        method.having(most_rounds=0).learn(scored(0))


def test_calibrate_that_is_text_is_refused() -> None:
    labelled = Labelled([[0.2, 0.8], [0.7, 0.3]], [1, 0])
    with pytest.raises(InputError) as caught:
        learn_expectation_maximization(labelled, calibrate="no")  # type: ignore[arg-type]
    assert str(caught.value) == "calibrate must be True or False, got 'no'; write calibrate=True or calibrate=False."

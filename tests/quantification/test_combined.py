from __future__ import annotations

import numpy as np
import pytest

from shiftproof.quantification import METHODS, Labelled, Samples


@pytest.mark.parametrize(
    ("k", "members"),
    [
        (2, ["median sweep", "distribution matching", "expectation maximization"]),
        (3, ["scaled probability average", "expectation maximization", "kernel density matching"]),
    ],
)
def test_the_combination_is_the_mean(k: int, members: list[str]) -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, k, 100)
    weights = rng.uniform(size=(100, k)) + np.eye(k)[codes]
    labelled = Labelled(weights / weights.sum(axis=1, keepdims=True), codes)
    samples = Samples.from_matrix(labelled.probabilities, rng.integers(0, 100, (5, 20)))
    wanted = np.mean([METHODS[name].learn(labelled).estimate(samples) for name in members], axis=0)
    np.testing.assert_allclose(METHODS["combined"].learn(labelled).estimate(samples), wanted)


def test_notes_name_the_member() -> None:
    learned = METHODS["combined"].learn(Labelled([[0.7, 0.3]] * 4, [0, 0, 1, 1]))
    assert learned.notes[:2] == (
        "median sweep: tpr <= fpr: the plain count is given",
        "distribution matching: the class has the same histogram as the others: the plain count is given",
    )

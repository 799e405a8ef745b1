from __future__ import annotations

import numpy as np
import pytest

from shiftproof import InputError
from shiftproof.quantification import METHODS, Labelled, Samples

OF_TWO = ["median sweep grid", "distribution matching", "energy matching", "expectation maximization"]
OF_MORE = ["expectation maximization", "kernel density matching"]


def scored(k: int, n: int = 100, apart: float = 1.0) -> Labelled:
    rng = np.random.default_rng(0)
    codes = np.append(np.repeat(np.arange(k), 4), rng.integers(0, k, n - 4 * k))
    weights = rng.uniform(size=(n, k)) + apart * np.eye(k)[codes]
    return Labelled(weights / weights.sum(axis=1, keepdims=True), codes)


def some(labelled: Labelled) -> Samples:
    return Samples.from_matrix(labelled.probabilities, np.random.default_rng(1).integers(0, 100, (5, 20)))


@pytest.mark.parametrize(("k", "members"), [(2, OF_TWO), (3, OF_MORE)])
def test_the_combination_is_a_weighted_mean(k: int, members: list[str]) -> None:
    labelled = scored(k)
    learned = METHODS["combined"].learn(labelled)
    each = [METHODS[name].learn(labelled).estimate(some(labelled)) for name in members]
    wanted = np.average(each, axis=0, weights=learned.fixed_options["weights"])
    np.testing.assert_allclose(learned.estimate(some(labelled)), wanted)


def test_too_few_rows_to_try_the_members_leave_them_equal() -> None:
    few = Labelled([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.4, 0.6]], [0, 0, 1, 1])
    assert set(METHODS["combined"].learn(few).fixed_options["weights"]) == {1.0}


@pytest.mark.parametrize("k", [2, 3])
def test_weights_are_found_once_and_stay(k: int) -> None:
    labelled = scored(k)
    settled = METHODS["combined"].learn(labelled).fixed_options
    assert METHODS["combined"].learn(labelled).fixed_options == settled
    assert sum(settled["weights"]) == pytest.approx(1)
    other = labelled.take(np.arange(60))
    assert METHODS["combined"].having(**settled).learn(other).fixed_options == settled
    assert METHODS["combined"].learn(other).fixed_options != settled


def test_a_member_that_fails_on_the_labelled_rows_weighs_little() -> None:
    """Histograms with their bins from 0 to 1 see little of scores that lie in one bin or two; the others see more."""
    labelled = scored(2, n=400)
    narrow = 0.501 + 0.01 * (labelled.probabilities[:, 1] - 0.5)
    found = METHODS["combined"].learn(Labelled(np.column_stack([1 - narrow, narrow]), labelled.codes))
    weights = dict(zip(OF_TWO, found.fixed_options["weights"], strict=True))
    assert weights["distribution matching"] < weights["median sweep grid"]
    assert weights["distribution matching"] < weights["energy matching"]


@pytest.mark.parametrize("weights", [[1.0], [1.0, 1.0, 1.0, -1.0], [0.0] * 4, [np.inf, 1.0, 1.0, 1.0]])
def test_weights_are_checked(weights: list[float]) -> None:
    with pytest.raises(InputError, match=r"^weights must be 4 numbers of at least 0, not all 0, got \["):
        METHODS["combined"].having(weights=weights).learn(scored(2))


def test_notes_name_the_member() -> None:
    learned = METHODS["combined"].learn(Labelled([[0.7, 0.3]] * 4, [0, 0, 1, 1]))
    same = "the class has the same histogram as the others, so the plain count is returned"
    assert learned.notes[:3] == (
        "median sweep grid: tpr <= fpr, so the plain count is returned",
        f"distribution matching: {same}",
        f"energy matching: {same}",
    )

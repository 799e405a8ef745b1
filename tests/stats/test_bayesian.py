from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from shiftproof.core import Floats, InputError
from shiftproof.stats import SignedRankPosterior, bayesian_signed_rank, bayesian_signed_rank_matrix


def by_brute_force(differences: Floats, rope: float, prior: float, times: int, seed: int) -> Floats:
    """Look at every pair in every draw, as the definition says."""
    rng = np.random.default_rng(seed)
    points = np.concatenate([[0.0], differences])
    sums = points[:, None] + points[None, :]
    votes = np.zeros(3)
    for weights in rng.dirichlet([prior] + [1.0] * len(differences), times):
        product = np.outer(weights, weights)
        above = product[sums > 2 * rope].sum() + product[sums == 2 * rope].sum() / 2
        below = product[sums < -2 * rope].sum() + product[sums == -2 * rope].sum() / 2
        shares = [below, 1 - below - above, above] if rope else [below, -1.0, above]
        votes[int(np.argmax(shares))] += 1
    return votes / times


def probabilities(found: SignedRankPosterior) -> Floats:
    return np.array([found.below, found.within, found.above])


@pytest.mark.parametrize(
    ("shift", "rope", "prior"), [(0.02, 0.01, 0.5), (0.0, 0.02, 1.0), (-0.01, 0.0, 0.5), (1, 2, 3)]
)
def test_the_probabilities_are_those_of_brute_force(shift: float, rope: float, prior: float) -> None:
    differences = np.random.default_rng(1).normal(shift, 0.03, 12)
    found = bayesian_signed_rank(differences, rope=rope, prior_strength=prior, n_samples=20_000, random_state=0)
    expected = by_brute_force(differences, rope, prior, 4000, 2)
    # four standard errors of the larger error of the two
    np.testing.assert_allclose(probabilities(found), expected, atol=4 * 0.5 / 4000**0.5)
    assert probabilities(found).sum() == pytest.approx(1, abs=1e-12)


def test_the_same_draws_give_the_same_shares_as_brute_force() -> None:
    # differences that fall on the border of the region, too
    differences = np.array([0.25, -0.25, 0.5, 0.0, 0.75, -0.5, 0.25])
    found = bayesian_signed_rank(differences, rope=0.25, n_samples=1000, random_state=7)
    assert probabilities(found) == pytest.approx(by_brute_force(differences, 0.25, 0.5, 1000, 7), abs=1e-12)


def test_swapping_the_sides_swaps_the_probabilities() -> None:
    differences = np.random.default_rng(3).normal(0.01, 0.05, 9)
    there = bayesian_signed_rank(differences, rope=0.01, n_samples=5000, random_state=0)
    back = bayesian_signed_rank(-differences, rope=0.01, n_samples=5000, random_state=0)
    assert probabilities(there) == pytest.approx(probabilities(back)[::-1], abs=1e-12)


def test_bayesian_signed_rank_of_clear_differences_is_near_certain() -> None:
    assert bayesian_signed_rank([5.0] * 30, rope=0.01, random_state=0).above > 0.999
    assert bayesian_signed_rank([0.001] * 30, rope=0.01, random_state=0).within == 1
    assert probabilities(bayesian_signed_rank([0.0] * 5, random_state=0)) == pytest.approx([0.5, 0, 0.5])


def test_a_matrix_has_the_pairs_of_its_columns() -> None:
    table = np.random.default_rng(4).normal(size=(15, 4)) + np.array([0, 0.2, 0.5, 3])
    matrix = bayesian_signed_rank_matrix(table, rope=0.1, n_samples=2000, random_state=5)
    assert matrix.shape == (4, 4, 3)
    np.testing.assert_allclose(matrix.sum(axis=2), 1)
    np.testing.assert_allclose(matrix, matrix.transpose(1, 0, 2)[:, :, ::-1])
    assert matrix[0, 0].tolist() == [0, 1, 0]
    alone = bayesian_signed_rank(table[:, 0] - table[:, 2], rope=0.1, n_samples=2000, random_state=5)
    assert matrix[0, 2] == pytest.approx(probabilities(alone), abs=1e-12)


def test_many_data_sets_are_drawn_some_at_a_time() -> None:
    differences = np.random.default_rng(6).normal(0.01, 1, 3000)
    found = bayesian_signed_rank(differences, rope=0.02, n_samples=1000, random_state=0)
    assert probabilities(found).sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: bayesian_signed_rank([]), "differences must hold at least 1 value, got 0; add observations."),
        (
            lambda: bayesian_signed_rank([1.0], rope=-1),
            "rope must be at least 0, got -1; give half the width of the region, in units of the loss.",
        ),
        (
            lambda: bayesian_signed_rank([1.0], prior_strength=0),
            "prior_strength must be above 0, got 0; 0.5 counts as half a difference.",
        ),
        (
            lambda: bayesian_signed_rank_matrix([[1.0, 2.0]], n_samples=5),
            "n_samples must be a whole number of at least 100, got 5; 20,000 give two decimals.",
        ),
    ],
)
def test_bad_arguments_are_told_in_one_sentence(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        call()

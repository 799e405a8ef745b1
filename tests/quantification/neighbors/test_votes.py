"""Weights against Table 5.1, votes against exact fractions, the choice of k against plain counting."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from shiftproof.quantification import METHODS, Labelled, Samples
from shiftproof.quantification.neighbors._search import Search
from shiftproof.quantification.neighbors._votes import (
    CRITERIA,
    Poll,
    _winners,
    best,
    class_weights,
    right_votes,
    vote_shares,
    voted,
)

Array = np.ndarray[Any, Any]

# Table 5.1: the weight of a class with 1, 50, 60, 70, 80, 90 and 99% of the rows, for alpha of 1 to 5.
TABLE = [
    [1, 1, 0.67, 0.43, 0.25, 0.11, 0.01],
    [1, 1, 0.82, 0.65, 0.50, 0.33, 0.10],
    [1, 1, 0.87, 0.75, 0.63, 0.48, 0.22],
    [1, 1, 0.90, 0.81, 0.71, 0.58, 0.32],
    [1, 1, 0.92, 0.84, 0.76, 0.64, 0.40],
]

POOLED = METHODS["adjusted count"].having(rates="pooled")


@pytest.mark.parametrize("alpha", [1, 2, 3, 4, 5])
def test_weights_are_those_of_the_thesis(alpha: int) -> None:
    for percent, wanted in zip([1, 50, 60, 70, 80, 90, 99], TABLE[alpha - 1], strict=True):
        weights = class_weights(np.array([percent, 100 - percent]), alpha)
        assert weights[0] == pytest.approx(wanted, abs=0.005 + 1e-9)
        assert weights.max() == 1


def test_naive_weights_are_the_shares_of_the_others() -> None:
    """Eq. 5.5, also for more than two classes."""
    counts = np.array([50, 30, 20])
    np.testing.assert_allclose(class_weights(counts, None) / 100, [0.5, 0.7, 0.8])
    assert (class_weights(counts, None) % 1 == 0).all()


def test_weights_without_a_class_and_without_end() -> None:
    assert class_weights(np.array([7, 3]), math.inf).tolist() == [1, 1]
    for alpha in (None, 1, 3.5):
        assert class_weights(np.array([9, 0]), alpha).tolist() == [1, 0]
    assert class_weights(np.array([4, 0, 2]), 1).tolist() == [0.5, 0, 1]
    assert class_weights(np.array([4, 0, 2]), None).tolist() == [2, 0, 4]


@pytest.mark.parametrize("seed", range(20))
def test_theorem_5_1_holds_for_all_sizes_and_votes(seed: int) -> None:
    """Eq. 5.4 with alpha = 1 and eq. 5.5 decide alike, tied votes too."""
    rng = np.random.default_rng(seed)
    tied = 0
    for _ in range(200):
        counts = rng.integers(2, 10 ** rng.integers(1, 8), 2) * rng.integers(1, 50)
        k = int(rng.integers(1, 60))
        first = np.arange(k + 1)
        # Votes in proportion to the classes are tied.
        votes = np.column_stack([first, k - first])
        votes = np.vstack([votes, counts // math.gcd(*counts.tolist())])
        exact = votes[:, 1] * counts[0] > votes[:, 0] * counts[1]
        for alpha in (1, None):
            weighted = votes * class_weights(counts, alpha)
            np.testing.assert_array_equal(voted(weighted / weighted.sum(axis=1, keepdims=True)).decisions, exact)
        tied += (votes[:, 1] * counts[0] == votes[:, 0] * counts[1]).sum()
    assert tied >= 200


def test_the_best_is_the_first_with_the_highest_g_mean() -> None:
    rng = np.random.default_rng(1)
    codes = np.repeat([0, 1, 2], [60, 40, 20])
    points = rng.normal(size=(120, 2)) + codes[:, None]
    search, poll = Search(points), Poll.leave_one_out(codes)
    ks, alphas = [1, 4, 9], [1.0, 3.0, math.inf]
    wanted = np.empty((3, 3))
    for at, k in enumerate(ks):
        for of, alpha in enumerate(alphas):
            said = voted(poll.shares(search, codes, k, alpha)).decisions
            recalls = [np.mean(said[codes == c] == c) for c in range(3)]
            wanted[at, of] = math.prod(recalls) ** (1 / 3)
    np.testing.assert_allclose(CRITERIA["g-mean"](poll.recalls(search, codes, ks, alphas)), wanted)
    at, of = divmod(int(wanted.argmax()), 3)
    assert best(search, codes, [poll], ks, alphas) == (ks[at], alphas[of])
    assert best(search, codes, [poll], [4, 4], [2.0, 2.0]) == (4, 2.0)


def test_a_tied_vote_is_negative_in_the_count() -> None:
    """In the adjusted count of a classifier one half is positive."""
    shares = np.array([[0.5, 0.5]] * 4 + [[0.2, 0.8]] * 4 + [[0.9, 0.1]] * 2)
    codes = np.array([0, 0, 0, 1, 1, 1, 1, 0, 0, 0])
    learned = POOLED.learn(Labelled(voted(shares), codes))
    # tpr = 3/4, fpr = 1/6.
    assert learned.estimate(Samples.of(voted(shares[:5])))[0, 1] == pytest.approx((1 / 5 - 1 / 6) / (3 / 4 - 1 / 6))
    assert learned.raw(Samples.of(voted(shares[:4])))[0, 1] == pytest.approx((0 - 1 / 6) / (3 / 4 - 1 / 6))
    usual = METHODS["adjusted count"].learn(Labelled(shares, codes))
    assert usual.estimate(Samples.of(shares[:5]))[0, 1] == 1.0
    assert voted(np.array([[0.4, 0.4, 0.2], [0.2, 0.4, 0.4]])).decisions.tolist() == [0, 1]


def test_votes_that_tell_nothing_are_told() -> None:
    learned = POOLED.learn(Labelled(voted(np.tile([0.5, 0.5], (6, 1))), np.arange(6) % 2))
    assert learned.notes == ("tpr <= fpr, so the plain count is returned",)
    assert learned.estimate(Samples.of(voted(np.array([[0.5, 0.5], [0.1, 0.9]])))).tolist() == [[0.5, 0.5]]


def test_winners_of_tied_votes_are_the_first() -> None:
    votes = np.array([[0.3, 0.1 + 0.2], [0.1 + 0.2, 0.3], [0.3, 0.3 + 1e-9], [0.0, 0.0]])
    assert _winners(votes).tolist() == [0, 0, 1, 0]
    assert _winners(np.array([[1.0, 2.0, 2.0]])).tolist() == [1]


def test_right_votes_at_every_k_and_weighting() -> None:
    rng = np.random.default_rng(0)
    neighbours, own = rng.integers(0, 3, (30, 7)), rng.integers(0, 3, 30)
    weights = rng.random((4, 3))
    right = right_votes(neighbours, own, [1, 4, 7], weights)
    for place, k in enumerate([1, 4, 7]):
        for a in range(4):
            votes = np.array([np.bincount(row[:k], minlength=3) for row in neighbours]) * weights[a]
            correct = votes.argmax(axis=1) == own
            assert right[place, a].tolist() == [correct[own == c].sum() for c in range(3)]


def test_vote_shares_are_weighted() -> None:
    shares = vote_shares(np.array([[0, 1, 1], [0, 0, 0]]), np.array([2.0, 3.0]))
    np.testing.assert_allclose(shares, [[0.25, 0.75], [1.0, 0.0]])

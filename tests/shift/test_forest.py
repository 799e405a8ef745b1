from __future__ import annotations

import numpy as np

from shiftproof.shift._forest import forest_scores

N = 400
NEW = np.repeat([0, 1], N // 2)
SIDES = np.arange(0, N, 2), np.arange(1, N, 2)


def scores(codes: np.ndarray, *, new: np.ndarray = NEW, trees: int = 20, leaf: int = 5, seed: int = 1) -> np.ndarray:
    return np.asarray(forest_scores(codes.astype(np.int32), new, SIDES, (trees, leaf), seed)) / trees


def test_forest_scores_gives_rows_outside_the_class_of_their_leaf() -> None:
    found = scores(NEW[None] * 10)
    np.testing.assert_array_equal(found[SIDES[1]], NEW[SIDES[1]])


def test_forest_scores_leaves_rows_inside_at_zero() -> None:
    codes = np.random.default_rng(0).integers(-1, 50, size=(3, N))
    assert not scores(codes)[SIDES[0]].any()


def test_forest_scores_of_constant_columns_weigh_both_classes_equally() -> None:
    new = (np.arange(N) < 40).astype(np.int64)
    np.testing.assert_allclose(scores(np.zeros((2, N)), new=new)[SIDES[1]], 0.5)


def test_forest_scores_see_an_interaction_without_main_effects() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 100, size=(2, N))
    b = np.where(NEW == 1, 99 - a, b // 4 + 3 * a // 4)
    outside = SIDES[1]
    found = scores(np.array([a, b]), trees=60)[outside]
    assert found[NEW[outside] == 1].mean() > found[NEW[outside] == 0].mean() + 0.3


def test_forest_scores_keep_leaves_at_their_smallest_size() -> None:
    codes = np.arange(N)[None]
    # A leaf as large as the rows inside cannot be split off.
    np.testing.assert_allclose(scores(codes, leaf=N // 2)[SIDES[1]], 0.5)
    assert len(np.unique(scores(codes, leaf=5, trees=1)[SIDES[1]])) <= N // 2 // 5


def test_forest_scores_are_the_same_for_the_same_seed() -> None:
    codes = np.random.default_rng(2).integers(0, 50, size=(4, N))
    np.testing.assert_array_equal(scores(codes), scores(codes))
    assert (scores(codes, seed=2) != scores(codes)).any()

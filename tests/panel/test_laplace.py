from __future__ import annotations

import numpy as np
import pytest

from shiftproof.panel import LaplaceTree

X, Y = [[0], [0], [0], [1], [1]], ["a", "a", "a", "b", "b"]


@pytest.mark.parametrize(("smoothing", "expected"), [(0.0, [1.0, 0.0]), (1.0, [0.8, 0.2]), (3.0, [6 / 9, 3 / 9])])
def test_laplace_tree_smooths_the_shares_of_a_leaf(smoothing: float, expected: list[float]) -> None:
    tree = LaplaceTree(smoothing=smoothing).fit(X, Y)
    assert tree.predict_proba([[0]])[0] == pytest.approx(expected)
    assert tree.predict([[0], [1]]).tolist() == ["a", "b"]


def test_laplace_tree_counts_weights_as_rows() -> None:
    weighted = LaplaceTree().fit([[0], [1]], ["a", "b"], sample_weight=[3.0, 2.0])
    assert weighted.predict_proba([[0], [1]]) == pytest.approx(LaplaceTree().fit(X, Y).predict_proba([[0], [1]]))


def test_laplace_tree_accepts_missing_values() -> None:
    tree = LaplaceTree().fit([[np.nan], [np.nan], [1.0], [1.0]], [0, 0, 1, 1])
    assert tree.predict([[np.nan], [1.0]]).tolist() == [0, 1]

from __future__ import annotations

import numpy as np

from shiftproof.quantification import Labelled
from shiftproof.quantification._drawing import ByClass

CODES = np.array([2, 0, 1, 2, 2, 0])


def rows() -> ByClass:
    return ByClass.of(Labelled(np.full((6, 3), 1 / 3), CODES))


def test_rows_are_drawn_class_by_class_in_order() -> None:
    drawn = rows().draw(np.array([[2, 0, 3], [0, 4, 1]]), np.random.default_rng(0))
    assert CODES[drawn].tolist() == [0, 0, 2, 2, 2, 1, 1, 1, 1, 2]


def test_every_row_of_a_class_is_as_likely() -> None:
    drawn = rows().draw(np.array([0, 0, 30_000]), np.random.default_rng(0))
    counts = np.bincount(drawn, minlength=6)
    assert counts[[1, 2, 5]].tolist() == [0, 0, 0]
    np.testing.assert_allclose(counts[[0, 3, 4]], 10_000, atol=400)


def test_none_may_be_drawn() -> None:
    assert len(rows().draw(np.zeros((2, 3), dtype=int), np.random.default_rng(0))) == 0

from __future__ import annotations

import numpy as np

from shiftproof.counting._drawing import ByClass
from shiftproof.quantification import Labelled

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


def test_strays_are_as_rare_as_the_labelled_rows_allow() -> None:
    known = ByClass.of(Labelled(np.full((100, 2), 0.5), np.repeat([0, 1], [80, 20])))
    rng = np.random.default_rng(0)
    strays = np.array(
        [(known.draw_with_strays(np.array([500, 0]), np.array([True, False]), rng) >= 80).mean() for _ in range(2000)]
    )
    # The mean of Beta(1/2, 80 + 1/2), and its 95 % point: about two in eighty.
    assert abs(strays.mean() - 0.5 / 81) < 0.0005
    assert abs(np.quantile(strays, 0.95) - 0.0236) < 0.003
    none = known.draw_with_strays(np.array([0, 500]), np.array([True, False]), rng)
    assert (none >= 80).all()


def test_strays_of_three_classes_are_of_the_other_two() -> None:
    drawn = np.concatenate(
        [
            rows().draw_with_strays(np.array([0, 500, 0]), np.ones(3, bool), np.random.default_rng(at))
            for at in range(300)
        ]
    )
    shares = np.bincount(CODES[drawn], minlength=3) / len(drawn)
    assert shares[1] < 0.95
    assert 0.5 < shares[0] / shares[2] < 2

from __future__ import annotations

import numpy as np

from shiftproof.counting._draws import ByClass
from shiftproof.quantification import Labelled

CODES = np.array([2, 0, 1, 2, 2, 0])


def by_class() -> ByClass:
    return ByClass.of(Labelled(np.full((6, 3), 1 / 3), CODES))


def test_by_class_draws_rows_class_by_class_in_order() -> None:
    drawn = by_class().draw(np.array([[2, 0, 3], [0, 4, 1]]), np.random.default_rng(0))
    assert CODES[drawn].tolist() == [0, 0, 2, 2, 2, 1, 1, 1, 1, 2]


def test_by_class_draws_every_row_of_a_class_equally_often() -> None:
    drawn = by_class().draw(np.array([0, 0, 30_000]), np.random.default_rng(0))
    counts = np.bincount(drawn, minlength=6)
    assert counts[[1, 2, 5]].tolist() == [0, 0, 0]
    np.testing.assert_allclose(counts[[0, 3, 4]], 10_000, atol=400)


def test_by_class_draws_no_rows_for_counts_of_zero() -> None:
    assert len(by_class().draw(np.zeros((2, 3), dtype=int), np.random.default_rng(0))) == 0


def test_strays_are_as_rare_as_the_labelled_rows_allow() -> None:
    known = ByClass.of(Labelled(np.full((100, 2), 0.5), np.repeat([0, 1], [80, 20])))
    rng = np.random.default_rng(0)
    strays = np.array(
        [(known.sample(np.array([500, 0]), rng, np.array([True, False])) >= 80).mean() for _ in range(2000)]
    )
    # The mean of Beta(1/2, 80 + 1/2), and its 95% point: about two in eighty.
    assert abs(strays.mean() - 0.5 / 81) < 0.0005
    assert abs(np.quantile(strays, 0.95) - 0.0236) < 0.003
    none = known.sample(np.array([0, 500]), rng, np.array([True, False]))
    assert (none >= 80).all()


def test_strays_of_three_classes_are_of_the_other_two() -> None:
    drawn = np.concatenate(
        [by_class().sample(np.array([0, 500, 0]), np.random.default_rng(at), np.ones(3, bool)) for at in range(300)]
    )
    shares = np.bincount(CODES[drawn], minlength=3) / len(drawn)
    assert shares[1] < 0.95
    assert 0.5 < shares[0] / shares[2] < 2


def test_sample_draws_rows_by_their_weights_and_draw_does_not() -> None:
    rows = ByClass.of(Labelled(np.full((4, 2), 0.5), [1, 0, 1, 0]).with_weights([1, 9, 4, 1]))
    rng = np.random.default_rng(0)
    sampled = np.bincount(rows.sample(np.array([5000, 5000]), rng), minlength=4) / 5000
    np.testing.assert_allclose(sampled, [0.2, 0.9, 0.8, 0.1], atol=0.02)
    drawn = np.bincount(rows.draw(np.array([5000, 5000]), rng), minlength=4) / 5000
    np.testing.assert_allclose(drawn, 0.5, atol=0.03)


def test_samples_of_three_classes_take_the_first_rows_drawn_of_each_class() -> None:
    by_class = ByClass.of(Labelled(np.full((30, 3), 1 / 3), np.repeat([0, 1, 2], 10)))
    counts = np.array([[2, 0, 1], [1, 3, 0]])
    drawn, places = by_class.samples(counts, np.random.default_rng(0))
    assert (drawn // 10).tolist() == [0, 0, 1, 1, 1, 2]
    assert places.tolist() == [0, 1, 5, 0, 2, 3, 4]


def test_samples_of_two_classes_share_no_draws() -> None:
    by_class = ByClass.of(Labelled(np.full((20, 2), 0.5), np.repeat([0, 1], 10)))
    drawn, places = by_class.samples(np.array([[2, 1], [1, 3]]), np.random.default_rng(0))
    assert (drawn // 10).tolist() == [0, 0, 1, 0, 1, 1, 1]
    assert places.tolist() == list(range(7))

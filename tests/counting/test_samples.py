from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from shiftproof import InputError
from shiftproof.counting._samples import indicators, plain_count, predicted
from shiftproof.quantification import Labelled, RowScores, Samples

POOL = np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8], [0.7, 0.3]])


def test_the_three_ways_to_give_samples_agree() -> None:
    matrix = Samples.from_matrix(POOL, [[0, 1], [3, 3]])
    lists = Samples.from_lists(POOL, [[0, 1], [3, 3]])
    for name in ("rows", "offsets", "sizes", "probabilities"):
        np.testing.assert_array_equal(getattr(matrix, name), getattr(lists, name))
    assert (matrix.n_samples, matrix.n_classes) == (2, 2)
    whole = Samples.of(POOL)
    assert whole.rows.tolist() == [0, 1, 2, 3]
    assert whole.sizes.tolist() == [4]


def test_means_are_means() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(4, 3))
    lists = [[0], [1, 1, 2], [3, 2, 1, 0, 0]]
    found = Samples.from_lists(POOL, lists).means(values)
    np.testing.assert_allclose(found, [values[rows].mean(axis=0) for rows in lists])
    np.testing.assert_allclose(Samples.from_lists(POOL, lists).means(values[:, 1]), found[:, 1])


def test_truth_values_are_counted() -> None:
    assert Samples.from_lists(POOL, [[0, 2], [1]]).means(POOL[:, 1] >= 0.5).tolist() == [0.5, 1.0]


def test_a_half_is_positive_and_of_equal_classes_the_last_is_predicted() -> None:
    assert predicted(POOL).tolist() == [0, 1, 1, 0]
    assert predicted(np.array([[0.4, 0.4, 0.2], [0.2, 0.4, 0.4], [0.5, 0.3, 0.2]])).tolist() == [1, 2, 0]
    assert indicators(np.array([2, 0]), 3).tolist() == [[0, 0, 1], [1, 0, 0]]
    assert plain_count(Samples.of(POOL)).tolist() == [[0.5, 0.5]]


def test_labelled_rows_can_be_drawn_again() -> None:
    labelled = Labelled(POOL, [0, 1, 1, 0], [0, 0, 1, 1])
    drawn = labelled.take([2, 2, 0])
    assert drawn.codes.tolist() == [1, 1, 0]
    assert drawn.folds.tolist() == [1, 1, 0]
    np.testing.assert_array_equal(drawn.probabilities, POOL[[2, 2, 0]])
    assert labelled.take(labelled.folds != 0).codes.tolist() == [1, 0]
    assert Labelled(POOL, [0, 1, 1, 0]).folds.tolist() == [0, 0, 0, 0]


def test_what_is_given_is_neither_changed_nor_changeable() -> None:
    pool, codes = POOL.copy(), np.array([0, 1, 1, 0])
    labelled = Labelled(pool, codes)
    with pytest.raises(ValueError, match="read-only"):
        labelled.probabilities[0, 0] = 1
    pool[0, 0] = 0.9
    codes[0] = 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Labelled([0.1, 0.2], [0, 1]),
            "probabilities must have one row per case and a column per class, got shape (2,); "
            "give 1 - p and p for two classes.",
        ),
        (
            lambda: Labelled([[1.5, -0.5]], [0]),
            "probabilities must lie between 0 and 1, got 1.5; "
            "turn decision values into probabilities first, or divide percentages by 100.",
        ),
        (
            lambda: Labelled([[0.5, 0.4]], [0]),
            "probabilities must have rows that sum to 1, got 0.9; divide each row by its sum.",
        ),
        (
            lambda: Labelled([[np.nan, 0.4]], [0]),
            "probabilities must be finite, got nan; drop or fill the 1 missing or infinite value first.",
        ),
        (
            lambda: Labelled(POOL, [0, 1]),
            "codes must have one entry for each of 4 rows, got shape (2,); align the two.",
        ),
        (
            lambda: Labelled(POOL, [0, 1, 2, 0]),
            "codes must lie in 0 … 1, got 2; number the classes in the order of the columns.",
        ),
        (
            lambda: Labelled(POOL, [0.0, 1.0, 1.0, 0.0]),
            "codes must be whole numbers, got values of type float64; convert the labels to numbers first.",
        ),
        (
            lambda: Samples.from_lists(POOL, [[0], []]),
            "every sample must have at least one row, but sample 1 has none; leave it out.",
        ),
        (
            lambda: Samples.from_lists(POOL, []),
            "lists must hold at least one sample, got 0; give the row numbers of each sample.",
        ),
        (
            lambda: Samples.from_lists(POOL, [[]]),
            "rows must hold at least one row number, got 0; leave out empty samples.",
        ),
        (lambda: Samples.from_lists(POOL, [[0, 4]]), "rows must lie in 0 … 3, got 4; the pool has no other rows."),
        (lambda: Samples.from_lists(POOL, [[-1]]), "rows must lie in 0 … 3, got -1; the pool has no other rows."),
        (
            lambda: Samples.from_lists(POOL, [[0.5]]),
            "rows must be a flat array of whole numbers, got float64 of shape (1,); use row numbers.",
        ),
        (
            lambda: Samples.from_matrix(POOL, [0, 1]),
            "index_matrix must have one row per sample and one column per row of it, got shape (2,); "
            "Samples.from_lists accepts samples of any size.",
        ),
        (
            lambda: Samples(POOL, [0, 1], [0, 1]),
            "offsets must rise from 0 to the number of rows, got [0, 1]; Samples.from_lists creates them.",
        ),
    ],
)
def test_bad_input_gets_one_sentence(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        make()


def test_with_weights_leaves_out_rows_of_weight_zero_and_weighs_class_proportions() -> None:
    rows = Labelled([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8], [0.5, 0.5]], [0, 1, 1, 0]).with_weights([3, 0, 1, 0])
    assert rows.codes.tolist() == [0, 1]
    assert rows.weighted
    assert rows.prevalence.tolist() == [0.75, 0.25]
    assert rows.take([1, 1, 0]).totals.tolist() == [3, 2]
    assert rows.with_notes(["a"]).weights.tolist() == [3, 1]


def test_with_weights_scales_fractions_to_a_mean_of_one_and_leaves_equal_ones_out() -> None:
    rows = Labelled([[0.9, 0.1], [0.4, 0.6]], [0, 1])
    assert rows.with_weights([0.2, 0.6]).weights.tolist() == pytest.approx([0.5, 1.5])
    assert not rows.with_weights([0.2, 0.2]).weighted
    assert rows.with_weights(None) is rows


def test_weights_are_checked() -> None:
    with pytest.raises(
        InputError, match=r"^weights must be 2 numbers above 0, got shape \(1,\); leave out the rest\.$"
    ):
        Labelled([[0.9, 0.1], [0.4, 0.6]], [0, 1], weights=[1.0])
    with pytest.raises(InputError, match=r"^weights must be 2 numbers above 0, got 0\.0; leave out the rest\.$"):
        Labelled([[0.9, 0.1], [0.4, 0.6]], [0, 1], weights=[1.0, 0.0])


def test_numbered_rows_keep_their_numbers_when_taken() -> None:
    scores = RowScores([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]])
    assert scores.take([2, 0]).numbers is None
    numbers = scores.numbered().take([2, 0, 2]).numbers
    assert numbers is not None
    assert numbers.tolist() == [2, 0, 2]

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from shiftproof.core import as_table
from shiftproof.shift._battery import pooled
from shiftproof.shift._features import Feature, aligned_numbers, nominal_feature, number_feature


def _number(old: Any, new: Any) -> Feature:
    return number_feature(as_table({"a": old}).column("a"), as_table({"a": new}).column("a"))


def _nominal(old: Any, new: Any) -> Feature:
    return nominal_feature(as_table({"a": old}).column("a"), as_table({"a": new}).column("a"))


def test_numbers_without_gaps_have_three_functions() -> None:
    found = _number([1.0, 2.0, 3.0, 4.0], [2.5, 9.0])
    assert found.reference.functions.shape == (4, 3)
    assert found.reference.balanced.shape == (4, 2)
    assert found.current.coordinates.shape == (2, 1)
    assert not found.unseen.any()


def test_a_gap_is_zero_in_each_function_and_has_an_indicator() -> None:
    found = _number([1.0, 2.0, np.nan, 4.0], [2.5, np.nan])
    assert found.reference.functions.shape == (4, 4)
    np.testing.assert_array_equal(found.reference.functions[2, :3], 0)
    assert found.current.functions[1, 3] > found.current.functions[0, 3]
    assert not found.unseen.any()


def test_gaps_that_the_reference_never_had_are_unseen() -> None:
    assert _number([1.0, 2.0, 3.0], [np.nan, 2.0]).unseen.tolist() == [True, False]


def test_a_column_without_values_has_at_most_an_indicator() -> None:
    assert _number([np.nan] * 3, [np.nan] * 2).reference.functions.shape == (3, 0)
    found = _number([np.nan] * 3, [1.0, np.nan])
    assert found.reference.functions.shape == (3, 1)
    assert found.unseen.tolist() == [True, False]


def test_a_constant_is_left_out_unless_it_moved() -> None:
    assert _number([5, 5, 5], [5, 5]).reference.functions.shape == (3, 0)
    moved = _number([5, 5, 5], [5, 6])
    assert moved.reference.functions.shape == (3, 3)
    assert moved.unseen.tolist() == [False, True]


def test_infinities_are_the_largest_and_smallest_ranks() -> None:
    found = _number([-np.inf, 0.0, 1.0, np.inf], [np.inf, -np.inf])
    assert np.isfinite(found.reference.functions).all()
    assert found.current.coordinates[0, 0] > 1 > -1 > found.current.coordinates[1, 0]


def test_large_integers_stay_apart() -> None:
    big = 2**60
    found = _number(np.arange(big, big + 100), np.arange(big + 90, big + 100))
    assert pooled(found.reference.functions, found.current.functions).quadratic() < 1e-4


@pytest.mark.parametrize(
    "values",
    [pl.Series([3, None, 1]), pd.Series([3, None, 1], dtype="Int64"), [3, None, 1], np.array([3.0, np.nan, 1.0])],
)
def test_numbers_stay_in_their_rows(values: Any) -> None:
    numbers, gap = aligned_numbers(as_table({"a": values}).column("a"))
    assert gap.tolist() == [False, True, False]
    assert numbers[~gap].tolist() == [3, 1]


def test_dates_are_numbers() -> None:
    moments = pd.to_datetime(["2020-01-01", "NaT", "2021-01-01"])
    numbers, gap = aligned_numbers(as_table(pd.DataFrame({"a": moments})).column("a"))
    assert gap.tolist() == [False, True, False]
    assert numbers[2] - numbers[0] == 366 * 86_400_000_000


def test_two_categories_have_one_indicator_and_many_at_most_nine() -> None:
    rng = np.random.default_rng(0)
    assert _nominal(["a", "b"] * 50, ["a", "b"] * 20).reference.functions.shape == (100, 1)
    many = [f"c{at}" for at in rng.integers(0, 40, 4000)]
    assert _nominal(many, many).reference.functions.shape == (4000, 8)  # eight, all others, less the most frequent


def test_categories_too_rare_for_the_new_rows_are_joined() -> None:
    old = ["a"] * 600 + ["b"] * 390 + ["c"] * 10
    assert _nominal(old, ["a", "b"] * 500).reference.functions.shape[1] == 2
    assert _nominal(old, ["a", "b"] * 50).reference.functions.shape[1] == 2  # c is what is rare
    assert _nominal(old + ["d"] * 9, ["a", "b"] * 50).reference.functions.shape[1] == 2


def test_unseen_categories_are_strange_unless_every_row_has_its_own() -> None:
    assert _nominal(["a", "b"] * 50, ["a", "z"]).unseen.tolist() == [False, True]
    assert not _nominal([str(at) for at in range(100)], ["x", "y"]).unseen.any()


def test_missing_is_a_category() -> None:
    found = _nominal(["a", None] * 50, [None, "a"])
    assert found.reference.functions.shape == (100, 1)
    assert not found.unseen.any()
    assert _nominal(["a", "b"] * 50, [None, "a"]).unseen.tolist() == [True, False]


def test_empty_text_is_not_missing() -> None:
    found = _nominal(["", None] * 50, ["", None] * 10)
    assert found.reference.functions.shape == (100, 1)
    assert _nominal(["", "b"] * 50, [None, ""]).unseen.tolist() == [True, False]

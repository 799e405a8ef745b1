"""One rule for probabilities, wherever they come from."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import shiftproof as sp
from shiftproof.core import (
    Floats,
    InputError,
    check_complete,
    check_probabilities,
    check_scored_rows,
    match_classes,
    native_order,
    score_array,
    score_columns,
)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.array([-0.1, 0.5]), "p must lie between 0 and 1, got -0.1; "),
        (np.array([[0.5, 0.5], [0.5, 0.25]]), "p must have rows that sum to 1, got 0.75; divide each row by its sum."),
    ],
)
def test_check_probabilities_refuses_by_name(values: Floats, words: str) -> None:
    with pytest.raises(InputError) as error:
        check_probabilities(values, "p")
    assert str(error.value).startswith(words)


def test_one_column_need_not_sum_to_one() -> None:
    values = np.array([[0.2], [0.7]])
    assert check_probabilities(values, "p") is values


def test_rounded_scores_that_a_panel_accepts_can_be_evaluated() -> None:
    # Three thirds rounded down; measures used to be stricter than panels.
    thirds = np.full((30, 3), 0.3332)
    panel = sp.Panel.from_scores(np.arange(30) % 3, {"m": thirds})
    assert sp.evaluate(panel, measures=["accuracy"]).best == "m"


def test_check_probabilities_clips_rounding_errors_in_a_copy() -> None:
    values = np.array([[-1e-9, 1 + 1e-9], [0.5, 0.5]])
    assert check_probabilities(values, "p").tolist() == [[0, 1], [0.5, 0.5]]
    assert values[0, 0] < 0


NAMED = {"b": [0.1, 0.7], "a": [0.9, 0.3]}


@pytest.mark.parametrize("table", [NAMED, pd.DataFrame(NAMED), pl.DataFrame(NAMED), pa.table(NAMED)])
def test_score_array_keeps_the_names_of_columns_of_any_library(table: object) -> None:
    array, names = score_array(table, "scores")
    assert names == ("b", "a")
    assert array[:, match_classes(names, ["a", "b"], "scores")].tolist() == [[0.9, 0.1], [0.3, 0.7]]


@pytest.mark.parametrize(
    "table", [pd.DataFrame([[0.1, 0.9]]), pl.DataFrame([[0.1], [0.9]]), sparse.csr_matrix([[0.1, 0.9]]), [[0.1, 0.9]]]
)
def test_score_array_takes_numbered_columns_for_an_array(table: object) -> None:
    array, names = score_array(table, "scores")
    assert names is None
    assert array.tolist() == [[0.1, 0.9]]


def test_score_array_copies_and_makes_masked_values_missing() -> None:
    values = np.array([0.1, 0.9])
    assert not np.shares_memory(score_array(values, "scores")[0], values)
    assert np.isnan(score_array(np.ma.array(values, mask=[True, False]), "scores")[0]).tolist() == [True, False]
    with pytest.raises(InputError, match="scores must be probabilities"):
        score_array(np.array([1j]), "scores")


@pytest.mark.parametrize("classes", [[0, 1], [0.0, 1.0], [-0.0, 1.0], ["0", "1"]])
def test_match_classes_finds_classes_by_what_a_file_calls_them(classes: list[object]) -> None:
    assert match_classes(["1", "0"], classes, "scores") == [1, 0]
    assert match_classes([1.0, 0.0], classes, "scores") == [1, 0]


@pytest.mark.parametrize("rows", [np.zeros((3, 2)), [[0]] * 3, {"a": [0] * 3}, pd.DataFrame({"a": [0] * 3})])
def test_check_scored_rows_refuses_another_number_of_rows(rows: object) -> None:
    check_scored_rows(3, rows, "predict")
    with pytest.raises(InputError) as error:
        check_scored_rows(2, rows, "predict")
    assert str(error.value) == "predict must give one row per row of X; got 2 for 3 rows."
    check_scored_rows(2, pl.LazyFrame({"a": [0] * 3}), "predict")


def test_native_order_converts_columns_of_another_byte_order_alone() -> None:
    table = pd.DataFrame({"a": np.array([1.5, 2.5], dtype=">f8"), "b": [1, 2], "c": ["x", "y"]})
    converted = native_order(table)
    assert [str(dtype) for dtype in converted.dtypes[:2]] == ["float64", "int64"]
    assert converted.iloc[[1]]["a"].tolist() == [2.5]
    assert native_order(table["a"]).dtype == np.float64
    assert native_order(np.array([3], dtype=">i4")).dtype == np.int32
    structured = np.array([(1, 2.5)], dtype=[("a", ">i4"), ("b", ">f8")])
    assert native_order(structured).dtype == [("a", "<i4"), ("b", "<f8")]


@pytest.mark.parametrize("values", [pd.DataFrame({"a": [1]}), pd.Series([1]), pl.DataFrame({"a": [1]}), [1], {"a": 1}])
def test_native_order_returns_anything_else_as_it_is(values: object) -> None:
    assert native_order(values) is values


def test_match_classes_refuses_other_names() -> None:
    with pytest.raises(InputError) as error:
        match_classes(["p0", "p1"], [0, 1], "scores")
    assert str(error.value) == (
        "scores must have one column for each of the classes 0 and 1, got 'p0' and 'p1'; name the columns after the "
        "classes, or pass an array with columns in that order."
    )


def test_score_columns_have_two_dimensions() -> None:
    assert score_columns([0.1, 0.9], "scores")[0].shape == (2, 1)
    with pytest.raises(sp.InputError) as caught:
        score_columns(np.zeros((3, 1, 1)), "scores")
    assert str(caught.value) == (
        "scores must have one or two dimensions, got shape (3, 1, 1); pass one column per class."
    )


def test_check_complete_counts_the_rows_with_missing_values() -> None:
    complete = np.array([[0.2, 0.8]])
    assert check_complete(complete, "scores") is complete
    with pytest.raises(sp.InputError) as caught:
        check_complete(np.array([[np.nan, np.nan], [0.2, np.nan], [0.2, 0.8]]), "scores")
    assert str(caught.value) == "scores must have a value in every row, got 2 rows without one; drop such rows first."

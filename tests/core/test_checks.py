from __future__ import annotations

import math
from datetime import date, datetime
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shiftproof.core import (
    InputError,
    as_floats,
    available_names,
    check_choice,
    check_count,
    check_flag,
    check_fraction,
    check_jobs,
    check_label,
    check_matrix,
    check_share,
    check_vector,
    fault,
    is_number,
    shown,
    similar,
    unknown_name,
)


def said(error: pytest.ExceptionInfo[InputError]) -> str:
    return str(error.value)


def test_fault_names_rule_value_and_hint() -> None:
    error = fault("alpha", "lie between 0 and 1", 2, "0.05 is usual")
    assert isinstance(error, InputError)
    assert str(error) == "alpha must lie between 0 and 1, got 2; 0.05 is usual."


@pytest.mark.parametrize("value", [0.05, np.float32(0.5), Fraction(1, 3)])
def test_fraction_passes_as_a_float(value: Any) -> None:
    found = check_fraction(value, "alpha")
    assert type(found) is float
    assert found == float(value)


@pytest.mark.parametrize("value", [0, 1, 1.5, -0.1, math.nan, True, "0.05", None])
def test_fraction_outside_is_refused(value: Any) -> None:
    with pytest.raises(InputError) as error:
        check_fraction(value, "alpha")
    assert said(error) == f"alpha must be a number strictly between 0 and 1, got {value!r}; 0.05 means 5%."


@pytest.mark.parametrize("value", [3, 3.0, np.int64(3), np.float64(3)])
def test_count_passes_as_an_int(value: Any) -> None:
    found = check_count(value, "n")
    assert type(found) is int
    assert found == 3


@pytest.mark.parametrize("value", [3.5, -1, True, math.inf, math.nan, "3", None])
def test_count_that_is_none_is_refused(value: Any) -> None:
    with pytest.raises(InputError) as error:
        check_count(value, "n")
    assert said(error) == f"n must be a whole number of at least 0; got {value!r}."


def test_count_below_the_least_is_refused_with_the_hint_given() -> None:
    with pytest.raises(InputError) as error:
        check_count(1, "cv", least=2, hint="10 is usual")
    assert said(error) == "cv must be a whole number of at least 2, got 1; 10 is usual."


def test_choice_passes() -> None:
    assert check_choice("wilson", "method", ("wilson", "jeffreys")) == "wilson"


def test_choice_says_what_was_probably_meant() -> None:
    with pytest.raises(InputError) as error:
        check_choice("wilsn", "method", ("wilson", "jeffreys"))
    assert said(error) == "method must be one of 'wilson', 'jeffreys'; got 'wilsn'. Did you mean 'wilson'?"


@pytest.mark.parametrize("value", ["exact", 5, None])
def test_choice_without_a_neighbour_says_so(value: Any) -> None:
    with pytest.raises(InputError) as error:
        check_choice(value, "method", ("wilson", "jeffreys"))
    assert said(error) == f"method must be one of 'wilson', 'jeffreys'; got {value!r}."


def test_check_label_returns_the_place_and_lists_the_classes() -> None:
    assert check_label(True, [0, 1]) == 1
    with pytest.raises(InputError) as error:
        check_label("Yes", ("no", "yes"), "label")
    assert said(error) == "label must be one of 'no' and 'yes'; got 'Yes'. Did you mean 'yes'?"
    with pytest.raises(InputError) as error:
        check_label(1, ("no", "yes"), "label")
    assert said(error) == "label must be one of 'no' and 'yes', got 1; labels must match exactly."
    with pytest.raises(InputError, match=r"^pos_label must be one of 0 and 1, got an array of 2 values"):
        check_label(np.array([0, 1]), [0, 1])


def test_check_label_knows_a_moment_of_numpy_as_a_date() -> None:
    day = np.datetime64("2024-01-02")
    assert check_label(day, [date(2024, 1, 1), date(2024, 1, 2)]) == 1
    assert check_label(day, [datetime(2024, 1, 1), datetime(2024, 1, 2)]) == 1
    with pytest.raises(InputError, match=r"^pos_label must be one of 1 and 2, got "):
        check_label(day, [1, 2])


def test_check_flag_refuses_text_that_would_count_as_true() -> None:
    assert check_flag(np.bool_(False), "scale") is False
    with pytest.raises(InputError) as error:
        check_flag("no", "scale")
    assert said(error) == "scale must be True or False, got 'no'; write scale=True or scale=False."


def test_vector_and_matrix_pass_as_floats() -> None:
    vector = check_vector([1, 2, 3], "scores")
    matrix = check_matrix([[1, 2], [3, 4]], "losses")
    assert vector.dtype == matrix.dtype == np.float64
    assert vector.shape == (3,)
    assert matrix.shape == (2, 2)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([[1.0]], "scores must have one dimension, got shape (1, 1); pass one column or a flat list."),
        ([], "scores must hold at least 1 value, got 0; add observations."),
        (["a"], "scores must be numbers, got ['a']; convert text to numbers first."),
        (["0.1", None, "high", 1, "low"], "scores must be numbers, got 'high'; convert text to numbers first."),
        ([{}], "scores must be numbers, got [{}]; convert text to numbers first."),
        ([1, math.nan], "scores must be finite, got nan; drop or fill the 1 missing or infinite value first."),
        ([None, -math.inf], "scores must be finite, got nan; drop or fill the 2 missing or infinite values first."),
    ],
)
def test_vector_that_is_none_is_refused(values: Any, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        check_vector(values, "scores")
    assert said(error) == sentence


def test_vector_of_too_few_values_is_refused_in_the_plural() -> None:
    with pytest.raises(InputError) as error:
        check_vector([1.0], "scores", least=2)
    assert said(error) == "scores must hold at least 2 values, got 1; add observations."


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([1.0], "losses must have two dimensions, got shape (1,); pass one row per block, one column per method."),
        ([[math.inf]], "losses must be finite, got inf; drop or fill the 1 missing or infinite value first."),
    ],
)
def test_matrix_that_is_none_is_refused(values: Any, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        check_matrix(values, "losses")
    assert said(error) == sentence


def test_numbers_beyond_every_float_get_sentences_too() -> None:
    huge = 10**400
    with pytest.raises(InputError, match=r"^alpha must be a number strictly between 0 and 1, got 1000"):
        check_fraction(huge, "alpha")
    assert check_count(huge, "n") == huge
    with pytest.raises(InputError) as error:
        check_vector([huge], "x")
    assert str(error.value) == f"x must be numbers below 1.8e308, got {shown([huge])}; use a larger unit."
    assert shown(10**5000) == "int too long to write"


def test_unknown_name_says_what_was_probably_meant() -> None:
    error = unknown_name("exclude", "name columns of X", "aeg", ["age", "job"])
    assert str(error) == "exclude must name columns of X; got 'aeg'. Did you mean 'age'?"
    assert error.near == ("age",)


def test_unknown_name_lists_as_many_names_as_it_is_told_to() -> None:
    names = list("abcdefghij")
    assert str(unknown_name("method", "be known", "zip", names)).endswith("'g', 'h' and 2 more.")
    assert str(unknown_name("method", "be known", "zip", names, most=10)).endswith("'g', 'h', 'i', 'j'.")


def test_unknown_name_without_a_neighbour_says_what_is_available() -> None:
    error = unknown_name("exclude", "name columns of X", "zip", ["age", 3])
    assert str(error) == "exclude must name columns of X, got 'zip'; available: 'age', 3."


def test_available_names_are_at_most_eight() -> None:
    assert available_names(range(9)) == "available: 0, 1, 2, 3, 4, 5, 6, 7 and 1 more"


def test_available_names_say_that_there_is_none() -> None:
    assert available_names([]) == "none is available"


def test_similar_gives_the_name_itself_and_not_its_text() -> None:
    assert similar(10, [1, 101]) == (101,)


@pytest.mark.parametrize(
    ("value", "expected"), [(1, True), (0.5, True), (np.float32(2), True), (True, False), ("1", False)]
)
def test_is_number_refuses_booleans_and_text(value: object, expected: bool) -> None:
    assert is_number(value) is expected


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, True, "0.5", None])
def test_check_share_refuses_what_is_not_from_0_to_1(value: object) -> None:
    with pytest.raises(InputError, match=r"^share must be a number from 0 to 1, got .*half of them"):
        check_share(value, "share", hint="0.5 means half of them")


def test_check_share_accepts_both_ends() -> None:
    assert (check_share(0, "share", hint=""), check_share(1, "share", hint="")) == (0.0, 1.0)


@pytest.mark.parametrize(
    "values",
    [
        np.ma.array([1, 2, 7], mask=[False, False, True]),
        np.ma.array([1.0, 2.0, 7.0], mask=[False, False, True]),
        [1, 2, None],
        [1, 2, pd.NA],
        pd.Series([1, 2, pd.NA], dtype="Int64"),
        pd.Series([1, 2, pd.NA], dtype=object),
        pl.Series([1, 2, None]),
        pa.array([1, 2, None]),
        pa.chunked_array([[1, 2, None]]),
    ],
)
def test_as_floats_gives_nan_for_missing_and_masked_numbers(values: Any) -> None:
    assert np.array_equal(as_floats(values, "x"), [1.0, 2.0, np.nan], equal_nan=True)
    with pytest.raises(
        InputError, match="x must be finite, got nan; drop or fill the 1 missing or infinite value first"
    ):
        check_vector(values, "x")


def test_as_floats_returns_a_copy_and_keeps_the_shape() -> None:
    values = np.ones((2, 2))
    assert as_floats(values, "x") is not values
    assert as_floats(pd.DataFrame({"a": [1, pd.NA], "b": [0, 1]}, dtype=object), "x").shape == (2, 2)


@pytest.mark.parametrize("n_jobs", [0, "all", 1.5, True])
def test_check_jobs_refuses_zero_and_what_is_no_whole_number(n_jobs: object) -> None:
    assert check_jobs(None) is None
    assert check_jobs(np.int64(-1)) == -1
    with pytest.raises(InputError) as error:
        check_jobs(n_jobs)
    words = f"n_jobs must be a whole number other than 0, got {n_jobs!r}; 1 runs one at a time, -1 uses all cores."
    assert str(error.value) == words


@pytest.mark.parametrize("values", [np.array([1j]), [1j, 2], np.array([1], "M8[s]"), pd.Series([1], dtype="m8[s]")])
def test_as_floats_refuses_complex_numbers_and_dates(values: Any) -> None:
    with pytest.raises(InputError, match=r"^x must be numbers, got .*; convert text to numbers first"):
        as_floats(values, "x")

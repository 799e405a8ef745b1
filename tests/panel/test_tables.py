"""How tables of any column types become model input."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shiftproof.core import InputError
from shiftproof.data import feature_kinds
from shiftproof.panel import TablePreparer


def test_table_preparer_names_and_fills_its_columns() -> None:
    table = {"n": [1.0, 3.0, None, np.inf], "c": ["a", "a", None, "b"], "t": pd.to_datetime(["2020"] * 3 + ["2021"])}
    preparer = TablePreparer(min_frequency=1).fit(table)
    assert preparer.get_feature_names_out().tolist() == ["n", "t", "n (missing)", "c=a", "c=b", "c=(missing)"]
    values = preparer.transform(table)
    np.testing.assert_allclose(values[:, 0], [-1, 1, 0, 1], atol=1e-12)
    assert values[:, 2].tolist() == [0, 0, 1, 0]
    assert values[:, 3:].tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]]


def test_table_preparer_standardises_numbers() -> None:
    X = np.random.default_rng(0).normal(5, 3, size=(50, 4))
    values = TablePreparer().fit_transform(X)
    np.testing.assert_allclose(values, (X - X.mean(axis=0)) / X.std(axis=0), atol=1e-12)


def test_table_preparer_joins_rare_values_and_counts_unseen_ones_as_rare() -> None:
    column = ["a"] * 5 + ["b"] * 3 + ["c"] * 2 + ["d"]
    preparer = TablePreparer(output="codes", max_categories=2).fit({"c": column})
    assert preparer.transform({"c": ["a", "b", "c", "d", "unseen", None]}).ravel().tolist() == [0, 1, 2, 2, 2, 2]
    no_rare = TablePreparer().fit({"c": ["a", "a", "b", "b"]})
    assert no_rare.transform({"c": ["b", "unseen", None]}).tolist() == [[0, 1], [0, 0], [0, 0]]


def test_table_preparer_refuses_a_column_that_changed_its_type() -> None:
    preparer = TablePreparer().fit({"age": [1, 2, 3]})
    with pytest.raises(InputError) as error:
        preparer.transform({"age": ["old", "young"]})
    words = (
        "column 'age' must hold numbers, as it did during fitting, got text; give it the type that it had "
        "during fitting."
    )
    assert str(error.value) == words
    with pytest.raises(InputError, match="there is no column 'age'"):
        preparer.transform({"years": [1]})
    assert np.isfinite(preparer.transform({"age": pd.Series([None, None], dtype="str")})).all()
    with pytest.raises(InputError, match=r"^output must be one of 'onehot', 'codes'"):
        TablePreparer(output="one-hot").fit({"age": [1, 2]})  # type: ignore[arg-type]


def test_table_preparer_gives_one_column_of_zeros_where_nothing_informs() -> None:
    table = {"same": [1, 1, 1], "id": ["p", "q", "r"]}
    preparer = TablePreparer().fit(table)
    assert preparer.transform(table).tolist() == [[0.0]] * 3
    assert preparer.get_feature_names_out().tolist() == ["nothing"]


def test_table_preparer_matches_categories_of_another_dtype() -> None:
    preparer = TablePreparer(output="codes").fit(pd.DataFrame({"c": pd.Categorical([1, 1, 2, 2])}))
    assert preparer.transform(pd.DataFrame({"c": pd.Categorical([2.0, 1.0])})).ravel().tolist() == [1, 0]


@pytest.mark.parametrize(
    "column",
    [
        1e13 + np.arange(6.0),
        -1e15 + np.arange(6.0),
        2**60 + np.arange(6),
        np.uint64(2**63 + 5) + np.arange(6, dtype=np.uint64),
        1_700_000_000_000_000_000 + np.arange(6),  # nanoseconds
        [2**60 + value for value in range(6)],
    ],
)
def test_columns_far_from_zero_keep_their_differences(column: Any) -> None:
    plain = TablePreparer().fit_transform({"a": np.arange(6.0)})
    preparer = TablePreparer().fit({"a": column})
    assert preparer.dropped_ == {}
    np.testing.assert_allclose(preparer.transform({"a": column}), plain, atol=1e-3)


def test_a_column_far_from_zero_may_meet_other_numbers_later() -> None:
    preparer = TablePreparer().fit({"a": [2**62, 2**62 + 1, 2**62 + 2, 2**62 + 3]})
    far, near, missing = preparer.transform({"a": [-(2**63) + 1, 2**62 + 1, None]})[:, 0]
    assert far < -1e18
    assert near == pytest.approx(-0.447, abs=1e-3)
    assert missing == pytest.approx(0)
    assert preparer.transform({"a": [2.0**62, np.inf]})[:, 0].tolist() == pytest.approx([-1.342, 1.342], abs=1e-3)


def test_differences_of_rounding_alone_are_constant() -> None:
    preparer = TablePreparer().fit({"a": [0.1 + 0.2, 0.3, 0.3, 0.1 + 0.2], "b": [1, 2, 3, 4]})
    assert preparer.dropped_ == {"a": "constant"}


def test_numbers_with_a_few_texts_are_numbers_whichever_rows_hold_the_texts() -> None:
    cells: list[Any] = [*range(9), "n/a"]
    preparer = TablePreparer().fit({"a": cells})
    assert preparer.get_feature_names_out().tolist() == ["a", "a (missing)"]
    values = preparer.transform({"a": cells})
    assert np.array_equal(preparer.transform({"a": cells[::-1]}), values[::-1])
    np.testing.assert_array_equal(values, TablePreparer().fit_transform({"a": [*range(9), None]}))
    # One row of text alone is missing, too.
    np.testing.assert_array_equal(preparer.transform({"a": ["n/a"]}), values[-1:])
    # Training rows without the text know the column as numbers.
    clean = TablePreparer().fit({"a": cells[:-1]})
    assert clean.transform({"a": cells})[-1].tolist() == [0.0]


def test_texts_with_a_few_numbers_are_categories() -> None:
    preparer = TablePreparer().fit({"a": ["x", "y", "x", "y", 1, 1]})
    assert preparer.get_feature_names_out().tolist() == ["a=x", "a=y", "a=1"]


@pytest.mark.parametrize(
    "cells",
    [
        [0, 1, 2] * 4,
        [0, None, 2] * 4,
        [2**60, None, 2**60 + 3] * 4,
        [0.5, None, np.inf] * 4,
        [True, None, False] * 4,
        ["a", None, "b"] * 4,
        ["1", None, "2"] * 4,
        [None, None, None] * 4,
        [date(2024, 1, 1), None, date(2024, 1, 9)] * 4,
        [datetime(2024, 1, 1, 5), None, datetime(2024, 1, 9)] * 4,
        [datetime(2024, 1, 1, 5, tzinfo=UTC), None, datetime(2024, 1, 9, tzinfo=UTC)] * 4,
        [timedelta(1), None, timedelta(2)] * 4,
        [Decimal("0.25"), None, Decimal("7.5")] * 4,
    ],
)
def test_the_same_values_are_the_same_input_in_every_library(cells: list[Any]) -> None:
    """The kind, the numbers, the names and the codes of a column do not depend on who holds it."""
    arrow = pa.table({"x0": pa.array(cells)})
    array = np.empty((len(cells), 1), dtype=object)
    array[:, 0] = cells
    objects = pd.DataFrame({"x0": pd.Series(cells, dtype=object)})
    tables = [
        *(
            {"x0": cells},
            [{"x0": cell} for cell in cells],
            array,
            objects,
            objects.set_index(pd.Index(range(12)[::-1])),
        ),
        *(arrow, arrow.to_pandas(types_mapper=pd.ArrowDtype), pl.DataFrame({"x0": cells}), pl.LazyFrame({"x0": cells})),
        *({"x0": pl.Series(cells)}, {"x0": pa.array(cells)}, pl.DataFrame({"x0": pl.Series(cells, dtype=pl.Object)})),
    ]
    if cells[0] != 2**60:  # as floats these would be equal
        tables += [pd.DataFrame({"x0": cells}), pd.DataFrame({"x0": cells}).convert_dtypes()]
    first = TablePreparer().fit(tables[0])
    expected = first.transform(tables[0])
    for table in tables:
        assert feature_kinds(table) == feature_kinds(tables[0])
        prepared = TablePreparer().fit(table)
        assert prepared.get_feature_names_out().tolist() == first.get_feature_names_out().tolist()
        np.testing.assert_allclose(prepared.transform(table), expected)
        np.testing.assert_allclose(first.transform(table), expected)

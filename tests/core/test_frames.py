from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.core.cases import BIG, BUILDERS, DAY, MOMENT, only_column, split

from shiftproof.core import InputError, as_table


@pytest.fixture(params=BUILDERS, name="build")
def a_builder(request: pytest.FixtureRequest) -> Callable[[list[Any]], Any]:
    return BUILDERS[request.param]


@pytest.mark.parametrize(
    ("array", "families"),
    [
        (np.array([[1.5, 2.5]]), ["number", "number"]),
        (np.array([[1, 2]], dtype=np.uint8), ["number", "number"]),
        (np.array([[1.5]], dtype=np.longdouble), ["number"]),
        (np.array([[1.5]], dtype=">f4"), ["number"]),
        (np.array([[True]]), ["boolean"]),
        (np.array([["a", "b"]]), ["text", "text"]),
        (np.array([[b"a"]]), ["unsupported"]),
        (np.array([[1j]]), ["unsupported"]),
        (np.array([[5]], dtype="m8[h]"), ["duration"]),
        (np.array([[1, "a"]], dtype=object), ["number", "text"]),
        (np.array([1, 2, 3]), ["number"]),
        (
            np.array([(1, 2.5, "a", DAY)], dtype=[("i", "i4"), ("f", "f8"), ("s", "U3"), ("d", "M8[D]")]),
            ["number", "number", "text", "date"],
        ),
    ],
)
def test_arrays_are_tables(array: Any, families: list[str]) -> None:
    table = as_table(array)
    assert [table.column(name).family for name in table.names] == families
    assert table.names == (array.dtype.names or tuple(f"x{at}" for at in range(len(families))))
    assert table.n_rows == len(array)


def test_numbers_of_an_array_are_a_view_where_they_can_be() -> None:
    array = np.asfortranarray(np.random.default_rng(0).random((5, 2)))
    values, _ = as_table(array).column("x1").numbers()
    assert np.shares_memory(values, array)
    frame = pd.DataFrame({"c": np.arange(5)})
    assert np.shares_memory(only_column(frame).numbers()[0], frame["c"].to_numpy())


def test_rows_keep_the_types_of_their_cells() -> None:
    table = as_table([[True, 5, 1.5, BIG, "a"], (False, 6, 2.5, 3, None)])
    assert [table.column(name).family for name in table.names] == ["boolean", "number", "number", "number", "text"]
    assert table.column("x3").numbers()[0].tolist() == [BIG, 3]
    stacked = as_table([np.array([1.5, 2.0]), np.array([3.0, 4.0])])
    assert stacked.column("x0").numbers()[0].tolist() == [1.5, 3.0]


def test_a_dict_may_hold_columns_of_any_library() -> None:
    table = as_table(
        {
            "pandas": pd.Series([1, 2], index=[5, 6]),
            "polars": pl.Series([1, 2]),
            "pyarrow": pa.array([1, 2]),
            "chunked": pa.chunked_array([[1], [2]]),
            "numpy": np.array([1, 2]),
            "range": range(1, 3),
            7: [1, 2],
        }
    )
    assert table.names == ("pandas", "polars", "pyarrow", "chunked", "numpy", "range", "7")
    for name in table.names:
        assert table.column(name).numbers()[0].tolist() == [1, 2]


def test_names_that_are_no_text_become_text() -> None:
    assert as_table(pd.DataFrame(np.eye(2))).names == ("0", "1")
    assert as_table(pd.DataFrame(np.eye(2))).column("1").numbers()[0].tolist() == [0.0, 1.0]
    pairs = pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")])
    assert as_table(pd.DataFrame(np.eye(2), columns=pairs)).names == ("('a', 'b')", "('a', 'c')")


@pytest.mark.parametrize(
    "obj",
    [
        pd.DataFrame(np.eye(2), columns=["a", "a"]),
        pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]),
    ],
    ids=["pandas", "pyarrow"],
)
def test_repeated_names_are_refused(obj: Any) -> None:
    with pytest.raises(InputError) as error:
        as_table(obj)
    assert str(error.value) == "the columns of X must have different names, got 'a' more than once; rename one of each."


@pytest.mark.parametrize("obj", [pd.DataFrame(np.eye(2), columns=[1, "1"]), {1: [1], "1": [2]}, [{1: 1, "1": 2}]])
def test_names_that_repeat_as_text_are_refused(obj: Any) -> None:
    with pytest.raises(
        InputError, match=r"^the columns of train must have different names, got '1' more than once; rename"
    ):
        as_table(obj, "train")


TABLES = "pass a pandas, polars or pyarrow table, a 2-D array, a dict of columns or a list of dicts"


@pytest.mark.parametrize(
    ("obj", "sentence"),
    [
        (5, f"X must be a table, got 5; {TABLES}."),
        (None, f"X must be a table, got None; {TABLES}."),
        ("calls.csv", f"X must be a table, got 'calls.csv'; {TABLES}."),
        (pd.Series([1]), f"X must be a table, got a Series of 1 value; {TABLES}."),
        (pa.array([1]), f"X must be a table, got an Int64Array object; {TABLES}."),
        ([], "X must hold at least one row, got []; an empty list has no columns to compare."),
        (
            [[1, 2], [3]],
            "X must have rows of the same length, got [[1, 2], [3]]; if cells are missing, pass a list of dicts.",
        ),
        (
            np.zeros((1, 1, 1)),
            "X must have two dimensions, got shape (1, 1, 1); one row per case, one column per feature.",
        ),
        (
            {"a": [1], "b": [1, 2]},
            "the columns of X must have the same length, got 'a' with 1 and 'b' with 2 rows; "
            "pad or cut them to the same length.",
        ),
        (
            {"a": 5},
            "column 'a' of X must be a list, an array or a series, got 5; a dict maps names to whole columns.",
        ),
        (
            {"a": "no"},
            "column 'a' of X must be a list, an array or a series, got 'no'; a dict maps names to whole columns.",
        ),
    ],
)
def test_what_is_no_table_is_refused(obj: Any, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        as_table(obj)
    assert str(error.value) == sentence


def test_a_column_of_two_dimensions_is_refused() -> None:
    with pytest.raises(InputError) as error:
        as_table({"a": np.zeros((2, 2))}).column("a")
    assert str(error.value) == "column 'a' must have one dimension, got shape (2, 2); flatten it."


def test_an_unknown_column_is_refused() -> None:
    with pytest.raises(InputError) as error:
        as_table({"a": [1], "b": [2]}).column("c")
    assert str(error.value) == "there is no column 'c'; available: 'a', 'b'."


@pytest.mark.parametrize(
    "obj",
    [
        pd.DataFrame({"c": []}),
        pd.DataFrame({"c": pd.Series([], dtype=object)}),
        pd.DataFrame({"c": pd.Series([], dtype="int64")}),
        pl.DataFrame({"c": []}),
        pa.table({"c": pa.array([], pa.string())}),
        np.empty((0, 1)),
        {"c": []},
    ],
)
def test_tables_without_rows_are_tables(obj: Any) -> None:
    column = only_column(obj)
    assert len(column) == 0
    assert column.counts() == ({}, 0)
    assert split(column) == ([], 0)


def test_tables_without_columns_are_tables() -> None:
    assert as_table({}).names == ()
    assert as_table(pd.DataFrame()).n_rows == 0


def test_a_table_is_wrapped_once_and_parts_share_it() -> None:
    table = as_table(pl.DataFrame({"a": [1], "b": ["x"], "c": [None]}))
    assert as_table(table) is table
    assert table.without(["b"]).names == ("a", "c")
    assert table.only(["c", "a"]).names == ("c", "a")
    assert table.without(["b"]).n_rows == 1


def test_parts_take_nothing_out() -> None:
    class Watched(list[int]):
        def __iter__(self) -> Iterator[int]:
            raise AssertionError("the column was taken out")

    table = as_table({"a": Watched([1]), "b": [2], "c": ["x"]})
    assert table.without([]) is table
    assert table.without(["nothing"]) is table
    part = table.without(["b"]).only(["c", "a", "c"])
    assert (part.names, part.n_rows) == (("c", "a"), 1)
    assert part.column("c").counts() == ({"x": 1}, 0)
    assert table.only([]).names == ()
    assert "Watched" not in repr(table)
    assert "'x'" not in repr(table)
    for hidden in ("b", "d"):
        with pytest.raises(InputError) as error:
            part.column(hidden)
        assert str(error.value) == f"there is no column {hidden!r}; available: 'c', 'a'."
        with pytest.raises(InputError, match="there is no column"):
            part.only([hidden])


@pytest.mark.parametrize("obj", [np.array([[1, 2, 3]]), pd.DataFrame([[1, 2, 3]], columns=["x0", "x1", "x2"])])
def test_parts_of_parts_know_their_places(obj: Any) -> None:
    part = as_table(obj).without(["x0"]).only(["x2", "x1"])
    assert [part.column(name).numbers()[0].tolist() for name in part.names] == [[3], [2]]


class Duck:
    """A sequence that no library knows."""

    def __len__(self) -> int:
        return 2

    def __iter__(self) -> Iterator[int]:
        return iter([1, 2])


def test_any_sequence_can_be_a_column() -> None:
    assert split(only_column({"c": Duck()})) == ([1, 2], 0)


def callers_objects() -> Iterator[Any]:
    cells = {"i": [1, None], "s": ["a", None], "d": [MOMENT, None], "m": [1, "a"], "l": [[1], None], "n": [None, None]}
    yield cells
    yield [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]
    yield pd.DataFrame(cells)
    yield pd.DataFrame({name: pd.Series(column, dtype=object) for name, column in cells.items()}, index=[7, 7])
    typed = {name: cells[name] for name in "isdln"}
    yield pl.DataFrame(typed)
    yield pa.table(typed)
    yield np.array([[1.5, np.nan], [-0.0, 2.0]])
    yield np.array([[1, "a"], [None, "b"]], dtype=object)


@pytest.mark.parametrize("obj", list(callers_objects()), ids=lambda obj: type(obj).__module__)
def test_the_callers_object_is_left_unchanged(obj: Any) -> None:
    before = pickle.dumps(copy.deepcopy(obj))
    table = as_table(obj)
    for name in table.names:
        column = table.column(name)
        if column.family != "unsupported":
            column.counts()
        if column.ordered:
            column.numbers()
    assert pickle.dumps(copy.deepcopy(obj)) == before


def test_columns_of_a_dict_in_another_row_order_are_refused() -> None:
    with pytest.raises(InputError) as error:
        as_table({"a": pd.Series([1, 2]), "b": pd.Series([3, 4], index=[1, 0])})
    assert str(error.value) == (
        "X['b'] must have its rows in the same order as X['a'], got the same index in a different order; "
        "pass X['b'].loc[X['a'].index], or X['b'].to_numpy() if the rows already correspond by position."
    )


class OwnFrame(pd.DataFrame):
    @property
    def _constructor(self) -> type[OwnFrame]:
        return OwnFrame


def test_a_subclass_of_a_pandas_frame_is_read_as_pandas() -> None:
    column = as_table(OwnFrame({0: pd.Series([None] * 150 + [0.5], dtype=object)})).column("0")
    assert column.family == "number"

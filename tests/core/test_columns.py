from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.cases import BIG, BUILDERS, DAY, DAY_MICROSECONDS, MICROSECONDS, MOMENT, only_column, split

from shiftproof.core import InputError, as_table, is_missing


@pytest.fixture(params=BUILDERS, name="build")
def a_builder(request: pytest.FixtureRequest) -> Callable[[list[Any]], Any]:
    return BUILDERS[request.param]


@pytest.mark.parametrize(
    ("cells", "family", "numbers", "dtype"),
    [
        ([1, None, 2], "number", [1, 2], "int64"),
        ([BIG, None, BIG + 1], "number", [BIG, BIG + 1], "int64"),
        ([0.5, None, -0.0], "number", [0.5, 0.0], "float64"),
        ([np.inf, None, -np.inf], "number", [np.inf, -np.inf], "float64"),
        ([DAY, None, DAY], "date", [DAY_MICROSECONDS] * 2, "int64"),
        ([MOMENT, None, MOMENT], "date", [MICROSECONDS] * 2, "int64"),
        ([MOMENT.replace(tzinfo=UTC), None, MOMENT.replace(tzinfo=UTC)], "date", [MICROSECONDS] * 2, "int64"),
        ([datetime(1, 1, 1), None, datetime(9999, 1, 1)], "date", [-62135596800000000, 253370764800000000], "int64"),
        ([timedelta(seconds=1.5), None, -timedelta(1)], "duration", [1_500_000, -86_400_000_000], "int64"),
        ([Decimal("1.5"), None, Decimal(2)], "number", [1.5, 2.0], "float64"),
    ],
)
def test_ordered_values_are_the_same_from_every_library(
    build: Callable[[list[Any]], Any], cells: list[Any], family: str, numbers: list[Any], dtype: str
) -> None:
    column = only_column(build(cells))
    assert column.family == family
    assert column.ordered
    assert split(column) == (numbers, 1)
    assert column.numbers()[0].dtype == dtype
    found, missing = column.counts()
    assert sum(found.values()) == 2
    assert missing == 1


@pytest.mark.parametrize(
    ("cells", "family"),
    [
        ([True, None, False, True], "boolean"),
        (["a", None, "b", "a"], "text"),
        (["", None, " a", ""], "text"),
    ],
)
def test_categories_are_the_same_from_every_library(
    build: Callable[[list[Any]], Any], cells: list[Any], family: str
) -> None:
    column = only_column(build(cells))
    assert column.family == family
    assert not column.ordered
    assert column.counts() == ({cells[0]: 2, cells[2]: 1}, 1)
    with pytest.raises(InputError) as error:
        column.numbers()
    name = column.name
    assert (
        str(error.value) == f"column {name!r} must hold numbers or dates, got {column.contents}; treat it as nominal."
    )


def test_a_column_of_nothing_is_empty_in_every_library(build: Callable[[list[Any]], Any]) -> None:
    column = only_column(build([None, None]))
    assert column.family == "empty"
    assert split(column) == ([], 2)
    assert column.counts() == ({}, 2)


@pytest.mark.parametrize("builder", [name for name in BUILDERS if name != "list of lists"])  # there, lists are rows
@pytest.mark.parametrize("cells", [[[1], None, [2, 3]], [{"a": 1}, None, {"a": 2}]])
def test_cells_that_are_not_single_values_are_refused_in_words(builder: str, cells: list[Any]) -> None:
    column = only_column(BUILDERS[builder](cells))
    assert column.family == "unsupported"
    with pytest.raises(InputError) as error:
        column.counts()
    assert str(error.value) == (
        f"column {column.name!r} must hold single values, got {cells[0]!r}; "
        "drop it, or turn its cells into single values."
    )
    with pytest.raises(InputError, match="must hold numbers or dates, got nested or complex values"):
        column.numbers()


UNTYPED = ["dict", "dict of tuples", "list of dicts", "list of lists", "object array", "pandas object"]


@pytest.mark.parametrize("builder", UNTYPED)
@pytest.mark.parametrize(
    ("cells", "family", "found"),
    [
        ([1, "a", None, "a"], "mixed", {1: 1, "a": 2}),
        ([True, 1, None], "mixed", {1: 2}),
        ([1.5, 1j, None], "unsupported", {1.5: 1, 1j: 1}),
        ([1j, "a", None], "mixed", {1j: 1, "a": 1}),
        ([pd.Period("2024-05-01"), None, pd.NaT], "date", {datetime(2024, 5, 1): 1}),
        ([pd.Period("2024"), "a"], "mixed", {pd.Period("2024"): 1, "a": 1}),
        ([{1}, "a"], "unsupported", None),
        ([1, Decimal("1.5"), None], "number", {1: 1, 1.5: 1}),
        ([Decimal("1.5"), 2.5, None], "number", {1.5: 1, 2.5: 1}),
        ([2**63 + 5, 1, None], "number", {2**63 + 5: 1, 1: 1}),
        ([2**70, -1, None], "number", {2.0**70: 1, -1: 1}),
        ([BIG, float("nan"), 3], "number", {BIG: 1, 3: 1}),
        ([1.5, float("nan"), pd.NA, None], "number", {1.5: 1}),
        ([pd.NaT, None, pd.NA, float("nan")], "empty", {}),
        ([pd.Timestamp(MOMENT), pd.NaT, pd.NA, None], "date", {MOMENT: 1}),
        ([np.datetime64(DAY), None, np.datetime64("NaT")], "date", {datetime(2024, 5, 1): 1}),
        ([np.timedelta64(1, "D"), None, np.timedelta64(1, "h")], "duration", {timedelta(1): 1, timedelta(hours=1): 1}),
        ([DAY, MOMENT, None], "date", {datetime(2024, 5, 1): 1, MOMENT: 1}),
        ([pd.NaT, MOMENT, DAY], "date", {datetime(2024, 5, 1): 1, MOMENT: 1}),
        (["x", pd.NA, float("nan"), None], "text", {"x": 1}),
        ([time(1), None], "unsupported", {time(1): 1}),
    ],
)
def test_cells_without_a_type_get_the_one_they_share(
    builder: str, cells: list[Any], family: str, found: dict[Any, int] | None
) -> None:
    column = only_column(BUILDERS[builder](cells))
    assert column.family == family
    if found is None:
        with pytest.raises(InputError, match="must hold single values"):
            column.counts()
    else:
        assert column.counts() == (found, len(cells) - sum(found.values()))


@pytest.mark.parametrize("rows", ["first", "last"])
@pytest.mark.parametrize(
    ("filler", "cells", "family"),
    [
        (None, [0.5, 1.5], "number"),
        (None, [Decimal("0.5")], "number"),
        (None, [2**53 + 1, 2**53 + 2], "number"),
        (None, [True, False], "boolean"),
        (None, [DAY], "date"),
        (None, [MOMENT], "date"),
        (None, [timedelta(1)], "duration"),
        (None, [time(1)], "unsupported"),
        (None, [b"a"], "unsupported"),
        (None, [[1, 2]], "unsupported"),
        (None, [{"a": 1}], "unsupported"),
        ("a", [1], "mixed"),
        ("a", [0.5], "mixed"),
        ("a", [True], "mixed"),
        ("a", [b"a"], "unsupported"),
        ("a", [[1]], "unsupported"),
        (1, ["a"], "mixed"),
        (float("nan"), ["a"], "text"),
    ],
)
def test_object_cells_are_all_read_whatever_their_order(filler: Any, cells: list[Any], family: str, rows: str) -> None:
    """narwhals guesses the type of a pandas object column from its first hundred cells."""
    fillers = [filler] * 150
    ordered = cells + fillers if rows == "first" else fillers + cells
    for build in (BUILDERS["pandas object"], BUILDERS["object array"], BUILDERS["dict"]):
        column = only_column(build(ordered))
        assert column.family == family
        if family == "number":
            assert split(column) == ([*map(float, cells)] if cells[0] != 2**53 + 1 else cells, 150)


def test_decimals_are_rounded_once() -> None:
    cells = [Decimal("805.471"), Decimal("123456789012345.678"), Decimal("1E-9"), None]
    for build in (BUILDERS["pandas object"], BUILDERS["pyarrow"], BUILDERS["polars"]):
        assert split(only_column(build(cells))) == ([float(cell) for cell in cells if cell is not None], 1)


def test_unsigned_integers_beyond_int64_stay_whole() -> None:
    cells = [2**63 + 5, 1, None]
    for obj in (
        {"c": cells},
        pl.DataFrame({"c": pl.Series(cells, dtype=pl.UInt64)}),
        pa.table({"c": pa.array(cells, pa.uint64())}),
    ):
        values, missing = only_column(obj).numbers()
        assert values.dtype == np.uint64
        assert values.tolist() == [2**63 + 5, 1]
        assert missing == 1


def test_integers_of_128_bits_are_read() -> None:
    assert split(only_column(pl.DataFrame({"c": pl.Series([BIG, None], dtype=pl.Int128)}))) == ([BIG], 1)
    assert split(only_column(pl.DataFrame({"c": pl.Series([2**100, None], dtype=pl.Int128)}))) == ([2.0**100], 1)


def nan_or_null() -> Iterator[Any]:
    yield pd.DataFrame({"c": [1.5, None, np.nan]})
    yield pd.DataFrame({"c": pd.array([1.5, None, None], dtype="Float64")})
    yield pd.DataFrame({"c": pd.Series([1.5, None, np.nan], dtype=pd.ArrowDtype(pa.float32()))})
    yield pl.DataFrame({"c": [1.5, None, float("nan")]})
    yield pa.table({"c": pa.array([1.5, None, float("nan")])})
    yield np.array([[1.5], [np.nan], [np.nan]], dtype=np.float16)
    yield {"c": np.ma.array([1.5, 2.5, np.nan], mask=[False, True, False]).filled(np.nan)}
    yield np.ma.array([[1.5], [2.5], [3.5]], mask=[[False], [True], [True]])
    yield [{"c": 1.5}, {}, {"c": float("nan")}]


@pytest.mark.parametrize("obj", list(nan_or_null()), ids=lambda obj: type(obj).__module__)
def test_nan_none_and_null_are_all_missing(obj: Any) -> None:
    column = only_column(obj)
    assert column.family == "number"
    assert split(column) == ([1.5], 2)
    assert column.counts() == ({1.5: 1}, 2)


@pytest.mark.parametrize(
    ("dtype", "family"),
    [
        ("string", "text"),
        ("category", "category"),
        ("boolean", "boolean"),
        ("Int64", "number"),
        ("datetime64[ns]", "date"),
        ("timedelta64[ns]", "duration"),
    ],
)
def test_a_typed_column_without_values_has_no_numbers(dtype: Any, family: str) -> None:
    column = only_column(pd.DataFrame({"c": pd.Series([None, None], dtype=dtype)}))
    assert column.family == family
    assert split(column) == ([], 2)
    assert column.counts() == ({}, 2)


@pytest.mark.parametrize("zeros", [[0.0, -0.0], [-0.0, 0.0]])
def test_negative_zero_equals_zero(zeros: list[float]) -> None:
    for obj in (np.array([zeros]).T, pd.DataFrame({"c": zeros}), pl.DataFrame({"c": zeros}), {"c": zeros}):
        assert only_column(obj).counts() == ({0.0: 2}, 0)


@pytest.mark.parametrize(
    "categories",
    [
        pd.DataFrame({"c": pd.Categorical(["a", None, "b", "a"], categories=["z", "b", "a"])}),
        pl.DataFrame({"c": pl.Series(["a", None, "b", "a"], dtype=pl.Categorical)}),
        pl.DataFrame({"c": pl.Series(["a", None, "b", "a"], dtype=pl.Enum(["z", "b", "a"]))}),
        pa.table({"c": pa.array(["a", None, "b", "a"]).dictionary_encode()}),
    ],
    ids=["pandas", "polars", "enum", "pyarrow"],
)
def test_unused_categories_are_not_counted(categories: Any) -> None:
    column = only_column(categories)
    assert column.family == "category"
    assert column.counts() == ({"a": 2, "b": 1}, 1)
    with pytest.raises(InputError, match="got categories; treat it as nominal"):
        column.numbers()


@pytest.mark.parametrize(
    "cells", [[1, 2], [True, False], [1.5, 2.5], [1, "a"], [2**70, 1], [MOMENT, datetime(2000, 1, 1)], [(1, 2), (3, 4)]]
)
def test_categories_may_be_anything(cells: list[Any]) -> None:
    categories = pd.Index(cells, dtype=object, tupleize_cols=False)
    codes = pd.Categorical.from_codes([0, 1, 0, -1], categories=categories)
    found, missing = only_column(pd.DataFrame({"c": codes})).counts()
    assert found == {cells[0]: 2, cells[1]: 1}
    assert missing == 1


def test_intervals_that_pandas_cuts_are_categories() -> None:
    column = only_column(pd.DataFrame({"c": pd.cut([1.0, 2.0, 9.0, np.nan], [0, 5, 10])}))
    assert column.family == "category"
    assert column.counts() == ({pd.Interval(0, 5): 2, pd.Interval(5, 10): 1}, 1)


def test_moments_count_in_universal_time() -> None:
    berlin = pd.to_datetime(["2024-05-01T12:00"]).tz_localize("Europe/Berlin")
    offset = datetime(2024, 5, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    for obj in (pd.DataFrame({"c": berlin}), pl.DataFrame({"c": pl.Series(berlin)}), {"c": [offset]}):
        assert split(only_column(obj)) == ([DAY_MICROSECONDS + 10 * 3_600_000_000], 0)


@pytest.mark.parametrize("unit", ["Y", "M", "D", "h", "s", "ms", "us", "ns"])
def test_arrays_of_moments_of_any_unit(unit: str) -> None:
    column = only_column(np.array([["2024-01-01"], ["NaT"]], dtype=f"M8[{unit}]"))
    assert column.family == "date"
    assert split(column) == ([1_704_067_200_000_000], 1)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_frames_of_moments_of_any_unit(unit: Any) -> None:
    frame = pd.DataFrame({"c": pd.to_datetime(["2024-01-01", "NaT"]).as_unit(unit)})
    assert split(only_column(frame)) == ([1_704_067_200_000_000], 1)
    assert split(only_column(pa.Table.from_pandas(frame))) == ([1_704_067_200_000_000], 1)


@pytest.mark.parametrize("builder", UNTYPED)
def test_numbers_beyond_every_float_are_infinite(builder: str) -> None:
    column = only_column(BUILDERS[builder]([10**400, 1, -(10**400), None]))
    assert split(column) == ([math.inf, 1.0, -math.inf], 1)
    assert split(only_column(BUILDERS[builder]([Decimal("1e400"), Decimal("sNaN")]))) == ([math.inf], 1)


def test_longer_floats_are_shortened_in_silence() -> None:
    longer = np.array([[np.longdouble("1e300") * np.longdouble("1e300")]])
    assert only_column(longer).numbers()[0].tolist() == [math.inf]


def far_dates() -> Iterator[Any]:
    days = np.array(["-20000-01-01", "30000-01-01", "2024-05-01", "NaT"], "M8[D]")
    yield {"c": days}
    yield {"c": pl.Series(days.astype("M8[us]"))}
    yield pa.table({"c": pa.array(days.astype("M8[us]"))})
    yield pa.table({"c": pa.array(days)})
    yield pd.DataFrame({"c": pd.Series(days)})


@pytest.mark.parametrize("obj", list(far_dates()), ids=["numpy", "polars", "moments", "days", "pandas"])
def test_dates_that_python_cannot_hold(obj: Any) -> None:
    column = only_column(obj)
    assert column.family == "date"
    assert split(column) == ([-693306259200000000, 884541340800000000, DAY_MICROSECONDS], 1)
    found, missing = column.counts()
    assert (sorted(found.values()), missing) == ([1, 1, 1], 1)
    assert len(column.cells()) == 4


UNREACHABLE = (
    "column {!r} must hold dates and durations within 290,000 years, got others; drop them or set them to missing."
)


@pytest.mark.parametrize(
    "obj",
    [
        np.array([["300000-01-01"]], "M8[D]"),
        np.array([["-300000-01-01"]], "M8[s]"),
        np.array([[10**12]], "m8[D]"),
        pa.table({"x0": pa.array([2**60], pa.timestamp("s"))}),
        pa.table({"x0": pa.array([-(2**60)], pa.duration("s"))}),
        pd.DataFrame({"x0": np.array([2**60], "M8[s]")}),
        {"x0": [np.datetime64("300000-01-01"), None]},
        pl.DataFrame({"x0": pl.Series([2**60]).cast(pl.Datetime("ms"))}),
        pa.table({"x0": pa.array([2**31 - 1, None], pa.int32()).cast(pa.date32())}),
    ],
)
def test_dates_beyond_all_microseconds_are_refused(obj: Any) -> None:
    with pytest.raises(InputError) as error:
        as_table(obj).column("x0").numbers()
    assert str(error.value) == UNREACHABLE.format("x0")


@pytest.mark.parametrize("builder", UNTYPED)
def test_a_column_with_and_without_time_zones_is_refused(builder: str) -> None:
    table = as_table(BUILDERS[builder]([MOMENT, None, pd.NaT, MOMENT.replace(tzinfo=UTC)]))
    name = table.names[0]
    with pytest.raises(InputError) as error:
        table.column(name)
    assert str(error.value) == (
        f"column {name!r} must have a time zone in every cell or in none, "
        "got 2024-05-01 12:30:15.000250+00:00 and 2024-05-01 12:30:15.000250; convert all of them to UTC."
    )


@pytest.mark.parametrize("builder", [*UNTYPED, "polars object", "pyarrow"])
def test_uuids_are_text(builder: str) -> None:
    codes = [UUID(int=5), None, UUID(int=5)]
    others = {
        "polars object": pl.DataFrame({"c": pl.Series(codes, dtype=pl.Object)}),
        "pyarrow": pa.table({"c": pa.array([code and code.bytes for code in codes], pa.uuid())}),
    }
    column = only_column(others[builder] if builder in others else BUILDERS[builder](codes))
    assert column.family == "text"
    assert column.counts() == ({str(codes[0]): 2}, 1)


@pytest.mark.parametrize("cells", [[DAY, MOMENT.replace(tzinfo=UTC)], [MOMENT.replace(tzinfo=UTC), DAY]])
def test_a_day_has_no_time_zone(cells: list[Any]) -> None:
    with pytest.raises(
        InputError, match=r"^column 'c' must have a time zone in every cell or in none, got 2024-05-01 "
    ):
        only_column({"c": cells})


def test_arrow_arrays_are_columns_of_their_own_type() -> None:
    for array, family, found in (
        (pa.array([Decimal(10) ** 70, None]), "number", {1e70: 1}),
        (pa.RunEndEncodedArray.from_arrays([2, 3], [1, 2]), "number", {1: 2, 2: 1}),
        (pa.array([b"a", None], pa.binary_view()), "unsupported", {b"a": 1}),
    ):
        column = only_column({"c": array})
        assert (column.family, column.counts()[0]) == (family, found)
    assert only_column({"c": np.array([b"ab"], dtype="V2")}).family == "unsupported"


def test_types_that_only_arrow_knows_end_as_values() -> None:
    spans = pa.table({"c": pa.array([pa.MonthDayNano([1, 2, 3]), None])})
    assert only_column(spans).counts() == ({pa.MonthDayNano([1, 2, 3]): 1}, 1)


def test_complex_numbers_are_unsupported_in_every_library() -> None:
    for obj in ({"c": [1j, 2.5, None]}, {"c": np.array([1j, 2.5, np.nan])}, pd.DataFrame({"c": [1j, 2.5, None]})):
        column = only_column(obj)
        assert column.family == "unsupported"
        assert column.counts() == ({1j: 1, 2.5: 1}, 1)
        with pytest.raises(InputError) as error:
            column.numbers()
        assert (
            str(error.value)
            == "column 'c' must hold numbers or dates, got nested or complex values; drop or convert it."
        )


def test_sparse_columns_are_read() -> None:
    frame = pd.DataFrame({"c": pd.arrays.SparseArray([0, 0, 1])})
    assert split(only_column(frame)) == ([0, 0, 1], 0)


@given(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_every_int64_survives(cells: list[int | None]) -> None:
    present = [cell for cell in cells if cell is not None]
    for obj in ({"c": cells}, pl.DataFrame({"c": pl.Series(cells, dtype=pl.Int64)}), pa.table({"c": cells})):
        column = only_column(obj)
        assert split(column) == (present, len(cells) - len(present))
        assert sum(column.counts()[0].values()) == len(present)


@given(st.lists(st.none() | st.floats(width=64), min_size=1))
def test_every_float_survives(cells: list[float | None]) -> None:
    present = [cell for cell in cells if cell is not None and cell == cell]
    for obj in ({"c": cells}, pd.DataFrame({"c": pd.Series(cells, dtype=float)}), np.array([cells], dtype=float).T):
        column = only_column(obj)
        assert split(column) == (present, len(cells) - len(present))


@pytest.mark.parametrize(
    "value", [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), Decimal("NaN")]
)
def test_is_missing_is_true_for_none_nan_and_na(value: Any) -> None:
    assert is_missing(value)


@pytest.mark.parametrize("value", [0, "", "nan", False, [], [None], np.array([1, np.nan]), {}, np.inf])
def test_is_missing_is_false_for_values(value: Any) -> None:
    assert not is_missing(value)


@pytest.mark.parametrize(
    "obj",
    [
        np.ma.array([[1], [2]], mask=[[False], [True]]),
        np.ma.array([[1.0], [2.0]], mask=[[False], [True]]),
        {"x0": np.ma.array([1, 2], mask=[False, True])},
        {"x0": list(np.ma.array([1, 2], mask=[False, True]))},
        np.ma.array([(1,), (2,)], mask=[(False,), (True,)], dtype=[("x0", "i8")]),
    ],
)
def test_masked_cells_are_missing(obj: Any) -> None:
    column = only_column(obj)
    assert column.family == "number"
    assert split(column) == ([1], 1)


@pytest.mark.parametrize(
    ("cells", "floats"),
    [
        ([1, None, 2**53 + 2], [1.0, np.nan, 2.0**53 + 2]),
        ([True, None, False], [1.0, np.nan, 0.0]),
        ([None, None], [np.nan, np.nan]),
        ([timedelta(seconds=1), None], [1e6, np.nan]),
        ([DAY, None], [float(DAY_MICROSECONDS), np.nan]),
    ],
)
def test_floats_are_one_per_row_in_every_library(
    build: Callable[[list[Any]], Any], cells: list[Any], floats: list[float]
) -> None:
    assert np.array_equal(only_column(build(cells)).floats(), floats, equal_nan=True)


def test_periods_are_the_moments_at_which_they_start() -> None:
    periods = pd.Series(pd.PeriodIndex(["2024-05", None, "2024-06"], freq="M"))
    for cells in (periods, periods.astype(object), periods.tolist()):
        column = only_column({"c": cells})
        assert column.family == "date"
        assert split(column) == ([DAY_MICROSECONDS, DAY_MICROSECONDS + 31 * 86_400_000_000], 1)


@pytest.mark.parametrize("cells", [[(1, "a"), None], [(1, 2), None], [(1, 2), "a"], [b"a", 1], [frozenset({1}), "a"]])
def test_cells_that_hold_several_values_are_unsupported(cells: list[Any]) -> None:
    assert only_column({"c": cells}).family == "unsupported"
    assert only_column(BUILDERS["pandas object"](cells[::-1])).family == "unsupported"


def test_nested_cells_are_coded_by_their_text() -> None:
    column = as_table({"x": np.array([[1, 2], None, [1, 2], [3]], dtype=object)}).column("x")
    distinct, places = column.coded()
    assert len(distinct) == 2
    assert places.tolist() == [0, -1, 0, 1]

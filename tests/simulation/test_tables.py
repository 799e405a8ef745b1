from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shiftproof.core import InputError, as_table
from shiftproof.simulation import mar, mcar, mnar, offset

COLUMNS: dict[str, list[Any]] = {
    "number": [4.0, 1.0, 3.0, 2.0],
    "count": [40, 10, 30, 20],
    "job": ["d", "a", "c", "b"],
    "flag": [True, False, True, False],
    "day": [datetime(2024, 1, day) for day in (4, 1, 3, 2)],
}


def pandas_table() -> pd.DataFrame:
    return pd.DataFrame(COLUMNS, index=["p", "q", "r", "s"])


TABLES: dict[str, Any] = {
    "pandas": pandas_table(),
    "polars": pl.DataFrame(COLUMNS),
    "polars lazy": pl.LazyFrame(COLUMNS),
    "pyarrow": pa.table(COLUMNS),
    "narwhals": nw.from_native(pl.DataFrame(COLUMNS)),
    "dict of lists": COLUMNS,
    "dict of arrays": {name: np.array(values) for name, values in COLUMNS.items()},
    "dict of series": {
        "number": pl.Series(COLUMNS["number"]),
        "count": pd.Series(COLUMNS["count"]),
        "job": pa.array(COLUMNS["job"]),
        "flag": tuple(COLUMNS["flag"]),
        "day": pa.chunked_array([COLUMNS["day"]]),
    },
    "list of dicts": [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)],
    "structured array": np.array(
        list(zip(*COLUMNS.values(), strict=True)),
        dtype=[("number", "f8"), ("count", "i8"), ("job", "U1"), ("flag", "?"), ("day", "M8[us]")],
    ),
}


def cells(table: Any, name: str) -> list[Any]:
    return [None if cell != cell else cell for cell in as_table(table).column(name).cells()]


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("feature", COLUMNS)
def test_rows_are_dropped_by_any_feature_of_any_table(kind: str, feature: str) -> None:
    X = TABLES[kind]
    before = {name: cells(X, name) for name in COLUMNS}
    table, rows = mar(X, feature, 0.25)
    assert type(table) is type(X)
    assert rows.dtype == np.intp
    kept = [0, 1, 3] if feature == "flag" else [1, 2, 3]  # of the two that are true the later one goes
    assert rows.tolist() == kept
    for name, values in before.items():
        assert cells(table, name) == [values[row] for row in kept]
        assert cells(X, name) == values


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("feature", COLUMNS)
def test_a_masked_feature_is_missing_in_every_row(kind: str, feature: str) -> None:
    X = TABLES[kind]
    before = cells(X, feature)
    table, rows = mnar(X, feature, 0.5)
    assert type(table) is type(X)
    assert cells(table, feature) == [None, None]
    others = [name for name in COLUMNS if name != feature]
    for name in others:
        assert cells(table, name) == [cells(X, name)[row] for row in rows]
    assert cells(X, feature) == before
    assert list(as_table(table).names) == list(COLUMNS)


@pytest.mark.parametrize("kind", TABLES)
def test_numbers_and_dates_move(kind: str) -> None:
    X = TABLES[kind]
    step = np.std([1, 2, 3, 4], ddof=1) / 2
    for feature, scale in (("number", 1.0), ("count", 10.0)):
        table, rows = offset(X, feature, 0.5)
        assert type(table) is type(X)
        assert rows.tolist() == [0, 1, 2, 3]
        assert cells(table, feature) == pytest.approx([value + step * scale for value in COLUMNS[feature]])
        assert cells(table, "job") == COLUMNS["job"]
        assert cells(X, feature) == COLUMNS[feature]
    table, _ = offset(X, "day", 0.5)
    moved = timedelta(microseconds=round(step * 86_400e6))
    assert cells(table, "day") == [value + moved for value in COLUMNS["day"]]
    for feature in ("job", "flag"):
        with pytest.raises(InputError, match=rf"^feature '{feature}' must hold numbers or dates, got "):
            offset(X, feature, 0.5)


def test_pandas_keeps_its_index_names_and_types() -> None:
    X = pd.DataFrame(
        {
            7: pd.array([1, 2, None, 4], dtype="Int64"),
            ("a", "b"): pd.Categorical(["lo", "hi", "lo", "hi"], categories=["lo", "hi", "none"], ordered=True),
            "f": np.array([1, 2, 3, 4], dtype=np.float32),
            "z": pd.to_datetime(["2024-01-01", "2024-01-02", "NaT", "2024-01-04"]).tz_localize("Europe/Berlin"),
            "s": pd.Series(["x", None, "y", "z"], dtype="string"),
        },
        index=pd.Index(["p", "q", "r", "s"], name="who"),
    )
    before = X.copy()
    kept, rows = mar(X, 7, 0.25)
    assert rows.tolist() == [0, 1, 2]
    pd.testing.assert_frame_equal(kept, X.iloc[:3])
    for feature in X.columns:
        hidden, rows = mnar(X, feature, 0.25)
        assert hidden.dtypes.tolist() == X.dtypes.tolist()
        assert hidden[feature].isna().all()
        pd.testing.assert_index_equal(hidden.index, X.index[rows])
    hidden, _ = mnar(X, ("a", "b"), 0.25)
    assert hidden[("a", "b")].cat.categories.tolist() == ["lo", "hi", "none"]
    moved, _ = offset(X, "f", 1)
    assert moved["f"].dtype == np.float32
    moved, _ = offset(X, 7, 1)
    assert moved[7].dtype == "Float64"
    assert moved[7].isna().tolist() == [False, False, True, False]
    moved, _ = offset(X, "z", 1)
    assert moved["z"].dtype == X["z"].dtype
    assert len(set((moved["z"] - X["z"]).dropna())) == 1
    pd.testing.assert_frame_equal(X, before)


def test_polars_and_pyarrow_keep_their_types() -> None:
    schema: dict[str, Any] = {
        "i": pl.Int32,
        "f": pl.Float32,
        "e": pl.Enum(["lo", "hi"]),
        "c": pl.Categorical,
        "d": pl.Date,
    }
    rows = [(1, 1.0, "hi", "u", date(2024, 1, 1)), (3, 2.0, "lo", "v", date(2024, 1, 5)), (None,) * 5]
    X = pl.DataFrame(rows, schema=schema, orient="row")
    for frame in (X, X.to_arrow()):
        for name in schema:
            hidden, kept = mnar(frame, name, 0.34)
            assert hidden.schema == frame.schema
            assert len(kept) == 2
        for name in ("f", "d"):
            assert offset(frame, name, 1)[0].schema == frame.schema
        moved, _ = offset(frame, "d", 1)
        step = timedelta(days=round(np.std([0, 4], ddof=1)))
        assert cells(moved, "d") == [date(2024, 1, 1) + step, date(2024, 1, 5) + step, None]
    assert offset(X, "i", 1)[0]["i"].dtype == pl.Float64
    assert mar(X, "e", 0.34)[1].tolist() == [1, 2]  # "lo" comes before "hi", and missing first


def test_arrays_go_by_position_and_by_name() -> None:
    X = np.array([[1, 9], [2, 8], [3, 7], [4, 6]])
    for feature in (1, np.int64(1), "x1"):
        table, rows = mar(X, feature, 0.5)
        assert rows.tolist() == [2, 3]
        assert table.tolist() == [[3, 7], [4, 6]]
        assert table.dtype == X.dtype
    table, _ = mnar(X, 1, 0.5)
    np.testing.assert_array_equal(table, [[3, np.nan], [4, np.nan]])
    table, _ = offset(X, 0, 1)
    np.testing.assert_allclose(table[:, 0], np.array([1, 2, 3, 4]) + np.std([1, 2, 3, 4], ddof=1))
    table, rows = mar(np.array([3.0, 1.0, 2.0]), 0, 1 / 3)
    assert table.tolist() == [1.0, 2.0]


def test_lists_of_rows_stay_lists_of_rows() -> None:
    X = [[1, "a"], [2, "b"], [3, "c"]]
    assert mar(X, 0, 1 / 3)[0] == [[1, "a"], [2, "b"]]
    assert mnar(X, 1, 1 / 3)[0] == [[1, None], [2, None]]
    assert offset([(1, "a"), (3, "b")], 0, 1)[0] == [(1 + 2**0.5, "a"), (3 + 2**0.5, "b")]
    rows = [np.array([1, 2]), np.array([3, 4])]
    assert np.isnan(mnar(rows, 0, 0)[0][1][0])
    table, _ = mcar(X, 0.0)
    table[0][0] = 99
    assert X[0][0] == 1


def test_a_row_without_the_cell_stays_without_it() -> None:
    table, rows = mnar([{"a": 1, 2: 5}, {"a": 2}], 2, 0)
    assert table == [{"a": 1, 2: None}, {"a": 2}]
    assert rows.tolist() == [0, 1]


def test_arrays_of_all_types_can_be_masked() -> None:
    objects = np.array([["a", 1], ["b", 2]], dtype=object)
    assert mnar(objects, 0, 0.5)[0].tolist() == [[None, 1]]
    assert mnar(np.array([["a", "b"], ["c", "d"]]), 0, 0.5)[0].tolist() == [[None, "b"]]
    moments = np.array([["2024-01-01", "2024-01-02"], ["2024-01-03", "2024-01-04"]], dtype="M8[D]")
    table, _ = mnar(moments, 0, 0.5)
    assert np.isnat(table[0, 0])
    assert table[0, 1] == moments[0, 1]
    hidden = np.ma.array([[1.0, 2.0], [3.0, 4.0]], mask=[[False, False], [False, True]])
    table, _ = mnar(hidden, 0, 0.5)
    assert table.mask.tolist() == [[True, False]]
    assert np.ma.getmaskarray(hidden).tolist() == [[False, False], [False, True]]
    assert offset(moments, 0, 1)[0].dtype == moments.dtype
    assert offset(np.array([["a", 1], ["b", 3]], dtype=object), 1, 1)[0][:, 1].tolist() == [1 + 2**0.5, 3 + 2**0.5]


def test_moments_of_all_kinds_move() -> None:
    step = timedelta(seconds=86_400 * 2**0.5)
    zoned = [datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 3, tzinfo=UTC), None]
    assert offset({"a": zoned}, "a", 1)[0]["a"][1] - zoned[1] == pytest.approx(step, abs=timedelta(microseconds=1))
    days = [date(2024, 1, 1), date(2024, 1, 3)]
    assert offset({"a": days}, "a", 1)[0]["a"] == [date(2024, 1, 2), date(2024, 1, 4)]
    waits = pd.DataFrame({"a": pd.to_timedelta([1, 3], unit="s")})
    assert offset(waits, "a", 1)[0]["a"].dtype == waits["a"].dtype
    cells = pd.DataFrame({"a": pd.Series(days, dtype=object)})
    assert offset(cells, "a", 1)[0]["a"].tolist() == [date(2024, 1, 2), date(2024, 1, 4)]
    odd = {"a": [np.datetime64("2024-01-01"), np.datetime64("2024-01-03")]}
    assert len(set(offset(odd, "a", 1)[0]["a"])) == 2
    months = np.array(["2024-01", "2024-05"], dtype="M8[M]")
    assert offset(months, 0, 1)[0].tolist() == [date(2024, 4, 1), date(2024, 8, 1)]
    single = {"a": pa.array([1.0, 3.0]), "b": pa.array(days)}
    assert offset(single, "b", 1)[0]["b"].to_pylist() == [date(2024, 1, 2), date(2024, 1, 4)]


def test_dates_that_would_leave_the_calendar_are_refused() -> None:
    message = r"^the offset must keep every date within range, got '[0-9.e+]+ days'; give a smaller strength\.$"
    days = [date(1, 1, 1), date(9999, 12, 31)]
    with pytest.raises(InputError, match=message):
        offset({"a": days}, "a", 1)
    far = np.array([0, 2**62], dtype="M8[us]")
    with pytest.raises(InputError, match=message):
        offset(far, 0, 2)


def test_integers_beyond_two_to_the_53_stay_apart() -> None:
    big = [2**60, 2**60 + 1, 2**60 + 2, 2**60 + 3]
    for X in (
        {"a": big},
        {"a": np.array(big)},
        pd.DataFrame({"a": big}),
        pl.DataFrame({"a": big}),
        pa.table({"a": big}),
        np.array(big),
    ):
        assert mar(X, as_table(X).names[0], 0.5)[1].tolist() == [0, 1]
        moved = as_table(offset(X, as_table(X).names[0], 2)[0])
        assert moved.column(moved.names[0]).cells() == [value + 3 for value in big]
    far = np.array([-(2**63), 2**63 - 1])
    assert offset(far, 0, 1)[0].dtype == np.float64
    widest = np.array([0, 2**64 - 1], dtype=np.uint64)
    assert mar(widest, 0, 0.5)[1].tolist() == [0]


def test_infinities_order_and_stay() -> None:
    X = {"a": [np.inf, 1.0, -np.inf, 3.0, None]}
    assert mar(X, "a", 0.2)[1].tolist() == [1, 2, 3, 4]
    assert mar(X, "a", 0.2, tail="low")[1].tolist() == [0, 1, 2, 3]
    assert mar(X, "a", 0.4, tail="low")[1].tolist() == [0, 1, 3]
    assert offset(X, "a", 1)[0]["a"] == [np.inf, 1 + 2**0.5, -np.inf, 3 + 2**0.5, None]


def test_columns_that_are_no_columns() -> None:
    X = pandas_table()
    with pytest.raises(InputError) as caught:
        mar(X, "numbr", 0.5)
    assert str(caught.value) == "feature must be a column of X; got 'numbr'. Did you mean 'number'?"
    wrong: list[Any] = [0, 2, -1, None]
    for feature in wrong:
        with pytest.raises(InputError, match=r"^feature must be a column of X, got "):
            mar(X, feature, 0.5)
    wrong = [2, -1, True, "x2"]
    for feature in wrong:
        with pytest.raises(InputError, match=r"available: 'x0', 'x1'\.$"):
            mar(np.zeros((2, 2)), feature, 0.5)
    with pytest.raises(InputError, match=r"^feature must be a column of X, got 'a'; none is available\.$"):
        mar(pd.DataFrame(index=[0, 1]), "a", 0.5)


def test_tables_that_are_no_tables() -> None:
    nothing: list[Any] = [pd.DataFrame({"a": []}), np.empty((0, 2)), {"a": []}]
    for empty in nothing:
        with pytest.raises(InputError, match=r"^X must hold at least one row, got 0; check the filter"):
            mcar(empty, 0.5)
    with pytest.raises(InputError, match=r"^X must be a table, got 3; "):
        mcar(3, 0.5)
    with pytest.raises(
        InputError, match=r"^column 'a' must hold single values, got nested or complex values; choose another"
    ):
        mar({"a": [[1], [2, 3]]}, "a", 0.5)


def test_columns_of_less_usual_kinds() -> None:
    odd = {
        "range": range(4),
        "index": pd.Index([1, 2, 3, 4]),
        "wrapped": nw.from_native(pl.Series([1.0, 2.0, 3.0, 4.0]), series_only=True),
    }
    assert mar(odd, "range", 0.5)[0]["index"] == [1, 2]
    assert mnar(odd, "range", 0.5)[0]["range"] == [None, None]
    hidden = mnar(odd, "wrapped", 0.5)[0]["wrapped"]
    assert isinstance(hidden, nw.Series)
    assert hidden.to_list() == [None, None]
    moved = offset(odd, "wrapped", 1)[0]["wrapped"]
    assert isinstance(moved, nw.Series)
    assert moved.to_list() == pytest.approx([value + np.std([1, 2, 3, 4], ddof=1) for value in (1, 2, 3, 4)])
    lazy = nw.from_native(pl.LazyFrame({"a": [3, 1, 2]}))
    assert mar(lazy, "a", 1 / 3)[0].collect()["a"].to_list() == [1, 2]
    assert mnar(lazy, "a", 1 / 3)[0].collect()["a"].to_list() == [None, None]
    assert mnar([3, 1, 2], 0, 1 / 3)[0] == [None, None]  # a flat list is one column

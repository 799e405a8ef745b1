"""Take rows of any table, and change or mask one of its columns; the type of the table stays."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from shiftproof.core import Rows, Table, as_table, fault, native_order, unknown_name


def checked_table(X: object) -> Table:
    """Wrap the caller's table; refuse one without rows."""
    table = as_table(X)
    if not table.n_rows:
        raise fault("X", "hold at least one row", 0, "check the filter or the file it came from")
    return table


def find_feature(X: object, table: Table, feature: object) -> str:
    """Return the name of a feature that was given by its name, or in an array by its position.

    Examples
    --------
    >>> X = np.zeros((3, 2))
    >>> find_feature(X, as_table(X), 1), find_feature(X, as_table(X), "x0")
    ('x1', 'x0')
    """
    # Names first: a table may have a column called 0.
    name = str(feature)
    if name in table.names:
        return name
    numbered = _has_positions(X) and not isinstance(feature, bool)
    if numbered and isinstance(feature, (int, np.integer)) and 0 <= feature < len(table.names):
        return table.names[int(feature)]
    raise unknown_name("feature", "be a column of X", feature, table.names)


def _has_positions(X: object) -> bool:
    """Return whether columns have positions instead of names: in plain arrays, and in rows that are lists."""
    if isinstance(X, np.ndarray):
        return not X.dtype.names
    return isinstance(X, (list, tuple)) and not all(isinstance(row, Mapping) for row in X)


def take_rows(X: Any, rows: Rows) -> Any:
    """Take rows of any table; the result is of the same type and shares nothing that could be changed.

    Examples
    --------
    >>> take_rows([{"a": 1}, {"a": 2}, {"a": 3}], np.array([0, 2]))
    [{'a': 1}, {'a': 3}]
    """
    if isinstance(X, Mapping):
        return {key: take_values(values, rows) for key, values in X.items()}
    if isinstance(X, (list, tuple)):
        # A shallow copy of each row: changing a cell later must not change the caller's row.
        return type(X)(copy.copy(X[row]) for row in rows.tolist())
    if isinstance(X, nw.LazyFrame):
        return X.collect()[rows].lazy()
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        return frame.collect()[rows].lazy().to_native()
    return take_values(X, rows)


def take_values(values: Any, rows: Rows) -> Any:
    """Take cells of a column, or rows of a frame or an array."""
    if isinstance(values, (pd.DataFrame, pd.Series)):
        return native_order(values).iloc[rows]
    if isinstance(values, np.ndarray):
        return values[rows]
    if isinstance(values, (list, tuple)):
        return type(values)(values[row] for row in rows.tolist())
    if type(values).__module__.split(".")[0] == "pyarrow":
        return values.take(rows)
    if isinstance(values, (nw.DataFrame, nw.Series)):
        return values[rows]
    wrapped: Any = nw.from_native(values, pass_through=True, allow_series=True)
    if isinstance(wrapped, (nw.DataFrame, nw.Series)):
        return wrapped[rows].to_native()
    cells = list(values)  # anything else with cells: an index, a range
    return [cells[row] for row in rows.tolist()]


def change_column(X: Any, place: int, change: Callable[[Any], Any]) -> Any:
    """Return the table with the column at position `place` replaced by what `change` makes of it."""
    if isinstance(X, Mapping):
        return {key: change(values) if number == place else values for number, (key, values) in enumerate(X.items())}
    if isinstance(X, (list, tuple)):
        return _change_rows(X, place, change)
    if isinstance(X, pd.DataFrame):
        # By position: pandas allows two columns of one name.
        changed = X.copy(deep=False)
        changed.isetitem(place, change(X.iloc[:, place]))
        return changed
    if isinstance(X, np.ndarray):
        return _change_array(X, place, change)
    if type(X).__module__.split(".")[0] == "pyarrow":
        return X.set_column(place, X.column_names[place], change(X.column(place)))
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        return change_column(frame.collect(), place, change).lazy().to_native()
    series = frame[:, place]
    changed = nw.from_native(change(series.to_native()), series_only=True)
    replaced = frame.with_columns(changed.alias(series.name))
    return replaced if isinstance(X, nw.DataFrame) else replaced.to_native()


def _change_array(X: NDArray[Any], place: int, change: Callable[[Any], Any]) -> NDArray[Any]:
    if X.dtype.names:
        name = X.dtype.names[place]
        column = change(X[name])
        fields = [(field, column.dtype if field == name else X.dtype[field]) for field in X.dtype.names]
        made = np.empty(X.shape, dtype=fields)
        for field in X.dtype.names:
            made[field] = column if field == name else X[field]
        return made
    if X.ndim == 1:
        return np.asanyarray(change(X))
    column = change(X[:, place])
    # An array has one type: integers become floats if one column needs them.
    made = X.astype(np.result_type(X.dtype, column.dtype), copy=True)
    made[:, place] = column
    return made


def _change_rows(X: Any, place: int, change: Callable[[Any], Any]) -> Any:
    """Change one cell of every row; a row without the cell stays without it."""
    if all(isinstance(row, Mapping) for row in X):
        key = list(dict.fromkeys(key for row in X for key in row))[place]
        cells = change([row.get(key) for row in X])
        made = [{**row, key: cell} if key in row else dict(row) for row, cell in zip(X, cells, strict=True)]
        return type(X)(made)
    if not all(np.ndim(row) for row in X):  # a flat list is one column
        return change(X)
    cells = change([row[place] for row in X])
    return type(X)(_with_cell(row, place, cell) for row, cell in zip(X, cells, strict=True))


def _with_cell(row: Any, place: int, cell: Any) -> Any:
    if isinstance(row, np.ndarray):
        return _change_array(row[None], place, lambda _: np.asarray([np.nan if cell is None else cell]))[0]
    return type(row)([*row[:place], cell, *row[place + 1 :]])


def mask_values(values: Any) -> Any:
    """Return a column of the same type in which every cell is missing.

    Examples
    --------
    >>> mask_values([1, 2]), mask_values(np.array([1, 2]))
    ([None, None], array([nan, nan]))
    """
    n = len(values)
    if isinstance(values, pd.Series):
        return _masked_series(values)
    if isinstance(values, np.ndarray):
        return _masked_array(values)
    if isinstance(values, (list, tuple)):
        return type(values)([None] * n)
    if type(values).__module__.split(".")[0] == "pyarrow":
        import pyarrow as pa

        nulls = pa.nulls(n, values.type)
        return pa.chunked_array([nulls]) if isinstance(values, pa.ChunkedArray) else nulls
    series = nw.from_native(values, pass_through=True, series_only=True)
    if isinstance(series, nw.Series):
        column = nw.col(series.name)
        # A condition that no cell meets; older versions of narwhals refuse a plain False.
        nothing = nw.when(column.is_null() & ~column.is_null()).then(column).alias(series.name)
        hidden = series.to_frame().select(nothing)[series.name]
        return hidden if isinstance(values, nw.Series) else hidden.to_native()
    return [None] * n


def _masked_series(values: pd.Series[Any]) -> pd.Series[Any]:
    if not isinstance(values.dtype, np.dtype):  # a type of pandas' own, which can hold missing values
        return pd.Series([None] * len(values), index=values.index, name=values.name, dtype=values.dtype)
    if values.dtype.kind == "O":
        return pd.Series(np.nan, index=values.index, name=values.name, dtype=object)
    return pd.Series(_masked_array(values.to_numpy()), index=values.index, name=values.name)


def _masked_array(values: NDArray[Any]) -> NDArray[Any]:
    if isinstance(values, np.ma.MaskedArray):
        return np.ma.MaskedArray(values.data, mask=True)
    if values.dtype.kind in "mM":
        return np.full(values.shape, np.array("NaT", dtype=values.dtype))
    if values.dtype.kind in "fc":
        return np.full_like(values, np.nan)
    if values.dtype.kind in "iub":
        return np.full(values.shape, np.nan)
    return np.full(values.shape, None, dtype=object)

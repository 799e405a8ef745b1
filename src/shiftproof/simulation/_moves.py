"""Add the same amount to every cell of a column of any library."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from shiftproof.core import Column, fault, is_missing

# Beyond this, floats skip integers.
_EXACT_FLOAT = 2**53
# Microseconds, in which columns count dates.
_DAY = 86_400e6
# Microseconds of the units in which arrays keep moments; months and years on average.
_UNITS = {
    **{"Y": 365.2425 * _DAY, "M": 365.2425 / 12 * _DAY, "W": 7 * _DAY, "D": _DAY, "h": 3_600e6, "m": 60e6},
    **{"s": 1e6, "ms": 1e3, "us": 1.0, "ns": 1e-3, "ps": 1e-6, "fs": 1e-9, "as": 1e-12},
}


def standard_deviation(column: Column) -> float:
    """Return the standard deviation (n - 1) of the finite values, of dates in microseconds; 0 if all are equal.

    Examples
    --------
    >>> from shiftproof.core import as_table
    >>> standard_deviation(as_table({"a": [1, 2, None, 3]}).column("a"))
    1.0
    """
    values, _ = column.numbers()
    values = values[np.isfinite(values)]
    if len(values) < 2 or values.min() == values.max():
        return 0.0
    # The range of larger integers overflows int64.
    if values.dtype.kind in "iu" and int(values.max()) - int(values.min()) < 2**62:
        values = values - values.min()  # distances survive as floats where the integers themselves do not
    floats = values.astype(np.float64)
    scale = float(np.abs(floats).max())  # squares of large numbers would overflow
    return float(np.std(floats / scale, ddof=1)) * scale


def move_values(values: Any, column: Column, amount: float) -> Any:
    """Return a column of the same type, each value larger by the amount (of dates, microseconds).

    Integers become floats; those beyond 2^53, which floats cannot represent exactly, move by the nearest whole
    number and stay integers. Dates move by whole steps of their own unit.
    """
    if column.family in ("date", "duration"):
        try:
            return _move_moments(values, amount)
        except (OverflowError, ValueError):
            got = f"{amount / _DAY:.3g} days"
            raise fault("the offset", "keep every date within range", got, "give a smaller strength") from None
    return _move_numbers(values, column, amount)


def _move_numbers(values: Any, column: Column, amount: float) -> Any:
    whole = _whole_where_needed(column, amount)
    if _holds_objects(values):
        return _cell_by_cell(values, lambda cell: float(cell) + amount if whole is None else cell + whole)
    dtype = values.dtype if isinstance(values, (np.ndarray, pd.Series)) else None
    if isinstance(dtype, np.dtype):
        wide = values if dtype.kind == "f" else values.astype(np.float64 if whole is None else np.int64)
        # Largest floats become infinite.
        with np.errstate(over="ignore"):
            return wide + wide.dtype.type(amount if whole is None else whole)

    def add(series: nw.Series[Any]) -> nw.Series[Any]:
        wide = series if series.dtype.is_float() else series.cast(nw.Float64 if whole is None else nw.Int64)
        return (wide + (amount if whole is None else whole)).cast(wide.dtype)

    return _by_narwhals(values, add)


def _whole_where_needed(column: Column, amount: float) -> int | None:
    """Return the nearest whole number for integers beyond floats, if the sum fits into int64; else None."""
    values, _ = column.numbers()
    if values.dtype.kind not in "iu" or not len(values):
        return None
    least, most, whole = int(values.min()), int(values.max()), round(amount)
    fits = np.iinfo(np.int64).min <= least + min(whole, 0) and most + max(whole, 0) <= np.iinfo(np.int64).max
    return whole if fits and max(-least, most) > _EXACT_FLOAT else None


def _move_moments(values: Any, amount: float) -> Any:
    if _holds_objects(values):
        return _cell_by_cell(values, lambda cell: _moved_moment(cell, amount))
    if isinstance(values, np.ndarray):
        moved = values + np.array(round(amount / _UNITS[np.datetime_data(values.dtype)[0]])).astype(_steps(values))
        if ((moved < values) if amount > 0 else (moved > values)).any():  # NumPy wraps around
            raise OverflowError
        return moved
    if isinstance(values, pd.Series) and isinstance(values.dtype, pd.PeriodDtype):
        return _move_moments(values.dt.to_timestamp(), amount).dt.to_period(values.dtype.freq)
    if isinstance(values, pd.Series) and values.dtype.kind in "mM" and not hasattr(values.dtype, "pyarrow_dtype"):
        return values + pd.Timedelta(round(amount), unit="us").as_unit(values.dt.unit)

    def add(series: nw.Series[Any]) -> nw.Series[Any]:
        days = series.dtype == nw.Date
        step = timedelta(days=round(amount / _DAY)) if days else timedelta(microseconds=round(amount))
        # Engines do not add a timedelta to a date.
        return ((series.cast(nw.Datetime("us")) if days else series) + step).cast(series.dtype)

    return _by_narwhals(values, add)


def _steps(values: Any) -> str:
    """Return the type of differences between moments of an array."""
    return f"m8[{np.datetime_data(values.dtype)[0]}]"


def _moved_moment(cell: Any, amount: float) -> Any:
    if isinstance(cell, (np.datetime64, np.timedelta64)):
        return cell + np.timedelta64(round(amount), "us")
    if isinstance(cell, date) and not isinstance(cell, datetime):
        return cell + timedelta(days=round(amount / _DAY))
    if isinstance(cell, pd.Period):
        return (cell.to_timestamp() + timedelta(microseconds=round(amount))).to_period(cell.freqstr)
    return cell + timedelta(microseconds=round(amount))


def _holds_objects(values: Any) -> bool:
    """Return whether the cells are Python objects."""
    kind = getattr(getattr(values, "dtype", None), "kind", "")
    return isinstance(values, (list, tuple)) or (kind == "O" and isinstance(values.dtype, np.dtype))


def _cell_by_cell(values: Any, move: Callable[[Any], Any]) -> Any:
    cells = [cell if is_missing(cell) else move(cell) for cell in values]
    if isinstance(values, (list, tuple)):
        return type(values)(cells)
    # np.array(cells) would turn dates and equal-length lists into arrays of another kind.
    made = np.empty(len(cells), dtype=object)
    made[:] = cells
    return made if isinstance(values, np.ndarray) else pd.Series(made, index=values.index, name=values.name)


def _by_narwhals(values: Any, add: Callable[[nw.Series[Any]], nw.Series[Any]]) -> Any:
    """Add in polars, in pyarrow, and in pandas' own types."""
    import pyarrow as pa

    single = isinstance(values, pa.Array)
    series = nw.from_native(pa.chunked_array([values]) if single else values, series_only=True)
    moved = add(series)
    if isinstance(values, nw.Series):
        return moved
    return moved.to_native().combine_chunks() if single else moved.to_native()

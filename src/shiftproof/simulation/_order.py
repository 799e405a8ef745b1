"""The order of the rows by one feature of any kind."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from shiftproof.core import Column, fault, is_missing

Ranks = NDArray[np.intp]


def value_ranks(column: Column) -> Ranks:
    """Return the place of each row's value among the distinct ones, lowest first; -1 if it is missing.

    Numbers and dates are sorted by size, integers beyond 2^53 exactly; False before True; ordered categories in their
    order; other categories and text by name.

    Examples
    --------
    >>> from shiftproof.core import as_table
    >>> value_ranks(as_table({"a": [3.5, None, 1, 3.5]}).column("a")).tolist()
    [1, -1, 0, 1]
    """
    if column.family == "unsupported":
        raise fault(f"column {column.name!r}", "hold single values", column.contents, "choose another feature")
    ranks = np.full(len(column), -1, dtype=np.intp)
    if column.family == "empty":
        return ranks
    if column.ordered:
        values, missing = column.numbers()
        # `numbers` leaves missing cells out; the column still has them.
        places = np.flatnonzero(~column.values.is_null().to_numpy()) if missing else np.arange(len(column))
        present = values == values  # NaN is also missing
        ranks[places[present]] = np.unique(values[present], return_inverse=True)[1]
        return ranks
    cells = column.cells()
    order = {value: place for place, value in enumerate(_in_order(column, cells))}
    ranks[:] = [-1 if is_missing(cell) else order[cell] for cell in cells]
    return ranks


def stable_order(ranks: Ranks) -> Ranks:
    """Return the rows from the lowest to the highest, missing first; equal values in the order of the table."""
    return np.argsort(ranks, kind="stable")


def _in_order(column: Column, cells: list[Any]) -> list[Any]:
    if column.family == "category":
        ordered = _own_order(column.values)
        if ordered is not None:
            return ordered
    values = {cell for cell in cells if not is_missing(cell)}
    try:
        return sorted(values)
    except TypeError:  # of several types
        return sorted(values, key=lambda value: (type(value).__name__, str(value)))


def _own_order(series: nw.Series[Any]) -> list[Any] | None:
    """Return the categories in the order of the column's type, or None if it has none."""
    native = series.to_native()
    if isinstance(native, pd.Series):
        return list(native.cat.categories) if native.cat.ordered else None
    if isinstance(series.dtype, nw.Enum):  # of polars
        return list(series.dtype.categories)
    if getattr(getattr(native, "type", None), "ordered", False):  # pyarrow, whose chunks have dictionaries of their own
        return list(dict.fromkeys(value for chunk in native.chunks for value in chunk.dictionary.to_pylist()))
    return None

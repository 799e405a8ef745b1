"""Columns of cells in every library's form, for the tests of columns and frames."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from shiftproof.core import Column, as_table

BIG = 2**60 + 1  # as a float64 it would lose its last digit
MOMENT = datetime(2024, 5, 1, 12, 30, 15, 250)
MICROSECONDS = 1_714_566_615_000_250
DAY = date(2024, 5, 1)
DAY_MICROSECONDS = 1_714_521_600_000_000


def object_array(cells: list[Any]) -> np.ndarray[Any, Any]:
    array = np.empty((len(cells), 1), dtype=object)
    array[:, 0] = cells
    return array


# Every library's way to hold one column of the given cells.
BUILDERS: dict[str, Callable[[list[Any]], Any]] = {
    "dict": lambda cells: {"c": cells},
    "dict of tuples": lambda cells: {"c": tuple(cells)},
    "list of dicts": lambda cells: [{"c": cell} for cell in cells],
    "list of lists": lambda cells: [[cell] for cell in cells],
    "object array": object_array,
    "pandas object": lambda cells: pd.DataFrame({"c": pd.Series(cells, dtype=object)}),
    "pandas arrow": lambda cells: pd.DataFrame({"c": pd.Series(pa.array(cells), dtype=arrow_dtype(cells))}),
    "pyarrow": lambda cells: pa.table({"c": pa.array(cells)}),
    "polars": lambda cells: pl.DataFrame({"c": cells}, strict=True),
    "polars lazy": lambda cells: pl.LazyFrame({"c": cells}, strict=True),
}


def arrow_dtype(cells: list[Any]) -> pd.ArrowDtype:
    return pd.ArrowDtype(pa.array(cells).type)


def only_column(obj: Any) -> Column:
    table = as_table(obj)
    (name,) = table.names
    column = table.column(name)
    assert len(column) == table.n_rows
    again = table.only(table.names).column(name)  # taking a column out of a part gives the same
    assert again.family == column.family
    return column


def split(column: Column) -> tuple[list[Any], int]:
    """Return the numbers without NaN, and the number of missing cells of either sort."""
    values, missing = column.numbers()
    assert values.dtype in (np.float64, np.int64, np.uint64)
    present = values[values == values]
    return present.tolist(), missing + len(values) - len(present)

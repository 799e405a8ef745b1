"""Leaks in the data: new rows that are labelled ones, and features that determine the label."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from shiftproof.case._tables import Tables
from shiftproof.core import Codes, Column, Table, is_missing

# A smaller share, or fewer rows, are equal by chance in many real tables.
_LEAST_COPIED, _FEWEST_COPIED = 0.02, 8
# Where labelled rows repeat each other, new rows repeat them as often; copies must exceed that by this share.
_ABOVE_CHANCE = 0.3
# A column of more values is a quantity. Each must have so many rows on average: fewer have one label by chance.
_MOST_VALUES, _ROWS_PER_VALUE = 100, 10
# Rows that show that a column has too many values, before all are looked at.
_FIRST_ROWS = 1_000

_Keys = NDArray[np.uint64]


def copied_share(tables: Tables) -> float:
    """Return the share of new rows that are exact copies of labelled rows; 0 if they may be equal by chance.

    Examples
    --------
    >>> labelled = {"a": np.arange(100) / 7, "b": ["x", None] * 50}
    >>> new = {"b": ["x", None] * 10, "a": np.append(np.arange(10) / 7, np.arange(10) / 3 + 50)}
    >>> copied_share(Tables(labelled=labelled, new=new))
    0.5
    """
    if tables.new is not None and tables.new is tables.labelled:
        return 1.0
    if tables.not_compared:
        return 0.0
    shared = set(tables.old.names) & set(tables.current.names)
    names = [name for name in tables.old.names if name in shared]
    old, new = (_row_keys(table, names) for table in (tables.old, tables.current))
    if not names or np.array_equal(old, new):
        return float(bool(names))
    repeated = 1 - len(np.unique(old)) / len(old)
    # A repeated row has one partner at least, so about twice as many rows are in some pair.
    by_chance = 2 * repeated + (_ABOVE_CHANCE if repeated > _LEAST_COPIED else 0.0)
    copied = np.isin(new, old)
    share = float(copied.mean())
    return share if copied.sum() >= _FEWEST_COPIED and share > by_chance + _LEAST_COPIED else 0.0


def label_revealing_columns(table: Table, names: Collection[str], codes: Codes) -> tuple[str, ...]:
    """Return the columns that determine the label of every row, by their values or by where they are missing.

    Examples
    --------
    >>> from shiftproof.core import as_table
    >>> codes = np.arange(40) % 2
    >>> table = as_table({"paid": np.where(codes, "no", "yes"), "left": np.where(codes, codes * 0.5, np.nan)})
    >>> label_revealing_columns(table, table.names, codes)
    ('paid', 'left')
    """
    return tuple(name for name in table.names if name in names and _reveals(_cell_keys(table.column(name)), codes))


def _reveals(keys: _Keys, codes: Codes) -> bool:
    few = len(np.unique(keys[:_FIRST_ROWS])) <= _MOST_VALUES
    # A missing cell has the key 0: a date of cancellation gives away who cancelled.
    return any(_one_label_each(values, codes) for values in ([keys] if few else []) + [keys == 0])


def _one_label_each(values: NDArray[np.generic], codes: Codes) -> bool:
    places, distinct = pd.factorize(values)
    pairs = np.unique(places * (int(codes.max()) + 1) + codes)
    return 1 < len(distinct) == len(pairs) and len(distinct) <= min(_MOST_VALUES, len(codes) / _ROWS_PER_VALUE)


def _row_keys(table: Table, names: Iterable[str]) -> _Keys:
    """Return one number per row, the same for rows with the same values."""
    rng = np.random.default_rng(0)
    keys = np.zeros(table.n_rows, dtype=np.uint64)
    for name in names:
        # A factor of its own for each column: the same value in another column is another value.
        keys += _cell_keys(table.column(name)) * rng.integers(1, 2**63, dtype=np.uint64)
    return keys


def _cell_keys(column: Column) -> _Keys:
    """Return one number per cell, the same for the same value in any library; 0 where it is missing."""
    if column.ordered or column.family == "boolean":
        values = column.floats() + 0.0  # -0.0 becomes 0.0
        missing = np.isnan(values)
    else:
        cells = column.cells()
        values = np.array([str(cell) for cell in cells], dtype=object)
        missing = np.array([is_missing(cell) for cell in cells], dtype=np.bool_)
    keys = pd.util.hash_array(values)
    keys[missing] = 0
    return keys

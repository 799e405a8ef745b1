"""Columns of a table whose rows belong together, and which of these rows are in the table's sample."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shiftproof.core._errors import InputError
from shiftproof.core._frames import Table, as_table
from shiftproof.core._remote import RemoteTable
from shiftproof.core._row_keys import row_keys


def read_aligned(table: Table, names: Sequence[str]) -> tuple[Table, NDArray[np.int64] | None]:
    """Read columns of all rows by one query, and find the rows of the table's sample among them.

    Two queries may give rows in different orders, so that the sample is found by values: which of several rows with the
    same values it is makes no difference to whoever uses nothing but these columns.

    Parameters
    ----------
    table : Table
        In memory or not.
    names : sequence of str
        The columns.

    Returns
    -------
    Table
        These columns of all rows, in memory.
    ndarray of int or None
        The numbers of the rows in ``table.drawn()``, in its order; None if these are all rows, in the same order.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import pyarrow.dataset as ds
    >>> from shiftproof.core import open_table
    >>> columns, rows = read_aligned(open_table(ds.dataset(pa.table({"y": [0, 1], "p": [0.2, 0.9]}))), ["y", "p"])
    >>> columns.column("p").cells(), rows
    ([0.2, 0.9], None)
    """
    source = table.remote
    if source is None:
        return table.only(names), None
    if len(source.sampled_rows) == source.n_rows:
        # One query for both.
        return as_table(source.sample.select(list(names))), None
    columns = as_table(source.read_together(names))
    if source.keeps_order:
        return columns, source.sampled_rows
    return columns, _found(as_table(source.sample.select(list(names))), columns, source)


def _found(sample: Table, columns: Table, source: RemoteTable) -> NDArray[np.int64]:
    """Return for each row of the sample the number of a row with the same values, each row at most once."""
    keys, wanted = row_keys(columns), row_keys(sample)
    order, own_order = np.argsort(keys, kind="stable"), np.argsort(wanted, kind="stable")
    ordered = wanted[own_order]
    # The first of several equal rows of the sample is the first such row of all, the second the second.
    repeats = np.arange(len(ordered)) - np.searchsorted(ordered, ordered)
    places = np.searchsorted(keys, ordered, sorter=order) + repeats
    rows = np.empty(len(ordered), dtype=np.int64)
    rows[own_order] = order[np.minimum(places, len(order) - 1)]
    if not np.array_equal(keys[rows], wanted) or len(np.unique(rows)) < len(rows):
        raise InputError(f"{source.place}: the table changed while it was read; start again")
    return rows

"""Numbers that equal rows share, and how many rows are equal by chance."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from shiftproof.core._columns import Column
from shiftproof.core._frames import Table
from shiftproof.core._missing import is_missing

Keys = NDArray[np.uint64]

# A smaller share of equal rows says nothing: many real tables have some.
FEW_COPIES = 0.02
# Where reference rows repeat each other, new rows repeat them as often; copies must exceed that by this share.
_ABOVE_CHANCE = 0.3


def cell_keys(column: Column) -> Keys:
    """Return one number per cell, the same for the same value in any library; 0 where it is missing."""
    if column.ordered or column.family == "boolean":
        values = column.floats() + 0.0  # -0.0 becomes 0.0
        missing = np.isnan(values)
        keys = _mixed(values.view(np.uint64))
    else:
        distinct, codes = column.coded()
        # Texts hash differently in every process, but alike in all tables of one. The last is of missing cells.
        hashes = np.array([*(hash(str(value)) for value in distinct), 0], dtype=np.int64).view(np.uint64)
        missing = np.array([*map(is_missing, distinct), True])[codes]
        keys = hashes[codes]
    keys = keys | np.uint64(1)  # 0 is left to missing cells
    keys[missing] = 0
    return keys


def _mixed(bits: Keys) -> Keys:
    """Spread the differences of similar numbers over all 64 bits (the finaliser of SplitMix64)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(bits ^ (bits >> np.uint64(31)))


def joint_keys(columns: Iterable[NDArray[np.integer]], n_rows: int, chosen: NDArray[np.bool_] | None = None) -> Keys:
    """Join one number per cell into one per row, the same for rows that are equal in every column.

    Parameters
    ----------
    columns : iterable of ndarray of shape (n,)
        A number per cell, such as `cell_keys`.
    n_rows : int
        The number of rows.
    chosen : ndarray of shape (columns, choices), optional
        Choices of columns; by default one, of all columns.

    Returns
    -------
    ndarray of shape (n,), or (n, choices)
        For each choice, rows that are equal in its columns have the same number.

    Examples
    --------
    >>> keys = joint_keys([np.array([1, 2, 1]), np.array([5, 5, 5])], 3)
    >>> bool(keys[0] == keys[2]), bool(keys[0] == keys[1])
    (True, False)
    """
    # A fixed seed: the same table gets the same numbers.
    rng = np.random.default_rng(0)
    keys = np.zeros((n_rows, 1 if chosen is None else chosen.shape[1]), dtype=np.uint64)
    for place, cells in enumerate(columns):
        # A factor of its own for each column: the same value in another column is another value.
        products = cells.astype(np.uint64) * rng.integers(1, 2**63, dtype=np.uint64)
        keys[:, slice(None) if chosen is None else chosen[place]] += products[:, None]
    return keys[:, 0] if chosen is None else keys


def row_keys(table: Table, names: Iterable[str] | None = None, chosen: NDArray[np.bool_] | None = None) -> Keys:
    """Return one number per row of a table, the same for rows with the same values; for `chosen` see `joint_keys`.

    Examples
    --------
    >>> from shiftproof.core import as_table
    >>> keys = row_keys(as_table({"a": [1, 2, 1.0], "b": ["x", "x", "x"]}))
    >>> bool(keys[0] == keys[2]), bool(keys[0] == keys[1])
    (True, False)
    """
    wanted = table.names if names is None else names
    return joint_keys((cell_keys(table.column(name)) for name in wanted), table.n_rows, chosen)


def share_by_chance(keys: NDArray[np.integer]) -> float:
    """Return the share of new rows that may be equal to reference rows by chance; above it there are copies.

    Parameters
    ----------
    keys : ndarray of shape (n,)
        Of the reference rows. If these repeat each other, new rows that are not copies repeat them as often.

    Examples
    --------
    >>> share_by_chance(np.arange(100)), share_by_chance(np.repeat([1, 2, 3, 4], 25))
    (0.02, 2.24)
    """
    repeated = 1 - len(np.unique(keys)) / len(keys)
    # A repeated row has one partner at least, so about twice as many rows are in some pair.
    return round(2 * repeated + FEW_COPIES + (_ABOVE_CHANCE if repeated > FEW_COPIES else 0.0), 12)

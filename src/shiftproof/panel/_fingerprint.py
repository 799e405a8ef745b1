"""Hashes of tables and labels: the same values have the same hash, whichever library holds them."""

from __future__ import annotations

import hashlib
import numbers
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from shiftproof.core import Column, Table, as_table, is_missing

# Beyond this a float64 skips integers.
_LARGEST_EXACT = 2**53


def fingerprint_table(data: Any, names: tuple[str, ...]) -> str:
    """Hash a table's shape, its columns with their names and types of values, and the order of the rows.

    A pandas, a polars and a pyarrow table of the same values have the same hash, and so have integers that are stored
    as floats; text ``"1"`` and the number 1 differ, in a column of mixed types as well.

    Parameters
    ----------
    data : DataFrame, ndarray or sparse matrix
        The rows.
    names : tuple of str
        The columns' names.

    Examples
    --------
    >>> numbers, floats, text = (pd.DataFrame({"a": cells}) for cells in ([1, 2], [1.0, 2.0], ["1", "2"]))
    >>> hashes = [fingerprint_table(table, ("a",)) for table in (numbers, floats, text)]
    >>> hashes[0] == hashes[1], hashes[0] == hashes[2]
    (True, False)
    """
    # 64 bits: enough to notice a changed table, and no secret depends on it.
    digest = hashlib.blake2b(repr((names, data.shape)).encode(), digest_size=8)
    if isinstance(data, sparse.csr_matrix | sparse.csr_array):
        parts = (data.data.astype(np.float64), data.indices.astype(np.int64), data.indptr.astype(np.int64))
        for part in parts:
            digest.update(np.ascontiguousarray(part))  # type: ignore[arg-type]  # a buffer, not copied
        return digest.hexdigest()
    table: Table = as_table(data)
    for name in table.names:
        for cells in _column_parts(table.column(name)):
            digest.update(np.ascontiguousarray(cells))  # type: ignore[arg-type]
    return digest.hexdigest()


def fingerprint_labels(classes: NDArray[Any], codes: NDArray[np.int64]) -> str:
    """Hash labels; 1 and 1.0 are one label.

    Examples
    --------
    >>> codes = np.array([0, 1])
    >>> fingerprint_labels(np.array([0, 1]), codes) == fingerprint_labels(np.array([0.0, 1.0]), codes)
    True
    """
    labels = [int(label) if isinstance(label, float) and label.is_integer() else label for label in classes.tolist()]
    return hashlib.blake2b(repr(labels).encode() + codes.tobytes(), digest_size=8).hexdigest()


def dtypes_of(data: Any) -> str:
    """Write the types that a library stores the columns in, which may matter to a model even where values are equal.

    Examples
    --------
    >>> dtypes_of(pd.DataFrame({"a": [1], "b": [0.5]})), dtypes_of(np.zeros((2, 2), dtype=np.float32))
    ("['int64', 'float64']", 'float32')
    """
    return str([str(dtype) for dtype in data.dtypes]) if isinstance(data, pd.DataFrame) else str(data.dtype)


def _column_parts(column: Column) -> Iterator[NDArray[Any]]:
    """Give arrays that only columns with the same type of values and the same values share."""
    zoned = getattr(getattr(column.values, "dtype", None), "time_zone", None) is not None
    yield _bytes((column.family, zoned))
    if column.ordered or column.family in ("boolean", "empty"):
        yield from _number_parts(column)
        return
    if column.family in ("text", "category"):
        codes, values = pd.factorize(column.values.to_pandas())
        distinct = [("text", value) if column.family == "text" else _typed(value) for value in values.tolist()]
    else:
        codes, distinct = _places(column.cells())
    yield codes.astype(np.int64)
    yield np.array([len(text) for _, text in distinct], dtype=np.int64)
    yield _bytes("".join(text for _, text in distinct))
    yield _bytes([kind for kind, _ in distinct])


def _number_parts(column: Column) -> Iterator[NDArray[Any]]:
    floats = column.floats()
    gaps = np.isnan(floats)
    if not gaps.all() and np.abs(floats[~gaps]).max() >= _LARGEST_EXACT:
        yield column.numbers()[0]  # as integers where they are
        yield gaps
        return
    floats[gaps] = np.nan  # of NaN there are many bit patterns
    yield floats


def _places(cells: list[Any]) -> tuple[NDArray[np.int64], list[tuple[str, str]]]:
    """Return each cell's place among the distinct cells of any types, -1 where missing, and these cells."""
    known: dict[Any, int] = {}
    places: dict[tuple[str, str], int] = {}

    def place(cell: Any) -> int:
        # Most cells repeat an earlier one, and need not be written again.
        key = (type(cell), cell) if cell.__hash__ else None
        if key is None or key not in known:
            code = -1 if is_missing(cell) else places.setdefault(_typed(cell), len(places))
            if key is None:
                return code
            known[key] = code
        return known[key]

    return np.array([place(cell) for cell in cells], dtype=np.int64), list(places)


def _typed(value: Any) -> tuple[str, str]:
    """Write a value with its type, so that 1, True and '1' differ; NumPy's types count as Python's."""
    if isinstance(value, str):
        return "text", value
    if isinstance(value, (bool, np.bool_)):
        return "boolean", str(value)
    if isinstance(value, (float, np.floating)):
        return "number", str(int(value)) if float(value).is_integer() else repr(float(value))
    return ("number", str(value)) if isinstance(value, numbers.Integral) else (type(value).__name__, repr(value))


def _bytes(value: object) -> NDArray[np.uint8]:
    text = value if isinstance(value, str) else repr(value)
    return np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)

"""Wrap a table of any library: pandas, polars, pyarrow, NumPy, dicts of columns, lists of dicts.

The caller's object is never changed, and its cells are never all converted at once: a column is taken
out when it is needed, as numbers or as counted categories, and then released. Only rows given as lists
or dicts are rearranged as columns first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from shiftproof.core._checks import available_names, fault, similar
from shiftproof.core._columns import (
    Column,
    column_from_array,
    column_from_series,
    column_from_values,
    is_pandas,
    library_of,
)
from shiftproof.core._errors import InputError
from shiftproof.core._format import listed, shown
from shiftproof.core._phrases import Phrase
from shiftproof.core._remote import RemoteTable, SampledColumns, as_remote, in_memory, is_remote
from shiftproof.core._row_order import check_row_order, row_index


@dataclass(frozen=True, eq=False)
class Table:
    """A table of any library behind one small interface: names, a row count, columns on request."""

    names: tuple[str, ...]
    n_rows: int
    _source: Any = field(repr=False)
    _places: dict[str, int] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not self._places:
            self._places.update({name: place for place, name in enumerate(self.names)})

    def column(self, name: str) -> Column:
        """Take out one column."""
        place = self._place(name)
        source = self._source
        if isinstance(source, np.ndarray):
            return column_from_array(name, source[:, place])
        if isinstance(source, dict):
            return column_from_values(name, source[name])
        if isinstance(source, RemoteTable):
            return column_from_series(name, source.read(name))
        return column_from_series(name, _native_series(source, place))

    @property
    def index(self) -> Any:
        """The pandas index of the rows; None in other libraries."""
        return row_index(self._source)

    @property
    def is_remote(self) -> bool:
        """Whether columns are read when they are needed, because the table is not in memory."""
        return isinstance(self._source, RemoteTable)

    @property
    def remote(self) -> RemoteTable | None:
        """The table that is not in memory; None for one that is."""
        return self._source if isinstance(self._source, RemoteTable) else None

    @property
    def in_any_thread(self) -> bool:
        """Whether columns can be taken out in several threads."""
        return not isinstance(self._source, RemoteTable) or self._source.in_any_thread

    def drawn(self) -> Table:
        """Return the rows to look at together: a random sample of a table that is not in memory, else all of them."""
        if not isinstance(self._source, RemoteTable):
            return self
        sampled = SampledColumns(self._source)
        return Table(self.names, sampled.n_rows, sampled, self._places)

    def only(self, names: Iterable[str]) -> Table:
        """Keep these columns, in this order; the source is shared and not copied."""
        places = {name: self._place(name) for name in names}
        return Table(tuple(places), self.n_rows, self._source, places)

    def without(self, names: Iterable[str]) -> Table:
        """Hide columns; the source is shared and not copied."""
        gone = set(names) & self._places.keys()
        return self.only(name for name in self.names if name not in gone) if gone else self

    def take(self, rows: NDArray[np.int64]) -> Table:
        """Keep the rows of these numbers, in this order.

        Examples
        --------
        >>> as_table({"a": [1, 2, 3], "b": np.array(["x", "y", "z"])}).take(np.array([2, 0])).column("a").cells()
        [3, 1]
        """
        source = self._source
        if isinstance(source, (dict, RemoteTable)):
            read = source.read if isinstance(source, RemoteTable) else source.__getitem__
            taken: Any = {name: _taken(read(name), rows) for name in self.names}
        else:
            taken = _taken(source, rows)
        return Table(self.names, len(rows), taken, self._places)

    def _place(self, name: str) -> int:
        if name not in self._places:
            near = similar(name, self.names)
            hint = "" if near else f"; {available_names(self.names)}"
            raise InputError(f"there is no column {shown(name)}{hint}", near=near)
        return self._places[name]


def as_table(obj: object, name: str = "X") -> Table:
    """Wrap a table of any supported kind.

    Parameters
    ----------
    obj : pandas, polars or pyarrow table, 2-D ndarray, dict of columns, list of dicts, or Table
        The table.
    name : str
        The name that error messages use.

    Examples
    --------
    >>> table = as_table([{"a": 1, "b": "x"}, {"a": 2}])
    >>> table.names, table.n_rows
    (('a', 'b'), 2)
    >>> table.column("b").counts()
    ({'x': 1}, 1)
    """
    if isinstance(obj, Table):
        return obj
    if isinstance(obj, np.ndarray):
        return _table_from_array(obj, name)
    if isinstance(obj, Mapping):
        return _table_from_columns(dict(obj), name)
    if isinstance(obj, (list, tuple)):
        return _table_from_rows(obj, name)
    if library_of(obj) in ("pandas", "pyarrow"):  # narwhals words its refusal of repeated names differently
        _unique_names([str(column) for column in getattr(obj, "column_names", getattr(obj, "columns", ()))], name)
    frame = nw.from_native(in_memory(obj), pass_through=True)
    if library_of(obj) == "pyarrow" and is_remote(obj):
        raise fault(name, "be a table in memory", obj, "read it with to_table()")
    if not isinstance(frame, nw.DataFrame):
        hint = "pass a pandas, polars or pyarrow table, a 2-D array, a dict of columns or a list of dicts"
        raise fault(name, "be a table", obj, hint)
    source = frame.to_native()
    # pandas allows names that are not text, and repeats; take them as they are.
    names = (
        [str(column) for column in getattr(source, "columns", frame.columns)] if is_pandas(source) else frame.columns
    )
    return Table(_unique_names(names, name), int(frame.shape[0]), source)


def open_table(obj: object, name: str = "X") -> Table:
    """Wrap a table like `as_table`, but leave one that is not in memory where it is.

    Parameters
    ----------
    obj : what `as_table` takes, polars.LazyFrame, duckdb relation, or pyarrow Dataset
        The table.
    name : str
        The name that error messages use.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import pyarrow.dataset as ds
    >>> table = open_table(ds.dataset(pa.table({"a": [1, 2], "b": ["x", "y"]})))
    >>> table.is_remote, table.n_rows, table.column("b").counts()
    (True, 2, ({'x': 1, 'y': 1}, 0))
    """
    remote = as_remote(obj, name)
    return as_table(obj, name) if remote is None else Table(remote.names, remote.n_rows, remote)


def without_columns(X: object, names: Iterable[str]) -> Any:
    """Leave columns out of a table, keeping its type; input without named columns is returned unchanged.

    Parameters
    ----------
    X : table of any library, dict of columns, list of dicts, or anything else
        Not changed.
    names : iterable of str
        Columns to leave out; those that X does not have are ignored.

    Examples
    --------
    >>> without_columns({"a": [1], "b": [2]}, ["b", "c"])
    {'a': [1]}
    """
    hidden = {str(name) for name in names}
    if not hidden or isinstance(X, np.ndarray):
        return X
    if isinstance(X, Mapping):
        return {name: values for name, values in X.items() if str(name) not in hidden}
    if isinstance(X, list) and X and isinstance(X[0], Mapping):
        return [without_columns(row, hidden) for row in X]
    frame = nw.from_native(X, pass_through=True)
    if not isinstance(frame, (nw.DataFrame, nw.LazyFrame)):
        return X
    return frame.drop([name for name in frame.columns if str(name) in hidden]).to_native()


def is_texts(X: object) -> bool:
    """Return whether X is a flat sequence of texts, the input of a vectorizer.

    Examples
    --------
    >>> is_texts(["a short text", "another"]), is_texts([[1, 2]])
    (True, False)
    """
    cells: Any = X.to_numpy() if is_pandas(X) and type(X).__name__ == "Series" else X  # type: ignore[attr-defined]
    flat = cells.ndim == 1 if isinstance(cells, np.ndarray) else isinstance(cells, list)
    return flat and len(cells) > 0 and all(isinstance(cell, str) for cell in cells)


def _unique_names(names: Sequence[str], name: str) -> tuple[str, ...]:
    repeated = [column for column, times in Counter(names).items() if times > 1]
    if repeated:
        raise fault(f"the columns of {name}", "have different names", _twice(repeated), "rename one of each")
    return tuple(names)


def _twice(repeated: Sequence[str]) -> Phrase:
    return Phrase(f"{listed(repeated)} more than once")


def _taken(values: Any, rows: NDArray[np.int64]) -> Any:
    """Take rows out of an array, a list, a series or a table."""
    if isinstance(values, np.ndarray):
        return values[rows]
    if isinstance(values, (list, tuple)):
        return [values[row] for row in rows.tolist()]
    if is_pandas(values):
        return values.iloc[rows]
    wrapped = nw.from_native(values, pass_through=True, allow_series=True)
    return nw.to_native(wrapped[rows.tolist()]) if hasattr(wrapped, "to_native") else values.take(rows)


def _native_series(source: Any, place: int) -> Any:
    if is_pandas(source):
        return source.iloc[:, place]
    return nw.from_native(source)[:, place].to_native()


def _table_from_array(array: NDArray[Any], name: str) -> Table:
    if array.dtype.names:
        return _table_from_columns({field: array[field] for field in array.dtype.names}, name)
    if array.ndim == 1:
        array = array.reshape(-1, 1)
    if array.ndim != 2:
        raise fault(
            name, "have two dimensions", Phrase(f"shape {array.shape}"), "one row per case, one column per feature"
        )
    return Table(tuple(f"x{place}" for place in range(array.shape[1])), array.shape[0], array)


def _table_from_columns(columns: dict[Any, Any], name: str) -> Table:
    texts = [str(key) for key in columns]
    by_name = dict(zip(_unique_names(texts, name), columns.values(), strict=True))
    for column, values in by_name.items():
        if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
            hint = "a dict maps names to whole columns"
            raise fault(f"column {column!r} of {name}", "be a list, an array or a series", values, hint)
    lengths = {column: len(values) for column, values in by_name.items()}
    if len(set(lengths.values())) > 1:
        short, tall = min(lengths, key=lengths.__getitem__), max(lengths, key=lengths.__getitem__)
        got = Phrase(f"{short!r} with {lengths[short]} and {tall!r} with {lengths[tall]} rows")
        raise fault(f"the columns of {name}", "have the same length", got, "pad or cut them to the same length")
    first = next(iter(by_name), "")
    for column, values in by_name.items():
        check_row_order(by_name[first], values, f"{name}[{column!r}]", of=f"{name}[{first!r}]")
    return Table(tuple(by_name), next(iter(lengths.values()), 0), by_name)


def _table_from_rows(rows: Sequence[Any], name: str) -> Table:
    if not rows:
        raise fault(name, "hold at least one row", rows, "an empty list has no columns to compare")
    if all(isinstance(row, Mapping) for row in rows):
        keys = list(dict.fromkeys(key for row in rows for key in row))
        return _table_from_columns({key: [row.get(key) for row in rows] for key in keys}, name)
    try:
        array = np.asarray(rows)
    except ValueError:
        raise fault(name, "have rows of the same length", rows, "if cells are missing, pass a list of dicts") from None
    if not all(isinstance(row, np.ndarray) for row in rows):
        # NumPy would convert all cells to one type, numbers to text or integers to floats.
        array = np.asarray(rows, dtype=object)
    return _table_from_array(array, name)

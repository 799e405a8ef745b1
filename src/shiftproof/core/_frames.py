"""Wrap a table of any library: pandas, polars, pyarrow, NumPy, dicts of columns, lists of dicts.

The caller's object is never changed, and its cells are never all converted at once: a column is taken
out when it is needed, as numbers or as counted categories, and then released. Only rows given as lists
or dicts are rearranged as columns first.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from shiftproof.core._checks import available_names, fault, similar
from shiftproof.core._errors import InputError
from shiftproof.core._format import shown
from shiftproof.core._missing import is_missing, unmasked
from shiftproof.core._phrases import Phrase
from shiftproof.core._remote import RemoteTable, SampledColumns, as_remote
from shiftproof.core._row_order import check_row_order, row_index

Family = Literal["number", "date", "duration", "boolean", "text", "category", "empty", "mixed", "unsupported"]

_LARGEST_INT64 = np.iinfo(np.int64).max
# np.timedelta64 is a subclass of np.integer, so durations must be tested for first.
_NUMBERS = (int, float, Decimal, np.integer, np.floating)
_COMPLEX = (complex, np.complexfloating)
# Cells that are not single values; Arrow has types for most, so that few get as far as this.
_NESTED = (list, tuple, dict, set, frozenset, np.ndarray, bytes)
# The largest number of days, seconds or milliseconds that 64 bits of microseconds can hold.
_LARGEST_BY_UNIT = {
    unit: _LARGEST_INT64 // size for unit, size in (("D", 86_400_000_000), ("s", 1_000_000), ("ms", 1_000))
}


@dataclass(frozen=True, eq=False)
class Column:
    """One column, still in the caller's memory.

    Parameters
    ----------
    name : str
        The column's name.
    family : str
        The type of the values: ``number``, ``date``, ``duration``, ``boolean``, ``text``, ``category``,
        ``empty`` (all missing, no type), ``mixed`` (several types) or ``unsupported``.
    values : narwhals Series, ndarray of numbers, or list
        A list only where the types are mixed.
    """

    name: str
    family: Family
    values: Any

    def __len__(self) -> int:
        return len(self.values)

    @property
    def ordered(self) -> bool:
        """Whether the values are numbers or moments in time."""
        return self.family in ("number", "date", "duration")

    def numbers(self) -> tuple[NDArray[Any], int]:
        """Return the values as float64, int64 or uint64, and how many were left out as missing.

        Floats keep their NaN (sorting puts them last, where they are counted); integers stay
        integers; dates and durations become microseconds. Numbers beyond 1.8e308, which Python's own
        integers and decimals may reach, are infinite.
        """
        if self.family == "empty":
            return np.empty(0), len(self)
        if not self.ordered:
            # Text without a single value can be compared with anything.
            if self.family != "unsupported" and not self.counts()[0]:
                return np.empty(0), len(self)
            hint = "drop or convert it" if self.family == "unsupported" else "treat it as nominal"
            raise fault(f"column {self.name!r}", "hold numbers or dates", self.family, hint)
        if isinstance(self.values, np.ndarray):
            return _standard_number(self.values), 0
        if self.family == "number" and self.values.dtype.is_float():
            return _standard_number(self.values.to_numpy()), 0
        missing = int(self.values.null_count())
        present = self.values.drop_nulls() if missing else self.values
        if self.family != "number":
            _refuse_unreachable(self.name, present)
            present = present.dt.timestamp("us") if self.family == "date" else present.dt.total_microseconds()
        return _standard_number(present.to_numpy()), missing

    def floats(self, *, origin: float = 0) -> NDArray[np.float64]:
        """Return one float per row, NaN where the cell is missing; False is 0, dates and durations are microseconds.

        With an origin, the distances from it: those of large integers are exact, unlike the floats nearest to them.
        """
        if self.family == "boolean":
            return np.array(self.values.cast(nw.Float64).to_numpy(), dtype=np.float64)
        numbers, missing = self.numbers()
        if origin:
            numbers = _distances(numbers, origin)
        if not missing:
            return numbers.astype(np.float64)
        full = np.full(len(self), np.nan)
        if missing < len(self):
            full[~np.asarray(self.values.is_null().to_numpy(), dtype=bool)] = numbers
        return full

    def counts(self) -> tuple[dict[Any, int], int]:
        """Return how often each value occurs, and how many are missing (NaN, None or NULL)."""
        if isinstance(self.values, list):
            return self._python_counts(self.values)
        if isinstance(self.values, np.ndarray):
            values, how_often = np.unique(self.values[~np.isnan(self.values)], return_counts=True)
            occurrences = dict(zip(values.tolist(), how_often.tolist(), strict=True))
            return occurrences, len(self.values) - int(how_often.sum())
        try:
            return _arrow_counts(self.values.to_arrow())
        except (TypeError, ValueError, OverflowError, NotImplementedError):  # Arrow's errors are among these
            return self._python_counts(self.cells())

    def cells(self) -> list[Any]:
        """Return the values as Python's own objects; a moment that Python cannot hold (year 30000) as NumPy's."""
        if isinstance(self.values, (list, np.ndarray)):
            return list(self.values) if isinstance(self.values, list) else self.values.tolist()
        try:
            return list(self.values.to_list())
        except (ValueError, OverflowError):
            values, missing = self.numbers()
            moments = values.astype("M8[us]" if self.family == "date" else "m8[us]")
            own = [moment.item() for moment in moments]
            known = (date, timedelta)
            return [o if isinstance(o, known) else m for o, m in zip(own, moments, strict=True)] + [None] * missing

    def _python_counts(self, values: list[Any]) -> tuple[dict[Any, int], int]:
        """Count what Arrow cannot: mixed types, and categories such as intervals."""
        present = [value for value in values if not is_missing(value)]
        try:
            return dict(Counter(present)), len(values) - len(present)
        except TypeError:
            hint = "drop it, or turn its cells into single values"
            raise fault(f"column {self.name!r}", "hold single values", present[0], hint) from None


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
            return _from_array(name, source[:, place])
        if isinstance(source, dict):
            return _from_values(name, source[name])
        if isinstance(source, RemoteTable):
            return _from_series(name, source.read(name))
        return _from_series(name, _native_series(source, place))

    @property
    def index(self) -> Any:
        """The pandas index of the rows; None in other libraries."""
        return row_index(self._source)

    @property
    def is_remote(self) -> bool:
        """Whether columns are read when they are needed, because the table is not in memory."""
        return isinstance(self._source, RemoteTable)

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
    if _library(obj) in ("pandas", "pyarrow"):  # narwhals words its refusal of repeated names differently
        _unique_names([str(column) for column in getattr(obj, "column_names", getattr(obj, "columns", ()))], name)
    frame = nw.from_native(in_memory(obj), pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        hint = "pass a pandas, polars or pyarrow table, a 2-D array, a dict of columns or a list of dicts"
        raise fault(name, "be a table", obj if isinstance(obj, str) else type(obj).__name__, hint)
    source = frame.to_native()
    # pandas allows names that are not text, and repeats; take them as they are.
    names = (
        [str(column) for column in getattr(source, "columns", frame.columns)] if _is_pandas(source) else frame.columns
    )
    return Table(_unique_names(names, name), int(frame.shape[0]), source)


def in_memory(obj: Any) -> Any:
    """Run a query that has not run yet, such as a LazyFrame of polars; return everything else as it is.

    Examples
    --------
    >>> in_memory([1, 2])
    [1, 2]
    """
    # Only tables may repeat a name, which narwhals refuses in other words than ours.
    if _library(obj) in ("pandas", "pyarrow"):
        return obj
    frame = nw.from_native(obj, pass_through=True)
    return frame.collect().to_native() if isinstance(frame, nw.LazyFrame) else obj


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
    cells: Any = X.to_numpy() if _is_pandas(X) and type(X).__name__ == "Series" else X  # type: ignore[attr-defined]
    flat = cells.ndim == 1 if isinstance(cells, np.ndarray) else isinstance(cells, list)
    return flat and len(cells) > 0 and all(isinstance(cell, str) for cell in cells)


def _unique_names(names: Sequence[str], name: str) -> tuple[str, ...]:
    repeated = [column for column, times in Counter(names).items() if times > 1]
    if repeated:
        raise fault(f"the columns of {name}", "have different names", ", ".join(repeated), "rename or drop the repeats")
    return tuple(names)


def _library(obj: object) -> str:
    """Return the library of an object or, where it is a class of the user's own, of the class it extends."""
    modules = [base.__module__.split(".")[0] for base in type(obj).__mro__]
    return next((module for module in modules if module in ("pandas", "pyarrow", "polars")), modules[0])


def _is_pandas(obj: object) -> bool:
    return _library(obj) == "pandas"


def _taken(values: Any, rows: NDArray[np.int64]) -> Any:
    """Take rows out of an array, a list, a series or a table."""
    if isinstance(values, np.ndarray):
        return values[rows]
    if isinstance(values, (list, tuple)):
        return [values[row] for row in rows.tolist()]
    if _is_pandas(values):
        return values.iloc[rows]
    wrapped = nw.from_native(values, pass_through=True, allow_series=True)
    return nw.to_native(wrapped[rows.tolist()]) if hasattr(wrapped, "to_native") else values.take(rows)


def _native_series(source: Any, place: int) -> Any:
    if _is_pandas(source):
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
        raise fault(f"the columns of {name}", "be equally long", got, "fill or cut them to one length")
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
        raise fault(name, "have rows of one length", rows, "pass a list of dicts where cells are missing") from None
    if not all(isinstance(row, np.ndarray) for row in rows):
        # NumPy would convert all cells to one type, numbers to text or integers to floats.
        array = np.asarray(rows, dtype=object)
    return _table_from_array(array, name)


def _from_series(name: str, series: Any) -> Column:
    # narwhals would guess the type of an object column from its first hundred cells.
    if _is_pandas(series) and isinstance(series.dtype, np.dtype) and series.dtype.kind in "fiuO":
        return _from_array(name, series.to_numpy())
    if _is_pandas(series) and type(series.dtype).__name__ == "PeriodDtype":
        series = series.dt.to_timestamp()
    wrapped = nw.from_native(series, series_only=True)
    dtype = wrapped.dtype
    if dtype.is_decimal():
        return Column(name, "number", _floats_of_decimals(wrapped))
    if dtype in (nw.Object, nw.Unknown, nw.Int128, nw.UInt128):
        return _from_cells(name, wrapped.to_list())
    return Column(name, _family(dtype), wrapped)


def _family(dtype: Any) -> Family:
    if dtype.is_numeric():
        return "number"
    if dtype in (nw.Datetime, nw.Date):
        return "date"
    if dtype == nw.Duration:
        return "duration"
    if dtype == nw.Boolean:
        return "boolean"
    if dtype in (nw.Categorical, nw.Enum):
        return "category"
    if dtype == nw.String:
        return "text"
    return "unsupported"


def _from_values(name: str, values: Any) -> Column:
    """Make a column of an array, a series or a sequence, such as an entry of a dict."""
    if isinstance(values, np.ndarray):
        return _from_array(name, values)
    if isinstance(values, nw.Series):
        return _from_series(name, values.to_native())
    import pyarrow as pa

    if isinstance(values, pa.Array):
        values = pa.chunked_array([values])
    if not isinstance(values, (list, tuple)):
        wrapped = nw.from_native(values, pass_through=True, series_only=True)
        if isinstance(wrapped, nw.Series):
            return _from_series(name, values)
    return _from_cells(name, values if isinstance(values, list) else list(values))


def _from_cells(name: str, cells: list[Any] | NDArray[Any]) -> Column:
    """Let Arrow infer the type that all cells share, whatever their order."""
    import pyarrow as pa

    try:
        array = pa.array(cells, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return _column_of_mixed(name, list(cells))
    if pa.types.is_date(array.type) and any(isinstance(value, datetime) for value in cells):
        return _column_of_mixed(name, list(cells))  # Arrow would cut the moments to days
    if pa.types.is_timestamp(array.type):
        _refuse_mixed_zones(name, cells)
    wrapped = nw.from_native(pa.chunked_array([array]), series_only=True)
    if pa.types.is_null(array.type):
        return Column(name, "empty", wrapped)
    if wrapped.dtype == nw.Unknown:  # Arrow has a type of its own, which would lead back here
        return _column_of_mixed(name, list(cells))
    return _from_series(name, wrapped.to_native())


def _refuse_mixed_zones(name: str, values: Iterable[Any]) -> None:
    """Refuse moments with and without a time zone in one column, where Arrow would invent the missing zones."""
    moments: dict[bool, Any] = {}
    for value in values:
        if isinstance(value, date) and value == value:  # NaT is a date, too
            moments.setdefault(getattr(value, "tzinfo", None) is None, value)
    if len(moments) > 1:
        got, hint = Phrase(f"{moments[False]} and {moments[True]}"), "convert all of them to UTC"
        raise fault(f"column {name!r}", "have a time zone in every cell or in none", got, hint, sensitive=True)


def _is_day(value: object) -> bool:
    return isinstance(value, date) and not isinstance(value, datetime)


def _column_of_mixed(name: str, values: list[Any]) -> Column:
    """Make a column of values for which Arrow infers no single type."""
    if any(value is np.ma.masked for value in values):  # Arrow knows every other missing value
        return _from_cells(name, [None if value is np.ma.masked else value for value in values])
    present = [value for value in values if not is_missing(value)]
    for kind in (np.datetime64, np.timedelta64):
        if present and all(isinstance(value, kind) for value in present):
            return _from_array(name, np.asarray([kind("NaT") if is_missing(value) else value for value in values]))
    if any(map(_is_day, present)) and all(isinstance(value, date) for value in present):
        _refuse_mixed_zones(name, present)
        return _from_values(name, [datetime(v.year, v.month, v.day) if _is_day(v) else v for v in values])
    # A period of pandas is the moment at which it starts.
    if present and all(type(value).__name__ == "Period" for value in present):
        return _from_cells(name, [None if is_missing(value) else value.to_timestamp() for value in values])
    # Arrow has no type for them, and their text sorts and compares alike.
    if present and all(isinstance(value, UUID) for value in present):
        return _from_values(name, [None if is_missing(value) else str(value) for value in values])
    if any(isinstance(value, bool) or not isinstance(value, _NUMBERS) for value in present):
        if all(isinstance(value, (*_NUMBERS, *_COMPLEX)) and not isinstance(value, bool) for value in present):
            return Column(name, "unsupported", values)  # complex, as an array of them is
        kinds = {type(value) for value in present}
        nested = any(issubclass(kind, _NESTED) or not issubclass(kind, Hashable) for kind in kinds)
        return Column(name, "unsupported" if nested else "mixed", values)
    # Arrow cannot infer the type of integers from 2^63 to 2^64.
    if all(isinstance(value, (int, np.integer)) and 0 <= value < 2**64 for value in present):
        import pyarrow as pa

        return _from_series(name, pa.chunked_array([pa.array(values, pa.uint64(), from_pandas=True)]))
    return Column(name, "number", _floats_of_any(values))


def _floats_of_decimals(wrapped: Any) -> NDArray[np.float64]:
    import pyarrow as pa

    # By way of text: Arrow's own conversion multiplies by a negative power of ten, and so rounds twice.
    written = wrapped.to_arrow().cast(pa.string())
    return np.asarray(written.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)


def _floats_of_any(values: list[Any]) -> NDArray[np.float64]:
    return np.asarray([np.nan if is_missing(value) else _float_of_any(value) for value in values], dtype=np.float64)


def _float_of_any(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _from_array(name: str, array: NDArray[Any]) -> Column:
    if array.ndim != 1:
        raise fault(f"column {name!r}", "have one dimension", Phrase(f"shape {array.shape}"), "flatten it")
    array = unmasked(array)
    if array.dtype.kind in "fiu":
        return Column(name, "number", array)
    if array.dtype.kind == "c":
        return Column(name, "unsupported", array)
    if array.dtype.kind in "mM":
        # Arrow has no coarser unit than a second and finer ones than we need.
        array = _microseconds(name, array)
    if array.dtype.kind == "O":
        return _from_cells(name, array)
    return _from_values(name, array.tolist() if array.dtype.kind in "USV" else _arrow_series(array))


def _microseconds(name: str, array: NDArray[Any]) -> NDArray[Any]:
    converted = array.astype(f"{array.dtype.kind}8[us]")
    unit, _ = np.datetime_data(array.dtype)
    # NumPy wraps around silently; converting back shows it.
    if (
        unit not in ("us", "ns", "ps", "fs", "as")
        and (converted.astype(array.dtype).view("i8") != array.view("i8")).any()
    ):
        raise _unreachable(name)
    return converted


def _refuse_unreachable(name: str, present: Any) -> None:
    """Refuse moments and durations that do not fit 64 bits of microseconds: the libraries wrap around silently."""
    unit = "D" if present.dtype == nw.Date else getattr(present.dtype, "time_unit", "us")
    most = _LARGEST_BY_UNIT.get(unit)
    if most and len(present):
        stored = present.cast(nw.Int32 if unit == "D" else nw.Int64)
        if max(-int(stored.min()), int(stored.max())) > most:
            raise _unreachable(name)


def _unreachable(name: str) -> InputError:
    hint = "drop them or set them missing"
    return fault(f"column {name!r}", "hold dates and durations within 290,000 years", Phrase("others"), hint)


def _arrow_series(array: NDArray[Any]) -> Any:
    import pyarrow as pa

    return pa.chunked_array([pa.array(array, from_pandas=True)])


def _standard_number(array: NDArray[Any]) -> NDArray[Any]:
    """Bring numbers to one of the three types the kernels know, without a copy where possible."""
    kind = array.dtype.kind
    if kind == "f":
        with np.errstate(over="ignore"):  # of longer floats than float64
            return array.astype(np.float64, copy=False)
    if kind == "i":
        return array.astype(np.int64, copy=False)
    # Kernels for uint64 are compiled apart, so use them only where a value needs the last bit.
    if kind == "u":
        fits = array.dtype.itemsize < 8 or array.size == 0 or int(array.max()) <= _LARGEST_INT64
        return array.astype(np.int64 if fits else np.uint64, copy=False)
    return np.asarray(array, dtype=np.float64)


def _distances(numbers: NDArray[Any], origin: float) -> NDArray[np.float64]:
    rounded = numbers.astype(np.float64) - float(origin)
    if not isinstance(origin, int) or numbers.dtype.kind not in "iu":
        return rounded
    # Differences of integers are right to the last of their 64 bits, unless they are too large for them.
    whole = (numbers.astype(np.uint64) - np.uint64(origin % 2**64)).view(np.int64)
    return np.where(np.abs(rounded) < 2.0**62, whole, rounded)


def _arrow_counts(array: Any) -> tuple[dict[Any, int], int]:
    import pyarrow as pa
    import pyarrow.compute as pc

    occurrences: dict[Any, int] = {}
    missing = 0
    if pa.types.is_null(array.type):
        return occurrences, len(array)
    counted = pc.value_counts(array)
    values, how_often = counted.field("values"), counted.field("counts")
    for value, times in zip(values.to_pylist(), how_often.to_pylist(), strict=True):
        if is_missing(value):
            missing += times
        else:
            occurrences[value] = occurrences.get(value, 0) + times
    return occurrences, missing

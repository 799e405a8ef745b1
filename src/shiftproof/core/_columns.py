"""One column of a table of any library: its values as numbers or as counted categories, and its type.

Cells are converted when they are needed. Arrow infers the type of cells that have none, whatever their order.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from shiftproof.core._checks import fault
from shiftproof.core._errors import InputError
from shiftproof.core._missing import is_missing, unmasked
from shiftproof.core._phrases import Phrase

Family = Literal["number", "date", "duration", "boolean", "text", "category", "empty", "mixed", "unsupported"]

# What errors call the values of each family.
_CONTENTS: dict[Family, str] = {
    "number": "numbers",
    "date": "dates",
    "duration": "durations",
    "boolean": "True and False",
    "text": "text",
    "category": "categories",
    "empty": "no values",
    "mixed": "values of several types",
    "unsupported": "nested or complex values",
}
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

    @property
    def contents(self) -> Phrase:
        """What the column holds, for errors."""
        return Phrase(_CONTENTS[self.family])

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
            raise fault(f"column {self.name!r}", "hold numbers or dates", self.contents, hint)
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

    def coded(self) -> tuple[list[Any], NDArray[np.int64]]:
        """Return the different values, and for each row which of them it has; -1 if it has none.

        Millions of cells as Python's own objects would not fit into memory; few of them differ.
        """
        if not isinstance(self.values, (list, np.ndarray)):
            try:
                return _arrow_codes(self.values.to_arrow())
            except (TypeError, ValueError, OverflowError, NotImplementedError):  # Arrow's errors are among these
                pass
        # Lists and other nested cells cannot be looked up, but their text can.
        nested = self.family == "unsupported"
        cells = [None if is_missing(cell) else str(cell) if nested else cell for cell in self.cells()]
        places = {cell: place for place, cell in enumerate(dict.fromkeys(cell for cell in cells if cell is not None))}
        return list(places), np.array([places.get(cell, -1) for cell in cells], dtype=np.int64)

    def _python_counts(self, values: list[Any]) -> tuple[dict[Any, int], int]:
        """Count what Arrow cannot: mixed types, and categories such as intervals."""
        present = [value for value in values if not is_missing(value)]
        try:
            return dict(Counter(present)), len(values) - len(present)
        except TypeError:
            hint = "drop it, or turn its cells into single values"
            raise fault(f"column {self.name!r}", "hold single values", present[0], hint) from None


def library_of(obj: object) -> str:
    """Return the library of an object or, where it is a class of the user's own, of the class it extends."""
    modules = [base.__module__.split(".")[0] for base in type(obj).__mro__]
    return next((module for module in modules if module in ("pandas", "pyarrow", "polars")), modules[0])


def is_pandas(obj: object) -> bool:
    return library_of(obj) == "pandas"


def column_from_series(name: str, series: Any) -> Column:
    # narwhals would guess the type of an object column from its first hundred cells.
    if is_pandas(series) and isinstance(series.dtype, np.dtype) and series.dtype.kind in "fiuO":
        return column_from_array(name, series.to_numpy())
    if is_pandas(series) and type(series.dtype).__name__ == "PeriodDtype":
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


def column_from_values(name: str, values: Any) -> Column:
    """Make a column of an array, a series or a sequence, such as an entry of a dict."""
    if isinstance(values, np.ndarray):
        return column_from_array(name, values)
    if isinstance(values, nw.Series):
        return column_from_series(name, values.to_native())
    import pyarrow as pa

    if isinstance(values, pa.Array):
        values = pa.chunked_array([values])
    if not isinstance(values, (list, tuple)):
        wrapped = nw.from_native(values, pass_through=True, series_only=True)
        if isinstance(wrapped, nw.Series):
            return column_from_series(name, values)
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
    return column_from_series(name, wrapped.to_native())


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
            return column_from_array(
                name, np.asarray([kind("NaT") if is_missing(value) else value for value in values])
            )
    if any(map(_is_day, present)) and all(isinstance(value, date) for value in present):
        _refuse_mixed_zones(name, present)
        return column_from_values(name, [datetime(v.year, v.month, v.day) if _is_day(v) else v for v in values])
    # A period of pandas is the moment at which it starts.
    if present and all(type(value).__name__ == "Period" for value in present):
        return _from_cells(name, [None if is_missing(value) else value.to_timestamp() for value in values])
    # Arrow has no type for them, and their text sorts and compares alike.
    if present and all(isinstance(value, UUID) for value in present):
        return column_from_values(name, [None if is_missing(value) else str(value) for value in values])
    if any(isinstance(value, bool) or not isinstance(value, _NUMBERS) for value in present):
        if all(isinstance(value, (*_NUMBERS, *_COMPLEX)) and not isinstance(value, bool) for value in present):
            return Column(name, "unsupported", values)  # complex, as an array of them is
        kinds = {type(value) for value in present}
        nested = any(issubclass(kind, _NESTED) or not issubclass(kind, Hashable) for kind in kinds)
        return Column(name, "unsupported" if nested else "mixed", values)
    # Arrow cannot infer the type of integers from 2^63 to 2^64.
    if all(isinstance(value, (int, np.integer)) and 0 <= value < 2**64 for value in present):
        import pyarrow as pa

        return column_from_series(name, pa.chunked_array([pa.array(values, pa.uint64(), from_pandas=True)]))
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


def column_from_array(name: str, array: NDArray[Any]) -> Column:
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
    return column_from_values(name, array.tolist() if array.dtype.kind in "USV" else _arrow_series(array))


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
    hint = "drop them or set them to missing"
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


def _arrow_codes(array: Any) -> tuple[list[Any], NDArray[np.int64]]:
    import pyarrow as pa

    whole = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
    if not pa.types.is_dictionary(whole.type):
        whole = whole.dictionary_encode()
    parts = whole.unify_dictionaries().chunks
    values = parts[0].dictionary.to_pylist() if parts else []
    codes = [part.indices.cast(pa.int64()).fill_null(-1).to_numpy() for part in parts]
    return values, np.concatenate(codes) if codes else np.empty(0, dtype=np.int64)


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

"""Types of text cells, and Arrow columns as ordinary pandas columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from shiftproof.core import MARKS

#: Words that mean "missing" in a cell without quotation marks.
MISSING_WORDS = ("", "#N/A", "N/A", "NA", "NULL", "NaN", "n/a", "nan", "null", "-nan", "-NaN", "<NA>", "NaT")

# Texts without a letter or digit, such as "?", often stand for a missing value, as `MARKS` do.
_NO_LETTER_OR_DIGIT = r"^[^\pL\pN]+$"

# Dates that Arrow does not read; a time of day may follow. Two digits of a year are clear only with slashes.
_TIME = r"(?:[ T]\d{1,2}:\d{2}.*)?$"
_DATES = (
    rf"^(?P<first>\d{{1,2}})[/.-](?P<second>\d{{1,2}})[/.-]\d{{4}}{_TIME}",
    rf"^(?P<first>\d{{1,2}})/(?P<second>\d{{1,2}})/\d{{2}}{_TIME}",
)
_YEAR_FIRST = rf"^\d{{4}}[/.](?P<second>\d{{1,2}})[/.](?P<first>\d{{1,2}}){_TIME}"

# Beyond this a float64 skips integers.
_LARGEST_EXACT = 2**53
# 007 and 0x1F are codes, not numbers.
_LEADING_ZERO = r"^[+-]?0(?:[0-9]+|[xX].*)$"


def without_marks(column: Any, missing: Sequence[str]) -> Any:
    """Return a column of text with null where a cell, without spaces around it, is one of the marks.

    Examples
    --------
    >>> without_marks(pa.chunked_array([["1", " ?", "x"]]), ["?"]).to_pylist()
    ['1', None, 'x']
    """
    if not missing or not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    marked = pc.is_in(pc.utf8_trim_whitespace(column), value_set=pa.array(missing, column.type))
    return pc.if_else(marked, pa.scalar(None, column.type), column)


def marks_among_numbers(text: Any, *, decimal_comma: bool = False) -> dict[str, int]:
    """Return marks that keep a column from being numbers, booleans or dates, and how often each occurs.

    Empty if other cells keep it from that as well.

    Examples
    --------
    >>> marks_among_numbers(pa.chunked_array([["1", "?", "2.5", "?"]]))
    {'?': 2}
    >>> marks_among_numbers(pa.chunked_array([["1", "?", "abc"]]))
    {}
    """
    # A look at few cells tells nearly all columns of text.
    if not any((cell or "").lstrip("+-. ")[:1].isdigit() for cell in _sample(text).to_pylist()):
        return {}
    cells = pc.utf8_trim_whitespace(text)
    small = pc.utf8_lower(cells)
    # "n/a?" as well as "n/a"; "#name?" is a mark with its end.
    either = (pc.is_in(form, value_set=pa.array(MARKS)) for form in (small, pc.utf8_rtrim(small, "?!* ")))
    words = pc.or_(*either)
    marked = pc.fill_null(pc.or_(words, pc.match_substring_regex(cells, _NO_LETTER_OR_DIGIT)), False)
    counts = pc.value_counts(cells.filter(marked)).to_pylist()
    if not counts or pa.types.is_string(typed(cells.filter(pc.invert(marked)), decimal_comma=decimal_comma).type):
        return {}
    return {count["values"]: count["counts"] for count in counts}


def date_order(text: Any) -> str:
    """Return in which order text has day, month and year if all its cells are dates, else an empty text.

    Examples
    --------
    >>> date_order(pa.chunked_array([["31/12/2016", "1/1/2017"]])), date_order(pa.chunked_array([["2016/12/31"]]))
    ('day/month/year', 'year/month/day')
    >>> date_order(pa.chunked_array([["1/2/2016"]])), date_order(pa.chunked_array([["1/2/2016", "soon"]]))
    ('day/month/year or month/day/year', '')
    """
    if text.null_count == len(text):
        return ""
    for pattern in (*_DATES, _YEAR_FIRST):
        # A look at few cells tells nearly all columns of text.
        if not all(_all_match(cells, pattern) for cells in (_sample(text), text)):
            continue
        parts = pc.extract_regex(pc.utf8_trim_whitespace(text), pattern)
        first, second = (pc.min_max(pc.cast(pc.struct_field(parts, part), pa.int64())) for part in ("first", "second"))
        return _order(first.as_py(), second.as_py(), year_first=pattern == _YEAR_FIRST)
    return ""


def _all_match(cells: Any, pattern: str) -> bool:
    return pc.all(pc.match_substring_regex(pc.utf8_trim_whitespace(cells), pattern)).as_py() is not False


def _order(first: dict[str, int], second: dict[str, int], *, year_first: bool) -> str:
    """Tell day and month apart by their ranges; an empty text if they are neither."""
    if min(first["min"], second["min"]) < 1:
        return ""
    day_first, month_first = (
        day <= 31 and month <= 12 for day, month in ((first["max"], second["max"]), (second["max"], first["max"]))
    )
    if year_first:
        return "year/month/day" if day_first else ""
    orders = {"day/month/year": day_first, "month/day/year": month_first}
    return " or ".join(order for order, possible in orders.items() if possible)


def typed(text: Any, *, decimal_comma: bool = False) -> Any:
    """Give a column of text the narrowest type that all its cells have.

    Parameters
    ----------
    text : pyarrow.ChunkedArray of strings
        The cells; those that were a missing word without quotation marks are null already.
    decimal_comma : bool
        Whether ``1,5`` may mean one and a half.

    Returns
    -------
    pyarrow.ChunkedArray
        int64, uint64, double, bool, timestamp or string.

    Examples
    --------
    >>> [str(typed(pa.chunked_array([cells])).type) for cells in (["7", None], ["07", "8"], ["1", "NA", " 2.5"])]
    ['int64', 'string', 'double']
    """
    if text.null_count == len(text):
        # NaN in all rows, as pandas reads an empty column.
        return pa.chunked_array([pa.nulls(len(text), pa.float64())])
    parsed = _parsed(text)
    if parsed is None:
        # Spaces around a number, and missing words in quotation marks, only matter to text.
        cleaned = pc.utf8_trim_whitespace(text)
        words = pc.is_in(cleaned, value_set=pa.array([*MISSING_WORDS, "None"]))
        cleaned = pc.if_else(words, pa.scalar(None, pa.string()), cleaned)
        if cleaned.null_count < len(cleaned):
            parsed = _parsed(cleaned)
            if parsed is None and decimal_comma:
                parsed = _parsed_number(pc.replace_substring(cleaned, ",", ".", max_replacements=1))
    if parsed is not None:
        return parsed
    return pc.if_else(pc.equal(text, ""), pa.scalar(None, pa.string()), text)


def _parsed(text: object) -> Any:
    number = _parsed_number(text)
    if number is not None:
        return number
    flags = _cast(text, pa.bool_())
    if flags is not None:
        # Arrow reads 0 and 1 as booleans; mixed with "true" they are neither numbers nor flags.
        digits = pc.any(pc.is_in(text, value_set=pa.array(["0", "1"]))).as_py()
        return None if digits else flags
    for moment in (pa.timestamp("us"), pa.timestamp("ns"), pa.timestamp("us", "UTC"), pa.timestamp("ns", "UTC")):
        moments = _cast(text, moment)
        if moments is not None:
            return moments
    return None


def _parsed_number(text: object) -> Any:
    for number in (pa.int64(), pa.uint64(), pa.float64()):
        numbers = _cast(text, number)
        if numbers is not None:
            break
    else:
        return None
    if pc.any(pc.match_substring_regex(text, _LEADING_ZERO)).as_py():
        return None  # 01234 is a code: as a number it would lose its zero
    if pa.types.is_floating(numbers.type) and not _exact(numbers):
        whole = pc.all(pc.match_substring_regex(text, r"^[+-]?[0-9]+$")).as_py()
        if whole:
            return None  # so many digits are a code too: as a float it would lose the last ones
    return numbers


def _cast(column: Any, target: Any) -> Any:
    """Return the column as another type, or None if a cell does not fit."""
    try:
        _sample(column).cast(target)  # Arrow writes an error for every cell that fails: let few fail
        return column.cast(target)
    except pa.ArrowInvalid:
        return None


def _sample(column: Any) -> Any:
    """Take 16 stretches of 32 cells without copying them."""
    if len(column) <= 512:
        return column
    step = (len(column) - 32) // 15
    return pa.chunked_array([chunk for part in range(16) for chunk in column.slice(part * step, 32).chunks])


def _exact(numbers: object) -> bool:
    """Say whether a float64 holds every number, of any numeric type, without rounding."""
    ends = pc.min_max(numbers).as_py()
    return ends["min"] is None or (ends["min"] >= -_LARGEST_EXACT and ends["max"] <= _LARGEST_EXACT)


def to_pandas(table: Any) -> pd.DataFrame:
    """Turn an Arrow table into a frame with ordinary types that lose nothing.

    Integers with missing cells become float64 as everywhere in pandas, but ``Int64`` where a float
    would lose digits; booleans with missing cells become ``boolean``; dates become datetime64. The
    index that pandas may have noted in the file is ignored: it would take a column away.
    """
    table = _plainer(table)
    frame: pd.DataFrame = table.to_pandas(ignore_metadata=True)
    for name, column in zip(table.column_names, table.columns, strict=True):
        if column.null_count == 0:
            continue
        integer = pa.types.is_integer(column.type) and frame[name].dtype.kind == "f" and not _exact(column)
        if integer or (pa.types.is_boolean(column.type) and frame[name].dtype == object):
            frame[name] = column.to_pandas(types_mapper=_nullable).array
    return frame


def _nullable(kind: object) -> Any:
    if pa.types.is_boolean(kind):
        return pd.BooleanDtype()
    return pd.UInt64Dtype() if pa.types.is_unsigned_integer(kind) else pd.Int64Dtype()


def _plainer(table: Any) -> Any:
    """Turn days into moments, and decimals, which warehouses write for every number, into int64 or float64."""
    for place, field in enumerate(table.schema):
        column = table.column(place)
        if pa.types.is_date(field.type):
            column = column.cast(pa.timestamp("us"))
        elif pa.types.is_decimal(field.type):
            whole = _cast(column, pa.int64()) if field.type.scale <= 0 else None
            column = column.cast(pa.float64()) if whole is None else whole
        else:
            continue
        table = table.set_column(place, field.name, column)
    return table

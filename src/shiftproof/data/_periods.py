"""Cut rows into periods, by a column of dates or of few values."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import filterfalse, pairwise
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import (
    Argument,
    Column,
    Floats,
    InputError,
    Phrase,
    Rows,
    as_table,
    check_choice,
    fault,
    is_missing,
    nature,
    shown,
)
from shiftproof.data._order import natural_order

#: How long a period of dates is.
Every = Literal["day", "week", "month", "quarter", "year"]

_LENGTHS: tuple[str, ...] = get_args(Every)
# The number of periods of dates: from 4 to 40, as near to 12 as possible, unless the caller says how long they are.
_FEWEST, _USUAL, _MANY = 4, 12, 40
# More periods come from a wrong date, more values from a column that is not meant.
_MOST_PERIODS, _MOST_VALUES = 1_000, 200
# Microseconds, in which columns count dates.
_DAY = 86_400_000_000
# 1970-01-01 was a Thursday, and weeks begin on Mondays.
_THURSDAY = 3
# Lengths in days, with the days from a period's start to 1970; and in months.
_DAYS = {"day": (1, 0), "week": (7, _THURSDAY)}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")

#: A period's name, start, end and rows.
Piece = tuple[str, Any, Any, Rows]


@dataclass(frozen=True, eq=False)
class PeriodCut:
    """Rows that are cut into periods.

    Attributes
    ----------
    periods : list of (str, start, end, ndarray of int)
        Name, first and last day (or twice the value that the rows share) and places of the rows, in order. A period of
        the calendar between two others is included even without rows.
    every : {"day", "week", "month", "quarter", "year"} or None
        How long they are; None if each value is a period.
    n_missing : int
        How many rows are in no period because they have no value.
    """

    periods: list[Piece]
    every: Every | None
    n_missing: int


def cut_periods(column: Column, every: Any) -> PeriodCut:
    """Cut the rows by a column of dates, or of few different values.

    Parameters
    ----------
    column : Column
        Dates, or numbers or text of at most 200 different values, each of which is a period.
    every : {"day", "week", "month", "quarter", "year"} or None
        How long a period of dates is; None takes what makes 4 to 40 of them, as near to 12 as possible. Weeks begin on
        Mondays; times with a time zone are split in UTC.

    Returns
    -------
    PeriodCut

    Raises
    ------
    InputError
        If the column has no values, too many different ones or several types, or if `every` does not fit it. The
        sentences call the two arguments ``by`` and ``every``, as the verbs do.

    Examples
    --------
    >>> from shiftproof.core import as_table
    >>> days = np.array(["2009-01-31", "2009-03-01", "NaT", "2009-01-01"], dtype="M8[D]")
    >>> cut = cut_periods(as_table({"day": days}, "table").column("day"), "month")
    >>> for name, start, end, rows in cut.periods:
    ...     print(name, start, end, rows)
    2009-01 2009-01-01 2009-01-31 [0 3]
    2009-02 2009-02-01 2009-02-28 []
    2009-03 2009-03-01 2009-03-31 [1]
    >>> cut.n_missing
    1
    """
    if every is not None:
        check_choice(every, "every", _LENGTHS)
    _refuse_empty(column)
    if every in _MONTHS:
        column = _months_as_dates(column)
    return _cut_dates(column, every) if column.family == "date" else _cut_values(column, every)


def cut_evenly(column: Column, count: int) -> PeriodCut:
    """Cut the rows, in the order of a column, into periods of about as many rows each.

    Parameters
    ----------
    column : Column
        Dates, numbers, or text, which is sorted as people do.
    count : int
        How many periods. Equal values stay in one period, so that many of them make fewer, and larger, periods.

    Returns
    -------
    PeriodCut
        Each period is named by its first and its last value.

    Examples
    --------
    >>> from shiftproof.core import as_table
    >>> column = as_table({"hour": [5, 1, 2, 2, 9, 3]}, "table").column("hour")
    >>> for name, start, end, rows in cut_evenly(column, 3).periods:
    ...     print(name, rows)
    1 [1]
    2 to 3 [2 3 5]
    5 to 9 [0 4]
    """
    _refuse_empty(column)
    moments = _moments(column)
    rows = np.flatnonzero(~np.isnan(moments))
    rows = rows[np.argsort(moments[rows], kind="stable")]
    ordered = moments[rows]
    # A boundary within equal values moves to the first of them.
    wanted = ordered[np.arange(count) * len(rows) // count]
    bounds = [*np.unique(np.searchsorted(ordered, wanted)).tolist(), len(rows)]
    cells = column.cells()
    periods: list[Piece] = []
    for begin, end in pairwise(bounds):
        first, last = (_written_moment(cells[rows[place]]) for place in (begin, end - 1))
        periods.append((first if first == last else f"{first} to {last}", first, last, rows[begin:end]))
    return PeriodCut(_numbered_apart(periods), None, len(moments) - len(rows))


def _months_as_dates(column: Column) -> Column:
    """Return months written as 2008-11 as their first days; any other column as it is."""
    cells = [None if is_missing(cell) else cell for cell in column.cells()] if column.family == "text" else []
    if not cells or not all(cell is None or _MONTH.fullmatch(str(cell)) for cell in cells):
        return column
    days = np.array([np.datetime64("NaT") if cell is None else cell for cell in cells], dtype="M8[M]").astype("M8[D]")
    return as_table({column.name: days}, "table").column(column.name)


def _refuse_empty(column: Column) -> None:
    if nature(column).made_of == "empty":
        raise fault("by", "name a column with values", Phrase(f"{shown(column.name)}, which has none"), "name another")


def _moments(column: Column) -> Floats:
    """Return numbers in the order of the values, NaN where missing."""
    if column.ordered:
        return column.floats()
    _refuse_mixed(column)
    cells = column.cells()
    places = {value: place for place, value in enumerate(_in_order(column, filterfalse(is_missing, cells)))}
    return np.array([math.nan if is_missing(cell) else places[cell] for cell in cells])


def _written_moment(value: object) -> str:
    """Write a moment by its day, which is enough to name a period."""
    return str(value.date()) if isinstance(value, datetime) else _written(value)


def _numbered_apart(periods: list[Piece]) -> list[Piece]:
    """Give periods of the same name, such as those within one day, different names."""
    seen: Counter[str] = Counter()
    named = []
    for name, start, end, rows in periods:
        seen[name] += 1
        named.append((name if seen[name] == 1 else f"{name} ({seen[name]})", start, end, rows))
    return named


def _cut_dates(column: Column, every: Every | None) -> PeriodCut:
    missing = np.asarray(column.values.is_null().to_numpy(), dtype=bool)
    rows = np.flatnonzero(~missing)
    days = np.asarray(column.numbers()[0], dtype=np.int64) // _DAY
    every = every or _length(days)
    number = _numbered(days, every)
    first, last = int(number.min()), int(number.max())
    if last - first >= _MOST_PERIODS:
        got = f"{last - first + 1:,} {every}s from {_first_day(first, every)} to {_first_day(last, every)}"
        raise fault(
            "every", f"give at most {_MOST_PERIODS:,} periods", Phrase(got), "choose longer periods, or check the dates"
        )
    # Rows of a period in the order of the table; bounds of empty periods coincide.
    rows = rows[np.argsort(number, kind="stable")]
    bounds = np.searchsorted(np.sort(number), np.arange(first, last + 2))
    periods = []
    for step in range(last - first + 1):
        start, after = _first_day(first + step, every), _first_day(first + step + 1, every)
        of_period = rows[bounds[step] : bounds[step + 1]]
        periods.append((_period_name(start, every), start.item(), (after - 1).item(), of_period))
    return PeriodCut(periods, every, int(missing.sum()))


def _length(days: NDArray[np.int64]) -> Every:
    """Choose the length that makes about twelve periods."""
    ends = np.array([days.min(), days.max()])
    counts = {length: int(np.ptp(_numbered(ends, length))) + 1 for length in get_args(Every)}
    fitting = [length for length in counts if _FEWEST <= counts[length] <= _MANY] or list(counts)
    return min(fitting, key=lambda length: abs(counts[length] - _USUAL))


def _numbered(days: NDArray[np.int64], every: Every) -> NDArray[np.int64]:
    """Return the numbers of the periods of days since 1970."""
    if every in _DAYS:
        return (days + _DAYS[every][1]) // _DAYS[every][0]
    return days.astype("M8[D]").astype("M8[M]").astype(np.int64) // _MONTHS[every]


def _first_day(number: int, every: Every) -> np.datetime64:
    if every in _DAYS:
        length, begin = _DAYS[every]
        return np.datetime64(number * length - begin, "D")
    first: np.datetime64 = np.datetime64(number * _MONTHS[every], "M").astype("M8[D]")
    return first


def _period_name(start: np.datetime64, every: Every) -> str:
    """Name a period as in ISO 8601, which has no quarters.

    Examples
    --------
    >>> [_period_name(np.datetime64("2009-04-01"), every) for every in ("day", "month", "quarter", "year")]
    ['2009-04-01', '2009-04', '2009-Q2', '2009']
    >>> _period_name(np.datetime64("2008-12-29"), "week")
    '2009-W01'
    """
    if every == "week":
        thursday = start + _THURSDAY  # its year is the year of the week
        year = thursday.astype("M8[Y]")
        return f"{year}-W{int((thursday - year.astype('M8[D]')).astype(int)) // 7 + 1:02d}"
    if every == "quarter":
        return f"{start.astype('M8[Y]')}-Q{int(start.astype('M8[M]').astype(int)) % 12 // 3 + 1}"
    return str(start.astype({"day": "M8[D]", "month": "M8[M]", "year": "M8[Y]"}[every]))


def _refuse_mixed(column: Column) -> None:
    if column.family in ("mixed", "unsupported"):
        got = f"{shown(column.name)} with {nature(column).called}"
        raise fault("by", "name a column of dates, numbers or text", Phrase(got), "convert it first")


def _cut_values(column: Column, every: Every | None) -> PeriodCut:
    _refuse_mixed(column)
    if every is not None:
        raise InputError(
            Argument("every", every),
            f" needs a column of dates, but {shown(column.name)} contains {nature(column).called}; leave out ",
            Argument("every"),
            ", or convert the column to dates",
            argument="every",
        )
    cells = column.cells()
    places: dict[Any, list[int]] = {}
    for row, value in enumerate(cells):
        if not is_missing(value):
            places.setdefault(value, []).append(row)
    if len(places) > _MOST_VALUES:
        got = f"{shown(column.name)} with {len(places):,} ({nature(column).called})"
        raise fault(
            "by",
            f"name a column of dates, or of at most {_MOST_VALUES} different values",
            Phrase(got),
            "convert it to dates, or round it",
        )
    periods = [
        (_written(value), value, value, np.array(places[value], dtype=np.intp)) for value in _in_order(column, places)
    ]
    return PeriodCut(periods, None, len(cells) - sum(map(len, places.values())))


def _in_order(column: Column, values: Iterable[Any]) -> list[Any]:
    """Sort values: ordered categories keep their order, text is sorted as people do."""
    distinct = set(values)
    order = getattr(getattr(column.values, "dtype", None), "categories", None)
    if order is not None:
        return [value for value in order if value in distinct]
    if all(isinstance(value, str) for value in distinct):
        return natural_order(distinct, column.name)
    return sorted(distinct, key=lambda value: (type(value).__name__, value))


def _written(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)

"""Cut the labelled rows into periods, and find the features that are the time itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np

from shiftproof.case import is_table
from shiftproof.core import (
    Argument,
    Column,
    InputError,
    Phrase,
    Sensitive,
    TimeIsFeature,
    as_table,
    check_count,
    check_row_order,
    counted,
    fault,
    is_missing,
    shown,
    unknown_name,
    warn,
)
from shiftproof.data import Every, PeriodCut, Piece, cut_evenly, cut_periods, is_month

# Numbers and text with more different values than this are moments rather than names of periods.
_MOST_VALUES = 40
# So many periods of equal counts where the caller names none: enough for a record, few enough to fit.
_USUAL = 12
_ISO = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?")


@dataclass(frozen=True, eq=False, kw_only=True)
class Timing:
    """When the labelled rows were observed.

    Attributes
    ----------
    cut : PeriodCut
        The periods with their rows.
    named : str
        The column of X that holds the time; empty if it was given apart.
    hidden : frozenset of str
        Columns that no model may learn from: the time, and copies of it.
    """

    cut: PeriodCut
    named: str
    hidden: frozenset[str]


def read_time(X: object, time: object, n_rows: int, *, every: Every | None, periods: int | None) -> Timing:
    """Cut the rows by `time`, the name of a column of X or one value per row.

    Parameters
    ----------
    X : table, optional
        The features, if there are any.
    time : str or sequence
        A column of X, or dates, numbers or text with one entry per row.
    n_rows : int
        How many rows there are.
    every : {"day", "week", "month", "quarter", "year"}, optional
        How long a period of dates is.
    periods : int, optional
        How many periods of equal counts to make instead.
    """
    column, named = _column(X, time, n_rows)
    if every is not None and periods is not None:
        both = Phrase(Argument("every", every), " and ", Argument("periods", periods))
        raise fault("periods", Phrase("be left out with ", Argument("every")), both, "pass one of them")
    try:
        column = _dated(column)
        cut = _cut(column, every, periods)
        _refuse_without_order(column)
    except InputError as error:
        raise error.renamed("by", "time") from None
    cut = replace(cut, periods=_in_time_order(cut.periods, column))
    copies = frozenset(_copies(X, column)) - {named}
    if copies:
        warn(TimeIsFeature(sorted(copies)))
    return Timing(cut=cut, named=named, hidden=copies | ({named} if named else set()))


def _column(X: object, time: object, n_rows: int) -> tuple[Column, str]:
    """Return the time of each row, and the column of X that holds it."""
    if time is None:
        raise fault("time", "name a column of X, or have one entry per row", None, "say when each row was observed")
    if isinstance(time, str):
        names = as_table(X).names if is_table(X) else ()
        if time not in names:
            raise unknown_name("time", "name a column of X, or have one entry per row", time, names)
        return as_table(X).column(time), time
    check_row_order(X, time, "time", of="X")
    column = as_table({"time": time}, "time").column("time")
    if len(column) != n_rows:
        got = Phrase(f"{len(column):,} for {n_rows:,}")
        raise fault("time", "have one entry per row", got, "pass the times of the same rows")
    return column, ""


def _dated(column: Column) -> Column:
    """Read text of the form 2020-01-31, with or without a time of day and a zone, as dates."""
    if column.family != "text":
        return column
    cells = column.cells()
    present = [cell for cell in cells if not is_missing(cell)]
    # A column of dates may have a few cells that are none; names of periods have hardly one that is a date.
    if 2 * sum(map(bool, map(_ISO.fullmatch, present))) <= len(present):
        return column
    _refuse_no_dates(cells, column.name)
    import pandas as pd

    zoned = [bool(re.search(r"(Z|[+-]\d\d:?\d\d)$", cell)) for cell in present]
    if any(zoned) != all(zoned):
        with_zone, without = present[zoned.index(True)], present[zoned.index(False)]
        got = f"{with_zone} and {without}"
        rule, hint = "have a time zone in every cell or in none", "convert all of them to UTC"
        raise fault("time", rule, Phrase(got), hint, sensitive=True)
    dates = pd.to_datetime(pd.Series(cells), format="ISO8601", utc=all(zoned))
    return as_table({column.name: dates}, "time").column(column.name)


def _refuse_no_dates(cells: Sequence[Any], name: str) -> None:
    """Refuse a column of dates with cells that are not dates, such as n/a or 2020-02-31; name the first."""
    wrong = [(row, cell) for row, cell in enumerate(cells, 1) if not is_missing(cell) and not _is_date(cell)]
    if not wrong:
        return
    row, cell = wrong[0]
    more = f" and {counted(len(wrong) - 1, 'more cell')}" if len(wrong) > 1 else ""
    got = Phrase(Sensitive(shown(cell)), f" in row {row:,} of {shown(name)}{more}")
    raise fault("time", "hold dates such as 2020-01-31", got, "correct them, or leave such cells empty")


def _is_date(cell: str) -> bool:
    try:
        datetime.fromisoformat(cell[:10])
    except ValueError:
        return False
    return _ISO.fullmatch(cell) is not None


def _refuse_without_order(column: Column) -> None:
    """Refuse names in which nothing says what comes first: the order of the alphabet is not that of time."""
    if column.ordered or column.family not in ("text", "category"):
        return
    names = [str(value) for value in column.counts()[0]]
    unclear = [text for text in names if not any(map(str.isdigit, text)) and not is_month(text)]
    if unclear:
        more = f" and {len(unclear) - 2} more" if len(unclear) > 2 else ""
        got = Phrase(f"{shown(column.name)} with ", Sensitive(", ".join(map(shown, unclear[:2]))), more)
        hint = "use dates, numbers, or periods such as 2020-Q1"
        raise fault("time", "name a column whose values can be put in order", got, hint)


def _cut(column: Column, every: Any, periods: int | None) -> PeriodCut:
    if periods is not None:
        return cut_evenly(column, check_count(periods, "periods", least=2, hint="12 is usual"))
    if every is None and column.family == "number" and len(column.counts()[0]) > _MOST_VALUES:
        return cut_evenly(column, _USUAL)
    return cut_periods(column, every)


def _in_time_order(periods: list[Piece], column: Column) -> list[Piece]:
    """Sort the rows within each period, so that folds do not depend on the order of the table."""
    if not column.ordered:
        return periods
    moments = column.floats()
    return [(*piece[:3], piece[3][np.argsort(moments[piece[3]], kind="stable")]) for piece in periods]


def _copies(X: object, time: Column) -> list[str]:
    """Return the columns of X with the values of the time; models would learn the past by heart from them."""
    if not is_table(X) or not time.ordered:
        return []
    table, moments = as_table(X), time.floats()
    if np.unique(moments[~np.isnan(moments)]).size <= _MOST_VALUES:
        return [name for name in table.names if _equal(table.column(name), moments)]
    # A row number in the order of time is the time as well.
    order = _ranks(moments)
    return [name for name in table.names if _equal(table.column(name), moments) or _ranked(table.column(name), order)]


def _equal(column: Column, moments: Any) -> bool:
    return column.ordered and np.array_equal(column.floats(), moments, equal_nan=True)


def _ranked(column: Column, order: Any) -> bool:
    return column.ordered and np.array_equal(_ranks(column.floats()), order)


def _ranks(values: Any) -> Any:
    return np.unique(values, return_inverse=True)[1]

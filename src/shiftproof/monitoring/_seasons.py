"""Seasons of the week: which reference rows the rows of a batch are compared with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

import numpy as np

from shiftproof.core import Argument, Column, InputError, Phrase, Table, check_choice, counted, fault, listed, shown
from shiftproof.monitoring._cells import IntArray

#: How rows are assigned to seasons.
Season = Literal["weekday", "hour-of-week"]

#: A season with fewer reference rows is joined with other small ones.
FEWEST_OF_SEASON = 50
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_HOURS = 24
_UTC = "UTC"
# Seasons that are compared together are named up to so many.
_NAMED = 3


@dataclass(frozen=True, kw_only=True)
class Seasons:
    """The seasons of a reference.

    Attributes
    ----------
    every : {"weekday", "hour-of-week"}
        How rows are assigned to seasons.
    column : str
        The column of the rows' times.
    zone : str
        The time zone in which a day begins: that of the column, or UTC.
    groups : tuple of int
        The season of each day or hour of the week, from Monday on. Days or hours with few reference rows share one.
    """

    every: Season
    column: str
    zone: str
    groups: tuple[int, ...]

    @classmethod
    def of(cls, table: Table, every: Season, column: str | None) -> Seasons:
        """Assign the days or hours of the week to seasons, by the times of the reference.

        Parameters
        ----------
        table : Table
            The reference.
        every : {"weekday", "hour-of-week"}
            How rows are assigned to seasons.
        column : str or None
            The column of times; None is an error.
        """
        check_choice(every, "season", get_args(Season))
        if column is None:
            needs = " needs the times of rows; name their column in "
            raise InputError(Argument("season", every), needs, Argument("time"))
        times = _dated(table.column(column))
        missing = _n_missing(times)
        if missing:
            hint = Phrase("drop these rows, or leave ", Argument("season"), " out")
            raise fault("time", "have a time in every row for seasons", Phrase(f"{missing:,} without one"), hint)
        zone = getattr(times.values.dtype, "time_zone", None) or _UTC
        places = _places(times.numbers()[0], every, zone)
        if every == "hour-of-week" and len(np.unique(places % _HOURS)) == 1:
            rule = Phrase("have times of day for ", Argument("season", every))
            hint = Phrase("pass ", Argument("season", "weekday"))
            raise fault("time", rule, Phrase(f"dates in {column!r}"), hint)
        groups = _joined(np.bincount(places, minlength=_n_places(every)))
        return cls(every=every, column=column, zone=zone, groups=groups)

    def check(self, n_rows: int) -> None:
        """Refuse a reference of one season."""
        if len(self) == 1:
            got = Phrase(f"one, with {counted(n_rows, 'row')}")
            hint = Phrase("use a longer reference, or leave ", Argument("season"), " out")
            raise fault("reference", f"have at least two seasons of {FEWEST_OF_SEASON} rows", got, hint)

    def __len__(self) -> int:
        return max(self.groups) + 1

    def codes(self, table: Table, at: datetime | None, name: str = "batch") -> IntArray:
        """Return the season of each row, by its own time or, where it has none, by that of the batch.

        Parameters
        ----------
        table : Table
            The rows.
        at : datetime or None
            The time of the batch, in UTC.
        name : str
            What the table is called, for errors.
        """
        known = self.column in table.names
        times = _dated(table.column(self.column)) if known else None
        missing = table.n_rows if times is None else _n_missing(times)
        if missing and at is None:
            lacks = (
                f"has {counted(missing, 'row')} without a time in {shown(self.column)}"
                if known
                else (f"has no column {shown(self.column)}")
            )
            compared = f"{name} {lacks}, and its rows are compared by {self.every}; pass "
            raise InputError(compared, Argument("at"), ", the time of the batch")
        codes = np.empty(table.n_rows, dtype=np.int64)
        groups = np.array(self.groups)
        if at is not None:
            moment = np.array([at.replace(tzinfo=None)], dtype="M8[us]").astype(np.int64)
            codes[:] = groups[_places(moment, self.every, self.zone)[0]]
        if times is not None and missing < table.n_rows:
            present = ~np.asarray(times.values.is_null().to_numpy(), dtype=np.bool_)
            codes[present] = groups[_places(times.numbers()[0], self.every, self.zone)]
        return codes

    @property
    def names(self) -> tuple[str, ...]:
        """The days or hours of each season."""
        places = _names(self.every)
        members: list[list[str]] = [[] for _ in range(len(self))]
        for place, season in zip(places, self.groups, strict=True):
            members[season].append(place)
        rest = "other days" if self.every == "weekday" else "other hours"
        return tuple(" or ".join(names) if len(names) <= _NAMED else rest for names in members)

    def described(self, codes: IntArray) -> str:
        """Name the seasons of a batch.

        Examples
        --------
        >>> week = Seasons(every="weekday", column="t", zone="UTC", groups=(0, 1, 2, 3, 4, 5, 5))
        >>> week.described(np.array([0, 0, 5])), week.described(np.arange(6))
        ("'Monday' and 'Saturday or Sunday'", 'all seasons')
        """
        present = np.unique(codes).tolist()
        names = [self.names[code] for code in present]
        return "all seasons" if len(present) == len(self) else listed(names, most=_NAMED)


def _dated(column: Column) -> Column:
    if column.family != "date":
        hint = "write times as 2024-01-31 or 2024-01-31T12:00"
        raise fault("time", "name a column of dates for seasons", Phrase(f"{column.family} in {column.name!r}"), hint)
    return column


def _n_missing(column: Column) -> int:
    return int(column.values.null_count())


def _n_places(every: Season) -> int:
    return len(_DAYS) * (1 if every == "weekday" else _HOURS)


def _names(every: Season) -> list[str]:
    if every == "weekday":
        return [*_DAYS]
    return [f"{day} {hour:02d}:00" for day in _DAYS for hour in range(_HOURS)]


def _places(moments: Any, every: Season, zone: str) -> IntArray:
    """Return the day or hour of the week of moments, in microseconds since 1970 in UTC."""
    import pandas as pd

    local = pd.DatetimeIndex(np.asarray(moments, dtype=np.int64).astype("M8[us]")).tz_localize(_UTC).tz_convert(zone)
    day = local.day_of_week.to_numpy().astype(np.int64)
    return day if every == "weekday" else day * _HOURS + local.hour.to_numpy()


def _joined(rows: IntArray) -> tuple[int, ...]:
    """Return the season of each place: those with few rows share the last one, with as many others as it needs.

    Examples
    --------
    >>> _joined(np.array([100, 60, 0, 100, 49, 100, 100]))
    (0, 4, 4, 1, 4, 2, 3)
    """
    order = np.argsort(rows, kind="stable")
    enough = np.cumsum(rows[order]) >= FEWEST_OF_SEASON
    n_few = int(np.sum(rows < FEWEST_OF_SEASON))
    # The smallest ones, until they have enough rows together.
    few = order[: max(n_few, int(np.argmax(enough)) + 1)] if n_few else order[:0]
    groups = np.zeros(len(rows), dtype=np.int64)
    alone = np.setdiff1d(np.arange(len(rows)), few)
    groups[alone], groups[few] = np.arange(len(alone)), len(alone)
    return tuple(groups.tolist())

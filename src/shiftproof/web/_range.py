"""Which part of the history a page shows: the state that stands in its address."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import datetime, timedelta

from shiftproof.core import fault
from shiftproof.monitoring import MonitorReader, utc

#: How many batches a page shows unless it is asked for others.
USUAL = 365
ALL = "all"


@dataclass(frozen=True, kw_only=True)
class PageRange:
    """A range of time.

    Parameters
    ----------
    since, until : datetime or None
        The first and the last time; None for no limit.
    given : mapping of str to str
        What stands in the address: `from` and `to`.
    shortened : bool
        Whether older batches are left out because nobody asked for them.
    """

    since: datetime | None
    until: datetime | None
    given: dict[str, str]
    shortened: bool = False

    def holds(self, moment: datetime) -> bool:
        """Return whether a time is in the range."""
        return (self.since is None or moment >= self.since) and (self.until is None or moment <= self.until)


def page_range(reader: MonitorReader, since: str | None, until: str | None) -> PageRange:
    """Return the range that an address asks for; by default the latest batches.

    Raises
    ------
    InputError
        If these are not times, or in the wrong order.
    """
    first, last = (since or "").strip(), (until or "").strip()
    given = {name: text for name, text in (("from", first), ("to", last)) if text}
    if not given:
        start = reader.lately(USUAL)
        return PageRange(since=start, until=None, given={}, shortened=start is not None)
    begin = None if first in ("", ALL) else utc(first, "from")
    end = None if not last else end_of(last)
    if begin is not None and end is not None and begin > end:
        raise fault("from", "be before to", first, f"to is {last}")
    return PageRange(since=begin, until=end, given=given)


def end_of(text: str) -> datetime:
    """Return the end of a year, a month or a day, or a time as it is.

    Examples
    --------
    >>> end_of("2024-02").isoformat(), end_of("2024-02-01T12:00").isoformat()
    ('2024-02-29T23:59:59.999999+00:00', '2024-02-01T12:00:00+00:00')
    """
    # "to=2024" means all of 2024: as short as a year, a month or a day is written.
    start = utc(text, "to")
    # From midnight to the last moment of a day; the day after may not exist.
    day = timedelta(days=1) - timedelta(microseconds=1)
    if len(text) == 4:
        return start.replace(month=12, day=31) + day
    if len(text) == 7:
        return start.replace(day=calendar.monthrange(start.year, start.month)[1]) + day
    return start + day if len(text) == 10 else start

"""Times of batches: whatever users give, in UTC."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

from shiftproof.core import Argument, InputError, fault

# Years, months, days and times as ISO 8601 writes them; pandas would also read "1" or "March" as a date.
_ISO = re.compile(r"\d{4}(-\d\d(-\d\d([T ]\d\d(:\d\d(:\d\d(\.\d+)?)?)?(Z|[+-]\d\d:?\d\d)?)?)?)?")
_HINT = "write it as 2024-01-31 or 2024-01-31T12:00+02:00"
# Times of batches that are earlier, or later than now by more than this, are probably mistakes.
_EARLIEST, _AHEAD = datetime(1970, 1, 1, tzinfo=UTC), timedelta(days=366)


def utc(moment: Any, argument: str = "at") -> datetime:
    """Return a time in UTC; one without a zone is taken as UTC.

    Parameters
    ----------
    moment : datetime, date, pandas.Timestamp, numpy.datetime64 or ISO text
        The time; a date or a month is its beginning.
    argument : str
        What the argument is called, for errors.

    Examples
    --------
    >>> utc("2024-03").isoformat(), utc("2024-03-01T12:00+02:00").isoformat()
    ('2024-03-01T00:00:00+00:00', '2024-03-01T10:00:00+00:00')
    """
    import numpy as np
    import pandas as pd

    rule = "be a date or a time"
    if isinstance(moment, str) and not _ISO.fullmatch(moment.strip()):
        raise fault(argument, rule, moment, _HINT)
    if not isinstance(moment, (str, date, np.datetime64)):  # a datetime and a Timestamp are dates
        raise fault(argument, rule, moment, _HINT)
    try:
        stamp: Any = pd.Timestamp(moment.strip() if isinstance(moment, str) else moment)
    except (ValueError, OverflowError):
        raise fault(argument, rule, moment, _HINT) from None
    if stamp is pd.NaT:
        raise fault(argument, rule, moment, _HINT)
    try:
        zoned = stamp.tz_localize(UTC) if stamp.tzinfo is None else stamp.tz_convert(UTC)
        # Nanoseconds, which Python's own times do not have, are dropped.
        exact: datetime = zoned.floor("us").to_pydatetime()
    except ValueError:  # the time zone moves the ends of the calendar beyond them
        raise fault(argument, "be in the years 1 to 9999 in UTC", moment) from None
    return exact.replace(tzinfo=UTC)


def check_likely(moment: datetime) -> None:
    """Refuse a time that no batch is likely to be about: a slip, or a column that holds other dates."""
    if not _EARLIEST <= moment <= datetime.now(UTC) + _AHEAD:
        words = f"the time of the batch, {written_time(moment)}, is before 1970 or more than a year from now; correct"
        raise InputError(f"{words} it, or pass ", Argument("allow_date", True), " if it is meant")


def written_time(moment: datetime) -> str:
    """Write a time in UTC as short as it is exact.

    Examples
    --------
    >>> written_time(utc("2024-03-01")), written_time(utc("2024-03-01 12:30")), written_time(utc("2024-03-01T12:30:15"))
    ('2024-03-01', '2024-03-01 12:30', '2024-03-01 12:30:15')
    """
    text = moment.isoformat(" ")[: len("2024-03-01 12:30:15")]
    return text.removesuffix(":00").removesuffix(" 00:00")

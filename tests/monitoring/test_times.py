from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pandas as pd
import pytest

from shiftproof.core import InputError
from shiftproof.monitoring._times import utc, written_time


@pytest.mark.parametrize(
    "moment",
    [
        "2024-03-01",
        "2024-03",
        "2024-03-01 00:00",
        "2024-03-01T00:00:00Z",
        "2024-03-01T02:00+02:00",
        date(2024, 3, 1),
        datetime(2024, 3, 1),
        datetime(2024, 3, 1, 2, tzinfo=timezone(timedelta(hours=2))),
        pd.Timestamp("2024-03-01", tz="UTC"),
        np.datetime64("2024-03-01"),
    ],
)
def test_times_are_in_utc(moment: Any) -> None:
    converted = utc(moment)
    assert converted == datetime(2024, 3, 1, tzinfo=UTC)
    assert type(converted) is datetime


@pytest.mark.parametrize("moment", ["March", "", "1", 20240301, pd.NaT, np.datetime64("NaT"), "2024-13-01", "99999-01"])
def test_other_values_are_refused(moment: Any) -> None:
    with pytest.raises(InputError, match=r"before must be a date or a time, got .*; write it as 2024-01-31"):
        utc(moment, "before")


@pytest.mark.parametrize("moment", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00"])
def test_times_that_a_zone_moves_off_the_calendar_are_refused(moment: str) -> None:
    with pytest.raises(InputError, match=r"from must be in the years 1 to 9999 in UTC; got '.*'\.$"):
        utc(moment, "from")


def test_written_time_leaves_out_what_is_zero() -> None:
    assert written_time(datetime(2024, 3, 1, 0, 0, 5, tzinfo=UTC)) == "2024-03-01 00:00:05"
    assert written_time(datetime(2024, 3, 1, 10, tzinfo=UTC)) == "2024-03-01 10:00"

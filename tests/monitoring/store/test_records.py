from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from shiftproof.monitoring.store._records import from_micros, to_micros


@given(st.datetimes(timezones=st.just(UTC)))
def test_times_come_back_to_the_microsecond(moment: datetime) -> None:
    assert from_micros(to_micros(moment)) == moment


def test_times_of_another_zone_are_the_same_moment() -> None:
    local = datetime(2024, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))
    assert to_micros(local) == to_micros(datetime(2024, 1, 1, tzinfo=UTC))

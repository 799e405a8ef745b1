from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftproof.web._scale import TimeScale, ValueScale

START = datetime(2023, 11, 5, 13, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("days", "labels"),
    [
        (0.01, ["13:20", "13:25", "13:30"]),
        (1, ["18:00", "6 Nov", "06:00", "12:00"]),
        (10, ["7 Nov", "9 Nov", "11 Nov", "13 Nov", "15 Nov"]),
        (100, ["Dec", "2024", "Feb"]),
        (1000, ["2024", "Jul", "2025", "Jul", "2026", "Jul"]),
        (4000, ["2024", "2026", "2028", "2030", "2032", "2034"]),
    ],
)
def test_times_have_round_ticks(days: float, labels: list[str]) -> None:
    scale = TimeScale(START, START + timedelta(days=days))
    assert [tick.label for tick in scale.ticks()] == labels


@given(st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC)))
def test_any_range_has_few_ticks_in_order_within_the_chart(one: datetime, other: datetime) -> None:
    scale = TimeScale(min(one, other), max(one, other))
    places = [tick.place for tick in scale.ticks()]
    assert len(places) <= 6
    assert places == sorted(places)
    assert all(0 <= place <= 1 for place in places)


def test_a_place_is_turned_back_into_its_time() -> None:
    scale = TimeScale(START, START + timedelta(days=10))
    moment = START + timedelta(days=3)
    assert abs(scale.moment(scale.place(moment)) - moment) < timedelta(seconds=1)


def test_a_single_time_is_in_the_middle() -> None:
    assert TimeScale.around([START]).place(START) == 0.5


@given(st.floats(0, 1), st.floats(0, 1))
def test_values_lie_within_the_chart(one: float, other: float) -> None:
    scale = ValueScale.around([one, other, None], 100, least=0.0, most=1.0)
    assert scale.place(max(one, other)) <= scale.place(min(one, other))
    assert all(0 <= scale.place(value) <= 100 for value in (one, other, -5.0, 5.0))
    ticks = scale.ticks(lambda value: f"{value:g}")
    assert 1 <= len(ticks) <= 6


def test_without_values_there_is_still_a_chart() -> None:
    assert ValueScale.around([], 100).ticks(lambda value: f"{value:.1f}")


def test_the_ends_of_the_calendar_are_on_an_axis() -> None:
    moments = [datetime(1, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)]
    for known in (moments, moments[:1], moments[2:], moments[:2]):
        scale = TimeScale.around(known)
        assert all(0 <= scale.place(moment) <= 1 for moment in known)
        assert scale.moment(0) < scale.moment(1)
        assert scale.ticks()

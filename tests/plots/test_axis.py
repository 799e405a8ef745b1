from __future__ import annotations

from typing import Any

import matplotlib as mpl
import matplotlib.dates
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes

from shiftproof import plots
from shiftproof.core import InputError
from shiftproof.plots import histogram_pair

dates: Any = matplotlib.dates  # not typed
COUNTS = np.array([1, 2, 1, 0])
LARGEST = float(np.finfo(np.float64).max)


def microseconds(moment: str) -> float:
    return float(np.datetime64(moment, "us").astype(np.int64))


def edges(low: float, high: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Cut a range into four, without a difference that could overflow."""
    share = np.linspace(0.0, 1.0, len(COUNTS) + 1)
    return low * (1 - share) + high * share


def drawn(ax: Axes, low: float, high: float, scale: str) -> list[str]:
    """Draw a histogram and return the texts on its horizontal axis."""
    histogram_pair(edges(low, high), COUNTS, COUNTS[::-1], scale=scale, ax=ax)  # type: ignore[arg-type]
    assert plots.svg(ax, name="axis").endswith("</svg>\n")
    shown = [tick.get_text() for tick in ax.get_xticklabels()]
    return [text for text in [*shown, ax.xaxis.get_offset_text().get_text(), ax.get_xlabel()] if text]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        ("2024-01-03", "2024-12-28", ["2024", "Apr", "Jul", "Oct", "2025"]),
        ("1950-01-03", "2024-12-28", ["1960", "1980", "2000", "2020"]),
        ("2024-05-03T02", "2024-05-03T22", ["06:00", "12:00", "18:00", "2024-May-03"]),
    ],
)
def test_dates_are_read_as_dates(ax: Axes, low: str, high: str, expected: list[str]) -> None:
    texts = drawn(ax, microseconds(low), microseconds(high), "date")
    assert {*expected} <= {*texts}
    assert ax.get_xlabel() == ""


def test_dates_stand_where_they_belong(ax: Axes) -> None:
    drawn(ax, microseconds("2024-01-01"), microseconds("2024-01-05"), "date")
    low, high = ax.dataLim.intervalx
    assert [str(dates.num2date(day).date()) for day in (low, high)] == ["2024-01-01", "2024-01-05"]


def test_the_epoch_of_the_user_is_kept(ax: Axes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dates, "_epoch", "2000-01-01T00:00:00")
    drawn(ax, microseconds("2000-01-01"), microseconds("2000-01-05"), "date")
    assert ax.dataLim.intervalx == pytest.approx([0.0, 4.0])


def test_the_time_zone_of_the_user_does_not_move_dates(ax: Axes) -> None:
    with mpl.rc_context({"timezone": "Asia/Tokyo"}):
        texts = drawn(ax, microseconds("2024-05-03T02"), microseconds("2024-05-03T22"), "date")
    assert {"06:00", "12:00", "18:00", "2024-May-03"} <= {*texts}


def test_one_moment_is_a_day(ax: Axes) -> None:
    noon = microseconds("2024-05-03T12")
    drawn(ax, noon, noon, "date")
    low, high = ax.dataLim.intervalx
    assert high - low == pytest.approx(1.0)
    assert str(dates.num2date((low + high) / 2))[:16] == "2024-05-03 12:00"


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (microseconds("0001-01-01"), microseconds("0003-12-31")),
        (microseconds("0001-01-01"), microseconds("9999-12-31T23:59:59")),
        (microseconds("9999-12-30"), microseconds("9999-12-31")),
        (-9.2e18, 9.2e18),
        (-LARGEST, LARGEST),
        (LARGEST, LARGEST),
    ],
)
def test_dates_of_no_calendar_are_years(ax: Axes, low: float, high: float) -> None:
    drawn(ax, low, high, "date")
    assert ax.get_xlabel() == "year"


@pytest.mark.parametrize(
    ("high", "unit", "length"),
    [
        (1.0, "µs", 1.0),
        (45e3, "ms", 45.0),
        (45e6, "s", 45.0),
        (50 * 60e6, "min", 50.0),
        (9 * 3_600e6, "h", 9.0),
        (40 * 86_400e6, "days", 40.0),
        (20 * 365.2425 * 86_400e6, "years", 20.0),
    ],
)
def test_durations_have_a_unit_that_fits(ax: Axes, high: float, unit: str, length: float) -> None:
    drawn(ax, -high / 2, high, "duration")
    assert ax.get_xlabel() == unit
    assert ax.dataLim.intervalx == pytest.approx([-length / 2, length])


def test_numbers_stay_as_they_are(ax: Axes) -> None:
    assert "1e15" in drawn(ax, 1e15, 2e15, "number")
    assert ax.dataLim.intervalx.tolist() == [1e15, 2e15]
    assert ax.get_xlabel() == ""


@pytest.mark.parametrize(("low", "high"), [(-1.7e308, 1.7e308), (0.0, LARGEST), (1e308, np.nextafter(1e308, 2e308))])
def test_numbers_as_large_as_there_are(ax: Axes, low: float, high: float) -> None:
    drawn(ax, low, high, "number")
    assert ax.get_xlabel() == "in 1e308"
    assert ax.dataLim.intervalx == pytest.approx([low / 1e308, high / 1e308])


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(["number", "date", "duration"]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False),
)
def test_any_range_can_be_drawn(scale: str, one: float, other: float) -> None:
    ax = plots.own_figure(size=(3.0, 2.0)).subplots()
    drawn(ax, min(one, other), max(one, other), scale)


def test_an_unknown_scale(ax: Axes) -> None:
    with pytest.raises(InputError) as caught:
        drawn(ax, 0.0, 1.0, "dates")
    assert str(caught.value) == ("scale must be one of 'number', 'date', 'duration'; got 'dates'. Did you mean 'date'?")


@pytest.mark.parametrize(
    ("scale", "low", "high"),
    [
        ("number", -5.0, 54_321.0),
        ("number", 0.0, 1e200),
        ("date", microseconds("1987-06-05"), microseconds("1999-01-01")),
        ("date", microseconds("1987-06-05"), 9e18),
        ("duration", 0.0, 7_200e6),
    ],
)
@pytest.mark.parametrize("draw", ["histogram", "functions"])
def test_a_redacted_axis_says_nothing_of_the_values(ax: Axes, scale: Any, low: float, high: float, draw: str) -> None:
    if draw == "histogram":
        histogram_pair(edges(low, high), COUNTS, COUNTS, scale=scale, redact=True, ax=ax)
    else:
        side = (np.array([low, high]), 2)
        plots.ks_plot(side, side, at=low, distance=0.5, scale=scale, redact=True, ax=ax)
    plots.svg(ax, name="drawn")
    texts = [*ax.get_xticklabels(), ax.xaxis.get_offset_text(), ax.xaxis.label]
    assert [text.get_text() for text in texts if text.get_text()] == []

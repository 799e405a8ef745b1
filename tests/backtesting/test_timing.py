from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd
import pytest

from shiftproof.backtesting._timing import read_time
from shiftproof.core import InputError, TimeIsFeature

DAYS = pd.Series(pd.date_range("2020-01-01", periods=60, freq="D"))


def names(time: Any, **options: Any) -> list[str]:
    timing = read_time(None, time, len(time), **{"every": None, "periods": None, **options})
    return [piece[0] for piece in timing.cut.periods]


def test_dates_are_cut_by_the_calendar() -> None:
    assert names(DAYS, every="month") == ["2020-01", "2020-02"]


def test_dates_written_as_text_are_dates() -> None:
    assert names(DAYS.dt.strftime("%Y-%m-%d").tolist(), every="month") == ["2020-01", "2020-02"]


def test_names_of_periods_are_sorted_as_people_do() -> None:
    assert names(["Q1 2021", "Q4 2020", "Q1 2021"]) == ["Q4 2020", "Q1 2021"]


def test_many_numbers_make_twelve_periods_of_equal_counts() -> None:
    timing = read_time(None, np.arange(120), 120, every=None, periods=None)
    assert [len(piece[3]) for piece in timing.cut.periods] == [10] * 12
    assert timing.cut.periods[0][0] == "0 to 9"


def test_few_numbers_are_periods_themselves() -> None:
    assert names([2019, 2020, 2020, 2021]) == ["2019", "2020", "2021"]


def test_moments_of_one_zone_are_cut_in_utc() -> None:
    midnight = pd.Series(pd.to_datetime(["2020-01-31 12:00", "2020-02-01 00:30"])).dt.tz_localize("Europe/Berlin")
    assert names(midnight, every="month") == ["2020-01"]


def test_text_with_different_offsets_is_compared_as_moments() -> None:
    # 00:30 in Berlin is before midnight in London.
    assert names(["2020-02-01T00:30:00+01:00", "2020-02-01T00:00:00+00:00"], every="month") == ["2020-01", "2020-02"]


@pytest.mark.parametrize(
    "time",
    [
        ["2020-01-01T00:00:00+01:00", "2020-01-02T00:00:00"],
        [datetime(2020, 1, 1, tzinfo=UTC), datetime(2020, 1, 2)],
    ],
)
def test_zones_in_some_cells_only_are_refused(time: list[Any]) -> None:
    with pytest.raises(
        InputError, match=r"must have a time zone in every cell or in none, got .*; convert all of them"
    ):
        names(time)


def test_unsorted_rows_are_put_in_the_order_of_time() -> None:
    order = np.random.default_rng(0).permutation(60)
    cut = read_time(None, DAYS.iloc[order].to_numpy(), 60, every="month", periods=None).cut
    assert order[np.concatenate([piece[3] for piece in cut.periods])].tolist() == list(range(60))


def test_rows_of_one_moment_stay_in_one_period() -> None:
    timing = read_time(None, [0] * 7 + [1, 2, 3], 10, every=None, periods=5)
    assert [len(piece[3]) for piece in timing.cut.periods] == [8, 2]


def test_rows_without_a_time_are_counted() -> None:
    assert read_time(None, [1.0, np.nan, 2.0], 3, every=None, periods=None).cut.n_missing == 1


def test_the_column_of_the_time_is_hidden() -> None:
    X = pd.DataFrame({"day": DAYS, "a": 1.0})
    timing = read_time(X, "day", 60, every="month", periods=None)
    assert (timing.named, set(timing.hidden)) == ("day", {"day"})


def test_a_feature_that_is_the_time_is_left_out_with_a_warning() -> None:
    X = pd.DataFrame({"day": DAYS, "row": np.arange(60) * 3, "a": np.random.default_rng(0).normal(size=60)})
    with pytest.warns(TimeIsFeature) as caught:
        timing = read_time(X, DAYS, 60, every="month", periods=None)
    assert timing.hidden == {"day", "row"}
    assert [str(one.message) for one in caught] == [
        "'day' and 'row' repeat the time of each row and are not used as features."
    ]


@pytest.mark.parametrize(
    ("time", "options", "sentence"),
    [
        (
            None,
            {},
            "time must name a column of X, or have one entry per row, got None; say when each row was observed.",
        ),
        ([1, 2], {}, "time must have one entry per row, got 2 for 3; pass the times of the same rows."),
        (
            [1, 2, 3],
            {"every": "month", "periods": 2},
            "periods must be left out with every, got every='month' and periods=2; pass one of them.",
        ),
        ([1, 2, 3], {"periods": 1}, "periods must be a whole number of at least 2, got 1; 12 is usual."),
        (
            [1, "a", 3],
            {},
            "time must name a column of dates, numbers or text, got 'time' with values of several types; convert it "
            "first.",
        ),
        (
            ["a", "b", "c"],
            {"every": "day"},
            "every='day' needs a column of dates, but 'time' contains text; leave out every, or convert the column to "
            "dates.",
        ),
        (
            ["admin", "clerk", "nurse"],
            {},
            "time must name a column whose values can be put in order, got 'time' with 'admin', 'clerk' and 1 more; "
            "use dates, numbers, or periods such as 2020-Q1.",
        ),
        (
            ["2020-01-01", "n/a", "2020-01-03"],
            {},
            "time must hold dates such as 2020-01-31, got 'n/a' in row 2 of 'time'; correct them, or leave such cells "
            "empty.",
        ),
        (
            ["2020-01-01", "2020-02-30", "2020-03-01"],
            {"every": "month"},
            "time must hold dates such as 2020-01-31, got '2020-02-30' in row 2 of 'time'; correct them, or leave such "
            "cells empty.",
        ),
    ],
)
def test_bad_input(time: Any, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as error:
        read_time(None, time, 3, **{"every": None, "periods": None, **options})
    assert str(error.value) == sentence


def test_a_wrong_column_suggests_the_right_one() -> None:
    with pytest.raises(InputError, match="Did you mean 'day'"):
        read_time(pd.DataFrame({"day": DAYS}), "dya", 60, every=None, periods=None)


def test_durations_can_be_cut_evenly() -> None:
    assert len(names([timedelta(hours=hour) for hour in range(9)], periods=3)) == 3


def test_names_of_months_have_an_order() -> None:
    assert names(["feb", "jan", "mar"]) == ["jan", "feb", "mar"]

"""How rows are cut into periods: the calendar, the length that is chosen, values in order, what is refused."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shiftproof.core import InputError, as_table
from shiftproof.data import PeriodCut, cut_periods
from shiftproof.data._periods import _period_name


def cut(values: Any, every: Any = None, *, name: str = "day") -> PeriodCut:
    return cut_periods(as_table({name: values}, "current").column(name), every)


def names(values: Any, every: Any = None) -> list[str]:
    return [name for name, _, _, _ in cut(values, every).periods]


def test_every_row_is_in_one_period_or_counted() -> None:
    days = np.array(["2009-04-30", "2009-01-31", "NaT", "2009-01-01", "2009-04-01", "NaT"], dtype="M8[D]")
    found = cut(days, "month")
    assert [(name, start, end, rows.tolist()) for name, start, end, rows in found.periods] == [
        ("2009-01", date(2009, 1, 1), date(2009, 1, 31), [1, 3]),
        ("2009-02", date(2009, 2, 1), date(2009, 2, 28), []),
        ("2009-03", date(2009, 3, 1), date(2009, 3, 31), []),
        ("2009-04", date(2009, 4, 1), date(2009, 4, 30), [0, 4]),
    ]
    assert (found.every, found.n_missing) == ("month", 2)


def test_months_without_a_day_are_cut_as_dates() -> None:
    months = ["2008-11", None, "2009-01", "2008-11"]
    assert [(name, rows.tolist()) for name, _, _, rows in cut(months, "month").periods] == [
        ("2008-11", [0, 3]),
        ("2008-12", []),
        ("2009-01", [2]),
    ]
    assert names(months, "quarter") == ["2008-Q4", "2009-Q1"]
    assert cut(months, "month").n_missing == 1
    for values, every in ((months, "week"), (["2008-13", "2008-11"], "month"), (["2008", "2009"], "year")):
        with pytest.raises(InputError, match=rf"^every='{every}' needs a column of dates, but"):
            cut(values, every)


@pytest.mark.parametrize(
    ("every", "called"),
    [
        ("day", ["2008-12-31", "2009-01-01"]),
        ("week", ["2009-W01"]),
        ("month", ["2008-12", "2009-01"]),
        ("quarter", ["2008-Q4", "2009-Q1"]),
        ("year", ["2008", "2009"]),
    ],
)
def test_calendar(every: str, called: list[str]) -> None:
    assert names(np.array(["2008-12-31T23:59:59", "2009-01-01T00:00:00"], dtype="M8[s]"), every) == called


def test_weeks_are_those_of_iso_8601() -> None:
    for monday in np.arange("1969-12-22", "2011-01-20", 7, dtype="M8[D]"):
        year, week, day = monday.item().isocalendar()
        assert (_period_name(monday, "week"), day) == (f"{year}-W{week:02d}", 1)
    found = cut(np.array(["1969-12-31", "1970-01-05"], dtype="M8[D]"), "week")
    assert [(start, end) for _, start, end, _ in found.periods] == [
        (date(1969, 12, 29), date(1970, 1, 4)),
        (date(1970, 1, 5), date(1970, 1, 11)),
    ]


@pytest.mark.parametrize(
    ("last", "every"),
    [
        ("2009-01-01", "day"),
        ("2009-01-12", "day"),
        ("2009-03-20", "week"),
        ("2009-12-31", "month"),
        ("2011-12-31", "quarter"),
        ("2019-12-31", "year"),
        ("2199-12-31", "year"),
    ],
)
def test_the_length_that_gives_about_twelve(last: str, every: str) -> None:
    assert cut(np.array(["2009-01-01", last], dtype="M8[D]")).every == every


@pytest.mark.parametrize(
    "convert",
    [pd.Series, pl.Series, pa.array, list, lambda days: pd.Series(pd.to_datetime(days, utc=True))],
    ids=["pandas", "polars", "pyarrow", "list", "time zone"],
)
def test_dates_of_any_library(convert: Any) -> None:
    days = [pd.Timestamp("2009-01-31T23:00"), None, pd.Timestamp("2009-02-01")]
    found = cut(convert(days), "month")
    assert [(name, rows.tolist()) for name, _, _, rows in found.periods] == [("2009-01", [0]), ("2009-02", [2])]
    assert found.n_missing == 1


def test_cut_periods_orders_numbers_text_and_categories() -> None:
    assert names([10, 9, 200805]) == ["9", "10", "200805"]
    assert names([10.0, 9.5, np.nan]) == ["9.5", "10"]
    assert names(["b", "a", None]) == ["a", "b"]
    assert names([True, False]) == ["False", "True"]
    assert names(pd.Series(["jan", "mar"], dtype=pd.CategoricalDtype(["mar", "feb", "jan"], ordered=True))) == [
        "mar",
        "jan",
    ]
    assert names(pd.Series(["mar", "jan"], dtype="category")) == ["jan", "mar"]


def test_values_are_their_own_starts_and_ends() -> None:
    found = cut(["b", "a", None, "b"])
    assert [(start, end, rows.tolist()) for _, start, end, rows in found.periods] == [
        ("a", "a", [1]),
        ("b", "b", [0, 3]),
    ]
    assert (found.every, found.n_missing) == (None, 1)


@pytest.mark.parametrize(
    ("values", "every", "sentence"),
    [
        ([None, None], None, "by must name a column with values, got 'day', which has none; name another."),
        (
            [1, 2],
            "month",
            "every='month' needs a column of dates, but 'day' contains numbers; leave out every, or convert the "
            "column to dates.",
        ),
        (
            [1, "a"],
            None,
            "by must name a column of dates, numbers or text, got 'day' with values of several types; convert it "
            "first.",
        ),
        (
            [date(2009, 1, 1), date(2009, 1, 2)],
            "hour",
            "every must be one of 'day', 'week', 'month', 'quarter', 'year'; got 'hour'.",
        ),
        (
            [date(1900, 1, 1), date(2009, 1, 1)],
            "month",
            "every must give at most 1,000 periods, got 1,309 months from 1900-01-01 to 2009-01-01; choose longer "
            "periods, or check the dates.",
        ),
        (
            list(range(201)),
            None,
            "by must name a column of dates, or of at most 200 different values, got 'day' with 201 (numbers); convert "
            "it to dates, or round it.",
        ),
    ],
)
def test_bad_input(values: list[Any], every: Any, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        cut(values, every)
    assert str(error.value) == sentence

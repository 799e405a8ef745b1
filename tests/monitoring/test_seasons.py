from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from shiftproof import InputError
from shiftproof.core import as_table
from shiftproof.monitoring import Baseline, Monitor
from shiftproof.monitoring._seasons import Seasons

MONDAY = "2024-01-01"


def days(first: str, count: int, per_day: int, *, seed: int = 0, shift: float = 0.0) -> pd.DataFrame:
    """Make rows whose age rises from Monday to Sunday."""
    rng = np.random.default_rng(seed)
    day = pd.date_range(first, periods=count, freq="D").repeat(per_day)
    age = rng.normal(40 + 2 * day.day_of_week.to_numpy() + shift, 5)
    p = 1 / (1 + np.exp((46 - age) / 5))
    hours = pd.to_timedelta(rng.integers(0, 24, len(day)), unit="h")
    job = np.where(rng.random(len(day)) < 0.1 + 0.1 * day.day_of_week.to_numpy(), "a", "b")
    return pd.DataFrame({"t": day + hours, "age": age, "job": job, "p": p, "y": rng.random(len(day)) < p})


@pytest.fixture(scope="module")
def seasonal() -> Baseline:
    return Baseline.of(days(MONDAY, 70, 80), scores="p", labels="y", time="t", season="weekday", every="week")


def batch(first: str, count: int = 1, per_day: int = 200, **how: Any) -> pd.DataFrame:
    return days(first, count, per_day, seed=1, **how).drop(columns="y")


def season_of(moments: Any, every: Any = "weekday", **how: Any) -> list[int]:
    zone, groups = how.get("zone", "UTC"), tuple(range(7 if every == "weekday" else 168))
    seasons = Seasons(every=every, column="t", zone=zone, groups=groups)
    codes: list[int] = seasons.codes(as_table({"t": moments}), how.get("at")).tolist()
    return codes


def test_days_and_hours_of_the_week_begin_on_monday() -> None:
    moments = pd.to_datetime(["2024-01-01 00:00", "2024-01-07 23:59", "2024-01-02 13:30"])
    assert season_of(moments) == [0, 6, 1]
    assert season_of(moments, "hour-of-week") == [0, 167, 37]


@pytest.mark.parametrize(
    "column",
    [
        np.array(["2024-01-02", "2024-01-06"], dtype="M8[D]"),
        [datetime(2024, 1, 2, tzinfo=UTC), datetime(2024, 1, 6, 23, tzinfo=UTC)],
        [datetime(2024, 1, 2).date(), datetime(2024, 1, 6).date()],
        pl.Series([datetime(2024, 1, 2), datetime(2024, 1, 6)]),
    ],
)
def test_times_of_every_library_have_a_season(column: Any) -> None:
    assert season_of(column) == [1, 5]


def test_a_day_begins_in_the_zone_of_the_reference_also_when_clocks_change() -> None:
    # Sunday 23:30 UTC is Monday in Berlin; on 31 March 2024 clocks went from 2:00 to 3:00 there.
    moments = pd.to_datetime(["2024-01-07 23:30", "2024-03-31 00:30", "2024-03-31 01:30"], utc=True)
    assert season_of(moments, "hour-of-week", zone="Europe/Berlin") == [0, 6 * 24 + 1, 6 * 24 + 3]
    assert season_of(moments, zone="UTC") == [6, 6, 6]
    table = days(MONDAY, 70, 20)
    zoned = table.assign(t=table["t"].dt.tz_localize("Asia/Tokyo"))
    assert Baseline.of(zoned, time="t", season="weekday", every="week").seasons == Seasons(
        every="weekday", column="t", zone="Asia/Tokyo", groups=(0, 1, 2, 3, 4, 5, 6)
    )


def test_rows_without_a_time_take_that_of_the_batch() -> None:
    sunday = datetime(2024, 1, 7, tzinfo=UTC)
    moments = pd.Series([pd.Timestamp("2024-01-01"), pd.NaT, pd.Timestamp("2024-01-03")])
    assert season_of(moments, at=sunday) == [0, 6, 2]
    seasons = Seasons(every="weekday", column="t", zone="UTC", groups=tuple(range(7)))
    assert seasons.codes(as_table({"x": [1, 2]}), sunday).tolist() == [6, 6]
    with pytest.raises(InputError) as caught:
        season_of(moments)
    assert str(caught.value) == (
        "batch has 1 row without a time in 't', and its rows are compared by weekday; pass at, the time of the batch."
    )
    with pytest.raises(InputError) as caught:
        seasons.codes(as_table({"x": [1, 2]}), None)
    assert str(caught.value) == (
        "batch has no column 't', and its rows are compared by weekday; pass at, the time of the batch."
    )


def test_days_with_few_reference_rows_are_compared_together() -> None:
    table = days(MONDAY, 70, 20)
    weekend = table["t"].dt.day_of_week >= 5
    few = pd.concat([table[~weekend], table[weekend][:60]])
    baseline = Baseline.of(few, time="t", season="weekday", every="week")
    assert baseline.seasons is not None
    assert baseline.seasons.groups == (0, 1, 2, 3, 4, 5, 5)
    assert baseline.seasons.names[5] == "Saturday or Sunday"
    assert "Fewer than 50 baseline rows in some seasons: Saturday or Sunday are compared together." in (
        baseline.summary()
    )
    assert "Saturday or Sunday has only 60 baseline rows" in baseline.summary()


def test_hours_with_few_reference_rows_have_one_name() -> None:
    table = days(MONDAY, 140, 80)
    baseline = Baseline.of(table[table["t"].dt.hour < 12], time="t", season="hour-of-week", every="week")
    assert baseline.seasons is not None
    assert baseline.seasons.names[-1] == "other hours"
    assert sum(part.n_rows for part in baseline.parts) == baseline.n_rows


@pytest.mark.parametrize(
    ("change", "how", "message"),
    [
        (
            {},
            {"time": None},
            "season='weekday' needs the times of rows; name their column in time.",
        ),
        (
            {},
            {"season": "month"},
            "season must be one of 'weekday', 'hour-of-week'; got 'month'.",
        ),
        (
            {"t": lambda table: table["t"].where(table.index > 2)},
            {},
            "time must have a time in every row for seasons, got 3 without one; drop these rows, or leave season out.",
        ),
        (
            {"t": lambda table: table["t"].dt.normalize()},
            {"season": "hour-of-week"},
            "time must have times of day for season='hour-of-week', got dates in 't'; pass season='weekday'.",
        ),
        (
            {"t": lambda table: table["t"].dt.strftime("%A")},
            {"every": None},
            "time must name a column of dates for seasons, got text in 't'; write times as 2024-01-31 or "
            "2024-01-31T12:00.",
        ),
        (
            {"t": lambda _: pd.Timestamp(MONDAY)},
            {"every": None},
            "reference must have at least two seasons of 50 rows, got one, with 280 rows; use a longer reference, "
            "or leave season out.",
        ),
    ],
)
def test_seasons_that_cannot_be_made_are_refused(change: Any, how: Any, message: str) -> None:
    table = days(MONDAY, 14, 20)
    with pytest.raises(InputError) as caught:
        Baseline.of(table.assign(**change), **({"time": "t", "season": "weekday", "every": "day"} | how))
    assert str(caught.value) == message


def test_batch_is_compared_with_its_weekday(seasonal: Baseline) -> None:
    plain = Baseline.of(days(MONDAY, 70, 80).drop(columns="t"), scores="p", labels="y")
    sunday = batch("2024-06-02")
    for name, near in (("age", 0.12), ("job", 0.12)):
        assert seasonal.summarise(sunday).columns[name].distance < near
        assert plain.summarise(sunday.drop(columns="t")).columns[name].distance > 0.2
    by_time = seasonal.summarise(sunday.drop(columns="t"), at="2024-06-02")
    assert by_time.columns == seasonal.summarise(sunday).columns
    assert by_time.notes[-1].detail == "'Sunday'"
    assert seasonal.summarise(sunday).shift_kind in ("none", "unclear")


def test_batch_of_a_week_is_compared_with_all_days(seasonal: Baseline) -> None:
    summary = seasonal.summarise(batch("2024-06-03", 7, 60))
    assert summary.columns["age"].distance < 0.08
    assert summary.notes[-1].detail == "all seasons"
    assert sorted(summary.facts.seasons) == [0, 1, 2, 3, 4, 5, 6]
    assert sum(int(counts[0].sum()) for counts in summary.facts.seasons.values()) == 420


def test_accuracy_of_a_worse_day_is_no_harm(seasonal: Baseline) -> None:
    # On Wednesdays the model is least sure.
    wednesday = seasonal.summarise(batch("2024-06-05", per_day=2000))
    assert wednesday.accuracy is not None
    assert seasonal.validated is not None
    assert wednesday.facts.accuracy is not None
    assert wednesday.accuracy.estimate < seasonal.validated - 0.01
    assert wednesday.facts.accuracy > wednesday.accuracy.estimate + 0.01


def test_seasons_come_back_from_a_folder_and_add_up(seasonal: Baseline, tmp_path: Path) -> None:
    again = Baseline.load(seasonal.save(tmp_path / "baseline"))
    assert again.same_as(seasonal)
    assert again.seasons == seasonal.seasons
    sunday = batch("2024-06-02")
    assert again.summarise(sunday).to_dict() == seasonal.summarise(sunday).to_dict()
    more = Baseline.of(days("2024-04-01", 21, 30), scores="p", labels="y", time="t", cells=seasonal)
    total = seasonal + more
    assert [part.n_rows for part in total.parts] == [890] * 7
    assert total.parts[0].columns["age"].total.sum() == 890
    plain = Baseline.of(days(MONDAY, 70, 80).drop(columns="t"), scores="p", labels="y")
    with pytest.raises(InputError, match="same"):
        seasonal + Baseline.of(days(MONDAY, 70, 80), scores="p", labels="y", cells=plain)
    with pytest.raises(InputError) as caught:
        Baseline.of(days(MONDAY, 70, 80), scores="p", labels="y", cells=seasonal, season="hour-of-week")
    assert str(caught.value) == (
        "season must be 'weekday', got 'hour-of-week'; leave season out to use that of the baseline given as cells."
    )


def test_monitor_compares_days_with_their_weekday_and_finds_a_change(seasonal: Baseline, tmp_path: Path) -> None:
    monitor = Monitor(tmp_path / "monitor.db", seasonal)
    for number, day in enumerate(pd.date_range("2024-06-03", periods=10, freq="D")):
        update = monitor.add(days(str(day), 1, 150, seed=number + 5).drop(columns="y"), at=day, id=str(number))
        assert not update.open_incidents
    week = days("2024-06-17", 7, 100, seed=99, shift=4.0).drop(columns="y")
    update = monitor.add(week, at="2024-06-23", id="week")
    assert (update.opened[0].level, update.opened[0].likeliest.id) == ("changed", "week")
    # The data are back, in other seasons than those of the incident.
    for number, day in enumerate(pd.date_range("2024-06-24", periods=8, freq="D")):
        update = monitor.add(days(str(day), 1, 150, seed=number + 50).drop(columns="y"), at=day, id=f"later {number}")
    changed = next(incident for incident in monitor.incidents if incident.level == "changed")
    assert changed.recovered is not None
    monitor.acknowledge(changed, "a test")
    assert "Compared with the baseline rows of 'Monday'." in update.summary()
    with pytest.raises(InputError, match="pass at, the time of the batch"):
        monitor.add(week.drop(columns="t"), id="without a time")

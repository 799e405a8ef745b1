from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from shiftproof.backtesting import Backtest
from shiftproof.backtesting._ages import ModelAge
from shiftproof.backtesting._result import PastEstimate, PastPeriod
from shiftproof.case import DriftRecord
from shiftproof.core import Interval, Note


def made(misses: int = 1, total: int = 10, **changes: Any) -> Backtest:
    """Return a backtest whose estimates are off by two points, and by ten in the first periods."""
    periods = []
    for place in range(total):
        error = 0.1 if place < misses else 0.02
        interval = Interval(estimate=0.8 + error, low=0.76 + error, high=0.84 + error, level=0.9, method="x")
        one = PastEstimate(validated=0.85, interval=interval, actual=0.8, refused=False)
        estimates = {"lr": {"accuracy": one}}
        periods.append(
            PastPeriod(name=f"2020-{place}", start=0, end=0, n_before=9, n_rows=9, estimates=estimates, baseline=0.7)
        )
    facts: dict[str, Any] = {
        "periods": tuple(periods),
        "record": DriftRecord(squares={}),
        "ages": (),
        "aged_by": "accuracy",
        "every": "quarter",
        "time": "day",
        "window": "expanding",
        "hidden": (),
        "n_undated": 0,
        "level": 0.9,
        "positive": 1,
        "fits": 60,
    }
    return Backtest(**facts | changes)


def age(number: int, loss: float, low: float) -> ModelAge:
    interval = Interval(estimate=loss, low=low, high=2 * loss - low, level=0.9, method="student")
    return ModelAge(model="lr", age=number, loss=interval, n_periods=5)


def test_summary_says_how_often_intervals_were_right_and_how_far_figures_were_off() -> None:
    result = made()
    assert result.headline == "In 9 of 10 past quarters the actual accuracy was inside our 90% interval."
    assert result.summary() == (
        "In 9 of 10 past quarters the actual accuracy of lr was inside our 90% interval (mean width 8.0 points). "
        "Cross-validation was off by 5.0 points on average, our estimate by 2.8 points."
    )


@pytest.mark.parametrize(
    ("misses", "total", "tone"), [(1, 10, "good"), (4, 10, "care"), (6, 10, "bad"), (0, 2, "unknown")]
)
def test_tone(misses: int, total: int, tone: str) -> None:
    assert made(misses, total).tone == tone


@pytest.mark.parametrize(
    ("squares", "words"),
    [
        (
            (0.0,) * 4,
            "These data drift less than other data sets: the standard error for drift becomes 0.71 times the usual "
            "value.",
        ),
        (
            (9.0,) * 4,
            "These data drift more than other data sets: the standard error for drift becomes 2.24 times the usual "
            "value.",
        ),
        (
            (1.0,) * 4,
            "These data drift about as much as other data sets, so the standard error for drift hardly changes.",
        ),
    ],
)
def test_drift(squares: tuple[float, ...], words: str) -> None:
    # Four known quarters divide the chance of a break by five.
    breaks = "After 4 known quarters, a sudden break is assumed to be less likely: 1.2% instead of 6.0%."
    assert made(record=DriftRecord(squares={"accuracy": squares})).summary().endswith(f"{words} {breaks}")


def test_two_periods_say_nothing_about_drift() -> None:
    assert "drift" not in made(record=DriftRecord(squares={"accuracy": (9.0, 9.0)})).summary()


@pytest.mark.parametrize(
    ("ages", "words"),
    [
        (
            (age(1, 0.002, 0.001), age(2, 0.02, 0.01)),
            "Fitted 2 quarters earlier, lr loses 2.0 points of accuracy: refit it at least every 2 quarters.",
        ),
        (
            (age(1, 0.02, 0.01),),
            "Fitted 1 quarter earlier, lr loses 2.0 points of accuracy: refit it at least every quarter.",
        ),
        (
            (age(1, 0.02, -0.01), age(2, 0.02, -0.01)),
            "Refitting lr more often would not clearly have helped: when 2 quarters older, it was 2.0 points worse in "
            "accuracy (-1.0 to 5.0).",
        ),
        (
            (age(1, 0.0, -0.001),),
            "Refitting lr more often would not have helped: it is just as good when 1 quarter older.",
        ),
        (
            (age(1, 0.02, -0.01), replace(age(2, 0.06, -0.1), n_periods=2)),
            "Refitting lr more often would not clearly have helped: when 1 quarter older, it was 2.0 points worse in "
            "accuracy (-1.0 to 5.0).",
        ),
        (
            (replace(age(1, 0.02, -0.01), n_periods=2),),
            "Whether lr gets worse with age cannot be determined: too few quarters were also scored by an older lr (2 "
            "were; 3 are needed).",
        ),
    ],
)
def test_age(ages: tuple[ModelAge, ...], words: str) -> None:
    assert made(ages=ages).summary().endswith(words)


def test_periods_that_were_skipped_are_named() -> None:
    result = made(total=5)
    skipped = Note(code="too few rows", detail="3 rows; at least 20 are needed")
    periods = [replace(period, estimates={}, skipped=skipped) for period in result.periods[:4]]
    words = replace(result, periods=(*periods, result.periods[4])).words()
    assert str(words).endswith(
        "4 of 5 quarters could not be replayed: 2020-0 (3 rows; at least 20 are needed), 2020-1 (3 rows; at least "
        "20 are needed), 2020-2 (3 rows; at least 20 are needed) and 1 more."
    )
    assert "2020-0" not in words.redacted()


def test_one_row_without_a_time() -> None:
    assert made(n_undated=1).summary().endswith("1 row without a time was left out.")

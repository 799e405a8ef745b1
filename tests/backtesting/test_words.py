from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from shiftproof.backtesting import Backtest
from shiftproof.backtesting._ages import ModelAge
from shiftproof.backtesting._result import PastEstimate, PastPeriod
from shiftproof.backtesting._words import compared_words
from shiftproof.case import DriftRecord
from shiftproof.core import Interval, Note

NAN = float("nan")
INTERVAL = Interval(estimate=0.8, low=0.7, high=0.9, level=0.9, method="x")


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
            "These data drift less than other data sets, so intervals for new data assume 0.71 times the usual drift.",
        ),
        (
            (9.0,) * 4,
            "These data drift more than other data sets, so intervals for new data assume 2.24 times the usual drift.",
        ),
        (
            (1.0,) * 4,
            "These data drift about as much as other data sets, so intervals for new data assume the usual drift.",
        ),
    ],
)
def test_drift(squares: tuple[float, ...], words: str) -> None:
    # Four known quarters divide the chance of a break by five.
    breaks = "With 4 past quarters known, they assume a lower chance of a sudden break: 1.4% instead of 7.0%."
    assert made(record=DriftRecord(squares={"accuracy": squares})).summary().endswith(f"{words} {breaks}")


def test_two_periods_say_nothing_about_drift() -> None:
    assert "drift" not in made(record=DriftRecord(squares={"accuracy": (9.0, 9.0)})).summary()


@pytest.mark.parametrize(
    ("ages", "words"),
    [
        (
            (age(1, 0.002, 0.001), age(2, 0.02, 0.01)),
            "When 2 quarters old, lr is 2.0 points worse in accuracy than when just refitted: refit it before it is 2 "
            "quarters old.",
        ),
        (
            (age(1, 0.02, 0.01),),
            "When 1 quarter old, lr is 2.0 points worse in accuracy than when just refitted: refit it every quarter.",
        ),
        (
            (age(1, 0.02, -0.01), age(2, 0.02, -0.01)),
            "Refitting lr every quarter would not clearly have helped: when 2 quarters old, it was 2.0 points worse in "
            "accuracy (-1.0 to 5.0).",
        ),
        (
            (age(1, 0.0, -0.001),),
            "Refitting lr every quarter would not have helped: when 1 quarter old, it is just as good as when just "
            "refitted.",
        ),
        (
            (age(1, 0.02, -0.01), replace(age(2, 0.06, -0.1), n_periods=2)),
            "Refitting lr every quarter would not clearly have helped: when 1 quarter old, it was 2.0 points worse in "
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


def test_details_do_not_repeat_the_headline() -> None:
    result = made()
    assert str(result.details).startswith("The intervals of lr are 8.0 points wide on average. Cross-validation was")
    refused = PastEstimate(
        validated=0.85, interval=replace(INTERVAL, estimate=NAN, low=NAN, high=NAN), actual=0.8, refused=True
    )
    periods = tuple(replace(period, estimates={"lr": {"accuracy": refused}}) for period in result.periods)
    nothing = replace(result, periods=periods)
    assert nothing.headline == "The accuracy could not be estimated in any past quarter."
    assert str(nothing.details) == ""
    assert nothing.summary() == nothing.headline


def test_ages_with_few_periods_are_named() -> None:
    ages = (age(1, 0.02, 0.01), replace(age(2, 0.02, 0.01), n_periods=2), replace(age(3, 0.02, 0.01), n_periods=2))
    assert compared_words(made(ages=ages[:1])) == "Models 1 quarter old were compared in 5 quarters."
    assert compared_words(made(ages=ages)) == (
        "Models 1 quarter old were compared in 5 quarters. Models 2 and 3 quarters old were compared in fewer than 3 "
        "quarters, too few to judge."
    )
    assert compared_words(made()) == ""


def test_one_row_without_a_time() -> None:
    assert made(n_undated=1).summary().endswith("1 row without a time was left out.")

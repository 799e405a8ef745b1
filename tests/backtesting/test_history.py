from __future__ import annotations

import math
from dataclasses import replace

import pytest

from shiftproof.backtesting._history import estimates_after, record_of
from shiftproof.backtesting._result import PastEstimate, PastPeriod
from shiftproof.core import Interval

VALUES = {
    "validated": 0.8,
    "estimate": 0.7,
    "shares": [1.0],
    "centres": [0.7],
    "variances": [0.0009],
    "allowance": 0.04,
    "broken": -0.1,
    "prior": None,
    "actual": 0.72,
    "refused": False,
}


def period(*errors: float, allowance: float = 0.04, refused: bool = False) -> PastPeriod:
    estimates = {
        f"m{place}": {
            "accuracy": PastEstimate(
                validated=0.8,
                interval=Interval(estimate=0.8 + error, low=0.75 + error, high=0.85 + error, level=0.9, method="x"),
                actual=0.8,
                refused=refused,
                uncorrected=0.8 + error,
                sampling=0.03,
                allowance=allowance,
            )
        }
        for place, error in enumerate(errors)
    }
    return PastPeriod(name="p", start=0, end=0, n_before=9, n_rows=9, estimates=estimates)


def test_a_record_has_one_square_per_period() -> None:
    record = record_of([period(0.05, 0.01), period(0.03)], "month")
    assert record.squares["accuracy"] == pytest.approx((0.52, 0.36))
    assert record.weights["accuracy"] == pytest.approx((0.64, 0.64))
    assert record.errors["accuracy"] == pytest.approx((0.6, 0.6))
    assert record.noun == "month"


def test_a_record_counts_covered_periods_by_model() -> None:
    record = record_of([period(0.06, 0.01), period(0.03, 0.0)], "month")
    assert record.covered["accuracy"] == {"m0": (1, 2), "m1": (2, 2)}


@pytest.mark.parametrize("past", [period(math.nan), period(0.05, allowance=math.nan), period(0.05, allowance=0)])
def test_estimates_without_an_allowance_say_nothing_about_drift(past: PastPeriod) -> None:
    assert record_of([past], "month").squares == {}


def test_a_refused_period_says_how_far_estimates_are_off_but_not_whether_they_were_right() -> None:
    record = record_of([period(0.05, refused=True)], "month")
    assert record.squares["accuracy"] == pytest.approx((1.0,))
    assert record.covered["accuracy"] == {}


def reached(outside: float) -> PastPeriod:
    return replace(period(0.01), reach={"outside": outside, "correlation_change": 0.0})


def test_a_record_has_seen_how_far_periods_were_away() -> None:
    record = record_of([reached(0.9), reached(0.2), reached(0.1)], "month")
    assert [reach["outside"] for reach in record.seen] == [0.9, 0.2, 0.1]
    assert record_of([reached(0.9), reached(0.2)], "month").seen == ()


def test_a_period_in_which_something_broke_excuses_nothing() -> None:
    broke = replace(period(0.3), reach={"outside": 0.9, "correlation_change": 0.0})
    assert len(record_of([broke, reached(0.2), reached(0.1)], "month").seen) == 2


@pytest.mark.parametrize(
    ("foreign_by", "refused"),
    [({"outside": 0.85}, False), ({"outside": 0.95}, True), ({"outside": 0.85, "correlation_change": 0.2}, True)],
)
def test_a_foreign_period_is_estimated_if_the_past_has_differed_as_much(
    foreign_by: dict[str, float], refused: bool
) -> None:
    record = record_of([reached(0.9), reached(0.9), reached(0.1)], "month")
    estimated = estimates_after({"lr": {"accuracy": VALUES | {"refused": True}}}, record, 0.9, foreign_by)["lr"][
        "accuracy"
    ]
    assert estimated.refused is refused
    assert math.isnan(estimated.interval.low) is refused
    assert estimated.uncorrected == 0.7


def test_errors_that_last_move_the_estimate_and_its_interval() -> None:
    record = record_of([period(-0.1), period(-0.1), period(-0.1)], "month")
    plain, moved = (
        estimates_after({"lr": {"accuracy": VALUES}}, one, 0.9, {})["lr"]["accuracy"]
        for one in (replace(record, errors={}), record)
    )
    # Two thirds of an error of two standard errors; each is 5 points.
    assert moved.interval.estimate - plain.interval.estimate == pytest.approx(0.2 / 3)
    assert moved.interval.low - plain.interval.low == pytest.approx(0.2 / 3)
    assert moved.uncorrected == plain.interval.estimate == 0.7

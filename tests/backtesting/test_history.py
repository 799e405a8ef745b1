from __future__ import annotations

import math

import pytest

from shiftproof.backtesting._history import record_of
from shiftproof.backtesting._result import PastEstimate, PastPeriod
from shiftproof.core import Interval


def period(*errors: float, allowance: float = 0.04, refused: bool = False) -> PastPeriod:
    estimates = {
        f"m{place}": {
            "accuracy": PastEstimate(
                validated=0.8,
                interval=Interval(estimate=0.8 + error, low=0.75 + error, high=0.85 + error, level=0.9, method="x"),
                actual=0.8,
                refused=refused,
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
    assert record.noun == "month"


def test_a_record_counts_covered_periods_by_model() -> None:
    record = record_of([period(0.06, 0.01), period(0.03, 0.0)], "month")
    assert record.covered["accuracy"] == {"m0": (1, 2), "m1": (2, 2)}


@pytest.mark.parametrize(
    "past", [period(0.05, refused=True), period(0.05, allowance=math.nan), period(0.05, allowance=0)]
)
def test_estimates_without_an_allowance_say_nothing_about_drift(past: PastPeriod) -> None:
    assert record_of([past], "month").squares == {}

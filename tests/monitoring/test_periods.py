from __future__ import annotations

import numpy as np
import pytest

from shiftproof.core import InputError
from shiftproof.monitoring import Baseline
from shiftproof.monitoring._periods import independent_rows


def rows(n_periods: int, spread: float) -> dict[str, np.ndarray]:
    """Draw periods of 50 rows whose means differ by a standard deviation of `spread`."""
    rng = np.random.default_rng(0)
    period = np.repeat(np.arange(n_periods), 50)
    x = rng.normal(size=len(period)) + spread * rng.normal(size=n_periods)[period]
    return {"x": x, "day": period, "p": rng.random(len(period))}


def test_measure_periods_finds_periods_that_differ() -> None:
    baseline = Baseline.of(rows(20, 0.5), scores="p", time="day")
    assert baseline.mean_period == 50
    assert baseline.design_effect["x"] > 8
    assert baseline.design_effect["p"] < 3
    assert baseline.left_out == {"day": "time"}
    assert "assume independent rows" not in baseline.summary()
    assert "Periods differ, most in 'x': for this column a batch is worth at most" in baseline.summary()


def test_measure_periods_finds_periods_that_differ_in_missing_values_or_categories() -> None:
    rng = np.random.default_rng(1)
    table = rows(20, 0.0)
    day = table["day"]
    table["gap"] = np.where(rng.random(len(day)) < rng.uniform(0, 0.3, 20)[day], np.nan, table["x"])
    table["job"] = np.where(rng.random(len(day)) < rng.uniform(0, 0.4, 20)[day], "b", rng.choice(list("ac"), len(day)))
    effect = Baseline.of(table, time="day").design_effect
    assert effect["x"] < 3
    assert effect["gap"] > 4
    assert effect["job"] > 4


def test_independent_rows_are_those_of_the_column_whose_periods_differ_most() -> None:
    assert independent_rows({"x": 5.0, "z": 2.0}, 60.0) == 15
    assert independent_rows({"x": 500.0}, 60.0) == 1
    assert independent_rows({"x": 1.0}, 60.0) is independent_rows({}, None) is None


def test_measure_periods_needs_ten() -> None:
    baseline = Baseline.of(rows(9, 0.5), time="day")
    assert baseline.design_effect == {}
    assert baseline.mean_period is None
    sentence = "Column 'day' has 9 periods; 10 are needed to measure how far periods differ."
    assert baseline.summary().endswith(sentence)


def test_measure_periods_refuses_a_length_of_what_are_no_dates() -> None:
    with pytest.raises(InputError, match="every"):
        Baseline.of(rows(12, 0.5), time="day", every="month")


def test_measure_periods_refuses_a_length_without_a_time() -> None:
    with pytest.raises(InputError, match=r"^every must be given with time, got 'month'; name a column of dates\.$"):
        Baseline.of(rows(12, 0.5), every="month")

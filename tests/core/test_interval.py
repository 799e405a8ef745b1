from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError

import pytest

from shiftproof.core import InputError, Interval


def make(**changes: float) -> Interval:
    ends = {"estimate": 0.5, "low": 0.4, "high": 0.7, "level": 0.95} | changes
    return Interval(method="wilson", **ends)


def test_interval_knows_its_ends() -> None:
    interval = make()
    assert 0.4 in interval
    assert 0.7 in interval
    assert 0.71 not in interval
    assert interval.width == pytest.approx(0.3)
    assert str(interval) == "0.500 [0.400, 0.700]"


def test_interval_is_json() -> None:
    assert json.loads(json.dumps(make().to_dict())) == {
        "estimate": 0.5,
        "low": 0.4,
        "high": 0.7,
        "level": 0.95,
        "method": "wilson",
    }


def test_interval_is_frozen_and_compares_by_value() -> None:
    interval = make()
    with pytest.raises(FrozenInstanceError):
        interval.low = 0.0  # type: ignore[misc]
    assert interval == make()
    assert interval != make(low=0.3)


def test_interval_with_nan_ends_contains_nothing() -> None:
    interval = make(low=math.nan, high=math.nan)
    assert 0.5 not in interval
    assert math.isnan(interval.width)


def test_swapped_ends_are_refused() -> None:
    with pytest.raises(InputError) as error:
        make(low=0.8)
    assert str(error.value) == "low must not be above high, got 0.8 above 0.7; swap the two ends."


def test_level_is_a_share_and_not_percent() -> None:
    with pytest.raises(InputError) as error:
        make(level=95)
    assert str(error.value) == "level must be a number strictly between 0 and 1, got 95; 0.95 means 95%."

"""What would be estimated without the columns that make the new data too different."""

from __future__ import annotations

import math

from shiftproof.auditing import Without
from shiftproof.auditing._words import without_text
from shiftproof.core import Interval, Sensitive


def without(low: float = 0.926, high: float = 0.967) -> Without:
    """Leave out a month that is new."""
    interval = Interval(estimate=(low + high) / 2, low=low, high=high, level=0.9, method="routed pool")
    values = {"month": Sensitive("'aug'")}
    return Without(
        columns=("month", "day"), values=values, model="lr", measure="accuracy", interval=interval, validated=0.94
    )


def test_without_text_offers_the_exclusion_and_hides_values() -> None:
    words = without_text(without())
    assert str(words) == (
        "Most different: 'month' (new: 'aug'), 'day'. Without them expect 92.6% to 96.7% accuracy from lr: pass "
        "exclude=['month', 'day']."
    )
    assert "aug" not in words.redacted()


def test_without_text_of_a_second_refusal_offers_nothing() -> None:
    refused = without(math.nan, math.nan)
    assert refused.refused
    assert str(without_text(refused)) == (
        "Most different: 'month' (new: 'aug'), 'day'. Without them the accuracy of lr cannot be estimated either."
    )


def test_without_to_dict_is_plain() -> None:
    assert without().to_dict()["values"] == {"month": "'aug'"}
    assert without(math.nan, math.nan).to_dict()["interval"]["low"] is None

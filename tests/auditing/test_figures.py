"""How an audit writes figures."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from tests.auditing.cases import expecting, with_estimate

from shiftproof.auditing._figures import interval_text, majority_text, span, validated_text, worst_case_text
from shiftproof.core import Interval

FOUND = expecting(0.77, 0.70, 0.79)


def test_an_interval_without_width_is_one_figure() -> None:
    assert span("70.0%", "79.0%") == interval_text(FOUND) == "70.0% to 79.0%"
    assert span("70.0%", "70.0%") == interval_text(expecting(0.7, 0.7, 0.7)) == "70.0%"


def test_the_worst_case_of_an_error_is_its_high_end() -> None:
    interval = Interval(estimate=0.2, low=0.15, high=0.3, level=0.9, method="routed pool")
    error = replace(with_estimate(FOUND, "error", interval=interval, validated=0.2), measure="error")
    assert (worst_case_text(FOUND), worst_case_text(error)) == ("70.0% accuracy", "30.0% error")


@pytest.mark.parametrize(
    ("validated", "deployed", "words"),
    [
        (0.8, False, "cross-validation estimates 80.0%"),
        (0.8, True, "on the labelled data its accuracy is 80.0%"),
        (math.nan, False, "on the labelled data it is not defined"),
    ],
)
def test_the_validated_figure_says_where_it_is_from(validated: float, deployed: bool, words: str) -> None:
    found: Any = SimpleNamespace(validated=validated, deployed=deployed, measure="accuracy")
    assert validated_text(found) == words


def test_the_class_of_the_baseline_is_written_as_other_values_are() -> None:
    assert majority_text(FOUND) == "'no'"

from __future__ import annotations

import dataclasses

import pytest

from shiftproof.stats import TestResult


def test_test_result_is_frozen_and_has_no_note_unless_given() -> None:
    result = TestResult(statistic=8.0, p_value=0.5, method="sign test, exact")
    assert result.note == ""
    assert result == TestResult(statistic=8.0, p_value=0.5, method="sign test, exact")
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.p_value = 0.01  # type: ignore[misc]


def test_test_result_is_not_collected_as_a_test() -> None:
    assert not TestResult.__test__

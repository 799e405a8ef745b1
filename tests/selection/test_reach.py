"""Accuracies and class proportions that stand on one page agree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftproof.core import Interval
from shiftproof.selection._reach import answer_shares, opposite, within_reach

SHARE = st.floats(0, 1)


def interval(low: float, estimate: float, high: float) -> Interval:
    return Interval(estimate=estimate, low=low, high=high, level=0.9, method="m")


@given(SHARE, SHARE, st.tuples(SHARE, SHARE, SHARE))
def test_accuracy_is_no_further_from_a_class_share_than_other_answers_allow(
    answered: float, share: float, figures: tuple[float, float, float]
) -> None:
    answers = np.array([answered, 1 - answered])
    shares = {0: interval(share * 0.9, share, min(share * 1.1, 1)), 1: interval(0.9 - share * 0.9, 1 - share, 1)}
    moved = within_reach(interval(*sorted(figures)), answers, shares)
    assert 0 <= moved.low <= moved.estimate <= moved.high <= 1
    for code, of_class in shares.items():
        others = 1 - answers[code] + 1e-9
        assert of_class.low - others <= moved.estimate <= of_class.high + others


def test_possible_accuracy_stays_and_one_answer_is_a_share() -> None:
    share, found = interval(0.7, 0.8, 0.9), interval(0.75, 0.82, 0.86)
    assert within_reach(found, np.array([0.95, 0.05]), {0: share}) == found
    assert within_reach(found, np.array([1.0, 0.0]), {0: share}) is share
    too_high = replace(found, estimate=0.97, high=0.98)
    assert within_reach(too_high, np.array([0.95, 0.05]), {0: share}).estimate == pytest.approx(0.95)
    assert within_reach(found, np.array([1.0, 0.0]), {}) == found


def test_answers_are_counted_and_errors_turn_around() -> None:
    assert answer_shares(np.array([1, 1, 0, 1]), 3).tolist() == [0.25, 0.75, 0]
    assert opposite(opposite(interval(0.25, 0.5, 1.0))) == interval(0.25, 0.5, 1.0)

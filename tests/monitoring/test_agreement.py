from __future__ import annotations

import numpy as np
import pytest

from shiftproof.case import SpreadShares
from shiftproof.core import Interval
from shiftproof.monitoring._agreement import agreeing, sharing_interval


def spread(*values: float, error: float) -> SpreadShares:
    errors = np.full(len(values), error)
    return SpreadShares.of(np.array(values), errors, errors, 0 * errors + 0.03)


@pytest.mark.parametrize(
    ("accuracy", "error", "expected"),
    [
        (0.9, 0.07, (0.9, 0.1)),  # the share gives way first, as far as chance explains
        (0.9, 0.02, (0.8664, 0.1336)),  # each gives way by half of the rest, since their allowances are equal
        (0.9, 0.0, (0.85, 0.15)),
        (0.7, 0.02, (0.7336, 0.2664)),  # a model that answers class 0 cannot be worse than its share
        (0.8, 0.02, (0.8, 0.2)),
    ],
)
def test_agreeing_moves_a_model_of_one_answer(accuracy: float, error: float, expected: tuple[float, float]) -> None:
    value, shares = agreeing(accuracy, 0.03, spread(0.8, 0.2, error=error), np.array([1.0, 0.0]))
    assert (value, shares.values[1]) == pytest.approx(expected)
    assert shares.values.sum() == pytest.approx(1.0)


def test_agreeing_leaves_estimates_that_can_both_be_true() -> None:
    start = spread(0.5, 0.3, 0.2, error=0.01)
    value, shares = agreeing(0.8, 0.03, start, np.array([0.6, 0.2, 0.2]))
    assert value == 0.8
    assert shares.values.tolist() == start.values.tolist()


def test_agreeing_of_three_classes_keeps_to_the_bounds() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        old, answers, accuracy = rng.dirichlet([0.5] * 3), rng.dirichlet([0.3] * 3), rng.random()
        value, shares = agreeing(accuracy, 0.03, spread(*old, error=rng.uniform(0, 0.1)), answers)
        assert shares.values.sum() == pytest.approx(1.0)
        assert shares.values.min() >= -1e-12
        assert (shares.values + answers).max() - 1 - 1e-9 <= value <= np.minimum(shares.values, answers).sum() + 1e-9


def test_agreeing_when_no_row_is_of_another_class() -> None:
    value, shares = agreeing(0.9, 0.03, spread(1.0, 0.0, 0.0, error=0.02), np.array([1.0, 0.0, 0.0]))
    assert (value, *shares.values) == pytest.approx((0.9156, 0.9156, 0.0422, 0.0422), abs=1e-4)


def test_sharing_interval_contains_both() -> None:
    accuracy, one = (
        Interval(estimate=0.8, low=low, high=high, level=0.9, method="m") for low, high in ((0.7, 0.9), (0.75, 1.0))
    )
    joined, shares = sharing_interval(accuracy, [one, one, one], np.array([0.0, 1.0, 0.0]))
    assert (joined.low, joined.high) == (shares[1].low, shares[1].high) == (0.7, 1.0)
    assert shares[0] is shares[2] is one
    assert sharing_interval(accuracy, [one, one], np.array([0.9, 0.1])) == (accuracy, [one, one])

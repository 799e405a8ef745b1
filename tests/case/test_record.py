from __future__ import annotations

import math

import numpy as np
import pytest

from shiftproof.case import DriftRecord, drift_square


def test_factor_joins_the_past_with_four_periods_of_natural_drift() -> None:
    record = DriftRecord(squares={"accuracy": (0.0, 0.0, 0.0, 0.0)})
    assert record.factor("accuracy") == pytest.approx(math.sqrt(4 / 8))
    assert (record.freedom("accuracy"), record.n_periods("accuracy")) == (8, 4)


def test_factor_grows_where_the_past_was_worse() -> None:
    assert DriftRecord(squares={"accuracy": (9.0, 9.0)}).factor("accuracy") == pytest.approx(math.sqrt(22 / 6))


@pytest.mark.parametrize("measure", ["accuracy", "auc"])
def test_one_period_or_none_changes_nothing(measure: str) -> None:
    record = DriftRecord(squares={"accuracy": (9.0,)})
    assert (record.factor(measure), record.freedom(measure)) == (1.0, 4.0)


def test_drift_square_is_zero_within_sampling_errors() -> None:
    assert drift_square(np.array([0.02]), np.array([0.03]), np.array([0.04])) == 0.0

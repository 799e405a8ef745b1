from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from shiftproof.case import BREAK_CHANCE, NO_RECORD, DriftRecord, drift_square
from shiftproof.case._record import read_history
from shiftproof.core import InputError


def test_factor_joins_the_past_with_four_periods_of_natural_drift() -> None:
    record = DriftRecord(squares={"accuracy": (0.0, 0.0, 0.0, 0.0)})
    assert record.factor("accuracy") == pytest.approx(math.sqrt(4 / 8))
    assert (record.freedom("accuracy"), record.n_periods("accuracy")) == (8, 4)


def test_factor_grows_where_the_past_was_worse() -> None:
    assert DriftRecord(squares={"accuracy": (9.0, 9.0, 9.0)}).factor("accuracy") == pytest.approx(math.sqrt(31 / 7))


@pytest.mark.parametrize("measure", ["accuracy", "auc"])
def test_two_periods_or_none_change_nothing(measure: str) -> None:
    record = DriftRecord(squares={"accuracy": (9.0, 9.0)})
    assert (record.factor(measure), record.freedom(measure)) == (1.0, 4.0)


def test_drift_square_is_zero_within_sampling_errors() -> None:
    assert drift_square(np.array([0.02]), np.array([0.03]), np.array([0.04])) == 0.0


def test_a_break_makes_another_likelier_and_not_the_drift_larger() -> None:
    calm, broken = (DriftRecord(squares={"accuracy": (0.0, 1.0, last)}) for last in (0.5, 99.0))
    assert (calm.break_chance("accuracy"), broken.break_chance("accuracy")) == pytest.approx((0.48 / 11, 1.48 / 11))
    assert broken.factor("accuracy") == pytest.approx(math.sqrt(5 / 6))
    assert broken.freedom("accuracy") == 6


def test_without_a_record_breaks_are_as_likely_as_elsewhere() -> None:
    assert NO_RECORD.break_chance("accuracy") == BREAK_CHANCE


def test_read_history_takes_a_record_or_what_has_one() -> None:
    record = DriftRecord(squares={"accuracy": (0.0, 0.0)})
    assert read_history(record, "natural") is record
    assert read_history(SimpleNamespace(record=record), "natural") is record
    assert read_history(None, "none") is NO_RECORD


@pytest.mark.parametrize(
    ("history", "drift", "sentence"),
    [
        (3, "natural", "history must be a backtest or its record, got 3; pass what sp.backtest returned."),
        (
            DriftRecord(squares={}),
            "none",
            "history must be left out with drift='none'; without drift the past says nothing.",
        ),
    ],
)
def test_bad_history(history: object, drift: str, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        read_history(history, drift)
    assert str(error.value) == sentence

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from shiftproof.case import BREAK_CHANCE, NO_RECORD, DriftRecord, period_drift
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


@pytest.mark.parametrize(("sampling", "true_factor", "low", "high"), [(4.0, 1.0, 0.95, 1.05), (0.2, 2.0, 1.6, 2.2)])
def test_factor_follows_the_drift_and_not_the_sampling_error(
    sampling: float, true_factor: float, low: float, high: float
) -> None:
    rng = np.random.default_rng(0)
    allowances, ones = np.full(1, 0.02), np.ones(1)
    factors = []
    for _ in range(200):
        errors = 0.02 * math.hypot(sampling, true_factor) * rng.normal(size=(20, 1))
        periods = [period_drift(error, 0.02 * sampling * ones, allowances) for error in errors]
        squares, weights = tuple(one.square for one in periods), tuple(one.weight for one in periods)
        factors.append(DriftRecord(squares={"auc": squares}, weights={"auc": weights}).factor("auc"))
    assert low < np.mean(factors) < high


def test_factor_of_periods_that_say_little_stays_near_one() -> None:
    record = DriftRecord(squares={"accuracy": (0.0,) * 20}, weights={"accuracy": (0.5,) * 20})
    # Squares of zero are less than sampling alone explains; the factor stops at what perfect estimates would give.
    assert record.factor("accuracy") == pytest.approx(math.sqrt(4 / 9))
    assert record.freedom("accuracy") == 9


def test_a_period_in_which_something_broke_counts_up_to_a_limit() -> None:
    large, larger = (DriftRecord(squares={"accuracy": (0.0, 1.0, last)}) for last in (25.0, 99.0))
    assert large.factor("accuracy") == larger.factor("accuracy") == pytest.approx(math.sqrt(30 / 7))


def test_carried_takes_most_of_an_error_that_lasts() -> None:
    record = DriftRecord(squares={}, errors={"accuracy": (2.0, 2.0, 2.0)})
    assert record.carried("accuracy") == pytest.approx(8 / 12 * 2)


@pytest.mark.parametrize("errors", [(), (2.0, 2.0), (2.0, -2.0, 2.0), (0.0, 0.0, 9.0)])
def test_nothing_is_carried_without_errors_that_last(errors: tuple[float, ...]) -> None:
    assert DriftRecord(squares={}, errors={"accuracy": errors}).carried("accuracy") == 0


@pytest.mark.parametrize("errors", [(0.5, 1.0, 20.0), (0.1, -0.2, 0.1, 0.3, 8.0)])
def test_one_break_is_hardly_carried_on(errors: tuple[float, ...]) -> None:
    assert 0 < DriftRecord(squares={}, errors={"auc": errors}).carried("auc") < 1.7


def test_an_error_counts_up_to_a_limit() -> None:
    large, larger = (DriftRecord(squares={}, errors={"auc": (1.0, 5.0, last)}) for last in (5.0, 81.0))
    assert large.carried("auc") == larger.carried("auc")


def test_carrying_errors_helps_where_they_last_and_hardly_hurts_where_they_do_not() -> None:
    rng = np.random.default_rng(0)
    left: dict[float, float] = {}
    for lasting in (0.0, 0.9):
        squares = []
        for _ in range(400):
            errors = [0.0]
            for noise in rng.normal(size=12):
                errors.append(lasting * errors[-1] + math.sqrt(1 - lasting**2) * noise)
            past, last = tuple(errors[1:-1]), errors[-1]
            squares.append((last - DriftRecord(squares={}, errors={"auc": past}).carried("auc")) ** 2)
        left[lasting] = float(np.mean(squares))
    assert left[0.0] < 1.1
    assert left[0.9] < 0.6


def test_familiar_needs_two_periods_that_were_as_far_away_in_everything() -> None:
    far, further = {"outside": 0.9, "correlation_change": 0.2}, {"outside": 0.95, "correlation_change": 0.1}
    record = DriftRecord(squares={}, seen=(far, further, {"outside": 0.0, "correlation_change": 0.3}))
    assert record.familiar({"outside": 0.9})
    assert record.familiar({"correlation_change": 0.2})
    # One period alone may have been an accident, and two that differed in other ways are none.
    assert not record.familiar({"outside": 0.95})
    assert not record.familiar({"outside": 0.9, "correlation_change": 0.2})
    # Nothing is foreign, so nothing has to be excused.
    assert not record.familiar({})
    assert not NO_RECORD.familiar({"outside": 0.9})


def test_break_chance_falls_with_the_number_of_periods() -> None:
    records = [DriftRecord(squares={"accuracy": (1.0,) * n}) for n in (2, 3, 9)]
    assert [one.break_chance("accuracy") for one in records] == pytest.approx([0.07, 0.0175, 0.007])


def test_without_a_record_breaks_are_as_likely_as_elsewhere() -> None:
    assert NO_RECORD.break_chance("accuracy") == BREAK_CHANCE


def test_read_history_takes_a_record_or_what_has_one() -> None:
    record = DriftRecord(squares={"accuracy": (0.0, 0.0)})
    assert read_history(record, "natural") is record
    assert read_history(SimpleNamespace(record=record), "natural") is record
    assert read_history(None, "no drift") is NO_RECORD


@pytest.mark.parametrize(
    ("history", "assume", "sentence"),
    [
        (3, "natural", "history must be a backtest or its record, got 3; pass what sp.backtest returned."),
        (
            DriftRecord(squares={}),
            "no drift",
            "history must be left out with assume='no drift'; without drift, the past is not used.",
        ),
    ],
)
def test_bad_history(history: object, assume: str, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        read_history(history, assume)
    assert str(error.value) == sentence

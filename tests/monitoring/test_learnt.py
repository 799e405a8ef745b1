from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.monitoring.store.test_labels import COMPARISON

from shiftproof.case import NO_RECORD, DriftRecord
from shiftproof.monitoring._learnt import LearntDrift, grounds_of
from shiftproof.monitoring.store import ComparisonRecord

GROUNDS = grounds_of(COMPARISON)


def batches(residuals: list[float], labels: int = 20) -> list[ComparisonRecord]:
    one = replace(COMPARISON, n_rows=5000, n_used=labels, row_variance=0.16)
    return [replace(one, place=place, residual=residual) for place, residual in enumerate(residuals, 1)]


def learnt(residuals: list[float], labels: int = 20, history: DriftRecord = NO_RECORD) -> LearntDrift:
    return LearntDrift.of(batches(residuals, labels), history)


def test_without_labels_it_is_the_interval_of_the_allowance() -> None:
    interval = learnt([]).interval(GROUNDS, 1)
    # Student's t with 4 degrees of freedom, and a break with a chance of 6%: as estimates without labels have it.
    assert interval.high == pytest.approx(0.81 + 2.13 * np.hypot(0.01, 0.03), abs=0.01)
    assert interval.low < 0.81 - 2.13 * np.hypot(0.01, 0.03)
    assert learnt([]).n == 0


def test_an_error_that_lasts_is_taken_off() -> None:
    values = [learnt([0.1] * n, 50).interval(GROUNDS, n + 1).estimate for n in (1, 4, 16)]
    assert 0.81 > values[0] > values[1] > values[2]
    assert values[2] == pytest.approx(0.71, abs=0.02)
    low = learnt([-0.1] * 16, 50).interval(GROUNDS, 17)
    assert low.estimate == pytest.approx(0.91, abs=0.03)


def test_errors_that_come_and_go_widen_the_interval_and_leave_the_estimate() -> None:
    quiet = learnt([0.01, -0.01] * 8, 200).interval(GROUNDS, 17)
    wild = learnt([0.15, -0.15] * 8, 200).interval(GROUNDS, 17)
    assert quiet.width < learnt([]).interval(GROUNDS, 1).width < wild.width
    assert abs(quiet.estimate - 0.81) < 0.02
    assert wild.low < 0.68


def test_few_labels_say_less_than_many() -> None:
    moved = [0.81 - learnt([0.1] * 4, labels).interval(GROUNDS, 5).estimate for labels in (10, 50, 1000)]
    assert 0 < moved[0] < moved[1] < moved[2]


def test_labels_of_long_ago_say_less() -> None:
    drift = learnt([0.1] * 16, 50)
    near, far = (drift.interval(GROUNDS, place) for place in (17, 300))
    assert near.estimate < far.estimate
    assert near.width < far.width
    # Late labels of an earlier batch are as old.
    assert drift.interval(GROUNDS, 15).estimate == pytest.approx(drift.interval(GROUNDS, 17).estimate)


def test_labels_of_the_batch_itself_narrow_its_interval() -> None:
    drift = learnt([0.0] * 4)
    before = drift.interval(GROUNDS, 5)
    many, all_rows = (
        drift.with_labels(replace(batches([0.1], labels)[0], place=5, n_right=labels * 7 // 10))
        for labels in (500, 5000)
    )
    assert many.width < before.width
    assert many.estimate == pytest.approx(0.71, abs=0.03)
    assert (all_rows.low, all_rows.estimate, all_rows.high) == (0.7, 0.7, 0.7)


def test_labels_that_do_not_count_teach_nothing() -> None:
    unused = [replace(one, n_used=0) for one in batches([0.3] * 5)]
    assert LearntDrift.of(unused, NO_RECORD).n == 0


def test_the_users_own_past_counts() -> None:
    calm = DriftRecord(squares={"accuracy": (0.0,) * 12})
    assert learnt([], history=calm).interval(GROUNDS, 1).width < learnt([]).interval(GROUNDS, 1).width

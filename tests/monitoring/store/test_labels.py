from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.monitoring.store.conftest import START

from shiftproof.core import StoreError
from shiftproof.monitoring.store import BatchRecord, ComparisonRecord, Store

Record = Callable[..., BatchRecord]
COMPARISON = ComparisonRecord(
    batch=1,
    place=1,
    n_rows=100,
    arrived=START,
    n_labels=30,
    n_used=20,
    n_right=15,
    residual=0.05,
    row_variance=0.16,
    estimate=0.8,
    low=0.7,
    high=0.9,
    level=0.9,
    unlearnt=0.81,
    sampling=0.01,
    allowance=0.03,
    contained=True,
)


def test_sample_and_labels_are_read_as_they_were_written(store: Store, record: Record) -> None:
    with store.log(1, write=True) as log:
        first, second = (log.append(record(day), b"").number for day in (0, 1))
        log.labels.keep_sample(first, b"rows")
        log.labels.add_codes(first, {7: 1, 3: 0}, START)
        log.labels.add_codes(first, {}, START)
    with store.log(1) as log:
        assert (log.labels.sample(first), log.labels.sample(second)) == (b"rows", None)
        assert (log.labels.codes(first), log.labels.codes(second)) == ({7: 1, 3: 0}, {})


def test_a_row_has_one_label(store: Store, record: Record) -> None:
    with store.log(1, write=True) as log:
        number = log.append(record(0), b"").number
        log.labels.add_codes(number, {7: 1}, START)
    with pytest.raises(StoreError), store.log(1, write=True) as log:
        log.labels.add_codes(number, {7: 0}, START)


def test_more_labels_replace_what_fewer_said(store: Store, record: Record) -> None:
    with store.log(1, write=True) as log:
        numbers = [log.append(record(day), b"").number for day in range(3)]
        for number in numbers:
            log.labels.compare(replace(COMPARISON, batch=number, n_rows=99 + number))
        log.labels.compare(replace(COMPARISON, batch=2, n_rows=101, n_used=30, contained=False))
        log.labels.compare(replace(COMPARISON, batch=3, n_rows=102, contained=None))
    with store.log(1) as log:
        assert log.labels.comparison(1) == COMPARISON
        assert log.labels.comparison(4) is None
        assert log.labels.track() == (2, 1, 50)
        assert [one.n_used for one in log.labels.comparisons()] == [20, 30, 20]
        assert [one.batch for one in log.labels.comparisons(first=2)] == [2, 3]
        assert [one.batch for one in log.labels.comparisons(last=2)] == [1, 2]
        assert [one.batch for one in log.labels.comparisons(most=1)] == [3]
        assert {number: one.n_used for number, one in log.labels.of_batches([2, 1, 4]).items()} == {1: 20, 2: 30}
        assert log.labels.of_batches([]) == {}
    with store.log(2) as log:
        assert log.labels.comparisons() == []
        assert log.labels.track() == (0, 0, 0)


def test_pruning_deletes_samples_and_labels_and_keeps_comparisons(store: Store, record: Record) -> None:
    with store.log(1, write=True) as log:
        for day in (0, 1):
            number = log.append(record(day), b"").number
            log.labels.keep_sample(number, b"rows")
            log.labels.add_codes(number, {3: 1}, START)
            log.labels.compare(replace(COMPARISON, batch=number))
        assert log.prune(START + timedelta(days=1)) == 1
        assert [log.labels.sample(number) for number in (1, 2)] == [None, b"rows"]
        assert [log.labels.codes(number) for number in (1, 2)] == [{}, {3: 1}]
        assert len(log.labels.comparisons()) == 2
        assert log.count_after(1) == 1

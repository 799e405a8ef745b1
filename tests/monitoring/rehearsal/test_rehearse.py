from __future__ import annotations

from typing import Any

import pytest
from tests.monitoring.conftest import make_table

from shiftproof.core import InputError
from shiftproof.monitoring import Baseline, Monitor, MonitorRehearsal
from shiftproof.monitoring.rehearsal import RehearsalPlan


def test_rehearsal_of_a_quiet_past(rehearsal: MonitorRehearsal) -> None:
    assert (len(rehearsal.batches), rehearsal.rows, rehearsal.alarms, rehearsal.below_floor) == (7, 200, (), 0)
    assert [one.size for one in rehearsal.shifts] == [0.15, 0.15, 0.2, 0.2, 0.3, 0.3]
    assert [(one.size, one.labels) for one in rehearsal.drops] == [(0.2, 0), (0.2, 50)]
    assert [one.times for one in rehearsal.sizes] == [0.5, 1, 2, 4]
    assert [one.rows for one in rehearsal.sizes] == [100, 200, 400, 800]
    assert rehearsal.advice.labels == 50
    assert list(rehearsal.to_frame().columns[:4]) == ["change", "size", "labels", "level"]
    assert rehearsal.to_dict()["advice"]["rows"] == rehearsal.advice.rows


def test_rehearsal_changes_nothing_in_the_store(monitor: Monitor) -> None:
    monitor.rehearse(make_table(600), size=100, drops=(), shifts=(0.45,))
    assert monitor.status().n_batches == 0


def test_rehearsal_is_the_same_with_the_same_seed(monitor: Monitor) -> None:
    options: dict[str, Any] = {"size": 100, "drops": (0.3,), "shifts": (0.45,), "label_counts": (50,)}
    first, second = (monitor.rehearse(make_table(600), **options, random_state=7) for _ in range(2))
    assert first.to_dict() == second.to_dict()


def test_batches_have_no_more_labels_than_rows(monitor: Monitor) -> None:
    result = monitor.rehearse(make_table(600), size=30, drops=(0.3,), shifts=(0.45,), label_counts=(0, 20, 50, 100))
    assert [one.labels for one in result.drops] == [0, 20, 30]
    assert f"With {result.advice.labels} labels for each batch" in result.summary()
    assert "50 labels" not in result.summary()


def test_rehearsal_without_labels_in_the_baseline_has_no_drops(table: dict[str, Any], tmp_path: Any) -> None:
    monitor = Monitor(tmp_path / "m.db", Baseline.of({"age": table["age"]}))
    result = monitor.rehearse({"age": table["age"]}, size=50, shifts=(0.45,))
    assert (result.drops, result.advice.labels, result.advice.floor) == ((), None, None)
    assert "labels" not in result.summary()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"drops": (1.5,)}, "drops must be a number strictly between 0 and 1, got 1.5"),
        ({"shifts": (0.0,)}, "shifts must be a number strictly between 0 and 1, got 0"),
        ({"shifts": ()}, "shifts must name at least one distance, got ()"),
        ({"label_counts": (-1,)}, "label_counts must be a whole number of at least 0; got -1"),
    ],
)
def test_changes_that_make_no_sense_are_refused(options: dict[str, Any], sentence: str) -> None:
    usual: dict[str, Any] = {"drops": (0.1,), "shifts": (0.2,), "label_counts": (10,)}
    with pytest.raises(InputError) as caught:
        RehearsalPlan.of(**(usual | options))
    assert sentence in str(caught.value)

from __future__ import annotations

from tests.monitoring.conftest import make_batch

from shiftproof.monitoring import Baseline, Monitor
from shiftproof.monitoring._assembly import record_of
from shiftproof.monitoring._times import utc


def test_update_from_the_store_is_the_one_that_was_returned(monitor: Monitor, baseline: Baseline) -> None:
    batch = make_batch(shift=15.0) | {"job": ["SECRET"] * 100}
    first = monitor.add(batch, at="2024-03-01", id="one")
    again = monitor.add(batch, id="one")
    assert {
        name: value for name, value in first.to_dict().items() if name not in ("opened", "repeated", "summary")
    } == {name: value for name, value in again.to_dict().items() if name not in ("opened", "repeated", "summary")}
    assert [*again.columns] == [*baseline.columns]
    assert again.columns["gap"].missing_reference == baseline.summarise(batch).columns["gap"].missing_reference
    assert "SECRET" in first.summary()


def test_record_has_accuracy_shares_and_evidence(monitor: Monitor, baseline: Baseline) -> None:
    summary = baseline.summarise(make_batch())
    _, reading = monitor._alarms.step(monitor._alarms.start(), summary.facts, "one")
    record = record_of(summary, reading, "one", at=utc("2024-03-01"), arrived=utc("2024-03-02"), still_open=[])
    accuracy, share = record.figure("accuracy"), record.figure("share", "yes")
    assert accuracy is not None
    assert share is not None
    assert summary.accuracy is not None
    assert (accuracy.estimate, accuracy.low) == (summary.accuracy.estimate, summary.accuracy.low)
    assert share.high == summary.shares["yes"].high
    figure = record.figure("evidence", "harm")
    assert figure is not None
    assert figure.estimate == reading.log_evidence["harm"]
    assert (record.checksum, record.n_rows) == (summary.content, 100)

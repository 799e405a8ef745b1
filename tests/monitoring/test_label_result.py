from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.monitoring._made import named, status
from tests.monitoring.test_label_words import label_update, labels

from shiftproof.monitoring import BatchPlan, NextStep, TrackRecord


def test_pages_show_labels() -> None:
    lines = [*status().recent]
    lines[3] = replace(lines[3], labels=labels(n_used=20))
    known = status(recent=tuple(lines), track_record=TrackRecord(n_batches=1, n_contained=0, n_labels=20, level=0.9))
    section = known.sections().labels
    assert section is not None
    assert section.rows[0][1:] == (
        "20 of 50",
        "80.0% [77.0%, 83.0%]",
        "70.0% [67.0%, 73.0%]",
        "72.0% [69.0%, 75.0%]",
        "no",
    )
    assert status().sections().labels is None
    axes = known.plot()
    assert "actual accuracy, from labels" in axes.get_legend_handles_labels()[1]
    assert known.to_frame()["labels"].tolist() == [0, 0, 0, 20, 0, 0, 0, 0]
    assert known.to_dict()["batches"][3]["labels"]["n_right"] == 35


def plan(*, rows: int = 3, key: str = "customer") -> BatchPlan:
    return BatchPlan(
        batch=named(7),
        rows=np.arange(rows) + 4,
        keys=tuple(f"c{row}" for row in range(rows)) if key else (),
        key=key,
        scores=np.full((rows, 1), 0.123456789, np.float32),
        score_columns=("p",),
        n_labels=0,
        n_used=0,
        n_kept=100,
        n_rows=100,
    )


@pytest.mark.parametrize(
    ("key", "columns"),
    [
        ("customer", ["batch", "row", "customer", "p", "label"]),
        ("label", ["batch", "row", "key", "p", "label"]),
        ("p", ["batch", "row", "p", "score p", "label"]),
        ("", ["batch", "row", "p", "label"]),
    ],
)
def test_a_plan_is_a_table_to_fill_in(key: str, columns: list[str]) -> None:
    frame = plan(key=key).to_frame()
    assert frame.columns.tolist() == columns
    assert frame["label"].isna().all()
    assert frame.iloc[:, -2].tolist() == [0.123457] * 3


def test_a_plan_is_json_with_rows() -> None:
    written = json.loads(json.dumps(plan().to_dict()))
    assert (written["rows"], written["keys"]) == ([4, 5, 6], ["c0", "c1", "c2"])
    assert plan(rows=0).next_step is None


def test_steps_are_calls() -> None:
    assert NextStep(verb="plan", batch="May 1", count=50).python == "monitor.plan('May 1')"
    assert NextStep(verb="label", batch="May 1").python == "monitor.label('May 1', labels)"
    assert NextStep(verb="ack", incident=3).python == "monitor.acknowledge(3, reason)"


def test_labels_are_json() -> None:
    written = json.loads(json.dumps(label_update().to_dict()))
    assert written["labels"]["alone"]["estimate"] == 0.7
    assert written["track_record"]["share"] is None
    assert label_update().to_frame()["estimate"].tolist() == [0.8, 0.7, 0.72]

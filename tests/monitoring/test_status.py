from __future__ import annotations

import json
from datetime import timedelta

import pytest
from matplotlib.figure import Figure
from tests.monitoring import _made as made

from shiftproof.monitoring._status import incidents_table


def test_status_has_one_row_per_recent_batch() -> None:
    frame = made.status().to_frame()
    assert len(frame) == 8
    assert frame[["batch", "n", "accuracy", "shift_kind"]].to_numpy()[0].tolist() == ["day 1", 1000, 0.8, "none"]
    assert frame["changed"].iloc[-1] == pytest.approx(1.6)
    assert frame["harm"].isna().all()


def test_status_is_json_with_batches_and_incidents() -> None:
    incidents = (made.incident(), made.incident("harm", number=5, acknowledged=made.START, reason="seen"))
    status = made.status(incidents=incidents)
    values = json.loads(json.dumps(status.to_dict(), allow_nan=False))
    assert [batch["id"] for batch in values["batches"]][:2] == ["day 1", "day 2"]
    assert [(one["level"], one["open"]) for one in values["incidents"]] == [("material", True), ("harm", False)]
    assert values["last"]["batch"]["id"] == "day 7"
    assert values["last"]["columns"]["age"]["distance"] == 0.15
    assert values["levels"]["changed"]["share"] == pytest.approx(0.2)
    assert [one.number for one in status.open_incidents] == [4]


def test_status_of_no_batches_can_be_shown() -> None:
    status = made.status(recent=(), last=None, n_batches=0, n_rows=0)
    assert len(status.to_frame()) == 0
    assert status.to_dict()["last"] is None
    assert status.to_page().sections[0].anchor == "alarms"


def test_incidents_table_has_the_same_types_without_rows() -> None:
    recovered = made.incident(recovered=made.named(9), acknowledged=made.START + timedelta(days=1), reason="seen")
    full, empty = incidents_table([made.incident(), recovered]), incidents_table([])
    assert full.schema == empty.schema
    assert full["columns"].to_pylist() == ["age, p"] * 2
    assert full["recovered"].to_pylist() == [None, "day 9"]
    assert full["acknowledged"].to_pylist() == [None, made.START + timedelta(days=1)]


def test_plot_shades_incidents() -> None:
    status = made.status(incidents=(made.incident(recovered=made.named(8)), made.incident("changed", number=5)))
    upper = status.plot(ax=Figure().subplots())
    lower = upper.figure.axes[1]
    assert upper.get_ylabel() == "accuracy"
    assert lower.get_ylabel() == "evidence"
    assert len(lower.patches) == 4

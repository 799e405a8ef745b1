from __future__ import annotations

from datetime import UTC, datetime
from typing import cast

import pytest
from starlette.testclient import TestClient
from tests.monitoring import _made as made
from tests.web.conftest import HTML

from shiftproof.core import Note
from shiftproof.monitoring import MonitorReader, Update, utc
from shiftproof.monitoring._label_result import BatchLabels
from shiftproof.monitoring.store import SentAlert
from shiftproof.web import Site
from shiftproof.web._incident_view import around, beside, classes_by_labels, timeline

LATER = datetime(2025, 1, 1, tzinfo=UTC)


def test_an_incident_says_since_when_and_which_columns(client: TestClient) -> None:
    page = client.get("/monitors/1/incidents/2", headers=HTML).text
    assert "Incident 2: material" in page
    assert 'href="/monitors/1/feature?feature=age&amp;batch=6"' in page
    assert "What the monitor reported" in page
    assert "Label rows of the latest batch" in page
    assert "shiftproof monitor ack STORE 2 --reason TEXT" in page
    assert "<textarea" not in page
    data = client.get("/monitors/1/incidents/2.json").json()
    assert data["summary"].startswith("Incident 2 (material) began with batch 'day 5' of 2024-03-06, which raised")
    assert [one["event"] for one in data["events"]][:2] == ["began", "raised"]
    assert client.get("/monitors/1/incidents/2.csv").text.startswith("at,event,batch,words\r\n2024-03-")


def test_charts_begin_some_batches_before(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shiftproof.web._incident_view._BEFORE", 3)
    reader = site.source.monitors()[0]
    going_on = made.incident()  # began on 5 March
    assert (around(reader, going_on).since, around(reader, going_on).until) == (utc("2024-03-03"), None)
    assert around(reader, made.incident(recovered=made.named(8))).until == utc("2024-03-13")


def test_harm_names_what_changed_meanwhile() -> None:
    harm = made.incident("harm", number=9, columns=())
    material, changed = made.incident(number=3), made.incident("changed", number=2)
    assert beside(harm, [changed, material, harm]) == material
    assert beside(harm, [changed, harm]) == changed
    earlier = made.incident(number=1, first=made.named(1), likeliest=made.named(1), recovered=made.named(3))
    other = made.incident(number=5, segment="country = 'DE'")
    later = made.incident(number=6, likeliest=made.named(8))
    assert beside(harm, [earlier, other, later]) is None


def test_what_people_did_comes_after_what_the_data_did(site: Site) -> None:
    incident = made.incident(
        recovered=made.named(9), acknowledged=LATER, reason="fixed",
        labels=made.verdict("cleared", 0.9, n_labels=50, first=7),
    )  # fmt: skip
    sent = SentAlert(channel="hook", event="opened", headline="Alarm", created=LATER, delivered=None)
    events = timeline(site, site.source.monitors()[0], incident, [sent])
    assert [one.event for one in events] == [
        "began",
        "raised",
        "labels",
        "recovered",
        "message: opened",
        "acknowledged",
    ]
    assert events[0].words == "Most likely start, between 2024-03-05 and 2024-03-07."
    assert events[2].words == "50 labels of batch 'day 7': accuracy 90.0% (87.0% to 93.0%), at the floor or above."
    assert events[4].words == "Alarm (waiting for hook)"


def test_an_incident_says_how_classes_changed_and_that_the_model_has_one_answer() -> None:
    labels = BatchLabels(
        n_labels=50, n_used=50, n_right=34, alone=made.interval(0.68), accuracy=made.interval(0.7), contained=False,
        shares={"0": made.interval(0.68), "1": made.interval(0.32)}, reference_shares={"0": 0.96, "1": 0.04},
    )  # fmt: skip
    line = made.line(7, labels=labels)

    class Reader:
        @staticmethod
        def batch(_: int) -> Update:
            return made.update(notes=(Note(code="one answer", subject="0"),))

    reader = cast(MonitorReader, Reader())
    assert str(classes_by_labels(made.incident("harm"), [line], reader)) == (
        "Batch 'day 7': According to 50 labels, class 1 makes up 32.0% (29.0% to 35.0%; baseline 4.0%). The model "
        "answers 0 for every row, so its accuracy is the share of this class."
    )
    assert classes_by_labels(made.incident("changed"), [line], reader) is None
    assert classes_by_labels(made.incident("harm"), [made.line(7)], reader) is None

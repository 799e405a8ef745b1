from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.monitoring._made import START, TERMS, incident, named, update

from shiftproof.alerts import AlertMessage
from shiftproof.monitoring._alert_channels import EVENTS, Event
from shiftproof.monitoring._alert_message import AlertWriter, transitions
from shiftproof.monitoring.store import IncidentRecord

SCHEMA = json.loads((Path(__file__).resolve().parents[2] / "docs" / "alert.schema.json").read_text())
WRITER = AlertWriter(terms=TERMS, store="calls.db", redacted=False)


def record(number: int, recovered: int | None = None) -> IncidentRecord:
    fields: dict[str, Any] = dict.fromkeys(("raised", "first", "last", "likeliest"), 1)
    fields |= {"level": "harm", "columns": (), "peak": 9.0, "acknowledged": None, "reason": "", "how": ""}
    fields["by_labels"] = False
    return IncidentRecord(number=number, recovered=recovered, **fields)


@pytest.mark.parametrize(
    ("before", "after", "happened"),
    [
        ([], [record(1)], [("opened", 1)]),
        ([record(1)], [record(1), record(2)], [("opened", 2)]),
        ([record(1)], [record(1, 5)], [("recovered", 1)]),
        ([record(1, 5)], [record(1)], [("returned", 1)]),
        ([record(1, 5), record(2)], [record(1, 5), record(2)], []),
    ],
)
def test_transitions_are_what_changed(
    before: list[IncidentRecord], after: list[IncidentRecord], happened: list[tuple[Event, int]]
) -> None:
    assert transitions(before, after) == happened


@pytest.mark.parametrize("redacted", [False, True])
@pytest.mark.parametrize("event", EVENTS)
def test_content_keeps_to_the_schema(event: Event, redacted: bool) -> None:
    writer = replace(WRITER, redacted=redacted)
    recovered = named(8) if event == "recovered" else None
    batch = None if event == "acknowledged" else update()
    content = writer.content(event, incident(recovered=recovered), batch, START)
    jsonschema.validate(json.loads(AlertMessage(content).body), SCHEMA)
    without = writer.content(event, incident(), update(accuracy=None, shares={}), START)
    jsonschema.validate(without, SCHEMA)
    assert (without["accuracy"], without["majority"]) == (None, None)


def test_test_keeps_to_the_schema() -> None:
    jsonschema.validate(WRITER.test(START), SCHEMA)
    jsonschema.validate(replace(WRITER, terms=replace(TERMS, validated=None, floor=None)).test(START), SCHEMA)


def test_schema_knows_every_key() -> None:
    content = WRITER.content("opened", incident(), update(), START)
    assert {*SCHEMA["properties"]} == {*SCHEMA["required"]} == {*content}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**content, "event": "exploded"}, SCHEMA)


def test_content_has_the_figures() -> None:
    content = WRITER.content("opened", incident(), update(), START)
    assert (content["accuracy"]["estimate"], content["floor"], content["validated"]) == (0.812, 0.78, 0.83)
    assert content["majority"]["class"] == "no"
    assert content["incident"]["columns"] == ["age", "p"]
    assert content["batch"] == {"number": 7, "id": "day 7", "at": "2024-03-07T00:00:00+00:00", "n_rows": 1000}


def test_messages_have_ids_of_their_own() -> None:
    ids = {WRITER.content("opened", incident(), update(), START)["id"] for _ in range(10)}
    assert len(ids) == 10


def test_redacted_message_names_no_batch_and_no_class() -> None:
    made = update(shares={"SECRET yes": update().shares["no"], "SECRET no": update().shares["yes"]})
    hidden = replace(named(7), id="SECRET batch")
    raised = incident(raised=hidden, first=hidden, last=hidden, likeliest=hidden, recovered=hidden)
    content = replace(WRITER, redacted=True).content("recovered", raised, replace(made, batch=hidden), START)
    assert "SECRET" not in json.dumps(content)
    assert "began with batch '7' of 2024-03-07, which raised the alarm." in content["details"][0]
    assert "always answering the most frequent class: 70.0%" in content["details"][1]
    assert "SECRET" in json.dumps(WRITER.content("recovered", raised, made, START))

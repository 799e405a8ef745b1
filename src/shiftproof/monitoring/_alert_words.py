"""Sentences of alerts."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from shiftproof.core import Text
from shiftproof.monitoring._words import ALARMS, RECOVERED, accuracy_words, doubt_words, incident_words, lower

if TYPE_CHECKING:
    from shiftproof.monitoring._alert_channels import Event
    from shiftproof.monitoring._label_result import NextStep
    from shiftproof.monitoring._result import Incident, MonitorTerms, Update

#: What a test says.
TEST = "This is a test of the alerts; nothing has happened."


def alert_headline(event: Event, incident: Incident) -> str:
    """Say in one sentence what happened."""
    if event == "acknowledged":
        return f"Acknowledged: incident {incident.number} ({incident.where})."
    opening = {"recovered": "Recovered: ", "returned": "Back again: ", "opened": ""}[event]
    if incident.segment:
        opening += f"{incident.segment}: "
    happened = f"{RECOVERED[incident.level]}." if event == "recovered" else ALARMS[incident.level]
    return f"{opening}{lower(happened) if opening else happened}"


def alert_details(incident: Incident, update: Update | None) -> list[Text]:
    """Say since when, which columns, and what is estimated now."""
    estimated = [] if update is None else [*accuracy_words(update), *doubt_words(update)]
    return [incident_words(incident), *([" ".join(estimated)] if estimated else [])]


def next_steps(event: Event, incident: Incident, terms: MonitorTerms, store: str, step: NextStep | None) -> list[str]:
    """Return the commands to run next; `step` is what the batch asks for."""
    place = shlex.quote(store) + ("" if terms.name == "default" else f" --name {shlex.quote(terms.name)}")
    look = f"shiftproof monitor status {place} --out page.html"
    close = f'shiftproof monitor ack {place} {incident.number} --reason "..."'
    by_event: dict[Event, list[str]] = {"recovered": [look, close], "acknowledged": []}
    # Labels of all rows settle what scores leave open.
    labels = step is not None and step.verb == "plan" and incident.level != "changed" and not incident.segment
    plan = [step.command(store, terms.name)] if step is not None and labels else []
    return by_event.get(event, [look, *plan])

"""Sentences of alerts."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from shiftproof.core import Text
from shiftproof.monitoring._words import ALARMS, RECOVERED, accuracy_words, doubt_words, incident_words, lower

if TYPE_CHECKING:
    from shiftproof.monitoring._alert_channels import Event
    from shiftproof.monitoring._result import Incident, MonitorTerms, Update

#: What a test says.
TEST = "This is a test of the alerts; nothing has happened."


def alert_headline(event: Event, incident: Incident) -> str:
    """Say in one sentence what happened."""
    if event == "recovered":
        return f"Recovered: {RECOVERED[incident.level]}."
    if event == "acknowledged":
        return f"Acknowledged: incident {incident.number} ({incident.level})."
    return ALARMS[incident.level] if event == "opened" else f"Back again: {lower(ALARMS[incident.level])}"


def alert_details(incident: Incident, update: Update | None) -> list[Text]:
    """Say since when, which columns, and what is estimated now."""
    estimated = [] if update is None else [*accuracy_words(update), *doubt_words(update)]
    return [incident_words(incident), *([" ".join(estimated)] if estimated else [])]


def next_steps(event: Event, incident: Incident, terms: MonitorTerms, store: str) -> list[str]:
    """Return the commands to run next."""
    place = shlex.quote(store) + ("" if terms.name == "default" else f" --name {shlex.quote(terms.name)}")
    look = f"shiftproof monitor status {place} --out page.html"
    close = f'shiftproof monitor ack {place} {incident.number} --reason "..."'
    by_event: dict[Event, list[str]] = {"recovered": [look, close], "acknowledged": []}
    return by_event.get(event, [look])

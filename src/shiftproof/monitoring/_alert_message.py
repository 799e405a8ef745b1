"""From what a batch did to incidents to the messages about it."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from shiftproof._version import __version__
from shiftproof.core import plain
from shiftproof.monitoring._alert_channels import Event
from shiftproof.monitoring._alert_words import TEST, alert_details, alert_headline, next_steps
from shiftproof.monitoring._class_names import HIDDEN_CLASS
from shiftproof.monitoring._result import BatchName, Incident, MonitorTerms, Update, incident_dict

if TYPE_CHECKING:
    from shiftproof.monitoring.store import IncidentRecord

# The version of the content; it rises if a key is removed or changes its meaning.
SCHEMA = 1
# Stands for the name of a class, which is a value of the user's data.


def transitions(before: Sequence[IncidentRecord], after: Sequence[IncidentRecord]) -> list[tuple[Event, int]]:
    """Return what happened to incidents between two moments, with their numbers.

    Parameters
    ----------
    before, after : sequence of IncidentRecord
        The incidents that were open, and those that are.
    """
    earlier = {incident.number: incident for incident in before}
    happened: list[tuple[Event, int]] = []
    for incident in after:
        if incident.number not in earlier:
            happened.append(("opened", incident.number))
        elif incident.recovered is not None and earlier[incident.number].recovered is None:
            happened.append(("recovered", incident.number))
        elif incident.recovered is None and earlier[incident.number].recovered is not None:
            happened.append(("returned", incident.number))
    return happened


@dataclass(frozen=True, kw_only=True)
class AlertWriter:
    """Writes the messages of a monitor.

    Parameters
    ----------
    terms : MonitorTerms
        The monitor.
    store : str
        Where it is, for the commands to run next.
    redacted : bool
        Whether names of batches and classes are left out, as in the baseline.
    """

    terms: MonitorTerms
    store: str
    redacted: bool

    def content(self, event: Event, incident: Incident, update: Update | None, created: datetime) -> dict[str, Any]:
        """Return the content of a message about an incident; `update` is the batch with which it happened."""
        if self.redacted:
            incident, update = _without_names(incident), None if update is None else _without_class(update)
        shares = {} if update is None else update.shares
        most = max(shares, key=lambda label: shares[label].estimate, default=None)
        return self._head(event, created, alert_headline(event, incident)) | {
            "details": [str(sentence) for sentence in alert_details(incident, update)],
            "next": next_steps(event, incident, self.terms, self.store, None if update is None else update.next_step),
            "level": incident.level,
            "incident": incident_dict(incident),
            "batch": None if update is None else plain(update.batch) | {"n_rows": update.n_rows},
            "accuracy": None if update is None else plain(update.accuracy),
            "majority": None if most is None else {"class": most, "share": plain(shares[most])},
            "validated": plain(self.terms.validated),
            "floor": plain(self.terms.floor),
        }

    def test(self, created: datetime) -> dict[str, Any]:
        """Return the content of a test, which has no incident."""
        absent = ("level", "incident", "batch", "accuracy", "majority")
        return (
            self._head("test", created, TEST)
            | {"details": [], "next": []}
            | dict.fromkeys(absent)
            | {"validated": plain(self.terms.validated), "floor": plain(self.terms.floor)}
        )

    def _head(self, event: str, created: datetime, headline: str) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "id": str(uuid.uuid4()),
            "event": event,
            "created": created.isoformat(),
            "shiftproof": __version__,
            "monitor": self.terms.name,
            "store": self.store,
            "headline": headline,
        }


def _without_names(incident: Incident) -> Incident:
    """Return an incident whose batches are called by their numbers."""
    return replace(
        incident,
        raised=_numbered(incident.raised),
        first=_numbered(incident.first),
        last=_numbered(incident.last),
        likeliest=_numbered(incident.likeliest),
        recovered=None if incident.recovered is None else _numbered(incident.recovered),
    )


def _without_class(update: Update) -> Update:
    """Return an update that shows the share of the most frequent class without its name."""
    most = max(update.shares.values(), key=lambda share: share.estimate, default=None)
    shares = {} if most is None else {HIDDEN_CLASS: most}
    # The next step names the batch.
    return replace(update, batch=_numbered(update.batch), shares=shares, next_step=None)


def _numbered(batch: BatchName) -> BatchName:
    return replace(batch, id=str(batch.number))

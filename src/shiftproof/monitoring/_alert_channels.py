"""A channel of a monitor, and an alert that waits, as results show them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from shiftproof.alerts import Apprise, Email, Program, Webhook
from shiftproof.monitoring.alarms import Level

#: What can happen to an incident.
Event = Literal["opened", "recovered", "returned", "acknowledged"]
EVENTS: tuple[Event, ...] = ("opened", "recovered", "returned", "acknowledged")
#: What is sent unless the user says otherwise: whoever acknowledges an incident knows it.
USUAL_EVENTS: tuple[Event, ...] = ("opened", "recovered", "returned")
#: These levels need attention.
USUAL_LEVELS: tuple[Level, ...] = ("material", "harm")


@dataclass(frozen=True, kw_only=True)
class AlertChannel:
    """Where a monitor's alerts are sent, and which ones.

    Attributes
    ----------
    name : str
        The name of the channel within the monitor.
    channel : Webhook, Email, Program or Apprise
        How to send.
    levels : tuple of {"changed", "material", "harm"}
        The levels of incidents to send.
    events : tuple of {"opened", "recovered", "returned", "acknowledged"}
        The events to send.
    """

    name: str
    channel: Webhook | Email | Program | Apprise
    levels: tuple[Level, ...]
    events: tuple[Event, ...]


@dataclass(frozen=True, kw_only=True)
class WaitingAlert:
    """An alert that has not been delivered.

    Attributes
    ----------
    id : str
        The id of the alert, the same in every copy of the message.
    channel : str
        The name of its channel.
    incident : int
        The number of its incident.
    event : {"opened", "recovered", "returned", "acknowledged"}
        What happened to the incident.
    since : datetime
        When it happened, in UTC.
    attempts : int
        Number of attempts to deliver the alert.
    error : str
        Why the last attempt failed, without secrets; empty before the first.
    """

    id: str
    channel: str
    incident: int
    event: Event
    since: datetime
    attempts: int
    error: str

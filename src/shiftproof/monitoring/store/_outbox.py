"""Where alerts go, and those that wait: written with their incident, and deleted by nobody until they are delivered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from shiftproof.monitoring.store import _schema as schema
from shiftproof.monitoring.store._records import AlertRecord, ChannelRecord, from_micros, to_micros

# What stands beside an alert until its attempt has ended, so that a crash is seen.
_NO_END = "the program that sent it ended before there was an answer"


@dataclass(frozen=True, kw_only=True)
class SendClaim:
    """The right to send the first alert of a channel that waits.

    Parameters
    ----------
    token : str
        Differs from that of everybody else.
    now : datetime
        The time of the clock.
    lease : timedelta
        How long nobody else may send.
    pause : callable
        How long to wait after so many attempts that failed.
    longest_lease, longest_pause : timedelta
        The most that these can be. What the store says beyond that was written by a clock that was ahead.
    at_once : bool
        Whether to try again before the pause is over.
    """

    token: str
    now: datetime
    lease: timedelta
    pause: Callable[[int], timedelta]
    longest_lease: timedelta
    longest_pause: timedelta
    at_once: bool = False


class Outbox:
    """The channels of a store, and the alerts that wait.

    Parameters
    ----------
    connection : Connection
        In a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    # -- channels -----------------------------------------------------------------------------------------------------

    def channels(self, monitor: int | None = None) -> list[ChannelRecord]:
        """Return the channels of a monitor, or of all of them, in the order in which they were added."""
        table = schema.channels
        query = select(table).order_by(table.c.number)
        if monitor is not None:
            query = query.where(table.c.monitor_id == monitor)
        return [_channel(row) for row in self._connection.execute(query)]

    def add_channel(self, channel: ChannelRecord, created: datetime) -> None:
        """Write a new channel."""
        row = {
            "monitor_id": channel.monitor,
            "name": channel.name,
            "kind": channel.kind,
            "settings": dict(channel.settings),
            "levels": list(channel.levels),
            "events": list(channel.events),
            "created": to_micros(created),
            "failures": 0,
        }
        self._connection.execute(insert(schema.channels), row)

    def remove_channel(self, number: int) -> int:
        """Delete a channel and its alerts; return how many of them had not been delivered."""
        dropped = len(self.waiting(channel=number))
        self._connection.execute(delete(schema.outbox).where(schema.outbox.c.channel_number == number))
        self._connection.execute(delete(schema.channels).where(schema.channels.c.number == number))
        return dropped

    # -- alerts -------------------------------------------------------------------------------------------------------

    def post(self, channel: int, incident: int, content: Mapping[str, Any], created: datetime) -> None:
        """Write an alert that waits."""
        row = {
            "channel_number": channel,
            "incident_number": incident,
            "event": content["event"],
            "content": dict(content),
            "created": to_micros(created),
            "attempts": 0,
            "error": "",
        }
        self._connection.execute(insert(schema.outbox), row)

    def waiting(
        self, *, monitor: int | None = None, channel: int | None = None, most: int | None = None
    ) -> list[AlertRecord]:
        """Return the alerts that have not been delivered, the oldest first."""
        table, channels = schema.outbox, schema.channels
        query = select(table).join_from(table, channels).where(table.c.delivered.is_(None)).order_by(table.c.number)
        if monitor is not None:
            query = query.where(channels.c.monitor_id == monitor)
        if channel is not None:
            query = query.where(channels.c.number == channel)
        if most is not None:
            query = query.limit(most)
        return [_alert(row) for row in self._connection.execute(query)]

    def is_empty(self, monitor: int) -> bool:
        """Return whether no alert of a monitor waits."""
        return not self.waiting(monitor=monitor, most=1)

    def count_delivered(self, channel: int) -> int:
        """Return how many alerts a channel has delivered."""
        table = schema.outbox
        query = select(func.count()).where(table.c.channel_number == channel, table.c.delivered.is_not(None))
        return int(self._connection.scalar(query) or 0)

    def take(self, channel: int, claim: SendClaim) -> AlertRecord | None:
        """SendClaim a channel and return its first alert that waits; None if there is none, or now is not the time.

        The attempt counts as failed until `settle` says otherwise, so that one which crashes is followed by a pause.
        """
        table = schema.channels
        # Nobody else reads the row until this transaction ends; SQLite has one writer anyway.
        row = self._connection.execute(select(table).where(table.c.number == channel).with_for_update()).one_or_none()
        if row is None or _holds(row.leased_until, claim.now, claim.longest_lease):
            return None
        if not claim.at_once and _holds(row.due, claim.now, claim.longest_pause):
            return None
        first = next(iter(self.waiting(channel=channel, most=1)), None)
        if first is None:
            return None
        values = {
            "lease": claim.token,
            "leased_until": to_micros(claim.now + claim.lease),
            "failures": row.failures + 1,
            "due": to_micros(claim.now + claim.pause(row.failures + 1)),
        }
        self._connection.execute(update(table).where(table.c.number == channel).values(values))
        tried = {"attempts": first.attempts + 1, "tried": to_micros(claim.now), "error": _NO_END}
        own = schema.outbox.c.number == first.number
        self._connection.execute(update(schema.outbox).where(own).values(tried))
        return first

    def settle(self, alert: AlertRecord, claim: SendClaim, *, error: str, now: datetime) -> None:
        """Write that an alert was delivered, or why it was not, and let others send.

        Parameters
        ----------
        alert : AlertRecord
            The alert.
        claim : SendClaim
            Under which it was sent. If it ended and somebody else has the channel now, theirs stays.
        error : str
            Why it was not delivered; empty if it was.
        now : datetime
            The time of the clock.
        """
        table, channels = schema.outbox, schema.channels
        own = (table.c.number == alert.number, table.c.delivered.is_(None))
        values: dict[str, Any] = {"error": error} if error else {"error": "", "delivered": to_micros(now)}
        self._connection.execute(update(table).where(*own).values(values))
        held = (channels.c.number == alert.channel, channels.c.lease == claim.token)
        freed: dict[str, Any] = {"lease": None, "leased_until": None}
        freed |= {} if error else {"failures": 0, "due": None}
        self._connection.execute(update(channels).where(*held).values(freed))


def _holds(until: int | None, now: datetime, longest: timedelta) -> bool:
    """Return whether a moment in the store lies ahead; one too far ahead was written by a clock that was wrong."""
    return until is not None and to_micros(now) < until <= to_micros(now + longest)


def _channel(row: Row[Any]) -> ChannelRecord:
    return ChannelRecord(
        number=row.number,
        monitor=row.monitor_id,
        name=row.name,
        kind=row.kind,
        settings=row.settings,
        levels=tuple(row.levels),
        events=tuple(row.events),
        failures=row.failures,
        due=None if row.due is None else from_micros(row.due),
    )


def _alert(row: Row[Any]) -> AlertRecord:
    return AlertRecord(
        number=row.number,
        channel=row.channel_number,
        incident=row.incident_number,
        event=row.event,
        content=row.content,
        created=from_micros(row.created),
        attempts=row.attempts,
        error=row.error,
    )

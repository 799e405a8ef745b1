"""The alerts of a monitor: its channels, and what waits to be sent."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from shiftproof.alerts import AlertMessage, Apprise, Email, Program, Webhook, channel_of, check_channel, settings_of
from shiftproof.core import AlertsWaiting, InputError, check_choice, fault, shown, unknown_name, warn
from shiftproof.monitoring._alert_channels import (
    EVENTS,
    USUAL_EVENTS,
    USUAL_LEVELS,
    AlertChannel,
    Event,
    WaitingAlert,
)
from shiftproof.monitoring._alert_message import AlertWriter, transitions
from shiftproof.monitoring._delivery import Courier
from shiftproof.monitoring._opening import open_store
from shiftproof.monitoring._result import Incident, Update
from shiftproof.monitoring._words import waiting_reasons
from shiftproof.monitoring.alarms import LEVELS, Level

if TYPE_CHECKING:
    from shiftproof.monitoring.store import ChannelRecord, IncidentRecord, MonitorLog, Outbox, Store

# A batch waits for its alerts no longer than this; what then remains is sent later.
_SECONDS_IN_ADD = 5.0
_LONGEST_NAME = 60


class MonitorAlerts:
    """The alerts of a monitor: who is notified of its incidents; see `Monitor.alerts`.

    An alert is written into the store together with its incident, and stays there until it is delivered. `Monitor.add`
    and `Monitor.acknowledge` send waiting alerts after the store has been written, and do not fail if sending fails.
    The next call and `deliver` then try again, after a minute at first and after an hour at most.

    Every alert is delivered at least once. If a program dies after sending an alert but before recording it, the same
    alert is sent again, with the same id.

    Parameters
    ----------
    store : Store
        The store of the monitor.
    key : int
        The monitor's key.
    writer : AlertWriter
        Writes the messages.
    describe : callable
        Returns an incident of the store with what its labels show.
    """

    def __init__(
        self, store: Store, key: int, writer: AlertWriter, describe: Callable[[IncidentRecord, MonitorLog], Incident]
    ) -> None:
        self._store, self._key, self._writer, self._describe = store, key, writer, describe
        self._courier = Courier(store=store)

    def __repr__(self) -> str:
        return f"MonitorAlerts({', '.join(self.channels)})"

    @property
    def channels(self) -> dict[str, AlertChannel]:
        """The channels by their names."""
        with self._store.outbox() as outbox:
            return {one.name: one for one in channels_in(outbox, self._key)}

    def add(
        self,
        channel: Webhook | Email | Program | Apprise,
        *,
        name: str | None = None,
        levels: Sequence[Level] = USUAL_LEVELS,
        events: Sequence[Event] = USUAL_EVENTS,
    ) -> AlertChannel:
        """Add a channel, which is notified of everything that happens from now on.

        Parameters
        ----------
        channel : Webhook, Email, Program or Apprise
            How to send. It holds the names of environment variables, never secrets.
        name : str, optional
            The name of the channel; by default its kind, such as "webhook".
        levels : sequence of {"changed", "material", "harm"}, default ("material", "harm")
            The levels of incidents to send.
        events : sequence of {"opened", "recovered", "returned", "acknowledged"}, optional
            The events to send. By default all but "acknowledged", because whoever acknowledges an incident knows about
            it. "returned" is sent if the data had recovered and have changed again.

        Returns
        -------
        AlertChannel
            The channel as it is in the store. Adding the same channel again changes nothing.
        """
        check_channel(channel)
        called = channel.kind if name is None else name
        if not isinstance(called, str) or not called.strip() or len(called) > _LONGEST_NAME:
            raise fault(
                "name",
                f"be a text of at most {_LONGEST_NAME} characters",
                name,
                "leave it out if there is only one channel",
            )
        made = AlertChannel(
            name=called,
            channel=channel,
            levels=tuple(_chosen(levels, "levels", LEVELS)),
            events=tuple(_chosen(events, "events", EVENTS)),
        )
        with self._store.outbox(write=True) as outbox:
            earlier = self._find(outbox, called)
            if earlier is None:
                outbox.add_channel(_record(made, self._key), datetime.now(UTC))
            elif _channel(earlier) != made:
                raise InputError(
                    f"the monitor already has a channel {shown(called)}; remove it first, or give this one another "
                    "name (on the command line, use --channel)"
                )
        return made

    def remove(self, name: str) -> int:
        """Remove a channel; return how many of its alerts had not been delivered and never will be.

        Parameters
        ----------
        name : str
            The name of the channel.
        """
        with self._store.outbox(write=True) as outbox:
            return outbox.remove_channel(self._known(outbox, name).number)

    def test(self, name: str | None = None) -> dict[str, str]:
        """Send a test alert immediately, through one channel or through all of them.

        Parameters
        ----------
        name : str, optional
            The name of the channel.

        Returns
        -------
        dict of str to str
            For each channel by name, why the test was not delivered; empty if it was.
        """
        with self._store.outbox() as outbox:
            records = outbox.channels(self._key) if name is None else [self._known(outbox, name)]
        message = AlertMessage(self._writer.test(datetime.now(UTC)))
        return {record.name: self._courier.attempt(record, message) for record in records}

    @property
    def waiting(self) -> tuple[WaitingAlert, ...]:
        """The alerts that have not been delivered, the oldest first."""
        with self._store.outbox() as outbox:
            return waiting_in(outbox, self._key)

    def count_delivered(self, name: str) -> int:
        """Return how many alerts a channel has delivered.

        Parameters
        ----------
        name : str
            The name of the channel.
        """
        with self._store.outbox() as outbox:
            return outbox.count_delivered(self._known(outbox, name).number)

    def deliver(self, *, seconds: float = 60.0, at_once: bool = False) -> int:
        """Try to deliver the waiting alerts; return how many were delivered.

        Parameters
        ----------
        seconds : float, default 60
            Do not start sending another alert after this many seconds.
        at_once : bool, default False
            Whether to try channels again that failed a short time ago.
        """
        return self._courier.deliver(self._key, seconds=seconds, at_once=at_once)

    def announce(self, log: MonitorLog, before: Sequence[IncidentRecord], update: Update | None) -> None:
        """Write alerts about changes of incidents since `before`, in the transaction of these changes."""
        after = log.incidents(only_open=True, everywhere=True)
        known = {one.number: one for one in after}
        for event, number in transitions(before, after):
            self._post(log, event, known[number], update)

    def announce_acknowledged(self, log: MonitorLog, incident: IncidentRecord) -> None:
        """Write alerts about an incident that somebody closed."""
        self._post(log, "acknowledged", incident, None)

    def deliver_soon(self) -> None:
        """Deliver waiting alerts after the store was written; warn if some remain, and never fail."""
        try:
            self._courier.deliver(self._key, seconds=_SECONDS_IN_ADD)
            waiting = self.waiting
        except InputError as error:
            # The batch is in the store; if nothing more can be written there, it still counts.
            warn(AlertsWaiting(None, str(error.clause)))
            return
        if waiting:
            warn(AlertsWaiting(len(waiting), waiting_reasons(waiting)))

    def _post(self, log: MonitorLog, event: Event, incident: IncidentRecord, update: Update | None) -> None:
        created = datetime.now(UTC)
        for record in log.outbox.channels(self._key):
            if incident.level in record.levels and event in record.events:
                # Each channel has messages of its own, with ids of their own.
                content = self._writer.content(event, self._describe(incident, log), update, created)
                log.outbox.post(record.number, incident.number, content, created)

    def _find(self, outbox: Outbox, name: str) -> ChannelRecord | None:
        return next((record for record in outbox.channels(self._key) if record.name == name), None)

    def _known(self, outbox: Outbox, name: str) -> ChannelRecord:
        record = self._find(outbox, name)
        if record is None:
            names = [record.name for record in outbox.channels(self._key)]
            if not names:
                raise fault("channel", "be the name of a channel", name, "the monitor has none")
            raise unknown_name("channel", "be the name of a channel", name, names)
        return record


@dataclass(frozen=True, kw_only=True)
class Deliveries:
    """What became of the alerts that waited.

    Attributes
    ----------
    delivered : int
        How many were delivered.
    waiting : tuple of WaitingAlert
        Those that still wait.
    """

    delivered: int
    waiting: tuple[WaitingAlert, ...]


def deliver_alerts(
    store: str | os.PathLike[str], name: str | None = None, *, seconds: float = 60.0, at_once: bool = False
) -> Deliveries:
    """Try to deliver the alerts that wait in a store.

    Parameters
    ----------
    store : str or path-like
        The store.
    name : str, optional
        Only those of this monitor.
    seconds, at_once : float, bool
        As in `MonitorAlerts.deliver`.
    """
    from shiftproof.monitoring.store import find_monitor, monitor_names

    opened = open_store(store, create=False)
    key = None
    if name is not None:
        with opened.reading() as connection:
            record, names = find_monitor(connection, name), monitor_names(connection)
        if record is None:
            raise unknown_name("name", "be a monitor of the store", name, names)
        key = record.key
    delivered = Courier(store=opened).deliver(key, seconds=seconds, at_once=at_once)
    with opened.outbox() as outbox:
        return Deliveries(delivered=delivered, waiting=waiting_in(outbox, key))


def channels_in(outbox: Outbox, monitor: int) -> tuple[AlertChannel, ...]:
    """Return the channels of a monitor."""
    return tuple(_channel(record) for record in outbox.channels(monitor))


def waiting_in(outbox: Outbox, monitor: int | None) -> tuple[WaitingAlert, ...]:
    """Return the alerts of a monitor, or of all of a store, that have not been delivered."""
    names = {record.number: record.name for record in outbox.channels(monitor)}
    return tuple(
        WaitingAlert(
            id=alert.content["id"],
            channel=names[alert.channel],
            incident=alert.incident,
            event=alert.content["event"],
            since=alert.created,
            attempts=alert.attempts,
            error=alert.error,
        )
        for alert in outbox.waiting(monitor=monitor)
    )


def _chosen(values: Any, argument: str, choices: Sequence[str]) -> Iterator[Any]:
    """Yield the choices among the values, in their usual order; refuse other values, and none at all."""
    if isinstance(values, str) or not isinstance(values, Sequence) or not values:
        raise fault(argument, "be a list", values, f"such as {list(choices)[:2]}")
    for value in values:
        check_choice(value, argument, choices)
    yield from (choice for choice in choices if choice in values)


def _record(channel: AlertChannel, monitor: int) -> ChannelRecord:
    from shiftproof.monitoring.store import ChannelRecord

    return ChannelRecord(
        number=0,
        monitor=monitor,
        name=channel.name,
        kind=channel.channel.kind,
        settings=settings_of(channel.channel),
        levels=channel.levels,
        events=channel.events,
    )


def _channel(record: ChannelRecord) -> AlertChannel:
    levels: Any = record.levels
    events: Any = record.events
    return AlertChannel(
        name=record.name, channel=channel_of(record.kind, record.settings), levels=levels, events=events
    )

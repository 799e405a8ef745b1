"""Deliver the alerts that wait in a store: one thread per channel, each alert until it is delivered."""

from __future__ import annotations

import os
import random
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from shiftproof.alerts import LONGEST_SEND, AlertMessage, Undelivered, channel_of, send
from shiftproof.core import InputError, StoreError

if TYPE_CHECKING:
    from shiftproof.monitoring.store import ChannelRecord, Store

# After the first failure a minute, then twice as long each time, up to an hour.
_FIRST_PAUSE, _LONGEST_PAUSE = 60.0, 3600.0
# A send ends within LONGEST_SEND; until then nobody else may send through the same channel.
_LEASE = timedelta(seconds=2 * LONGEST_SEND)


def pause(failures: int) -> timedelta:
    """Return how long to wait after so many attempts that failed.

    At random between half and the whole of it, so that many monitors do not try again at the same moment.

    Examples
    --------
    >>> 0.5 <= pause(1) / timedelta(minutes=1) <= 1, 0.5 <= pause(3) / timedelta(minutes=4) <= 1
    (True, True)
    >>> 0.5 <= pause(1000) / timedelta(hours=1) <= 1
    True
    """
    # Above 2**10 minutes the power would only become a very long number.
    longest = min(_FIRST_PAUSE * 2 ** min(failures - 1, 10), _LONGEST_PAUSE)
    return timedelta(seconds=longest * random.uniform(0.5, 1.0))  # noqa: S311 - no secret


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, kw_only=True)
class Courier:
    """Sends what waits in a store.

    Several may work at once, also in several programs: a channel belongs to one of them at a time. If a program dies
    while it sends, its lease ends and the alert is sent again, with the same id.

    Parameters
    ----------
    store : Store
        Where alerts wait.
    clock : callable
        Returns the time.
    environment : mapping of str to str
        Where secrets are.
    sender : callable
        Sends one message, or raises `Undelivered`.
    """

    store: Store
    clock: Callable[[], datetime] = _now
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    sender: Callable[..., None] = send

    def deliver(self, monitor: int | None = None, *, seconds: float, at_once: bool = False) -> int:
        """Try once to deliver all alerts that wait; return how many were delivered.

        The alerts of a channel go in the order of their events, and stop at the first that fails. Channels do not wait
        for each other.

        Parameters
        ----------
        monitor : int, optional
            The key of a monitor; by default all of the store.
        seconds : float
            After so long nothing more is begun; what has begun ends within the time limit of its channel.
        at_once : bool, default False
            Whether to try channels whose pause after a failure is not over.

        Raises
        ------
        StoreError
            If the store cannot be read or written.
        """
        with self.store.outbox() as outbox:
            busy = {alert.channel for alert in outbox.waiting(monitor=monitor)}
            channels = [channel for channel in outbox.channels(monitor) if channel.number in busy]
        until = time.monotonic() + seconds
        rounds = [_Round(self, channel, until, at_once) for channel in channels]
        for one in rounds:
            one.start()
        for one in rounds:
            # What hangs beyond every time limit, such as the look-up of a name, is left behind.
            one.join(max(until - time.monotonic(), 0) + LONGEST_SEND)
        for one in rounds:
            if one.failure is not None:
                raise one.failure
        return sum(one.delivered for one in rounds)

    def attempt(self, record: ChannelRecord, message: AlertMessage) -> str:
        """Send a message; return why it was not delivered, and an empty text if it was."""
        try:
            channel = channel_of(record.kind, record.settings)
        except (InputError, KeyError, TypeError):
            return "its settings in the store are damaged; remove the channel and add it again"
        try:
            self.sender(channel, message, now=self.clock(), environment=self.environment)
        except Undelivered as error:
            return str(error)
        except Exception as error:
            # Nothing that goes wrong may keep other channels, or the caller, from their work.
            return f"an internal error ({type(error).__name__})"
        return ""


class _Round(threading.Thread):
    """One channel's turn. A daemon: it never keeps a program from ending."""

    def __init__(self, courier: Courier, channel: ChannelRecord, until: float, at_once: bool) -> None:
        super().__init__(daemon=True, name=f"alerts {channel.name}")
        self._courier, self._channel, self._until, self._at_once = courier, channel, until, at_once
        self.delivered = 0
        self.failure: StoreError | None = None

    def run(self) -> None:
        try:
            while time.monotonic() < self._until and self._deliver_next():
                self.delivered += 1
        except StoreError as error:
            self.failure = error

    def _deliver_next(self) -> bool:
        """Deliver the next alert; return whether that went well."""
        from shiftproof.monitoring.store import SendClaim

        courier = self._courier
        claim = SendClaim(
            token=secrets.token_hex(8),
            now=courier.clock(),
            lease=_LEASE,
            pause=pause,
            longest_lease=_LEASE,
            longest_pause=timedelta(seconds=_LONGEST_PAUSE),
            at_once=self._at_once,
        )
        with courier.store.outbox(write=True) as outbox:
            alert = outbox.take(self._channel.number, claim)
        if alert is None:
            return False
        error = courier.attempt(self._channel, AlertMessage(alert.content))
        with courier.store.outbox(write=True) as outbox:
            outbox.settle(alert, claim, error=error, now=courier.clock())
        return not error

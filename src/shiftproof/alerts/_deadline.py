"""End a connection when its time is over, also if the other side keeps it alive by a byte now and then."""

from __future__ import annotations

import contextlib
import socket
import threading
from types import TracebackType
from typing import Protocol


class Connected(Protocol):
    """Something that has a socket while it is connected, such as the clients of `http.client` and `smtplib`."""

    sock: socket.socket | None


class Deadline:
    """The moment until which an exchange must have ended.

    The time limit of a socket applies to each single read, so that a server which sends a byte now and then could hold
    a connection for hours.

    Parameters
    ----------
    seconds : float
        How long the exchange may take.

    Attributes
    ----------
    over : bool
        Whether the time is over.
    """

    def __init__(self, seconds: float) -> None:
        self.over = False
        self._connected: list[Connected] = []
        self._timer = threading.Timer(seconds, self._cut)
        self._timer.daemon = True

    def __enter__(self) -> Deadline:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()

    def watch(self, connected: Connected) -> None:
        """Cut this connection at the deadline."""
        self._connected.append(connected)
        if self.over:
            self._cut()

    def _cut(self) -> None:
        self.over = True
        for connected in self._connected:
            # Whoever reads or writes in another thread then gets an error at once.
            with contextlib.suppress(OSError):
                if connected.sock is not None:
                    connected.sock.shutdown(socket.SHUT_RDWR)

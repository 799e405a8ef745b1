"""A connection of the server: it is closed if the header of a request does not arrive in time."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

#: Seconds for the header of a request, from the connection or from the end of the answer before.
SLOWEST_HEADER = 5.0
#: Connections at once of which no header has arrived; of more, the oldest is closed.
MOST_WAITING = 200


class Connection(H11Protocol):
    """uvicorn's connection, which by itself waits for a header for ever."""

    _deadline: asyncio.TimerHandle | None = None

    @property
    def waits(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait; if too many do so, the one that has done so longest has to go."""
        super().connection_made(transport)
        self._wait()
        waiting = [one for one in self.connections if isinstance(one, Connection) and one.waits]
        if len(waiting) > MOST_WAITING:
            min(waiting, key=lambda one: one.due).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadline."""
        self._stop_waiting()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._wait()

    @property
    def due(self) -> float:
        """When the header must have arrived."""
        return 0.0 if self._deadline is None else self._deadline.when()

    def _wait(self) -> None:
        self._stop_waiting()
        self._deadline = self.loop.call_later(SLOWEST_HEADER, self._give_up)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()

    def _give_up(self) -> None:
        if self.waits:
            self.transport.abort()

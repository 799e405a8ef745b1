"""Live pages: browsers hear when a monitor has something new, and read their page again."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Mapping

from fastapi import APIRouter
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool

from shiftproof.core import StoreError
from shiftproof.monitoring.store import Pulse
from shiftproof.web._respond import REFUSALS
from shiftproof.web._site import Site

#: How often the store is looked at while somebody listens, in seconds.
EVERY = 1.0


class Beat:
    """What the store looked like a moment ago; however many listen, it is read once.

    Parameters
    ----------
    pulses : callable
        Reads the store.
    every : float
        How old an answer may be, in seconds.
    """

    def __init__(self, pulses: Callable[[], Mapping[int, Pulse]], every: float = EVERY) -> None:
        self._pulses, self._every = pulses, every
        self._marks: dict[str, str] = {}
        self._read_at = -1.0
        self._lock = asyncio.Lock()

    async def marks(self) -> dict[str, str]:
        """Return a mark for each monitor that changes with it."""
        async with self._lock:
            now = asyncio.get_running_loop().time()
            if self._read_at < 0 or now - self._read_at >= 0.9 * self._every:
                try:
                    pulses = await run_in_threadpool(self._pulses)
                    self._marks = {str(key): mark_of(pulse) for key, pulse in pulses.items()}
                except StoreError:  # a writer that is slow, or a store that is being replaced: the next look will tell
                    pass
                self._read_at = asyncio.get_running_loop().time()
            return self._marks

    async def changes(self) -> AsyncIterator[dict[str, str]]:
        """Yield the marks now, and then whenever one of them changes."""
        known: dict[str, str] | None = None
        while True:
            marks = await self.marks()
            if marks != known:
                known = dict(marks)
                yield known
            await asyncio.sleep(self._every)


def mark_of(pulse: Pulse) -> str:
    """Return a few characters that stand for a pulse."""
    return hashlib.sha256(repr(pulse).encode()).hexdigest()[:16]


def live(site: Site) -> APIRouter:
    """Return the address that browsers listen to."""
    router = APIRouter(tags=["live"])
    beat = Beat(site.source.pulses)

    @router.get("/events", response_class=EventSourceResponse, responses=REFUSALS)
    async def events() -> AsyncIterator[ServerSentEvent]:
        """Tell when a monitor changes: a mark for each, by its number."""
        # Marks and not figures: a browser reads its page again, which then passes the same checks as any request.
        async for marks in beat.changes():
            yield ServerSentEvent(event="pulse", data=marks, retry=3000)

    return router

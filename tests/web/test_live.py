from __future__ import annotations

import asyncio
from collections.abc import Mapping

from tests.web._loop import in_own_loop

from shiftproof.core import StoreError
from shiftproof.monitoring.store import Pulse
from shiftproof.web._live import Beat, mark_of

FIRST = Pulse(last_batch=1, last_labels=0, n_incidents=0, n_closed=0, n_recovered=0)
SECOND = Pulse(last_batch=2, last_labels=0, n_incidents=0, n_closed=0, n_recovered=0)


class Source:
    """Is read as often as a beat wants, and may fail."""

    def __init__(self, *answers: Pulse | None) -> None:
        self.answers, self.n_read = list(answers), 0

    def __call__(self) -> Mapping[int, Pulse]:
        self.n_read += 1
        answer = self.answers[min(self.n_read, len(self.answers)) - 1]
        if answer is None:
            raise StoreError("m.db", "busy")
        return {1: answer}


async def heard(beat: Beat, count: int) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    async for marks in beat.changes():
        found.append(marks)
        if len(found) == count:
            break
    return found


def test_only_changes_are_told() -> None:
    source = Source(FIRST, FIRST, SECOND)
    marks = in_own_loop(heard(Beat(source, every=0.01), 2))
    assert marks == [{"1": mark_of(FIRST)}, {"1": mark_of(SECOND)}]
    assert source.n_read == 3


def test_a_store_that_is_busy_is_read_again() -> None:
    source = Source(FIRST, None, None, SECOND)
    assert len(in_own_loop(heard(Beat(source, every=0.01), 2))) == 2


def test_however_many_listen_the_store_is_read_once() -> None:
    source = Source(FIRST)

    async def listen() -> None:
        beat = Beat(source, every=60.0)
        await asyncio.gather(*(heard(beat, 1) for _ in range(50)))

    in_own_loop(listen())
    assert source.n_read == 1

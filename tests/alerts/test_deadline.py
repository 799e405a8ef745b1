from __future__ import annotations

import socket
from types import SimpleNamespace
from typing import Any

from tests.alerts._servers import Stopwatch

from shiftproof.alerts._deadline import Deadline


def test_connection_is_cut_when_the_time_is_over() -> None:
    here, there = socket.socketpair()
    watch = Stopwatch()
    with here, there, Deadline(0.05) as deadline:
        deadline.watch(SimpleNamespace(sock=here))
        assert here.recv(1) == b""
        assert deadline.over
    assert watch.seconds < 2


def test_connection_that_comes_too_late_is_cut_at_once() -> None:
    here, there = socket.socketpair()
    with here, there, Deadline(0.01) as deadline:
        there.recv(0)
        while not deadline.over:
            pass
        deadline.watch(SimpleNamespace(sock=here))
        assert here.recv(1) == b""


def test_what_ends_in_time_is_left_alone() -> None:
    here, there = socket.socketpair()
    connected: Any = SimpleNamespace(sock=None)
    with here, there:
        with Deadline(60) as deadline:
            deadline.watch(connected)
        connected.sock = here
        there.send(b"x")
        assert here.recv(1) == b"x"
        assert not deadline.over

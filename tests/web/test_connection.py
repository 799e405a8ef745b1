"""Connections that never become requests, against a server on this machine."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest
from tests._stores import Place
from tests.web.conftest import site_of

from shiftproof.web import _connection
from shiftproof.web._serve import listening, make_server

HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Half: "


@pytest.fixture
def port(place: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Serve the store on a thread, with a deadline of a second."""
    monkeypatch.setattr(_connection, "SLOWEST_HEADER", 1.0)
    site = site_of(place, port=0)
    with listening(site.settings) as listener:
        server = make_server(site)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        server.should_exit = True
        thread.join(10)


def opened(port: int, sent: bytes = HALF) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=10)
    connection.sendall(sent)
    return connection


def status(port: int, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(100) == b""
    except ConnectionResetError:
        return True


def test_connections_that_are_held_keep_nobody_out_and_are_closed(port: int) -> None:
    with ExitStack() as stack:
        began = time.monotonic()
        held = [stack.enter_context(opened(port)) for _ in range(400)]
        assert [status(port, path) for path in ("/healthz", "/monitors/1", "/readyz")] == [200, 200, 200]
        # Of so many the first ones have to go at once, and the others after the deadline.
        assert all(map(is_closed, held))
        assert time.monotonic() - began < 20
    assert status(port, "/") == 200


def test_a_header_that_comes_letter_by_letter_is_late(port: int) -> None:
    began = time.monotonic()
    with opened(port) as connection, suppress(OSError):
        while time.monotonic() - began < 10:
            connection.sendall(b"x")
            time.sleep(0.1)
    assert time.monotonic() - began < 5


def test_an_answer_begins_a_new_deadline(port: int) -> None:
    with opened(port, b"") as connection:
        for _ in range(3):
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = b""
            while not answer.endswith(b"}"):
                answer += (part := connection.recv(1000))
                assert part
            time.sleep(0.5)
        assert is_closed(connection)


def test_a_body_may_take_longer_than_a_header(port: int) -> None:
    head = b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 7\r\n"
    with opened(port, head + b"Content-Type: application/x-www-form-urlencoded\r\n\r\n") as connection:
        time.sleep(1.5)
        connection.sendall(b"token=x")
        assert connection.recv(1000).startswith(b"HTTP/1.1 ")

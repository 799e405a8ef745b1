"""Servers that run in this process: one for the web, one for mail, whose behaviour a test can change."""

from __future__ import annotations

import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(kw_only=True)
class Hook:
    """What a web server got, and how it answers.

    Attributes
    ----------
    status : int
        The status of its answers; 0 ends the connection without one.
    hang : float
        Seconds before it answers.
    drip : float
        Seconds between two bytes of its answer, if above 0.
    requests : list
        The headers and the body of every request.
    """

    status: int = 204
    hang: float = 0.0
    drip: float = 0.0
    requests: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    url: str = ""

    @property
    def ids(self) -> list[str]:
        return [headers["webhook-id"] for headers, _ in self.requests]


@contextmanager
def web_server() -> Iterator[Hook]:
    """Run a web server on this machine."""
    hook = Hook()
    ended = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            hook.requests.append(({name.lower(): value for name, value in self.headers.items()}, body))
            ended.wait(hook.hang)
            if hook.drip:
                self._drip()
            elif hook.status:
                self.send_response(hook.status)
                self.send_header("location", f"{hook.url}/elsewhere")
                self.end_headers()

        def _drip(self) -> None:
            try:
                for letter in b"HTTP/1.1 200 Fine\r\nx-long: " + b"x" * 1000:
                    self.wfile.write(bytes([letter]))
                    if ended.wait(hook.drip):
                        return
            except OSError:
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    hook.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield hook
    finally:
        ended.set()
        server.shutdown()
        server.server_close()


@contextmanager
def silent_server() -> Iterator[int]:
    """Run a server that accepts connections and says nothing; yield its port."""
    ended = threading.Event()

    class Silent(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            ended.wait(10)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

    server = Server(("127.0.0.1", 0), Silent)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        ended.set()
        server.shutdown()
        server.server_close()


def free_port() -> int:
    """Return a port at which nobody listens."""
    with socketserver.TCPServer(("127.0.0.1", 0), socketserver.BaseRequestHandler) as server:
        return int(server.server_address[1])


class Stopwatch:
    """Seconds since it was made."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._start

"""Run a dashboard until somebody stops it."""

from __future__ import annotations

import errno
import gc
import socket
from collections.abc import Callable
from dataclasses import replace

import uvicorn

from shiftproof.core import InputError
from shiftproof.web._app import make_app, make_site
from shiftproof.web._connection import MOST_WAITING, Connection
from shiftproof.web._settings import ServeSettings
from shiftproof.web._site import Site


def serve(settings: ServeSettings, announce: Callable[[Site], None]) -> None:
    """Listen, say where, and answer until the process is interrupted.

    Parameters
    ----------
    settings : ServeSettings
        Where to listen, and what is allowed.
    announce : callable
        Is given the site when it listens.

    Raises
    ------
    InputError
        If the port is in use or not allowed.
    StoreError
        If the store does not exist.
    """
    make_site(settings)  # a store that cannot be opened is said before anything listens
    with listening(settings) as listener:
        site = make_site(replace(settings, port=listener.getsockname()[1]))
        server = make_server(site)
        # What was imported stays. Looking through it for garbage would take as long as a page, some pages in a hundred.
        gc.collect()
        gc.freeze()
        announce(site)
        server.run(sockets=[listener])


def make_server(site: Site) -> uvicorn.Server:
    """Return the server of a dashboard, which does not listen yet."""
    config = uvicorn.Config(
        make_app(site),
        # The limits of connections are theirs, and those of requests are the gate's: the server's own would refuse
        # everything, and even the question whether it lives, while others hold connections.
        http=Connection,
        log_level="warning",
        server_header=False,
        # Pages that listen for news would otherwise never end.
        timeout_graceful_shutdown=2,
        # Nothing is opened or closed with the server: the store is opened for each page.
        lifespan="off",
    )
    return uvicorn.Server(config)


def listening(settings: ServeSettings) -> socket.socket:
    """Return a socket at the address, or say why there is none."""
    try:
        found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError:
        raise InputError(f"host {settings.host!r} is not known to this machine; 127.0.0.1 is the default") from None
    family, kind, protocol, _, address = found[0]
    listener = socket.socket(family, kind, protocol)
    # A dashboard that was stopped a moment ago does not keep its port.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        # At once, so that the address that is printed works.
        listener.listen(MOST_WAITING)
    except OSError as error:
        listener.close()
        raise InputError(_reason(error, settings)) from None
    return listener


def _reason(error: OSError, settings: ServeSettings) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {settings.port} is in use; stop the other program, or pass another port (0 picks any free port)"
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"you are not allowed to use port {settings.port}; pass one above 1023"
    return f"host {settings.host!r} is not an address of this machine; 127.0.0.1 is the default"

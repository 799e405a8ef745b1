"""`shiftproof monitor serve`: a dashboard of all monitors of a store."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from shiftproof.cli._terminal import consoles
from shiftproof.core import InputError, tame

if TYPE_CHECKING:
    from shiftproof.web import Site

_NEEDED = ("fastapi", "prometheus_client", "python_multipart", "starlette", "uvicorn")


def serve(
    *,
    store: str,
    host: str = "127.0.0.1",
    port: int = 8470,
    token_file: Path | None = None,
    root_path: str = "",
    write: bool = False,
    allow_host: list[str] | None = None,
) -> int:
    """Show all monitors in a store in a browser, live, until you stop the command.

    Start it and open the address it prints:

    [dim]shiftproof monitor serve calls.db[/dim]

    By default, only this machine has access, and nothing can be changed. With
    [bold]--write[/bold], incidents can be acknowledged and rows labelled:

    [dim]shiftproof monitor serve calls.db --write[/dim]

    For a team, set a token and put a proxy with HTTPS in front:

    [dim]export SHIFTPROOF_TOKEN="$(openssl rand -hex 24)"[/dim]
    [dim]shiftproof monitor serve calls.db --host 0.0.0.0 --root-path /models[/dim]
    [dim]  --allow-host dashboards.example.org[/dim]

    Parameters
    ----------
    store : STORE
        The store.
    host : ADDRESS
        The address to listen on. Anything other than localhost needs a token.
    port : N
        The port; 0 picks any free port.
    token_file : FILE
        A file with the token for signing in. Default: the environment variable SHIFTPROOF_TOKEN.
    root_path : PATH
        The path under which a proxy serves the dashboard, such as /models.
    write
        Allow users to acknowledge incidents and add labels. Default: read-only.
    allow_host : NAME
        A host name for the dashboard; localhost and IP addresses are always allowed. Can be repeated.
    """
    try:
        from shiftproof.web import ServeSettings, read_token
        from shiftproof.web import serve as run
    except ModuleNotFoundError as error:
        if error.name not in _NEEDED:
            raise
        needs = "the dashboard needs FastAPI, uvicorn and prometheus-client"
        raise InputError(f"{needs}; run pip install '.[serve]' in a checkout of shiftproof") from None
    settings = ServeSettings(
        store=store,
        host=host,
        port=port,
        token=read_token(token_file, os.environ),
        root_path=root_path.rstrip("/"),
        write=write,
        allowed_hosts=tuple(allow_host or ()),
    )
    with suppress(KeyboardInterrupt):  # how a dashboard is meant to end
        run(settings, announce)
    return 0


def announce(site: Site) -> None:
    """Say where to look, and with which link if a token is needed."""
    _, progress = consoles()
    settings = site.settings
    link = f"/login?once={site.tokens.new_link()}" if site.tokens.needed else ""
    what = (
        "incidents can be acknowledged and rows labelled"
        if settings.write
        else "read-only; pass --write to allow changes"
    )
    lines = [f"dashboard: {settings.address}{link}"]
    lines += ["The link works once, within 15 minutes. After that, the page asks for the token."] if link else []
    lines.append(f"{what}. Press Ctrl+C to stop.")
    for line in lines:
        progress.print(tame(line), highlight=False, markup=False, soft_wrap=True)

"""What a dashboard is started with: where it listens, who may look, and whether it may write."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from shiftproof.core import Argument, FileError, InputError, fault

#: The variable of the environment that holds the token.
TOKEN_VARIABLE = "SHIFTPROOF_TOKEN"  # noqa: S105 - its name, not its value
# Shorter ones can be guessed.
_SHORTEST = 16
_TOKEN = re.compile(r"[!-~]+")
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")
_PREFIX = re.compile(r"(/[A-Za-z0-9._~-]+)*")
_MAKE = "python -c 'import secrets; print(secrets.token_urlsafe(32))' makes one"


@dataclass(frozen=True, kw_only=True)
class ServeSettings:
    """Where a dashboard listens, and what it allows.

    Parameters
    ----------
    store : str
        The file of the store, or a URL of PostgreSQL.
    host : str
        The address to listen at.
    port : int
        The port; 0 picks any free port.
    token : str or None
        What everybody who looks must know; None for nobody but this machine.
    root_path : str
        The path below which a proxy shows the dashboard, such as ``/models``; empty for none.
    write : bool
        Whether incidents can be acknowledged and labels given.
    allowed_hosts : tuple of str
        Names by which browsers may ask for it, beside those of this machine.

    Raises
    ------
    InputError
        If others could look without a token, or one of these cannot be used.

    Examples
    --------
    >>> ServeSettings(store="calls.db").address
    'http://127.0.0.1:8470'
    """

    store: str
    host: str = "127.0.0.1"
    port: int = 8470
    token: str | None = None
    root_path: str = ""
    write: bool = False
    allowed_hosts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # Before anything listens: a dashboard that others can see by mistake is worse than none.
        if not 0 <= self.port <= 65535:
            raise fault("port", "be a number from 0 to 65535", self.port, "8470 is the default")
        if not _is_host(self.host):
            raise fault("host", "be an address or a name of this machine", self.host, "127.0.0.1 is the default")
        if not _PREFIX.fullmatch(self.root_path):
            raise fault("root_path", "begin with a slash and not end with one", self.root_path, "write it as /models")
        for name in self.allowed_hosts:
            if not _HOST.fullmatch(name):
                raise fault("allow_host", "be the name of a machine", name, "write it as models.example.org")
        if self.token is None and not self.local:
            words = (
                f"host {self.host!r} gives other machines access, which needs a token; set {TOKEN_VARIABLE} or pass "
            )
            raise InputError(words, Argument("token_file"))

    @property
    def local(self) -> bool:
        """Whether only this machine can connect."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def address(self) -> str:
        """Where to look, on this machine."""
        shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self.host, self.host)  # noqa: S104 - shown, not bound
        shown = f"[{shown}]" if ":" in shown and not shown.startswith("[") else shown
        return f"http://{shown}:{self.port}{self.root_path}"

    def allows(self, header: str) -> bool:
        """Return whether a browser may ask for this host.

        A page of somebody else can point a name of its own at this machine and would then share our pages; it cannot
        do so with an address.
        """
        name = _without_port(header).lower()
        known = {"localhost", self.host.lower(), socket.gethostname().lower(), *map(str.lower, self.allowed_hosts)}
        return name in known or _is_address(name)


def read_token(file: Path | None, environment: Mapping[str, str]) -> str | None:
    """Return the token from a file or from the environment; None if neither has one.

    Raises
    ------
    InputError
        If the file cannot be read, or the token is short or has characters that cannot be sent.
    """
    if file is not None:
        try:
            text = file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not a text file"
            raise FileError(file, f"the token cannot be read ({reason})") from None
        place = str(file)
    elif TOKEN_VARIABLE in environment:
        text, place = environment[TOKEN_VARIABLE].strip(), TOKEN_VARIABLE
    else:
        return None
    # The token itself must not be shown, not even a wrong one.
    if len(text) < _SHORTEST or not _TOKEN.fullmatch(text):
        raise InputError(
            f"the token in {place} must be one word of at least {_SHORTEST} letters, digits or symbols; {_MAKE}"
        )
    return text


def _without_port(header: str) -> str:
    """Return the name in a header `Host`.

    Examples
    --------
    >>> _without_port("localhost:80"), _without_port("[::1]:80"), _without_port("::1")
    ('localhost', '::1', '::1')
    """
    if header.startswith("["):
        return header[1:].partition("]")[0]
    name, _, port = header.rpartition(":")
    return name if name and ":" not in name and port.isdigit() else header


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_host(name: str) -> bool:
    return _is_address(name) or _HOST.fullmatch(name) is not None

"""Checks of what a channel is made of. No error shows a value that may be a secret."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath
from urllib.parse import urlsplit

from shiftproof.core import Argument, InputError, fault, is_number

#: How the names of all environment variables begin that a channel may use: a store that somebody else made must not be
#: able to send other variables away.
PREFIX = "SHIFTPROOF_"
#: Names the programs that may be run, as PATH names folders.
PROGRAMS = f"{PREFIX}PROGRAMS"
_VARIABLE = re.compile(PREFIX + "[A-Z0-9_]+")
# What people write; quoted names and addresses beyond ASCII need servers that accept them.
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*")
_HOST = re.compile(r"[A-Za-z0-9.:_-]+")
_PRINTABLE = re.compile(r"[\x21-\x7e]+")
#: The longest that a channel may take for one message.
LONGEST = 60.0


def is_web_address(url: str) -> bool:
    """Return whether this is an address of the web with a host.

    Examples
    --------
    >>> [is_web_address(url) for url in ("https://example.org/a?b=c", "file:///etc/passwd", "http://", "http://a b")]
    [True, False, False, False]
    """
    try:
        parts = urlsplit(url)
        # Whether the port is a number shows only when it is read.
        return bool(parts.scheme in ("http", "https") and parts.hostname and _PRINTABLE.fullmatch(url)) and (
            parts.port is None or parts.port > 0
        )
    except ValueError:
        return False


def check_web_address(url: object) -> None:
    """Refuse what is not an address of the web, and one that holds a password."""
    if not isinstance(url, str) or not is_web_address(url):
        raise InputError(
            Argument("url"),
            " must begin with http:// or https://; the value is not shown because it may contain a secret",
        )
    if "@" in urlsplit(url).netloc:
        raise InputError(
            Argument("url"),
            " contains a user name or password, which would be stored; put the whole URL into an environment "
            "variable, and name that variable with ",
            Argument("url_env"),
        )


def check_variable(name: object, argument: str) -> None:
    """Refuse what is not the name of an environment variable, without showing it: it may be the secret itself."""
    if not isinstance(name, str) or not _VARIABLE.fullmatch(name):
        raise InputError(
            Argument(argument),
            f" must name an environment variable that begins with {PREFIX}, such as {PREFIX}SECRET; the value is "
            "not shown because it may be the secret itself",
        )


def check_seconds(seconds: object) -> None:
    """Refuse a time limit that is not a number of seconds between 0 and 60."""
    if not is_number(seconds) or not 0 < seconds <= LONGEST:
        raise fault("seconds", f"be above 0 and at most {LONGEST:.0f}", seconds, "5 is the default")


def check_mail_address(address: object, argument: str) -> None:
    """Refuse what is not one address for e-mail; one with a line break could add headers."""
    if not isinstance(address, str) or not _ADDRESS.fullmatch(address):
        hint = "write it as team@example.org; for another address, add another channel"
        raise fault(argument, "be a single e-mail address", address, hint)


def check_host(host: object) -> None:
    """Refuse what cannot be the name of a server."""
    if not isinstance(host, str) or not _HOST.fullmatch(host):
        raise fault("host", "be the name of a mail server", host, "write it as smtp.example.org")


def check_argv(argv: object) -> tuple[str, ...]:
    """Return a program and its arguments; the program must be given by its whole path."""
    rule, hint = "be the full path of a program, and its arguments", "write for example /usr/local/bin/page --team ml"
    if isinstance(argv, str) or not isinstance(argv, Sequence) or not argv:
        raise fault("argv", rule, argv, hint)
    # The folder that alerts are sent from, and its search path, may be others.
    if not all(isinstance(word, str) and "\0" not in word for word in argv) or not PurePath(argv[0]).is_absolute():
        raise fault("argv", rule, list(argv), hint)
    return tuple(argv)

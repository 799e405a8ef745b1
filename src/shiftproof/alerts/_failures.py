"""Why a message could not be delivered, in words that hold no secret."""

from __future__ import annotations

import os
from collections.abc import Mapping

from shiftproof.core import counted


class Undelivered(Exception):  # noqa: N818 - it is a state, which ends with the next attempt
    """A message was not delivered; the text says why, and may be stored and shown."""


def reason_of(error: BaseException, seconds: float) -> str:
    """Say why a connection failed.

    Messages of exceptions are never used: they may hold an address with a token, or what a server sent back.

    Parameters
    ----------
    error : BaseException
        What was raised.
    seconds : float
        The time limit, for a connection that was too slow.

    Examples
    --------
    >>> reason_of(TimeoutError(), 5.0), reason_of(ConnectionRefusedError(111, "Connection refused"), 5.0)
    ('no answer within 5 seconds', 'connection refused')
    >>> reason_of(ValueError("token=123"), 5.0)
    'the connection failed (ValueError)'
    """
    # Whatever raised this has imported them.
    import socket
    import ssl
    from urllib.error import URLError

    if isinstance(error, URLError) and isinstance(error.reason, BaseException):
        error = error.reason
    if isinstance(error, TimeoutError):
        return too_slow(seconds)
    if isinstance(error, ssl.SSLCertVerificationError):
        return "the certificate of the server cannot be verified"
    if isinstance(error, ssl.SSLError):
        return "no secure connection could be made"
    if isinstance(error, socket.gaierror):
        return "the host was not found"
    if isinstance(error, OSError) and error.errno is not None:
        # The system's own words for a number: the text of the exception may be the server's.
        return os.strerror(error.errno).lower()
    return f"the connection failed ({type(error).__name__})"


def too_slow(seconds: float) -> str:
    """Say that there was no answer in time.

    Examples
    --------
    >>> too_slow(1.0), too_slow(2.5)
    ('no answer within 1 second', 'no answer within 2.5 seconds')
    """
    number = counted(int(seconds), "second") if seconds == int(seconds) else f"{seconds:g} seconds"
    return f"no answer within {number}"


def secret(environment: Mapping[str, str], variable: str) -> str:
    """Return the value of an environment variable; one that is not set, or empty, is a reason not to send."""
    value = environment.get(variable, "")
    if not value:
        raise Undelivered(f"the environment variable {variable} is not set")
    return value

"""Sign webhooks as the Standard Webhooks specification says, and verify such signatures."""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any

from shiftproof.core import InputError

# Secrets in the format of the specification begin with this; what follows is base64.
_PREFIX = "whsec_"
_VERSION = "v1"
_HEADERS = ("webhook-id", "webhook-timestamp", "webhook-signature")


def signature(secret: str, identity: str, timestamp: int, body: bytes) -> str:
    """Return the signature of a message: HMAC-SHA256 of its id, its time and its body.

    Parameters
    ----------
    secret : str
        Any text, or ``whsec_`` and base64.
    identity : str
        The id of the message.
    timestamp : int
        When it is sent, in seconds since 1970.
    body : bytes
        What is sent.

    Examples
    --------
    The example of the specification:

    >>> body = b'{"test": 2432232314}'
    >>> signature("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body)
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
    """
    signed = f"{identity}.{timestamp}.".encode() + body
    return f"{_VERSION},{base64.b64encode(hmac.digest(_key(secret), signed, 'sha256')).decode()}"


def _key(secret: str) -> bytes:
    if not secret.startswith(_PREFIX):
        return secret.encode()
    try:
        return base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except binascii.Error:
        return secret.encode()


def verify(headers: Mapping[str, str], body: bytes, secret: str, *, tolerance: float = 300.0) -> dict[str, Any]:
    """Check that a webhook comes from a monitor that knows the secret, and return its content.

    After a crash, the same message may arrive twice, with the same ``webhook-id``: handle each id only once.

    Parameters
    ----------
    headers : mapping of str to str
        The headers of the request; upper and lower case in their names do not matter.
    body : bytes
        The body of the request as received, before it is parsed.
    secret : str
        The secret, which is also in the environment variable that the channel names.
    tolerance : float, default 300
        How many seconds the time of the message may differ from the clock here. This refuses old messages that somebody
        sends again.

    Returns
    -------
    dict
        The content: see ``docs/alert.schema.json``.

    Raises
    ------
    InputError
        If a header is missing, the signature is wrong or the message is too old.

    Examples
    --------
    >>> import time
    >>> body, now = b'{"event": "test"}', int(time.time())
    >>> signed = signature("x", "7f", now, body)
    >>> headers = {"webhook-id": "7f", "webhook-timestamp": str(now), "webhook-signature": signed}
    >>> verify(headers, body, "x")
    {'event': 'test'}
    >>> verify(headers, body + b" ", "x")
    Traceback (most recent call last):
        ...
    shiftproof.core._errors.InputError: the signature of the webhook is wrong; check that both sides have the same \
secret, and that the body is unchanged.
    """
    by_name = {name.lower(): value for name, value in headers.items()}
    missing = [name for name in _HEADERS if name not in by_name]
    if missing:
        raise InputError(f"the webhook has no header {missing[0]}; pass all headers of the request")
    identity, sent, signatures = (by_name[name] for name in _HEADERS)
    if not sent.isascii() or not sent.isdecimal() or abs(time.time() - int(sent)) > tolerance:
        raise InputError(
            f"the time of the webhook differs from this clock by more than {tolerance:g} seconds; check both "
            "clocks, or reject the request"
        )
    expected = signature(secret, identity, int(sent), body).encode()
    # There are several while a secret is replaced by another.
    if not any(hmac.compare_digest(expected, one.encode()) for one in signatures.split()):
        raise InputError(
            "the signature of the webhook is wrong; check that both sides have the same secret, and that the body "
            "is unchanged"
        )
    content: dict[str, Any] = json.loads(body)
    return content

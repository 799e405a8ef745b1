"""Post a message as signed JSON."""

from __future__ import annotations

import http.client
import urllib.request
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError

from shiftproof._version import __version__
from shiftproof.alerts._checks import is_web_address
from shiftproof.alerts._deadline import Deadline
from shiftproof.alerts._failures import Undelivered, reason_of, secret, too_slow
from shiftproof.alerts._message import AlertMessage
from shiftproof.alerts._signature import signature

if TYPE_CHECKING:
    from shiftproof.alerts._channels import Webhook


def post(channel: Webhook, message: AlertMessage, now: datetime, environment: Mapping[str, str]) -> None:
    """Post a message; an answer of 200 to 299 means that it was delivered."""
    headers = {
        "content-type": "application/json",
        "user-agent": f"shiftproof/{__version__}",
        "webhook-id": message.id,
        "webhook-timestamp": str(int(now.timestamp())),
    }
    if channel.secret_env is not None:
        key = secret(environment, channel.secret_env)
        headers["webhook-signature"] = signature(key, message.id, int(now.timestamp()), message.body)
    status = _status(_address(channel, environment), message.body, headers, channel.seconds)
    if not 200 <= status < 300:
        raise Undelivered(f"the server answered {status}")


def _address(channel: Webhook, environment: Mapping[str, str]) -> str:
    if channel.url is not None:
        return channel.url
    variable = channel.url_env or ""
    url = secret(environment, variable).strip()
    if not is_web_address(url):
        raise Undelivered(
            f"the environment variable {variable} does not hold a URL that begins with http:// or https://"
        )
    return url


def _status(url: str, body: bytes, headers: Mapping[str, str], seconds: float) -> int:
    """Return the status that a server answers with."""
    request = urllib.request.Request(url, data=body, headers=dict(headers), method="POST")  # noqa: S310 - checked
    with Deadline(seconds) as deadline:
        opener = urllib.request.build_opener(_NotRedirected, _WebHandler(deadline), _SecureWebHandler(deadline))
        try:
            with opener.open(request, timeout=seconds) as response:
                return int(response.status)
        except HTTPError as error:
            error.close()
            return error.code
        except Exception as error:
            # Whatever the connection broke with: after the deadline it is because we cut it.
            raise Undelivered(too_slow(seconds) if deadline.over else reason_of(error, seconds)) from None


class _NotRedirected(urllib.request.HTTPRedirectHandler):
    """A signed message is for the address that was configured, and for no other."""

    def redirect_request(self, *_: object) -> None:
        """Follow no redirection: its status counts as the answer."""


class _WebHandler(urllib.request.HTTPHandler):
    def __init__(self, deadline: Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_watched(http.client.HTTPConnection, self._deadline), req)


class _SecureWebHandler(urllib.request.HTTPSHandler):
    def __init__(self, deadline: Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_watched(http.client.HTTPSConnection, self._deadline), req)


def _watched(kind: Any, deadline: Deadline) -> Any:
    """Return a function that makes a connection with a deadline."""

    def connection(*arguments: Any, **options: Any) -> Any:
        made = kind(*arguments, **options)
        deadline.watch(made)
        return made

    return connection

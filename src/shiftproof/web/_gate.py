"""What every request passes before a page sees it, and every answer on its way out.

The path loses the prefix of a proxy; unknown hosts, strangers, bodies that are too large or too slow, and too many
requests at once are refused; and every answer says what browsers may do with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException

from shiftproof.web._settings import ServeSettings
from shiftproof.web._tokens import Tokens

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

#: The name of the cookie that holds a session.
COOKIE = "shiftproof_session"
#: The largest body of a request, in bytes, and how long it may take to arrive, in seconds.
LARGEST, SLOWEST = 4_000_000, 30.0
#: Requests at once, with those of pages that listen for news.
MOST = 500
# Bodies up to so many times as large are received before they are refused.
_READ_AWAY = 10
# What anybody may ask for: whether the server lives, and what the page that asks for the token needs.
_HEALTH = "/healthz"
_OPEN = (_HEALTH, "/readyz", "/login")
_STATIC = "/static/"
_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Gate:
    """The door of a dashboard, around its application.

    Parameters
    ----------
    app : App
        What answers.
    settings : ServeSettings
        Which hosts and which prefix there are.
    tokens : Tokens
        Who may look.
    largest, slowest : float
        The limits of a body.
    most : int
        How many requests are answered at once.
    """

    def __init__(
        self,
        app: App,
        settings: ServeSettings,
        tokens: Tokens,
        *,
        largest: int = LARGEST,
        slowest: float = SLOWEST,
        most: int = MOST,
    ) -> None:
        self._app, self._settings, self._tokens = app, settings, tokens
        self._largest, self._slowest = largest, slowest
        self._most, self._n_requests = most, 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # A copy, because the server still needs the path as it came.
        scope = self._without_prefix(scope)
        send = _with_headers(send, scope["path"])
        # Whether the process lives is asked most when it has too much to do.
        if self._n_requests >= self._most and scope["path"] != _HEALTH:
            await refuse(send, 503, "The dashboard has too many requests at once; try again in a minute.")
            return
        self._n_requests += 1
        try:
            await self._answer(scope, receive, send)
        finally:
            self._n_requests -= 1

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        if refusal := self._refusal(scope, headers):
            if refusal[0] == 413:
                await self._read_away(receive, headers)
            await refuse(send, *refusal, location=self._login(scope, headers, refusal[0]))
            return
        await self._app(scope, _LimitedBody(receive, self._largest, self._slowest), send)

    def _without_prefix(self, scope: Scope) -> Scope:
        """Take the prefix off the path; some proxies have done so before."""
        prefix, path = self._settings.root_path, scope["path"]
        if prefix and (path == prefix or path.startswith(f"{prefix}/")):
            path = path[len(prefix) :] or "/"
        return {**scope, "path": path, "raw_path": quote(path).encode(), "root_path": ""}

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        """Return the status and the words with which a request is refused; None if it may pass."""
        # Two of them may mean different hosts to a proxy and to us.
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._settings.allows(hosts[0]):
            return 421, "This host name is not allowed; start the dashboard with --allow-host NAME."
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 15 or int(length) > self._largest:
            return 413, _too_large(self._largest)
        if scope["path"] in _OPEN or scope["path"].startswith(_STATIC) or not self._tokens.needed:
            return None
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and self._tokens.accepts(given.strip()):
            # Programs that know the token need no code of a form.
            scope["shiftproof_bearer"] = True
            return None
        if self._tokens.knows_session(session_of(headers)):
            return None
        return 401, "A token is needed: open the link that the dashboard printed, or send Authorization: Bearer TOKEN."

    async def _read_away(self, receive: Receive, headers: Headers) -> None:
        """Receive a body that is somewhat too large, and keep nothing of it.

        A browser reads the answer only after it has sent everything; before, it would say that the connection broke.
        """
        length = headers.get("content-length", "")
        if not length.isdecimal() or len(length) > 15 or int(length) > _READ_AWAY * self._largest:
            return
        body = _LimitedBody(receive, int(length), self._slowest)
        # Who sends less than announced, or slowly, has left or means no good.
        with suppress(HTTPException):
            while (await body()).get("more_body", False):
                pass

    def _login(self, scope: Scope, headers: Headers, status: int) -> str:
        """Return where somebody with a browser can give the token; empty for programs."""
        if status != 401 or scope["method"] != "GET" or "text/html" not in headers.get("accept", ""):
            return ""
        asked = scope["path"] + (f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else "")
        return f"{self._settings.root_path}/login?next={quote(asked, safe='')}"


def _too_large(largest: int) -> str:
    return f"This is more than {largest / 1_000_000:g} MB, the maximum size."


def session_of(headers: Headers) -> str:
    """Return the session that a browser sends; empty without one."""
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return "" if morsel is None else morsel.value


async def refuse(send: Send, status: int, words: str, *, location: str = "") -> None:
    """Answer in one sentence of plain text, or lead to another page."""
    body = f"{words}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b'Bearer realm="shiftproof"'))
    # What is left of the body is not read.
    if status in (408, 413, 503):
        headers.append((b"connection", b"close"))
    if location:
        status = 303
        headers.append((b"location", location.encode("ascii")))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _with_headers(send: Send, path: str) -> Send:
    """Return what sends answers with the headers that restrict browsers."""

    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            # Pages change with every batch, and are nobody else's business.
            headers.setdefault("cache-control", "public, max-age=3600" if path.startswith(_STATIC) else "no-store")
        await send(message)

    return sending


class _LimitedBody:
    """Receives a body as long as it is small and quick; a length in the header may be wrong or missing."""

    def __init__(self, receive: Receive, largest: int, slowest: float) -> None:
        self._receive, self._largest = receive, largest
        self._n_bytes, self._ended = 0, False
        self._deadline = asyncio.get_running_loop().time() + slowest

    async def __call__(self) -> MutableMapping[str, Any]:
        if self._ended:  # what follows is only news of a client that left
            return await self._receive()
        left = self._deadline - asyncio.get_running_loop().time()
        try:
            message = await asyncio.wait_for(self._receive(), timeout=max(left, 0.001))
        except TimeoutError:
            raise HTTPException(408, "The request took too long to arrive; send it again.") from None
        self._n_bytes += len(message.get("body", b""))
        self._ended = not message.get("more_body", False)
        if self._n_bytes > self._largest:
            raise HTTPException(413, _too_large(self._largest))
        return message

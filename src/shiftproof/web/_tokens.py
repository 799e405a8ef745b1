"""Who may look: a token that is compared in constant time, one-time links, and sessions that browsers keep."""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable
from hashlib import sha256
from threading import Lock

#: How long a browser need not ask for the token again, in seconds.
SESSION = 7 * 24 * 3600
# How long a one-time link works.
_LINK = 15 * 60


class Tokens:
    """The token of a dashboard, and what is derived from it.

    Parameters
    ----------
    token : str or None
        What everybody must know; None if everybody who can connect may look.
    clock : callable
        Returns the seconds since 1970.
    """

    def __init__(self, token: str | None, clock: Callable[[], float] = time.time) -> None:
        self._token, self._clock = token, clock
        # Sessions are signed with the token, so that they end when it changes; forms with a key of this process.
        self._key = sha256(f"session {token}".encode()).digest()
        self._form_key = secrets.token_bytes(32)
        self._links: dict[str, float] = {}
        self._lock = Lock()

    @property
    def needed(self) -> bool:
        """Whether the token must be known."""
        return self._token is not None

    def accepts(self, given: str) -> bool:
        """Return whether this is the token, in a time that does not depend on how much of it is right."""
        expected = sha256((self._token or "").encode()).digest()
        # Hashes have one length, so that the length of the token does not show either.
        same = hmac.compare_digest(sha256(given.encode("utf-8", "replace")).digest(), expected)
        return self.needed and same

    def new_link(self) -> str:
        """Return a code that opens one session, once, within 15 minutes."""
        code = secrets.token_urlsafe(24)
        with self._lock:
            self._links[code] = self._clock() + _LINK
        return code

    def use_link(self, code: str) -> bool:
        """Return whether a code opens a session; it does so only once."""
        with self._lock:
            until = self._links.pop(code, None)
        return until is not None and self._clock() < until

    def new_session(self) -> str:
        """Return what a browser keeps: until when, something random, and our signature of both."""
        content = f"{int(self._clock()) + SESSION}.{secrets.token_urlsafe(16)}"
        return f"{content}.{self._signed(content)}"

    def knows_session(self, cookie: str) -> bool:
        """Return whether a session is ours and not over."""
        content, _, signature = cookie.rpartition(".")
        until = content.partition(".")[0]
        right = hmac.compare_digest(signature.encode("utf-8", "replace"), self._signed(content).encode())
        # As many digits as a time can have: Python refuses to read numbers without end.
        return right and until.isdecimal() and len(until) < 20 and self._clock() < int(until)

    def form_code(self, session: str) -> str:
        """Return what a form of ours holds: pages of others cannot read it, and so cannot send such a form."""
        return hmac.new(self._form_key, session.encode(), sha256).hexdigest()

    def accepts_form(self, session: str, code: str) -> bool:
        """Return whether a form comes from one of our pages."""
        return hmac.compare_digest(self.form_code(session).encode(), code.encode("utf-8", "replace"))

    def _signed(self, content: str) -> str:
        return hmac.new(self._key, content.encode("utf-8", "replace"), sha256).hexdigest()

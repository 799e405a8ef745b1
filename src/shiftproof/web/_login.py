"""How a browser gets a session: by the one-time link that the dashboard printed, or by the token itself."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from shiftproof.web._answer import PageAnswer
from shiftproof.web._forms import check_origin
from shiftproof.web._gate import COOKIE
from shiftproof.web._respond import html
from shiftproof.web._site import Site
from shiftproof.web._tokens import SESSION

# After a wrong token, in seconds.
_PAUSE = 0.5
Next = Annotated[str, Query(alias="next", max_length=2000)]


def login(site: Site) -> APIRouter:
    """Return the page that asks for the token."""
    router = APIRouter(include_in_schema=False)

    @router.get("/login")
    def ask(request: Request, once: Annotated[str, Query(max_length=100)] = "", onward: Next = "/") -> HTMLResponse:
        if once and site.tokens.use_link(once):
            return enter(site, request, onward)
        words = "This link was already used or has expired. Enter the token instead." if once else ""
        return html(site, request, _form(onward, words), 401 if once else 200)

    @router.post("/login")
    async def give(request: Request, onward: Next = "/") -> Response:
        check_origin(request)
        async with request.form(max_files=0, max_fields=5) as fields:
            if site.tokens.accepts(str(fields.get("token", "")).strip()):
                return enter(site, request, onward)
        await asyncio.sleep(_PAUSE)
        return html(site, request, _form(onward, "This token is wrong."), 401)

    return router


def enter(site: Site, request: Request, onward: str) -> HTMLResponse:
    """Begin a session, and lead to the page that the browser came for.

    Not by a redirection: after a link on another site, browsers would not send a strict cookie with it.
    """
    target = site.url("/") if local_path(onward) == "/" else f"{site.settings.root_path}{local_path(onward)}"
    answer = PageAnswer(
        template="enter.html.j2", title="Welcome", values={"target": target}, data=dict, columns=(), rows=()
    )
    response = html(site, request, answer)
    response.set_cookie(
        COOKIE, site.tokens.new_session(), max_age=SESSION, path=site.settings.root_path or "/", httponly=True,
        samesite="strict", secure=request.url.scheme == "https",
    )  # fmt: skip
    return response


def local_path(onward: str) -> str:
    """Return a path of this dashboard; the first page instead of an address elsewhere.

    Examples
    --------
    >>> local_path("/monitors/1?from=2024"), local_path("//evil.example"), local_path("https://evil.example")
    ('/monitors/1?from=2024', '/', '/')
    """
    # Browsers read a backslash as a slash, and skip control characters.
    odd = "\\" in onward or any(ord(character) < 33 for character in onward)
    return "/" if odd or not onward.startswith("/") or onward.startswith("//") else onward


def _form(onward: str, words: str) -> PageAnswer:
    values = {"words": words, "onward": local_path(onward)}
    return PageAnswer(template="login.html.j2", title="Token", values=values, data=dict, columns=(), rows=())

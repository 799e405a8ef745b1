"""Which requests may change something: those of our own pages, or of programs that know the token."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request

from shiftproof.web._gate import session_of
from shiftproof.web._site import Site

#: The field of a form that shows that it is ours.
CODE = "form"
_READ_ONLY = "This dashboard is read-only; start it with --write to acknowledge incidents and add labels."
_FOREIGN = "This form was not sent from this dashboard; open the page again and send it from there."


def check_write(site: Site, request: Request, fields: Mapping[str, Any]) -> None:
    """Refuse to change anything for others, and unless the dashboard was started to.

    Raises
    ------
    HTTPException
        With status 403 and one sentence.
    """
    if not site.settings.write:
        raise HTTPException(403, _READ_ONLY)
    check_origin(request)
    # Browsers never send this header for the page of somebody else.
    if request.scope.get("shiftproof_bearer"):
        return
    if not site.tokens.accepts_form(session_of(request.headers), str(fields.get(CODE, ""))):
        raise HTTPException(403, _FOREIGN)


def check_origin(request: Request) -> None:
    """Refuse what a browser says comes from another site; old browsers and programs say nothing."""
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        raise HTTPException(403, _FOREIGN)
    try:
        same = origin is None or urlsplit(origin).netloc.lower() == request.headers.get("host", "").lower()
    except ValueError:
        same = False
    if not same:
        raise HTTPException(403, _FOREIGN)


def form_code(site: Site, request: Request) -> str:
    """Return what the forms of a page hold."""
    return site.tokens.form_code(session_of(request.headers))

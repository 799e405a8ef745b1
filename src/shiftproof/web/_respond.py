"""From an answer to a response, as a page, JSON or CSV; and errors in one sentence, in the form that clients want."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse

from shiftproof.core import InputError, StoreError
from shiftproof.web._answer import PageAnswer
from shiftproof.web._forms import form_code
from shiftproof.web._site import Site

_BROKEN = "Something went wrong in the dashboard; see its log."


def html(site: Site, request: Request, answer: PageAnswer, status: int = 200) -> HTMLResponse:
    """Return an answer as a page."""
    return HTMLResponse(rendered(site, request, answer), status_code=status)


def rendered(site: Site, request: Request, answer: PageAnswer) -> str:
    """Return an answer as HTML."""
    path = request.url.path
    return site.render(
        answer.template,
        title=answer.title,
        crumbs=answer.crumbs,
        form_code=form_code(site, request),
        formats={kind: site.url(f"{_stem(path)}.{kind}", dict(request.query_params)) for kind in ("json", "csv")},
        **answer.values,
    )


def _stem(path: str) -> str:
    return "/monitors" if path == "/" else path


def as_json(answer: PageAnswer) -> Response:
    """Return an answer as JSON."""
    return Response(answer.json(), media_type="application/json")


def as_csv(answer: PageAnswer) -> StreamingResponse:
    """Return the table of an answer as CSV, which is sent while it is read."""
    headers = {"content-disposition": 'attachment; filename="shiftproof.csv"'}
    return StreamingResponse(answer.csv(), media_type="text/csv; charset=utf-8", headers=headers)


def add_page(router: APIRouter, site: Site, path: str, build: Callable[..., PageAnswer]) -> None:
    """Serve one answer in three forms: at `path`, and with `.json` and `.csv` after it.

    Parameters
    ----------
    router : APIRouter
        Where to add them.
    site : Site
        What pages share.
    path : str
        Of the page.
    build : callable
        Makes the answer; its parameters are those of the address, and its docstring stands in the schema.
    """
    # FastAPI reads the parameters of an address from the signature, which all three forms share.
    signature = inspect.signature(build, eval_str=True)
    asked = inspect.Parameter("request", inspect.Parameter.KEYWORD_ONLY, annotation=Request)

    def page(request: Request, **given: Any) -> Response:
        # The pulses are in the key, so that nobody who heard of something new gets a page from before.
        key = (str(request.url), form_code(site, request), tuple(site.source.pulses().items()))
        return HTMLResponse(site.recent.page(key, lambda: rendered(site, request, build(**given))))

    def for_programs(**given: Any) -> Response:
        return as_json(build(**given))

    def table(**given: Any) -> Response:
        return as_csv(build(**given))

    stem = "/monitors" if path == "/" else path
    forms = (
        (page, path, "text/html"),
        (for_programs, f"{stem}.json", "application/json"),
        (table, f"{stem}.csv", "text/csv"),
    )
    for endpoint, place, media in forms:
        own = [*signature.parameters.values(), *([asked] if endpoint is page else [])]
        named: Any = endpoint
        named.__signature__ = signature.replace(parameters=own, return_annotation=Response)
        named.__doc__, named.__name__ = build.__doc__, f"{build.__name__}_{media.rpartition('/')[2]}"
        router.add_api_route(
            place,
            endpoint,
            methods=["GET"],
            include_in_schema=endpoint is not page,
            response_class=Response,
            responses={200: {"content": {media: {}}}, **REFUSALS},
        )


#: How requests are refused, for the schema.
REFUSALS: dict[int | str, dict[str, Any]] = {
    code: {"description": HTTPStatus(code).phrase, "content": {"application/json": {"schema": {"type": "object"}}}}
    for code in (400, 401, 403, 404, 408, 413, 421, 422, 503)
}


def add_errors(app: FastAPI, site: Site) -> None:
    """Let every error be one sentence."""

    def answer(request: Request, status: int, words: str) -> Response:
        path = request.url.path
        if path.endswith(".csv") or path == "/metrics":
            return PlainTextResponse(f"{words}\n", status_code=status)
        if path.endswith(".json") or "text/html" not in request.headers.get("accept", ""):
            body = json.dumps({"error": words}, ensure_ascii=False)
            return Response(body, status_code=status, media_type="application/json")
        phrase = HTTPStatus(status).phrase
        page = PageAnswer(
            template="error.html.j2",
            title=phrase,
            values={"words": words, "status": status},
            data=dict,
            columns=(),
            rows=(),
        )
        return html(site, request, page, status)

    def refused(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        given = str(getattr(error, "detail", ""))
        return answer(request, status, _SENTENCES.get(given, given))

    def invalid(request: Request, error: Exception) -> Response:
        faults = error.errors() if isinstance(error, RequestValidationError) else []
        named = ", ".join(dict.fromkeys(str(one["loc"][-1]) for one in faults))
        return answer(request, 422, f"This value of {named} is not valid; check the address.")

    def bad_input(request: Request, error: Exception) -> Response:
        status = 503 if isinstance(error, StoreError) else 400
        words = str(error).replace(site.source.place, site.store_name)
        return answer(request, status, sentence_of(words))

    def gone(request: Request, error: Exception) -> Response:  # noqa: ARG001 - it names a place on this machine
        return answer(request, 503, "The store cannot be read; its file may have been moved.")

    def broken(request: Request, error: Exception) -> Response:  # noqa: ARG001 - the log has it
        return answer(request, 500, _BROKEN)

    app.add_exception_handler(HTTPException, refused)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(InputError, bad_input)
    # A file that was moved while the dashboard runs.
    app.add_exception_handler(OSError, gone)
    # Whatever else happens: no stack trace leaves the server.
    app.add_exception_handler(Exception, broken)


def sentence_of(words: str) -> str:
    """Write an error as a sentence; names of files stay as they are.

    Examples
    --------
    >>> sentence_of("from must be a date"), sentence_of("rows.csv is empty")
    ('From must be a date.', 'rows.csv is empty.')
    """
    first = words.partition(" ")[0]
    begun = f"{words[:1].upper()}{words[1:]}" if first.isalpha() else words
    return begun if begun.endswith((".", "?")) else f"{begun}."


# What the framework says, in our words.
_SENTENCES = {
    "Not Found": "There is no page at this address; check the spelling.",
    "Method Not Allowed": "This address does not accept this kind of request.",
    "There was an error parsing the body": "The form could not be read; open the page again.",
}

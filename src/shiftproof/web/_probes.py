"""What machines ask: whether the dashboard lives, whether it can read its store, and figures for Prometheus."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from shiftproof._version import __version__
from shiftproof.web._answer import PageAnswer
from shiftproof.web._metrics import metrics_text
from shiftproof.web._respond import REFUSALS, html
from shiftproof.web._site import Site


def probes(site: Site) -> APIRouter:
    """Return the addresses for machines, the files of pages, and the page of help."""
    router = APIRouter(tags=["machines"])

    @router.get("/healthz")
    async def healthz() -> dict[str, str]:  # waits for no thread that makes a page
        """Say that the process lives; the store is not looked at."""
        return {"status": "ok"}

    @router.get("/readyz", responses={503: REFUSALS[503]})
    def readyz() -> dict[str, Any]:
        """Say that the store can be read."""
        return {"status": "ready", "monitors": len(site.source.monitors())}

    @router.get("/version", responses=REFUSALS)
    def version() -> dict[str, Any]:
        """Return the version, and whether the dashboard may write."""
        return {"shiftproof": __version__, "write": site.settings.write, "started": site.started.isoformat()}

    @router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}, **REFUSALS})
    def metrics() -> Response:
        """Return the figures of all monitors for Prometheus."""
        return Response(metrics_text(site.source), media_type=CONTENT_TYPE_LATEST)

    @router.get("/help", include_in_schema=False)
    def help_page(request: Request) -> HTMLResponse:
        answer = PageAnswer(
            template="help.html.j2", title="Help", values={}, data=dict, columns=(), rows=(),
            crumbs=[(site.url("/"), "Monitors")],
        )  # fmt: skip
        return html(site, request, answer)

    @router.get("/static/{name}", include_in_schema=False)
    def static(name: Annotated[str, Path(max_length=40)]) -> Response:
        # Only files that are known by name: there is no path to walk.
        if name not in site.static:
            raise HTTPException(404, "Not Found")
        media, content = site.static[name]
        return Response(content, media_type=media)

    return router

"""The addresses of the pages, and of what can be changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from shiftproof.core import fault, plain, similar
from shiftproof.monitoring import Incident, LabelUpdate, MonitorReader, Update
from shiftproof.web._answer import PageAnswer
from shiftproof.web._batch_view import batch_page
from shiftproof.web._feature_view import feature_page
from shiftproof.web._forms import check_write
from shiftproof.web._incident_view import incident_page
from shiftproof.web._labels_view import MOST, USUAL, labels_page, typed_labels, uploaded_labels
from shiftproof.web._monitor_view import monitor_page
from shiftproof.web._overview import overview
from shiftproof.web._respond import REFUSALS, add_page, html
from shiftproof.web._site import Site

# Databases have no larger numbers.
Number = Annotated[int, Path(ge=1, le=2**62)]
Since = Annotated[str | None, Query(alias="from", max_length=40, description="The first time, such as 2024-03-01.")]
Until = Annotated[str | None, Query(alias="to", max_length=40, description="The last time.")]
Segment = Annotated[str, Query(max_length=1000, description="A segment; empty for all rows.")]
Name = Annotated[str, Query(max_length=1000, description="A column.")]
Batch = Annotated[
    int | None, Query(ge=1, le=2**62, description="The number of a batch to compare; the last by default.")
]
Count = Annotated[int, Query(ge=1, le=MOST, description="Number of rows to label.")]
# A form has a field for each row, and a few more.
_FIELDS = MOST + 10


def pages(site: Site) -> APIRouter:
    """Return everything that can be looked at."""
    router = APIRouter(tags=["pages"])

    def monitors() -> PageAnswer:
        """All monitors of the store, those that need somebody first."""
        return overview(site)

    def monitor(monitor: Number, since: Since = None, until: Until = None, segment: Segment = "") -> PageAnswer:
        """Return one monitor over time: estimated and actual accuracy, evidence, class proportions, incidents."""
        reader = find_monitor(site, monitor)
        # A page is made of many answers: they must be about one moment, while programs add batches.
        with reader.snapshot():
            return monitor_page(site, reader, since, until, segment)

    def batch(monitor: Number, batch: Number) -> PageAnswer:
        """Return one batch: what changed, and old against new for every column."""
        reader = find_monitor(site, monitor)
        with reader.snapshot():
            return batch_page(site, reader, find_batch(reader, batch))

    def feature(
        monitor: Number, feature: Name, since: Since = None, until: Until = None, batch: Batch = None
    ) -> PageAnswer:
        """Return one column over time."""
        reader = find_monitor(site, monitor)
        known = reader.monitor.baseline.columns
        if feature not in known:
            near = similar(feature, known)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise HTTPException(404, f"This monitor does not compare a column with this name.{hint}")
        with reader.snapshot():
            if batch is not None:
                find_batch(reader, batch)
            return feature_page(site, reader, feature, since=since, until=until, batch=batch)

    def incident(monitor: Number, incident: Number) -> PageAnswer:
        """Return one incident: since when, which columns, and what was said when."""
        reader = find_monitor(site, monitor)
        with reader.snapshot():
            return incident_page(site, reader, find_incident(reader, incident))

    def labels(monitor: Number, batch: Number, count: Count = USUAL) -> PageAnswer:
        """Return the rows of a batch to label next."""
        reader = find_monitor(site, monitor)
        with reader.snapshot():
            return labels_page(site, reader, find_batch(reader, batch), count=count)

    add_page(router, site, "/", monitors)
    add_page(router, site, "/monitors/{monitor:int}", monitor)
    add_page(router, site, "/monitors/{monitor:int}/batches/{batch:int}", batch)
    add_page(router, site, "/monitors/{monitor:int}/feature", feature)
    add_page(router, site, "/monitors/{monitor:int}/incidents/{incident:int}", incident)
    add_page(router, site, "/monitors/{monitor:int}/batches/{batch:int}/labels", labels)
    return router


def changes(site: Site) -> APIRouter:
    """Return what can be changed, if the dashboard was started with --write."""
    router = APIRouter(tags=["changes"])

    @router.post(
        "/monitors/{monitor:int}/incidents/{incident:int}/acknowledge", responses=REFUSALS, response_class=Response,
        openapi_extra=_form({"reason": "Why it is closed.", "accept": "yes: data that arrive from now on are normal."}),
    )  # fmt: skip
    async def acknowledge(request: Request, monitor: Number, incident: Number) -> Response:
        """Acknowledge an incident: someone has looked into it, and its alarm restarts."""
        async with request.form(max_files=0, max_fields=10) as fields:
            check_write(site, request, fields)
            try:
                return await run_in_threadpool(_acknowledge, site, request, monitor, incident, fields)
            finally:
                site.recent.forget()

    @router.post(
        "/monitors/{monitor:int}/batches/{batch:int}/labels", responses=REFUSALS, response_class=Response,
        openapi_extra=_form({"row-17": "The class of row 17; a field for each row.", "file": "Or a CSV file."}),
    )  # fmt: skip
    async def label(request: Request, monitor: Number, batch: Number) -> Response:
        """Give labels of rows of a batch, typed in or as a CSV file."""
        async with request.form(max_files=1, max_fields=_FIELDS) as fields:
            check_write(site, request, fields)
            try:
                return await run_in_threadpool(_label, site, request, monitor, batch, fields)
            finally:
                site.recent.forget()

    return router


def _acknowledge(site: Site, request: Request, monitor: int, number: int, fields: FormData) -> Response:
    reader = find_monitor(site, monitor)
    incident = find_incident(reader, number)
    accept = fields.get("accept") == "yes"
    if accept and incident.level != "changed":
        raise fault(
            "accept", "be left out", "yes", f"incident {number} is {incident.level}; make a new baseline for it"
        )
    closed = reader.monitor.acknowledge(number, str(fields.get("reason", "")), how="accept" if accept else None)
    if _for_programs(request):
        return _json(plain(closed))
    # Not the page itself, so that reading it again does not send the form twice.
    return RedirectResponse(site.monitor_url(reader, f"/incidents/{number}"), status_code=303)


def _label(site: Site, request: Request, monitor: int, number: int, fields: FormData) -> Response:
    reader = find_monitor(site, monitor)
    update = find_batch(reader, number)
    file = fields.get("file")
    if isinstance(file, UploadFile) and (file.filename or file.size):
        named = (file.filename or "the file").rpartition("/")[2][:80]
        labels, by = uploaded_labels(file.file, named, update, reader.monitor.baseline)
    else:
        labels, by = typed_labels({str(name): value for name, value in fields.items()}, reader.classes), "row"
    # The same labels again change nothing, so that this form may be sent twice.
    done: LabelUpdate = reader.monitor.label(update.id, labels, by=by)
    if _for_programs(request):
        return _json(done.to_dict())
    return html(site, request, labels_page(site, reader, find_batch(reader, number), count=USUAL, done=done))


def find_monitor(site: Site, key: int) -> MonitorReader:
    """Return a monitor, or say that there is none."""
    reader = site.source.monitor(key)
    if reader is None:
        raise HTTPException(404, f"The store has no monitor {key}.")
    return reader


def find_batch(reader: MonitorReader, number: int) -> Update:
    """Return a batch, or say that there is none."""
    update = reader.batch(number)
    if update is None:
        raise HTTPException(404, f"This monitor has no batch {number}.")
    return update


def find_incident(reader: MonitorReader, number: int) -> Incident:
    """Return an incident, or say that there is none."""
    incident = reader.incident(number)
    if incident is None:
        raise HTTPException(404, f"This monitor has no incident {number}.")
    return incident


def _for_programs(request: Request) -> bool:
    return "text/html" not in request.headers.get("accept", "")


def _json(values: Any) -> Response:
    import json

    return Response(json.dumps(values, allow_nan=False), media_type="application/json")


def _form(fields: dict[str, str]) -> dict[str, Any]:
    """Return the schema of a form."""
    properties = {name: {"type": "string", "description": words} for name, words in fields.items()}
    content = {"schema": {"type": "object", "properties": properties}}
    return {"requestBody": {"content": {"multipart/form-data": content, "application/x-www-form-urlencoded": content}}}


Build = Callable[..., PageAnswer]

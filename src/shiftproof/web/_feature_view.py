"""The page of one column over time, and old against new in one batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from markupsafe import Markup

from shiftproof.core import percent
from shiftproof.monitoring import MonitorReader, MonitorStatus, OldAndNew
from shiftproof.monitoring.alarms import DISTANCE
from shiftproof.monitoring.store import ColumnField, ColumnLine
from shiftproof.web._answer import PageAnswer
from shiftproof.web._chart import Chart, ChartLine, pair_of_bars
from shiftproof.web._courses import Course, distance_chart, evidence_lines, lanes, level_chart
from shiftproof.web._monitor_view import course_dict, presets, read
from shiftproof.web._range import PageRange, page_range
from shiftproof.web._scale import ValueScale
from shiftproof.web._site import Site
from shiftproof.web._words import HELP

_FIELDS: tuple[ColumnField, ...] = ("distance", "missing", "unseen", "changed", "material")
_LEVELS: tuple[Literal["material", "changed"], ...] = ("material", "changed")
_ABSENT: tuple[tuple[str, str, ColumnField], ...] = (
    ("missing", "measured s0", "missing"),
    ("new, not in the baseline", "measured s1", "unseen"),
)
COLUMNS = ("batch", "id", "at", "rows", "column", "measure", "distance", "p_value", "missing", "p_missing", "unseen")


@dataclass(frozen=True, eq=False, kw_only=True)
class CellRow:
    """A value or a range of values: its shares in the reference and in a batch."""

    name: str
    old: float
    new: float
    bars: Markup


def feature_page(
    site: Site, reader: MonitorReader, name: str, *, since: str | None, until: str | None, batch: int | None
) -> PageAnswer:
    """Return how a column went; `batch` is compared with the reference, by default the last one."""
    status, chosen = reader.status(), page_range(reader, since, until)
    course = read(site, reader, [ColumnLine(name, field) for field in _FIELDS], chosen)
    compared = batch or (None if status.last is None else status.last.batch.number)
    # Counts are kept of the last 256 batches only.
    pair = None if compared is None else reader.old_and_new(compared).get(name)
    update = None if compared is None else reader.batch(compared)
    incidents = [one for one in status.incidents if name in one.columns]
    shown = None if course is None else lanes(incidents, course.times, _incident_url(site, reader))
    return PageAnswer(
        template="feature.html.j2",
        title=name,
        values={
            "reader": reader,
            "name": name,
            "state": {**chosen.given, "feature": name},
            "range": chosen,
            "features": [*reader.monitor.baseline.columns],
            "presets": _presets(site, reader, chosen, name),
            "charts": [] if course is None else _charts(course, name, status),
            "lanes": shown,
            "course": course,
            "cells": [] if pair is None else cell_rows(pair),
            "update": update,
            "change": None if update is None else update.columns.get(name),
            "incidents": incidents[::-1],
        },
        data=lambda: {
            "monitor": reader.name,
            "column": name,
            "course": course_dict(course),
            "incidents": [one.number for one in incidents],
            "cells": [] if pair is None else _cells_dict(pair),
            "batch": compared,
        },
        columns=COLUMNS,
        rows=_rows(reader, name, chosen),
        crumbs=[(site.url("/"), "Monitors"), (site.monitor_url(reader), reader.name)],
    )


def _incident_url(site: Site, reader: MonitorReader) -> Any:
    return lambda number: site.monitor_url(reader, f"/incidents/{number}")


def _presets(site: Site, reader: MonitorReader, chosen: PageRange, name: str) -> list[tuple[str, str, bool]]:
    """Return the ranges of the monitor's page, for this one."""
    page, here = site.monitor_url(reader), site.monitor_url(reader, "/feature", {"feature": name})
    return [
        (label, address.replace(page, here, 1).replace("?from", "&from"), now)
        for label, address, now in presets(site, reader, chosen, "")
    ]


def _charts(course: Course, name: str, status: MonitorStatus) -> list[Chart]:
    drawn = [distance_chart(course, "Distance from the baseline", HELP["distance"], DISTANCE)]
    drawn += [_missing_chart(course, name), _evidence_chart(course, name, status)]
    return [chart for chart in drawn if chart is not None]


def _missing_chart(course: Course, name: str) -> Chart | None:
    lines = [
        ChartLine(name=label, kind=kind, points=course.points(ColumnLine(name, field)), marks=course.marked)
        for label, kind, field in _ABSENT
    ]
    known = [point.y for line in lines for point in line.points]
    if not any(known):
        return None
    return Chart(
        title="Missing and new values",
        words=f"Share of missing and new values of {name} over time.",
        help_text=HELP["missing"],
        times=course.times,
        values=ValueScale.around([0.0, *known], 110, least=0.0, most=1.0),
        label=percent,
        lines=lines,
    )


def _evidence_chart(course: Course, name: str, status: MonitorStatus) -> Chart | None:
    lines = evidence_lines(course, {level: ColumnLine(name, level) for level in _LEVELS}, status.levels)
    if all(point.y is None for line in lines for point in line.points):
        return None
    return level_chart(
        course,
        lines,
        title="Evidence of this column",
        words=f"Evidence of {name} for the alarms over time.",
        help_text=HELP["column evidence"],
        limit="alarm",
        height=110,
    )


def cell_rows(pair: OldAndNew) -> list[CellRow]:
    """Return the cells of a column: numbers in their order, categories by how frequent they are."""
    rows = [*zip(pair.cells, pair.old_shares, pair.new_shares, strict=True)]
    shown = [row for row in rows if row[1] or row[2]]
    # Missing values come last; the most frequent category comes first.
    ordered = shown if pair.number else sorted(shown, key=lambda row: -max(row[1:]))
    ordered = sorted(ordered, key=lambda row: row[0] == "missing")
    most = max((max(row[1:]) for row in ordered), default=1.0)
    return [CellRow(name=name, old=old, new=new, bars=pair_of_bars(old, new, most)) for name, old, new in ordered]


def _cells_dict(pair: OldAndNew) -> list[dict[str, Any]]:
    cells: Sequence[tuple[str, float, float]] = [*zip(pair.cells, pair.old_shares, pair.new_shares, strict=True)]
    return [{"cell": name, "reference": old, "batch": new} for name, old, new in cells]


def _rows(reader: MonitorReader, name: str, chosen: PageRange) -> Any:
    names = ("number", "id", "at", "n_rows", "name", *COLUMNS[5:])
    rows = reader.every_figure(column=name, since=chosen.since, until=chosen.until)
    return ([row[field] for field in names] for row in rows)

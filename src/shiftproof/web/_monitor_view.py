"""The page of one monitor: everything over one axis of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from markupsafe import Markup

from shiftproof.monitoring import Incident, MonitorReader, MonitorStatus, NextStep, with_init_options, written_time
from shiftproof.monitoring.alarms import DISTANCE
from shiftproof.monitoring.store import CourseLine
from shiftproof.web._answer import PageAnswer
from shiftproof.web._chart import Chart, trend
from shiftproof.web._courses import (
    LEVELS,
    Course,
    accuracy_chart,
    course_lines,
    distance_chart,
    evidence_chart,
    lanes,
    shares_chart,
    without_small_estimates,
)
from shiftproof.web._range import PageRange, page_range
from shiftproof.web._scale import TimeScale
from shiftproof.web._site import Site
from shiftproof.web._words import HELP, fate_words, incident_tone, interval_words, track_words

# Batches and columns that tables show; the CSV has all.
_LISTED, _COLUMNS, _TREND = 20, 60, 30
FIGURES = ("batch", "id", "at", "rows", "quantity", "subject", "estimate", "low", "high", "level", "method")


@dataclass(frozen=True, eq=False, kw_only=True)
class ColumnRow:
    """A column of the last batch."""

    name: str
    distance: float
    missing: float
    blamed: str
    trend: Markup
    href: str


def monitor_page(
    site: Site, reader: MonitorReader, since: str | None, until: str | None, segment: str = ""
) -> PageAnswer:
    """Return how a monitor stands and how it got there."""
    status = reader.status()
    chosen = page_range(reader, since, until)
    # A segment may be gone with an old link; then all rows are shown.
    segment = segment if segment in status.segments else ""
    labelled = status.track_record.n_labels > 0 and not segment
    lines = course_lines([str(label) for label in reader.classes], reader.score_columns, labelled=labelled)
    # What other tools found is about all rows.
    earlier = [] if segment else [one.at for one in status.imported if chosen.holds(one.at)]
    course = read(site, reader, lines, chosen, segment=segment, also=earlier)
    own = [one for one in status.incidents if one.segment == segment]
    shown_lanes = None
    if course is not None:
        shown_lanes = lanes(own, course.times, lambda number: site.monitor_url(reader, f"/incidents/{number}"))
    state = {**chosen.given, "segment": segment}
    return PageAnswer(
        template="monitor.html.j2",
        title=reader.name,
        values={
            "reader": reader,
            "status": status,
            "details": with_init_options(status.details),
            "state": state,
            "range": chosen,
            "segment": segment,
            "course": course,
            "charts": [] if course is None else monitor_charts(course, status, segment),
            "lanes": shown_lanes,
            "columns": column_rows(site, reader, status, segment),
            "incidents": status.incidents[::-1],
            "lines": reader.lines(_LISTED, since=chosen.since, until=chosen.until),
            "step": next_action(site, reader, status),
            "features": [*reader.monitor.baseline.columns],
            "presets": presets(site, reader, chosen, segment),
            "fate_words": fate_words,
            "interval_words": interval_words,
            "track_words": track_words,
        },
        data=lambda: (
            status.to_dict()
            | {"store": site.store_name, "range": _range_dict(chosen), "segment": segment}
            | {"course": course_dict(course)}
        ),
        columns=FIGURES,
        rows=_figure_rows(reader, chosen, segment),
        crumbs=[(site.url("/"), "Monitors")],
    )


def monitor_charts(course: Course, status: MonitorStatus, segment: str) -> list[Chart]:
    """Return the charts of a monitor, or of one of its segments, from the most important down."""
    own = [one for one in status.incidents if one.segment == segment and one.raised.at >= course.times.first]
    charts = [
        accuracy_chart(course, status, [(course.times.place(one.raised.at), incident_tone(one)) for one in own]),
        evidence_chart(course, status.segments.get(segment, status.levels)),
        shares_chart(course),
        distance_chart(course, "Score shift", HELP["scores"], DISTANCE),
    ]
    # What is not watched has no chart, rather than an empty one.
    return [chart for chart in charts if chart is not None]


def read(
    site: Site,
    reader: MonitorReader,
    lines: Sequence[CourseLine],
    chosen: PageRange,
    *,
    segment: str = "",
    also: Sequence[datetime] = (),
) -> Course | None:
    """Read lines over time; None if the range has no batch. The axis shows other times, too."""
    spans = without_small_estimates(
        reader.course(lines, segment=segment, since=chosen.since, until=chosen.until), lines
    )
    if not spans:
        return None

    # A span of several batches leads to itself, larger: the last second has microseconds that an address leaves out.
    def range_url(start: datetime, end: datetime) -> str:
        ends = {"from": f"{start:%Y-%m-%dT%H:%M:%S}", "to": f"{end:%Y-%m-%dT%H:%M:%S}.999999"}
        return site.monitor_url(reader, "", {**ends, "segment": segment})

    return Course(
        lines=lines,
        spans=spans,
        times=TimeScale.around([spans[0].start, *(span.end for span in spans), *also]),
        batch_url=lambda number: site.monitor_url(reader, f"/batches/{number}"),
        range_url=range_url,
    )


def column_rows(site: Site, reader: MonitorReader, status: MonitorStatus, segment: str) -> list[ColumnRow]:
    """Return the columns of the last batch, those furthest from the reference first, with the batches before."""
    if status.last is None:
        return []
    before = reader.distances(_TREND, segment)
    blamed = status.last.blamed
    return [
        ColumnRow(
            name=change.column,
            distance=change.distance,
            missing=change.missing,
            blamed=", ".join(level for level, names in blamed.items() if change.column in names),
            trend=trend(before.get(change.column, ()), level=DISTANCE, kinds=("measured", "alarm")),
            href=site.monitor_url(reader, "/feature", {"feature": change.column}),
        )
        for change in status.last.ranking[:_COLUMNS]
    ]


def next_action(site: Site, reader: MonitorReader, status: MonitorStatus) -> tuple[str, str] | None:
    """Return what an open incident asks for: the words of a button, and where it leads."""
    step: NextStep | None = status.next_step
    if step is not None and step.verb == "ack":
        return f"Look at incident {step.incident}", site.monitor_url(reader, f"/incidents/{step.incident}")
    if step is not None and status.last is not None:
        return f"Label {step.count} rows", site.monitor_url(reader, f"/batches/{status.last.batch.number}/labels")
    urgent = sorted(status.open_incidents, key=_urgency)
    if urgent:
        number = urgent[0].number
        return f"Look at incident {number}", site.monitor_url(reader, f"/incidents/{number}")
    return None


def _urgency(incident: Incident) -> tuple[bool, int]:
    return incident.recovered is not None, LEVELS.index(incident.level)


def presets(site: Site, reader: MonitorReader, chosen: PageRange, segment: str) -> list[tuple[str, str, bool]]:
    """Return ranges to choose from: their names, addresses, and whether they are shown now."""
    found = []
    for count in (30, 100):
        start = reader.lately(count)
        if start is not None:
            ends = {"from": f"{start:%Y-%m-%dT%H:%M:%S}"}
            address = site.monitor_url(reader, "", {**ends, "segment": segment})
            found.append((f"last {count}", address, chosen.given == ends))
    if not found:
        return []
    everything = {"from": "all"}
    now = chosen.given == everything or (not chosen.given and not chosen.shortened)
    return [*found, ("all", site.monitor_url(reader, "", {**everything, "segment": segment}), now)]


def course_dict(course: Course | None) -> list[dict[str, Any]]:
    """Return the points of the charts as plain values: one entry per span, one figure per line."""
    if course is None:
        return []
    return [
        {
            "start": written_time(span.start),
            "end": written_time(span.end),
            "n_batches": span.n_batches,
            "first_batch": span.first_number,
            "last_batch": span.last_number,
            "n_labels": span.n_labels,
            "n_right": span.n_right,
            "lines": {_line_name(line): vars(point) for line, point in zip(course.lines, span.points, strict=True)},
        }
        for span in course.spans
    ]


def _line_name(line: CourseLine) -> str:
    return " ".join(part for part in vars(line).values() if part)


def _range_dict(chosen: PageRange) -> dict[str, Any]:
    ends = {"from": chosen.since, "to": chosen.until}
    return {name: None if end is None else end.isoformat() for name, end in ends.items()}


def _figure_rows(reader: MonitorReader, chosen: PageRange, segment: str) -> Any:
    names = ("number", "id", "at", "n_rows", *FIGURES[4:])
    rows = reader.every_figure(segment=segment, since=chosen.since, until=chosen.until)
    return ([row[name] for name in names] for row in rows)

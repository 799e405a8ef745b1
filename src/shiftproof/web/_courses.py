"""The charts of a monitor over time, from spans of its history."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from shiftproof.core import effect, percent
from shiftproof.monitoring import (
    FEWEST_ROWS,
    SHARE_BY_LABELS,
    Incident,
    LevelEvidence,
    MonitorStatus,
    actual_accuracy,
    batches_text,
    written_time,
)
from shiftproof.monitoring.alarms import Level
from shiftproof.monitoring.store import ColumnLine, CourseLine, CoursePoint, CourseSpan, FigureLine
from shiftproof.web._chart import Chart, ChartBar, ChartHit, ChartLevel, ChartLine, LinePoint, incident_lanes
from shiftproof.web._scale import TimeScale, ValueScale
from shiftproof.web._words import HELP, fate_words, incident_tone

#: The levels in the order of their urgency.
LEVELS: tuple[Level, ...] = ("harm", "material", "changed")
# Points are drawn, too, if they are not so many that they touch each other.
_MARKED = 70
# What is beyond the alarm by more is drawn at the border: evidence grows without end.
_BEYOND = 1.5
# More lines than these cannot be kept apart.
_MOST_CLASSES = 5
Url = Callable[..., str]


@dataclass(frozen=True, eq=False, kw_only=True)
class Course:
    """Spans of a history, the lines that were read, and the axis that all charts of a page share.

    Parameters
    ----------
    lines : sequence of CourseLine
        What was read.
    spans : sequence of CourseSpan
        What was found, in the order of time; at least one.
    batch_url : callable
        Returns the address of a batch, given its number.
    """

    lines: Sequence[CourseLine]
    spans: Sequence[CourseSpan]
    times: TimeScale
    batch_url: Callable[[int], str]
    range_url: Callable[[datetime, datetime], str]

    def points(self, line: CourseLine, scale: Callable[[float], float] | None = None) -> list[LinePoint]:
        """Return the points of a line; of a span with several batches the first, least, most and last value."""
        place, own = [*self.lines].index(line), scale or (lambda value: value)
        return [
            point
            for span, ends in zip(self.spans, self._ends, strict=True)
            for point in _points_of(span.points[place], ends, own, single=span.n_batches == 1)
        ]

    @cached_property
    def _ends(self) -> list[tuple[float, float]]:
        """Where each span begins and ends; the same for all lines."""
        return [(self.times.place(span.start), self.times.place(span.end)) for span in self.spans]

    @property
    def marked(self) -> bool:
        """Whether points are far enough apart to be drawn."""
        return len(self.spans) <= _MARKED and all(span.n_batches == 1 for span in self.spans)

    def hits(self, words: Callable[[CourseSpan], str]) -> list[ChartHit]:
        """Return the parts of the width that belong to each span, which lead to its batch or show it larger."""
        # Borders lie halfway between neighbours, so that there is something to point at everywhere.
        middles = [self.times.place(span.start + (span.end - span.start) / 2) for span in self.spans]
        borders = [0.0, *((left + right) / 2 for left, right in pairwise(middles)), 1.0]
        return [
            ChartHit(start=borders[place], end=borders[place + 1], href=self._target(span), words=words(span))
            for place, span in enumerate(self.spans)
        ]

    def _target(self, span: CourseSpan) -> str:
        return self.batch_url(span.last_number) if span.n_batches == 1 else self.range_url(span.start, span.end)

    def when(self, span: CourseSpan) -> str:
        """Say when a span was."""
        if span.n_batches == 1:
            return written_time(span.start)
        return f"{written_time(span.start)} to {written_time(span.end)}, {batches_text(span.n_batches)}"


def _points_of(
    point: CoursePoint, ends: tuple[float, float], scale: Callable[[float], float], *, single: bool
) -> list[LinePoint]:
    """Return what is drawn of one span."""
    start, end = ends
    if single:
        return [LinePoint(start, None if point.first is None else scale(point.first), point.low, point.high)]
    if point.least is None or point.most is None:
        return [LinePoint(start, None)]
    # A vertical stroke in the middle shows the extremes, wherever in the span they were.
    middle = (start + end) / 2
    values = ((start, point.first), (middle, point.least), (middle, point.most), (end, point.last))
    return [LinePoint(x, scale(value), point.low, point.high) for x, value in values if value is not None]


def without_small_estimates(spans: Sequence[CourseSpan], lines: Sequence[CourseLine]) -> list[CourseSpan]:
    """Remove the estimates of spans with too few rows, which no other page shows either; evidence stays."""
    estimates = [isinstance(line, FigureLine) and line.quantity in ("accuracy", "share") for line in lines]
    nothing = CoursePoint(first=None, least=None, most=None, last=None)
    return [
        span
        if span.n_rows >= FEWEST_ROWS
        else replace(
            span, points=tuple(nothing if hide else one for one, hide in zip(span.points, estimates, strict=True))
        )
        for span in spans
    ]


def course_lines(shares: Sequence[str], scores: Sequence[str], *, labelled: bool = False) -> list[CourseLine]:
    """Return what the page of a monitor shows over time, given its classes and columns of scores, and with labels."""
    # Of two classes one says everything.
    shown = shares[1:] if len(shares) == 2 else shares[:_MOST_CLASSES]
    return [
        FigureLine("accuracy"),
        *(FigureLine("evidence", level) for level in LEVELS),
        *(FigureLine("share", label) for label in shown),
        *(FigureLine(SHARE_BY_LABELS, label) for label in shown if labelled),
        *(ColumnLine(name) for name in scores[:_MOST_CLASSES]),
    ]


def accuracy_chart(course: Course, status: MonitorStatus, moments: Sequence[tuple[float, str]] = ()) -> Chart | None:
    """Draw estimated and actual accuracy beside the floor; None if there is neither."""
    line = FigureLine("accuracy")
    points = course.points(line)
    actual = [(span, actual_accuracy(span)) for span in course.spans]
    dots = [
        LinePoint(x=course.times.place(span.end), y=one.estimate, low=one.low, high=one.high)
        for span, one in actual
        if one is not None
    ]
    if not dots and all(point.y is None for point in points):
        return None
    imported = imported_points(course, status)
    drawn = [*points, *dots, *(point for line in imported for point in line.points)]
    known = [value for point in drawn for value in (point.y, point.low, point.high)]
    terms = status.terms
    compared = [
        ChartLevel(name=f"{name} {percent(value)}", kind=kind, value=value)
        for name, kind, value in (("floor", "floor", terms.floor), ("validated", "validated", terms.validated))
        if value is not None
    ]
    return Chart(
        title="Accuracy",
        words=_accuracy_words(course, dots),
        help_text=HELP["accuracy"],
        times=course.times,
        values=ValueScale.around([*known, *(one.value for one in compared)], 230, least=0.0, most=1.0),
        label=lambda value: f"{value:.0%}",
        lines=[ChartLine(name="estimated, with interval", kind="estimate", points=points, marks=course.marked)],
        points=[*([ChartLine(name="actual, from labels", kind="actual", points=dots)] if dots else []), *imported],
        levels=compared,
        hits=course.hits(lambda span: _span_words(course, span)),
        moments=moments,
    )


def imported_points(course: Course, status: MonitorStatus) -> list[ChartLine]:
    """Return what other tools found within the axis, as points of their own: the alarms do not know them."""
    # Others lie outside the range of the page, and would stick to its borders.
    within = [one for one in status.imported if course.times.first <= one.at <= course.times.last]
    estimated = [
        LinePoint(x=course.times.place(one.at), y=one.accuracy.estimate, low=one.accuracy.low, high=one.accuracy.high)
        for one in within
        if one.accuracy is not None
    ]
    actual = [LinePoint(x=course.times.place(one.at), y=one.actual) for one in within if one.actual is not None]
    lines = [
        ChartLine(name="imported, estimated", kind="imported", points=estimated),
        ChartLine(name="imported, actual", kind="imported-actual", points=actual),
    ]
    return [line for line in lines if line.points]


def _accuracy_words(course: Course, dots: Sequence[LinePoint]) -> str:
    last = course.spans[-1].points[0].last
    now = "" if last is None else f" The last estimate is {percent(last)}."
    labelled = f" {len(dots)} points have labels." if dots else ""
    ends = f"from {written_time(course.times.first)} to {written_time(course.times.last)}"
    return f"Estimated accuracy {ends}.{now}{labelled}"


def _span_words(course: Course, span: CourseSpan) -> str:
    """Say what is known of a span, for its tooltip."""
    point, actual = span.points[0], actual_accuracy(span)
    parts = [course.when(span)]
    if point.least is not None and point.most is not None:
        value = (
            percent(point.least) if point.least == point.most else f"{percent(point.least)} to {percent(point.most)}"
        )
        ends = "" if point.low is None or point.high is None else f" [{percent(point.low)}, {percent(point.high)}]"
        parts.append(f"estimated {value}{ends}")
    if actual is not None:
        parts.append(f"actual {percent(actual.estimate)} [{percent(actual.low)}, {percent(actual.high)}]")
    return " · ".join(parts)


def evidence_chart(course: Course, levels: Mapping[Any, LevelEvidence]) -> Chart | None:
    """Draw how far the evidence of each alarm is on its way; None if nothing is watched."""
    lines = evidence_lines(course, {level: FigureLine("evidence", level) for level in LEVELS}, levels)
    if not lines:
        return None
    shares = {level: levels[level] for level in LEVELS if level in levels}
    # Evidence grows without end; beyond the alarm its size says nothing more.
    now = ", ".join(f"{level} {'alarm raised' if one.alarm else f'{one.share:.0%}'}" for level, one in shares.items())
    return level_chart(
        course,
        lines,
        title="Evidence of the alarms",
        words=f"Evidence of the alarms over time, as a share of an alarm. Now: {now}.",
        help_text=HELP["evidence"],
        limit="alarm",
    )


def evidence_lines(
    course: Course, lines: Mapping[Any, CourseLine], levels: Mapping[Any, LevelEvidence]
) -> list[ChartLine]:
    """Return lines of evidence as shares of what raises an alarm now, by level; those that are not watched have none.

    Lines that are beyond the border end at heights of their own, so that none covers another.
    """

    def share(level: str) -> Callable[[float], float]:
        # As plain numbers: those of NumPy are slow one by one, and a page has thousands.
        most, limit = _BEYOND - 0.05 * LEVELS.index(level), float(levels[level].log_limit)
        return lambda value: min(max(value, 0.0) / limit, most)

    return [
        ChartLine(name=level, kind=f"level-{level}", points=course.points(line, share(level)))
        for level, line in lines.items()
        if level in levels
    ]


def level_chart(
    course: Course, lines: Sequence[ChartLine], *, title: str, words: str, help_text: str, limit: str, height: int = 130
) -> Chart:
    """Draw lines of evidence below and above the limit, which is called by a word."""
    return Chart(
        title=title,
        words=words,
        help_text=help_text,
        times=course.times,
        values=ValueScale(0.0, _BEYOND, height),
        label=lambda value: f"{value:.0%}",
        lines=lines,
        levels=[ChartLevel(name=limit, kind="alarm", value=1.0)],
    )


def shares_chart(course: Course) -> Chart | None:
    """Draw the estimated class proportions; None if they cannot be estimated."""
    lines = [line for line in course.lines if isinstance(line, FigureLine) and line.quantity == "share"]
    drawn = [
        ChartLine(
            name=f"class {line.subject}", kind=f"estimate s{place}", points=course.points(line), marks=course.marked
        )
        for place, line in enumerate(lines)
    ]
    actual = _actual_shares(course)
    known = [value for line in (*drawn, *actual) for point in line.points for value in (point.y, point.low, point.high)]
    if all(value is None for value in known):
        return None
    return Chart(
        title="Class proportions" if len(drawn) > 1 else f"Share of {drawn[0].name}",
        words="Estimated class proportions over time, with intervals.",
        help_text=HELP["shares"],
        times=course.times,
        values=ValueScale.around(known, 130, least=0.0, most=1.0),
        label=lambda value: f"{value:.0%}",
        lines=drawn,
        points=actual,
    )


def _actual_shares(course: Course) -> list[ChartLine]:
    """Return the class proportions by labels, where batches have labels."""
    lines = [line for line in course.lines if isinstance(line, FigureLine) and line.quantity == SHARE_BY_LABELS]
    dots = [(line, [point for point in course.points(line) if point.y is not None]) for line in lines]
    several = len(lines) > 1
    return [
        ChartLine(name=f"actual, from labels{f', class {line.subject}' * several}", kind="actual", points=points)
        for line, points in dots
        if points
    ]


def distance_chart(course: Course, title: str, help_text: str, limit: float) -> Chart | None:
    """Draw how far columns are from the reference; None if that is not known."""
    lines = [line for line in course.lines if isinstance(line, ColumnLine) and line.field == "distance"]
    drawn = [
        ChartLine(name=line.name, kind=f"measured s{place}", points=course.points(line), marks=course.marked)
        for place, line in enumerate(lines)
    ]
    known = [point.y for line in drawn for point in line.points]
    if all(value is None for value in known):
        return None
    return Chart(
        title=title,
        words=f"{title} over time.",
        help_text=help_text,
        times=course.times,
        values=ValueScale.around([0.0, limit * 1.2, *known], 130, least=0.0, most=1.0),
        label=effect,
        lines=drawn,
        levels=[ChartLevel(name=f"matters from {limit:g} on", kind="alarm", value=limit)],
    )


def lanes(incidents: Sequence[Incident], times: TimeScale, url: Url) -> tuple[Markup, Markup] | None:
    """Draw the incidents of a page's range; None if there is none."""
    bars = [_incident_bar(one, times, url) for one in incidents if _within(one, times)]
    if not bars:
        return None
    return incident_lanes("Incidents over time", LEVELS, bars, times)


def _end(incident: Incident, times: TimeScale) -> datetime:
    ends = [] if incident.recovered is None else [incident.recovered.at]
    # Acknowledged is a time of the clock; batches may be about other times.
    if incident.acknowledged is not None and not ends:
        ends.append(max(incident.raised.at, min(incident.acknowledged, times.last)))
    return min(ends, default=times.last)


def _within(incident: Incident, times: TimeScale) -> bool:
    return incident.likeliest.at <= times.last and _end(incident, times) >= times.first


def _incident_bar(incident: Incident, times: TimeScale, url: Url) -> ChartBar:
    label = f"#{incident.number} {'open' if incident.open else 'closed'}"
    return ChartBar(
        start=times.place(incident.likeliest.at),
        end=times.place(max(_end(incident, times), incident.raised.at)),
        row=LEVELS.index(incident.level),
        # The row says the level, so that the colour can say what the verdict says.
        kind=f"{incident_tone(incident)} {'open' if incident.open else 'closed'}",
        href=url(incident.number),
        label=label,
        words=f"{label}, {incident.where}: raised {written_time(incident.raised.at)}, {fate_words(incident)}",
        doubt=(times.place(incident.first.at), times.place(incident.last.at)),
    )

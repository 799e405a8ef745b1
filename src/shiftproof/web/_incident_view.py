"""The page of an incident: since when, which columns, what was said when, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from shiftproof.core import Phrase, percent, plain
from shiftproof.monitoring import (
    BatchLine,
    Incident,
    MonitorReader,
    alarm_text,
    class_words,
    incident_words,
    labelled_batches,
    note_text,
    written_time,
)
from shiftproof.monitoring.store import FigureLine, SentAlert
from shiftproof.web._answer import PageAnswer
from shiftproof.web._chart import Chart
from shiftproof.web._courses import LEVELS, accuracy_chart, evidence_chart
from shiftproof.web._monitor_view import read
from shiftproof.web._range import PageRange
from shiftproof.web._site import Site
from shiftproof.web._words import fate_words, incident_tone, interval_words

# Batches that the table of an incident shows.
_SAID = 40
# Batches that its charts show from before it.
_BEFORE = 40
COLUMNS = ("at", "event", "batch", "words")


@dataclass(frozen=True, kw_only=True)
class IncidentEvent:
    """Something that happened to an incident."""

    at: datetime
    event: str
    batch: str
    words: str
    href: str = ""


def incident_page(site: Site, reader: MonitorReader, incident: Incident) -> PageAnswer:
    """Return all that is known of an incident."""
    status = reader.status()
    end = None if incident.recovered is None else incident.recovered.at
    chosen = around(reader, incident)
    lines = [FigureLine("accuracy"), *(FigureLine("evidence", level) for level in LEVELS)]
    course = read(site, reader, lines, chosen, segment=incident.segment)
    charts: list[Chart | None] = []
    if course is not None:
        moments = [(course.times.place(one.at), incident_tone(incident)) for one in (incident.first, incident.last)]
        levels = status.segments.get(incident.segment, status.levels)
        charts = [accuracy_chart(course, status, moments), evidence_chart(course, levels)]
    events = timeline(site, reader, incident, reader.alerts(incident.number))
    said = reader.lines(_SAID, since=incident.first.at, until=end)
    return PageAnswer(
        template="incident.html.j2",
        title=f"Incident {incident.number}",
        values={
            "reader": reader,
            "incident": incident,
            "tone": incident_tone(incident),
            "meaning": alarm_text([incident]),
            "beside": None if incident.columns else beside(incident, status.incidents),
            "words": incident_words(incident),
            "by_labels": classes_by_labels(incident, said, reader),
            "fate": fate_words(incident),
            "charts": [chart for chart in charts if chart is not None],
            "events": events,
            "said": said,
            "label_url": _label_url(site, reader, said),
            "interval_words": interval_words,
        },
        data=lambda: (
            plain(incident) | {"summary": str(incident_words(incident)), "events": [plain(one) for one in events]}
        ),
        columns=COLUMNS,
        rows=[(one.at, one.event, one.batch, one.words) for one in events],
        crumbs=[(site.url("/"), "Monitors"), (site.monitor_url(reader), reader.name)],
    )


def around(reader: MonitorReader, incident: Incident) -> PageRange:
    """Return the range of an incident's charts: some batches before it, and as long again after it is over."""
    before = reader.lines(_BEFORE, until=incident.first.at)
    since = before[-1].batch.at if before else None
    # One that goes on is shown until now.
    over = incident.recovered
    until = None if over is None or since is None else over.at + (over.at - since)
    return PageRange(since=since, until=until, given={})


def beside(incident: Incident, others: Sequence[Incident]) -> Incident | None:
    """Return an incident of the same time that has columns which changed; None if there is none.

    *Harm* is about accuracy and blames no column; what changed meanwhile is the first thing to look at.
    """
    known = [
        one
        for one in others
        if one.columns
        and one.segment == incident.segment
        and one.likeliest.number <= incident.raised.number
        and (one.recovered is None or one.recovered.number >= incident.first.number)
    ]
    return min(known, key=lambda one: (one.level != "material", -one.number), default=None)


def classes_by_labels(incident: Incident, said: Sequence[BatchLine], reader: MonitorReader) -> Phrase | None:
    """Say how the class proportions of the latest batch with labels differ, and if the model has one answer only.

    That is often why accuracy fell. None for *changed*, which is not about accuracy, and without labels.
    """
    latest = next((line for line in said if line.labels is not None and line.labels.shares), None)
    if incident.level == "changed" or latest is None or latest.labels is None:
        return None
    words = class_words(latest.labels)
    if not words:
        return None
    update = reader.batch(latest.batch.number)
    notes = () if update is None else update.notes
    answers = [note_text(note) for note in notes if note.code == "one answer"]
    return Phrase.joined(" ", [Phrase("Batch ", latest.batch.shown, f": {' '.join(words)}"), *answers])


def timeline(site: Site, reader: MonitorReader, incident: Incident, alerts: Sequence[SentAlert]) -> list[IncidentEvent]:
    """Return what happened and what was said, in the order of time."""

    def of_batch(event: str, batch: Any, words: str) -> IncidentEvent:
        href = site.monitor_url(reader, f"/batches/{batch.number}")
        return IncidentEvent(at=batch.at, event=event, batch=batch.id, words=words, href=href)

    exact = incident.first.number == incident.last.number
    ends = "" if exact else f", between {written_time(incident.first.at)} and {written_time(incident.last.at)}"
    events = [of_batch("began", incident.likeliest, f"Most likely start{ends}.")]
    events.append(of_batch("raised", incident.raised, f"The alarm was raised{' by labels' * incident.by_labels}."))
    if incident.recovered is not None:
        events.append(of_batch("recovered", incident.recovered, "The data recovered."))
    known = incident.labels
    # Batches are ordered by what they are about; what people did comes after, by the clock.
    later = [
        IncidentEvent(at=one.created, event=f"message: {one.event}", batch="", words=f"{one.headline} ({_sent(one)})")
        for one in alerts
    ]
    if incident.acknowledged is not None:
        later.append(IncidentEvent(at=incident.acknowledged, event="acknowledged", batch="", words=incident.reason))
    if known is not None:
        words = (
            f"{known.n_labels:,} labels of {Phrase(*labelled_batches(known))}: accuracy "
            f"{percent(known.accuracy.estimate)} ({interval_words(known.accuracy)})"
        )
        verdict = {"confirmed": "below the floor", "cleared": "at the floor or above", "open": "not settled"}
        events.append(of_batch("labels", known.last, f"{words}, {verdict[known.settled]}."))
    return sorted(events, key=lambda one: one.at) + sorted(later, key=lambda one: one.at)


def _sent(alert: SentAlert) -> str:
    if alert.delivered is None:
        return f"waiting for {alert.channel}"
    return f"sent to {alert.channel}"


def _label_url(site: Site, reader: MonitorReader, said: Sequence[BatchLine]) -> str:
    """Return where to label rows of the latest batch of an incident; empty if labels are of no use."""
    if not said or not reader.classes or reader.monitor.terms.floor is None:
        return ""
    return site.monitor_url(reader, f"/batches/{said[0].batch.number}/labels")

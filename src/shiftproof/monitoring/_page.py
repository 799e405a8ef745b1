"""The pages of a monitor: one batch, and how things stand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from shiftproof import plots
from shiftproof._version import __version__
from shiftproof.core import Interval, Note, Phrase, Sensitive, Text, chance, counted, effect, percent
from shiftproof.monitoring._baseline_words import note_text
from shiftproof.monitoring._budget_words import promise
from shiftproof.monitoring._label_words import track_text
from shiftproof.monitoring._times import written_time
from shiftproof.monitoring._words import (
    QUESTIONS,
    batches_text,
    evidence_words,
    floor_words,
    harm_limits,
    status_details,
    tone_of,
)
from shiftproof.monitoring.alarms import LEVELS
from shiftproof.monitoring.imports import imported_words
from shiftproof.reporting import Bar, Detail, Figure, Page, Section, Sections

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shiftproof.monitoring._result import Incident, LevelEvidence, MonitorTerms, Update
    from shiftproof.monitoring._status import BatchLine, MonitorStatus
    from shiftproof.monitoring.alarms import Level
    from shiftproof.monitoring.imports import ImportedLine

_COURSE = (
    "Top: estimated accuracy with its interval, actual accuracy where there are labels, the validated accuracy "
    "and the floor. Bottom: how close the evidence is to each alarm. Shaded: incidents, from their probable start "
    "until the data recovered."
)

# The columns furthest from the reference, which a reader sees first; the others are folded away.
_OPEN = 10
# The columns of an incident that are named; the rest is counted.
_NAMED = 5
_EVER = {False: "ever", True: "ever, over the whole life of the monitor"}
_LABELS = (
    "Label rows in the order that monitor plan lists them: a label is used as soon as every row before it has one. An "
    "interval agrees if it is consistent with the actual accuracy, given how few labels there are."
)
_LATE = "{} arrived late: shown at the time of the data, with the evidence after the batch arrived."


def update_page(update: Update, title: str) -> Page:
    """Compose the page of a batch."""
    sections = [evidence_section(update.levels, update.terms), _columns(update)]
    if update.shown_shares:
        sections.append(_shares(update))
    return Page(
        title=title,
        verdict=update.headline,
        tone=update.tone,
        summary=update.details,
        sections=sections,
        head={
            "batch": update.batch.shown,
            "time": written_time(update.at),
            "rows": f"{update.n_rows:,}",
            "monitor": update.terms.name,
        },
        facts=_facts(update.terms),
    )


@dataclass(frozen=True, kw_only=True)
class StatusSections(Sections):
    """The parts of the page of a monitor's status."""

    course: Section | None
    alarms: Section
    segments: Section | None
    incidents: Section | None
    labels: Section | None
    columns: Section | None
    batches: Section | None
    imported: Section | None


def status_sections(status: MonitorStatus) -> StatusSections:
    """Lay out the course over time, the evidence, incidents and batches."""
    return StatusSections(
        course=_course(status) if status.recent or status.imported else None,
        alarms=evidence_section(status.levels, status.terms, status.notes),
        segments=_segments(status) if status.segments else None,
        incidents=_incidents(status.incidents) if status.incidents else None,
        labels=_labels(status) if any(line.labels for line in status.recent) else None,
        columns=_columns(status.last) if status.last is not None and status.last.columns else None,
        batches=_batches(status) if status.recent else None,
        imported=_imported(status.imported) if status.imported else None,
    )


def status_page(status: MonitorStatus, title: str) -> Page:
    """Compose the page of the status."""
    sections = status_sections(status)
    last = {} if status.last is None else {"last batch": written_time(status.last.batch.at)}
    # The usual title is the name of the monitor.
    name = {} if status.terms.name in title else {"monitor": status.terms.name}
    return Page(
        title=title,
        verdict=status.headline,
        tone=status.tone,
        # The section of labels has the track record.
        summary=Phrase.joined(" ", status_details(status, incidents=False, track_record=sections.labels is None)),
        sections=tuple(sections),
        head={**name, "batches": f"{status.n_batches:,}", "rows": f"{status.n_rows:,}", **last},
        facts=_facts(status.terms) | {"created": written_time(status.created)},
    )


def _course(status: MonitorStatus) -> Section:
    size = plots.monitor_size(bool(status.imported) or any(line.shown_accuracy is not None for line in status.recent))
    words = "Estimated accuracy, evidence of the alarms and incidents over time"
    figure = Figure(words, partial(plots.drawn_svg, status.plot, size, "monitor"), over_time=True)
    n_late = len(_late(status.recent))
    late = f" {_LATE.format(batches_text(n_late))}" if n_late else ""
    return Section(title="Over time", anchor="course", text=_COURSE + late, figures=[figure])


def _late(lines: Sequence[BatchLine]) -> set[int]:
    """Return the numbers of batches that arrived after a batch of a later time."""
    numbers = [line.batch.number for line in lines]
    return {number for place, number in enumerate(numbers) if number > min(numbers[place:])}


def evidence_section(levels: Mapping[Level, LevelEvidence], terms: MonitorTerms, notes: Sequence[Note] = ()) -> Section:
    """Lay out the evidence of each alarm, and what it rests on."""
    rows = [
        (
            level,
            QUESTIONS[level],
            Bar(min(one.share, 1.0), evidence_words(one.share), tone_of([level] if one.alarm else [])),
            "for your information" if level == "changed" else "look into it",
        )
        for level, one in levels.items()
    ]
    # The promise names the assumption of independent rows already.
    others = [note_text(note) for note in notes if note.code != "independent rows"]
    return Section(
        title="Alarms",
        anchor="alarms",
        text=Phrase.joined(" ", [promise(terms), harm_limits(terms), *floor_words(terms), *others]),
        columns=("alarm", Detail("question"), "evidence", "if raised"),
        rows=rows,
    )


def _segments(status: MonitorStatus) -> Section:
    """Lay out the segments: rows and estimate of the last batch, and the evidence now."""
    last = {} if status.last is None else status.last.segments
    rows = []
    for name, levels in status.segments.items():
        update = last.get(name)
        bars = {
            level: Bar(min(one.share, 1.0), evidence_words(one.share), tone_of([level] if one.alarm else []))
            for level, one in levels.items()
        }
        accuracy = "" if update is None else _interval(update.shown_accuracy)
        rows.append(
            (
                Sensitive(name, "a segment"),
                "0" if update is None else f"{update.n_rows:,}",
                accuracy,
                *(bars.get(level, "not monitored") for level in LEVELS),
            )
        )
    share = status.terms.shares[""]
    return Section(
        title="Segments",
        anchor="segments",
        text=(
            "The rows of each segment are compared with those of the baseline. All rows together get "
            f"{share:.0%} of the false-alarm probability, and {counted(len(rows), 'segment')} share the rest equally."
        ),
        columns=("segment", "rows of the last batch", "estimated accuracy", *LEVELS),
        rows=rows,
        sortable=True,
    )


def _columns(update: Update) -> Section:
    ranking = update.ranking
    # As wide as a phone can show.
    size = (5.6, 1.1 + 0.26 * min(len(ranking), _OPEN))
    draw = partial(plots.drawn_svg, partial(update.plot, most=_OPEN), size, "columns")
    rows = [
        (
            change.column,
            "KS" if change.measure == "ks" else "Hellinger",
            effect(change.distance),
            chance(change.p_value),
            percent(change.missing),
            percent(change.missing_reference),
            percent(change.unseen),
            ", ".join(level for level, names in update.blamed.items() if change.column in names),
        )
        for change in ranking
    ]
    heads = (
        "column",
        Detail("measure"),
        "distance",
        Detail("p-value"),
        "missing",
        Detail("missing in the baseline"),
        "new values",
        "alarm",
    )
    further = [
        Section(title=f"The other {counted(len(rest), 'column')}", columns=heads, rows=rest, sortable=True, folded=True)
        for rest in [rows[_OPEN:]]
        if rest
    ]
    return Section(
        title="Columns",
        anchor="columns",
        text=Phrase(
            "Batch ",
            update.batch.shown,
            " compared with the baseline. A column has an alarm if its own evidence over all batches is enough for it.",
        ),
        figures=[Figure("Distance from the baseline, for the columns furthest from it", draw)],
        columns=heads,
        rows=rows[:_OPEN],
        sortable=True,
        sections=further,
    )


def _shares(update: Update) -> Section:
    rows = [(label, _interval(one)) for label, one in update.shown_shares.items()]
    return Section(title="Class proportions", anchor="shares", columns=("class", "estimate"), rows=rows)


def _incidents(incidents: tuple[Incident, ...]) -> Section:
    newest = incidents[::-1]
    rows = [
        (
            one.number,
            one.where,
            one.raised.shown,
            written_time(one.raised.at),
            _began(one),
            _few(one.columns),
            _fate(one),
        )
        for one in newest
    ]
    heads = ("incident", "alarm", "raised by", Detail("time"), "began with", "columns", "since then")
    return Section(
        title="Incidents",
        anchor="incidents",
        columns=heads,
        rows=rows,
        faint=[place for place, one in enumerate(newest) if not one.open],
    )


def _few(columns: tuple[str, ...]) -> str:
    """Name the columns with the strongest evidence; the section of columns has all."""
    more = f" and {len(columns) - _NAMED} more" if len(columns) > _NAMED else ""
    return ", ".join(columns[:_NAMED]) + more


def _began(incident: Incident) -> Text:
    likeliest, first, last = incident.likeliest.shown, incident.first.shown, incident.last.shown
    return likeliest if first == last else Phrase(likeliest, " (", first, " to ", last, ")")


def _fate(incident: Incident) -> Text:
    # "Open" of the incident would stand beside "open" of the labels.
    known = "" if incident.labels is None or incident.labels.settled == "open" else incident.labels.settled
    by_labels = f", {known} by labels" if known else ""
    if incident.acknowledged is not None:
        return f"acknowledged (reason: {incident.reason}){by_labels}"
    if incident.recovered is None:
        return f"open{by_labels}"
    return Phrase("recovered with ", incident.recovered.shown, by_labels)


def _labels(status: MonitorStatus) -> Section:
    """Lay out estimates beside what labels show of them."""
    rows = [
        (
            line.batch.shown,
            f"{known.n_used:,}" if known.n_used == known.n_labels else f"{known.n_used:,} of {known.n_labels:,}",
            _interval(line.shown_accuracy),
            _interval(known.alone),
            _interval(known.accuracy),
            "" if known.contained is None else "yes" if known.contained else "no",
        )
        for line in status.recent[::-1]
        if (known := line.labels) is not None
    ]
    heads = ("batch", "labels", "estimated before", "actual, from labels", Detail("labels and scores"), "agrees")
    return Section(
        title="Labels",
        anchor="labels",
        text=f"{track_text(status.track_record)} {_LABELS}",
        columns=heads,
        rows=rows,
        sortable=True,
    )


def _batches(status: MonitorStatus) -> Section:
    late, raised = _late(status.recent), [(one.raised.number, one.where) for one in status.incidents]
    rows = [
        (
            line.batch.shown,
            written_time(line.batch.at) + " (late)" * (line.batch.number in late),
            f"{line.n_rows:,}",
            _interval(line.shown_accuracy),
            line.shift_kind,
            Phrase.joined(", ", [where for number, where in raised if number == line.batch.number]),
        )
        for line in status.recent[::-1]
    ]
    heads = ("batch", "time", "rows", "estimated accuracy", Detail("type of shift"), "alarms raised")
    return Section(
        title="Batches",
        anchor="batches",
        columns=heads,
        rows=rows,
        sortable=True,
        folded=True,
    )


def _imported(lines: Sequence[ImportedLine]) -> Section:
    rows = [
        (
            line.shown,
            written_time(line.at),
            "" if line.n_rows is None else f"{line.n_rows:,}",
            _interval(line.accuracy),
            "" if line.actual is None else percent(line.actual),
        )
        for line in lines[::-1]
    ]
    heads = ("batch", "time", "rows", "estimated accuracy", "actual accuracy")
    return Section(
        title="Imported",
        anchor="imported",
        text=" ".join(imported_words([line.tool for line in lines])),
        columns=heads,
        rows=rows,
        sortable=True,
        folded=True,
    )


def _interval(interval: Interval | None) -> str:
    if interval is None:
        return ""
    # With labels of all rows it has no width.
    ends = "" if interval.low == interval.high else f" [{percent(interval.low)}, {percent(interval.high)}]"
    return f"{percent(interval.estimate)}{ends}"


def _facts(terms: MonitorTerms) -> dict[str, object]:
    known = {
        "floor": terms.floor,
        "validated accuracy": terms.validated,
        "share of the most frequent class of the baseline": terms.majority,
    }
    return {
        "alpha": f"{terms.alpha:g}",
        "mode": f"run length, {terms.run_length:,} batches" if terms.mode == "run length" else _EVER[terms.lifetime],
        **{name: percent(value) for name, value in known.items() if value is not None},
        "shiftproof": __version__,
    }

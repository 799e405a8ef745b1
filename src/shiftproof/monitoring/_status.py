"""How things stand: the course of a monitor and its incidents."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from shiftproof.core import Interval, Note, Phrase, Text, plain
from shiftproof.monitoring._alert_channels import AlertChannel, WaitingAlert
from shiftproof.monitoring._baseline_words import note_text
from shiftproof.monitoring._budget import LevelBudget, batches_per_year, budget_of
from shiftproof.monitoring._label_result import BatchLabels, NextStep, TrackRecord
from shiftproof.monitoring._label_words import next_words
from shiftproof.monitoring._result import (
    BatchName,
    Incident,
    LevelEvidence,
    MonitorTerms,
    Update,
    accuracy_to_show,
    incident_dict,
    levels_dict,
)
from shiftproof.monitoring._words import status_details, status_headline, status_tone
from shiftproof.monitoring.alarms import LEVELS, Level
from shiftproof.monitoring.imports import ImportedLine
from shiftproof.reporting import PagedResult, Tone

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from matplotlib.axes import Axes

    from shiftproof.monitoring._page import StatusSections
    from shiftproof.plots import ImportedPoint
    from shiftproof.reporting import Page


@dataclass(frozen=True, kw_only=True)
class BatchLine:
    """One batch in the course of a monitor.

    Attributes
    ----------
    batch : BatchName
        The batch.
    arrived : datetime
        When it was added.
    n_rows : int
        Its rows.
    accuracy : Interval or None
        The estimated accuracy.
    levels : mapping of level to LevelEvidence
        The evidence after it; empty if its figures were deleted.
    shift_kind : str
        The type of shift.
    labels : BatchLabels or None
        What its labels say; None without labels.
    """

    batch: BatchName
    arrived: datetime
    n_rows: int
    accuracy: Interval | None
    levels: Mapping[Level, LevelEvidence]
    shift_kind: str
    labels: BatchLabels | None = None

    @property
    def shown_accuracy(self) -> Interval | None:
        """The estimated accuracy; None if the rows are too few to estimate it."""
        return accuracy_to_show(self.accuracy, self.n_rows)


@dataclass(frozen=True, eq=False, kw_only=True)
class MonitorStatus(PagedResult):
    """The current status of a monitor; `Monitor.status` returns one.

    Attributes
    ----------
    store : str
        The file of the store, or its URL without a password.
    created : datetime
        When the monitor was created, in UTC.
    n_batches, n_rows : int
        Number of batches so far, and of their rows.
    recent : tuple of BatchLine
        The last batches, at most 256, in the order of their times.
    incidents : tuple of Incident
        All incidents, in the order of their alarms.
    last : Update or None
        The batch that arrived last.
    levels : mapping of level to LevelEvidence
        The evidence now; acknowledging an incident restarts its alarm.
    track_record : TrackRecord
        How many of the intervals that were estimated before labels arrived contained the actual accuracy.
    segments : mapping of str to mapping of level to LevelEvidence
        The same for each segment, by name.
    terms : MonitorTerms
        What the monitor watches for.
    notes : tuple of Note
        What the baseline cannot answer, and why.
    channels : tuple of AlertChannel
        Where alerts go.
    waiting_alerts : tuple of WaitingAlert
        Alerts that have not been delivered, the oldest first.
    imported : tuple of ImportedLine
        The latest batches that were imported from another tool, at most 256, in the order of their times.
    """

    store: str
    created: datetime
    n_batches: int
    n_rows: int
    recent: tuple[BatchLine, ...]
    incidents: tuple[Incident, ...]
    last: Update | None
    levels: Mapping[Level, LevelEvidence]
    track_record: TrackRecord
    segments: Mapping[str, Mapping[Level, LevelEvidence]] = field(default_factory=dict)
    terms: MonitorTerms
    notes: tuple[Note, ...] = ()
    channels: tuple[AlertChannel, ...] = ()
    waiting_alerts: tuple[WaitingAlert, ...] = ()
    imported: tuple[ImportedLine, ...] = ()

    @property
    def next_step(self) -> NextStep | None:
        """What to do about an open incident; None if nothing is to be done."""
        return None if self.last is None else self.last.next_step

    @property
    def open_incidents(self) -> tuple[Incident, ...]:
        """The incidents that nobody has acknowledged yet."""
        return tuple(incident for incident in self.incidents if incident.open)

    @property
    def batches_per_year(self) -> float | None:
        """The number of batches per year, from the times of recent batches; None if there are too few."""
        return batches_per_year([line.batch.at for line in self.recent])

    @property
    def budget(self) -> dict[Level, LevelBudget]:
        """The probability of false alarms that each alarm may use, and what acknowledged incidents have used."""
        return budget_of(self.terms, self.incidents)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per recent batch: estimated and actual accuracy, and evidence as a share of the limit."""
        import pandas as pd

        rows = [
            {
                "batch": line.batch.id,
                "at": line.batch.at,
                "n": line.n_rows,
                "accuracy": math.nan if line.accuracy is None else line.accuracy.estimate,
                "low": math.nan if line.accuracy is None else line.accuracy.low,
                "high": math.nan if line.accuracy is None else line.accuracy.high,
                "shift_kind": line.shift_kind,
                "labels": 0 if line.labels is None else line.labels.n_used,
                "actual": math.nan if line.labels is None or line.labels.alone is None else line.labels.alone.estimate,
            }
            | {level: line.levels[level].share if level in line.levels else math.nan for level in LEVELS}
            for line in self.recent
        ]
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; `batches` are the recent batches."""
        return self._plain_fields("recent", "last", "levels", "segments", "incidents", "track_record", "notes") | {
            "batches": [line_dict(line) for line in self.recent],
            "incidents": [incident_dict(incident) for incident in self.incidents],
            "last": None if self.last is None else self.last.to_dict(),
            "levels": levels_dict(self.levels),
            "segments": {name: levels_dict(levels) for name, levels in self.segments.items()},
            "budget": {level: plain(vars(one)) for level, one in self.budget.items()},
            "batches_per_year": self.batches_per_year,
            "track_record": self.track_record.to_dict(),
            "next_step": plain(self.next_step),
            "notes": [str(note_text(note)) for note in self.notes],
        }

    @property
    def headline(self) -> str:
        """The answer in one sentence."""
        return status_headline(self)

    @property
    def tone(self) -> Tone:
        """The tone of the answer, which sets its colour."""
        return status_tone(self)

    def summary(self) -> str:
        """Say which incidents are open, since when, and what is estimated now."""
        return str(self.words())

    def words(self) -> Phrase:
        """Return the sentences of `summary`, in which names of batches are marked as sensitive."""
        words: list[Text] = [self.headline, *status_details(self, incidents=True), *map(note_text, self.notes)]
        return Phrase.joined(" ", [*words, *next_words(self.next_step)])

    @property
    def details(self) -> Phrase:
        """The sentences of `summary` without the headline and the incidents, which are shown in tables."""
        return Phrase.joined(" ", [*status_details(self, incidents=False), *map(note_text, self.notes)])

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw accuracy over time, estimated and by labels, with the evidence for the alarms and with incidents."""
        from shiftproof import plots

        lines = self.recent
        intervals = [line.shown_accuracy for line in lines]
        return plots.monitor_course(
            [line.batch.at for line in lines],
            [math.nan if one is None else one.estimate for one in intervals],
            (
                [math.nan if one is None else one.low for one in intervals],
                [math.nan if one is None else one.high for one in intervals],
            ),
            evidence={
                level: [line.levels[level].share if level in line.levels else math.nan for line in lines]
                for level in LEVELS
                if any(level in line.levels for line in lines)
            },
            spans=[
                plots.IncidentSpan(
                    level=one.level,
                    first=one.first.at,
                    last=one.last.at,
                    raised=one.raised.at,
                    end=None if one.recovered is None else one.recovered.at,
                    closed=one.acknowledged is not None,
                )
                for one in self.incidents
            ],
            imported=[_point(line) for line in self.imported if not (line.accuracy is None and line.actual is None)],
            floor=self.terms.floor,
            validated=self.terms.validated,
            actual=_actual(lines),
            ax=ax,
        )

    def sections(self) -> StatusSections:
        """Return the parts of the page, for use in another page."""
        from shiftproof.monitoring._page import status_sections

        return status_sections(self)

    def to_page(self, *, title: str | None = None) -> Page:
        """Return the result as a page for `shiftproof.reporting`."""
        from shiftproof.monitoring._page import status_page

        return status_page(self, f"Monitor {self.terms.name}" if title is None else title)


def _point(line: ImportedLine) -> ImportedPoint:
    """Return where an imported batch is drawn."""
    from shiftproof import plots

    actual = {} if line.actual is None else {"actual": line.actual}
    one = line.accuracy
    interval = {} if one is None else {"estimate": one.estimate, "low": one.low, "high": one.high}
    return plots.ImportedPoint(at=line.at, **actual, **interval)


def _actual(lines: Sequence[BatchLine]) -> tuple[list[float], list[float], list[float]] | None:
    """Return the accuracy by labels alone and the ends of its interval; None if no batch has any."""
    known = [None if line.labels is None else line.labels.alone for line in lines]
    if not any(known):
        return None
    ends = [(math.nan,) * 3 if one is None else (one.estimate, one.low, one.high) for one in known]
    middle, low, high = ([end[place] for end in ends] for place in range(3))
    return middle, low, high


def line_dict(line: BatchLine) -> dict[str, Any]:
    """Return a batch of the course as plain values."""
    fields = {name: plain(getattr(line, name)) for name in ("arrived", "n_rows", "accuracy", "shift_kind", "labels")}
    return {"id": line.batch.id, "at": plain(line.batch.at), **fields, "levels": levels_dict(line.levels)}


def incidents_table(incidents: Sequence[Incident]) -> pa.Table:
    """Return one row per incident, with the names of its batches and the time of its alarm."""
    import pyarrow as pa

    moment, text = pa.timestamp("us", tz="UTC"), pa.string()
    # Declared, so that a table without rows has the same types, and a missing text is not the text "None".
    columns = {
        "incident": (pa.int64(), [one.number for one in incidents]),
        "level": (text, [one.level for one in incidents]),
        "segment": (text, [one.segment for one in incidents]),
        "raised_by": (text, [one.raised.id for one in incidents]),
        "at": (moment, [one.raised.at for one in incidents]),
        "first": (text, [one.first.id for one in incidents]),
        "last": (text, [one.last.id for one in incidents]),
        "likeliest": (text, [one.likeliest.id for one in incidents]),
        "columns": (text, [", ".join(one.columns) for one in incidents]),
        "recovered": (text, [None if one.recovered is None else one.recovered.id for one in incidents]),
        "acknowledged": (moment, [one.acknowledged for one in incidents]),
        "reason": (text, [one.reason for one in incidents]),
        "labels": (text, [None if one.labels is None else one.labels.settled for one in incidents]),
    }
    return pa.table({name: pa.array(values, kind) for name, (kind, values) in columns.items()})

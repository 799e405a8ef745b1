"""From a batch's summary and reading to what the store keeps, and from there to results."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from shiftproof.core import Interval, Note
from shiftproof.monitoring._labelling import (
    EVIDENCE,
    LOSS_CHANCE,
    SHARE_BY_LABELS,
    WITH_LABELS,
    batch_labels,
    judge_incident,
    next_step,
)
from shiftproof.monitoring._performance import FEWEST_ROWS
from shiftproof.monitoring._result import BatchName, Incident, LevelEvidence, MonitorTerms, SegmentUpdate, Update
from shiftproof.monitoring._status import BatchLine
from shiftproof.monitoring._summary import BatchSummary, ColumnChange
from shiftproof.monitoring.alarms import LEVELS, Alarms, Level, Reading

if TYPE_CHECKING:
    from shiftproof.monitoring.store import (
        BatchRecord,
        ColumnRecord,
        ComparisonRecord,
        FigureRecord,
        IncidentRecord,
        MonitorLog,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Assembly:
    """What is the same for all batches of a monitor.

    Parameters
    ----------
    terms : MonitorTerms
        What the monitor watches for.
    alarms : Alarms
        Whose limits apply.
    missing : mapping of str to float
        The share of missing values in each column of the reference.
    """

    terms: MonitorTerms
    alarms: Alarms
    missing: Mapping[str, float]

    def line(self, record: BatchRecord, comparison: ComparisonRecord | None = None) -> BatchLine:
        """Return a batch as one point of the course, with what its labels say."""
        labels = None
        if comparison is not None:
            labels = batch_labels(comparison, _interval(record.figure(WITH_LABELS)), self._shares_by_labels(record))
        return BatchLine(
            batch=batch_name(record),
            arrived=record.arrived,
            n_rows=record.n_rows,
            accuracy=_interval(record.figure("accuracy")),
            levels=self._levels(record),
            shift_kind=record.facts["shift_kind"],
            labels=labels,
        )

    def update(self, record: BatchRecord, log: MonitorLog, *, repeated: bool) -> Update:
        """Return all that is known of a batch, beside the incidents that are open now."""
        incidents = self.incidents(log, only_open=True)
        line = self.line(record, log.labels.comparison(record.number))
        # In the order of the baseline, also if they come from the store.
        columns = sorted(record.columns, key=lambda column: self.alarms.names.index(column.name))
        chance = record.figure(LOSS_CHANCE)
        return Update(
            loss_chance=None if chance is None or record.n_rows < FEWEST_ROWS else chance.estimate,
            batch=line.batch,
            arrived=line.arrived,
            n_rows=line.n_rows,
            repeated=repeated,
            levels=line.levels,
            opened=tuple(one for one in incidents if one.raised.number == record.number and not repeated),
            open_incidents=tuple(incidents),
            accuracy=line.accuracy,
            shares={
                figure.subject: interval
                for figure in record.figures
                if figure.quantity == "share" and (interval := _interval(figure)) is not None
            },
            shift_kind=line.shift_kind,
            shift_reasons=tuple(record.facts["shift_reasons"]),
            columns={one.name: self._change(one) for one in columns},
            evidence={
                "changed": {one.name: one.changed for one in columns},
                "material": {one.name: one.material for one in columns},
            },
            blamed={level: tuple(record.facts["blamed"].get(level, ())) for level in LEVELS},
            newly_blamed=tuple(record.facts.get("newly_blamed", ())),
            labels=line.labels,
            n_learnt=record.facts.get("n_learnt", 0),
            next_step=next_step(incidents, line),
            terms=self.terms,
            notes=tuple(Note(**note) for note in record.facts["notes"]),
            segments=self.segments(record),
        )

    def incidents(self, log: MonitorLog, *, only_open: bool = False) -> tuple[Incident, ...]:
        """Return the incidents of all rows and of segments, in the order of their alarms."""
        return tuple(self.incident(record, log) for record in log.incidents(only_open=only_open, everywhere=True))

    def incident(self, record: IncidentRecord, log: MonitorLog) -> Incident:
        """Return an incident with the names of its batches, and what their labels say."""
        incident = incident_of(record, log)
        if record.segment:
            # Labels are of all rows, and say nothing of a segment alone.
            return incident
        verdict = judge_incident(record, log, self.terms.floor)
        return replace(incident, floor=self.terms.floor, labels=verdict)

    def segments(self, record: BatchRecord) -> dict[str, SegmentUpdate]:
        """Return what a batch means for the segments that it has rows of."""
        return {
            name: SegmentUpdate(
                name=name,
                n_rows=facts["n_rows"],
                accuracy=None if facts["accuracy"] is None else Interval(**facts["accuracy"]),
                levels=self.levels(facts["log_evidence"], facts["log_limits"]),
                blamed={level: tuple(names) for level, names in facts["blamed"].items()},
            )
            for name, facts in record.facts["segments"].items()
        }

    @staticmethod
    def levels(evidence: Mapping[Level, float], limits: Mapping[Level, float]) -> dict[Level, LevelEvidence]:
        """Return the logarithms of evidence beside the limits of the alarms."""
        return {
            level: LevelEvidence(level=level, log_evidence=value, log_limit=limits[level])
            for level, value in evidence.items()
        }

    def _shares_by_labels(self, record: BatchRecord) -> dict[str, tuple[Interval, float]]:
        """Return the class proportions by labels, each beside that of the reference."""
        figures = {name: _interval(record.figure(SHARE_BY_LABELS, name)) for name in self.terms.class_shares}
        return {name: (share, self.terms.class_shares[name]) for name, share in figures.items() if share is not None}

    def _levels(self, record: BatchRecord) -> dict[Level, LevelEvidence]:
        figures = {level: record.figure("evidence", level) for level in self.alarms.log_limits}
        evidence = {level: figure.estimate for level, figure in figures.items() if figure is not None}
        return self.levels(evidence, record.facts["log_limits"])

    def _change(self, column: Any) -> ColumnChange:
        return ColumnChange(
            column=column.name,
            measure=column.measure,
            distance=column.distance,
            p_value=column.p_value,
            missing_reference=self.missing.get(column.name, math.nan),
            missing=column.missing,
            p_missing=column.p_missing,
            unseen=column.unseen,
        )


def newly_blamed(reading: Reading, still_open: Sequence[IncidentRecord]) -> list[str]:
    """Return the columns that a batch adds to incidents that are open."""
    by_level = {incident.level: incident.columns for incident in still_open if not incident.segment}
    pairs = ((level, name) for level, names in reading.blamed.items() for name in names)
    return [*dict.fromkeys(name for level, name in pairs if level in by_level and name not in by_level[level])]


def record_of(
    summary: BatchSummary,
    reading: Reading,
    batch_id: str,
    *,
    at: datetime,
    arrived: datetime,
    still_open: Sequence[IncidentRecord],
    n_learnt: int = 0,
    segments: Mapping[str, Any] | None = None,
) -> BatchRecord:
    """Return what the store keeps of a batch.

    `still_open` are the incidents that were open before it, `n_learnt` the batches with labels that its estimate learnt
    from, and `segments` what it means for each segment.
    """
    from shiftproof.monitoring.store import BatchRecord

    return BatchRecord(
        number=0,
        id=batch_id,
        checksum=summary.content,
        at=at,
        arrived=arrived,
        n_rows=summary.n_rows,
        facts={
            "shift_kind": "" if summary.shift is None else summary.shift.kind,
            "shift_reasons": [] if summary.shift is None else list(summary.shift.reasons),
            "blamed": {level: list(names) for level, names in reading.blamed.items()},
            "newly_blamed": newly_blamed(reading, still_open),
            # They rise with every acknowledged incident if all of them share one alpha.
            "log_limits": dict(reading.log_limits),
            "n_learnt": n_learnt,
            "segments": dict(segments or {}),
            "notes": [asdict(note) for note in summary.notes],
        },
        figures=tuple(figure_records(summary, reading)),
        columns=tuple(column_records(summary, reading)),
    )


def column_records(summary: BatchSummary, reading: Reading) -> list[ColumnRecord]:
    """Return what the store keeps of every column of a batch."""
    from shiftproof.monitoring.store import ColumnRecord

    return [
        ColumnRecord(
            name=name,
            measure=change.measure,
            distance=change.distance,
            p_value=change.p_value,
            missing=change.missing,
            p_missing=change.p_missing,
            unseen=change.unseen,
            changed=reading.columns["changed"][name],
            material=reading.columns["material"][name],
        )
        for name, change in summary.columns.items()
    ]


def figure_records(summary: BatchSummary, reading: Reading) -> list[FigureRecord]:
    """Return what the store keeps of the estimates and the evidence of a batch."""
    from shiftproof.monitoring.store import FigureRecord

    intervals = {} if summary.accuracy is None else {("accuracy", ""): summary.accuracy}
    intervals |= {("share", str(label)): interval for label, interval in summary.shares.items()}
    figures = [
        FigureRecord(quantity=quantity, subject=subject, **asdict(interval))
        for (quantity, subject), interval in intervals.items()
    ]
    if summary.loss_chance is not None:
        figures.append(FigureRecord(quantity=LOSS_CHANCE, subject="", estimate=summary.loss_chance))
    return figures + [
        FigureRecord(quantity="evidence", subject=level, estimate=value, method=EVIDENCE)
        for level, value in reading.log_evidence.items()
    ]


def incident_of(record: IncidentRecord, log: MonitorLog) -> Incident:
    """Return an incident with the names of its batches."""
    numbers = {record.raised, record.first, record.last, record.likeliest}
    names = {number: batch_name(log.batch(number)) for number in numbers}
    level: Any = record.level
    return Incident(
        number=record.number,
        level=level,
        segment=record.segment,
        raised=names[record.raised],
        first=names[record.first],
        last=names[record.last],
        likeliest=names[record.likeliest],
        columns=record.columns,
        recovered=None if record.recovered is None else batch_name(log.batch(record.recovered)),
        acknowledged=record.acknowledged,
        reason=record.reason,
        by_labels=record.by_labels,
    )


def batch_name(record: BatchRecord) -> BatchName:
    return BatchName(number=record.number, id=record.id, at=record.at)


def _interval(figure: FigureRecord | None) -> Interval | None:
    if figure is None or figure.low is None or figure.high is None or figure.level is None:
        return None
    return Interval(
        estimate=figure.estimate, low=figure.low, high=figure.high, level=figure.level, method=figure.method
    )

"""Plan which rows of a batch to label, and take their labels, within a transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from shiftproof.core import Argument, InputError, Interval, Note, Phrase, Sensitive, shown, unknown_name
from shiftproof.monitoring._given_labels import By, read_labels
from shiftproof.monitoring._incidents import IncidentFollower
from shiftproof.monitoring._label_facts import LabelledSample, sample_share
from shiftproof.monitoring._label_result import BatchLabels, LabelVerdict, NextStep, Settled, TrackRecord
from shiftproof.monitoring._learnt import MOST_LEARNT, LearntDrift
from shiftproof.monitoring._performance import LEVEL
from shiftproof.monitoring._sample import MOST_KEPT, KeptSample
from shiftproof.monitoring.alarms import Alarms, State
from shiftproof.stats import wilson

if TYPE_CHECKING:
    from shiftproof.monitoring._baseline import Baseline
    from shiftproof.monitoring._result import Incident
    from shiftproof.monitoring._status import BatchLine
    from shiftproof.monitoring.store import BatchRecord, ComparisonRecord, FigureRecord, IncidentRecord, MonitorLog

#: The quantity of a batch that labels and scores give together.
WITH_LABELS = "accuracy with labels"
#: The class proportions of a batch by its labels alone.
SHARE_BY_LABELS = "share by labels"
#: How evidence is computed, as its figures say.
EVIDENCE = "log e-process"
#: The quantity of a batch that says how likely its accuracy is too low.
LOSS_CHANCE = "loss chance"
# As many rows to label as a plan has unless the user says otherwise.
USUAL_COUNT = 50
# How many names of batches are looked through for the one that was meant.
_RECENT = 256


@dataclass(frozen=True, eq=False)
class TakenLabels:
    """What became of labels.

    Attributes
    ----------
    record : BatchRecord
        The batch.
    comparison : ComparisonRecord
        What all its labels say.
    n_new, n_repeated, n_not_kept : int
        Labels that are new, that were known, and that cannot be used.
    missing : int or None
        The row that later labels wait for.
    closed_by : int or None
        The incident that was acknowledged after the batch arrived.
    notes : tuple of Note
        What the labels say of the order of the classes.
    """

    record: BatchRecord
    comparison: ComparisonRecord
    n_new: int
    n_repeated: int
    n_not_kept: int
    missing: int | None
    closed_by: int | None
    notes: tuple[Note, ...]


@dataclass(frozen=True, eq=False)
class BatchLabelling:
    """Labels of the batches of one monitor.

    Attributes
    ----------
    log : MonitorLog
        In a transaction.
    baseline : Baseline
        Of the monitor.
    """

    log: MonitorLog
    baseline: Baseline

    def known(self, batch_id: str) -> tuple[BatchRecord, LabelledSample]:
        """Return a batch, and its kept rows with their labels; refuse one that has none."""
        if self.baseline.performance is None:
            raise InputError(
                "labels cannot be used, because this monitor was created without scores and labels of the reference; "
                "create one with both"
            )
        record = self.log.find(batch_id)
        if record is None:
            recent = [one.id for one in self.log.recent(_RECENT)]
            raise unknown_name("id", "be the name of a batch", batch_id, recent)
        content = self.log.labels.sample(record.number)
        if content is None:
            raise InputError(
                f"the rows of batch {shown(batch_id)} were deleted from the store along with its figures, so its "
                "labels can no longer be used; label a newer batch"
            )
        codes = self.log.labels.codes(record.number)
        return record, LabelledSample(KeptSample.from_bytes(content), codes, self.baseline)

    def take(self, batch_id: str, labels: Any, by: By | None, alarms: Alarms, state: State) -> TakenLabels:
        """Write labels, let the alarms and the estimates learn from them, and open or follow incidents."""
        record, before = self.known(batch_id)
        given = read_labels(labels, before.sample, self._classes, by, batch=batch_id)
        self._refuse_contradictions(before, given.codes)
        new = {row: code for row, code in given.codes.items() if row not in before.codes}
        after = replace(before, codes={**before.codes, **new})
        now, place = datetime.now(UTC), self.log.count()[0] - self.log.count_after(record.number)
        self.log.labels.add_codes(record.number, new, now)
        comparison = after.comparison(record.number, place, _given(record), now)
        if new:
            self.log.labels.compare(comparison)
            if comparison.n_used:
                for figure in (self._figure(comparison), *self._share_figures(after)):
                    self.log.write_figure(record.number, figure)
        closed = closing(self.log.incidents(), record.arrived)
        facts = after.facts(before.n_used, age=self.log.count_after(record.number), counts=closed is None)
        if facts is not None:
            learnt, reading = alarms.learn(state, facts)
            self.log.replace_state(learnt.to_bytes())
            self._write_evidence(reading.log_evidence["harm"], now)
            IncidentFollower(self.log, alarms, self.baseline.columns).follow_labels(learnt, reading, record.number)
        waits = comparison.n_used < comparison.n_labels
        return TakenLabels(
            record=record,
            comparison=comparison,
            n_new=len(new),
            n_repeated=len(given.codes) - len(new),
            n_not_kept=given.n_not_kept,
            missing=int(after.sample.rows[after.n_used]) if waits else None,
            closed_by=None if closed is None else closed.number,
            notes=after.order_notes(),
        )

    def _write_evidence(self, harm: float, now: datetime) -> None:
        """Write the evidence of *harm* with the labels, so that a chart shows why the alarm was raised."""
        from shiftproof.monitoring.store import FigureRecord

        figure = FigureRecord(quantity="evidence", subject="harm", estimate=harm, method=EVIDENCE)
        self.log.write_figure(self.log.last_until(now), figure)

    def learnt(self) -> LearntDrift | None:
        """Return what the labels of earlier batches say of the next estimate; None without labels."""
        comparisons = self.log.labels.comparisons(most=MOST_LEARNT)
        return LearntDrift.of(comparisons, self.baseline.history) if comparisons else None

    @property
    def _classes(self) -> Sequence[Any]:
        return () if self.baseline.scores is None else self.baseline.scores.classes

    def _figure(self, comparison: ComparisonRecord) -> FigureRecord:
        from shiftproof.monitoring.store import FigureRecord

        earlier = self.log.labels.comparisons(last=comparison.batch - 1, most=MOST_LEARNT)
        interval = LearntDrift.of(earlier, self.baseline.history).with_labels(comparison)
        return FigureRecord(quantity=WITH_LABELS, subject="", **interval.to_dict())

    def _share_figures(self, known: LabelledSample) -> list[FigureRecord]:
        from shiftproof.monitoring.store import FigureRecord

        pairs = zip(map(str, self._classes), known.shares, strict=True)
        return [FigureRecord(quantity=SHARE_BY_LABELS, subject=name, **share.to_dict()) for name, share in pairs]

    def _refuse_contradictions(self, before: LabelledSample, codes: Any) -> None:
        """Refuse labels that differ from those that are known: bets on them are made."""
        for row, code in codes.items():
            known = before.codes.get(row, code)
            if known != code:
                name = f"row {row}"
                keys = before.sample.keys
                key = Phrase(" (", Sensitive(shown(keys[before.sample.places[row]])), ")") if keys else Phrase()
                was, is_now = (Sensitive(shown(self._classes[one])) for one in (known, code))
                rest = " was given; a label cannot be changed. Leave this row out to add the others"
                words = f": {name}", key, " has the label ", was, ", and ", is_now, rest
                raise InputError(Argument("labels"), *words, argument="labels")


def _given(record: BatchRecord) -> Interval:
    """Return the interval that was given when the batch was added."""
    figure = record.figure("accuracy")
    if figure is None or figure.low is None or figure.high is None or figure.level is None:
        raise ValueError(f"batch {record.number} has a sample but no estimate")
    return Interval(
        estimate=figure.estimate, low=figure.low, high=figure.high, level=figure.level, method=figure.method
    )


def closing(incidents: Sequence[IncidentRecord], arrived: datetime) -> IncidentRecord | None:
    """Return the incident of *harm* that was acknowledged after a batch arrived; None if there is none.

    Its evidence began anew then: what is learnt later about batches from before belongs to that incident.
    """
    harm = [one for one in incidents if one.level == "harm" and one.acknowledged is not None]
    return next((one for one in harm if one.acknowledged is not None and one.acknowledged >= arrived), None)


def batch_labels(
    comparison: ComparisonRecord, accuracy: Interval | None, shares: Mapping[str, tuple[Interval, float]]
) -> BatchLabels:
    """Return what the labels of a batch say, as results show it; `shares` are by labels and in the reference."""
    one = comparison
    return BatchLabels(
        n_labels=one.n_labels,
        n_used=one.n_used,
        n_right=one.n_right,
        alone=sample_share(one.n_right, one.n_used, one.n_rows) if one.n_used else None,
        accuracy=accuracy,
        shares={name: share for name, (share, _) in shares.items()},
        reference_shares={name: old for name, (_, old) in shares.items()},
        contained=one.contained,
    )


def track_record(log: MonitorLog) -> TrackRecord:
    """Return how many of the intervals that were given before labels contained the actual accuracy."""
    n_batches, n_contained, n_labels = log.labels.track()
    return TrackRecord(n_batches=n_batches, n_contained=n_contained, n_labels=n_labels, level=LEVEL)


def judge_incident(record: IncidentRecord, log: MonitorLog, floor: float | None) -> LabelVerdict | None:
    """Return what the labels of an incident's batches say: those since it most likely began, until it was over."""
    from shiftproof.monitoring._result import BatchName

    if floor is None or record.level == "changed":
        return None
    ends = [record.recovered - 1] if record.recovered is not None else []
    ends += [log.last_until(record.acknowledged)] if record.acknowledged is not None else []
    last = min(ends, default=None)
    compared = [one for one in log.labels.comparisons(first=record.likeliest, last=last) if one.n_used]
    if not compared:
        return None
    n_labels = sum(one.n_used for one in compared)
    # An incident is about accuracy since it began, not in the labelled batches alone: labels of all rows of a small
    # batch say exactly how good the model was on these rows, but settle little.
    accuracy = wilson(sum(one.n_right for one in compared), n_labels, level=LEVEL)
    # The floor of seasons that are always better or worse is higher or lower.
    floor += sum(one.above * one.n_used for one in compared) / n_labels
    settled: Settled = "confirmed" if accuracy.high < floor else "cleared" if accuracy.low >= floor else "open"
    if len(compared) == 1:
        # The interval that the batch itself has: the same labels must not be shown with two of them.
        accuracy = sample_share(compared[0].n_right, n_labels, compared[0].n_rows)
    ends_of_labels = [log.batch(one.batch) for one in (compared[0], compared[-1])]
    first, final = (BatchName(number=one.number, id=one.id, at=one.at) for one in ends_of_labels)
    return LabelVerdict(
        settled=settled,
        accuracy=accuracy,
        n_labels=n_labels,
        n_batches=len(compared),
        first=first,
        last=final,
    )


def next_step(incidents: Sequence[Incident], line: BatchLine) -> NextStep | None:
    """Return what an open incident asks for: labels of a batch until they have settled it, then to be closed."""
    going_on = [one for one in incidents if one.open and one.recovered is None and one.level != "changed"]
    # Without a floor there are no labels in the baseline to compare with.
    urgent = sorted((one for one in going_on if one.floor is not None), key=lambda one: one.level != "harm")
    if not urgent:
        return None
    if any(one.labels is None or one.labels.settled == "open" for one in urgent):
        n_labels = 0 if line.labels is None else line.labels.n_labels
        is_left = n_labels < min(line.n_rows, MOST_KEPT)
        return NextStep(verb="plan", batch=line.batch.id, count=USUAL_COUNT) if is_left else None
    return NextStep(verb="ack", incident=urgent[0].number)

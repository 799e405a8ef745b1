"""Open incidents when alarms are raised, and see when they are over."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.monitoring._recovery import RECOVERED, STILL_RECOVERED, RecoveryRule, SeasonCounts, columns_before
from shiftproof.monitoring.alarms import Alarms, BatchFacts, CellPlan, How, Level, Reading, State

if TYPE_CHECKING:
    from shiftproof.monitoring.store import IncidentRecord, MonitorLog

Ints = NDArray[np.int64]
# Above the number of every batch.
_NO_END = 2**62


@dataclass(frozen=True, eq=False)
class IncidentFollower:
    """Writes what batches mean for the incidents of a monitor.

    Attributes
    ----------
    log : MonitorLog
        In the transaction of the batch.
    alarms : Alarms
        Of the monitor.
    plans : mapping of str to CellPlan
        The columns of the reference.
    """

    log: MonitorLog
    alarms: Alarms
    plans: Mapping[str, CellPlan]

    def follow(self, state: State, reading: Reading, number: int) -> None:
        """Open the incidents that a batch raises, and follow those that are open.

        An incident stays open until somebody acknowledges it, because only then its alarm restarts.

        Parameters
        ----------
        state, reading : State, Reading
            After the batch.
        number : int
            The number of the batch.
        """
        still_open = {incident.level: incident for incident in self.log.incidents(only_open=True)}
        for level in reading.log_evidence:
            if level in still_open:
                self._follow_open(state, reading, still_open[level], number)
            elif reading.alarms[level]:
                self._open(state, reading, level, number)

    def follow_labels(self, state: State, reading: Reading, number: int) -> None:
        """Open an incident of *harm* that labels raise, or follow the one that is open.

        Parameters
        ----------
        state, reading : State, Reading
            After the labels.
        number : int
            The number of the batch that they are of.
        """
        still_open = [incident for incident in self.log.incidents(only_open=True) if incident.level == "harm"]
        if still_open:
            # Labels of an older batch may come late.
            self._follow_open(state, reading, still_open[0], max(number, still_open[0].raised))
        elif reading.alarms["harm"]:
            self._open(state, reading, "harm", number)

    def _open(self, state: State, reading: Reading, level: Level, number: int) -> None:
        """Write a new incident, and set the pool before it aside if the pool is what *changed* compares with."""
        incident = _raised(reading, level, number, began=self._began(state, reading, level))
        self.log.open_incident(incident)
        if level == "changed":
            # After "accept" the pool is young: without all batches of the range nothing may be left to compare with.
            for begin in (incident.first, incident.likeliest, incident.last):
                aside = self.alarms.set_aside(state, self._counts(begin).total(len(self.alarms.changed)))
                if aside.arrays["before"].any():
                    break
            self.log.replace_state(aside.to_bytes())

    def _began(self, state: State, reading: Reading, level: Level) -> list[int]:
        """Return the first, last and likeliest batch with which a change began."""
        if level == "harm" and reading.by_labels:
            closed = [one.acknowledged for one in self.log.incidents() if one.level == "harm" and one.acknowledged]
            first = 1 + (self.log.last_until(max(closed)) if closed else 0)
            known = [one for one in self.log.labels.comparisons(first=first) if one.n_used]
            places = self.alarms.since_labels([(one.n_right, one.n_used, one.above) for one in known])
            return [known[place].batch for place in places]
        # Batches from before the last acknowledgement belong to another incident.
        kept = self.log.readings()[-state.batches[level] :]
        corrected = level == "harm" and bool(state.arrays["label steps"][1])
        places = self.alarms.since(level, [inputs for _, inputs in kept], corrected=corrected)
        return [kept[place][0] for place in places]

    def _follow_open(self, state: State, reading: Reading, incident: IncidentRecord, number: int) -> None:
        """Write an open incident's peak, the columns that joined it, and whether it has recovered."""
        level: Any = incident.level
        columns = tuple(dict.fromkeys([*incident.columns, *reading.blamed.get(level, ())]))
        now = replace(incident, peak=max(incident.peak, reading.log_evidence[level]), columns=columns)
        recovered = self._returned(state, now, number) if level == "changed" else self._recovered(reading, now, number)
        self.log.follow_incident(incident.number, peak=now.peak, recovered=recovered, columns=columns)

    def _returned(self, state: State, incident: IncidentRecord, number: int) -> int | None:
        """Return the batch with which the data were as before an incident of *changed*; None if they are not.

        The evidence says nothing here: the pool holds the incident's batches, so that it falls while a change lasts and
        rises when it is over.
        """
        aside = state.arrays["before"]
        before = columns_before(self.alarms, self.plans, aside.sum(axis=0))
        # A mean over many columns may be enough where no column is; then all of them count.
        names = incident.columns or self.alarms.names
        if incident.recovered is None:
            recent = self._counts(incident.likeliest).adjusted(aside, self.alarms.cell_starts)
            return number if recent.have_returned(self.alarms, before, names, RECOVERED) else None
        recent = self._counts(incident.recovered).adjusted(aside, self.alarms.cell_starts)
        return incident.recovered if recent.have_returned(self.alarms, before, names, STILL_RECOVERED) else None

    def _counts(self, first: int) -> SeasonCounts:
        """Return the kept counts of all batches from a number on."""
        return unpack_counts(self.log.counts(first, _NO_END), int(self.alarms.cell_starts[-1]))

    def _recovered(self, reading: Reading, incident: IncidentRecord, number: int) -> int | None:
        """Return the batch with which an incident of *material* or *harm* recovered; None if it goes on.

        The evidence must have fallen from its peak by as much as raises the alarm: the batches since then speak as
        clearly against a change as those before spoke for it. The same must hold for every column whose own evidence
        was enough, because the strongest column hides the others. And the batches since the peak must be like the
        reference. The incident is open again if evidence has a new peak, or if batches since the recovery are clearly
        unlike the reference.
        """
        level: Any = incident.level
        limit = reading.log_limits[level]
        if level == "harm" and incident.by_labels:
            below, peaks = [incident.peak - reading.log_evidence[level]], {level: incident.raised}
        elif level == "harm":
            below = [incident.peak - reading.log_evidence[level]]
            course = self.log.estimates("evidence", level, incident.raised)
            peaks = {level: max(course, key=lambda batch: course[batch], default=number)}
        else:
            by_column = reading.columns[level]
            highest = self.log.column_peaks(level, incident.raised)
            enough = {name for name, (peak, _) in highest.items() if peak >= limit} | {*incident.columns}
            # A mean over many columns may be enough where no column is; then all of them count.
            peaks = {name: batch for name, (_, batch) in highest.items() if name in enough or not enough}
            below = [highest[name][0] - by_column[name] for name in peaks if highest[name][0] >= limit]
            below.append(incident.peak - reading.log_evidence[level])
        if min(below) <= 0:
            return None
        if incident.recovered is not None:
            since = dict.fromkeys(peaks, incident.recovered - 1)
            return incident.recovered if self._like_reference(level, since, STILL_RECOVERED) else None
        over = min(below) >= limit and self._like_reference(level, peaks, RECOVERED)
        return number if over else None

    def _like_reference(self, level: Level, since: Mapping[str, int], rule: RecoveryRule) -> bool:
        """Return whether the batches after those of `since` are like the reference, as far as a level asks."""
        first = min(since.values(), default=0) + 1
        if self.alarms.harm is not None and level == "harm":
            floor = self.alarms.harm.floor if rule is RECOVERED else self.alarms.harm.lowered
            compared = [] if self.log.segment_name else self.log.labels.comparisons(first=first)
            labelled = [one for one in compared if one.n_used]
            # Labels know better than estimates; they are of all rows.
            if labelled:
                return sum(one.n_right for one in labelled) >= sum((floor + one.above) * one.n_used for one in labelled)
            accuracy = [*self.log.estimates("accuracy", "", first).values()]
            return bool(accuracy) and float(np.mean(accuracy)) >= floor
        recent = self._counts(first).adjusted(self.alarms.reference, self.alarms.cell_starts)
        return recent.are_back(self.alarms, self.plans, since, rule)


def pack_counts(facts: BatchFacts) -> bytes:
    """Return the counts of a batch, by season, as bytes."""
    parts = [np.array([season, *np.concatenate(counts)]) for season, counts in facts.by_season.items()]
    return zlib.compress(np.concatenate(parts).astype("<i8").tobytes())


def unpack_counts(contents: Mapping[int, bytes], width: int) -> SeasonCounts:
    """Return the counts of batches.

    Parameters
    ----------
    contents : mapping of int to bytes
        What `pack_counts` returned, by the number of the batch.
    width : int
        The number of cells of all columns.
    """
    by_batch = {
        number: np.frombuffer(zlib.decompress(contents[number]), "<i8").astype(np.int64).reshape(-1, width + 1)
        for number in sorted(contents)
    }
    pieces = np.concatenate([np.empty((0, width + 1), np.int64), *by_batch.values()])
    numbers = np.repeat(np.array([*by_batch], np.int64), [len(rows) for rows in by_batch.values()])
    return SeasonCounts(numbers, pieces[:, 0], pieces[:, 1:])


def close_incident(log: MonitorLog, alarms: Alarms, state: State, incident: IncidentRecord, how: How | None) -> How:
    """Restart the evidence of an incident's level, and return how.

    Unless the user says how, an incident that recovered is resolved: its batches leave the pool, because batches like
    those before it would otherwise seem to have changed.
    """
    chosen: How = how or ("restart" if incident.recovered is None else "resolved")
    level: Any = incident.level
    kept = {} if incident.recovered is None else log.counts(incident.recovered, _NO_END)
    back = unpack_counts(kept, int(alarms.cell_starts[-1])).total(len(alarms.changed))
    log.replace_state(alarms.acknowledge(state, level, chosen, back=back).to_bytes())
    return chosen


def _raised(reading: Reading, level: Level, number: int, *, began: Sequence[int]) -> IncidentRecord:
    from shiftproof.monitoring.store import IncidentRecord

    first, last, likeliest = began
    return IncidentRecord(
        number=0,
        level=level,
        raised=number,
        first=first,
        last=last,
        likeliest=likeliest,
        columns=reading.blamed.get(level, ()),
        peak=reading.log_evidence[level],
        by_labels=level == "harm" and reading.by_labels,
        recovered=None,
        acknowledged=None,
        reason="",
        how="",
    )

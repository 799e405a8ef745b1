"""Open incidents when alarms are raised, and see when they are over."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.monitoring.alarms import Alarms, How, Level, Reading, State

if TYPE_CHECKING:
    from shiftproof.monitoring.store import IncidentRecord, MonitorLog

Ints = NDArray[np.int64]
# Above the number of every batch.
_NO_END = 2**62


def follow_incidents(log: MonitorLog, alarms: Alarms, state: State, reading: Reading, number: int) -> None:
    """Write what a batch means for the incidents of a monitor.

    An incident is over when the evidence has fallen from its peak by as much as raises the alarm: the batches since
    then speak as clearly against a change as those before spoke for it. The same must hold for every column whose own
    evidence was enough, because the strongest column hides the others. The incident stays open until somebody
    acknowledges it, because the evidence only begins anew then.

    Parameters
    ----------
    log : MonitorLog
        In the transaction of the batch.
    alarms : Alarms
        Of the monitor.
    state, reading : State, Reading
        After the batch.
    number : int
        The number of the batch.
    """
    still_open = {incident.level: incident for incident in log.incidents(only_open=True)}
    for level, evidence in reading.log_evidence.items():
        incident = still_open.get(level)
        if incident is not None:
            peak = max(incident.peak, evidence)
            below = [peak - evidence, *_below_peaks(log, reading, level, incident.raised)]
            over = min(below) >= reading.log_limits[level]
            recovered = (incident.recovered or number) if over else incident.recovered
            # A new peak says that it was not over.
            log.follow_incident(incident.number, peak=peak, recovered=None if min(below) <= 0 else recovered)
        elif reading.alarms[level]:
            # Batches from before the last acknowledgement belong to another incident.
            kept = log.readings()[-state.batches[level] :]
            places = alarms.since(level, [inputs for _, inputs in kept])
            log.open_incident(_raised(reading, level, number, began=[kept[place][0] for place in places]))


def _below_peaks(log: MonitorLog, reading: Reading, level: Level, raised: int) -> list[float]:
    """Return how far each column is below the peak of its own evidence, if that was enough for an alarm."""
    columns = reading.columns.get(level, {})
    # *harm* has no columns.
    peaks = log.column_peaks(level, raised) if columns else {}
    highest = {name: max(value, peaks.get(name, value)) for name, value in columns.items()}
    return [highest[name] - value for name, value in columns.items() if highest[name] >= reading.log_limits[level]]


def pack_counts(counts: Sequence[Ints]) -> bytes:
    """Return the counts of a batch as bytes."""
    return zlib.compress(np.concatenate(counts).astype("<i8").tobytes())


def close_incident(log: MonitorLog, alarms: Alarms, state: State, incident: IncidentRecord, how: How | None) -> How:
    """Begin the evidence of an incident's level anew, and return how.

    Unless the user says how, an incident that recovered is resolved: its batches leave the pool, because batches like
    the reference would otherwise seem to have changed.
    """
    chosen: How = how or ("restart" if incident.recovered is None else "resolved")
    level: Any = incident.level
    leaving: list[Sequence[Ints]] = []
    if chosen == "resolved":
        kept = log.counts(incident.first, (incident.recovered or _NO_END) - 1)
        leaving = [[np.frombuffer(zlib.decompress(content), "<i8").astype(np.int64)] for content in kept]
    log.replace_state(alarms.acknowledge(state, level, chosen, leaving=leaving).to_bytes())
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
        recovered=None,
        acknowledged=None,
        reason="",
        how="",
    )

"""Segments of a monitor: each is watched like all rows, by alarms of its own that have a part of the budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from shiftproof.monitoring._assembly import column_records, figure_records
from shiftproof.monitoring._baseline import Baseline
from shiftproof.monitoring._incidents import IncidentFollower, pack_counts
from shiftproof.monitoring._periods import independent_rows
from shiftproof.monitoring._result import MonitorTerms
from shiftproof.monitoring._summary import BatchSummary
from shiftproof.monitoring.alarms import Alarms, Reading, State

if TYPE_CHECKING:
    from shiftproof.monitoring.store import MonitorLog

# A floor must stay above 0.
_LOWEST_FLOOR = 0.01


@dataclass(frozen=True, eq=False, kw_only=True)
class Watch:
    """All rows, or those of a segment, and their alarms.

    Attributes
    ----------
    name : str
        The segment; empty for all rows.
    baseline : Baseline
        What its rows are compared with.
    terms : MonitorTerms
        What is watched for, with the floor of these rows.
    alarms : Alarms
        With their part of the budget.
    """

    name: str
    baseline: Baseline
    terms: MonitorTerms
    alarms: Alarms

    @classmethod
    def of(cls, baseline: Baseline, terms: MonitorTerms, name: str = "") -> Watch:
        """Prepare the alarms of all rows, or of a segment of the baseline of all rows."""
        rows = baseline.segments[name] if name else baseline
        own = _segment_terms(terms, rows) if name else terms
        share = terms.shares[name]
        alarms = Alarms.of(
            rows.columns,
            alpha=terms.alpha * share,
            mode=terms.mode,
            run_length=terms.run_length / share,
            lifetime=terms.lifetime,
            design_effect=rows.design_effect,
            mean_period=rows.mean_period,
            floor=own.floor,
            bias_sd=own.bias,
            seasons=rows.plans_by_season,
        )
        return cls(name=name, baseline=rows, terms=own, alarms=alarms)

    def state(self, log: MonitorLog) -> State:
        """Return the state of the alarms."""
        content = log.segment(self.name).state()
        return self.alarms.start() if content is None else State.from_bytes(content)

    def step(self, log: MonitorLog, summary: BatchSummary, batch_id: str) -> WatchStep:
        """Step the alarms; nothing is written."""
        state, reading = self.alarms.step(self.state(log), summary.facts, batch_id)
        return WatchStep(watch=self, summary=summary, state=state, reading=reading)


@dataclass(frozen=True, eq=False, kw_only=True)
class WatchStep:
    """What a batch means for a segment, before it is written."""

    watch: Watch
    summary: BatchSummary
    state: State
    reading: Reading

    def facts(self) -> dict[str, Any]:
        """Return what an update says of the segment, as values for JSON."""
        accuracy = self.summary.accuracy
        return {
            "n_rows": self.summary.n_rows,
            "accuracy": None if accuracy is None else asdict(accuracy),
            "log_evidence": dict(self.reading.log_evidence),
            "log_limits": dict(self.reading.log_limits),
            "blamed": {level: list(names) for level, names in self.reading.blamed.items()},
        }

    def write(self, log: MonitorLog, number: int) -> None:
        """Write the segment's part of a batch, and what it means for its incidents."""
        own = log.segment(self.watch.name)
        figures = figure_records(self.summary, self.reading)
        columns = column_records(self.summary, self.reading)
        own.append_figures(number, figures, columns)
        own.append_reading(number, self.reading.inputs, pack_counts(self.summary.facts))
        own.replace_state(self.state.to_bytes())
        IncidentFollower(own, self.watch.alarms, self.watch.baseline.columns).follow(self.state, self.reading, number)


def watch_segments(baseline: Baseline, terms: MonitorTerms) -> dict[str, Watch]:
    """Return the segments of a baseline with their alarms, by name."""
    return {name: Watch.of(baseline, terms, name) for name in baseline.segments}


def step_segments(
    watches: Mapping[str, Watch], log: MonitorLog, summary: BatchSummary, batch_id: str
) -> list[WatchStep]:
    """Step the alarms of the segments that a batch has rows of."""
    return [watches[name].step(log, segment, batch_id) for name, segment in summary.segments.items()]


def _segment_terms(terms: MonitorTerms, segment: Baseline) -> MonitorTerms:
    """Return what a segment is watched for: its floor is as far below its validated accuracy as that of all rows."""
    floor = None
    if terms.floor is not None and terms.validated is not None and segment.validated is not None:
        floor = max(terms.floor + segment.validated - terms.validated, _LOWEST_FLOOR)
    return replace(
        terms,
        floor=floor,
        validated=segment.validated,
        majority=segment.majority,
        class_shares=segment.class_shares,
        bias=segment.bias_sd,
        independent_rows=independent_rows(segment.design_effect, segment.mean_period),
    )

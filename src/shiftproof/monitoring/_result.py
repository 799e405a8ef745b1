"""What a monitor says of one batch."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from shiftproof.core import Interval, Note, Phrase, Sensitive, plain_fields, shortened
from shiftproof.monitoring._baseline_words import note_text
from shiftproof.monitoring._label_result import BatchLabels, LabelVerdict, NextStep
from shiftproof.monitoring._label_words import next_words
from shiftproof.monitoring._performance import FEWEST_ROWS
from shiftproof.monitoring._summary import ColumnChange
from shiftproof.monitoring._words import BLAME, tone_of_open, update_details, update_headline, update_line
from shiftproof.monitoring.alarms import DISTANCE, RUN_LENGTH, Level, Mode
from shiftproof.reporting import PagedResult, Tone

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from shiftproof.reporting import Page

# Within a sentence; the name of a batch may be any text.
_LONGEST_NAME = 60
# A batch without a name has the SHA-256 of its content, of which the beginning is enough to tell batches apart.
_HASH, _HASH_SHOWN = re.compile("[0-9a-f]{64}"), 10


@dataclass(frozen=True, kw_only=True)
class MonitorTerms:
    """What a monitor watches for, and what it promises.

    Attributes
    ----------
    name : str
        The monitor.
    alpha : float
        The probability of a false alarm ever: of *changed*, and of *material* and *harm* together.
    mode : {"ever", "run length"}
        What the alarms promise.
    run_length : int
        With "run length", the mean number of quiet batches to a false alarm of each level.
    lifetime : bool
        Whether all alarms that a level ever raises share its alpha.
    shares : mapping of str to float
        Which part of alpha each segment has; "" stands for all rows.
    floor : float or None
        The floor: the lowest acceptable accuracy; None if it is not watched.
    validated, majority : float or None
        The accuracy on the reference, and that of always answering its most frequent class.
    class_shares : mapping of str to float
        The class proportions of the reference; empty without labels.
    bias : float or None
        The standard deviation of the bias that estimates of accuracy are allowed.
    independent_rows : int or None
        How many independent rows a batch counts as at most, in the column whose periods differ most; None if periods do
        not differ or are not known.
    """

    name: str
    alpha: float
    mode: Mode
    floor: float | None
    validated: float | None
    majority: float | None
    bias: float | None
    run_length: int = RUN_LENGTH
    lifetime: bool = False
    shares: Mapping[str, float] = field(default_factory=lambda: {"": 1.0})
    independent_rows: int | None = None
    class_shares: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class BatchName:
    """A batch within a sentence or a table.

    Attributes
    ----------
    number : int
        Rises in the order of arrival.
    id : str
        Its name.
    at : datetime
        The time that it is about, in UTC.
    """

    number: int
    id: str
    at: datetime

    @property
    def shown(self) -> Sensitive:
        """The name, which may be a file's or a cell of the data; redacted, the number."""
        short = f"{self.id[:_HASH_SHOWN]}…" if _HASH.fullmatch(self.id) else shortened(self.id, _LONGEST_NAME)
        return Sensitive(repr(short), f"batch {self.number}")


@dataclass(frozen=True, kw_only=True)
class LevelEvidence:
    """The evidence of one alarm after a batch.

    Attributes
    ----------
    level : {"changed", "material", "harm"}
        The alarm.
    log_evidence, log_limit : float
        Logarithms of the evidence, and of what raises the alarm.
    """

    level: Level
    log_evidence: float
    log_limit: float

    @property
    def alarm(self) -> bool:
        """Whether the evidence is at the limit or above."""
        return self.log_evidence >= self.log_limit

    @property
    def share(self) -> float:
        """How far the evidence is on its way to the alarm, on the scale of logarithms: 0 none, 1 the alarm."""
        return max(self.log_evidence, 0.0) / self.log_limit


@dataclass(frozen=True, kw_only=True)
class Incident:
    """An alarm, when the change began, and what happened since.

    Attributes
    ----------
    number : int
        The number of the incident in the store, for `Monitor.acknowledge`.
    level : {"changed", "material", "harm"}
        Which alarm was raised.
    segment : str
        The segment that raised it, such as ``country = 'DE'``; empty for all rows.
    raised : BatchName
        The batch that raised it.
    first, last, likeliest : BatchName
        The change began between the first and the last of these batches (90% of the weight), most likely with
        `likeliest`.
    columns : tuple of str
        The columns whose own evidence is strong enough, the strongest first.
    recovered : BatchName or None
        The batch with which the data recovered. For *changed*, they are again like the data before the incident; for
        *material*, within the limits; for *harm*, the estimate is at the floor or above. None if they have not
        recovered.
    acknowledged : datetime or None
        When somebody closed it; None while it is open.
    reason : str
        Why it was closed.
    by_labels : bool
        Whether labels alone raised the alarm for *harm*, and not estimates.
    floor : float or None
        The floor: the lowest acceptable accuracy; None if it is not watched.
    labels : LabelVerdict or None
        What the labels of its batches show: whether accuracy is below the floor. None without labels, and for
        *changed*.
    """

    number: int
    level: Level
    raised: BatchName
    first: BatchName
    last: BatchName
    likeliest: BatchName
    columns: tuple[str, ...]
    segment: str = ""
    recovered: BatchName | None = None
    acknowledged: datetime | None = None
    reason: str = ""
    by_labels: bool = False
    floor: float | None = None
    labels: LabelVerdict | None = None

    @property
    def open(self) -> bool:
        """Whether nobody has acknowledged the incident yet."""
        return self.acknowledged is None

    @property
    def where(self) -> Phrase:
        """The level, and the segment unless it is all rows; redacted, without the segment's value."""
        if not self.segment:
            return Phrase(self.level)
        return Phrase(f"{self.level} in ", Sensitive(self.segment, "a segment"))


@dataclass(frozen=True, kw_only=True)
class SegmentUpdate:
    """What a batch means for a segment.

    Attributes
    ----------
    name : str
        The segment, such as ``country = 'DE'``.
    n_rows : int
        Number of its rows.
    accuracy : Interval or None
        The estimated accuracy; None if there are too few labelled rows of the segment.
    levels : mapping of level to LevelEvidence
        The evidence after the batch.
    blamed : mapping of level to tuple of str
        Columns whose own evidence is enough.
    """

    name: str
    n_rows: int
    accuracy: Interval | None
    levels: Mapping[Level, LevelEvidence]
    blamed: Mapping[Level, tuple[str, ...]]

    @property
    def shown_accuracy(self) -> Interval | None:
        """The estimated accuracy; None if the rows are too few to estimate it."""
        return accuracy_to_show(self.accuracy, self.n_rows)


@dataclass(frozen=True, eq=False, kw_only=True)
class Update(PagedResult):
    """What a monitor found in a batch.

    Attributes
    ----------
    batch : BatchName
        The batch.
    arrived : datetime
        When it was added, in UTC.
    n_rows : int
        Number of rows of the batch.
    repeated : bool
        Whether the batch had been added before, so that nothing changed.
    levels : mapping of level to LevelEvidence
        The evidence after the batch. A level that is not watched is absent.
    opened : tuple of Incident
        Alarms that this batch raised.
    open_incidents : tuple of Incident
        All incidents that nobody has acknowledged yet.
    accuracy : Interval or None
        The estimated accuracy; None if it cannot be estimated.
    loss_chance : float or None
        The chance that the accuracy is more than five points below the validated one; None if it cannot be estimated.
    shares : mapping of str to Interval
        The estimated class proportions.
    shift_kind : str
        The type of shift: "none", "prior" or "unclear"; empty if it cannot be determined.
    shift_reasons : tuple of str
        The reasons for the type of shift.
    columns : mapping of str to ColumnChange
        Every column, compared with the reference.
    evidence : mapping of level to mapping of str to float
        The logarithm of each column's evidence, by level.
    blamed : mapping of level to tuple of str
        Columns whose own evidence is strong enough, corrected for the number of columns.
    newly_blamed : tuple of str
        Columns that changed and that this batch added to an incident that was already open.
    labels : BatchLabels or None
        What the labels of the batch show; None without labels.
    n_learnt : int
        How many earlier batches with labels the estimate learnt from.
    next_step : NextStep or None
        What to do about an open incident.
    terms : MonitorTerms
        What the monitor watches for.
    notes : tuple of Note
        What else the reader should know.
    segments : mapping of str to SegmentUpdate
        The same for the segments that the batch has rows of, by name.
    """

    batch: BatchName
    arrived: datetime
    n_rows: int
    repeated: bool
    levels: Mapping[Level, LevelEvidence]
    opened: tuple[Incident, ...]
    open_incidents: tuple[Incident, ...]
    accuracy: Interval | None
    shares: Mapping[str, Interval]
    shift_kind: str
    shift_reasons: tuple[str, ...]
    columns: Mapping[str, ColumnChange]
    evidence: Mapping[Level, Mapping[str, float]]
    blamed: Mapping[Level, tuple[str, ...]]
    newly_blamed: tuple[str, ...] = ()
    labels: BatchLabels | None = None
    loss_chance: float | None = None
    n_learnt: int = 0
    next_step: NextStep | None = None
    terms: MonitorTerms
    notes: tuple[Note, ...] = ()
    segments: Mapping[str, SegmentUpdate] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The name of the batch."""
        return self.batch.id

    @property
    def at(self) -> datetime:
        """The time that the batch is about, in UTC."""
        return self.batch.at

    @property
    def alarms(self) -> tuple[Level, ...]:
        """The levels whose evidence is at its limit or above."""
        return tuple(level for level, one in self.levels.items() if one.alarm)

    @property
    def shown_accuracy(self) -> Interval | None:
        """The estimated accuracy; None if the rows are too few to estimate it."""
        return accuracy_to_show(self.accuracy, self.n_rows)

    @property
    def shown_shares(self) -> Mapping[str, Interval]:
        """The estimated class proportions; empty if the rows are too few to estimate them."""
        return self.shares if self.n_rows >= FEWEST_ROWS else {}

    @property
    def ranking(self) -> list[ColumnChange]:
        """The columns, furthest from the baseline first, by their values or by their missing share."""
        return sorted(self.columns.values(), key=lambda change: -max(_known(change.distance), change.missing_change))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per column.

        Columns are those of `ColumnChange`, then the logarithms of the evidence, `changed` and `material`, and the
        highest level that the column is `blamed` for.
        """
        import pandas as pd

        rows = [
            plain_fields(change)
            | {level: self.evidence.get(level, {}).get(name, math.nan) for level in ("changed", "material")}
            | {"blamed": next((level for level in ("material", "changed") if name in self.blamed.get(level, ())), "")}
            for name, change in self.columns.items()
        ]
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return self._plain_fields("notes", "levels", "opened", "open_incidents", "segments") | {
            "levels": levels_dict(self.levels),
            "segments": {name: segment_dict(one) for name, one in self.segments.items()},
            "opened": [incident_dict(incident) for incident in self.opened],
            "open_incidents": [incident_dict(incident) for incident in self.open_incidents],
            "notes": [str(note_text(note)) for note in self.notes],
        }

    @property
    def headline(self) -> str:
        """The answer in one sentence."""
        return update_headline(self)

    @property
    def tone(self) -> Tone:
        """The tone of the answer, which sets its colour."""
        return tone_of_open(self.open_incidents)

    def summary(self) -> str:
        """Say whether there is an alarm, the estimates with their intervals, and what changed most."""
        return str(self.words())

    @property
    def line(self) -> Phrase:
        """The name of the batch and the answer, in one line."""
        return update_line(self)

    def words(self) -> Phrase:
        """Return the sentences of `summary`, in which names of batches are marked as sensitive."""
        return Phrase.joined(" ", filter(bool, [self.line, self.details, *next_words(self.next_step)]))

    @property
    def details(self) -> Phrase:
        """The sentences of `summary` after its first line."""
        return update_details(self)

    def plot(self, *, most: int = 30, ax: Axes | None = None) -> Axes:
        """Draw the distances of the columns furthest from the baseline, coloured by the alarms that they raise."""
        from shiftproof import plots

        ranking = self.ranking
        return plots.effect_bars(
            [change.column for change in ranking],
            [change.distance for change in ranking],
            [self._grade(change.column) for change in ranking],
            thresholds=[DISTANCE] * len(ranking),
            most=most,
            meanings=BLAME,
            axis=f"distance of this batch from the baseline; the mark is at {DISTANCE:g}",
            ax=ax,
        )

    def _grade(self, column: str) -> str:
        """Return the colour of a column: that of the worst level whose evidence, over all batches, blames it."""
        # One batch may be far away before the evidence is enough, and near when it is.
        if column in self.blamed.get("material", ()):
            return "material"
        return "negligible" if any(column in names for names in self.blamed.values()) else "none"

    def to_page(self, *, title: str = "The last batch") -> Page:
        """Return the result as a page for `shiftproof.reporting`."""
        from shiftproof.monitoring._page import update_page

        return update_page(self, title)


def accuracy_to_show(accuracy: Interval | None, n_rows: int) -> Interval | None:
    """Return an estimated accuracy, or None if it is of too few rows."""
    return accuracy if n_rows >= FEWEST_ROWS else None


def levels_dict(levels: Mapping[Level, LevelEvidence]) -> dict[str, Any]:
    """Return the evidence of each level as plain values."""
    return {level: plain_fields(one) | {"alarm": one.alarm, "share": one.share} for level, one in levels.items()}


def segment_dict(segment: SegmentUpdate) -> dict[str, Any]:
    """Return a segment as plain values."""
    return plain_fields(segment) | {"levels": levels_dict(segment.levels)}


def incident_dict(incident: Incident) -> dict[str, Any]:
    """Return an incident as plain values."""
    return plain_fields(incident) | {"open": incident.open}


def _known(distance: float) -> float:
    return -1.0 if math.isnan(distance) else distance

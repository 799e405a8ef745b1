"""What a monitor says of labels: which rows to label, what the labels mean, and how right estimates were."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from shiftproof.core import Interval, Note, Phrase, Result, plain_fields
from shiftproof.monitoring._baseline_words import note_text
from shiftproof.monitoring._label_words import label_text, next_words, plan_text, track_text

if TYPE_CHECKING:
    import pandas as pd

    from shiftproof.monitoring._result import BatchName, Incident

#: What labels say of an incident: accuracy is below the floor, or not, or it takes more labels to say.
Settled = Literal["confirmed", "cleared", "open"]
# So few intervals that contain the actual value would be a surprise, if each did with the probability it should.
_SURPRISING = 0.05


@dataclass(frozen=True, kw_only=True)
class BatchLabels:
    """What the labels of a batch say.

    Attributes
    ----------
    n_labels, n_used : int
        Labels of kept rows, and those that are a random sample.
    n_right : int
        How many of the random sample the model got right.
    alone : Interval or None
        The accuracy by the labels alone; None without a random sample.
    accuracy : Interval or None
        The estimate, corrected by the labels of this batch; None without a random sample.
    shares : mapping of str to Interval
        The class proportions by the labels alone; empty without a random sample.
    reference_shares : mapping of str to float
        Those of the reference.
    contained : bool or None
        Whether the interval that was given before contains the actual accuracy, as far as the labels can say; None with
        fewer than 10 labels.
    """

    n_labels: int
    n_used: int
    n_right: int
    alone: Interval | None
    accuracy: Interval | None
    contained: bool | None
    shares: Mapping[str, Interval] = field(default_factory=dict)
    reference_shares: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class LabelVerdict:
    """What labels say of an incident.

    Attributes
    ----------
    settled : {"confirmed", "cleared", "open"}
        Whether accuracy is below the floor since the incident began: confirmed if the whole 90% Wilson interval of all
        labels is, cleared if none of it is.
    accuracy : Interval
        The accuracy by the labels of all batches of the incident; that of `BatchLabels.alone` if one batch has labels.
    n_labels, n_batches : int
        How many labels, of how many batches.
    first, last : BatchName
        The first and the last batch with labels.
    """

    settled: Settled
    accuracy: Interval
    n_labels: int
    n_batches: int
    first: BatchName
    last: BatchName


@dataclass(frozen=True, kw_only=True)
class TrackRecord:
    """How many of the intervals estimated before labels arrived contained the actual accuracy.

    Few labels show the actual accuracy only roughly. Each interval is therefore widened by the error of its labels. If
    the intervals are right, 90% of the 90% intervals then contain the accuracy that the labels show.

    Attributes
    ----------
    n_batches : int
        Number of batches with at least 10 labels of a random sample.
    n_contained : int
        How many of their intervals contained the actual accuracy.
    n_labels : int
        Number of labels of these batches.
    level : float
        The share of intervals that should contain the actual accuracy.
    """

    n_batches: int
    n_contained: int
    n_labels: int
    level: float

    @property
    def share(self) -> float:
        """The share of intervals that contained the actual accuracy; NaN without intervals."""
        return self.n_contained / self.n_batches if self.n_batches else math.nan

    @property
    def too_few(self) -> bool:
        """Whether fewer intervals contained the actual accuracy than chance explains."""
        return bool(bdtr(self.n_contained, self.n_batches, self.level) < _SURPRISING)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        share = self.share if self.n_batches else None
        return {**plain_fields(self), "share": share, "too_few": self.too_few, "summary": self.summary()}

    def summary(self) -> str:
        """Say how many intervals contained the actual accuracy."""
        return track_text(self)


@dataclass(frozen=True, kw_only=True)
class NextStep:
    """What to do next, in Python and in a terminal.

    Attributes
    ----------
    verb : {"plan", "label", "ack"}
        Which rows to label; give their labels; close an incident.
    batch : str
        The name of the batch; empty for "ack".
    incident : int
        The number of the incident; 0 for the others.
    count : int
        How many rows to label; 0 for the others.
    """

    verb: Literal["plan", "label", "ack"]
    batch: str = ""
    incident: int = 0
    count: int = 0

    @property
    def python(self) -> str:
        """The call."""
        if self.verb == "ack":
            return f"monitor.acknowledge({self.incident}, reason)"
        return f"monitor.plan({self.batch!r})" if self.verb == "plan" else f"monitor.label({self.batch!r}, labels)"

    def command(self, store: str, name: str, *, file: str = "FILE") -> str:
        """Return the command for a monitor of this name in a store; `file` has the labels.

        Examples
        --------
        >>> NextStep(verb="plan", batch="May 1", count=50).command("m.db", "default")
        "shiftproof monitor plan m.db --id 'May 1' --out rows.csv"
        """
        place = shlex.quote(store)
        words = {
            "plan": f"plan {place} --id {shlex.quote(self.batch)} --out rows.csv",
            "label": f"label {place} {shlex.quote(file)} --id {shlex.quote(self.batch)}",
            "ack": f"ack {place} {self.incident} --reason TEXT",
        }
        named = "" if name == "default" else f" --name {shlex.quote(name)}"
        return f"shiftproof monitor {words[self.verb]}{named}"


@dataclass(frozen=True, eq=False, kw_only=True)
class BatchPlan(Result):
    """A plan of the rows of a batch to label next; `Monitor.plan` returns one.

    These rows come next in a random order that was fixed when the batch was added. Together with all rows that were
    labelled before, they are a random sample. The plan stays the same until labels are added.

    Attributes
    ----------
    batch : BatchName
        The batch.
    rows : ndarray of shape (k,)
        The numbers of the rows in the batch, counted from 0.
    keys : tuple of str
        The values of the key column of the baseline; empty without one.
    key : str
        The name of the key column; empty without keys.
    scores : ndarray of shape (k, c)
        The scores of the model.
    score_columns : tuple of str
        The columns of these scores.
    n_labels, n_used : int
        Number of labels of the batch so far, and of labels that are a random sample.
    n_kept, n_rows : int
        How many rows are stored and can be labelled, and how many the batch has.
    """

    batch: BatchName
    rows: NDArray[np.int64]
    keys: tuple[str, ...]
    key: str
    scores: NDArray[np.float32]
    score_columns: tuple[str, ...]
    n_labels: int
    n_used: int
    n_kept: int
    n_rows: int

    @property
    def next_step(self) -> NextStep | None:
        """What to do next; None if nothing is left to label."""
        return NextStep(verb="label", batch=self.batch.id) if len(self.rows) else None

    def to_frame(self) -> pd.DataFrame:
        """Return one row per row to label: ``batch, row``, its key, its scores, and an empty column ``label``."""
        import pandas as pd

        columns: dict[str, Any] = {"batch": [self.batch.id] * len(self.rows), "row": self.rows}
        if self.keys:
            columns[key_column(self.key)] = list(self.keys)
        for name, values in zip(self.score_columns, self.scores.T, strict=True):
            # The file is for people, who need no more digits.
            columns[name if name not in (*columns, "label") else f"score {name}"] = values.astype(np.float64).round(6)
        return pd.DataFrame(columns | {"label": pd.Series([None] * len(self.rows), dtype=object)})

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; `rows` are the numbers of the rows."""
        return self._plain_fields()

    def summary(self) -> str:
        """Say which rows to label, and what to do then."""
        return str(self.words())

    def words(self, *, next_step: bool = True) -> Phrase:
        """Return the sentences of `summary`, with or without the next call."""
        return Phrase.joined(" ", [plan_text(self), *next_words(self.next_step if next_step else None)])


def key_column(name: str) -> str:
    """Return what a file of labels calls the key, which must not be taken for another column."""
    return "key" if name in ("batch", "row", "label") else name


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelUpdate(Result):
    """What the labels of a batch show; `Monitor.label` returns one.

    Attributes
    ----------
    batch : BatchName
        The batch.
    n_new, n_repeated : int
        Number of new labels, and of labels that were already known and are the same.
    n_not_kept : int
        Number of labels that cannot be used, because the scores of their rows are not stored.
    labels : BatchLabels
        What all labels of the batch show.
    before : Interval
        The interval of accuracy that was estimated before.
    missing : int or None
        The first row without a label in the random order, if labels after it do not count yet; else None.
    closed_by : int or None
        The incident that was acknowledged after this batch arrived, so its labels do not count towards a new alarm.
    opened, open_incidents : tuple of Incident
        Alarms that these labels raised, and all incidents that nobody has acknowledged yet.
    track_record : TrackRecord
        How many of the intervals so far contained the actual accuracy.
    next_step : NextStep or None
        What to do next.
    notes : tuple of Note
        Whether the labels agree better with the scores in another order of the classes.
    """

    batch: BatchName
    n_new: int
    n_repeated: int
    n_not_kept: int
    labels: BatchLabels
    before: Interval
    missing: int | None
    closed_by: int | None
    opened: tuple[Incident, ...]
    open_incidents: tuple[Incident, ...]
    track_record: TrackRecord
    next_step: NextStep | None
    notes: tuple[Note, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """Return the accuracy estimated without labels, by labels alone, and by both together."""
        import pandas as pd

        named = {"before": self.before, "labels alone": self.labels.alone, "with labels": self.labels.accuracy}
        rows = [{"accuracy": name} | one.to_dict() for name, one in named.items() if one is not None]
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        from shiftproof.monitoring._result import incident_dict

        return self._plain_fields("opened", "open_incidents", "track_record", "notes") | {
            "opened": [incident_dict(incident) for incident in self.opened],
            "open_incidents": [incident_dict(incident) for incident in self.open_incidents],
            "track_record": self.track_record.to_dict(),
            "notes": [str(note_text(note)) for note in self.notes],
        }

    def summary(self) -> str:
        """Say what the labels show, what they mean for incidents, and what to do next."""
        return str(self.words())

    def words(self, *, next_step: bool = True) -> Phrase:
        """Return the sentences of `summary`, with or without the next call."""
        return Phrase.joined(" ", [label_text(self), *next_words(self.next_step if next_step else None)])

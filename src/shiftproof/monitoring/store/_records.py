"""What a store holds, row by row, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_micros(moment: datetime) -> int:
    """Return a time as microseconds since 1970 in UTC.

    Examples
    --------
    >>> to_micros(datetime(1970, 1, 2, tzinfo=UTC))
    86400000000
    """
    return (moment - _EPOCH) // timedelta(microseconds=1)


def from_micros(micros: int) -> datetime:
    """Return the time that `to_micros` wrote."""
    return _EPOCH + timedelta(microseconds=micros)


@dataclass(frozen=True, kw_only=True)
class MonitorRecord:
    """A monitor: its key in the store, its name, when it was created, and its settings."""

    key: int
    name: str
    created: datetime
    settings: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class FigureRecord:
    """One quantity of a batch, with its interval where it has one.

    Parameters
    ----------
    quantity, subject : str
        What it is, such as "accuracy" or "share", and of which class or level.
    estimate : float
        The value; NaN where it cannot be estimated.
    low, high, level : float or None
        The interval and its coverage.
    method : str
        How it was computed.
    """

    quantity: str
    subject: str
    estimate: float
    low: float | None = None
    high: float | None = None
    level: float | None = None
    method: str = ""


@dataclass(frozen=True, kw_only=True)
class ColumnRecord:
    """One column of a batch, compared with the reference.

    Parameters
    ----------
    name : str
        The column.
    measure : str
        What the distance is: "ks" or "hellinger".
    distance, p_value : float
        The distance from the reference, and the chance of one as large without a change.
    missing, p_missing : float
        The share of missing values, and the chance of one as different from that of the reference.
    unseen : float
        The share of values that the reference does not have.
    changed, material : float
        Logarithms of the evidence so far for a change, and for one that matters.
    """

    name: str
    measure: str
    distance: float
    p_value: float
    missing: float
    p_missing: float
    unseen: float
    changed: float
    material: float


@dataclass(frozen=True, kw_only=True)
class BatchRecord:
    """A batch: its number in the order of arrival, its identity and its figures.

    Parameters
    ----------
    number : int
        Rises in the order of arrival.
    id, checksum : str
        The name of the batch, and a hash of its content.
    at, arrived : datetime
        The time that the batch is about, and when it was added.
    n_rows : int
        Its rows.
    facts : mapping
        Everything else, as JSON.
    figures, columns : tuples
        Its quantities; empty where they were not read, or were deleted.
    """

    number: int
    id: str
    checksum: str
    at: datetime
    arrived: datetime
    n_rows: int
    facts: Mapping[str, Any]
    figures: tuple[FigureRecord, ...] = ()
    columns: tuple[ColumnRecord, ...] = ()

    def figure(self, quantity: str, subject: str = "") -> FigureRecord | None:
        """Return a quantity; None if the batch does not have it."""
        pairs = ((figure.quantity, figure.subject) == (quantity, subject) for figure in self.figures)
        return next((figure for figure, right in zip(self.figures, pairs, strict=True) if right), None)


@dataclass(frozen=True, kw_only=True)
class IncidentRecord:
    """An alarm and what became of it; batches are given by number."""

    number: int
    level: str
    segment: str = ""
    raised: int
    first: int
    last: int
    likeliest: int
    columns: tuple[str, ...]
    peak: float
    by_labels: bool
    recovered: int | None
    acknowledged: datetime | None
    reason: str
    how: str


@dataclass(frozen=True, kw_only=True)
class ComparisonRecord:
    """An estimate of accuracy beside what labels of the batch say.

    Parameters
    ----------
    batch, place, n_rows : int
        The number of the batch, which of the monitor's batches it is, and its rows.
    arrived : datetime
        When the last of its labels came.
    n_labels, n_used, n_right : int
        Labels in all; those that are a random sample; how many of these rows the model got right.
    residual, row_variance : float
        Of the random sample: the mean of expected minus actual correctness, and its variance by row.
    estimate, low, high, level : float
        The interval that was given before the labels came.
    unlearnt, sampling, allowance : float
        The estimate before anything was learnt from labels, its standard error, and what drift adds.
    above : float
        How far the validated accuracy of the batch's seasons is above that of all; the floor moves with it.
    contained : bool or None
        Whether the interval contains the actual accuracy, as far as the labels can say; None with too few of them.
    """

    batch: int
    place: int
    n_rows: int
    arrived: datetime
    n_labels: int
    n_used: int
    n_right: int
    residual: float
    row_variance: float
    estimate: float
    low: float
    high: float
    level: float
    unlearnt: float
    sampling: float
    allowance: float
    above: float = 0.0
    contained: bool | None


@dataclass(frozen=True, kw_only=True)
class ChannelRecord:
    """Where alerts of a monitor go, which ones, and how it went of late.

    Parameters
    ----------
    number, monitor : int
        Its number in the store, and the key of its monitor.
    name, kind : str
        What users call it, and what it is, such as "webhook".
    settings : mapping
        How to send, without secrets.
    levels, events : tuple of str
        Which incidents are sent, and what of them.
    failures : int
        Attempts since the last delivery.
    due : datetime or None
        When to try again; None for at once.
    """

    number: int
    monitor: int
    name: str
    kind: str
    settings: Mapping[str, Any]
    levels: tuple[str, ...]
    events: tuple[str, ...]
    failures: int = 0
    due: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class AlertRecord:
    """A message that waits to be delivered.

    Parameters
    ----------
    number, channel, incident : int
        Its own number in the store, that of its channel, and that of its incident.
    event : str
        What happened to the incident.
    content : mapping
        The message.
    created : datetime
        Since when it waits.
    attempts : int
        Number of attempts to deliver the alert.
    error : str
        Why the last attempt failed; empty before the first.
    """

    number: int
    channel: int
    incident: int
    event: str
    content: Mapping[str, Any]
    created: datetime
    attempts: int = 0
    error: str = ""

"""Small questions that pages ask of a store: lists that are short, whatever the history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Table, func, or_, select, tuple_

from shiftproof.monitoring.store import _schema as schema
from shiftproof.monitoring.store._records import MonitorRecord, from_micros, to_micros

# Before and after every time that a batch can have.
_FIRST, _LAST = -(2**62), 2**62


@dataclass(frozen=True, kw_only=True)
class SentAlert:
    """A message about an incident.

    Parameters
    ----------
    channel, event : str
        Where it goes, and what happened.
    headline : str
        What it says.
    created : datetime
        When it was written.
    delivered : datetime or None
        When it was delivered; None while it waits.
    """

    channel: str
    event: str
    headline: str
    created: datetime
    delivered: datetime | None


@dataclass(frozen=True, kw_only=True)
class Pulse:
    """A few numbers that change with everything that a page shows of a monitor.

    Parameters
    ----------
    last_batch : int
        The number of the batch that arrived last; 0 before the first.
    last_labels : int
        When labels came last, in microseconds since 1970; 0 before the first.
    n_incidents, n_closed, n_recovered : int
        Incidents, those that are acknowledged, and those that recovered.
    """

    last_batch: int
    last_labels: int
    n_incidents: int
    n_closed: int
    n_recovered: int


class PageQueries:
    """What pages read of one monitor, within a transaction that the caller began.

    Parameters
    ----------
    connection : Connection
        In a transaction.
    key : int
        The monitor's key.
    """

    def __init__(self, connection: Connection, key: int) -> None:
        self._connection, self._key = connection, key
        self.figure_table, self.column_table = schema.figures, schema.column_figures

    def pulse(self) -> Pulse:
        """Return what changes with the monitor."""
        batches, compared, incidents = schema.batches, schema.comparisons, schema.incidents
        last = select(func.max(batches.c.number)).where(batches.c.monitor_id == self._key)
        labels = select(func.max(compared.c.arrived)).where(compared.c.monitor_id == self._key)
        counts = select(
            func.count(), func.count(incidents.c.acknowledged), func.count(incidents.c.recovered_number)
        ).where(incidents.c.monitor_id == self._key)
        n_incidents, n_closed, n_recovered = self._connection.execute(counts).one()
        return Pulse(
            last_batch=self._connection.scalar(last) or 0,
            last_labels=self._connection.scalar(labels) or 0,
            n_incidents=n_incidents,
            n_closed=n_closed,
            n_recovered=n_recovered,
        )

    def batch_id(self, number: int) -> str | None:
        """Return the name of a batch; None if this monitor has none of the number."""
        table = schema.batches
        own = (table.c.number == number, table.c.monitor_id == self._key)
        return self._connection.scalar(select(table.c.id).where(*own))

    def neighbours(self, number: int) -> tuple[int | None, int | None]:
        """Return the numbers of the batches before and after a batch in time."""
        table = schema.batches
        here = select(table.c.at).where(table.c.number == number, table.c.monitor_id == self._key).scalar_subquery()
        earlier = or_(table.c.at < here, (table.c.at == here) & (table.c.number < number))
        later = or_(table.c.at > here, (table.c.at == here) & (table.c.number > number))
        own = select(table.c.number).where(table.c.monitor_id == self._key).limit(1)
        before = own.where(earlier).order_by(table.c.at.desc(), table.c.number.desc())
        after = own.where(later).order_by(table.c.at, table.c.number)
        return self._connection.scalar(before), self._connection.scalar(after)

    def latest(self, count: int, *, since: datetime | None = None, until: datetime | None = None) -> list[int]:
        """Return the numbers of the latest batches of a range of time, the latest first."""
        table = schema.batches
        query = select(table.c.number).where(table.c.monitor_id == self._key, table.c.at.between(*_range(since, until)))
        return [*self._connection.scalars(query.order_by(table.c.at.desc(), table.c.number.desc()).limit(count))]

    def nth_latest_time(self, count: int) -> datetime | None:
        """Return the time of the last batch but so many; None if there are no more batches than that."""
        table = schema.batches
        query = select(table.c.at).where(table.c.monitor_id == self._key).order_by(table.c.at.desc())
        at = self._connection.scalar(query.offset(count).limit(1))
        return None if at is None else from_micros(at)

    def distances(self, numbers: list[int], segment: str = "") -> Mapping[str, dict[int, float]]:
        """Return how far the columns of some batches are from the reference, by column and batch."""
        table = schema.column_figures
        query = select(table.c.name, table.c.batch_number, table.c.distance).where(
            table.c.batch_number.in_(numbers), table.c.segment == segment, table.c.distance.is_not(None)
        )
        by_column: dict[str, dict[int, float]] = {}
        for name, number, distance in self._connection.execute(query):
            by_column.setdefault(name, {})[number] = distance
        return by_column

    def alerts(self, incident: int) -> list[SentAlert]:
        """Return the messages about an incident, in the order in which they were written."""
        table, channels = schema.outbox, schema.channels
        query = (
            select(channels.c.name, table.c.event, table.c.content, table.c.created, table.c.delivered)
            .join_from(table, channels)
            .where(table.c.incident_number == incident, channels.c.monitor_id == self._key)
            .order_by(table.c.number)
        )
        return [
            SentAlert(
                channel=row.name,
                event=row.event,
                headline=str(row.content.get("headline", "")),
                created=from_micros(row.created),
                delivered=None if row.delivered is None else from_micros(row.delivered),
            )
            for row in self._connection.execute(query)
        ]

    def figures(
        self,
        table: Table,
        after: tuple[int, int],
        *,
        segment: str,
        until: datetime | None,
        only: Mapping[str, str] | None = None,
        count: int = 500,
    ) -> tuple[list[dict[str, Any]], tuple[int, int] | None]:
        """Return the figures of the next batches in time, and where to go on; None at the end.

        A download may take as long as its reader likes, so that each part of it is a transaction of its own.

        Parameters
        ----------
        table : Table
            `figures` or `column_figures`.
        after : tuple of int
            The time and the number of the last batch that was read; `before` begins.
        segment : str
            Of which rows.
        until : datetime or None
            The last time.
        only : mapping of str to str, optional
            What a column of the table must be.
        count : int
            How many batches to read.
        """
        batches = schema.batches
        place = tuple_(batches.c.at, batches.c.number)
        own = (batches.c.monitor_id == self._key, place > tuple_(*after), batches.c.at <= _range(None, until)[1])
        part = select(batches.c.number, batches.c.at).where(*own).order_by(batches.c.at, batches.c.number).limit(count)
        numbers = self._connection.execute(part).all()
        if not numbers:
            return [], None
        named = (table.c[name] == value for name, value in (only or {}).items())
        columns = [column for column in table.c if column.name not in ("batch_number", "segment")]
        query = (
            select(batches.c.number, batches.c.id, batches.c.at, batches.c.n_rows, *columns)
            .join_from(batches, table)
            .where(batches.c.number.in_([row.number for row in numbers]), table.c.segment == segment, *named)
            .order_by(batches.c.at, batches.c.number, *table.primary_key)
        )
        rows = [dict(row) | {"at": from_micros(row["at"])} for row in self._connection.execute(query).mappings()]
        return rows, (numbers[-1].at, numbers[-1].number)


def before(since: datetime | None) -> tuple[int, int]:
    """Return where `PageQueries.figures` begins for batches from a time on."""
    return (_range(since, None)[0] - 1, _LAST)


def every_monitor(connection: Connection) -> list[MonitorRecord]:
    """Return the monitors of a store, in the order in which they were created."""
    rows = connection.execute(select(schema.monitors).order_by(schema.monitors.c.id))
    return [
        MonitorRecord(key=row.id, name=row.name, created=from_micros(row.created), settings=row.settings)
        for row in rows
    ]


def _range(since: datetime | None, until: datetime | None) -> tuple[int, int]:
    return _FIRST if since is None else to_micros(since), _LAST if until is None else to_micros(until)

"""Read and write what a store holds about one monitor, within a transaction that the caller began."""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, Table, delete, func, insert, select, update

from shiftproof.core import StoreError
from shiftproof.monitoring.store import _schema as schema
from shiftproof.monitoring.store._imported import ImportedLog
from shiftproof.monitoring.store._labels import LabelLog
from shiftproof.monitoring.store._outbox import Outbox
from shiftproof.monitoring.store._pages import PageQueries
from shiftproof.monitoring.store._records import (
    BatchRecord,
    ColumnRecord,
    FigureRecord,
    IncidentRecord,
    from_micros,
    to_micros,
)

#: How many readings are kept, from which the beginning of a change is estimated.
KEPT_READINGS = 256


def checksum(content: bytes) -> str:
    """Return the SHA-256 of content in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


class MonitorLog:
    """The batches, the state and the incidents of one monitor.

    Parameters
    ----------
    connection : Connection
        In a transaction.
    key : int
        The monitor's key.
    place : str
        The store, for errors.
    segment : str
        Whose state, figures and incidents are meant; empty for all rows.
    """

    def __init__(self, connection: Connection, key: int, place: str, segment: str = "") -> None:
        self._connection, self._key, self._place, self._segment = connection, key, place, segment
        self.labels = LabelLog(connection, key)
        self.imported = ImportedLog(connection, key)

    @property
    def outbox(self) -> Outbox:
        """The channels and what waits to be sent, in the same transaction."""
        return Outbox(self._connection)

    @property
    def segment_name(self) -> str:
        """The segment; empty for all rows."""
        return self._segment

    def segment(self, name: str) -> MonitorLog:
        """Return the same for the rows of a segment, or for all rows if the name is empty."""
        return MonitorLog(self._connection, self._key, self._place, name)

    @property
    def pages(self) -> PageQueries:
        """What pages ask, in the same transaction."""
        return PageQueries(self._connection, self._key)

    # -- the state of the alarms --------------------------------------------------------------------------------------

    def state(self) -> bytes | None:
        """Return the state that the last batch left; None before the first."""
        table = schema.states
        query = select(table.c.content, table.c.checksum).where(*self._own(table))
        row = self._connection.execute(query).one_or_none()
        if row is None:
            return None
        if checksum(row.content) != row.checksum:
            raise StoreError(self._place, "the state of the alarms is damaged (wrong checksum); restore it from a copy")
        return bytes(row.content)

    def replace_state(self, content: bytes) -> None:
        """Keep this state instead of the one before."""
        table = schema.states
        self._connection.execute(delete(table).where(*self._own(table)))
        row = {"monitor_id": self._key, "segment": self._segment, "content": content, "checksum": checksum(content)}
        self._connection.execute(insert(table), row)

    def readings(self) -> list[tuple[int, bytes]]:
        """Return the kept readings with the numbers of their batches, in the order of arrival."""
        table = schema.readings
        query = select(table.c.batch_number, table.c.content).where(*self._own(table)).order_by(table.c.batch_number)
        return [(row.batch_number, bytes(row.content)) for row in self._connection.execute(query)]

    def counts(self, first: int, last: int) -> dict[int, bytes]:
        """Return the kept counts of the batches from one number to another, by number."""
        table = schema.readings
        query = select(table.c.batch_number, table.c.counts).where(*self._own(table))
        rows = self._connection.execute(query.where(table.c.batch_number.between(first, last)))
        return {number: bytes(content) for number, content in rows}

    # -- batches ------------------------------------------------------------------------------------------------------

    def append(self, batch: BatchRecord, reading: bytes, counts: bytes = b"") -> BatchRecord:
        """Write a batch with its figures, its reading and its counts; return it with its number."""
        row = {
            "monitor_id": self._key,
            "id": batch.id,
            "checksum": batch.checksum,
            "at": to_micros(batch.at),
            "arrived": to_micros(batch.arrived),
            "n_rows": batch.n_rows,
            "facts": dict(batch.facts),
        }
        statement = insert(schema.batches).returning(schema.batches.c.number)
        number = self._connection.execute(statement, row).scalar_one()
        self.append_figures(number, batch.figures, batch.columns)
        self.append_reading(number, reading, counts)
        return replace(batch, number=number)

    def append_figures(self, number: int, figures: Sequence[FigureRecord], columns: Sequence[ColumnRecord]) -> None:
        """Write the figures of a batch."""
        own = {"batch_number": number, "segment": self._segment}
        for table, records in ((schema.figures, figures), (schema.column_figures, columns)):
            if records:
                self._connection.execute(insert(table), [asdict(record) | own for record in records])

    def append_reading(self, number: int, reading: bytes, counts: bytes) -> None:
        """Write what the bets on a batch rest on, and its counts; those of old batches are deleted."""
        own = {"batch_number": number, "segment": self._segment, "monitor_id": self._key}
        self._connection.execute(insert(schema.readings), own | {"content": reading, "counts": counts})
        self._drop_readings()

    def _drop_readings(self) -> None:
        """Delete all readings but the last ones."""
        table = schema.readings
        newest = select(table.c.batch_number).where(*self._own(table)).order_by(table.c.batch_number.desc())
        oldest_kept = newest.offset(KEPT_READINGS - 1).limit(1).scalar_subquery()
        self._connection.execute(delete(table).where(*self._own(table), table.c.batch_number < oldest_kept))

    def batches(self, numbers: Sequence[int]) -> list[BatchRecord]:
        """Return the batches of some numbers with their figures but those of columns, in the order of arrival."""
        table = schema.batches
        return self._batches(select(table).where(table.c.number.in_(numbers)).order_by(table.c.number))

    def find(self, batch_id: str) -> BatchRecord | None:
        """Return the batch of this name with its figures; None if there is none."""
        batches = self._batches(select(schema.batches).where(schema.batches.c.id == batch_id), columns=True)
        return batches[0] if batches else None

    def of_content(self, content: str) -> BatchRecord | None:
        """Return the first batch whose content has this hash, without figures; None if there is none."""
        table = schema.batches
        own = (table.c.monitor_id == self._key, table.c.checksum == content)
        row = self._connection.execute(select(table).where(*own).order_by(table.c.number).limit(1)).one_or_none()
        return None if row is None else _batch(row)

    def batch(self, number: int) -> BatchRecord:
        """Return the batch of this number, without figures."""
        table = schema.batches
        return _batch(self._connection.execute(select(table).where(table.c.number == number)).one())

    def recent(self, count: int) -> list[BatchRecord]:
        """Return the last batches with their figures but those of columns, in the order of arrival."""
        table = schema.batches
        return self._batches(select(table).order_by(table.c.number.desc()).limit(count))[::-1]

    def column_peaks(self, level: str, first: int) -> dict[str, tuple[float, int]]:
        """Return the largest evidence of each column for a level since a batch, and the number of its batch.

        Only batches with readings are looked at.
        """
        table, kept = schema.column_figures, schema.readings
        numbers = select(kept.c.batch_number).where(*self._own(kept), kept.c.batch_number >= first)
        own = (table.c.batch_number.in_(numbers), table.c.segment == self._segment)
        highest = select(table.c.name, func.max(table.c[level]).label("peak")).where(*own).group_by(table.c.name)
        peaks = highest.subquery()
        # The first batch of several with the same evidence.
        query = (
            select(peaks.c.name, peaks.c.peak, func.min(table.c.batch_number))
            .join_from(peaks, table, (table.c.name == peaks.c.name) & (table.c[level] == peaks.c.peak))
            .where(*own)
            .group_by(peaks.c.name, peaks.c.peak)
        )
        return {name: (peak, number) for name, peak, number in self._connection.execute(query)}

    def estimates(self, quantity: str, subject: str, first: int) -> dict[int, float]:
        """Return a quantity of all batches since a batch, by number."""
        table, batches = schema.figures.c, schema.batches.c
        query = select(table.batch_number, table.estimate).join_from(schema.figures, schema.batches)
        own = (batches.monitor_id == self._key, table.segment == self._segment, table.batch_number >= first)
        rows = self._connection.execute(query.where(*own, table.quantity == quantity, table.subject == subject))
        return {number: value for number, value in rows if value is not None}

    def rows(self, table: Table, *, chunk: int = 10_000) -> Iterator[list[tuple[Any, ...]]]:
        """Yield all rows of a table of figures, those of segments too, after the columns of their batch, in chunks.

        Batches are in the order of their times; those of one time as they arrived.
        """
        batches = schema.batches.c
        figures = [column for column in table.c if column.name != "batch_number"]
        query = (
            select(batches.id, batches.at, batches.arrived, batches.n_rows, *figures)
            .join_from(table, schema.batches)
            .where(batches.monitor_id == self._key)
            .order_by(batches.at, batches.number, *table.primary_key)
        )
        for rows in self._connection.execute(query).partitions(chunk):
            yield [tuple(row) for row in rows]

    def write_figure(self, number: int, figure: FigureRecord) -> None:
        """Write a quantity of a batch, instead of what was known of it before."""
        table = schema.figures
        of_batch = {"batch_number": number, "segment": self._segment}
        same = of_batch | {"quantity": figure.quantity, "subject": figure.subject}
        self._connection.execute(delete(table).where(*(table.c[name] == value for name, value in same.items())))
        self._connection.execute(insert(table), same | asdict(figure))

    def redate(self, batch_id: str, at: datetime) -> None:
        """Write another time of a batch."""
        table = schema.batches
        own = (table.c.monitor_id == self._key, table.c.id == batch_id)
        self._connection.execute(update(table).where(*own).values(at=to_micros(at)))

    def remember_file(self, batch_id: str, stamp: tuple[int, int]) -> None:
        """Write the size and the time of the file that a batch was read from."""
        table = schema.batches
        own = (table.c.monitor_id == self._key, table.c.id == batch_id)
        values = {"file_size": stamp[0], "file_changed": stamp[1]}
        self._connection.execute(update(table).where(*own).values(values))

    def files(self) -> dict[str, tuple[int, int]]:
        """Return the sizes and times of the files that batches were read from, by the names of the batches."""
        table = schema.batches
        query = select(table.c.id, table.c.file_size, table.c.file_changed).where(table.c.monitor_id == self._key)
        rows = self._connection.execute(query.where(table.c.file_size.is_not(None)))
        return {batch_id: (size, changed) for batch_id, size, changed in rows}

    def count_after(self, number: int) -> int:
        """Return how many batches arrived after a batch."""
        table = schema.batches
        later = select(func.count()).where(table.c.monitor_id == self._key, table.c.number > number)
        return int(self._connection.execute(later).scalar_one())

    def last_until(self, moment: datetime) -> int:
        """Return the number of the last batch that had arrived at a time; 0 if there is none."""
        table = schema.batches
        own = (table.c.monitor_id == self._key, table.c.arrived <= to_micros(moment))
        return int(
            self._connection.execute(select(func.coalesce(func.max(table.c.number), 0)).where(*own)).scalar_one()
        )

    def count(self) -> tuple[int, int]:
        """Return how many batches there are, and how many rows they have together."""
        table = schema.batches
        totals = select(func.count(), func.coalesce(func.sum(table.c.n_rows), 0)).where(table.c.monitor_id == self._key)
        n_batches, n_rows = self._connection.execute(totals).one()
        return int(n_batches), int(n_rows)

    def prune(self, before: datetime) -> int:
        """Delete the figures, samples and labels of batches before a time; return of how many. Names and hashes stay.

        Imported batches are deleted whole. Batches since the alarm of an open incident keep their figures, which tell
        when the data have recovered.
        """
        batches = schema.batches
        older = select(batches.c.number).where(batches.c.monitor_id == self._key, batches.c.at < to_micros(before))
        raised = [incident.raised for incident in self.incidents(only_open=True, everywhere=True)]
        if raised:
            older = older.where(batches.c.number < min(raised))
        of_figures = select(func.count(schema.figures.c.batch_number.distinct()))
        pruned = self._connection.scalar(of_figures.where(schema.figures.c.batch_number.in_(older)))
        for table in (schema.figures, schema.column_figures, schema.samples, schema.labels):
            self._connection.execute(delete(table).where(table.c.batch_number.in_(older)))
        return int(pruned or 0) + self.imported.prune(before)

    def _batches(self, query: Select[Any], *, columns: bool = False) -> list[BatchRecord]:
        batches = [
            _batch(row) for row in self._connection.execute(query.where(schema.batches.c.monitor_id == self._key))
        ]
        numbers = [batch.number for batch in batches]
        figures = self._by_batch(schema.figures, numbers, FigureRecord)
        of_columns = self._by_batch(schema.column_figures, numbers if columns else [], ColumnRecord)
        return [
            replace(batch, figures=tuple(figures[batch.number]), columns=tuple(of_columns[batch.number]))
            for batch in batches
        ]

    def _by_batch(self, table: Table, numbers: list[int], record: type[Any]) -> defaultdict[int, list[Any]]:
        """Return the records of a table, by the number of their batch."""
        records: defaultdict[int, list[Any]] = defaultdict(list)
        if not numbers:
            return records
        # A range and not a list, of which SQLite accepts only so many values. Batches of one monitor may be far apart.
        columns = [column for column in table.c if column.name not in ("batch_number", "segment")]
        query = (
            select(table.c.batch_number, *columns)
            .join_from(table, schema.batches)
            .where(
                schema.batches.c.monitor_id == self._key,
                table.c.batch_number.between(min(numbers), max(numbers)),
                table.c.segment == self._segment,
            )
            .order_by(*table.primary_key)
        )
        # As tuples: rows that know their columns by name take as long to read as all the rest of a page.
        names = [column.name for column in columns]
        for number, *values in self._connection.execute(query):
            records[number].append(record(**_with_nan(zip(names, values, strict=True))))
        return records

    # -- incidents ----------------------------------------------------------------------------------------------------

    def incidents(self, *, only_open: bool = False, everywhere: bool = False) -> list[IncidentRecord]:
        """Return the incidents in the order of their alarms: of this segment, or of all rows and every segment."""
        table = schema.incidents
        query = select(table).where(table.c.monitor_id == self._key).order_by(table.c.number)
        if not everywhere:
            query = query.where(table.c.segment == self._segment)
        if only_open:
            query = query.where(table.c.acknowledged.is_(None))
        return [_incident(row) for row in self._connection.execute(query)]

    def open_incident(self, incident: IncidentRecord) -> IncidentRecord:
        """Write a new incident; return it with its number."""
        row = {
            "monitor_id": self._key,
            "segment": self._segment,
            "level": incident.level,
            "batch_number": incident.raised,
            "first_number": incident.first,
            "last_number": incident.last,
            "likeliest_number": incident.likeliest,
            "columns": list(incident.columns),
            "peak": incident.peak,
            "by_labels": incident.by_labels,
            "reason": incident.reason,
            "how": incident.how,
        }
        statement = insert(schema.incidents).returning(schema.incidents.c.number)
        return replace(incident, number=self._connection.execute(statement, row).scalar_one())

    def follow_incident(self, number: int, *, peak: float, recovered: int | None, columns: Sequence[str]) -> None:
        """Write how an open incident goes on."""
        table = schema.incidents
        values = {"peak": peak, "recovered_number": recovered, "columns": list(columns)}
        self._connection.execute(update(table).where(table.c.number == number).values(values))

    def close_incident(self, number: int, *, when: datetime, reason: str, how: str) -> None:
        """Write that somebody has seen an incident, and why it is closed."""
        table = schema.incidents
        values = {"acknowledged": to_micros(when), "reason": reason, "how": how}
        self._connection.execute(update(table).where(table.c.number == number).values(values))

    def _own(self, table: Table) -> tuple[Any, Any]:
        return table.c.monitor_id == self._key, table.c.segment == self._segment


def _batch(row: Row[Any]) -> BatchRecord:
    return BatchRecord(
        number=row.number,
        id=row.id,
        checksum=row.checksum,
        at=from_micros(row.at),
        arrived=from_micros(row.arrived),
        n_rows=row.n_rows,
        facts=row.facts,
    )


def _incident(row: Row[Any]) -> IncidentRecord:
    return IncidentRecord(
        number=row.number,
        segment=row.segment,
        level=row.level,
        raised=row.batch_number,
        first=row.first_number,
        last=row.last_number,
        likeliest=row.likeliest_number,
        columns=tuple(row.columns),
        peak=row.peak,
        by_labels=row.by_labels,
        recovered=row.recovered_number,
        acknowledged=None if row.acknowledged is None else from_micros(row.acknowledged),
        reason=row.reason,
        how=row.how,
    )


# SQLite keeps NaN as NULL; columns with an interval may be NULL because there is none.
_MAY_BE_NONE = ("low", "high", "level")


def _with_nan(fields: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    return {name: math.nan if value is None and name not in _MAY_BE_NONE else value for name, value in fields}

"""What pages over time read of a store: every answer is as short as the page that shows it, whatever the history."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING, Any

from shiftproof.core import Interval
from shiftproof.monitoring._label_facts import sample_share
from shiftproof.monitoring._monitor import Monitor
from shiftproof.monitoring._old_and_new import OldAndNew, old_and_new
from shiftproof.monitoring._opening import open_store
from shiftproof.monitoring._result import Incident, Update
from shiftproof.monitoring._status import BatchLine, MonitorStatus

if TYPE_CHECKING:
    from shiftproof.monitoring.store import CourseLine, CourseSpan, MonitorRecord, PageQueries, Pulse, SentAlert


# Of longer histories pages read what they show, thinned out.
_RECENT = 60


@dataclass(frozen=True, kw_only=True)
class BatchPart:
    """Some figures of the history, and where to go on reading.

    Attributes
    ----------
    rows : list of dict
        Figures of batches in the order of time.
    after : tuple of int or None
        Where the next part begins; None at the end.
    """

    rows: list[dict[str, Any]]
    after: tuple[int, int] | None


class MonitorReader:
    """One monitor, as pages show it.

    Parameters
    ----------
    monitor : Monitor
        The monitor.
    record : MonitorRecord
        Its key and when it was created.
    """

    def __init__(self, monitor: Monitor, record: MonitorRecord) -> None:
        self.monitor, self.key, self.created = monitor, record.key, record.created
        self._store = monitor._store

    @property
    def name(self) -> str:
        """The name of the monitor."""
        return self.monitor.name

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes that labels can have, sorted; empty if labels cannot be compared with anything."""
        scores = self.monitor.baseline.scores
        return () if scores is None else scores.classes

    @property
    def score_columns(self) -> tuple[str, ...]:
        """The columns of scores that are compared with the reference."""
        scores = self.monitor.baseline.scores
        names = () if scores is None else scores.names
        return tuple(name for name in names if name in self.monitor.baseline.columns)

    def status(self) -> MonitorStatus:
        """Return how things stand, with the last batches as far as pages need them."""
        return self.monitor._status(_RECENT)

    def snapshot(self) -> AbstractContextManager[None]:
        """Let all that this thread reads within see the same moment; see `store.Store.snapshot`."""
        return self._store.snapshot()

    def pulse(self) -> Pulse:
        """Return a few numbers that change with everything that a page shows."""
        with self._queries() as queries:
            return queries.pulse()

    def course(
        self,
        lines: Sequence[CourseLine],
        *,
        segment: str = "",
        since: datetime | None = None,
        until: datetime | None = None,
        most: int = 160,
    ) -> list[CourseSpan]:
        """Return figures over time, thinned out to so many spans; see `store.read_course`."""
        from shiftproof.monitoring.store import read_course

        with self._store.reading() as connection:
            return read_course(connection, self.key, lines, segment=segment, since=since, until=until, most=most)

    def lately(self, count: int) -> datetime | None:
        """Return a time after which there are about so many batches; None if there are no more than that."""
        with self._queries() as queries:
            return queries.nth_latest_time(count)

    def batch(self, number: int) -> Update | None:
        """Return a batch; None if there is none of this number."""
        with self._store.log(self.key) as log:
            name = log.pages.batch_id(number)
            record = None if name is None else log.find(name)
            return None if record is None else self.monitor._assembly.update(record, log, repeated=False)

    def neighbours(self, number: int) -> tuple[int | None, int | None]:
        """Return the numbers of the batches before and after a batch in time."""
        with self._queries() as queries:
            return queries.neighbours(number)

    def lines(
        self, count: int, *, since: datetime | None = None, until: datetime | None = None
    ) -> tuple[BatchLine, ...]:
        """Return the latest batches of a range of time, the latest first."""
        with self._store.log(self.key) as log:
            numbers = log.pages.latest(count, since=since, until=until)
            records = {record.number: record for record in log.batches(numbers)}
            compared = log.labels.of_batches(numbers)
            return tuple(self.monitor._assembly.line(records[number], compared.get(number)) for number in numbers)

    def distances(self, count: int, segment: str = "") -> Mapping[str, list[float | None]]:
        """Return how far each column of the latest batches is from the reference, the oldest first."""
        with self._queries() as queries:
            numbers = queries.latest(count)[::-1]
            by_column = queries.distances(numbers, segment)
        return {name: [known.get(number) for number in numbers] for name, known in by_column.items()}

    def incident(self, number: int) -> Incident | None:
        """Return an incident; None if this monitor has none of this number."""
        return next((one for one in self.monitor.incidents if one.number == number), None)

    def alerts(self, incident: int) -> list[SentAlert]:
        """Return the messages about an incident."""
        with self._queries() as queries:
            return queries.alerts(incident)

    def old_and_new(self, number: int) -> dict[str, OldAndNew]:
        """Return the counts of the reference and of a batch by column; empty if the batch is too old to have some."""
        with self._store.log(self.key) as log:
            counts = log.counts(number, number)
        return old_and_new(self.monitor.baseline, self.monitor._alarms, counts.get(number))

    def figures(
        self,
        after: tuple[int, int] | None = None,
        *,
        column: str | None = None,
        segment: str = "",
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> BatchPart:
        """Return figures of the next batches in time.

        Parameters
        ----------
        after : tuple of int, optional
            Where the part before ended; by default begin.
        column : str, optional
            Figures of this column; by default those of whole batches.
        segment : str
            Of which rows.
        since, until : datetime, optional
            The first and the last time.
        """
        from shiftproof.monitoring.store import before

        with self._queries() as queries:
            table = queries.figure_table if column is None else queries.column_table
            rows, onward = queries.figures(
                table,
                before(since) if after is None else after,
                segment=segment,
                until=until,
                only=None if column is None else {"name": column},
            )
        return BatchPart(rows=rows, after=onward)

    def every_figure(self, **of: Any) -> Iterator[dict[str, Any]]:
        """Yield the figures of all batches, part by part; arguments are those of `figures`."""
        part = self.figures(**of)
        while True:
            yield from part.rows
            if part.after is None:
                return
            part = self.figures(part.after, **of)

    def _queries(self) -> AbstractContextManager[PageQueries]:
        return self._store.pages(self.key)


class StoreReader:
    """All monitors of a store; each is opened once.

    Parameters
    ----------
    store : str or path-like
        The file, or the URL of a PostgreSQL database.

    Raises
    ------
    StoreError
        If the store does not exist.
    """

    def __init__(self, store: str | os.PathLike[str]) -> None:
        self._store = open_store(store, create=False)
        self._given = store
        self._open: dict[int, MonitorReader] = {}
        self._lock = Lock()

    @property
    def place(self) -> str:
        """Where the store is; never with a password."""
        return self._store.place

    def monitors(self) -> list[MonitorReader]:
        """Return the monitors in the order in which they were created."""
        from shiftproof.monitoring.store import every_monitor

        with self._store.reading() as connection:
            records = every_monitor(connection)
        return [self._reader(record) for record in records]

    def monitor(self, key: int) -> MonitorReader | None:
        """Return the monitor of this key; None if there is none."""
        return next((reader for reader in self.monitors() if reader.key == key), None)

    def pulses(self) -> dict[int, Pulse]:
        """Return by monitor a few numbers that change with everything that its pages show."""
        return {reader.key: reader.pulse() for reader in self.monitors()}

    def _reader(self, record: MonitorRecord) -> MonitorReader:
        """Open a monitor, which takes some tenths of a second, unless it is open."""
        with self._lock:
            known = self._open.get(record.key)
            # Another store may have been put in the place of this one.
            if known is None or (known.name, known.created) != (record.name, record.created):
                known = self._open[record.key] = MonitorReader(Monitor(self._given, name=record.name), record)
            return known


def actual_accuracy(span: CourseSpan) -> Interval | None:
    """Return the accuracy by the labels of some batches; None without labels."""
    if not span.n_labels:
        return None
    return sample_share(span.n_right, span.n_labels, span.n_labelled_rows)

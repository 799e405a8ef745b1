"""Read and write the sample of rows kept of each batch, their labels, and how right estimates were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, case, delete, func, insert, select

from shiftproof.monitoring.store import _schema as schema
from shiftproof.monitoring.store._records import ComparisonRecord, from_micros, to_micros


class LabelLog:
    """What one monitor knows of labels, within a transaction that the caller began.

    Parameters
    ----------
    connection : Connection
        In a transaction.
    key : int
        The monitor's key.
    """

    def __init__(self, connection: Connection, key: int) -> None:
        self._connection, self._key = connection, key

    def keep_sample(self, number: int, content: bytes) -> None:
        """Keep the sample of a batch."""
        self._connection.execute(insert(schema.samples), {"batch_number": number, "content": content})

    def sample(self, number: int) -> bytes | None:
        """Return the sample of a batch; None if none was kept, or if it was deleted."""
        table = schema.samples
        content = self._connection.scalar(select(table.c.content).where(table.c.batch_number == number))
        return None if content is None else bytes(content)

    def codes(self, number: int) -> dict[int, int]:
        """Return the classes of the labelled rows of a batch, by row."""
        table = schema.labels
        query = select(table.c.row, table.c.code).where(table.c.batch_number == number)
        return {row.row: row.code for row in self._connection.execute(query)}

    def add_codes(self, number: int, codes: Mapping[int, int], arrived: datetime) -> None:
        """Write labels of rows that have none."""
        moment = to_micros(arrived)
        rows = [{"batch_number": number, "row": row, "code": code, "arrived": moment} for row, code in codes.items()]
        if rows:
            self._connection.execute(insert(schema.labels), rows)

    def compare(self, comparison: ComparisonRecord) -> None:
        """Write what the labels of a batch say, instead of what fewer of them said before."""
        table = schema.comparisons
        self._connection.execute(delete(table).where(table.c.batch_number == comparison.batch))
        row = asdict(comparison) | {"batch_number": comparison.batch, "monitor_id": self._key}
        row["arrived"] = to_micros(comparison.arrived)
        self._connection.execute(insert(table), {column.name: row[column.name] for column in table.c})

    def comparison(self, number: int) -> ComparisonRecord | None:
        """Return what the labels of a batch say; None if it has none."""
        found = self._comparisons(self._query().where(schema.comparisons.c.batch_number == number))
        return found[0] if found else None

    def of_batches(self, numbers: Sequence[int]) -> dict[int, ComparisonRecord]:
        """Return what the labels of a few batches say, by their numbers; batches without labels are left out."""
        found = self._comparisons(self._query().where(schema.comparisons.c.batch_number.in_(numbers)))
        return {one.batch: one for one in found}

    def comparisons(
        self, *, first: int = 0, last: int | None = None, most: int | None = None
    ) -> list[ComparisonRecord]:
        """Return what labels say of the batches from one number to another, in the order of arrival of the batches.

        Parameters
        ----------
        first, last : int
            The numbers of the first and of the last batch.
        most : int, optional
            How many to return: the last ones.
        """
        number = schema.comparisons.c.batch_number
        query = self._query().where(number >= first).order_by(number.desc())
        if last is not None:
            query = query.where(number <= last)
        return self._comparisons(query.limit(most))[::-1]

    def track(self) -> tuple[int, int, int]:
        """Return how many intervals can be compared, how many contain the actual accuracy, and by how many labels."""
        table = schema.comparisons
        contained = func.coalesce(func.sum(case((table.c.contained, 1), else_=0)), 0)
        known = (table.c.monitor_id == self._key, table.c.contained.is_not(None))
        query = select(func.count(), contained, func.coalesce(func.sum(table.c.n_used), 0)).where(*known)
        n_compared, n_contained, n_labels = self._connection.execute(query).one()
        return int(n_compared), int(n_contained), int(n_labels)

    def _query(self) -> Select[Any]:
        table = schema.comparisons
        batches = select(table, schema.batches.c.n_rows).join_from(table, schema.batches)
        return batches.where(table.c.monitor_id == self._key)

    def _comparisons(self, query: Select[Any]) -> list[ComparisonRecord]:
        return [
            ComparisonRecord(
                batch=row["batch_number"],
                arrived=from_micros(row["arrived"]),
                **{name: value for name, value in row.items() if name not in ("batch_number", "monitor_id", "arrived")},
            )
            for row in self._connection.execute(query).mappings()
        ]

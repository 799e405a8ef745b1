"""Read and write what was imported from other tools."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, Table, bindparam, delete, insert, select, update

from shiftproof.monitoring.imports import ImportedBatch, ImportedFigure
from shiftproof.monitoring.store import _schema as schema
from shiftproof.monitoring.store._records import from_micros, to_micros


class ImportedLog:
    """The imported batches of one monitor, within a transaction that the caller began.

    Parameters
    ----------
    connection : Connection
        In a transaction.
    key : int
        The monitor's key.
    """

    def __init__(self, connection: Connection, key: int) -> None:
        self._connection, self._key = connection, key

    def write(self, batches: Sequence[ImportedBatch], arrived: datetime) -> int:
        """Write batches; return how many were not there before.

        Figures of a batch that is there are replaced, and those that are not given stay: a tool may write estimates and
        distances to several files.
        """
        table = schema.imported_batches
        query = self._own(table.c.id, table.c.number)
        known: dict[str, int] = {row.id: row.number for row in self._connection.execute(query)}
        n_known = len(known)
        figures, columns = [], []
        for batch in batches:
            row: dict[str, Any] = {"at": to_micros(batch.at), "arrived": to_micros(arrived)}
            row |= {} if batch.n_rows is None else {"n_rows": batch.n_rows}
            if batch.id in known:
                self._connection.execute(update(table).where(table.c.number == known[batch.id]).values(row))
            else:
                new = insert(table).values(row | {"monitor_id": self._key, "id": batch.id}).returning(table.c.number)
                known[batch.id] = self._connection.execute(new).scalar_one()
            figures += [asdict(figure) | {"batch_number": known[batch.id]} for figure in batch.figures]
            columns += [asdict(column) | {"batch_number": known[batch.id]} for column in batch.columns]
        self._replace(schema.imported_figures, figures)
        self._replace(schema.imported_columns, columns)
        return len(known) - n_known

    def _replace(self, table: Table, rows: Sequence[dict[str, Any]]) -> None:
        """Write rows instead of those with the same key."""
        if not rows:
            return
        # Of two rows with the same key in one file, the last one.
        by_key = {tuple(row[column.name] for column in table.primary_key): row for row in rows}
        same = (column == bindparam(f"same_{column.name}") for column in table.primary_key)
        keys = [f"same_{column.name}" for column in table.primary_key]
        self._connection.execute(delete(table).where(*same), [dict(zip(keys, key, strict=True)) for key in by_key])
        self._connection.execute(insert(table), [*by_key.values()])

    def names(self) -> set[str]:
        """Return the names of the batches."""
        return {*self._connection.scalars(self._own(schema.imported_batches.c.id))}

    def rows(self, layout: Sequence[str], *, columns: bool) -> list[tuple[Any, ...]]:
        """Return the figures, or those of columns, after what is known of their batch, in the order of time.

        Parameters
        ----------
        layout : sequence of str
            The names of the fields after those of the batch; None stands for what imported figures do not have.
        columns : bool
            Whether to return figures of columns.
        """
        table = schema.imported_columns if columns else schema.imported_figures
        batches = schema.imported_batches.c
        query = self._own(batches.id, batches.at, batches.arrived, batches.n_rows, table).join(table)
        ordered = query.order_by(batches.at, batches.number, *table.primary_key)
        # An imported figure is about the whole batch.
        rest = {"subject": ""}
        return [
            (row["id"], row["at"], row["arrived"], row["n_rows"], *((rest | dict(row)).get(name) for name in layout))
            for row in self._connection.execute(ordered).mappings()
        ]

    def recent(self, count: int) -> list[ImportedBatch]:
        """Return the latest batches that have figures of their own, in the order of time."""
        batches, table = schema.imported_batches, schema.imported_figures
        with_figures = batches.c.number.in_(select(table.c.batch_number))
        latest = self._own(batches).where(with_figures).order_by(batches.c.at.desc(), batches.c.number.desc())
        found = self._connection.execute(latest.limit(count)).all()[::-1]
        figures = self._figures([row.number for row in found])
        return [
            ImportedBatch(
                id=row.id, at=from_micros(row.at), n_rows=row.n_rows, figures=tuple(figures.get(row.number, ()))
            )
            for row in found
        ]

    def _figures(self, numbers: Sequence[int]) -> defaultdict[int, list[ImportedFigure]]:
        table = schema.imported_figures
        figures: defaultdict[int, list[ImportedFigure]] = defaultdict(list)
        # As many as a status shows, which every database accepts in a list.
        query = select(table).where(table.c.batch_number.in_(numbers)).order_by(*table.primary_key)
        for row in self._connection.execute(query).mappings():
            fields = {name: value for name, value in row.items() if name != "batch_number"}
            figures[row["batch_number"]].append(ImportedFigure(**fields))
        return figures

    def prune(self, before: datetime) -> int:
        """Delete the batches before a time; return how many."""
        batches = schema.imported_batches
        older = self._own(batches.c.number).where(batches.c.at < to_micros(before))
        for table in (schema.imported_figures, schema.imported_columns):
            self._connection.execute(delete(table).where(table.c.batch_number.in_(older)))
        own = (batches.c.monitor_id == self._key, batches.c.at < to_micros(before))
        return self._connection.execute(delete(batches).where(*own)).rowcount

    def _own(self, *columns: Any) -> Select[Any]:
        table = schema.imported_batches
        return select(*columns).select_from(table).where(table.c.monitor_id == self._key)

"""The tables of a store, as they are now; `revisions` says how older ones get there.

Times are microseconds since 1970 in UTC: whole numbers sort and compare alike in every database. A segment is a part of
the rows that is watched on its own; all rows together are the segment ``""``.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()


def _of_monitor() -> Column[int]:
    return Column("monitor_id", Integer, ForeignKey("monitors.id"), nullable=False)


def _of_batch(*, key: bool = True) -> Column[int]:
    return Column("batch_number", Integer, ForeignKey("batches.number"), primary_key=key, nullable=False)


monitors = Table(
    "monitors",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("created", BigInteger, nullable=False),
    Column("settings", JSON, nullable=False),
)

baseline_files = Table(
    "baseline_files",
    metadata,
    Column("monitor_id", Integer, ForeignKey("monitors.id"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("content", LargeBinary, nullable=False),
    Column("checksum", Text, nullable=False),
)

states = Table(
    "states",
    metadata,
    Column("monitor_id", Integer, ForeignKey("monitors.id"), primary_key=True),
    Column("segment", Text, primary_key=True),
    Column("content", LargeBinary, nullable=False),
    Column("checksum", Text, nullable=False),
    sqlite_with_rowid=False,
)

batches = Table(
    "batches",
    metadata,
    # Numbers rise in the order of arrival and are never used twice.
    Column("number", Integer, primary_key=True, autoincrement=True),
    _of_monitor(),
    Column("id", Text, nullable=False),
    Column("checksum", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("arrived", BigInteger, nullable=False),
    Column("n_rows", Integer, nullable=False),
    Column("facts", JSON, nullable=False),
    UniqueConstraint("monitor_id", "id"),
    Index("batches_by_time", "monitor_id", "at"),
    Index("batches_by_arrival", "monitor_id", "number"),
    sqlite_autoincrement=True,
)

figures = Table(
    "figures",
    metadata,
    _of_batch(),
    Column("segment", Text, primary_key=True),
    Column("quantity", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("estimate", Float),
    Column("low", Float),
    Column("high", Float),
    Column("level", Float),
    Column("method", Text, nullable=False),
    sqlite_with_rowid=False,
)

column_figures = Table(
    "column_figures",
    metadata,
    _of_batch(),
    Column("segment", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("measure", Text, nullable=False),
    Column("distance", Float),
    Column("p_value", Float),
    Column("missing", Float),
    Column("p_missing", Float),
    Column("unseen", Float),
    # Logarithms of the evidence for a change, and for one that matters.
    Column("changed", Float),
    Column("material", Float),
    sqlite_with_rowid=False,
)

readings = Table(
    "readings",
    metadata,
    _of_batch(),
    Column("segment", Text, primary_key=True),
    _of_monitor(),
    Column("content", LargeBinary, nullable=False),
    Column("counts", LargeBinary, nullable=False),
    Index("readings_by_arrival", "monitor_id", "segment", "batch_number"),
)

incidents = Table(
    "incidents",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    _of_monitor(),
    Column("segment", Text, nullable=False),
    Column("level", Text, nullable=False),
    # The batch that raised the alarm; the change began between the batches `first` and `last`.
    _of_batch(key=False),
    Column("first_number", Integer, ForeignKey("batches.number"), nullable=False),
    Column("last_number", Integer, ForeignKey("batches.number"), nullable=False),
    Column("likeliest_number", Integer, ForeignKey("batches.number"), nullable=False),
    Column("columns", JSON, nullable=False),
    Column("peak", Float, nullable=False),
    Column("recovered_number", Integer, ForeignKey("batches.number")),
    Column("acknowledged", BigInteger),
    Column("reason", Text, nullable=False),
    Column("how", Text, nullable=False),
    Index("incidents_of_monitor", "monitor_id", "number"),
    sqlite_autoincrement=True,
)

# Two tables for what comes next: labels that arrive after their batch, and alerts that are still to be sent.
labels = Table(
    "labels",
    metadata,
    _of_batch(),
    Column("row", Text, primary_key=True),
    Column("label", Text, nullable=False),
    Column("arrived", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

outbox = Table(
    "outbox",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("incident_number", Integer, ForeignKey("incidents.number"), nullable=False),
    Column("event", Text, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("delivered", BigInteger),
    sqlite_autoincrement=True,
)

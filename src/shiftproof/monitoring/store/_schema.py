"""The tables of a store, as they are now; `revisions` says how older ones get there.

Times are microseconds since 1970 in UTC: whole numbers sort and compare alike in every database. A segment is a part of
the rows that is watched on its own; all rows together are the segment ``""``. JSON is never looked at
within a query: its texts may have characters at which PostgreSQL fails.
"""

from __future__ import annotations

from sqlalchemy import JSON, Boolean, Column, ForeignKey, Index, LargeBinary, MetaData, Table, UniqueConstraint

from shiftproof.monitoring.store._types import Float, Integer, Text

metadata = MetaData()


def _of_monitor() -> Column[int]:
    return Column("monitor_id", Integer, ForeignKey("monitors.id"), nullable=False)


def _of_batch(*, key: bool = True) -> Column[int]:
    return Column("batch_number", Integer, ForeignKey("batches.number"), primary_key=key, nullable=False)


def _of_imported() -> Column[int]:
    return Column("batch_number", Integer, ForeignKey("imported_batches.number"), primary_key=True, nullable=False)


monitors = Table(
    "monitors",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("created", Integer, nullable=False),
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
    Column("at", Integer, nullable=False),
    Column("arrived", Integer, nullable=False),
    Column("n_rows", Integer, nullable=False),
    Column("facts", JSON, nullable=False),
    # Of the file that it was read from: bytes, and nanoseconds since 1970.
    Column("file_size", Integer),
    Column("file_changed", Integer),
    UniqueConstraint("monitor_id", "id"),
    Index("batches_by_time", "monitor_id", "at"),
    Index("batches_by_arrival", "monitor_id", "number"),
    Index("batches_by_content", "monitor_id", "checksum"),
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
    # Whether labels alone raised it, and not estimates.
    Column("by_labels", Boolean, nullable=False),
    Column("recovered_number", Integer, ForeignKey("batches.number")),
    Column("acknowledged", Integer),
    Column("reason", Text, nullable=False),
    Column("how", Text, nullable=False),
    Index("incidents_of_monitor", "monitor_id", "number"),
    sqlite_autoincrement=True,
)

# Row numbers or keys and scores of some random rows of a batch: what labels are compared with.
samples = Table(
    "samples",
    metadata,
    _of_batch(),
    Column("content", LargeBinary, nullable=False),
)

labels = Table(
    "labels",
    metadata,
    _of_batch(),
    # The number of the row in its batch, counted from 0, and the place of its class among the sorted classes.
    Column("row", Integer, primary_key=True),
    Column("code", Integer, nullable=False),
    Column("arrived", Integer, nullable=False),
    sqlite_with_rowid=False,
)

# One estimate beside what labels say of it. It stays when labels are deleted, and remembers how right estimates were.
comparisons = Table(
    "comparisons",
    metadata,
    _of_batch(),
    _of_monitor(),
    # Which of the monitor's batches it is, counted from 1 in the order of arrival.
    Column("place", Integer, nullable=False),
    Column("arrived", Integer, nullable=False),
    Column("n_labels", Integer, nullable=False),
    # Labels that are a random sample, and how many of these rows the model got right.
    Column("n_used", Integer, nullable=False),
    Column("n_right", Integer, nullable=False),
    Column("residual", Float, nullable=False),
    Column("row_variance", Float, nullable=False),
    # The interval that was given before the labels came.
    Column("estimate", Float, nullable=False),
    Column("low", Float, nullable=False),
    Column("high", Float, nullable=False),
    Column("level", Float, nullable=False),
    # The estimate before anything was learnt from labels, its standard error, and what drift adds.
    Column("unlearnt", Float, nullable=False),
    Column("sampling", Float, nullable=False),
    Column("allowance", Float, nullable=False),
    # How far the validated accuracy of the batch's seasons is above that of all.
    Column("above", Float, nullable=False),
    # Whether the interval contains the actual accuracy, as far as the labels can say; NULL with too few of them.
    Column("contained", Boolean),
    Index("comparisons_by_batch", "monitor_id", "batch_number"),
)

channels = Table(
    "channels",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    _of_monitor(),
    Column("name", Text, nullable=False),
    Column("kind", Text, nullable=False),
    # How to send, without secrets; and which incidents and events are sent.
    Column("settings", JSON, nullable=False),
    Column("levels", JSON, nullable=False),
    Column("events", JSON, nullable=False),
    Column("created", Integer, nullable=False),
    # Attempts since the last delivery, and the time before which there is no other one.
    Column("failures", Integer, nullable=False),
    Column("due", Integer),
    # Who is sending now, and until when nobody else may.
    Column("lease", Text),
    Column("leased_until", Integer),
    UniqueConstraint("monitor_id", "name"),
    sqlite_autoincrement=True,
)

outbox = Table(
    "outbox",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("channel_number", Integer, ForeignKey("channels.number"), nullable=False),
    Column("incident_number", Integer, ForeignKey("incidents.number"), nullable=False),
    Column("event", Text, nullable=False),
    # The message, whose id is the same in every copy.
    Column("content", JSON, nullable=False),
    Column("created", Integer, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("tried", Integer),
    Column("delivered", Integer),
    Column("error", Text, nullable=False),
    Index("outbox_of_channel", "channel_number", "delivered", "number"),
    sqlite_autoincrement=True,
)

# What other tools found before the monitor began. These tables are apart from batches, so that no alarm can use them.
imported_batches = Table(
    "imported_batches",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    _of_monitor(),
    # The tool, and what it calls the batch.
    Column("id", Text, nullable=False),
    Column("at", Integer, nullable=False),
    Column("arrived", Integer, nullable=False),
    Column("n_rows", Integer),
    UniqueConstraint("monitor_id", "id"),
    Index("imported_by_time", "monitor_id", "at"),
    sqlite_autoincrement=True,
)

imported_figures = Table(
    "imported_figures",
    metadata,
    _of_imported(),
    Column("quantity", Text, primary_key=True),
    Column("estimate", Float),
    Column("low", Float),
    Column("high", Float),
    Column("level", Float),
    Column("method", Text, nullable=False),
    sqlite_with_rowid=False,
)

imported_columns = Table(
    "imported_columns",
    metadata,
    _of_imported(),
    Column("name", Text, primary_key=True),
    Column("measure", Text, primary_key=True),
    Column("distance", Float),
    Column("p_value", Float),
    Column("missing", Float),
    sqlite_with_rowid=False,
)

"""Export what a store holds about a monitor to Parquet files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from sqlalchemy import Float, Integer, Table

from shiftproof.monitoring.store import _schema as schema
from shiftproof.monitoring.store._log import MonitorLog

_TIME = pa.timestamp("us", tz="UTC")
_HEAD = [("batch", pa.string()), ("at", _TIME), ("arrived", _TIME), ("n", pa.int64())]
_TYPES = {Float: pa.float64(), Integer: pa.int64()}


def export_figures(log: MonitorLog, folder: Path) -> list[Path]:
    """Write `figures.parquet` and `columns.parquet`, one row per batch and quantity or column."""
    tables = {"figures": schema.figures, "columns": schema.column_figures}
    return [_write(log.rows(table), table, folder / f"{name}.parquet") for name, table in tables.items()]


def _write(chunks: Iterator[list[tuple[Any, ...]]], table: Table, path: Path) -> Path:
    """Write rows in chunks, so that a long history need not fit into memory; a file is there whole or not at all."""
    columns = [column for column in table.c if column.name not in ("batch_number", "segment")]
    types = [(column.name, _TYPES.get(type(column.type), pa.string())) for column in columns]
    layout = pa.schema([*_HEAD, *types])
    part = path.with_suffix(".part")
    try:
        with pq.ParquetWriter(part, layout) as writer:
            for rows in chunks:
                arrays = [
                    pa.array(values, type_) for values, type_ in zip(zip(*rows, strict=True), layout.types, strict=True)
                ]
                writer.write_table(pa.table(arrays, schema=layout))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path

"""Give out what a store holds about a monitor: as frames, and as Parquet files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from sqlalchemy import Table

from shiftproof.core import FileError, refuse_url
from shiftproof.monitoring.store import _schema as schema
from shiftproof.monitoring.store._log import MonitorLog
from shiftproof.monitoring.store._types import Float

# Where the files of an export say whose history they hold.
_OWNER = b"shiftproof monitor"
_TIME = pa.timestamp("us", tz="UTC")
_HEAD = [("batch", pa.string()), ("at", _TIME), ("arrived", _TIME), ("n", pa.int64())]


def history_frame(log: MonitorLog, *, columns: bool) -> pd.DataFrame:
    """Return one row per batch and quantity, or per batch and column, in the order of their times."""
    table = schema.column_figures if columns else schema.figures
    layout = _layout(table)
    imported = [*_imported(log, layout, columns=columns)]
    tables = [*imported, *(_arrow(rows, layout) for rows in log.rows(table))]
    frame: pd.DataFrame = pa.concat_tables([layout.empty_table(), *tables]).to_pandas()
    # Batches of the monitor are in order already.
    return frame.sort_values("at", kind="stable", ignore_index=True) if imported else frame


def export_history(log: MonitorLog, incidents: Any, folder: Path, *, owner: str) -> list[Path]:
    """Write `figures.parquet`, `columns.parquet` and the table of incidents, each file whole or not at all.

    Batches of an earlier export whose figures were deleted from the store since then stay in the files. Files of
    another `owner` are refused: its batches would seem to be deleted ones of this monitor.
    """
    refuse_url(folder, writing=True)
    if folder.exists() and not folder.is_dir():
        raise FileError(folder, "not a folder; name a folder for the files")
    tables = {"figures": schema.figures, "columns": schema.column_figures}
    paths = []
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in (*tables, "incidents"):
            _check_owner(folder / f"{name}.parquet", owner)
        known = {row[0] for rows in log.rows(schema.figures) for row in rows} | log.imported.names()
        stored = pa.array(known, pa.string())
        for name, table in tables.items():
            layout, path = _layout(table).with_metadata({_OWNER: owner}), folder / f"{name}.parquet"
            chunks = (_arrow(rows, layout) for rows in log.rows(table))
            imported = _imported(log, layout, columns=name == "columns")
            paths.append(write_parquet(chain(_exported_before(path, layout, stored), imported, chunks), layout, path))
        layout = incidents.schema.with_metadata({_OWNER: owner})
        return [*paths, write_parquet([incidents], layout, folder / "incidents.parquet")]
    except OSError as error:
        raise FileError(folder, f"the history cannot be written ({error.strerror or error})") from None


def _imported(log: MonitorLog, layout: Any, *, columns: bool) -> Iterator[Any]:
    """Yield the imported figures, if there are any."""
    rows = log.imported.rows(layout.names[len(_HEAD) :], columns=columns)
    if rows:
        yield _arrow(rows, layout)


def _check_owner(path: Path, owner: str) -> None:
    """Refuse to replace a file that is not an earlier export of the same monitor."""
    if not path.is_file():
        return
    try:
        named = (pq.read_schema(path).metadata or {}).get(_OWNER)
    except pa.ArrowInvalid:
        named = None
    if named is None:
        raise FileError(path, "not an earlier export of a monitor; export to another folder")
    if named.decode() != owner:
        raise FileError(path, f"the history of another monitor, {named.decode()}; export to another folder")


def _exported_before(path: Path, layout: Any, stored: Any) -> Iterator[Any]:
    """Yield the rows of an earlier export whose batches are not among those stored."""
    if not path.exists():
        return
    with pq.ParquetFile(path) as file:
        for number in range(file.num_row_groups):
            rows = file.read_row_group(number).select(layout.names).cast(layout)
            yield rows.filter(pc.invert(pc.is_in(rows["batch"], value_set=stored)))


def write_parquet(chunks: Iterable[Any], layout: Any, path: Path) -> Path:
    """Write tables in chunks, so that a long history need not fit into memory; the file is whole or not there.

    Nobody else can read a new file, as a new store; an earlier one keeps its mode.
    """
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "wb") as stream, pq.ParquetWriter(stream, layout) as writer:
            for chunk in chunks:
                writer.write_table(chunk)
        if path.exists():
            shutil.copymode(path, part)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path


def _layout(table: Table) -> Any:
    columns = [column for column in table.c if column.name != "batch_number"]
    # Whole numbers are only in the head; everything else that is not a figure is a text.
    types = (pa.float64() if isinstance(column.type, Float) else pa.string() for column in columns)
    return pa.schema([*_HEAD, *zip((column.name for column in columns), types, strict=True)])


def _arrow(rows: list[tuple[Any, ...]], layout: Any) -> Any:
    by_column = zip(zip(*rows, strict=True), layout.types, strict=True)
    return pa.table([pa.array(values, kind) for values, kind in by_column], schema=layout)

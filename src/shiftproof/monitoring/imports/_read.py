"""Read what another tool has written: from files, tables, and its own results."""

from __future__ import annotations

import gzip
import io
import json
import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shiftproof.core import FileError, InputError, Phrase
from shiftproof.monitoring.imports._batch import Tool, ToolResults
from shiftproof.monitoring.imports._evidently import read_snapshot
from shiftproof.monitoring.imports._nannyml import read_chunks

if TYPE_CHECKING:
    import pandas as pd

_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"
_NO_TABLE = "cannot be read as a table; save what results.to_df() returns in NannyML as CSV or Parquet"
_NO_JSON = "cannot be read as JSON; save an Evidently snapshot with save_json"


def read_results(source: Any, tool: Tool, *, name: str | None = None, at: datetime | None = None) -> ToolResults:
    """Read the results of a tool.

    Parameters
    ----------
    source : path, DataFrame, mapping, or result of the tool
        Chunk results of NannyML, or one snapshot of Evidently.
    tool : {"nannyml", "evidently"}
        Which tool.
    name, at : str and datetime, optional
        The name and the time of the batch, for a snapshot; by default the name of its file and its own time.

    Raises
    ------
    FileError, InputError
        If these are not results of the tool, or hold nothing that a monitor has a place for.
    """
    path = Path(source) if isinstance(source, (str, os.PathLike)) else None
    content = source if path is None else _content(path)
    try:
        if tool == "nannyml":
            return read_chunks(_frame(content))
        return read_snapshot(_snapshot(content), name=name or (None if path is None else path.name), at=at)
    except InputError as error:
        raise FileError("source" if path is None else path, error.clause) from None


def _content(path: Path) -> bytes:
    try:
        content = path.read_bytes()
        return gzip.decompress(content) if content.startswith(_GZIP) else content
    except (OSError, EOFError) as error:
        raise FileError(path, f"cannot be read ({getattr(error, 'strerror', None) or 'damaged'})") from None


def _frame(content: Any) -> pd.DataFrame:
    """Return the table of a result, a frame, or the bytes of a file."""
    import pandas as pd

    if isinstance(content, pd.DataFrame):
        return content
    if hasattr(content, "to_df"):
        frame: pd.DataFrame = content.to_df()
        return frame
    if not isinstance(content, bytes):
        raise InputError("not a DataFrame; pass what results.to_df() returns in NannyML")
    header = [] if content.startswith(_PARQUET) else _header(content)
    try:
        if content.startswith(_PARQUET):
            return pd.read_parquet(io.BytesIO(content))
        return pd.read_csv(io.BytesIO(content), header=header)
    except (ValueError, OSError, LookupError):  # errors of pandas and pyarrow about files are of these classes
        raise InputError(_NO_TABLE) from None


def _header(content: bytes) -> list[int]:
    """Return the lines of a CSV that name its columns: one, or up to three of which the last names the fields."""
    lines = content.decode("utf-8-sig", errors="replace").split("\n", 3)[:3]
    fields = (number for number, line in enumerate(lines) if "key" in line.split(",") or "chunk_key" in line.split(","))
    last = next(fields, None)
    if last is None:
        raise InputError("found no chunks with results; save what results.to_df() returns in NannyML")
    return [*range(last + 1)]


def _snapshot(content: Any) -> Any:
    """Return the plain values of a snapshot, a mapping, or the bytes of a file."""
    if hasattr(content, "dump_dict"):
        return content.dump_dict()
    if isinstance(content, Mapping):
        return content
    if not isinstance(content, bytes):
        raise InputError(Phrase("not a snapshot; pass an Evidently snapshot, or its dump_dict()"))
    try:
        return json.loads(content)
    except ValueError:
        raise InputError(_NO_JSON) from None

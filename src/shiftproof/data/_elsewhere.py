"""Tables that need not fit into memory: folders and patterns of Parquet files, large files, tables in DuckDB."""

from __future__ import annotations

import glob
import os
import re
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pyarrow as pa

from shiftproof.core import FileError, InputError, RemoteTable, listed, refuse_url, shown, unknown_name
from shiftproof.data._read import read_rows

#: A Parquet file of more bytes than this is read column by column.
LARGE = 64 * 2**20
_PARQUET = b"PAR1"
_SQLITE = b"SQLite format 3"
_ENDINGS = (".parquet", ".pq")
_PATTERN = re.compile(r"[*?]")


def is_elsewhere(source: str | os.PathLike[str]) -> bool:
    """Return whether a table stays where it is: in a folder, in files of a pattern, in a large file or in DuckDB."""
    text = os.fspath(source)
    if text.startswith("duckdb:"):
        return True
    # A question mark in an address is no pattern.
    refuse_url(text)
    try:
        path = Path(text).expanduser()
        if path.is_dir():
            return any(file.suffix in _ENDINGS for file in path.rglob("*"))
        if path.exists():
            return path.is_file() and path.stat().st_size > LARGE and _is_parquet(path)
    except (OSError, RuntimeError):
        # Such as a name of thousands of letters, which `read_rows` refuses in a sentence.
        return False
    return _PATTERN.search(text) is not None


def open_rows(source: str | os.PathLike[str]) -> Any:
    """Read a file like `read_rows`; leave what may not fit into memory where it is.

    Parameters
    ----------
    source : str or path-like
        A file; a folder or a pattern of Parquet files, such as ``calls/*.parquet``, which are one table together; or a
        table of DuckDB, as ``duckdb://calls.db?table=may``.

    Returns
    -------
    pandas.DataFrame or RemoteTable
        The rows, or their columns where they are.
    """
    if not is_elsewhere(source):
        return read_rows(source)
    text = os.fspath(source)
    if text.startswith("duckdb:"):
        return _in_duckdb(text)
    path = Path(text).expanduser()
    if path.is_dir():
        # Names that begin so are notes of programs that write such folders, not tables.
        names = (file for file in path.rglob("*") if not any(part.startswith(("_", ".")) for part in file.parts[-1:]))
        return _files(sorted(str(file) for file in names if file.is_file()), text)
    return _files([text] if path.is_file() else sorted(glob.glob(str(path), recursive=True)), text)


def _is_parquet(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(_PARQUET)) == _PARQUET


def _files(paths: list[str], place: str) -> RemoteTable:
    import pyarrow.dataset as ds

    from shiftproof.core import FileColumns

    others = [path for path in paths if not _is_parquet(Path(path))]
    if not paths:
        raise FileError(place, "no file matches; check the path")
    if others:
        raise _not_parquet(others, place, only=len(others) == len(paths))
    try:
        dataset = ds.dataset(paths, format="parquet")
        first = dataset.schema
        for path in paths[1:]:
            _same_columns(first, ds.dataset(path, format="parquet").schema, Path(paths[0]), Path(path), place)
    except (pa.ArrowException, OSError) as error:
        said = str(error).splitlines()[0].rstrip(".")
        raise FileError(place, f"the files cannot be read ({said}); download or write them again") from None
    table = FileColumns(dataset, place)
    if not table.n_rows:
        raise FileError(place, "the files have no rows; check how they were written")
    return table


def _not_parquet(others: list[str], place: str, *, only: bool) -> FileError:
    """Make the error for files that are not Parquet, of which those that are called so come first."""
    aside = "move it out of the folder" if Path(place).expanduser().is_dir() else "use a pattern that excludes it"
    broken = [path for path in others if Path(path).suffix in _ENDINGS]
    if broken:
        return FileError(broken[0], f"this is not a valid Parquet file; write it again, or {aside}")
    hint = "name a single CSV file" if only else aside
    return FileError(place, f"{shown(Path(others[0]).name)} is not a Parquet file; {hint}")


def _same_columns(first: Any, other: Any, one: Path, another: Path, place: str) -> None:
    """Refuse files of which one lacks a column: its rows would silently be missing values."""
    lost = [name for name in first.names if name not in other.names] or [n for n in other.names if n not in first.names]
    if lost:
        has, lacks = (one, another) if lost[0] in first.names else (another, one)
        differ = f"{has.name} has a column {shown(lost[0])} that {lacks.name} lacks"
        raise FileError(place, f"{differ}; name files with the same columns")


def _in_duckdb(url: str) -> RemoteTable:
    from shiftproof.core import DuckColumns

    try:
        import duckdb
    except ModuleNotFoundError:
        needs = "run pip install '.[warehouse]' in a checkout of shiftproof"
        raise InputError(f"{shown(url)} needs DuckDB; {needs}") from None
    parts = urlsplit(url)
    file, wanted = _file_of(parts.netloc + parts.path), parse_qs(parts.query).get("table", [])
    if not file.is_file():
        raise FileError(url, "there is no such file; check the path in duckdb://FILE?table=NAME")
    with file.open("rb") as stream:
        is_sqlite = stream.read(len(_SQLITE)) == _SQLITE
    if is_sqlite:
        raise FileError(file, "this is an SQLite database, not a DuckDB one; export the table as Parquet or CSV")
    # Nothing is downloaded, whatever the file is.
    settings: dict[str, Any] = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    connect = partial(duckdb.connect, str(file), read_only=True, config=settings)
    try:
        with connect() as connection:
            names = [row[0] for row in connection.sql("SELECT table_name FROM information_schema.tables").fetchall()]
    except duckdb.Error as error:
        said = str(error).splitlines()[0].rstrip(".")
        raise FileError(url, f"the database cannot be opened ({said}); check the file") from None
    if len(wanted) != 1:
        raise FileError(url, f"name one of its tables, as in duckdb://{file}?table=NAME; it has {listed(names)}")
    if wanted[0] not in names:
        raise unknown_name("table", "name a table of the database", wanted[0], names)
    # This connection is closed with the last query of the table.
    return DuckColumns(connect().table(f'"{wanted[0]}"'), url)


def _file_of(address: str) -> Path:
    file = Path(unquote(address)).expanduser()
    # A path joins slashes, so that duckdb://calls.db became duckdb:/calls.db.
    relative = Path(str(file).removeprefix("/"))
    return relative if not file.is_file() and (relative.is_file() or file.parent == Path("/")) else file

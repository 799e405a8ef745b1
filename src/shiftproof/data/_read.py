"""Read CSV, compressed CSV and Parquet files; the contents decide which it is."""

from __future__ import annotations

import difflib
import os
import re
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from shiftproof.core import Argument, FileError, Phrase, fault, listed, refuse_url, shown, suggests_arguments
from shiftproof.data._cells import to_pandas, without_marks
from shiftproof.data._text import broken, check_names, check_wanted, text_table

# The first bytes of the two formats.
_PARQUET = b"PAR1"
_GZIP = b"\x1f\x8b"
# The name that pandas gives an index without one.
_NAMELESS_INDEX = re.compile(r"__index_level_\d+__")
# Other files, such as reports, are not offered.
_TABLE = re.compile(r"\.(csv|tsv|tab|parquet|pq)(\.gz)?$")
# File names at least this similar are suggested: one wrong letter of four. More would suggest "b_one" for "none".
_ALIKE = 0.75
_FEWEST_LETTERS = 3


@suggests_arguments
def read(
    path: str | os.PathLike[str], *, columns: Sequence[str] | None = None, missing: Sequence[str] | None = None
) -> pd.DataFrame:
    r"""Read a table from a CSV, CSV.gz or Parquet file, with types, and without losing a row.

    The contents decide, not the extension: Parquet and gzip are recognised by their first bytes, and everything else is
    read as delimited text. A truncated or broken file raises an error that names the line.

    Parameters
    ----------
    path : str or path-like
        The file, or a pipe. Text is UTF-8 with a header line and cells separated by ``,`` ``;`` tab or ``|``.
    columns : sequence of str, optional
        The columns to read, in this order; all by default.
    missing : sequence of str, optional
        Extra texts that mean "missing" in every column, such as ``["?", "-"]``; spaces and quotation marks around them
        do not matter.

    Returns
    -------
    pandas.DataFrame
        Columns of int64, float64, bool, datetime64 or text. A column without a single value is
        float64, all NaN.

    Raises
    ------
    FileError
        If the file is missing or is not a complete table; the error names the line if it is known.

    Warns
    -----
    MarksReadAsText
        If a column is text only because of marks that often stand for missing values, such as ``?``, ``-`` or
        ``unknown`` among numbers.
    DatesReadAsText
        If a column is text because its dates are not written year first with hyphens, such as ``31/12/2016``.

    Notes
    -----
    How the cells of a text file are read, column by column:

    - Numbers are int64 (also beyond 2^53; with missing cells float64, or ``Int64`` where a float would lose digits) or
      float64. Codes such as ``01234``, and whole numbers with more digits than 64 bits hold, stay text. If cells are
      separated by ``;``, a comma may be the decimal point.
    - ``true`` and ``false`` in any case are bool (with missing cells ``boolean``). ISO dates and date-times are
      datetime64; those with an offset are in UTC. Everything else is text, spaces included.
    - An empty cell is missing, quoted or not, and so are ``NA``, ``NaN``, ``null`` and similar words *without*
      quotation marks. Among text, ``None`` is a value and so is ``"NA"`` *with* quotation marks; in a column of
      numbers, booleans or dates these are missing as well.
    - A blank line is a missing cell if the table has one column; otherwise it is ignored.

    An index that pandas wrote into a Parquet file is a column like any other if it has a name; without
    one (``__index_level_0__``) it only numbers the rows, and is read only if ``columns`` names it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "calls.csv"
    ...     _ = path.write_text("zip,age,day\n01234,31,2024-05-01\n99999,,2024-05-02\n")
    ...     frame = read(path)
    >>> frame["zip"].tolist(), frame["age"].tolist(), frame["day"].dtype.kind
    (['01234', '99999'], [31.0, nan], 'M')
    """
    return _read(path, columns, missing)


def _read(
    path: str | os.PathLike[str],
    columns: Sequence[str] | None,
    missing: Sequence[str] | None,
    most_columns: int | None = None,
) -> pd.DataFrame:
    file = _existing(path)
    _check_list(columns, "columns", "names", example="age")
    if columns is not None and len(columns) == 0:
        raise fault("columns", "name at least one column", Phrase("none"), "leave it out to get all")
    _check_list(missing, "missing", "texts", example="?")
    try:
        table = _table(file, columns, tuple(missing or ()), most_columns)
    except OSError as error:
        raise broken(file, f"the file cannot be opened ({error.strerror or error})", "check its permissions") from None
    return to_pandas(table)


def _check_list(given: object, argument: str, of: str, *, example: str) -> None:
    """Refuse a single text, whose letters would count as entries, and what has no entries."""
    if isinstance(given, str) or not isinstance(given, (Iterable, type(None))):
        hint = Phrase("write ", Argument(argument, [given if isinstance(given, str) else example]))
        raise fault(argument, f"be a list of {of}", given, hint)


def read_rows(
    path: str | os.PathLike[str], *, missing: Sequence[str] | None = None, most_columns: int | None = None
) -> pd.DataFrame:
    """Read a table from a file like `read`, and refuse one without rows by the file's name.

    Parameters
    ----------
    path : str or path-like
        The file.
    missing : sequence of str, optional
        More texts that mean "missing".
    most_columns : int, optional
        A file with more columns is refused by its header.

    Returns
    -------
    pandas.DataFrame
        At least one row.
    """
    frame = _read(path, None, missing, most_columns)
    # A file without columns is refused for that, elsewhere.
    if not len(frame) and len(frame.columns):
        raise broken(Path(path), "the file has a header but no rows", "check how it was written")
    return frame


def _table(file: Path, columns: Sequence[str] | None, missing: Sequence[str], most_columns: int | None) -> Any:
    with file.open("rb") as stream:
        if file.suffix.lower() == ".toml":
            raise broken(file, "this is a TOML file, not a table", "give a CSV or Parquet file")
        start = stream.read(4)
        # A pipe can be read only once, and only from its beginning.
        if start == _PARQUET and stream.seekable():
            return _unmarked(_parquet_table(file, file, columns, most_columns), missing)
        if start != _PARQUET and file.suffix.lower() in (".parquet", ".pq"):
            what = (
                f"this is not a Parquet file: it starts with {shown(start.decode('latin-1'))}"
                if start
                else "the file is empty"
            )
            raise broken(file, what, "write it again, or rename it if it is a CSV file")
        if stream.seekable():
            stream.seek(0)
            start = b""
        data = start + stream.read()
    if data.startswith(_GZIP):
        data = _unpacked(data, file)
    if data.startswith(_PARQUET):
        return _unmarked(_parquet_table(pa.BufferReader(data), file, columns, most_columns), missing)
    return text_table(data, file, columns, missing, most_columns)


def _unmarked(table: Any, missing: Sequence[str]) -> Any:
    columns = (without_marks(column, missing) for column in table.columns)
    return pa.table(dict(zip(table.column_names, columns, strict=True))) if missing else table


def _parquet_table(source: object, file: Path, columns: Sequence[str] | None, most_columns: int | None) -> Any:
    try:
        parquet = pq.ParquetFile(source)
    except MemoryError:  # Arrow's is one of its other exceptions as well
        raise
    except (pa.ArrowException, OSError) as error:
        if "footer" in str(error):
            raise broken(file, "the Parquet file is incomplete", "download or write it again") from None
        raise _damaged(file, error) from None
    with parquet:
        names = parquet.schema_arrow.names
        check_names(names, file, most_columns)
        wanted = None if columns is None else check_wanted(columns, names, file)
        try:
            table = parquet.read(columns=wanted)
        except MemoryError:
            raise
        except (pa.ArrowException, OSError) as error:
            raise _damaged(file, error) from None
    return table.select(wanted or [name for name in names if not _NAMELESS_INDEX.fullmatch(name)])


def _damaged(file: Path, error: Exception) -> FileError:
    reason = str(error).splitlines()[0].rstrip(".")
    return broken(file, f"the Parquet file is damaged ({reason})", "download or write it again")


def _unpacked(data: bytes, file: Path) -> bytes:
    """Unpack gzip, member by member; errors distinguish files that were cut from damaged ones."""
    parts: list[bytes] = []
    rest = data
    while rest:
        if not rest.startswith(_GZIP):
            line = sum(part.count(b"\n") for part in parts)
            what = f"the gzip file is damaged after line {line} of its text (the rest is not gzip)"
            raise broken(file, what, "download or write it again")
        unpacker = zlib.decompressobj(wbits=31)
        try:
            parts.append(unpacker.decompress(rest))
        except zlib.error as error:
            raise broken(file, f"the gzip file is damaged ({error})", "download or write it again") from None
        if not unpacker.eof:
            line = sum(part.count(b"\n") for part in parts) + 1
            what = f"the gzip file was cut short, in line {line} of its text"
            raise broken(file, what, "download or write it again")
        rest = unpacker.unused_data.lstrip(b"\0")  # members may be padded with zeros
    return b"".join(parts)


def _existing(path: str | os.PathLike[str]) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        raise fault("path", "be the path of a file", path, "write it as text, such as 'calls.csv'")
    refuse_url(path)
    try:
        file = Path(path).expanduser()
        # Pipes and devices such as /dev/stdin can be read, too.
        if file.exists() and not file.is_dir():
            return file
    except RuntimeError:
        raise broken(Path(path), "there is no such user", "write the full path") from None
    except OSError as error:  # such as a name of thousands of characters
        raise FileError(shown(str(path)), f"the file cannot be opened ({error.strerror}); check the path") from None
    if file.is_dir():
        inside = _tables_in(file)
        if not inside:
            raise broken(file, "this folder has no CSV or Parquet files", "check the path")
        raise broken(file, "this is a folder", f"name one of its files, such as {inside[0]!r}")
    folder = file.parent
    if not folder.is_dir():
        raise FileError(file, f"the folder {str(folder)!r} does not exist; check the path")
    files = _tables_in(folder)
    # Without their endings, which make all CSV files look similar.
    stem = _stem(file.name)
    alike = [name for name in files if _is_alike(stem, _stem(name))]
    near = sorted(alike, key=lambda name: -difflib.SequenceMatcher(None, stem, _stem(name)).ratio())[:3]
    hint = "" if near else f"; the folder contains {listed(files)}" if files else "; the folder contains no tables"
    raise FileError(file, f"there is no such file{hint}", near=near)


def _tables_in(folder: Path) -> list[str]:
    """Return the files of a folder that look like tables."""
    return sorted(entry.name for entry in folder.iterdir() if entry.is_file() and _TABLE.search(entry.name.lower()))


def _is_alike(stem: str, other: str) -> bool:
    # "jan" stands for "january", though the two differ in more letters than they share.
    begun = len(stem) >= _FEWEST_LETTERS and other.startswith(stem)
    return begun or difflib.SequenceMatcher(None, stem, other).ratio() >= _ALIKE


def _stem(name: str) -> str:
    return name.split(".", maxsplit=1)[0].lower()

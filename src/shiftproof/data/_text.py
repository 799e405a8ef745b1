"""Read delimited text as an Arrow table of typed columns; errors name the broken line, no line is dropped.

Arrow's threads read the cells. If they fail, or if a quotation mark may have swallowed lines, Python's
``csv`` module reads the text again, slowly, and finds the line to blame.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv

from shiftproof.core import DatesReadAsText, FileError, MarksReadAsText, available_names, listed, similar, warn
from shiftproof.data._cells import MISSING_WORDS, date_order, marks_among_numbers, typed, without_marks

_DELIMITERS = ",;\t|"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n|\r|\n")
# How text begins that is read as a table by mistake, such as the report of an audit.
_OTHER_TEXT = {
    re.compile(rb"\s*<(!doctype html|html)\b", re.IGNORECASE): "an HTML page",
    re.compile(rb"\s*<\?xml\b"): "an XML document",
    re.compile(rb'\s*(\{\s*"|\[\s*\{)'): "JSON",
}
# Bytes that decide about the delimiter.
_GLIMPSE = 1 << 16
# Arrow counts the bytes of a block in 32 bits.
_LARGEST_BLOCK = 2**31 - 1


@dataclass(frozen=True)
class _Text:
    """Delimited text with its delimiter and header."""

    data: bytes
    path: Path
    delimiter: str
    names: list[str]
    header_lines: int

    def rows(self) -> Any:
        """Read the text with Python's ``csv`` module, header first."""
        return csv.reader(_lines(self.data), delimiter=self.delimiter, strict=True)

    def body(self) -> Any:
        """Return all that comes after the header, without copying it."""
        ends = islice(_LINE_END.finditer(self.data), self.header_lines - 1, None)
        start = next((end.end() for end in ends), len(self.data))
        return pa.py_buffer(self.data).slice(start)


def broken(path: Path, what: str, hint: str) -> FileError:
    """Return the error for a file: ``path: what is wrong; what to do``.

    Examples
    --------
    >>> print(broken(Path("calls.csv"), "the file is empty", "it needs a header line"))
    calls.csv: the file is empty; it needs a header line.
    """
    return FileError(path, f"{what}; {hint}")


def text_table(
    data: bytes, path: Path, columns: Sequence[str] | None, missing: Sequence[str] = (), most_columns: int | None = None
) -> Any:
    """Read delimited UTF-8 text as an Arrow table; warn of marks such as "?" among numbers, and of dates.

    Parameters
    ----------
    data : bytes
        The whole text, with its header.
    path : Path
        How error messages call it.
    columns : sequence of str, optional
        The columns to read, in this order; all by default.
    missing : sequence of str
        More texts that mean "missing", in quotation marks or not.
    most_columns : int, optional
        A header with more columns is refused before anything else is read.
    """
    _refuse_binary(data, path)
    data = data.removeprefix(_BYTE_ORDER_MARK)
    delimiter = _delimiter(data, path)
    names, header_lines = _header(data, path, delimiter)
    check_names(names, path, most_columns)
    text = _Text(data, path, delimiter, names, header_lines)
    wanted = names if columns is None else check_wanted(columns, names, path)
    cells = _cells(text, wanted)
    with ThreadPoolExecutor(pa.cpu_count()) as threads:  # Arrow works outside Python's lock
        texts = {name: without_marks(cells[name], missing) for name in wanted}
        columns_typed = threads.map(lambda name: typed(texts[name], decimal_comma=delimiter == ";"), wanted)
        table = pa.table(dict(zip(wanted, columns_typed, strict=True)))
        still_text = [name for name in wanted if pa.types.is_string(table.schema.field(name).type)]
        marks = threads.map(lambda name: marks_among_numbers(texts[name], decimal_comma=delimiter == ";"), still_text)
        marked = {name: counts for name, counts in zip(still_text, marks, strict=True) if counts}
        orders = threads.map(lambda name: date_order(table[name]), still_text)
        dates = {name: order for name, order in zip(still_text, orders, strict=True) if order}
    if marked:
        warn(MarksReadAsText(path, marked))
    if dates:
        warn(DatesReadAsText(path, dates))
    return table


def check_names(names: Sequence[str], path: Path, most_columns: int | None = None) -> None:
    """Refuse columns that have no name or share one, and too many of them."""
    if most_columns is not None and len(names) > most_columns:
        what = f"the header names {len(names):,} columns, and {most_columns:,} are the maximum here"
        raise broken(path, what, "leave out those that are not needed")
    nameless = [number for number, name in enumerate(names, start=1) if not name.strip()]
    if nameless:
        which = f"column{'s' * (len(nameless) > 1)} {listed(nameless)}"
        verb = "have" if len(nameless) > 1 else "has"
        hint = "to leave out a pandas index, use to_csv(path, index=False)" if nameless == [1] else "name every column"
        raise broken(path, f"{which} of {len(names)} {verb} no name in the header", hint)
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise broken(path, f"the header repeats {listed(repeated)}", "rename or drop the repeats")


def check_wanted(columns: Sequence[str], names: Sequence[str], path: Path) -> list[str]:
    """Return the requested columns; refuse those that the file does not have."""
    for name in columns:
        if name not in names:
            near = similar(name, names)
            hint = "" if near else f"; {available_names(names)}"
            raise FileError(path, f"there is no column {name!r}{hint}", near=near)
    return list(dict.fromkeys(columns))


def _refuse_binary(data: bytes, path: Path) -> None:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise broken(path, "the text is UTF-16, not UTF-8", "save it as 'CSV UTF-8'")
    known = {
        b"PK\x03\x04": "a zip archive or an Excel workbook",
        b"\xd0\xcf\x11\xe0": "an Excel workbook",
        b"ARROW1": "an Arrow or Feather file",
        b"SQLite format 3": "an SQLite database",
        b"%PDF": "a PDF document",
    }
    for magic, what in known.items():
        if data.startswith(magic):
            raise broken(path, f"this is {what}, not delimited text", "save the table as CSV or Parquet")
    for pattern, what in _OTHER_TEXT.items():
        if pattern.match(data):
            raise broken(path, f"this is {what}, not a table", "name a CSV or Parquet file")
    if b"\0" in data:
        raise broken(path, "this is not a text file (it contains null bytes)", "save the table as CSV or Parquet")


def _delimiter(data: bytes, path: Path) -> str:
    """Return the delimiter that cuts the first lines into the same number of cells, as many as possible."""
    glimpse = data[:_GLIMPSE].decode("utf-8", errors="replace")
    lines = list(io.StringIO(glimpse, newline=""))
    if len(data) > _GLIMPSE and len(lines) > 1:
        lines.pop()  # it may be cut

    def fit(delimiter: str) -> tuple[bool, float, int]:
        rows = [row for row in islice(csv.reader(lines, delimiter=delimiter), 50) if row]
        width = len(rows[0]) if rows else 0
        return width > 1, sum(len(row) == width for row in rows) / max(len(rows), 1), width

    likely = "\t,;|" if ".tsv" in path.name.lower() else _DELIMITERS
    best = max(likely, key=fit)
    return best if fit(best)[0] else likely[0]


def _header(data: bytes, path: Path, delimiter: str) -> tuple[list[str], int]:
    """Return the column names and the number of lines up to the end of the header."""
    reader = csv.reader(_lines(data), delimiter=delimiter, strict=True)
    try:
        for names in reader:
            if names:
                return names, reader.line_num
    except UnicodeDecodeError:
        raise _not_utf8(data, path) from None
    except csv.Error as error:
        raise broken(path, f"the header cannot be read ({error})", "the first line must name the columns") from None
    raise broken(path, "the file is empty", "it must have a header line with the column names")


def _lines(data: bytes) -> Iterator[str]:
    return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="")


def _cells(text: _Text, wanted: list[str]) -> Any:
    """Read every cell as text, and make sure that every line became a row."""
    body = text.body()
    if len(body) == 0:
        return pa.table({name: pa.array([], pa.string()) for name in wanted})
    try:
        table = _arrow_cells(text, body, wanted, block_size=1 << 22)
    except pa.ArrowInvalid:
        n_rows = _walk(text)  # raises if a line is to blame
        try:  # no line is: some cell is larger than one of Arrow's blocks
            table = _arrow_cells(text, body, wanted, block_size=min(len(body), _LARGEST_BLOCK))
        except pa.ArrowInvalid as error:
            raise broken(text.path, f"the text cannot be read ({error})", "save the table as Parquet") from None
        return _whole(table, n_rows, text.path)
    # Arrow lets a quotation mark that is never closed swallow all lines up to the next one.
    marks = text.data.count(b'"')
    lines = text.data.count(b"\n") + (not text.data.endswith(b"\n"))
    if marks and (marks % 2 or table.num_rows + text.header_lines != lines):
        return _whole(table, _walk(text), text.path)
    return table


def _whole(table: Any, n_rows: int, path: Path) -> Any:
    if table.num_rows != n_rows:
        what = f"two readings of the text differ, with {table.num_rows} and {n_rows} rows"
        raise broken(path, what, "look for a misplaced quotation mark, or save the table as Parquet")
    return table


def _arrow_cells(text: _Text, body: object, wanted: list[str], *, block_size: int) -> Any:
    return pyarrow.csv.read_csv(
        pa.BufferReader(body),
        read_options=pyarrow.csv.ReadOptions(column_names=text.names, block_size=block_size),
        parse_options=pyarrow.csv.ParseOptions(
            delimiter=text.delimiter,
            newlines_in_values=b'"' in text.data,
            # A blank line in a table of one column is a missing cell; elsewhere it is not a row at all.
            ignore_empty_lines=len(text.names) > 1,
        ),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(text.names, pa.string()),
            include_columns=wanted,
            null_values=list(MISSING_WORDS),
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )


def _walk(text: _Text) -> int:
    """Read line by line; return the number of rows, or raise for the first broken one."""
    rows = text.rows()
    n_rows = -1  # the header is the first
    line = 1
    try:
        with _cells_of_any_size():
            for row in rows:
                blank = not row and (len(text.names) > 1 or n_rows < 0)
                if not blank:
                    n_rows += 1
                    if max(len(row), 1) != len(text.names):
                        raise _uneven(text, line, len(row), last=rows.line_num)
                line = rows.line_num + 1
    except UnicodeDecodeError:
        raise _not_utf8(text.data, text.path) from None
    except csv.Error as error:
        if "unexpected end" in str(error):
            what = f"a quotation mark in line {line} is never closed"
            raise broken(text.path, what, "the file was cut short, or the mark must be doubled") from None
        what = f"line {line} has text after a closing quotation mark"
        raise broken(text.path, what, 'write a quotation mark inside a quoted cell as ""') from None
    return n_rows


@contextmanager
def _cells_of_any_size() -> Iterator[None]:
    # The limit belongs to the whole process; it is put back.
    usual = csv.field_size_limit(_LARGEST_BLOCK)
    try:
        yield
    finally:
        csv.field_size_limit(usual)


def _uneven(text: _Text, line: int, cells: int, *, last: int) -> FileError:
    """Return the error for a row, from ``line`` to ``last``, with the wrong number of cells."""
    columns = len(text.names)
    what = f"line {line} has {cells} cell{'s' * (cells != 1)} where the header names {columns}"
    if cells > columns:
        return broken(text.path, what, "put cells that contain the delimiter in quotation marks")
    if not text.data.endswith((b"\n", b"\r")) and last == len(_LINE_END.findall(text.data)) + 1:
        return broken(text.path, f"{what}, and the file ends there: it was cut short", "download or write it again")
    return broken(text.path, what, "complete or remove the line")


def _not_utf8(data: bytes, path: Path) -> FileError:
    """Find the first byte that is not UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
    line = len(_LINE_END.findall(before)) + 1
    column = len(before) - max(before.rfind(b"\n"), before.rfind(b"\r"))
    what = f"line {line} is not UTF-8 (byte {column} of the line is 0x{data[len(before)]:02X})"
    return broken(path, what, "save the text as UTF-8, or load it with pandas.read_csv(path, encoding='cp1252')")

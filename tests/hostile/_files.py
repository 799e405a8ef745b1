"""Hostile files by name: each makes the file that a command reads of a plain table."""

from __future__ import annotations

import bz2
import gzip
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

Make = Callable[[Path, pd.DataFrame], Path]


def _bytes(name: str, change: Callable[[bytes], bytes]) -> Make:
    """Write the table as CSV, its bytes changed."""

    def make(folder: Path, table: pd.DataFrame) -> Path:
        path = folder / name
        path.write_bytes(change(table.to_csv(index=False).encode()))
        return path

    return make


def _text(change: Callable[[str], str]) -> Make:
    return _bytes("table.csv", lambda data: change(data.decode()).encode())


def _lines(change: Callable[[list[str]], list[str]]) -> Make:
    return _text(lambda text: "\n".join(change(text.splitlines())) + "\n")


def _parquet(change: Callable[[bytes], bytes], name: str = "table.parquet") -> Make:
    def make(folder: Path, table: pd.DataFrame) -> Path:
        sink = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_pandas(table, preserve_index=False), sink)
        (folder / name).write_bytes(change(sink.getvalue().to_pybytes()))
        return folder / name

    return make


def _zip(folder: Path, table: pd.DataFrame) -> Path:
    with zipfile.ZipFile(folder / "table.zip", "w") as archive:
        archive.writestr("table.csv", table.to_csv(index=False))
    return folder / "table.zip"


def _folder(folder: Path, table: pd.DataFrame) -> Path:
    (folder / "tables").mkdir()
    table.to_csv(folder / "tables" / "table.csv")
    return folder / "tables"


def _loop(folder: Path, table: pd.DataFrame) -> Path:
    (folder / "loop.csv").symlink_to(folder / "loop.csv")
    return folder / "loop.csv"


def _link(folder: Path, table: pd.DataFrame) -> Path:
    table.to_csv(folder / "real.csv", index=False)
    (folder / "link.csv").symlink_to(folder / "real.csv")
    return folder / "link.csv"


#: Files that hold the plain table, however they are written.
SAME_FILES: dict[str, Make] = {
    "Windows' line ends": _text(lambda text: text.replace("\n", "\r\n")),
    "a byte order mark": _bytes("table.csv", lambda data: b"\xef\xbb\xbf" + data),
    "no line end at the end": _text(lambda text: text.rstrip("\n")),
    "empty lines at the end": _text(lambda text: text + "\n\n"),
    "semicolons": _text(lambda text: text.replace(",", ";")),
    "tabs": _text(lambda text: text.replace(",", "\t")),
    "bars": _text(lambda text: text.replace(",", "|")),
    "every cell in quotes": _lines(lambda lines: ['"' + line.replace(",", '","') + '"' for line in lines]),
    "gzip": _bytes("table.csv.gz", gzip.compress),
    "gzip without its ending": _bytes("table.csv", gzip.compress),
    "gzip in two members": _bytes("t.csv.gz", lambda data: gzip.compress(data[:99]) + gzip.compress(data[99:])),
    "gzip followed by zeros": _bytes("table.csv.gz", lambda data: gzip.compress(data) + b"\0" * 512),
    "Parquet": _parquet(lambda data: data),
    "Parquet called CSV": _parquet(lambda data: data, "table.csv"),
    "no ending at all": _bytes("table", lambda data: data),
    "spaces in the name": _bytes("my table (1).csv", lambda data: data),
    "quotes in the name": _bytes('it\'s "mine".csv', lambda data: data),
    "letters of other alphabets in the name": _bytes("таблица🙂.csv", lambda data: data),
    "a line break in the name": _bytes("two\nlines.csv", lambda data: data),
    "escapes in the name": _bytes("\x1b[31mred.csv", lambda data: data),
    "markup in the name": _bytes("[bold]<b>x.csv", lambda data: data),
    "a link": _link,
}
#: Files that hold no table.
BAD_FILES: dict[str, Make] = {
    "no file": lambda folder, table: folder / "nothing.csv",
    "no folder": lambda folder, table: folder / "nowhere" / "table.csv",
    "a folder": _folder,
    "a loop of links": _loop,
    "a name of 5,000 letters": lambda folder, table: folder / ("x" * 5000),
    "the home of nobody": lambda folder, table: Path("~nobody-of-this-name/table.csv"),
    "an empty file": _bytes("table.csv", lambda data: b""),
    "a header alone": _lines(lambda lines: lines[:1]),
    "spaces alone": _bytes("table.csv", lambda data: b"  \n \n"),
    "a line that is too short": _lines(lambda lines: [*lines[:5], lines[5].rpartition(",")[0], *lines[6:]]),
    "a line that is too long": _lines(lambda lines: [*lines[:5], lines[5] + ",1,2", *lines[6:]]),
    "two columns of one name": _lines(lambda lines: [lines[0].replace("b", "a"), *lines[1:]]),
    "a column without a name": _lines(lambda lines: [lines[0].replace("b", ""), *lines[1:]]),
    "a quote that never ends": _lines(lambda lines: [*lines[:5], '"' + lines[5], *lines[6:]]),
    "latin-1": _bytes("table.csv", lambda data: data.replace(b"blue", b"bl\xfce")),
    "UTF-16": _bytes("table.csv", lambda data: data.decode().encode("utf-16")),
    "zeros among the text": _bytes("table.csv", lambda data: data.replace(b"blue", b"bl\0e")),
    "a gzip that was cut": _bytes("table.csv.gz", lambda data: gzip.compress(data)[:-20]),
    "a gzip with a wrong sum": _bytes("t.csv.gz", lambda data: gzip.compress(data)[:-8] + b"12345678"),
    "a gzip followed by text": _bytes("table.csv.gz", lambda data: gzip.compress(data) + b"more"),
    "bz2": _bytes("table.csv.bz2", bz2.compress),
    "zip": _zip,
    "a pickle": _bytes("table.pkl", pickle.dumps),
    "a Parquet that was cut": _parquet(lambda data: data[: len(data) // 2]),
    "a Parquet without its footer": _parquet(lambda data: data[:4]),
    "a Parquet with a damaged footer": _parquet(lambda data: data[:-60] + b"\xff" * 52 + data[-8:]),
    "CSV called Parquet": _bytes("table.parquet", lambda data: data),
    "an image": _bytes("table.csv", lambda data: b"\x89PNG\r\n\x1a\n" + bytes(range(256))),
}

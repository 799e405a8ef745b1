from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shiftproof.core import FileError, InputError, RemoteTable, open_table
from shiftproof.data import _elsewhere, is_elsewhere, open_rows


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder as Spark writes them, with two parts and a note."""
    parts = tmp_path / "calls"
    parts.mkdir()
    for part in (0, 1):
        pq.write_table(pa.table({"a": [1 + part, 2], "b": ["x", None]}), parts / f"part-{part}.parquet")
    (parts / "_SUCCESS").touch()
    return parts


def test_folder_and_pattern_are_one_table(folder: Path) -> None:
    for source in (folder, str(folder), f"{folder}/part-*.parquet", f"{folder.parent}/**/*.parquet"):
        table = open_table(open_rows(source))
        assert (table.is_remote, table.n_rows) == (True, 4)
        assert table.column("a").cells() == [1, 2, 2, 2]


def test_small_file_is_read_whole_and_a_large_one_is_not(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = folder / "part-0.parquet"
    assert isinstance(open_rows(file), pd.DataFrame)
    monkeypatch.setattr(_elsewhere, "LARGE", 10)
    assert isinstance(open_rows(file), RemoteTable)
    text = folder / "rows.csv"
    text.write_text("a,b\n1,x\n2,y\n3,z\n")
    assert isinstance(open_rows(text), pd.DataFrame)


def test_paths_that_cannot_be_opened_are_refused_like_those_of_files() -> None:
    for path in ("a" * 5_000, "~nobody-of-this-name/*.parquet"):
        assert not is_elsewhere(path)
        with pytest.raises(FileError):
            open_rows(path)


def test_table_of_duckdb_is_opened_by_its_address(tmp_path: Path) -> None:
    file = tmp_path / "calls.db"
    with duckdb.connect(str(file)) as connection:
        connection.execute("""CREATE TABLE "may calls" AS SELECT range AS a FROM range(5)""")
    table = open_table(open_rows(f"duckdb://{file}?table=may%20calls"))
    assert (table.names, table.n_rows) == (("a",), 5)


# Tables are open, kept in a result and held by an error when it ends.
OPENED = """
import sys
import duckdb
import shiftproof as sp
file = sys.argv[1]
relation = duckdb.connect().sql("SELECT random() AS a FROM range(500)")
result = sp.detect(relation, f"duckdb://{file}?table=later", multivariate=False)
try:
    sp.detect(f"duckdb://{file}?table=none", relation)
except sp.InputError as error:
    kept = error
"""


@pytest.mark.parametrize("kind", ["script", "command", "tests"])
def test_nothing_of_duckdb_is_left_when_a_process_ends(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "calls.db"
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE TABLE calls AS SELECT random() AS a FROM range(500)")
        connection.execute("CREATE TABLE later AS SELECT random() AS a FROM range(500)")
    words = {
        "script": ["-c", OPENED, str(file)],
        "command": ["-m", "shiftproof", "detect", f"duckdb://{file}?table=calls", f"duckdb://{file}?table=later"],
        # Objects are frozen after these were collected.
        "tests": [
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            f"{__file__}::{test_table_of_duckdb_is_opened_by_its_address.__name__}",
        ],
    }
    done = subprocess.run([sys.executable, *words[kind]], capture_output=True, encoding="utf-8", check=False)  # noqa: S603
    assert (done.returncode, done.stderr) == (0, "")


def test_addresses_that_name_no_table_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "calls.db"
    with pytest.raises(FileError, match=r"there is no such file; check the path in duckdb://FILE\?table=NAME"):
        open_rows(f"duckdb://{file}?table=may")
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE TABLE may AS SELECT 1 AS a")
    with pytest.raises(FileError, match=r"name one of its tables, as in .*; it has 'may'\.$"):
        open_rows(f"duckdb://{file}")
    with pytest.raises(InputError, match=r"table must name a table of the database; got 'mai'\. Did you mean 'may'"):
        open_rows(f"duckdb://{file}?table=mai")
    file.write_bytes(b"no database at all, but long enough to have a header" * 100)
    with pytest.raises(FileError, match="the database cannot be opened"):
        open_rows(f"duckdb://{file}?table=may")


def test_files_that_are_no_table_together_are_refused(folder: Path) -> None:
    with pytest.raises(FileError, match="no file matches; check the path"):
        open_rows(f"{folder}/*.pq")
    pq.write_table(pa.table({"a": [1], "c": ["x"]}), folder / "part-2.parquet")
    with pytest.raises(FileError) as caught:
        open_rows(folder)
    assert str(caught.value) == (
        f"{folder}: part-0.parquet has a column 'b' that part-2.parquet lacks; name files with the same columns."
    )
    (folder / "part-2.parquet").write_text("a,b\n1,x\n")
    with pytest.raises(
        FileError, match=r"part-2.parquet: this is not a valid Parquet file; write it again, or move it out"
    ):
        open_rows(folder)
    (folder / "part-2.parquet").write_bytes((folder / "part-0.parquet").read_bytes()[:-20])
    with pytest.raises(FileError, match="the files cannot be read"):
        open_rows(folder)
    for part in folder.glob("part*"):
        pq.write_table(pa.table({"a": pa.array([], pa.int64())}), part)
    with pytest.raises(FileError, match="the files have no rows; check how they were written"):
        open_rows(folder)


def test_an_sqlite_file_is_refused_without_a_download(tmp_path: Path) -> None:
    file = tmp_path / "monitor.db"
    file.write_bytes(b"SQLite format 3\x00" + bytes(100))
    with pytest.raises(FileError, match="this is an SQLite database, not a DuckDB one"):
        open_rows(f"duckdb://{file}?table=batches")

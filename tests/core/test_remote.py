from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from shiftproof.core import InputError, as_table, open_table
from shiftproof.core._remote import SAMPLE, DuckColumns, RemoteTable, as_remote

N = SAMPLE + 5_000


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("remote") / "table.parquet"
    pq.write_table(pa.table({"number": np.arange(N), "Name": np.arange(N).astype(str)}), path, row_group_size=1_000)
    return path


FORMS: dict[str, Callable[[Path], Any]] = {
    "polars": pl.scan_parquet,
    "duckdb": lambda file: duckdb.read_parquet(str(file)),
    "parquet": ds.dataset,
}


@pytest.mark.parametrize("form", FORMS)
def test_columns_are_read_where_they_are(form: str, file: Path) -> None:
    table = open_table(FORMS[form](file))
    assert (table.names, table.n_rows, table.is_remote) == (("number", "Name"), N, True)
    numbers, missing = table.column("number").numbers()
    assert (int(numbers.sum()), missing) == (N * (N - 1) // 2, 0)
    assert table.only(["Name"]).take(np.array([3, 1])).column("Name").cells() == ["3", "1"]


@pytest.mark.parametrize("form", FORMS)
def test_sample_holds_whole_rows_and_is_always_the_same(form: str, file: Path) -> None:
    drawn = [open_table(FORMS[form](file)).drawn() for _ in range(2)]
    cells = [(one.column("number").cells(), one.column("Name").cells()) for one in drawn]
    assert cells[0] == cells[1]
    numbers, names = cells[0]
    assert (len(numbers), len(set(numbers)), drawn[0].n_rows) == (SAMPLE, SAMPLE, SAMPLE)
    assert [str(number) for number in numbers] == names
    assert drawn[0].drawn().column("Name").cells() == names
    # As many from each half of the file, up to four standard errors.
    assert abs(np.mean(np.array(numbers) < N / 2) - 0.5) < 0.02


def test_few_rows_are_all_drawn() -> None:
    table = open_table(pl.LazyFrame({"a": [2, 1, 3]}))
    assert table.drawn().column("a").cells() == [2, 1, 3]
    local = as_table({"a": [1]})
    assert local.drawn() is local
    assert not local.is_remote
    assert as_remote({"a": [1]}) is None


def test_sample_of_a_query_holds_whole_rows_in_any_order() -> None:
    rows = pl.LazyFrame({"group": np.arange(60_000) % 30_000, "value": np.arange(60_000)})
    query = rows.group_by("group").agg(pl.col("value").min(), twice=pl.col("group").first() * 2)
    drawn = open_table(query).drawn()
    assert (np.array(drawn.column("group").cells()) * 2 == drawn.column("twice").cells()).all()


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (lambda: pl.LazyFrame({"a": ["x"]}).select(pl.col("a").cast(pl.Int64)), "reading column 'a' failed"),
        (lambda: pl.scan_parquet("/no/such/file.parquet"), "the LazyFrame: counting rows failed"),
        (
            lambda: duckdb.sql("SELECT CAST(a AS INTEGER) AS a FROM (VALUES ('x')) AS t(a)"),
            "the DuckDB relation: reading column 'a' failed",
        ),
    ],
)
def test_query_that_fails_is_one_sentence(broken: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        open_table(broken()).column("a")
    assert sentence in str(caught.value)
    assert str(caught.value).endswith("; nothing was compared.")
    assert "\n" not in str(caught.value)


def test_table_that_vanishes_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table({"a": [1, 2]}), path)
    table = open_table(ds.dataset(path), "old")
    path.unlink()
    with pytest.raises(InputError, match="old: reading column 'a' failed"):
        table.column("a")
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE calls AS SELECT 1 AS a")
        calls = DuckColumns(connection.table("calls"), "calls")
        connection.execute("DROP TABLE calls")
        with pytest.raises(InputError, match="calls: reading column 'a' failed"):
            calls.read("a")


@pytest.mark.parametrize("other", [[1, 2, 3], [5, 6]])
def test_file_that_is_replaced_meanwhile_is_refused(other: list[int], tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table({"a": [1, 2]}), path)
    table = open_table(ds.dataset(path), "old")
    assert table.column("a").cells() == [1, 2]
    pq.write_table(pa.table({"a": other}), path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)
    with pytest.raises(InputError) as caught:
        table.column("a")
    # Arrow may notice before we do that the file has become shorter or longer.
    assert str(caught.value) == "old: a file was replaced while the table was read; start again." or (
        "old: reading column 'a' failed" in str(caught.value)
    )


@pytest.mark.parametrize(
    ("scan", "place"),
    [(pl.scan_csv, "the LazyFrame"), (lambda file: duckdb.read_csv(str(file)), "the DuckDB relation")],
)
def test_table_whose_number_of_rows_changes_is_refused(scan: Callable[[Path], Any], place: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,b\n1,1\n2,2\n")
    table = open_table(scan(path))
    path.write_text("a,b\n1,1\n2,2\n3,3\n")
    with pytest.raises(InputError) as caught:
        table.column("a")
    assert str(caught.value) == (
        f"{place}: the table changed while it was read: it had 2 rows and now has 3; start again."
    )


def test_file_that_is_cut_short_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    rng = np.random.default_rng(0)
    pq.write_table(pa.table({"a": rng.random(50_000), "b": rng.random(50_000)}), path)
    whole = path.read_bytes()
    for form, place in (("parquet", "table"), ("polars", "the LazyFrame"), ("duckdb", "the DuckDB relation")):
        path.write_bytes(whole)
        source = FORMS[form](path)
        table = open_table(source, "table")
        # As by a program that writes the same file again, and has not come far.
        path.write_bytes(whole[: len(whole) // 2])
        with pytest.raises(InputError) as caught:
            table.column("b")
        assert str(caught.value).startswith(f"{place}: reading column 'b' failed (")
        assert str(caught.value).endswith("; nothing was compared.")
        assert "\n" not in str(caught.value)


def test_type_that_arrow_lacks_is_one_sentence() -> None:
    table = open_table(pl.LazyFrame({"a": [1]}).select(pl.col("a").cast(pl.Int128)))
    with pytest.raises(InputError, match=r"^the LazyFrame: reading column 'a' failed \(.*\); nothing was compared\.$"):
        table.column("a")


def test_text_views_are_sampled(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table({"a": pa.array(["x", "y", None], pa.string_view())}), path)
    table = open_table(ds.dataset(path))
    assert table.column("a").cells() == table.drawn().column("a").cells() == ["x", "y", None]


def test_names_that_differ_only_in_case_are_refused_where_the_engine_folds_them() -> None:
    class Folded:
        columns = ("age", "job", "Age")

    with pytest.raises(InputError) as caught:
        DuckColumns(Folded(), "calls")
    assert str(caught.value) == (
        "the columns of calls must have names that differ in more than case, got 'age' and 'Age'; rename one of them."
    )


def test_odd_names_are_quoted() -> None:
    relation = duckdb.sql("""SELECT 1 AS "a ""b"" ; --", 2 AS "select" """)
    table = open_table(relation)
    assert [table.column(name).cells() for name in table.names] == [[1], [2]]
    assert isinstance(as_remote(relation), RemoteTable)

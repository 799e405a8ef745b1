"""Tables that are not in memory: every engine gives the same figures as arrays do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests._tables import ROWS, arrow_tables, check_same, pandas_tables

from shiftproof import ColumnsLeftOut, InputError, detect
from shiftproof.core._remote import DuckColumns, FileColumns, PolarsColumns
from shiftproof.detection import Detection


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tables")
    paths = folder / "old.parquet", folder / "new.parquet"
    for path, table in zip(paths, arrow_tables(), strict=True):
        pq.write_table(table, path, row_group_size=1_000)
    return paths


@pytest.fixture(scope="module")
def in_memory(files: tuple[Path, Path]) -> Detection:
    return detect(*map(pq.read_table, files), multivariate=False)


def _pattern(file: Path) -> str:
    return f"{file.parent}/{file.stem[0]}*.parquet"


FORMS: dict[str, Callable[[Path], Any]] = {
    "pandas": pd.read_parquet,
    "polars": pl.read_parquet,
    "polars lazy": pl.scan_parquet,
    "Parquet files": _pattern,
    "DuckDB": lambda file: duckdb.read_parquet(str(file)),
    "DuckDB query": lambda file: duckdb.read_parquet(str(file)).filter("true"),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_engine_gives_the_same_figures(form: str, files: tuple[Path, Path], in_memory: Detection) -> None:
    result = detect(*map(FORMS[form], files), multivariate=False)
    assert (result.n_reference, result.verdict) == (ROWS, "shifted")
    assert len(result.rows) > len(result.records) == 18
    check_same(result, in_memory)


def test_tables_of_pandas_give_the_same_figures(in_memory: Detection) -> None:
    check_same(detect(*pandas_tables(), multivariate=False), in_memory)


def test_scores_and_labels_are_columns_of_the_tables(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    sides = []
    for place, prior in enumerate((0.5, 0.8)):
        y = rng.random(2_000) < prior
        x = rng.normal(size=2_000) + 1.5 * y
        table = pa.table({"x": x, "p": 1 / (1 + np.exp(1.1 - 1.5 * x)), "y": np.where(y, "yes", "no")})
        pq.write_table(table, tmp_path / f"{place}.parquet")
        sides.append(table)
    named: dict[str, Any] = {"reference_scores": "p", "current_scores": "p", "reference_labels": "y", "exclude": ["y"]}
    local = detect(*sides, **named)
    lazy = detect(*(pl.scan_parquet(tmp_path / f"{place}.parquet") for place in (0, 1)), **named)
    assert lazy.p_value == pytest.approx(local.p_value, rel=1e-9)
    assert lazy.shift_kind == local.shift_kind == "prior"
    assert lazy.summary() == local.summary()
    with pytest.raises(InputError) as caught:
        detect(pl.LazyFrame({"x": [1, 2]}), pl.LazyFrame({"x": [1, 2]}), reference_labels=["a", "b"])
    assert str(caught.value) == (
        "reference_labels must name a column of a reference that is not in memory; add one to it."
    )


def test_one_side_may_be_in_memory(files: tuple[Path, Path], in_memory: Detection) -> None:
    mixed = detect(pq.read_table(files[0]), pl.scan_parquet(files[1]), multivariate=False)
    local = detect(*map(pq.read_table, files), multivariate=False)
    pd.testing.assert_frame_equal(mixed.to_frame(), local.to_frame(), rtol=1e-9)
    assert in_memory.n_current == mixed.n_current


def test_types_that_cannot_be_compared_are_left_out_with_a_warning() -> None:
    nested: Any = duckdb.sql("SELECT range::DOUBLE AS a, [range] AS list, {'b': range} AS struct FROM range(100)")
    with pytest.warns(ColumnsLeftOut, match=r"'list' \(unsupported\), 'struct' \(unsupported\)"):
        result = detect(nested, nested.filter("a > 30"))
    assert result.left_out == {"list": "unsupported", "struct": "unsupported"}


def test_tables_without_rows_or_shared_columns_are_refused() -> None:
    full = pl.LazyFrame({"a": [1.0, 2.0]})
    with pytest.raises(InputError, match="current must hold at least one row, got 0"):
        detect(full, full.filter(pl.col("a") > 5))
    with pytest.raises(InputError, match="reference and current must share at least one column"):
        detect(full, pl.LazyFrame({"b": [1.0]}))
    with pytest.raises(InputError, match="exclude must name columns of the tables"):
        detect(full, full.clone(), exclude=["c"])


def _broken_rows(form: str, folder: Path) -> Any:
    """Make a table whose column b fails in its last rows, after a has been read."""
    if form == "polars":
        return pl.LazyFrame({"a": range(5_000), "b": ["1"] * 4_999 + ["x"]}).with_columns(pl.col("b").cast(pl.Int64))
    if form == "DuckDB":
        return duckdb.sql(
            "SELECT range AS a, CASE range WHEN 4999 THEN error('disk full') ELSE 1 END AS b FROM range(5000)"
        )
    file = folder / "broken.parquet"
    pq.write_table(pa.table({"a": range(5_000), "b": np.arange(5_000.0)}), file, compression="gzip")
    data, place = bytearray(file.read_bytes()), pq.ParquetFile(file).metadata.row_group(0).column(1).data_page_offset
    data[place + 200 : place + 260] = bytes(60)
    file.write_bytes(data)
    return f"{file.parent}/broken.parque?"


@pytest.mark.parametrize("form", ["polars", "DuckDB", "Parquet"])
def test_query_that_fails_in_the_middle_leaves_no_result(form: str, tmp_path: Path) -> None:
    broken = _broken_rows(form, tmp_path)
    with pytest.raises(InputError) as caught:
        detect(broken, pl.LazyFrame({"a": range(100), "b": range(100)}))
    assert "reading column 'b' failed (" in str(caught.value)
    assert str(caught.value).endswith("; nothing was compared.")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("form", ["polars", "DuckDB", "Parquet"])
def test_table_that_vanishes_between_two_columns_leaves_no_result(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "calls.parquet"
    pq.write_table(pa.table({"a": range(100), "b": range(100)}), file)
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE calls AS SELECT * FROM '{file}'")  # noqa: S608
    source = {"polars": pl.scan_parquet(file), "DuckDB": connection.table("calls"), "Parquet": f"{tmp_path}/*.parquet"}
    columns: Any = {"polars": PolarsColumns, "DuckDB": DuckColumns, "Parquet": FileColumns}[form]
    ask = columns._ask

    def ask_once(self: Any, names: Any, doing: str) -> Any:
        answer = ask(self, names, doing)
        file.unlink(missing_ok=True)
        connection.execute("DROP TABLE IF EXISTS calls")
        return answer

    monkeypatch.setattr(
        {"polars": PolarsColumns, "DuckDB": DuckColumns, "Parquet": FileColumns}[form], "_ask", ask_once
    )
    with pytest.raises(InputError) as caught:
        detect(source[form], {"a": range(100), "b": range(100)}, n_jobs=1)
    assert "reading column 'b' failed (" in str(caught.value)
    assert str(caught.value).endswith("; nothing was compared.")
    assert "\n" not in str(caught.value)
    connection.close()

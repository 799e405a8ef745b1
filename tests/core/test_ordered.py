"""Tables that are not in memory, with their rows in one order."""

from __future__ import annotations

import gc
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from shiftproof.core import InputError, open_in_order


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Take 1,000 rows for a long answer, and keep it in a folder of the test."""
    monkeypatch.setattr("shiftproof.core._ordered.SAMPLE", 100)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def table() -> pa.Table:
    return pa.table({"key": np.arange(1_000), "square": np.arange(1_000) ** 2, "text": [f"n{n}" for n in range(1_000)]})


QUERIES: dict[str, Any] = {
    "polars": lambda: pl.LazyFrame(table()).filter(pl.col("key") >= 0),
    # A join, whose rows come in any order.
    "DuckDB": lambda: duckdb.sql("SELECT a.* FROM rows a JOIN rows b USING (key)"),
}


@pytest.mark.parametrize("query", QUERIES)
def test_columns_of_a_query_have_their_rows_in_one_order(query: str, few: Path) -> None:
    rows = table()
    duckdb.register("rows", rows)
    ordered = open_in_order(QUERIES[query]())
    assert ordered.is_remote
    assert len(list(few.rglob("*.parquet"))) == 1
    key, square = (ordered.column(name).numbers()[0] for name in ("key", "square"))
    np.testing.assert_array_equal(key**2, square)
    assert ordered.column("text").cells() == [f"n{number}" for number in key.tolist()]
    del ordered, key, square
    gc.collect()
    assert not list(few.rglob("*.parquet"))


def test_files_stay_where_they_are_and_short_answers_in_memory(tmp_path: Path) -> None:
    pq.write_table(table(), tmp_path / "rows.parquet")
    assert open_in_order(ds.dataset(tmp_path / "rows.parquet")).is_remote
    assert not open_in_order(pl.LazyFrame(table())).is_remote
    assert not open_in_order(table()).is_remote


def test_a_query_that_fails_leaves_one_sentence_and_no_file(few: Path) -> None:
    failing = duckdb.sql("SELECT CASE WHEN range < 900 THEN range ELSE error('no such day') END AS x FROM range(1000)")
    with pytest.raises(InputError) as caught:
        open_in_order(failing)
    assert str(caught.value) == (
        "the DuckDB relation: reading rows failed (Invalid Input Error: no such day); nothing was compared."
    )
    assert not list(few.iterdir())

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

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

from shiftproof.core import InputError, _remote, as_table, open_table, read_aligned
from shiftproof.core._remote import PolarsColumns

N = 900


@pytest.fixture(autouse=True)
def small_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw few rows, so that few rows are more than a sample."""
    monkeypatch.setattr(_remote, "SAMPLE", 200)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Write rows of which many have the same label and score, but each a number of its own."""
    rng = np.random.default_rng(0)
    labels, scores = rng.choice(["no", "yes"], N), rng.integers(0, 20, N) / 20
    pq.write_table(pa.table({"number": np.arange(N), "y": labels, "p": scores}), tmp_path / "rows.parquet")
    return tmp_path / "rows.parquet"


FORMS: dict[str, Callable[[Path], Any]] = {
    "parquet": ds.dataset,
    "polars": pl.scan_parquet,
    # In another order each time that it runs.
    "polars query": lambda file: pl.scan_parquet(file).group_by("number").agg(pl.col("y", "p").first()),
    "duckdb": lambda file: duckdb.read_parquet(str(file)),
    "duckdb query": lambda file: duckdb.read_parquet(str(file)).order("random()"),
}


@pytest.mark.parametrize("form", FORMS)
def test_rows_of_the_sample_have_the_values_of_their_numbers(form: str, file: Path) -> None:
    table = open_table(FORMS[form](file))
    columns, rows = read_aligned(table, ["y", "p"])
    assert rows is not None
    assert (columns.n_rows, len(set(rows.tolist()))) == (N, 200)
    drawn = table.drawn()
    for name in ("y", "p"):
        all_cells = columns.column(name).cells()
        assert [all_cells[row] for row in rows] == drawn.column(name).cells()
    # Labels and scores of all rows are those of the file, together.
    whole = pq.read_table(file)
    expected = sorted(zip(whole.column("y").to_pylist(), whole.column("p").to_pylist(), strict=True))
    assert sorted(zip(columns.column("y").cells(), columns.column("p").cells(), strict=True)) == expected


def test_small_tables_are_their_own_sample(file: Path) -> None:
    query = pl.scan_parquet(file).head(150).group_by("number").agg(pl.col("y", "p").first())
    table = open_table(query)
    columns, rows = read_aligned(table, ["y", "p"])
    assert rows is None
    assert columns.column("p").cells() == table.drawn().column("p").cells()
    local = as_table({"y": [0, 1], "p": [0.5, 0.25]})
    again, rows = read_aligned(local, ["p"])
    assert (again.names, rows) == (("p",), None)


def test_sample_of_other_values_is_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = open_table(pl.scan_parquet(file))
    monkeypatch.setattr(PolarsColumns, "_sample", lambda *_: pa.table({"number": [1], "y": ["no"], "p": [0.123]}))
    with pytest.raises(InputError) as caught:
        read_aligned(table, ["y", "p"])
    assert str(caught.value) == "the LazyFrame: the table changed while it was read; start again."

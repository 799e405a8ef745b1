"""Baselines and batches that are not in memory: the same counts from every engine."""

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

from shiftproof import Baseline, Monitor

ROWS = 900
NAMED: dict[str, Any] = {"scores": "p", "labels": "y", "key": "id"}


def scored(seed: int, shift: float = 0.0) -> pa.Table:
    rng = np.random.default_rng(seed)
    x = rng.normal(shift, 1, ROWS)
    gaps = rng.random(ROWS) < 0.1
    return pa.table({
        "id": pa.array([f"row {seed} {number}" for number in range(ROWS)]),
        "x": pa.array(x, mask=gaps),
        "n": rng.poisson(3, ROWS) + 2**60,
        "job": rng.choice(["clerk", "nurse", "cook"], ROWS, p=[0.6, 0.3, 0.1]),
        "p": 1 / (1 + np.exp(-x)),
        "y": np.where(rng.random(ROWS) < 1 / (1 + np.exp(-x)), "yes", "no"),
    })  # fmt: skip


FORMS: dict[str, Callable[[Path], Any]] = {
    "pandas": lambda file: pq.read_table(file).to_pandas(),
    "pattern": lambda file: f"{file.parent}/{file.stem}*.parquet",
    "dataset": ds.dataset,
    "polars lazy": pl.scan_parquet,
    "DuckDB": lambda file: duckdb.read_parquet(str(file)),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tables")
    for name, table in (("old", scored(1)), ("new", scored(2, shift=1.0).drop_columns(["y"]))):
        pq.write_table(table, folder / f"{name}.parquet", row_group_size=250)
    return folder / "old.parquet", folder / "new.parquet"


@pytest.fixture(scope="module")
def expected(files: tuple[Path, Path]) -> Baseline:
    return Baseline.of(pq.read_table(files[0]), **NAMED)


@pytest.mark.parametrize("form", FORMS)
def test_every_engine_gives_the_same_baseline_and_the_same_batch(
    form: str, files: tuple[Path, Path], expected: Baseline, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Answers of queries are long, so that they go through a file.
    monkeypatch.setattr("shiftproof.core._ordered.SAMPLE", 100)
    baseline = Baseline.of(FORMS[form](files[0]), **NAMED)
    for name, column in expected.reference.items():
        for field in ("part", "total", "by_class"):
            np.testing.assert_array_equal(getattr(baseline.reference[name], field), getattr(column, field), name)
    assert baseline.same_as(expected)
    batch, local = baseline.summarise(FORMS[form](files[1])), expected.summarise(pq.read_table(files[1]))
    assert batch.content == local.content
    assert batch.to_dict() == local.to_dict()


def test_a_batch_counts_once_from_whichever_engine_it_comes(
    files: tuple[Path, Path], expected: Baseline, tmp_path: Path
) -> None:
    monitor = Monitor(tmp_path / "store.db", expected)
    updates = [monitor.add(form(files[1])) for form in FORMS.values()]
    assert len({update.id for update in updates}) == 1
    assert len(monitor.history()["batch"].unique()) == 1
    assert ["counts only once" in update.summary() for update in updates] == [False, *[True] * (len(FORMS) - 1)]


def test_a_key_draws_the_same_part_whatever_the_order_of_the_rows() -> None:
    table = scored(1)
    shuffled = table.take(np.random.default_rng(0).permutation(ROWS))
    one, other = Baseline.of(table, **NAMED), Baseline.of(shuffled, **NAMED)
    for name, column in one.reference.items():
        np.testing.assert_array_equal(other.reference[name].part, column.part)
        np.testing.assert_array_equal(other.reference[name].by_class, column.by_class)

"""Baselines and batches in Spark: the counts of arrays, from rows that stay on the cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.engines.conftest import why_no_spark

from shiftproof import Baseline, InputError, Monitor
from shiftproof._version import __version__
from shiftproof.monitoring import _cluster
from shiftproof.warehouse import _records, _spark

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.skipif(bool(why_no_spark()), reason=why_no_spark()),
]
ROWS = 4_000
NAMED: dict[str, Any] = {"scores": "p", "labels": "y", "key": "id"}


def scored(seed: int, shift: float = 0.0) -> pa.Table:
    rng = np.random.default_rng(seed)
    x, gaps = rng.normal(shift, 1, ROWS), rng.random(ROWS) < 0.1
    jobs = [*"abcdefgh", *(f"rare {number}" for number in range(60))]
    return pa.table({
        "id": pa.array([f"row {seed} {number}" for number in range(ROWS)]),
        "x": pa.array(x, mask=gaps),
        "zeros": np.where(gaps, np.abs(x), 0.0),
        "infinite": np.where(rng.random(ROWS) < 0.02, -np.inf, x),
        "large": rng.poisson(3, ROWS) + 2**60,
        "day": pa.array(rng.integers(0, 400, ROWS).astype("M8[D]")),
        "job": np.array(jobs)[np.minimum(rng.zipf(1.5, ROWS), len(jobs)) - 1],
        "flag": pa.array(rng.random(ROWS) < 0.3, mask=gaps),
        "p": 1 / (1 + np.exp(-x)),
        "y": np.where(rng.random(ROWS) < 1 / (1 + np.exp(-x)), "yes", "no"),
    })  # fmt: skip


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let 4,000 rows be more than a sample and more than a range."""
    monkeypatch.setattr(_spark, "SAMPLE", 1_500)
    monkeypatch.setattr(_cluster, "SAMPLE", 1_500)
    monkeypatch.setattr(_records, "VALUES_PER_RANGE", 900)


@pytest.mark.usefixtures("few")
def test_a_baseline_has_the_counts_of_arrays(spark: Any) -> None:
    table = scored(1)
    expected, baseline = Baseline.of(table, **NAMED), Baseline.of(spark.createDataFrame(table), **NAMED)
    assert list(baseline.reference) == list(expected.reference)
    for name, column in expected.reference.items():
        own = baseline.reference[name]
        for field in ("part", "total", "by_class"):
            np.testing.assert_array_equal(getattr(own, field), getattr(column, field), f"{name}.{field}")
        assert own.kind == column.kind
    one, other = baseline.performance, expected.performance
    assert one is not None
    assert other is not None
    for field in ("rows", "right", "confidence", "squares", "probabilities"):
        np.testing.assert_allclose(getattr(one, field), getattr(other, field), rtol=1e-9)
    assert baseline.moments is not None
    assert expected.moments is not None
    for name, moments in expected.moments.columns.items():
        np.testing.assert_allclose(baseline.moments.columns[name].functions, moments.functions, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(baseline.moments.columns[name].sums, moments.sums, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(baseline.moments.columns[name].products, moments.products, rtol=1e-9, atol=1e-9)


@pytest.mark.usefixtures("few")
def test_a_batch_is_counted_on_the_cluster_and_counts_once(spark: Any, tmp_path: Path) -> None:
    baseline = Baseline.of(scored(1), **NAMED)
    rows = scored(2, shift=1.0).drop_columns(["y"])
    frame = spark.createDataFrame(rows)
    there, here = baseline.summarise(frame), baseline.summarise(rows)
    for own, other in zip(there.facts.counts, here.facts.counts, strict=True):
        np.testing.assert_array_equal(own, other)
    assert there.accuracy is not None
    assert here.accuracy is not None
    assert there.accuracy.estimate == pytest.approx(here.accuracy.estimate, rel=1e-9)
    assert there.summary() == here.summary()
    monitor = Monitor(tmp_path / "store.db", baseline)
    first, again = monitor.add(frame), monitor.add(frame)
    assert first.id == again.id
    assert "counts only once" in again.summary()
    planned = monitor.plan(first.id, count=20)
    known = set(rows.column("id").to_pylist())
    assert set(planned.to_frame()["id"]) <= known


def test_what_a_baseline_on_spark_cannot_have_is_refused(spark: Any) -> None:
    frame = spark.createDataFrame(scored(1))
    refusals: dict[str, dict[str, Any]] = {
        "key must name a column that identifies the rows of a Spark DataFrame, got None; its rows have no order.": {},
        "time must be left out for a Spark DataFrame; leave it out, or write the reference to Parquet files.": {
            "key": "id",
            "time": "day",
        },
        "labels must name columns of a Spark DataFrame, got 'ndarray'; add them to the table.": {
            "key": "id",
            "labels": np.zeros(ROWS),
        },
    }
    for sentence, options in refusals.items():
        with pytest.raises(InputError) as caught:
            Baseline.of(frame, **options)
        assert str(caught.value) == sentence


@pytest.mark.usefixtures("few")
def test_workers_of_another_version_are_refused(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_cluster, "__version__", "99")
    with pytest.raises(InputError) as caught:
        Baseline.of(spark.createDataFrame(scored(1)), **NAMED)
    assert str(caught.value) == (
        f"the Spark DataFrame: comparing columns failed (a worker has shiftproof {__version__} and this process has "
        "99; install the same version on both); nothing was compared."
    )

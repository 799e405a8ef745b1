"""Tables in Spark: the figures of arrays, few jobs, two passes over each table, one sentence when something fails."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.linear_model import LogisticRegression
from tests._tables import UNSIGNED, arrow_tables, check_same
from tests.engines.conftest import start_spark, why_no_spark

from shiftproof import ColumnsLeftOut, InputError, audit, detect, quantify
from shiftproof.core import open_table
from shiftproof.stats import NominalRecord
from shiftproof.warehouse import SparkColumns, SparkPair, _records, plan_columns
from shiftproof.warehouse._spark import SparkRounds

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.skipif(bool(why_no_spark()), reason=why_no_spark()),
]


@pytest.fixture
def tables() -> tuple[pa.Table, pa.Table]:
    old, new = (table.drop_columns([UNSIGNED]) for table in arrow_tables())
    return old, new


@pytest.fixture
def files(tmp_path: Path, tables: tuple[pa.Table, pa.Table]) -> tuple[str, str]:
    for name, table in zip(("old", "new"), tables, strict=True):
        (tmp_path / name).mkdir()
        for part in range(2):
            pq.write_table(table.slice(part * 1_500, 1_500), tmp_path / name / f"{part}.parquet")
    return str(tmp_path / "old"), str(tmp_path / "new")


def test_spark_gives_the_figures_of_arrays(
    spark: Any, tables: tuple[pa.Table, pa.Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Many small ranges, as large tables have.
    monkeypatch.setattr(_records, "VALUES_PER_RANGE", 700)
    result = detect(*map(spark.createDataFrame, tables), multivariate=False)
    check_same(result, detect(*tables, multivariate=False))


def test_scores_labels_and_the_type_of_shift_are_those_of_arrays(spark: Any) -> None:
    rng = np.random.default_rng(0)
    sides = []
    for prior in (0.5, 0.8):
        y = rng.random(2_000) < prior
        x = rng.normal(size=2_000) + 1.5 * y
        sides.append(pa.table({"x": x, "p": 1 / (1 + np.exp(1.1 - 1.5 * x)), "y": np.where(y, "yes", "no")}))
    named: dict[str, Any] = {"reference_scores": "p", "current_scores": "p", "reference_labels": "y", "exclude": ["y"]}
    local, there = detect(*sides, **named), detect(*map(spark.createDataFrame, sides), **named)
    assert there.p_value == pytest.approx(local.p_value, rel=1e-9)
    assert there.shift_kind == local.shift_kind == "prior"
    assert there.summary() == local.summary()


def _scored(seed: int, prior: float, rows: int = 3_000) -> pa.Table:
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < prior
    x = rng.normal(size=rows) + 1.5 * y
    return pa.table({
        "x": x,
        "job": rng.choice(["a", "b", "c"], rows),
        "p": 1 / (1 + np.exp(1.1 - 1.5 * x)),
        "y": np.where(y, "yes", "no"),
    })  # fmt: skip


def test_an_audit_of_scores_is_that_of_arrays(spark: Any) -> None:
    old, new = _scored(1, 0.5), _scored(2, 0.7).drop_columns(["y"])
    here = audit({"model": "p"}, old, "y", new, quick=True)
    there = audit({"model": "p"}, spark.createDataFrame(old), "y", spark.createDataFrame(new), quick=True)
    assert there.headline == here.headline
    assert there.verdict == here.verdict
    pd.testing.assert_frame_equal(there.performance.to_frame(), here.performance.to_frame(), rtol=1e-9)
    counted = quantify({"model": "p"}, spark.createDataFrame(old), "y", spark.createDataFrame(new))
    expected = quantify({"model": "p"}, old, "y", new)
    pd.testing.assert_frame_equal(counted.to_frame(), expected.to_frame(), rtol=1e-9)


def test_an_audit_of_more_rows_than_a_sample_compares_all_of_them(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shiftproof.warehouse._spark.SAMPLE", 800)
    monkeypatch.setattr("shiftproof.warehouse._spark.SCORED", 2_000)
    old, new = spark.createDataFrame(_scored(1, 0.5)), spark.createDataFrame(_scored(2, 0.7))
    result = audit({"model": "p"}, old, "y", new.drop("y"), quick=True)
    assert result.detection is not None
    assert result.detection.n_reference == 3_000
    assert result.detection.records["x"].n == 3_000
    checked = SparkColumns(old).read_together(["p", "y"])
    assert 1_500 < checked.num_rows <= 2_000
    # No row was drawn twice.
    assert len(checked.column("p").unique()) == checked.num_rows


def test_models_to_fit_need_rows_in_memory(spark: Any) -> None:
    frame = spark.createDataFrame(_scored(1, 0.5))
    with pytest.raises(InputError) as caught:
        audit({"lr": LogisticRegression()}, frame, "y", frame)
    assert str(caught.value) == (
        "models must name a column of scores of Spark DataFrames, got {'lr': LogisticRegression()}; write "
        "{'model': 'column'}, with the probabilities of its positive class."
    )


def test_jobs_do_not_grow_with_rows_and_each_table_is_read_twice(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shiftproof.warehouse._spark.SAMPLE", 500)
    jobs = {}
    for rows in (2_000, 20_000):
        rng, context = np.random.default_rng(0), spark.sparkContext
        for name in ("old", "new"):
            table = pa.table({"x": rng.normal(size=rows), "n": rng.poisson(4, rows), "w": rng.choice(["a", "b"], rows)})
            pq.write_table(table, tmp_path / f"{name}-{rows}.parquet")
        frames = [spark.read.parquet(str(tmp_path / f"{name}-{rows}.parquet")) for name in ("old", "new")]
        context.setJobGroup(f"rows {rows}", "detect")
        detect(*frames, multivariate=False)
        jobs[rows] = len(context.statusTracker().getJobIdsForGroup(f"rows {rows}"))
        context.setJobGroup("rest", "")
    assert jobs[2_000] == jobs[20_000]

    # One pass counts, one compares; the plan of the second one reads each table once.
    pair = SparkPair(*map(SparkColumns, frames))
    samples = [open_table(table).drawn() for table in (pair.old, pair.new)]
    columns = plan_columns(samples[0], samples[1], {"x": "continuous", "w": "nominal"}, 40_000)
    written = pair.ranges(columns).joined._jdf.queryExecution().executedPlan().toString()
    assert written.count("FileScan parquet") == 2
    assert "FlatMapGroupsInArrow" in written


def test_a_sample_is_drawn_on_the_cluster_and_always_the_same(
    spark: Any, files: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shiftproof.warehouse._spark.SAMPLE", 400)
    first, again = (SparkColumns(spark.read.parquet(files[0])).sample for _ in range(2))
    assert 200 < first.num_rows <= 400
    assert first.select(["double"]).equals(again.select(["double"]))
    assert len(np.unique(first.column("double").to_numpy())) == first.num_rows


def test_columns_that_identify_rows_are_left_out_by_what_all_rows_say(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shiftproof.warehouse._spark.SAMPLE", 300)
    rng = np.random.default_rng(0)
    # All of the few drawn names differ, but most names occur several times.
    table = pa.table(
        {
            "number": np.arange(5_000),
            "name": rng.integers(0, 3_000, 5_000).astype(str),
            "key": np.arange(5_000).astype(str),
            "row_id": rng.permutation(5_000),
            "shop_id": rng.integers(0, 3_000, 5_000),
            "x": rng.normal(size=5_000),
        }
    )
    with pytest.warns(ColumnsLeftOut, match=r"'number' \(identifier\), 'key' \(identifier\)"):
        result = detect(*map(spark.createDataFrame, (table, table.slice(100))), multivariate=False)
    assert result.left_out == {"number": "identifier", "key": "identifier", "row_id": "identifier"}
    record = result.records["name"]
    assert isinstance(record, NominalRecord)
    assert len(record.categories) == len(set(table.column("name").to_pylist()))


def test_types_that_cannot_be_compared_are_left_out_with_a_warning(spark: Any) -> None:
    nested = spark.range(200).selectExpr("cast(id % 17 as double) a", "array(id) list", "struct(id) pair")
    with pytest.warns(ColumnsLeftOut, match=r"'list' \(unsupported\), 'pair' \(unsupported\)"):
        result = detect(nested, nested.filter("a > 5"), multivariate=False)
    assert list(result.records) == ["a"]


def test_names_that_differ_only_in_case_are_refused(spark: Any) -> None:
    frame = spark.createDataFrame(pa.table({"Age": [1.0, 2.0], "age": [1.0, 2.0]}))
    with pytest.raises(InputError) as caught:
        detect(frame, frame)
    assert str(caught.value) == (
        "the columns of the Spark DataFrame must have names that differ in more than case, got 'Age' and 'age'; "
        "rename one of them."
    )


def test_one_table_elsewhere_is_refused(spark: Any) -> None:
    there, here = spark.createDataFrame(pa.table({"x": [1.0, 2.0]})), pd.DataFrame({"x": [1.0, 2.0]})
    for sides, wanted, given in (((there, here), "current", "reference"), ((here, there), "reference", "current")):
        with pytest.raises(InputError) as caught:
            detect(*sides)
        assert str(caught.value) == (
            f"{wanted} must be a Spark DataFrame, as {given} is, got a table that is not one; write it with "
            "spark.createDataFrame(...) or read it with spark.read first."
        )


def test_a_query_that_fails_is_one_sentence(spark: Any) -> None:
    frame = spark.range(100).selectExpr("cast(id as double) / (id - 50) as x", "id % 3 as k")
    with pytest.raises(InputError, match=r"^the Spark DataFrame: sampling rows failed \(.*\); nothing was compared\.$"):
        detect(frame, frame)


def test_a_table_that_vanishes_is_one_sentence(spark: Any, files: tuple[str, str]) -> None:
    old, new = (SparkColumns(spark.read.parquet(path)) for path in files)
    assert old.sample.num_rows == new.sample.num_rows == 3_000
    shutil.rmtree(files[1])
    with pytest.raises(InputError) as caught:
        SparkPair(old, new).compare({"double": "continuous"})
    assert str(caught.value).startswith("the Spark DataFrame: comparing columns failed (")
    assert str(caught.value).endswith("; nothing was compared.")
    assert "\n" not in str(caught.value)


def test_a_worker_without_pyarrow_is_one_sentence(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def cut(rows: Any, **options: Any) -> Any:
        raise ModuleNotFoundError("No module named 'pyarrow'")

    monkeypatch.setattr("shiftproof.warehouse._runs.cut", cut)
    frame = spark.createDataFrame(pa.table({"x": np.arange(50) / 7}))
    with pytest.raises(InputError) as caught:
        detect(frame, frame, multivariate=False)
    assert str(caught.value) == (
        "the Spark DataFrame: comparing columns failed (a worker has no module named 'pyarrow'; install NumPy and "
        "pyarrow on all workers); nothing was compared."
    )


def test_a_cluster_that_dies_in_the_middle_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    session = start_spark()
    frame = session.createDataFrame(pa.table({"x": np.arange(500) / 7}))
    measure = SparkRounds.measure

    def dying(self: SparkRounds, columns: Any) -> Any:
        session.stop()
        return measure(self, columns)

    monkeypatch.setattr(SparkRounds, "measure", dying)
    with pytest.raises(InputError) as caught:
        detect(frame, frame, multivariate=False)
    assert str(caught.value).startswith("the Spark DataFrame: comparing columns failed (")
    assert str(caught.value).endswith("; nothing was compared.")

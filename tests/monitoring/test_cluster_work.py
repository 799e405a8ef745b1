"""What workers do for baselines and batches, in this process: the counts of arrays."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.monitoring.test_elsewhere import NAMED, scored

from shiftproof import Baseline
from shiftproof._version import __version__
from shiftproof.core import as_table
from shiftproof.monitoring import _cluster_work as work
from shiftproof.monitoring._cells import NumberCells
from shiftproof.monitoring._cluster import _Order
from shiftproof.monitoring._content import uniform_of_keys
from shiftproof.monitoring._folder import read_fields, write_files
from shiftproof.monitoring._summary import count_columns
from shiftproof.warehouse import ColumnPlan, _runs


def joined(column: pa.ChunkedArray, keys: pa.ChunkedArray, plan: ColumnPlan) -> pa.Table:
    """Cut a column by part A and the rest, and join its ranges as a cluster does."""
    table = pa.table({"c0": column, "key": keys})
    pieces = pa.Table.from_batches(work.cut_parts(iter(table.to_batches(97)), [plan], [0.25], __version__))
    ranges = np.array(pieces.column("range").to_pylist())
    return pa.concat_tables([_runs.join(pieces.filter(ranges == number), [plan]) for number in np.unique(ranges)])


def facts_of(table: Any) -> dict[int, Any]:
    rows = pa.Table.from_batches(table) if not isinstance(table, pa.Table) else table
    return {row["range"]: json.loads(row["facts"]) for row in rows.to_pylist()}


@pytest.mark.parametrize("name", ["x", "n"])
def test_order_statistics_of_ranges_place_the_cells_of_arrays(name: str) -> None:
    table = scored(1)
    # Of floats NaN is missing, and the integers have no gaps.
    values, _ = as_table(table).column(name).numbers()
    present = np.isfinite(values)
    part = uniform_of_keys(as_table(table).column("id"))[present] < 0.25
    values = values[present]
    plan = ColumnPlan(values.dtype.str[1:], np.unique(np.quantile(values, [0.2, 0.5, 0.9]).astype(values.dtype)), 4)
    runs = joined(table.column(name), table.column("id"), plan)
    wanted, ends = _Order.wanted(facts_of(runs))
    found = facts_of(work.order_facts(iter(runs.to_batches()), [plan], {0: wanted}))
    expected = NumberCells.of(values, part)
    cells = NumberCells.by_order(_Order(wanted, ends, plan.dtype, list(found.values())))
    for field in ("bounds", "inclusive", "closing", "cuts", "ends"):
        np.testing.assert_array_equal(getattr(cells, field), getattr(expected, field))
    counted = facts_of(work.cell_counts(iter(runs.to_batches()), [plan], {0: cells})).values()
    total = np.sum([facts["total"] for facts in counted], axis=0)
    np.testing.assert_array_equal(total[1:], expected.count(as_table(table).column(name))[1:])


def test_parts_of_the_rows_add_up_to_all_of_them() -> None:
    table = scored(1)
    whole = Baseline.of(table, **NAMED)
    names = [name for name in table.column_names if name != "id"]
    kinds = {name: column.kind for name, column in whole.reference.items() if name != "p"}
    options = {"scores": ["p"], "labels": "y", "kinds": kinds, "pos_label": None}
    rows = table.select(names)
    parts = []
    for start in (0, 5, 400):
        batches = rows.slice(start, {0: 5, 5: 395, 400: 500}[start]).to_batches(61)
        written = list(work.add_up(iter(batches), write_files(whole), names, options, __version__))
        files = {row["name"]: row["content"] for batch in written for row in batch.to_pylist()}
        parts.append(Baseline.from_fields(read_fields(files, "a worker")))
    summed = parts[0] + parts[1] + parts[2]
    assert summed.n_rows == whole.n_rows
    for name, column in whole.reference.items():
        np.testing.assert_array_equal(summed.reference[name].by_class, column.by_class)
    assert summed.performance is not None
    assert whole.performance is not None
    np.testing.assert_allclose(summed.performance.confidence, whole.performance.confidence, rtol=1e-12)
    assert list(work.add_up(iter([]), write_files(whole), names, options, __version__)) == []


def test_counts_of_parts_of_a_batch_add_up() -> None:
    baseline = Baseline.of(scored(1), **NAMED)
    batch = scored(2).select(["x", "n", "job", "p"])
    expected = count_columns(baseline.reference, as_table(batch))
    fine: defaultdict[str, Any] = defaultdict(int)
    for part in work.count_rows(iter(batch.to_batches(131)), baseline.reference, batch.column_names, __version__):
        for name, (counts, unseen) in json.loads(part.column(0)[0].as_py()).items():
            fine[name] = fine[name] + np.array(counts)
            assert unseen == []
    for name, (counts, _) in expected.items():
        np.testing.assert_array_equal(fine[name], counts)


def test_another_version_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"a worker has shiftproof .* and this process has 99; install the same version on both"
    ):
        work.check_version("99")

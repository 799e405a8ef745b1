from __future__ import annotations

import numpy as np
from tests.monitoring.conftest import Table

from shiftproof.monitoring import Baseline
from shiftproof.monitoring._tables import TABLES, column_facts, read_columns, write_tables


def test_tables_have_one_row_per_edge_level_and_cell(baseline: Baseline) -> None:
    columns = list(baseline.reference.values())
    tables = write_tables(baseline.whole)
    assert tuple(tables) == TABLES
    assert tables["counts"].num_rows == sum(len(column.total) for column in columns)
    assert tables["counts"].column_names == ["season", "column", "cell", "part", "reference", "class_0", "class_1"]
    assert set(tables["levels"]["column"].to_pylist()) == {"job"}
    assert set(tables["edges"]["column"].to_pylist()) == {"p", "age", "gap"}


def test_tables_of_integers_beyond_float_precision_come_back(table: Table) -> None:
    whole = {"big": np.arange(400, dtype=np.uint64) + np.uint64(2**63), "age": table["age"]}
    baseline = Baseline.of(whole, kinds={"big": "continuous"})
    columns = list(baseline.reference.values())
    tables = write_tables(baseline.whole)
    assert tables["levels"].num_rows == tables["moments"].num_rows == 0
    again = [*read_columns(tables, [column_facts(column) for column in columns], 0, b"shiftproof")[0].values()]
    assert again[0].cells.bounds.tolist() == columns[0].cells.bounds.tolist()  # type: ignore[union-attr]
    assert again[0].cells.bounds.dtype == np.uint64  # type: ignore[union-attr]
    assert again[1].by_class.shape == columns[1].by_class.shape

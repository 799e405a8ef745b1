"""Tables of Ibis, in DuckDB and in SQLite, give the same figures as tables in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests._tables import arrow_tables, check_same

import shiftproof as sp
from shiftproof.core import open_table
from shiftproof.core._remote import SAMPLE

ibis = pytest.importorskip("ibis")
# Ibis and the engines warn of each other's newer versions.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


@pytest.fixture(scope="module")
def connection() -> Any:
    return ibis.duckdb.connect()


@pytest.mark.parametrize("as_query", [False, True])
def test_table_and_query_give_the_figures_of_tables_in_memory(connection: Any, tmp_path: Path, as_query: bool) -> None:
    tables = arrow_tables()
    sides = []
    for name, table in zip(("old", "new"), tables, strict=True):
        pq.write_table(table, tmp_path / f"{name}.parquet")
        side = connection.read_parquet(str(tmp_path / f"{name}.parquet"))
        sides.append(side.filter(side["double"] > -9) if as_query else side)
    result = sp.detect(*sides, multivariate=False)
    check_same(result, sp.detect(*tables, multivariate=False))
    assert result.verdict == "shifted"


def test_table_of_another_engine_is_compared(tmp_path: Path) -> None:
    lite = ibis.sqlite.connect(str(tmp_path / "calls.sqlite"))
    lite.raw_sql(
        "CREATE VIEW old AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 499) "
        "SELECT i * 7 % 60 AS age, CASE i % 3 WHEN 0 THEN 'a' WHEN 1 THEN 'b' END AS job FROM n"
    )
    lite.raw_sql("CREATE VIEW new AS SELECT age + 5 AS age, job FROM old")
    result = sp.detect(lite.table("old"), lite.table("new"))
    expected = sp.detect(*(lite.table(name).to_pyarrow() for name in ("old", "new")))
    check_same(result, expected)
    assert result.records["job"].missing_reference == 166


@pytest.mark.parametrize("engine", ["duckdb", "sqlite"])
def test_sample_holds_whole_rows_and_is_always_the_same(engine: str, connection: Any) -> None:
    engine_connection = connection if engine == "duckdb" else ibis.sqlite.connect()
    engine_connection.raw_sql(
        "CREATE TABLE many AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 24999) "
        "SELECT i AS a, i * 2 AS b FROM n"
    )
    drawn = [open_table(engine_connection.table("many")).drawn() for _ in range(2)]
    first, second = (np.array(one.column("a").cells()) for one in drawn)
    assert (first == second).all()
    assert len(np.unique(first)) == SAMPLE
    assert (first * 2 == drawn[0].column("b").cells()).all()


def test_other_verbs_bring_the_table_into_memory(connection: Any) -> None:
    connection.raw_sql("CREATE OR REPLACE TABLE few AS SELECT range * 7 % 90 AS a, range % 2 AS y FROM range(200)")
    table = connection.table("few")
    lazy = sp.shift.kind_of_shift(table.drop("y"), [0, 1] * 100, table.drop("y"))
    local = sp.shift.kind_of_shift(table.drop("y").to_pyarrow(), [0, 1] * 100, table.drop("y").to_pyarrow())
    assert lazy.p_none == local.p_none


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        (
            "CREATE OR REPLACE VIEW broken AS SELECT CAST(c AS INT) AS a FROM (SELECT 'x' AS c)",
            "reading column 'a' failed",
        ),
        (
            "CREATE OR REPLACE VIEW broken AS SELECT 1 AS a FROM (SELECT error('no disk') AS e) WHERE e IS NULL",
            "counting",
        ),
    ],
)
def test_error_of_an_engine_is_one_sentence(connection: Any, query: str, sentence: str) -> None:
    connection.raw_sql(query)
    with pytest.raises(sp.InputError) as caught:
        sp.detect(connection.table("broken"), connection.table("broken"))
    assert str(caught.value).startswith(f"the Ibis table: {sentence}")
    assert str(caught.value).endswith("; nothing was compared.")
    assert "\n" not in str(caught.value)


def test_table_that_vanishes_is_one_sentence(connection: Any) -> None:
    connection.raw_sql("CREATE OR REPLACE TABLE gone AS SELECT 1 AS a")
    table = open_table(connection.table("gone"))
    connection.raw_sql("DROP TABLE gone")
    with pytest.raises(sp.InputError, match="the Ibis table: reading column 'a' failed"):
        table.column("a")
    with pytest.raises(sp.InputError, match="the Ibis table: counting rows failed"):
        open_table(ibis.table({"a": "int"}, name="unbound"))

"""Tables in Spark, as far as they can be tried without it; tests/engines has the rest."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from shiftproof import InputError
from shiftproof.core import Table, as_table, open_table
from shiftproof.warehouse import SparkColumns, SparkPair, check_one_engine, on_spark, open_frame, scored_rows
from shiftproof.warehouse._spark import _reason, is_spark, quoted


class Drawn(SparkColumns):
    """A Spark table whose rows are in this process."""

    def __init__(self, rows: pa.Table, types: dict[str, str], profile: dict[str, Any]) -> None:
        self.rows, self.names, self.n_rows = rows, tuple(rows.column_names), profile["rows"]
        self.__dict__ |= {"types": types, "profile": profile}

    def drawn_rows(self, most: int, columns: Any = None, *, after: int = 0) -> Any:
        return self.rows.select(columns or self.names).slice(after, most)


def there(n_rows: int = 50_000, **columns: Any) -> Drawn:
    rows = pa.table(columns or {"x": [1.0, 2.0, 3.0]})
    return Drawn(rows, dict.fromkeys(rows.column_names, "double"), {"rows": n_rows})


def wrapped(source: SparkColumns) -> Table:
    return open_table(source)


def test_a_frame_of_spark_is_known_by_its_class() -> None:
    frame: Any = type("DataFrame", (), {"__module__": "pyspark.sql.classic.dataframe"})()
    assert is_spark(frame)
    assert not is_spark(pd.DataFrame())
    assert open_frame([1, 2]) == [1, 2]


def test_names_are_quoted() -> None:
    assert quoted("a.b") == "`a.b`"


def test_both_tables_are_in_spark_or_none() -> None:
    old, new, here = wrapped(there()), wrapped(there()), as_table({"x": [1.0]})
    assert isinstance(on_spark((old, new)), SparkPair)
    assert on_spark((old, here)) is on_spark(None) is None
    check_one_engine(old, new, ("reference", "current"))
    with pytest.raises(InputError, match=r"^current must be a Spark DataFrame, as reference is"):
        check_one_engine(old, here, ("reference", "current"))


def test_a_whole_column_stays_on_the_cluster_but_a_sample_does_not() -> None:
    table = wrapped(there())
    with pytest.raises(InputError) as caught:
        table.column("x")
    assert str(caught.value) == ("the Spark DataFrame: column 'x' stays on the cluster and can only be compared there.")
    assert table.n_rows == 50_000
    assert table.drawn().column("x").cells() == [1.0, 2.0, 3.0]
    assert scored_rows(table, "x").n_rows == 3
    assert scored_rows(table, None) is table


def test_kinds_are_corrected_by_what_all_rows_say() -> None:
    rows = pa.table({"n": [7, 3, 5], "name": ["a", "b", "c"], "key": ["u", "v", "w"]})
    types = {"n": "bigint", "name": "string", "key": "string"}
    profile = {
        "rows": 50_000,
        "present 0": 50_000, "low 0": 1, "high 0": 50_000,
        "present 1": 50_000, "distinct 1": 900,
        "present 2": 50_000, "distinct 2": 49_800,
    }  # fmt: skip
    guessed: Any = {"n": "continuous", "name": "identifier", "key": "identifier"}
    assert Drawn(rows, types, profile).kinds_of_all_rows(guessed) == {"n": "identifier", "name": "nominal"}
    # A sample of all rows needs no correction.
    assert Drawn(rows, types, {**profile, "rows": 3}).kinds_of_all_rows(guessed) == {}


def test_reasons_are_short_and_say_what_to_install() -> None:
    assert _reason(ValueError("[DIVIDE_BY_ZERO] Division by zero.\n\nJVM stacktrace:\n...")) == (
        "[DIVIDE_BY_ZERO] Division by zero"
    )
    assert _reason(ValueError("An exception\nModuleNotFoundError: No module named 'shiftproof'")) == (
        "a worker has no module named 'shiftproof'; install shiftproof on all workers"
    )
    assert _reason(OSError()) == "OSError"

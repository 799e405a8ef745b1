"""Which rows the rules of a natural pair choose."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from benchmarks.real_runs import chosen_rows

TABLE = pd.DataFrame({"year": [2008, 2009, 2010, 2011], "place": ["a", "b", None, "a"]})


@pytest.mark.parametrize(
    ("column", "op", "value", "rows"),
    [
        ("year", "==", 2009, [1]),
        ("year", "!=", 2009, [0, 2, 3]),
        ("year", "<", 2009, [0]),
        ("year", "<=", 2009, [0, 1]),
        ("year", ">", 2009, [2, 3]),
        ("year", ">=", 2009, [1, 2, 3]),
        ("year", "between", [2009, 2010], [1, 2]),
        ("place", "in", ["a"], [0, 3]),
        ("place", "not in", ["a"], [1, 2]),
    ],
)
def test_chosen_rows_follow_the_rule(column: str, op: str, value: Any, rows: list[int]) -> None:
    assert chosen_rows(TABLE, {"column": column, "op": op, "value": value}).tolist() == rows

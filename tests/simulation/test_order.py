from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shiftproof.core import as_table
from shiftproof.simulation._order import stable_order, value_ranks


def ranks(values: Any) -> list[int]:
    found: list[int] = value_ranks(as_table({"a": values}).column("a")).tolist()
    return found


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([3, 1, None, 3], [1, 0, -1, 1]),
        (np.array([np.inf, np.nan, -np.inf, 0.0, -0.0]), [2, -1, 0, 1, 1]),
        ([True, None, False], [1, -1, 0]),
        (["b", "a", None], [1, 0, -1]),
        ([None, None], [-1, -1]),
        (["b", 1, "a", 2.5, None], [3, 1, 2, 0, -1]),  # by type, then by name: float, int, str
        (pd.Series(pd.Categorical(["lo", "hi", None], ["lo", "hi"], ordered=True)), [0, 1, -1]),
        (pd.Series(pd.Categorical(["lo", "hi", None], ["lo", "hi"])), [1, 0, -1]),
        (pd.Series(pd.Categorical([10, 9, None])), [1, 0, -1]),
        (pl.Series(["lo", "hi", None], dtype=pl.Enum(["lo", "hi"])), [0, 1, -1]),
        (pl.Series(["lo", "hi", None], dtype=pl.Categorical), [1, 0, -1]),
        (pl.Series([2, None, 1]), [1, -1, 0]),
        (pa.DictionaryArray.from_arrays([0, 1, None], ["lo", "hi"], ordered=True), [0, 1, -1]),
        (pa.DictionaryArray.from_arrays([0, 1, None], ["lo", "hi"]), [1, 0, -1]),
        (pd.to_datetime(["2024-03-01", "NaT", "2024-01-01"]), [1, -1, 0]),
        (pd.to_timedelta([3, None, 1], unit="s"), [1, -1, 0]),
        ([2**63 - 1, 2**63 - 2, None], [1, 0, -1]),
    ],
)
def test_values_stand_in_their_order_and_missing_ones_first(values: Any, expected: list[int]) -> None:
    assert ranks(values) == expected


def test_rows_with_equal_values_stand_as_they_are() -> None:
    assert stable_order(np.array([1, 0, -1, 1, 0], dtype=np.intp)).tolist() == [2, 1, 4, 0, 3]

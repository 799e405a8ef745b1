"""Equal rows have equal numbers, in every library."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from shiftproof.core import as_table, cell_keys, joint_keys, row_keys, share_by_chance

ROWS = {"a": [1.5, 0.0, None, 1.5], "b": ["x", None, "y", "x"], "c": [True, False, True, True]}


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, lambda rows: pl.DataFrame(rows).to_arrow()])
def test_row_keys_are_the_same_in_every_library(make: Any) -> None:
    np.testing.assert_array_equal(row_keys(as_table(make(ROWS))), row_keys(as_table(ROWS)))


def test_row_keys_are_equal_for_equal_rows_alone() -> None:
    keys = row_keys(as_table(ROWS))
    assert keys[0] == keys[3]
    assert len(set(keys.tolist())) == 3
    # The same value in another column is another value.
    swapped = row_keys(as_table({"a": [1, 2], "b": [2, 1]}))
    assert swapped[0] != swapped[1]


def test_cell_keys_of_missing_cells_are_zero() -> None:
    table = as_table(ROWS)
    assert (cell_keys(table.column("a")) == 0).tolist() == [False, False, True, False]
    assert (cell_keys(table.column("b")) == 0).tolist() == [False, True, False, False]
    assert cell_keys(as_table({"a": [0.0]}).column("a")) == cell_keys(as_table({"a": [-0.0]}).column("a"))


def test_joint_keys_look_at_the_chosen_columns_alone() -> None:
    columns = [np.array([1, 1, 2]), np.array([-1, 3, -1])]
    first, second = joint_keys(columns, 3, np.array([[True, False], [False, True]])).T
    assert (first[0] == first[1], first[0] == first[2]) == (True, False)
    assert (second[0] == second[1], second[0] == second[2]) == (False, True)


def test_share_by_chance_is_above_all_where_most_rows_repeat_others() -> None:
    assert share_by_chance(np.arange(1000)) == 0.02
    assert share_by_chance(np.arange(1000) // 2) > 1

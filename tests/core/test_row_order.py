from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from shiftproof.core import Argument, InputError, as_table, check_row_order


def series(index: Any) -> pd.Series[int]:
    return pd.Series(0, index=index)


@pytest.mark.parametrize(
    ("rows", "values"),
    [
        (range(4), [3, 0, 1, 2]),
        ([3, 0, 1, 2], range(4)),
        (list("abcd"), list("dcba")),
        (pd.date_range("2024", periods=4), pd.date_range("2024", periods=4)[::-1]),
        (pd.MultiIndex.from_product([[0, 1], [0, 1]]), pd.MultiIndex.from_product([[0, 1], [0, 1]])[::-1]),
        ([0, 1, 2, 3], [1.0, 0.0, 2.0, 3.0]),
        (pd.Index([0, 1, 2, 3], dtype=object), [1, 0, 2, 3]),
    ],
)
def test_check_row_order_refuses_the_same_labels_in_another_order(rows: Any, values: Any) -> None:
    for table in (pd.DataFrame({"a": series(rows)}), as_table(pd.DataFrame({"a": series(rows)})), series(rows)):
        with pytest.raises(InputError) as error:
            check_row_order(table, series(values), "y")
        assert str(error.value) == (
            "y must have its rows in the same order as X, got the same index in a different order; "
            "pass y.loc[X.index], or y.to_numpy() if the rows already correspond by position."
        )


def test_check_row_order_refuses_repeated_labels_without_advising_loc() -> None:
    with pytest.raises(InputError) as error:
        check_row_order(series([0, 1, 0, 1]), series([0, 0, 1, 1]), Argument("scores", key="m"), of="y")
    assert str(error.value) == (
        "scores['m'] must have its rows in the same order as y, got the same index in a different order; sort both "
        "the same way and reset both indexes, or pass scores['m'].to_numpy() if the rows already correspond by "
        "position."
    )


@pytest.mark.parametrize(
    ("rows", "values"),
    [
        (range(4), range(4)),
        ([0, 1, 2, 3], range(4)),
        ([0, 1, 0, 1], [0, 1, 0, 1]),
        ([1, 3, 5, 7], range(4)),  # a filtered table beside a series made anew
        (range(4), [5, 6, 7, 8]),
        ([0, 1, 1, 2], [0, 1, 2, 2]),
        (list("abcd"), range(4)),
        ([0, "a", 1, 2], ["a", 5, 6, 7]),
        (pd.date_range("2024", periods=4), range(4)),
        (pd.MultiIndex.from_product([[0, 1], [0, 1]]), range(4)),
        (pd.CategoricalIndex(list("abcd")), range(4)),
        (range(4), range(3)),  # lengths are checked elsewhere
    ],
)
def test_check_row_order_takes_other_labels_by_position(rows: Any, values: Any) -> None:
    check_row_order(pd.DataFrame({"a": series(rows)}), series(values), "y")


@pytest.mark.parametrize(
    "values", [[1, 0], (1, 0), np.array([1, 0]), pl.Series([1, 0]), None, "name", pd.Index([1, 0])]
)
def test_check_row_order_ignores_what_has_no_index(values: Any) -> None:
    check_row_order(pd.DataFrame({"a": [1, 2]}, index=[1, 0]), values, "y")
    check_row_order(values, pd.Series([1, 2], index=[1, 0]), "y")

"""Which features left the range, in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from shiftproof.case import Tables
from shiftproof.selection._range import OutsideRange, outside_range
from shiftproof.selection._words import outside_text


def test_columns_are_named_by_how_many_rows_left() -> None:
    old = pd.DataFrame({"a": [0.0, 1.0], "b": [0, 10], "c": ["x", "y"]})
    new = pd.DataFrame({"a": [2.0, 0.5, 0.5, 0.5], "b": [11, -1, 5, 5], "c": ["z", "z", "z", "z"]})
    outside = outside_range(Tables(labelled=old, new=new))
    assert outside is not None
    assert outside_text(outside) == (
        "50% of the new rows have a feature outside the range of the labelled rows ('b' and 'a')."
    )


def test_missing_values_are_neither_in_nor_out() -> None:
    old = pd.DataFrame({"a": pd.array([1, None, 3], dtype="Int64"), "b": [np.nan, 1.0, 2.0]})
    new = pd.DataFrame({"a": pd.array([None, 9, 2], dtype="Int64"), "b": [np.nan, 1.5, np.nan]})
    assert outside_range(Tables(labelled=old, new=new)) == OutsideRange(share=1 / 3, columns=("a",))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (None, None),
        (["a text", "more"], ["a text"]),
        (sparse.csr_matrix((2, 2)), sparse.csr_matrix((2, 2))),
        ({"a": [np.nan, np.nan]}, {"a": [1.0, 2.0]}),
        ({"a": ["x"]}, {"a": ["y"]}),
        ({"a": [1.0]}, {"b": [2.0]}),
        ({"a": list(range(100))}, {"a": [*range(99), 100]}),
    ],
)
def test_nothing_to_say(old: Any, new: Any) -> None:
    assert outside_range(Tables(labelled=old, new=new)) is None

"""Which columns of a wide table are ranked, and which are left out by name."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import shiftproof as sp
from shiftproof.comparison._compare import _HIGHER_IS_BETTER
from shiftproof.core import ColumnsLeftOut, InputError
from shiftproof.measures import MEASURES

LOSSES = {"tree": [0.3, 0.2, 0.4, 0.5, 0.1], "forest": [0.2, 0.1, 0.3, 0.4, 0.05]}
REFUSED = "; to compare such a column, pass one row per loss with the columns dataset, method and loss."


@pytest.mark.parametrize(
    ("name", "values", "reason"),
    [
        ("n_rows", [100, 20, 50, 70, 10], "describes the rows"),
        ("Random State", [0.5] * 5, "describes the rows"),
        ("customer_id", [0.1, 0.2, 0.3, 0.4, 0.5], "describes the rows"),
        ("x", [5, 6, 7, 8, 9], "counts the rows"),
        ("x", [5.0, 3.0, 9.0, 1.0, 4.0], "only whole numbers, while other columns have fractions"),
        ("x", ["0", "1", "1", "0", "1"], "only whole numbers, while other columns have fractions"),
    ],
)
@pytest.mark.parametrize("higher", [False, True])
def test_compare_leaves_out_columns_that_describe_rows(
    name: str, values: list[object], reason: str, higher: bool
) -> None:
    with pytest.warns(ColumnsLeftOut) as told:
        found = sp.compare(pd.DataFrame({**LOSSES, name: values}), lower_is_better=not higher)
    assert str(told[0].message) == f"left out of tests: {name!r} ({reason}){REFUSED}"
    assert set(found.methods) == {"tree", "forest"}


def test_compare_ranks_whole_numbers_among_whole_numbers_and_perfect_methods() -> None:
    assert set(sp.compare({"a": [12, 13, 19], "b": [11, 15, 19]}).methods) == {"a", "b"}
    assert sp.compare({**LOSSES, "oracle": np.zeros(5)}).methods[0] == "oracle"
    # Floats of this size are all whole.
    assert sp.compare({"poor": np.linspace(0.1, 0.5, 5) * 1e90, **LOSSES}).methods[-1] == "poor"


def test_compare_of_ids_alone_asks_for_methods() -> None:
    with pytest.warns(ColumnsLeftOut), pytest.raises(InputError) as refusal:
        sp.compare({"id": [1, 2, 3], "seed": [1, 1, 1]})
    assert str(refusal.value) == ("results must hold at least two methods, got []; add the losses of another method.")


def test_compare_asks_for_a_column_of_datasets_in_other_letters() -> None:
    with pytest.raises(InputError) as refusal:
        sp.compare({**LOSSES, "Dataset": [1, 1, 2, 2, 3]})
    assert str(refusal.value) == (
        "dataset_column must name the column of datasets, got no name, although results has a column 'Dataset'; pass "
        "dataset_column='Dataset'."
    )


def test_compare_refuses_to_minimise_a_measure_of_which_higher_is_better() -> None:
    rows = pd.DataFrame({"dataset": ["a", "a", "b", "b"], "method": ["x", "y"] * 2, "AUC": [0.1, 0.2, 0.3, 0.4]})
    with pytest.raises(InputError) as refusal:
        sp.compare(rows, loss_column="AUC")
    assert str(refusal.value) == (
        "loss_column must name a measure for which lower is better, got 'AUC'; pass lower_is_better=False to compare "
        "it, or rename the column."
    )
    assert sp.compare(rows, loss_column="AUC", lower_is_better=False).methods == ("y", "x")
    higher = {name for name, measure in MEASURES.items() if measure.higher_is_better}
    assert higher <= _HIGHER_IS_BETTER
    assert not _HIGHER_IS_BETTER & (MEASURES.keys() - higher)

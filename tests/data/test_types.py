from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from scipy import sparse

from shiftproof import InputError
from shiftproof.data import ColumnTypes

LABELLED = pd.DataFrame(
    {
        "visits": [2, 5, 3],
        "smoker": [True, False, True],
        "job": ["nurse", "clerk", "clerk"],
        "since": ["2020-01-01"] * 3,
    }
).astype({"since": "datetime64[ns]"})
TYPES = ColumnTypes.of(LABELLED)


@pytest.mark.parametrize(
    "changed",
    [
        {"visits": [2.0, None, 1.5]},
        {"smoker": [0, 1, 0]},
        {"job": pd.Categorical(["clerk", "clerk", "cook"])},
        {"visits": [None, None, None]},
        {"visits": [1, "n/a", 2]},
        {"more": ["a", "b", "c"]},
    ],
    ids=[
        "fractions",
        "zeros and ones for booleans",
        "categories for text",
        "no values",
        "numbers with a text",
        "another column",
    ],
)
def test_check_accepts_values_of_the_same_type(changed: dict[str, Any]) -> None:
    TYPES.check(LABELLED.assign(**changed))
    TYPES.check(LABELLED[["visits"]])


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (
            {"visits": [True, False, True]},
            "column 'visits' holds numbers in the labelled data (such as 2) and booleans in the new data (such as "
            "True); convert one of them.",
        ),
        (
            {"job": [0, 1, 1]},
            "column 'job' holds text in the labelled data (such as 'nurse') and numbers in the new data (such as 0); "
            "convert one of them.",
        ),
        (
            {"visits": LABELLED["since"]},
            "column 'visits' holds numbers in the labelled data (such as 2) and dates in the new data (such as "
            "2020-01-01 00:00:00); convert one of them.",
        ),
        (
            {"since": LABELLED["since"].dt.tz_localize("UTC")},
            "column 'since' has a time zone in one table only, in the new data and not in the labelled data (such as "
            "2020-01-01 00:00:00 against 2020-01-01 00:00:00+00:00); convert both to UTC.",
        ),
    ],
)
def test_check_names_the_column_that_holds_another_type(changed: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as error:
        TYPES.check(LABELLED.assign(**changed))
    assert str(error.value) == sentence


def test_check_ignores_identifiers_which_no_test_uses() -> None:
    ids = ColumnTypes.of({"id": [f"customer {number}" for number in range(60)]})
    ids.check({"id": [1, 2, 3]})


def test_texts_and_sparse_matrices_have_no_types_to_compare() -> None:
    for rows in (sparse.csr_matrix([[1.0, 0.0]]), ["a text", "another"]):
        assert ColumnTypes.of(rows).natures == {}
        TYPES.check(rows)

"""Which columns a fitted model uses, and gets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from shiftproof.panel import columns_used
from shiftproof.panel._columns import own_columns

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(RNG.normal(size=(40, 4)), columns=list("abcd")).assign(day=pd.Timestamp("2026-01-01"))
Y = (TABLE["a"] > 0).astype(int)


@pytest.mark.parametrize(
    ("chosen", "used"),
    [
        ("b", None),
        (["b", "a"], "ab"),
        ([0, 2], "ac"),
        ([-2], "d"),
        (slice("b", "d"), "bcd"),
        (slice(1, 3), "bc"),
        (np.array([True, False, False, True, False]), "ad"),
        (make_column_selector(dtype_include=float), "abcd"),
    ],
)
def test_columns_used_of_a_transformer(chosen: Any, used: str | None) -> None:
    if used is None:  # one column by name is given as a vector
        transformer = ColumnTransformer([("one", FunctionTransformer(np.reshape, kw_args={"shape": (-1, 1)}), chosen)])
        used = chosen
    else:
        transformer = ColumnTransformer([("some", "passthrough", chosen)])
    model = make_pipeline(transformer, LogisticRegression()).fit(TABLE, Y)
    assert columns_used(model) == frozenset(used)


def test_columns_used_of_a_search_and_of_a_remainder() -> None:
    transformer = ColumnTransformer([("no", "drop", ["day", "d"])], remainder="passthrough")
    search = GridSearchCV(make_pipeline(transformer, LogisticRegression()), {"logisticregression__C": [1.0]}, cv=2)
    assert columns_used(search.fit(TABLE, Y)) == frozenset("abc")


def test_columns_used_without_names_are_unknown_and_without_a_transformer_all() -> None:
    numbers = TABLE[["a", "b"]]
    assert columns_used(LogisticRegression()) is None
    assert columns_used(LogisticRegression().fit(numbers.to_numpy(), Y)) is None
    assert columns_used(LogisticRegression().fit(numbers, Y)) == frozenset("ab")


def test_own_columns_are_in_the_order_of_the_model() -> None:
    model = LogisticRegression().fit(TABLE[["c", "a"]], Y)
    assert list(own_columns(model, TABLE)) == ["c", "a"]
    assert own_columns(model, TABLE[["a", "c"]]).columns.tolist() == ["a", "c"]  # the model says that the order differs
    assert own_columns(model, TABLE[["a", "b"]]).columns.tolist() == ["a", "b"]  # and that one is missing
    array = TABLE[["a"]].to_numpy()
    assert own_columns(model, array) is array

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

from shiftproof.panel import columns_used, cross_fit
from shiftproof.panel._columns import chosen, columns_to_give

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


def test_columns_to_give_are_those_of_a_model_that_refuses_others() -> None:
    model = LogisticRegression().fit(TABLE[["c", "a"]], Y)
    assert columns_to_give(model, TABLE) == ("c", "a")
    assert chosen(TABLE, ("c", "a")).columns.tolist() == ["c", "a"]
    # Without others, in another order, and without one of them, the model says itself what is wrong.
    for table in (TABLE[["c", "a"]], TABLE[["a", "c"]], TABLE[["a", "b"]]):
        assert columns_to_give(model, table) is None
    array = TABLE[["a"]].to_numpy()
    assert columns_to_give(model, array) is None
    assert chosen(array, None) is array


class _DropsDay(LogisticRegression):  # type: ignore[misc]
    """A model that chooses its columns itself."""

    def fit(self, X: Any, y: Any) -> _DropsDay:
        fitted: _DropsDay = super().fit(X.drop(columns="day"), y)
        return fitted

    def predict(self, X: Any) -> Any:
        return super().predict(X.drop(columns="day"))

    def predict_proba(self, X: Any) -> Any:
        return super().predict_proba(X.drop(columns="day"))


def test_a_model_that_takes_the_whole_table_gets_it() -> None:
    model = _DropsDay().fit(TABLE, Y)
    assert columns_to_give(model, TABLE) is None
    assert cross_fit({"m": model}, TABLE, Y, cv="prefit").names == ("m",)
    assert cross_fit({"m": _DropsDay()}, TABLE, Y, cv=3).names == ("m",)

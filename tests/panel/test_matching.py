"""A panel knows the table and the labels it was made from."""

from __future__ import annotations

import pandas as pd
import polars as pl
from sklearn.naive_bayes import GaussianNB
from tests.panel.cases import error_of, task

from shiftproof.panel import Panel, cross_fit


def test_fingerprints() -> None:
    X, y = task()
    numbers = pd.DataFrame(X, columns=list("abc"))
    panel = cross_fit(GaussianNB(), numbers, y, cv=2)
    panel.matches(numbers, y)
    panel.matches(pl.from_pandas(numbers), y.tolist())
    panel.matches()
    hint = "pass the same rows in the same order."
    words = f"X must be the table that the panel was made from, got one with other values or columns; {hint}"
    for other in (numbers[::-1], numbers + 1, numbers[["b", "a", "c"]], X):
        assert error_of(lambda other=other: panel.matches(other)) == words
    lacking = "X lacks 'a', which the panel was made with; pass it too, or make the panel again without it."
    for other in (numbers[["b", "c"]], numbers.rename(columns={"a": "z"})):
        assert error_of(lambda other=other: panel.matches(other)) == lacking
    words = f"y must match the panel's labels, got other labels in 60 of 60 rows; {hint}"
    assert error_of(lambda: panel.matches(numbers, 1 - y)) == words
    one = y.copy()
    one[0] = 1 - one[0]
    assert "must match the panel's labels, got other labels in 1 of 60 rows;" in error_of(
        lambda: panel.matches(numbers, one)
    )
    words = f"y must match the panel's labels, got 59 labels instead of 60; {hint}"
    assert error_of(lambda: panel.matches(y=y[1:])) == words
    scores = Panel.from_scores(y, {"m": y.astype(float)})
    scores.matches(X, y)
    assert "got 3 rows instead of 60" in error_of(lambda: scores.matches(X[:3]))

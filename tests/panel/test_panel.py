"""The noun: scores without models, new rows fold by fold, fingerprints, words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from tests.panel.cases import error_of, task

from shiftproof.panel import Panel, cross_fit


def test_panel_refuses_bad_scores_names_and_thresholds() -> None:
    panel = Panel.from_scores(["a", "b"], {"m": [0.1, 0.9]})
    three = Panel.from_scores(["a", "b", "c"], {"m": np.eye(3)})
    words = "new has scores for 'n', but scores does not; use the same model names in both ('m')."
    assert error_of(lambda: Panel.from_scores(["a", "b"], {"m": [0.1, 0.9]}, new={"n": [0.5]})) == words
    assert error_of(lambda: three.out_of_fold and Panel.from_scores(["a", "b", "c"], {"m": [0.1, 0.9, 0.2]})) == (
        "scores['m'] must have 3 columns, got shape (3,); one for each of 'a', 'b' and 'c'."
    )
    assert (
        error_of(lambda: panel.apply([[1]]))
        == "scoring new rows needs the models, but the panel has only scores; make it with cross_fit."
    )
    words = "scoring new rows fold by fold needs the models, but the panel has only scores; make it with cross_fit."
    assert error_of(lambda: panel.apply_by_fold([[1]])) == words
    assert error_of(lambda: panel.predictions("x")) == "name must be a model of the panel, got 'x'; available: 'm'."
    words = (
        "threshold must be left out for more than two classes, got 0.3; leave it out to predict the most likely class."
    )
    assert error_of(lambda: three.predictions("m", threshold=0.3)) == words
    words = "pos_label must be one of 'a' and 'b', got 'c'; labels must match exactly."
    assert error_of(lambda: panel.positive("c")) == words
    words = "pos_label must be given for 3 classes; choose one of 'a', 'b' and 'c'."
    assert error_of(three.positive) == words


def test_the_positive_class_and_the_threshold() -> None:
    panel = Panel.from_scores(["a", "b", "b"], {"m": [0.1, 0.4, 0.6]}, pos_label="b")
    assert (panel.positive(), panel.positive("b"), panel.positive("a")) == (1, 1, 0)
    assert panel.predictions("m").tolist() == [0, 0, 1]
    assert panel.predictions("m", threshold=0.4).tolist() == [0, 1, 1]
    assert panel.predictions("m", threshold=0.7, pos_label="a").tolist() == [0, 1, 1]


def test_new_rows_are_taken_by_name() -> None:
    X, y = task()
    frame = pd.DataFrame(X, columns=list("abc"))
    panel = cross_fit(LogisticRegression(), frame, y, cv=2)
    expected = panel.apply(frame)["LogisticRegression"]
    other = pl.from_pandas(frame[["c", "a", "b"]].assign(more=1))
    np.testing.assert_allclose(panel.apply(other)["LogisticRegression"], expected, atol=1e-12)
    words = "X_new has no column 'b', which X has; add it, or leave it out of both tables."
    assert error_of(lambda: panel.apply(frame[["a", "c"]])) == words
    words = "X_new must have named columns, as X had, got an array without names; pass a table with 'a', 'b' and 'c'."
    assert error_of(lambda: panel.apply(X)) == words
    assert error_of(lambda: panel.apply(X[:, :2])) == (
        "X_new must have 3 columns, got 2; give the columns of X, in the same order."
    )
    of_array = cross_fit(LogisticRegression(), X, y, cv=2)
    np.testing.assert_allclose(of_array.apply(frame)["LogisticRegression"], expected, atol=1e-12)


def test_without_refitted_models_only_the_folds_can_score() -> None:
    X, y = task()
    panel = cross_fit(GaussianNB(), X, y, cv=2, refit=False)
    words = "scoring new rows needs the refitted models; call cross_fit with refit=True."
    assert error_of(lambda: panel.apply(X)) == words
    assert panel.apply_by_fold(X)["GaussianNB"].shape == (60, 2)


def test_apply_names_the_model_that_cannot_score() -> None:
    class Percent(GaussianNB):  # type: ignore[misc]
        def predict_proba(self, X: Any) -> Any:
            return super().predict_proba(X) * (100 if len(X) == 1 else 1)

    X, y = np.arange(12.0)[:, None], np.arange(12) % 2
    panel = cross_fit({"good": GaussianNB(), "bad": Percent()}, X, y, cv=2)
    assert error_of(lambda: panel.apply([[1.0]])).startswith(
        "'bad' cannot score X_new: predict_proba must lie between 0"
    )
    assert error_of(lambda: panel.apply([[1.0]], models=["god"])) == (
        "models must be a model of the panel; got 'god'. Did you mean 'good'?"
    )
    assert list(panel.apply([[1.0]], models=["good"])) == ["good"]

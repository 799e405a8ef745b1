"""Quantifiers that users write: the documented members are enough for `quantify` and `run_protocol`."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

import shiftproof as sp
from shiftproof import InputError
from shiftproof.quantification import (
    METHODS,
    ClassifierQuantifier,
    ClassifyAndCount,
    Labelled,
    Learned,
    Method,
    NearestNeighbors,
    Quantifier,
    Samples,
    run_protocol,
)

RNG = np.random.default_rng(0)
Y = np.repeat(["no", "yes"], [200, 120])
X = RNG.normal(size=(320, 2)) + 1.5 * (Y == "yes")[:, None]
Y_NEW = np.repeat(["no", "yes"], [40, 120])
X_NEW = RNG.normal(size=(160, 2)) + 1.5 * (Y_NEW == "yes")[:, None]


class FirstColumn(Quantifier):
    """RowScores of its own: the rank of the first column."""

    fits = 0

    def __init__(self, group: str | None = None) -> None:
        self.group = group

    @property
    def method(self) -> Method:
        return METHODS["adjusted count"]

    def score_labelled(self, X: Any, y: Any) -> Labelled:
        type(self).fits += 1
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.column_ = np.sort(np.asarray(X)[:, 0])
        return Labelled(self.score_new(X), codes)

    def score_new(self, X: Any) -> Any:
        rank = np.searchsorted(self.column_, np.asarray(X)[:, 0]) / len(self.column_)
        return np.column_stack([1 - rank, rank])

    def share_key(self) -> Hashable:
        return super().share_key() if self.group is None else self.group


class Half(Learned):
    def _shares(self, samples: Samples) -> Any:
        return np.full((samples.n_samples, 2), 0.5)


class AlwaysHalf(ClassifierQuantifier):
    """A method of its own on the scores of any classifier."""

    @property
    def method(self) -> Method:
        return Method("always half", lambda labelled: Half(n_classes=labelled.n_classes))


class CountedFits(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Counts how often it is fitted."""

    fits = 0

    def fit(self, X: Any, y: Any) -> CountedFits:
        type(self).fits += 1
        self.model_ = LogisticRegression().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X: Any) -> Any:
        return self.model_.predict_proba(X)


def test_quantify_with_an_own_quantifier_counts_by_its_scores() -> None:
    found = sp.quantify(FirstColumn(), X, Y, X_NEW, resamples=40)
    fitted = FirstColumn().fit(X, Y)
    np.testing.assert_allclose(list(found.estimate.values()), fitted.predict(X_NEW))
    assert (found.model, found.method) == ("FirstColumn", "adjusted count")
    assert fitted.predict_interval(X_NEW, resamples=40)[1].low < 0.75


def test_quantify_with_an_own_method_uses_its_classifier() -> None:
    found = sp.quantify(AlwaysHalf(LogisticRegression()), X, Y, X_NEW, check=False, resamples=20)
    assert found.estimate == {"no": 0.5, "yes": 0.5}
    assert (found.model, found.method) == ("classifier", "always half")


@pytest.mark.parametrize("settings", [{}, {"test": 0.5}, {"nested": True}, {"test": (X_NEW, Y_NEW)}])
def test_run_protocol_takes_own_quantifiers_beside_others(settings: dict[str, Any]) -> None:
    mine = {"own": FirstColumn(), "half": AlwaysHalf(), "cc": ClassifyAndCount(), "near": NearestNeighbors(5)}
    frame = run_protocol(mine, X, Y, cv=3, **settings)
    assert frame["method"].drop_duplicates().tolist() == list(mine)
    assert (frame.loc[frame["method"] == "half", "estimated"] == 0.5).all()
    error = (frame["estimated"] - frame["true"]).abs().groupby(frame["method"]).mean()
    assert error["own"] < error["half"]


def test_run_protocol_scores_each_fold_of_an_own_quantifier_by_the_other_folds() -> None:
    alone = run_protocol(FirstColumn(), X, Y, cv=3)
    assert alone["fold"].nunique() == 3
    nested = run_protocol(FirstColumn(), X, Y, cv=3, nested=True)
    # It has no folds of its own, so that nesting changes nothing.
    np.testing.assert_allclose(alone["estimated"], nested["estimated"])


def test_run_protocol_scores_once_per_share_key() -> None:
    FirstColumn.fits = 0
    run_protocol({"a": FirstColumn("same"), "b": FirstColumn("same")}, X, Y, cv=3)
    assert FirstColumn.fits == 3
    run_protocol({"a": FirstColumn(), "b": FirstColumn()}, X, Y, cv=3)
    assert FirstColumn.fits == 9


def test_run_protocol_fits_the_classifier_of_an_own_method_once_for_all() -> None:
    CountedFits.fits = 0
    run_protocol([AlwaysHalf(CountedFits()), ClassifyAndCount(CountedFits())], X, Y, cv=4)
    assert CountedFits.fits == 4


class Careless(Quantifier):
    """Does one thing wrong, by name."""

    def __init__(self, mistake: str) -> None:
        self.mistake = mistake

    @property
    def method(self) -> Any:
        return "adjusted count" if self.mistake == "method" else METHODS["classify and count"]

    def score_labelled(self, X: Any, y: Any) -> Any:
        self.classes_, codes = np.unique(y, return_inverse=True)
        if self.mistake == "classes":
            self.classes_ = np.array([0, 1, 2])
        scores = np.tile([0.4, 0.6], (len(X), 1))
        return scores if self.mistake == "labelled" else Labelled(scores, codes)

    def score_new(self, X: Any) -> Any:
        if self.mistake == "raises":
            raise RuntimeError("no connection")
        scores = np.tile([0.4, 0.6], (len(X), 1))
        return {"shape": scores[:, 1], "percent": 100 * scores, "missing": scores * np.nan, "one row": scores[:1]}.get(
            self.mistake, scores
        )


MISTAKES = {
    "method": "Careless.method must be a Method, got 'adjusted count'; use one of METHODS, or write your own.",
    "classes": "Careless.score_labelled must set classes_ to one label for each of 2 columns, got 3 labels; "
    "np.unique(y) gives them.",
    "labelled": "Careless.score_labelled must return a Labelled, got an array of shape (320, 2); write "
    "Labelled(scores, codes).",
    "shape": "Careless.score_new gave wrong scores: probabilities must have one row per case and a column per class, "
    "got shape (160,); give 1 - p and p for two classes.",
    "percent": "Careless.score_new gave wrong scores: probabilities must lie between 0 and 1, got 40; turn decision "
    "values into probabilities first, or divide percentages by 100.",
    "missing": "Careless.score_new gave wrong scores: probabilities must be finite, got nan; drop or fill the 320 "
    "missing or infinite values first.",
    "one row": "Careless.score_new must give one row per row of X; got 1 for 160 rows.",
    "raises": "Careless failed with RuntimeError: no connection.",
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_quantify_and_run_protocol_name_an_own_quantifier_that_misbehaves(mistake: str) -> None:
    with pytest.raises(InputError) as caught:
        sp.quantify(Careless(mistake), X, Y, X_NEW, check=False, resamples=20)
    assert str(caught.value) == MISTAKES[mistake]
    with pytest.raises(InputError, match=r"^Careless"):
        run_protocol(Careless(mistake), X, Y, test=(X_NEW, Y_NEW))


def test_predict_refuses_scores_of_other_rows_and_shows_the_own_error() -> None:
    with pytest.raises(InputError) as caught:
        Careless("one row").fit(X, Y).predict(X_NEW)
    assert str(caught.value) == MISTAKES["one row"]
    with pytest.raises(RuntimeError, match="no connection"):
        Careless("raises").fit(X, Y).predict(X_NEW)


class Undefined(Learned):
    def _shares(self, samples: Samples) -> Any:
        return np.full((samples.n_samples, 2), np.nan)


class AlwaysUndefined(ClassifierQuantifier):
    @property
    def method(self) -> Method:
        return Method("undefined", lambda labelled: Undefined(n_classes=labelled.n_classes))


def test_shares_of_an_own_method_must_be_finite() -> None:
    with pytest.raises(InputError) as caught:
        AlwaysUndefined(LogisticRegression(), cv=2).fit(X, Y).predict(X_NEW)
    sentence = (
        "Undefined must give finite shares of shape (1, 2), got NaN, infinity or no share above 0; a row for each"
    )
    assert str(caught.value) == f"{sentence} sample."

"""Quantifiers that users write: the documented members are enough for `quantify` and `run_protocol`."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

import shiftproof as sp
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

"""Fitted models are recognized, and a warning says that they are fitted again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import shiftproof as sp
from shiftproof.core import RefittedModel
from shiftproof.panel import cross_fit, is_fitted, warn_refitted
from shiftproof.selection import reverse_test

Array = np.ndarray[Any, Any]
USE = (
    "Pass cv='prefit' to use them as is, with labelled rows that they were not trained on. To refit them without "
    "this warning, pass unfitted clones."
)


class Stateless(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Scores by the first column; there is nothing to learn."""

    def __init__(self) -> None:
        self.classes_ = np.array([0, 1])

    def fit(self, X: Array, y: Array) -> Stateless:  # noqa: ARG002 - scikit-learn's signature
        return self

    def predict_proba(self, X: Array) -> Array:
        p = 1 / (1 + np.exp(-X[:, 0]))
        return np.column_stack([1 - p, p])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags


class Foreign:
    """A classifier of another library, which says `classes_` is empty before fit."""

    def __init__(self) -> None:
        self.classes_: list[int] = []

    def fit(self, X: Array, y: Array) -> Foreign:  # noqa: ARG002 - scikit-learn's signature
        self.classes_ = sorted(set(y.tolist()))
        return self

    def predict_proba(self, X: Array) -> Array:
        return np.full((len(X), 2), 0.5)


def rows() -> tuple[Array, Array]:
    X = np.random.default_rng(0).normal(size=(80, 2))
    return X, (X[:, 0] > 0).astype(int)


FITTED = {
    "classifier": LogisticRegression(),
    "pipeline": make_pipeline(StandardScaler(), GaussianNB()),
    "stateless first step": make_pipeline(FunctionTransformer(), GaussianNB()),
    "search": GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2),
    "vote": VotingClassifier([("nb", GaussianNB())]),
    "foreign": Foreign(),
}


@pytest.mark.parametrize("kind", FITTED)
def test_fitted_models_warn_by_name(kind: str) -> None:
    model = FITTED[kind]
    warn_refitted({"mine": model})
    X, y = rows()
    model.fit(X, y)
    assert is_fitted(model)
    with pytest.warns(RefittedModel) as caught:
        warn_refitted({"mine": model, "fresh": GaussianNB()})
    assert str(caught[0].message) == f"refitting models that are already fitted: 'mine'. {USE}"
    assert caught[0].message.models == ("mine",)  # type: ignore[union-attr]


def test_models_that_keep_their_fit_never_warn() -> None:
    X, y = rows()
    inner = LogisticRegression().fit(X, y)
    frozen = FrozenEstimator(inner)
    around = [frozen, Stateless(), CalibratedClassifierCV(frozen), GridSearchCV(inner, {})]
    warn_refitted({str(place): model for place, model in enumerate(around)})


def test_a_model_without_fit_is_fitted() -> None:
    assert is_fitted(object())
    warn_refitted({"scores only": object()})


@pytest.mark.parametrize("how", [{"cv": 3}, {"cv": "prefit"}])
def test_cross_fit_never_warns_if_cv_is_given(how: dict[str, Any]) -> None:
    X, y = rows()
    cross_fit(GaussianNB().fit(X, y), X, y, **how)


def test_every_verb_warns_about_a_fitted_model() -> None:
    X, y = rows()
    models = {"nb": GaussianNB().fit(X, y), "lr": LogisticRegression().fit(X, y)}
    calls: list[Callable[[], object]] = [
        lambda: sp.cross_fit(models, X, y),
        lambda: sp.evaluate(models, X, y, measures=["accuracy"]),
        lambda: sp.quantify({"nb": models["nb"]}, X, y, X),
        lambda: sp.estimate_performance(models, X, y, X),
        lambda: sp.select(models, X, y, X, reverse=False),
        lambda: sp.select(models, X, y, X, method="leave-one-out", reverse=False),
        lambda: sp.audit(models, X, y, X, quick=True),
        lambda: sp.stress(models, X, y),
        lambda: reverse_test(models, X, y, X),
    ]
    for call in calls:
        # Warnings are errors in tests, so each call stops before it fits anything.
        with pytest.raises(RefittedModel, match="already fitted: 'nb'"):
            call()

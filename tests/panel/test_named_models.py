"""Models have names, given or made, and what is no model is refused."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.panel.cases import error_of

from shiftproof.panel import named_entries, named_models


def test_named_models_are_named_after_their_classes() -> None:
    models = [GaussianNB(), GaussianNB(), make_pipeline(StandardScaler(), LogisticRegression())]
    assert list(named_models(models)) == ["GaussianNB", "GaussianNB 2", "LogisticRegression"]
    assert list(named_models(GaussianNB())) == ["GaussianNB"]


def test_named_entries_keep_the_names_of_a_dict_as_text() -> None:
    assert list(named_entries({1: GaussianNB(), "nb": GaussianNB()}, "models")) == ["1", "nb"]


@pytest.mark.parametrize(
    ("models", "words"),
    [
        ({}, "models must hold at least one classifier, got none; sp.default_models() returns seven."),
        (
            {"nb": GaussianNB},
            "models['nb'] must be an estimator, got the class GaussianNB; write GaussianNB(), with parentheses.",
        ),
        (
            "lrr",
            "models must be classifiers, such as sp.default_models(only=['lr']); got 'lrr'. Did you mean 'lr'?",
        ),
        (
            ["logistic"],
            "models must be classifiers, such as sp.default_models(only=['lr']), got 'logistic'; "
            "available: 'lr', 'nb', 'tree', 'knn', 'svm', 'forest', 'boost'.",
        ),
        ({"mine": "lr"}, "models must be classifiers, got 'lr'; write sp.default_models(only=['lr'])."),
        (
            [3],
            "models must be a classifier with fit, or with predict_proba and classes_, got 3; if you only have scores, "
            "use sp.Panel.from_scores.",
        ),
        (
            make_pipeline(StandardScaler(), LinearRegression()),
            "LinearRegression is not a classifier: it predicts numbers; pass a classifier.",
        ),
        (
            StandardScaler(),
            "StandardScaler is not a classifier: it has neither predict_proba nor decision_function; "
            "pass a classifier.",
        ),
        (
            {1: GaussianNB(), "1": GaussianNB()},
            "models must have names that differ as text, got 1 and '1'; rename one of them.",
        ),
    ],
)
def test_named_models_refuse_what_is_no_model_in_one_sentence(models: Any, words: str) -> None:
    assert error_of(lambda: named_models(models)) == words

"""Comparisons with the best model: each model's folds are measured once, and the sizes are those of the folds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import shiftproof as sp
from shiftproof.evaluation._compare import compare_with_best
from shiftproof.evaluation._setup import Setup
from shiftproof.stats import corrected_resampled_t


@pytest.fixture(scope="module")
def rows() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    return X, (X[:, 0] + rng.normal(size=200) > 0).astype(int)


def test_fold_values_are_computed_once_per_model(rows: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    models = {"lr": LogisticRegression(), "nb": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}
    panel = sp.cross_fit(models, *rows, cv=4)
    computed, plain = [], Setup.fold_values

    def counted(self: Setup, name: str, measure: str) -> Any:
        computed.append(name)
        return plain(self, name, measure)

    monkeypatch.setattr(Setup, "fold_values", counted)
    compare_with_best(Setup(panel=panel), ["lr", "nb", "tree"], "auc")
    assert computed == ["lr", "nb", "tree"]


def test_a_single_model_is_compared_with_nothing(rows: tuple[Any, Any]) -> None:
    assert compare_with_best(Setup(panel=sp.cross_fit(GaussianNB(), *rows, cv=3)), ["GaussianNB"], "auc") == {}


def test_comparison_uses_the_training_rows_of_the_splitter(rows: tuple[Any, Any]) -> None:
    # Half the rows are left out of both parts, so that the number of rows says nothing about training.
    splitter = ShuffleSplit(5, train_size=60, test_size=40, random_state=0)
    panel = sp.cross_fit({"lr": LogisticRegression(), "nb": GaussianNB()}, *rows, cv=splitter)
    setup = Setup(panel=panel)
    differences = setup.fold_values("lr", "brier") - setup.fold_values("nb", "brier")
    comparison = compare_with_best(setup, ["lr", "nb"], "brier")["nb"]
    expected = corrected_resampled_t(
        differences, n_train=60, n_test=40, level=0.9, names=("lr", "nb"), higher_is_better=False
    )
    assert comparison is not None
    assert comparison.p_value == expected.p_value

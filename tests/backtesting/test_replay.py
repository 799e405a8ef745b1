from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, roc_auc_score

from shiftproof.backtesting._replay import LabelledPast, replay, sampled_rows, scores_between
from shiftproof.case import DecisionOptions
from shiftproof.panel import Panel


@pytest.fixture
def labelled(past: pd.DataFrame) -> LabelledPast:
    return LabelledPast(
        models={"lr": LogisticRegression()},
        scored=None,
        X=past[["a", "b", "day"]],
        table=None,
        classes=np.array([0, 1]),
        codes=past["y"].to_numpy(),
        options=DecisionOptions(),
        first="accuracy",
        measures=["accuracy", "auc"],
        level=0.9,
        along_rows={},
        cv=3,
        exclude=None,
        hidden=frozenset(["day"]),
        seed=0,
    )


ROWS = np.arange(400)


def test_actual_values_are_those_of_models_of_the_rows_before(labelled: LabelledPast, past: pd.DataFrame) -> None:
    done = replay(labelled, ROWS[:160], ROWS[160:240], [ROWS[240:320], ROWS[320:]])
    model = LogisticRegression().fit(past[["a", "b"]][:160], past["y"][:160])
    X, y = past[["a", "b"]][160:240], past["y"][160:240]
    assert done.estimates["lr"]["accuracy"]["actual"] == pytest.approx(accuracy_score(y, model.predict(X)))
    assert done.estimates["lr"]["auc"]["actual"] == pytest.approx(roc_auc_score(y, model.predict_proba(X)[:, 1]))
    scores = [model.score(past[["a", "b"]][rows], past["y"][rows]) for rows in (slice(240, 320), slice(320, 400))]
    assert done.ages["lr"] == pytest.approx([done.estimates["lr"]["accuracy"]["actual"], *scores])
    assert done.fits == 4


def test_an_error_of_one_period_is_kept(labelled: LabelledPast, past: pd.DataFrame) -> None:
    words = past[["a", "b"]].astype(object)
    words.loc[200:, "a"] = "gone"
    done = replay(replace(labelled, X=words), ROWS[:160], ROWS[160:240], [])
    assert done.estimates == {}
    assert done.failure


class Loud(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Warn in every fit."""

    def fit(self, X: Any, y: Any) -> Loud:  # noqa: ARG002 - as scikit-learn calls it
        import warnings

        warnings.warn("loud", RuntimeWarning, stacklevel=2)
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: Any) -> Any:
        return np.full((len(X), 2), 0.5)


def test_warnings_of_the_models_of_a_user_go_on(labelled: LabelledPast) -> None:
    with pytest.warns(RuntimeWarning, match="loud"):
        replay(replace(labelled, models={"loud": Loud()}), ROWS[:160], ROWS[160:240], [])


def test_a_sample_is_the_same_for_models_of_every_age() -> None:
    rows = np.arange(5_000)
    assert len(sampled_rows(rows, 0)) == 2_000
    assert np.array_equal(sampled_rows(rows, 0), sampled_rows(rows, 0))
    assert sampled_rows(rows[:10], 0).tolist() == list(range(10))


def test_scores_before_a_period_are_those_of_labelled_rows() -> None:
    panel = Panel.from_scores([0, 1, 0, 1, 1], {"old": [0.1, 0.9, 0.2, 0.8, 0.7]})
    between = scores_between(panel, np.array([0, 1, 2]), np.array([3, 4]))
    assert between.out_of_fold["old"][:, 1].tolist() == [0.1, 0.9, 0.2]
    assert between.new_scores["old"][:, 1].tolist() == pytest.approx([0.8, 0.7])
    assert between.class_assumed

"""Scores of the other class are noticed by their AUC."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from shiftproof.panel import Panel, cross_fit, reversed_models

RNG = np.random.default_rng(0)
TRUTH = np.arange(80) % 2
OF_CHURNED = np.clip(0.5 + 0.2 * TRUTH + 0.2 * RNG.normal(size=80), 0, 1)
LABELS = np.where(TRUTH == 1, "churned", "stayed")


def test_reversed_models_asks_whose_probabilities_these_are() -> None:
    (warning,) = reversed_models(Panel.from_scores(LABELS, {"m": OF_CHURNED}))
    assert str(warning).startswith("'m' ranks the classes in reverse (AUC 0.")
    assert "are these the probabilities of class 'stayed'?" in str(warning)
    (warning,) = reversed_models(Panel.from_scores(LABELS, {"m": 1 - OF_CHURNED}, pos_label="churned"), "churned")
    assert "of class 'churned'? If they are those of class 'stayed', pass pos_label='stayed'" in str(warning)


def test_reversed_models_is_empty_for_chance_right_scores_and_more_classes() -> None:
    assert reversed_models(Panel.from_scores(LABELS, {"m": OF_CHURNED}, pos_label="churned")) == []
    assert reversed_models(Panel.from_scores(LABELS, {"m": RNG.uniform(size=80)})) == []
    assert reversed_models(Panel.from_scores(["a", "b", "c"], {"m": np.eye(3)[::-1]})) == []


def _flipping(n: int, first: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return a feature whose link with the label is reversed after the first rows."""
    x = RNG.normal(size=n)
    return x[:, None], ((x > 0) ^ (np.arange(n) >= first)).astype(int)


@pytest.mark.parametrize(
    ("first", "folds"),
    [
        (60, {"cv": 2, "time": np.arange(180)}),
        (90, {"cv": [(np.arange(90), np.arange(90, 180)), (np.arange(90, 180), np.arange(90))]}),
    ],
    ids=["time", "order of rows"],
)
def test_reversed_models_mentions_fitted_models_that_rank_held_out_rows_in_reverse(
    first: int, folds: dict[str, Any]
) -> None:
    X, y = _flipping(180, first)
    (warning,) = reversed_models(cross_fit({"lr": LogisticRegression()}, X, y, **folds))
    assert warning.fitted
    assert warning.auc < 0.3
    assert str(warning).startswith("'lr' ranks the classes of held-out rows in reverse (AUC 0.")


@pytest.mark.parametrize("cv", [2, 5, 10, 60])
def test_reversed_models_is_empty_for_fitted_models_without_skill(cv: int) -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        y = rng.permutation(np.arange(120) % 2)
        panel = cross_fit({"lr": LogisticRegression()}, rng.normal(size=(120, 4)), y, cv=cv, refit=False)
        assert reversed_models(panel) == []

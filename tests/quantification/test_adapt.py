"""Adapted probabilities are those of Bayes' rule, and better where only the proportions changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from shiftproof import InputError
from shiftproof.quantification import ExpectationMaximization, adapt_probabilities


def test_two_and_three_classes_by_hand() -> None:
    found = adapt_probabilities([0.2, 0.5], training=0.2, new=0.6)
    expected = [0.2 * 3 / (0.2 * 3 + 0.8 * 0.5), 0.5 * 3 / (0.5 * 3 + 0.5 * 0.5)]
    np.testing.assert_allclose(found, expected)
    two = adapt_probabilities([[0.8, 0.2], [0.5, 0.5]], training=[0.8, 0.2], new=[0.4, 0.6])
    np.testing.assert_allclose(two[:, 1], expected)
    three = adapt_probabilities([[0.2, 0.3, 0.5]], training=[0.5, 0.25, 0.25], new=[0.25, 0.25, 0.5])
    np.testing.assert_allclose(three, np.array([[0.1, 0.3, 1.0]]) / 1.4)
    same = adapt_probabilities([0.3], training=0.4, new=0.4)
    np.testing.assert_allclose(same, [0.3])
    assert adapt_probabilities([0.3], training=0.4, new=1.0).tolist() == [1.0]


def test_decisions_improve_where_only_the_proportions_changed() -> None:
    rng = np.random.default_rng(0)

    def rows(n: int, share: float) -> tuple[Any, Any]:
        y = (rng.random(n) < share).astype(int)
        return rng.normal(size=(n, 2)) + y[:, None], y

    X, y = rows(3000, 0.2)
    X_new, y_new = rows(3000, 0.7)
    model = LogisticRegression().fit(X, y)
    before = model.predict_proba(X_new)
    share = ExpectationMaximization(LogisticRegression()).fit(X, y).predict(X_new)
    after = adapt_probabilities(before, training=[1 - y.mean(), y.mean()], new=share)
    assert share[1] == pytest.approx(0.7, abs=0.04)
    assert (after.argmax(axis=1) == y_new).mean() > (before.argmax(axis=1) == y_new).mean() + 0.08
    assert after[:, 1].mean() == pytest.approx(y_new.mean(), abs=0.03)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: adapt_probabilities([0.2], training=1.2, new=0.5),
            "training must be the share of class 1, or two shares that add up to 1, got 1.2; 0.2 means 20%.",
        ),
        (
            lambda: adapt_probabilities([[0.2, 0.3, 0.5]], training=[0.2, 0.8], new=[0.2, 0.3, 0.5]),
            "training must be 3 shares, one for each class, that add up to 1, got [0.2, 0.8]; 0.2 means 20%.",
        ),
        (
            lambda: adapt_probabilities([0.2], training=0.0, new=0.5),
            "training must be above 0 for every class, got [1.0, 0.0]; "
            "a model says nothing about a class that it has not seen.",
        ),
        (
            lambda: adapt_probabilities([0.5, 0.0], training=0.5, new=1.0),
            "probabilities must be above 0 for a class of the new rows, got none in row 1; "
            "the new proportions rule out every class that the model considers possible for this row.",
        ),
        (
            lambda: adapt_probabilities(np.zeros((1, 1, 1)), training=0.5, new=1.0),
            "probabilities must have one or two dimensions, got shape (1, 1, 1); give one row per row of the new data.",
        ),
        (
            lambda: adapt_probabilities([0.2], training=0.3, new="half"),
            "new must be the share of class 1, or two shares that add up to 1, got 'half'; 0.2 means 20%.",
        ),
    ],
)
def test_bad_input_gets_one_sentence(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(InputError) as error:
        call()
    assert str(error.value) == words

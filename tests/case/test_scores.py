"""Scores of new rows: given with the panel or by its models, and models that cannot score are left out by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from shiftproof import InputError
from shiftproof.case import note_text
from shiftproof.case._scores import applied_scores, comparable_scores, given_new_scores, prepared_new
from shiftproof.panel import Panel, cross_fit


class Refuses(GaussianNB):  # type: ignore[misc]
    """A model that learns, but cannot score rows far away."""

    def predict_proba(self, X: Any) -> Any:
        if (np.asarray(X) > 9).any():
            raise RuntimeError("too far")
        return super().predict_proba(X)


@pytest.fixture(scope="module")
def panel() -> Panel:
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    return cross_fit({"bayes": GaussianNB(), "refuses": Refuses()}, rng.normal(size=(60, 2)) + y[:, None], y, cv=2)


def test_applied_scores_leave_out_a_model_that_raises(panel: Panel) -> None:
    scores = applied_scores(panel, prepared_new(panel, np.full((5, 2), 10.0), "testing"))
    assert list(scores.values) == ["bayes"]
    assert scores.values["bayes"].shape == (5, 2)
    words = str(note_text(scores.failures["refuses"]))
    assert words == "'refuses' was left out because it cannot score the new data: too far"


def test_comparable_scores_are_those_of_the_folds_model(panel: Panel) -> None:
    rows = prepared_new(panel, np.zeros((4, 2)), "testing")
    folds = np.array([[0, 0, 1, 1]])
    scores = comparable_scores(panel, rows, folds).values["bayes"]
    # The rows are equal, so scores differ only by the fold's model.
    assert scores[0].tolist() == scores[1].tolist() != scores[2].tolist() == scores[3].tolist()


def test_given_new_scores_must_be_of_every_model_and_as_many_rows() -> None:
    old = {"a": [0.2, 0.9], "b": [0.3, 0.6]}
    panel = Panel.from_scores([0, 1], old, new={"a": [0.5] * 3, "b": [0.5] * 3})
    assert {name: len(values) for name, values in given_new_scores(panel, None).items()} == {"a": 3, "b": 3}
    with pytest.raises(InputError, match="new scores and X_new must have the same number of rows, got 2 and 3"):
        given_new_scores(panel, np.zeros((2, 1)))


def test_prepared_new_needs_new_rows(panel: Panel) -> None:
    with pytest.raises(InputError, match=r"^X_new is missing; pass the new rows\.$"):
        prepared_new(panel, None, "testing")


def test_prepared_new_needs_the_scores_of_a_panel_of_scores() -> None:
    scored = Panel.from_scores([0, 1], {"m": [0.2, 0.9]})
    words = (
        r"^testing needs scores of the new data, and this panel has none; pass them to Panel\.from_scores\(y, scores"
    )
    for X_new in (None, np.zeros((2, 1))):
        with pytest.raises(InputError, match=words):
            prepared_new(scored, X_new, "testing")

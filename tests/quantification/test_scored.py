from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

import shiftproof as sp
from shiftproof.quantification._scored import ScoredTables, fewer_folds, labelled_rows

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], [60, 40])
X = RNG.normal(size=(100, 2)) + Y[:, None]


@pytest.mark.parametrize(("counts", "cv", "folds"), [([9, 4], 10, 4), ([9, 4], 4, 4), ([9, 2], 3, 2), ([9, 1], 10, 10)])
def test_fewer_folds(counts: list[int], cv: int, folds: int) -> None:
    number, notes = fewer_folds(np.repeat([0, 1], counts), cv)
    assert number == folds
    assert len(notes) == (folds < cv)


def test_labelled_rows_carry_the_decisions_of_models_without_probabilities() -> None:
    panel = sp.cross_fit({"svm": LinearSVC(), "lr": LogisticRegression()}, X, Y, cv=4)
    np.testing.assert_array_equal(labelled_rows(panel, "svm").scores.decisions, panel.decisions["svm"])
    likeliest = panel.out_of_fold["lr"].argmax(axis=1)
    np.testing.assert_array_equal(labelled_rows(panel, "lr").scores.decisions, likeliest)


def test_scored_tables_of_a_panel_take_the_model_with_the_lowest_brier_score() -> None:
    panel = sp.cross_fit({"noise": LogisticRegression(C=1e-9), "lr": LogisticRegression()}, X, Y, cv=4)
    tables = ScoredTables.of_panel(panel, X[:10])
    assert (tables.model, list(tables.briers)) == ("lr", ["lr", "noise"])
    assert (len(tables.new), len(tables.comparable), len(tables.labels)) == (10, 10, 100)
    assert ScoredTables.of_panel(panel, X[:10], model="noise").model == "noise"


def test_comparable_scores_of_an_svm_have_the_decisions_of_the_folds_models() -> None:
    panel = sp.cross_fit({"svm": LinearSVC()}, X, Y, cv=4)
    tables = ScoredTables.of_panel(panel, X, random_state=5)
    assigned = panel.draw_folds(100, random_state=5)[0]
    models = panel.fold_models["svm"][0]
    wanted = [models[fold].predict(X[[row]])[0] for row, fold in enumerate(assigned)]
    assert tables.comparable.decisions.tolist() == wanted
    np.testing.assert_array_equal(tables.new.decisions, panel.models["svm"].predict(X))

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

import shiftproof as sp
from shiftproof.case import Case
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
    case = Case.of(panel, X_new=X[:10], purpose="counting")
    tables = ScoredTables.of_case(case)
    assert (tables.model, list(tables.briers)) == ("lr", ["lr", "noise"])
    assert (len(tables.new), len(tables.comparable), len(tables.labelled.codes)) == (10, 10, 100)
    assert ScoredTables.of_case(case, "noise").model == "noise"


def test_comparable_scores_of_an_svm_have_the_decisions_of_the_folds_models() -> None:
    panel = sp.cross_fit({"svm": LinearSVC()}, X, Y, cv=4)
    tables = ScoredTables.of_case(Case.of(panel, X_new=X, purpose="counting", random_state=5))
    assigned = panel.draw_folds(100, random_state=5)[0]
    models = panel.fold_models["svm"][0]
    wanted = [models[fold].predict(X[[row]])[0] for row, fold in enumerate(assigned)]
    assert tables.comparable.decisions.tolist() == wanted
    np.testing.assert_array_equal(tables.new.decisions, panel.models["svm"].predict(X))


def test_labelled_rows_of_a_repeated_cross_fit_have_the_scores_of_the_first_repeat() -> None:
    panel = sp.cross_fit({"lr": LogisticRegression()}, X, Y, cv=4, repeats=3)
    rows = labelled_rows(panel, "lr")
    np.testing.assert_array_equal(rows.probabilities, panel.fold_probabilities["lr"][0])
    np.testing.assert_array_equal(rows.folds, panel.folds[0])
    tables = ScoredTables.of_case(Case.of(panel, X_new=X, purpose="counting", random_state=2))
    folds = panel.draw_folds(100, random_state=2)[:1]
    np.testing.assert_array_equal(tables.comparable.probabilities, panel.apply_by_fold(X, folds=folds)["lr"])


class CountedSVC(LinearSVC):  # type: ignore[misc]
    """Counts the rows that it is asked about."""

    rows = 0

    def predict(self, X: Any) -> Any:
        type(self).rows += len(X)
        return super().predict(X)


def test_decisions_of_a_model_without_probabilities_are_made_once_for_each_side() -> None:
    panel = sp.cross_fit({"svm": CountedSVC()}, X, Y, cv=4)
    case = Case.of(panel, X_new=X, purpose="counting")
    CountedSVC.rows = 0
    ScoredTables.of_case(case)
    assert CountedSVC.rows == 200

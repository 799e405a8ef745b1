"""The problems and the machines of the thesis."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
from sklearn.svm import SVC, LinearSVC

from shiftproof.experiments import DataSources
from shiftproof.experiments._cells import GridCell, run_cell
from shiftproof.experiments._thesis_runs import (
    COSTS,
    PROBLEMS,
    SCALED,
    Margin,
    g_mean,
    load_problem,
    reversed_estimates,
    structured_estimates,
)


def test_problems_have_the_positives_of_table_5_2(shared_data: Path) -> None:
    sources = DataSources(shared_data)
    for problem, (size, attributes, positives) in PROBLEMS.items():
        X, y = load_problem(sources, problem)
        # The column CLASS of ctg, which gives away the label, is left out.
        assert X.shape == (size, attributes - problem.startswith("ctg"))
        assert y.sum() == positives
        if problem in SCALED:
            np.testing.assert_allclose(
                (X.mean(axis=0), X.std(axis=0)), ([0] * attributes, [0.5] * attributes), atol=1e-9
            )


def test_the_tuned_machine_is_that_of_a_grid_search() -> None:
    X, y = load_problem(DataSources(), "iris.2")
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=3)
    machine = LinearSVC(dual=False, max_iter=10_000)
    search = GridSearchCV(machine, {"C": COSTS}, scoring=make_scorer(g_mean), cv=folds).fit(X, y)
    ours = Margin(tune=True, random_state=3).fit(X, y)
    assert search.best_params_["C"] == ours.C_
    assert (ours.predict(X) == search.predict(X)).all()


@pytest.mark.parametrize(
    ("library", "machine"), [("liblinear", LinearSVC(dual=False)), ("libsvm", SVC(kernel="linear"))]
)
def test_scores_are_half_where_the_decision_turns(library: str, machine: object) -> None:
    X, y = load_problem(DataSources(), "iris.2")
    ours = Margin(library).fit(X, y)
    assert (ours.predict(X) == machine.fit(X, y).predict(X)).all()  # type: ignore[attr-defined]
    scores = ours.predict_proba(X)
    np.testing.assert_allclose(scores.sum(axis=1), 1)
    assert g_mean(y, np.zeros_like(y)) == g_mean(np.zeros_like(y), np.zeros_like(y)) == 0


def test_the_cost_of_eq_6_6_is_for_the_loss_as_a_whole() -> None:
    frames = [
        run_cell(GridCell(structured_estimates, {"problem": "wine.3", "seed": 0, "cost": cost}), DataSources())[0]
        for cost in ("per row", "whole")
    ]
    assert (frames[0]["true"] == frames[1]["true"]).all()
    assert not np.allclose(frames[0]["estimated"], frames[1]["estimated"])


def test_reversed_labels_are_estimated_beside_the_others() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = reversed_estimates(DataSources(), problem="iris.1", seed=0)
    assert rows["method"].value_counts().to_dict() == {"T50": 110, "T50, reversed": 110}

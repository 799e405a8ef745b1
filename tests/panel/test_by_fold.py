"""New rows are scored by the folds' models as the labelled rows were."""

from __future__ import annotations

import numpy as np
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from tests.panel.cases import error_of, task

from shiftproof.panel import cross_fit


def test_each_new_row_is_scored_by_one_fold() -> None:
    X, y = task()
    panel = cross_fit(DecisionTreeClassifier(random_state=0), X, y, cv=3)
    new, _ = task(200, seed=1)
    scores = panel.apply_by_fold(new, random_state=1)["DecisionTreeClassifier"]
    each = [model.predict_proba(new) for model in panel.fold_models["DecisionTreeClassifier"][0]]
    assert np.any([(scores == of_fold).all(axis=1) for of_fold in each], axis=0).all()
    assert set(np.unique(scores)) == {0.0, 1.0}  # averages of trees would lie between
    np.testing.assert_array_equal(scores, panel.apply_by_fold(new, random_state=1)["DecisionTreeClassifier"])
    assert (scores != panel.apply_by_fold(new, random_state=2)["DecisionTreeClassifier"]).any()


def test_with_repeats_new_rows_are_averaged_as_the_labelled_ones_are() -> None:
    X, y = task()
    panel = cross_fit(DecisionTreeClassifier(random_state=0), X, y, cv=3, repeats=4)
    scores = panel.apply_by_fold(task(100, seed=1)[0])["DecisionTreeClassifier"]
    assert set((4 * scores).ravel().tolist()) <= {0.0, 1.0, 2.0, 3.0, 4.0}


def test_scores_by_fold_are_distributed_like_out_of_fold_ones() -> None:
    moments: dict[str, list[tuple[float, float]]] = {}
    for seed in range(12):
        X, y = task(150, seed=seed)
        new, _ = task(150, seed=100 + seed)
        panel = cross_fit({"tree": DecisionTreeClassifier(random_state=0, max_depth=3)}, X, y, cv=5)
        scores = {
            "held": panel.out_of_fold["tree"],
            "by fold": panel.apply_by_fold(new, random_state=seed)["tree"],
            "averaged": np.mean([model.predict_proba(new) for model in panel.fold_models["tree"][0]], axis=0),
        }
        for name, held in scores.items():
            moments.setdefault(name, []).append((float(held[:, 1].mean()), float(held[:, 1].std())))
    mean = {name: np.mean(found, axis=0) for name, found in moments.items()}
    np.testing.assert_allclose(mean["by fold"], mean["held"], atol=0.015)
    assert mean["averaged"][1] < mean["held"][1] - 0.02  # the folds' average is another distribution


def test_folds_are_drawn_in_the_proportions_of_the_labelled_rows() -> None:
    X, y = task(90)
    panel = cross_fit(DecisionTreeClassifier(), X, y, cv=4, repeats=2)
    drawn = panel.draw_folds(41, random_state=3)
    assert drawn.shape == (2, 41)
    expected = np.bincount(panel.folds[0]) * 41 / 90
    assert np.abs(np.bincount(drawn[0]) - expected).max() <= 1
    pairs = {tuple(pair) for pair in panel.folds.T.tolist()}
    assert {tuple(pair) for pair in drawn.T.tolist()} <= pairs
    assert panel.draw_folds(0).shape == (2, 0)


def test_apply_by_fold_refuses_folds_that_do_not_exist() -> None:
    panel = cross_fit({"nb": GaussianNB()}, np.arange(12.0)[:, None], np.arange(12) % 2, cv=2)
    words = (
        "folds must hold a fold number below 2 for each row, in an array of shape (repeats, 3), got "
        "shape (1, 3) with numbers from 9 to 9; "
    )
    assert error_of(lambda: panel.apply_by_fold([[1.0]] * 3, folds=np.full((1, 3), 9))) == words + "use draw_folds."
    assert error_of(lambda: panel.draw_folds(-1)) == "size must be a whole number of at least 0; got -1."
    assert list(panel.apply([[1.0]], models="nb")) == ["nb"]

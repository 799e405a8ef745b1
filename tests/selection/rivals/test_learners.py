"""The learners of section 6: scikit-learn's contract, and their probabilities counted by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from shiftproof import InputError
from shiftproof.panel import TablePreparer, cross_fit
from shiftproof.selection.rivals._learners import BinnedNaiveBayes, CurtailedTree, RandomTrees, cost_sensitive_models

Array = np.ndarray[Any, Any]


def task(n: int = 400, k: int = 2, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.digitize(X[:, 0] + rng.normal(size=n), np.linspace(-1, 1, k + 1)[1:-1])


# The default of 200 rows is more than the checks have, so that nothing is left to tell their classes apart by.
@pytest.mark.parametrize("model", [CurtailedTree(fewest=5), BinnedNaiveBayes(), RandomTrees(random_state=0)])
def test_they_are_estimators(model: Any) -> None:
    check_estimator(model, on_skip=None)


# The curtailed tree


@pytest.mark.parametrize("k", [2, 3])
def test_the_deepest_node_with_enough_rows_speaks(k: int) -> None:
    X, y = task(k=k)
    model = CurtailedTree(fewest=40, random_state=0).fit(X, y)
    plain = DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X, y)
    new = np.random.default_rng(1).normal(size=(50, 3))
    paths_old, paths_new = plain.decision_path(X).toarray(), plain.decision_path(new).toarray()
    for row, found in zip(paths_new, model.predict_proba(new), strict=True):
        nodes = np.flatnonzero(row)
        inside = paths_old[:, nodes].astype(bool)
        enough = [at for at in range(len(nodes)) if inside[:, at].sum() >= 40]
        shares = np.bincount(y[inside[:, enough[-1]]], minlength=k) / inside[:, enough[-1]].sum()
        np.testing.assert_allclose(found, shares, atol=1e-12)


def test_no_leaf_is_left_out_or_all_are() -> None:
    X, y = task()
    plain = DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X, y)
    whole = CurtailedTree(fewest=1, random_state=0).fit(X, y)
    np.testing.assert_allclose(whole.predict_proba(X), plain.predict_proba(X))
    root = CurtailedTree(fewest=401, random_state=0).fit(X, y)
    np.testing.assert_allclose(root.predict_proba(X), np.tile(np.bincount(y) / 400, (400, 1)))
    assert CurtailedTree().fewest == 200
    with pytest.raises(InputError, match=r"^fewest must be a whole number of at least 1, got 0; 200 is usual\.$"):
        CurtailedTree(fewest=0).fit(X, y)


def test_weights_count_as_rows() -> None:
    X, y = task(200)
    times = np.random.default_rng(0).integers(1, 4, 200)
    weighted = CurtailedTree(fewest=60, random_state=0).fit(X, y, sample_weight=times)
    repeated = CurtailedTree(fewest=60, random_state=0).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))


# Binned naive Bayes


def test_the_share_of_positives_in_a_bin_is_the_probability() -> None:
    X, y = task(400)
    model = BinnedNaiveBayes().fit(X, y)
    scores = GaussianNB().fit(X, y).predict_proba(X)[:, 1]
    ranks = np.argsort(np.argsort(scores))
    found = model.predict_proba(X)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    for decile in range(10):
        rows = ranks // 40 == decile
        np.testing.assert_allclose(found[rows, 1], y[rows].mean())
    # far out, the outermost bins
    far = np.array([[-50.0, 0, 0], [50.0, 0, 0]])
    np.testing.assert_allclose(model.predict_proba(far)[:, 1], [y[ranks < 40].mean(), y[ranks >= 360].mean()])
    assert (model.predict(X) == (found[:, 1] > 0.5)).all()


def test_several_classes_are_taken_one_by_one() -> None:
    X, y = task(600, 3)
    model = BinnedNaiveBayes().fit(X, np.array(["a", "b", "c"])[y])
    scores = GaussianNB().fit(X, y).predict_proba(X)
    shares = np.empty((600, 3))
    for code in range(3):
        bins = np.argsort(np.argsort(scores[:, code])) // 60
        for each in range(10):
            shares[bins == each, code] = (y[bins == each] == code).mean()
    np.testing.assert_allclose(model.predict_proba(X), shares / shares.sum(axis=1, keepdims=True))
    assert set(model.predict(X)) <= {"a", "b", "c"}


def test_equal_scores_share_a_bin() -> None:
    X, y = np.repeat([[0.0], [1.0]], 10, axis=0), np.repeat([0, 1, 0, 1], [9, 1, 4, 6])
    model = BinnedNaiveBayes().fit(X, y)
    np.testing.assert_allclose(model.predict_proba([[0.0], [1.0]])[:, 1], [0.1, 0.6])
    np.testing.assert_allclose(BinnedNaiveBayes(bins=1).fit(X, y).predict_proba([[0.0], [1.0]])[:, 1], [0.35, 0.35])
    with pytest.raises(InputError, match=r"^bins must be a whole number of at least 1, got 0; 10 is usual\.$"):
        BinnedNaiveBayes(bins=0).fit(X, y)


def test_bins_without_any_class_leave_the_shares_of_all_rows() -> None:
    X, y = task(300, 3)
    model = BinnedNaiveBayes().fit(X, y)
    model.shares_ = [np.zeros_like(shares) for shares in model.shares_]
    np.testing.assert_allclose(model.predict_proba(X[:2]), np.tile(np.bincount(y) / 300, (2, 1)))


def test_categories_and_gaps_are_taken() -> None:
    table = pd.DataFrame({"n": [1.0, None, 5, 6] * 10, "c": pd.Categorical(["a", "a", "b", None] * 10)})
    model = BinnedNaiveBayes(bins=2).fit(table, [0, 0, 1, 1] * 10)
    assert model.predict(table).tolist() == [0, 0, 1, 1] * 10


# Random trees


def test_trees_are_half_as_deep_as_the_table_is_wide() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 12)), rng.integers(0, 2, 300)
    model = RandomTrees(random_state=0).fit(X, y)
    assert [tree.get_depth() for tree in model.forest_.estimators_] == [6] * 10
    assert RandomTrees().fit(X[:, :3], y).forest_.max_depth == 4
    assert RandomTrees(depth=2, n_trees=3).fit(X, y).forest_.max_depth == 2
    used = {
        int(tree.tree_.feature[0]) for seed in range(5) for tree in RandomTrees(random_state=seed).fit(X, y).forest_
    }
    assert len(used) == 12


# All of them


def test_the_four_take_a_table_as_it_is() -> None:
    rng = np.random.default_rng(0)
    n = 300
    table = pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            "job": rng.choice(["x", "y", "z"], n),
            "day": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 90, n), unit="D"),
        }
    )
    y = np.where(rng.random(n) < 0.3, "gives", "keeps")
    models = cost_sensitive_models(random_state=1)
    assert list(models) == ["unpruned tree", "curtailed tree", "binned naive Bayes", "random trees"]
    assert len({id(model["table"]) for model in models.values()}) == 4
    panel = cross_fit(models, table, y, cv=2)
    assert panel.failures == {}
    for name, model in models.items():
        assert isinstance(model["table"], TablePreparer)
        assert not hasattr(model["model"], "classes_")
        np.testing.assert_allclose(panel.out_of_fold[name].sum(axis=1), 1)
    # leaves are pure, but for rows of different classes that are the same
    assert np.isin(panel.out_of_fold["unpruned tree"], [0.0, 1.0]).mean() > 0.95

"""Balanced training rows, and probabilities that are those of the class proportions of all rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import shiftproof as sp
from shiftproof.panel._balancing import balanced, with_odds

RNG = np.random.default_rng(0)
Y = (RNG.random(4000) < 0.08).astype(int)
X = RNG.normal(size=(4000, 2)) + 1.2 * Y[:, None]


def test_each_part_has_as_many_rows_of_every_class() -> None:
    codes = np.repeat([0, 1, 2], [70, 20, 10])
    part = np.arange(0, 100, 2)
    one, whole = balanced([part, None], codes, 3, None, 0)
    assert one.rows is not None
    assert whole.rows is not None
    assert np.bincount(codes[one.rows]).tolist() == [5, 5, 5]
    assert set(one.rows) <= set(part)
    assert len(set(whole.rows)) == 30
    np.testing.assert_allclose(np.asarray(one.odds), np.array([0.7, 0.2, 0.1]) * 3)
    # A class that a part lacks is left alone; weights count.
    (early,) = balanced([np.arange(90)], codes, 3, None, 0)
    assert early.rows is not None
    assert np.bincount(codes[early.rows], minlength=3).tolist() == [20, 20, 0]
    np.testing.assert_allclose(np.asarray(early.odds), np.array([14 / 9, 4 / 9, 1.0]))
    weights = np.where(codes == 0, 2.0, 1.0)
    (weighted,) = balanced([None], codes, 3, weights, 0)
    # 140, 20 and 10 of 170, where 20, 10 and 10 of 40 are left.
    np.testing.assert_allclose(np.asarray(weighted.odds), np.array([140, 20, 10]) / 170 / np.array([0.5, 0.25, 0.25]))


def test_odds_are_bayes_rule() -> None:
    probabilities = np.array([[0.3, 0.7], [0.9, 0.1]])
    assert with_odds(probabilities, None) is probabilities
    found = with_odds(probabilities, np.array([1.6, 0.4]))
    np.testing.assert_allclose(found[:, 1], [0.4 * 0.7 / (1.6 * 0.3 + 0.4 * 0.7), 0.04 / (1.44 + 0.04)])


def test_models_learn_from_balanced_rows_and_say_probabilities_of_all_rows() -> None:
    counts: list[list[int]] = []

    class Watched(GaussianNB):  # type: ignore[misc]
        def fit(self, X: object, y: object, sample_weight: object = None) -> Watched:
            counts.append(np.bincount(np.asarray(y)).tolist())
            super().fit(X, y, sample_weight)
            return self

    panel = sp.cross_fit({"nb": Watched()}, X, Y, cv=4, balance=True, n_jobs=1)
    assert all(one == other for one, other in counts)
    assert [sum(each) for each in counts[:4]] == [train for train, _ in panel.fold_sizes]
    assert counts[-1] == [int(Y.sum())] * 2
    assert panel.balanced
    # Out of fold, refitted and by fold: calibrated in the large, though the models learnt from halves.
    for scores in (panel.out_of_fold["nb"], panel.apply(X)["nb"], panel.apply_by_fold(X)["nb"]):
        assert scores[:, 1].mean() == pytest.approx(Y.mean(), abs=0.01)
    plain = sp.cross_fit({"nb": GaussianNB()}, X, Y, cv=4)
    assert not plain.balanced
    assert np.corrcoef(panel.out_of_fold["nb"][:, 1], plain.out_of_fold["nb"][:, 1])[0, 1] > 0.99


def test_decision_values_are_calibrated_on_all_rows() -> None:
    panel = sp.cross_fit({"svm": LinearSVC()}, X, Y, cv=3, balance=True)
    assert panel.out_of_fold["svm"][:, 1].mean() == pytest.approx(Y.mean(), abs=0.01)
    assert panel.apply(X)["svm"][:, 1].mean() == pytest.approx(Y.mean(), abs=0.01)
    # What the model itself predicts is what it learnt from balanced rows.
    assert (panel.decisions["svm"] == 1).mean() > 0.2


def test_the_share_of_the_positive_class_is_the_threshold_of_balanced_decisions() -> None:
    frame = pd.DataFrame(X, columns=["a", "b"])
    models = {"lr": LogisticRegression()}
    likeliest = sp.evaluate(models, frame, Y, cv=4, balance=True, measures=["recall", "accuracy"])
    favoured = sp.evaluate(models, frame, Y, cv=4, balance=True, threshold=float(Y.mean()), measures=["recall"])
    assert favoured.estimates["lr"]["recall"].estimate > likeliest.estimates["lr"]["recall"].estimate + 0.3
    assert "each scored by models fitted without it, on the same number of rows per class;" in likeliest.summary()
    same = sp.evaluate(models, frame, Y, cv=4, balance=True, measures=["accuracy"])
    assert same.estimates["lr"]["accuracy"] == likeliest.estimates["lr"]["accuracy"]
    other = sp.evaluate(models, frame, Y, cv=4, balance=True, measures=["accuracy"], random_state=1)
    assert other.estimates["lr"]["accuracy"] != same.estimates["lr"]["accuracy"]


def test_deployed_models_and_panels_are_refused() -> None:
    fitted = GaussianNB().fit(X, Y)
    with pytest.raises(sp.InputError) as error:
        sp.cross_fit({"nb": fitted}, X, Y, cv="prefit", balance=True)
    assert str(error.value) == "balance must be left out with deployed models, got True; they are not fitted."
    with pytest.raises(sp.InputError) as error:
        sp.evaluate(sp.cross_fit({"nb": GaussianNB()}, X, Y, cv=2), balance=True)
    assert str(error.value) == (
        "balance must be left out with a Panel, got True; give it to cross_fit, which makes the panel."
    )

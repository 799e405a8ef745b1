"""What is put under stress: models and the parts of the table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

import shiftproof as sp
from shiftproof.core import InputError
from shiftproof.panel._inputs import as_features
from shiftproof.robustness._subject import Rescorer, Subject, make_subject

X = np.random.default_rng(0).normal(size=(200, 2))
Y = np.where(np.arange(200) % 4 == 0, "yes", "no")


def subject_of(models: Any, y: Any = Y, **options: Any) -> Subject:
    how: dict[str, Any] = {"split": (0.5, 0.2, 0.3), "pos_label": None, "seed": 0, "n_jobs": 1, "progress": False}
    return make_subject(models, as_features(X), y, **how | options)


def test_make_subject_splits_all_rows_and_trains_on_the_first_part() -> None:
    subject = subject_of(GaussianNB())
    assert subject.sizes == {"training": 100, "validation": 40, "test": 60}
    parts = np.concatenate([subject.reference, subject.validation, subject.test])
    assert sorted(parts.tolist()) == list(range(200))
    own = GaussianNB().fit(X[subject.reference], Y[subject.reference])
    np.testing.assert_allclose(
        subject.probabilities("GaussianNB", subject.test), own.predict_proba(X[subject.test]), atol=1e-12
    )
    assert (subject.positive, subject.positive_label) == (1, "yes")


def test_make_subject_of_a_panel_keeps_class_shares_in_both_parts() -> None:
    subject = subject_of(sp.cross_fit(GaussianNB(), X, Y, cv=5, refit=False), None)
    assert subject.sizes == {"training": 80, "validation": 80, "test": 120}
    assert (Y[subject.validation] == "yes").sum() == 20
    assert not np.intersect1d(subject.reference, subject.test).size


def test_rescorer_uses_the_model_of_the_fold_that_tested_the_row() -> None:
    folds = np.array([1, 0, 1, -1])
    scorers = [lambda table, fold=fold: np.full((len(table), 2), float(fold)) for fold in range(3)]
    scores = Rescorer(scorers, folds, 2)(np.zeros((3, 1)), np.array([0, 1, 2]))
    assert scores[:, 0].tolist() == [1, 0, 1]


def test_rescorer_gives_the_scores_of_the_panel_for_rows_as_they_are() -> None:
    subject = subject_of(sp.cross_fit({"nb": GaussianNB()}, X, Y, cv=5, refit=False), None)
    again = subject.rescorer("nb")(subject.table(subject.test), subject.test)
    np.testing.assert_allclose(again, subject.probabilities("nb", subject.test))


def test_positive_is_none_of_three_classes_unless_one_is_named() -> None:
    classes = np.array(["a", "b", "c"])[np.arange(200) % 3]
    assert subject_of(DummyClassifier(), classes).positive_label is None
    assert subject_of(DummyClassifier(), classes, pos_label="b").positive_label == "b"


@pytest.mark.parametrize(
    ("models", "y", "options", "sentence"),
    [
        (GaussianNB(), None, {}, "y is missing; call stress(models, X, y), or pass a Panel."),
        (
            GaussianNB(),
            Y,
            {"split": (0.9, 0.2)},
            "split must be three shares above 0 that sum to 1, got (0.9, 0.2); (0.5, 0.2, 0.3) is usual.",
        ),
        (
            GaussianNB(),
            Y,
            {"split": (0.94, 0.03, 0.03)},
            "X has 200 rows, too few for a validation and a test part; about 334 are needed for 10 rows in each part, "
            "and some hundreds are better.",
        ),
        (
            sp.Panel.from_scores(Y, {"m": np.full(200, 0.5)}),
            None,
            {},
            "stress needs the models, but the panel has only scores; make it with cross_fit.",
        ),
    ],
)
def test_make_subject_refuses_in_words(models: Any, y: Any, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        subject_of(models, y, **options)
    assert str(caught.value) == sentence

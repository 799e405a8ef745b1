"""What a model does in one cell of the grid, against scikit-learn and by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

import shiftproof as sp
from shiftproof.core import Failure
from shiftproof.panel._inputs import as_features
from shiftproof.robustness._measure import Outcome, ScoredModel, resample_weights
from shiftproof.robustness._subject import Subject, make_subject
from shiftproof.simulation import Shifted
from shiftproof.stats import compare, hellinger

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 2))
Y = (X[:, 0] + RNG.normal(size=300) > 0).astype(int)


def subject_of(model: Any, y: Any = Y) -> Subject:
    return make_subject(
        {"m": model}, as_features(X), y, split=(0.5, 0.2, 0.3), pos_label=None, seed=0, n_jobs=1, progress=False
    )


@pytest.fixture(scope="module")
def subject() -> Subject:
    return subject_of(LogisticRegression())


def outcome_of(subject: Subject, weights: Any) -> Outcome:
    scored = ScoredModel.of(subject, "m", 20, np.random.default_rng(0))
    return scored.outcome(scored.base, np.arange(len(subject.test)), weights, np.random.default_rng(1))


def test_outcome_without_a_shift_is_what_scikit_learn_measures(subject: Subject) -> None:
    scores, truth = subject.probabilities("m", subject.test)[:, 1], subject.codes
    outcome = outcome_of(subject, np.ones((len(truth), 1)))
    assert outcome.n == len(truth) == 90
    assert outcome.values["accuracy"].tolist() == pytest.approx([((scores > 0.5) == truth).mean()])
    assert outcome.values["auc"].tolist() == pytest.approx([roc_auc_score(truth, scores)])
    assert outcome.values["brier"].tolist() == pytest.approx([((scores - truth) ** 2).mean()])
    record = compare(subject.probabilities("m", subject.validation)[:, 1], scores)
    assert outcome.values["hellinger"].tolist() == pytest.approx([hellinger(record)])


def test_outcome_of_a_resample_is_that_of_repeated_rows(subject: Subject) -> None:
    weights = resample_weights(subject, 3, np.random.default_rng(0))
    outcome = outcome_of(subject, weights)
    scores, truth = subject.probabilities("m", subject.test)[:, 1], subject.codes
    for column in (1, 2, 3):
        rows = np.repeat(np.arange(len(truth)), weights[:, column].astype(int))
        assert outcome.values["accuracy"][column] == pytest.approx(((scores > 0.5) == truth)[rows].mean())
        assert outcome.values["auc"][column] == pytest.approx(roc_auc_score(truth[rows], scores[rows]))


def test_resample_weights_draw_as_many_rows_as_there_are(subject: Subject) -> None:
    weights = resample_weights(subject, 10, np.random.default_rng(0))
    assert weights.shape == (90, 11)
    assert (weights[:, 0] == 1).all()
    assert (weights.sum(axis=0) == 90).all()


def test_resample_weights_draw_groups_whole() -> None:
    groups = np.arange(300) // 10
    panel = sp.cross_fit({"m": DummyClassifier()}, X, Y, cv=3, groups=groups, refit=False)
    subject = make_subject(
        panel, as_features(X), None, split=(0.5, 0.2, 0.3), pos_label=None, seed=0, n_jobs=1, progress=False
    )
    weights = resample_weights(subject, 5, np.random.default_rng(0))
    for group in np.unique(groups[subject.test]):
        assert (np.ptp(weights[groups[subject.test] == group], axis=0) == 0).all()


def test_scores_are_new_only_where_values_changed(subject: Subject) -> None:
    scored = ScoredModel.of(subject, "m", 5, np.random.default_rng(0))
    rows = np.array([3, 1])
    kept = scored.scores(cast("Shifted", SimpleNamespace(rows=rows, changed=None)))
    np.testing.assert_array_equal(kept, scored.base[rows])
    table = np.array([[np.nan, 0.0], [0.0, 0.0]])
    refused = scored.scores(cast("Shifted", SimpleNamespace(rows=rows, table=table, changed="x0")))
    assert isinstance(refused, Failure)
    assert refused.kind == "ValueError"

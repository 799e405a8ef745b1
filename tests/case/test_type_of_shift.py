"""The type of shift by features, or by scores where features cannot say it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.selection.cases import shift_kind

from shiftproof import InputError
from shiftproof.case import NO_RECORD, DriftRecord, Tables, unknowable
from shiftproof.case._type_of_shift import NO_FEATURES, by_features, by_past, by_scores
from shiftproof.core import Floats, Note
from shiftproof.panel import Panel, cross_fit, holdout
from shiftproof.shift import ShiftKind

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], [150, 150])


def rows(codes: np.ndarray) -> Floats:
    return np.asarray(RNG.normal(size=(len(codes), 2)) + codes[:, None])


def test_by_features_without_one_table_or_labels_says_why() -> None:
    X = rows(Y)
    absent = by_features(Tables(labelled=X), Y, seed=0, n_jobs=1)
    assert absent == Note(code=NO_FEATURES, detail="only scores of the new data were given, no features to compare")
    unlabelled = by_features(Tables(labelled=X, new=X), None, seed=0, n_jobs=1)
    assert isinstance(unlabelled, Note)
    assert "no labels" in unlabelled.detail


def test_by_features_names_the_table_as_the_caller_does() -> None:
    tables = Tables(labelled=rows(Y)[:3], new=rows(Y), names=("TRAIN", "NEW"))
    why = by_features(tables, Y[:3], seed=0, n_jobs=1)
    assert isinstance(why, Note)
    assert why.sensitive
    assert "X " not in why.detail


def test_by_features_finds_prior_shift() -> None:
    more = np.repeat([0, 1], [30, 270])
    found = by_features(Tables(labelled=rows(Y), new=rows(more)), Y, seed=0, n_jobs=1)
    assert isinstance(found, ShiftKind)
    assert found.kind == "prior"


def test_by_scores_compares_scores_as_features() -> None:
    score = 1 / (1 + np.exp(-rows(Y)[:, 0]))
    panel = Panel.from_scores(Y, {"a": score})
    same = np.column_stack([1 - score, score])
    found = by_scores(panel, {"a": same}, why=Note(code=NO_FEATURES), seed=0, n_jobs=1)
    assert found.p_none > 0.5
    assert (found.n_reference, found.n_current) == (300, 300)


def test_by_scores_needs_a_score_of_every_labelled_row() -> None:
    from sklearn.naive_bayes import GaussianNB

    panel = cross_fit({"a": GaussianNB()}, rows(Y), Y, cv=holdout(test_size=0.3, random_state=0))
    why = Note(code=NO_FEATURES, detail="no features")
    with pytest.raises(InputError, match="the type of shift needs features that can be compared: no features; pass X"):
        by_scores(panel, {"a": np.full((10, 2), 0.5)}, why=why, seed=0, n_jobs=1)


def test_by_past_estimates_what_differs_no_more_than_the_past_did() -> None:
    shift = shift_kind(300, 200, np.array([0.5, 0.5]), kind="too different", correlation_change=0.3)
    assert unknowable(by_past(shift, NO_RECORD), "natural")
    past = DriftRecord(squares={}, seen=({"correlation_change": 0.31},) * 2)
    assert not unknowable(by_past(shift, past), "natural")
    assert unknowable(by_past(shift, replace(past, seen=({"correlation_change": 0.29},) * 2)), "natural")
    # Without an allowance for drift every such table is refused.
    assert unknowable(by_past(shift, past), "no drift")

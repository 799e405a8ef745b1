from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

from shiftproof.shift import ShiftKind, kind_of_shift

BLIND = "If the link between features and label changed (concept shift), only labels can show it."


def _found(share: float, *, tilt: float = 0.0, far: float = 0.0, n: int = 500) -> ShiftKind:
    rng = np.random.default_rng(2)
    y, new = np.repeat([0, 1], 400), np.repeat([0, 1], [n - round(n * share), round(n * share)])
    X = rng.normal(size=(800, 3)) + 1.5 * y[:, None]
    X_new = rng.normal(size=(n, 3)) + 1.5 * new[:, None] + far
    if tilt:
        X_new = X_new[X_new[:, 0] < tilt]
    return kind_of_shift(X, y, X_new)


@pytest.fixture(scope="module")
def prior() -> ShiftKind:
    return _found(0.8)


def test_the_questions_of_the_frame_are_plain(prior: ShiftKind) -> None:
    assert prior.to_frame()["question"].tolist() == [
        "Do the tables differ?",
        "Does a change of class proportions explain some of the difference?",
        "Is anything left that a change of class proportions cannot explain?",
        "Is anything left that weighting cannot explain?",
        "Could the class proportions have changed a lot unnoticed?",
        "Does a change of class proportions fit better than a change of inputs (gain in log-likelihood)?",
        "Do too few labelled rows resemble the new data?",
        "Do many new rows lack a similar labelled row?",
        "Are features correlated differently?",
    ]


def test_the_frame_has_one_row_per_piece_of_evidence(prior: ShiftKind) -> None:
    frame = prior.to_frame()
    assert list(frame) == ["question", "figure", "value", "limit", "answer"]
    values = dict(zip(frame["figure"], frame["value"], strict=True))
    answers = dict(zip(frame["figure"], frame["answer"], strict=True))
    for name in (
        "p_none",
        "p_prevalence",
        "p_prior",
        "p_covariate",
        "gain",
        "entropy",
        "outside",
        "correlation_change",
    ):
        assert values[name] == getattr(prior, name)
    assert (answers["p_none"], answers["p_prevalence"], answers["p_prior"]) == ("yes", "yes", "no")
    assert answers["outside"] == answers["entropy"] == "no"


def test_the_dict_is_json(prior: ShiftKind) -> None:
    held = json.loads(json.dumps(prior.to_dict()))
    assert held["kind"] == "prior"
    assert held["refused"] is False
    assert held["prevalence"]["1"]["estimate"] == prior.prevalence[1].estimate
    assert held["training_prevalence"] == {"0": 0.5, "1": 0.5}


def test_the_words_for_prior_shift(prior: ShiftKind) -> None:
    words = prior.summary()
    assert words.startswith("Prior shift: only the class proportions changed (800 labelled rows, 500 new rows). ")
    assert "The share of class 1 went from 50% to about" in words
    assert words.endswith(BLIND)
    assert "Prior shift" in prior._repr_html_()
    assert repr(prior).startswith("<ShiftKind: Prior shift")


def test_the_words_for_covariate_shift_warn_of_a_mix() -> None:
    found = _found(0.5, tilt=0.7, n=1000)
    assert found.kind == "covariate"
    assert found.summary().endswith(f"A mix of covariate and prior shift can look like this. {BLIND}")


@pytest.mark.parametrize(
    ("share", "far", "n", "kind", "opening"),
    [
        (0.5, 0.0, 1000, "none", "No shift ("),
        (0.5, 0.0, 40, "unclear", "The type of shift is unclear ("),
        (
            0.5,
            30.0,
            200,
            "too different",
            "Too different: the labelled data hardly cover the new data (",
        ),
    ],
)
def test_every_answer_ends_with_what_cannot_be_seen(share: float, far: float, n: int, kind: str, opening: str) -> None:
    found = _found(share, far=far, n=n)
    assert found.kind == kind
    assert found.summary().startswith(opening)
    assert found.summary().endswith(BLIND)


def test_intervals_lie_on_the_simplex_around_their_estimate(prior: ShiftKind) -> None:
    assert sum(interval.estimate for interval in prior.prevalence.values()) == pytest.approx(1)
    for interval in prior.prevalence.values():
        assert 0 <= interval.low <= interval.estimate <= interval.high <= 1
        assert (interval.level, interval.method) == (0.95, "moments")


def test_it_is_frozen_and_can_be_pickled(prior: ShiftKind) -> None:
    with pytest.raises(ValueError, match="read-only"):
        prior.weights[0] = 1.0
    assert pickle.loads(pickle.dumps(prior)).to_dict() == prior.to_dict()  # noqa: S301 - our own

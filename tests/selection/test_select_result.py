"""What a selection derives from scores and probabilities, by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.selection.cases import shift_kind

from shiftproof.core import Note
from shiftproof.selection import ReverseTest, Selection
from shiftproof.selection._words import ranking_text

HALVES = np.array([0.5, 0.5])


def selection(**changed: Any) -> Selection:
    """Rank three models, of which two are close."""
    usual: dict[str, Any] = {
        "scores": {"nb": 0.70, "lr": 0.80, "tree": 0.79},
        "probabilities": {"nb": 0.0, "lr": 0.6, "tree": 0.4},
        "beats": np.array([[0.5, 0.01, 0.02], [0.99, 0.5, 0.6], [0.98, 0.4, 0.5]]),
        "validated": {"nb": 0.72, "lr": 0.78, "tree": 0.81},
        "method": "routed pool",
        "measure": "accuracy",
        "reverse": None,
        "reverse_skipped": Note(code="ReverseTesting skipped", detail="not requested"),
        "shift": shift_kind(100, 50, HALVES),
        "assume": "natural",
        "training": {False: 0.5, True: 0.5},
        "likely": {"none": 1.0, "prior": 0.0, "covariate": 0.0},
        "pool": {"nb": 0.2, "lr": 0.4, "tree": 0.4},
        "rehearsal": None,
        "others": {},
        "fits": 0,
        "reverse_fits": 0,
        "seconds": 0.0,
        "n_labelled": 100,
        "n_new": 50,
    }
    return Selection(**(usual | changed))


NOBODY = {"nb": 0.0, "lr": 0.0, "tree": 0.0}


def test_ranking_follows_the_probability_of_being_the_best() -> None:
    assert selection().ranking == ("lr", "tree", "nb")
    assert selection(probabilities={"nb": 0.1, "lr": 0.4, "tree": 0.5}).ranking == ("tree", "lr", "nb")


def test_ranking_of_models_that_are_hardly_ever_the_best_follows_scores_and_measure() -> None:
    assert selection(probabilities={"nb": 1e-11, "lr": 1.0, "tree": 0.0}).ranking == ("lr", "tree", "nb")
    assert selection(probabilities=NOBODY).ranking == ("lr", "tree", "nb")
    assert selection(probabilities=NOBODY, measure="error").ranking == ("nb", "tree", "lr")


def test_ranking_without_probabilities_follows_the_scores() -> None:
    assert selection(probabilities=dict.fromkeys(NOBODY, math.nan)).ranking == ("lr", "tree", "nb")


def test_ranking_of_equal_scores_follows_the_labelled_data() -> None:
    equal = {"nb": 0.8, "lr": 0.8, "tree": 0.8}
    assert selection(scores=equal, probabilities=NOBODY).ranking == ("tree", "lr", "nb")


def test_ranking_puts_models_without_a_defined_measure_last() -> None:
    undefined = selection(scores={"nb": math.nan, "lr": 0.1, "tree": 0.2})
    assert undefined.ranking == ("lr", "tree", "nb")
    assert "nb" not in undefined.contenders


def test_rival_is_the_model_that_the_best_is_least_likely_to_beat() -> None:
    beats = np.array([[0.5, 0.4, 0.5], [0.6, 0.5, 0.9], [0.5, 0.1, 0.5]])
    close = selection(beats=beats)
    assert (close.best, close.ranking[1], close.rival) == ("lr", "tree", "nb")
    assert close.headline == "Use lr (only 60% likely to beat nb)."
    assert selection(beats=np.full((3, 3), np.nan)).rival == "tree"


def test_headline_of_a_best_model_that_may_lose_against_its_rival() -> None:
    beats = np.array([[0.5, 0.55, 0.5], [0.45, 0.5, 0.9], [0.5, 0.1, 0.5]])
    assert selection(beats=beats).headline == "Use lr (60% likely to be the best of 3 models; nb may be as good)."


@pytest.mark.parametrize(
    ("chance", "how"),
    [
        (0.5, "equally good."),
        (0.503, "about equally good (lr is 50% likely to be better)."),
        (0.497, "about equally good (lr is 50% likely to be better)."),
    ],
)
def test_headline_of_two_models_that_cannot_be_told_apart_gives_no_advice(chance: float, how: str) -> None:
    beats = np.array([[0.5, 0.01, 0.02], [0.99, 0.5, chance], [0.98, 1 - chance, 0.5]])
    assert selection(beats=beats).headline == f"lr and tree are {how}"


def test_refused_ranking_shows_ranks_and_no_scores() -> None:
    refused = selection(n_new=19, others={"lr": {"calibrated confidence": 0.7}}).without_figures()
    assert refused.refused
    frame = refused.to_frame()
    assert frame["model"].tolist() == sorted(refused.validated, key=lambda name: refused.validated[name], reverse=True)
    first, second = frame["model"][:2]
    assert refused.headline == f"Best guess: {first}, then {second} (of 3 models). Don't rely on this ranking."
    assert frame[["score", "probability_best", "best_beats"]].isna().all(axis=None)
    assert refused.order_probability.isna().all(axis=None)
    assert refused.to_dict()["others"] == {}


def reverse(beats: list[list[int]]) -> ReverseTest:
    """Give ReverseTesting's opinion on the three models."""
    # One learner judges all: the score of a model is how many it beats.
    matrix = np.repeat(np.array(beats, dtype=float).sum(axis=1)[:, None], 3, axis=1)
    return ReverseTest(
        names=("nb", "lr", "tree"),
        matrix=matrix,
        judges="all",
        score="accuracy",
        confidence=None,
        fits=9,
        seconds=0.0,
        n_labelled=100,
        n_new=50,
    )


@pytest.mark.parametrize(
    ("beats", "opinion"),
    [
        ([[0, 0, 0], [1, 0, 1], [1, 0, 0]], "ReverseTesting agrees"),
        ([[0, 1, 1], [0, 0, 0], [0, 0, 0]], "ReverseTesting prefers nb"),
        ([[0, 1, 0], [0, 0, 0], [0, 1, 0]], "ReverseTesting prefers nb and tree"),
        ([[0, 1, 1], [1, 0, 1], [0, 0, 0]], "ReverseTesting agrees, but finds nb as good"),
        ([[0, 0, 0], [0, 0, 0], [0, 0, 0]], "ReverseTesting is undecided"),
    ],
)
def test_headline_names_the_winners_of_reverse_testing(beats: list[list[int]], opinion: str) -> None:
    assert selection(reverse=reverse(beats)).headline == f"Use lr (only 60% likely to beat tree); {opinion}."


def test_contenders_are_those_that_the_best_does_not_clearly_beat() -> None:
    result = selection()
    assert (result.best, result.contenders) == ("lr", ("tree",))
    assert result.probability_over("nb") == 0.99
    assert result.tone == "care"


def test_concerns_of_too_few_rows_are_lifted_by_labels() -> None:
    few = selection(n_new=19)
    assert few.concerns == ("19 new rows are too few for an estimate; at least 20 are needed.",)
    assert few.tone == "bad"
    assert ranking_text(few) == "Don't rely on this order: with so few new rows, it is a guess."
    far = selection(shift=shift_kind(100, 50, HALVES, kind="too different", outside=0.9))
    assert ranking_text(far) == "Don't rely on this order: so far from the labelled data, it is a guess."
    assert replace(few, n_labels=12).concerns == ()


def test_concerns_of_data_hardly_covered_depend_on_drift() -> None:
    shift = shift_kind(100, 50, HALVES, kind="too different", entropy=2.0)
    assert selection(shift=shift).concerns == ()
    assert selection(shift=shift, assume="no drift").concerns == shift.reasons
    # Rivals were not measured on natural shifts.
    assert selection(shift=shift, method="holdout").concerns == shift.reasons


def test_to_frame_compares_each_model_with_the_best() -> None:
    frame = selection().to_frame()
    assert frame["model"].tolist() == ["lr", "tree", "nb"]
    assert frame["validated"].tolist() == [0.78, 0.81, 0.72]
    assert frame["best_beats"].tolist() == pytest.approx([math.nan, 0.6, 0.99], nan_ok=True)


def test_summary_names_the_majority_class_by_weighted_proportions() -> None:
    weighted = selection(training={False: 0.363, True: 0.637})
    assert weighted.majority is True
    assert "On the labelled data the accuracy of lr is 78.0% (always answering True: 63.7%); " in weighted.summary()


def test_to_dict_has_the_reason_why_reverse_testing_was_skipped() -> None:
    plain = selection().to_dict()
    assert plain["reverse_testing"] is None
    assert plain["reverse_skipped"] == "it is switched off"

"""What a selection derives from scores and probabilities, by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.selection.cases import shift_kind

from shiftproof.core import Note
from shiftproof.selection import Selection

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


def test_ranking_follows_the_scores_and_the_measure() -> None:
    assert selection().ranking == ("lr", "tree", "nb")
    assert selection(measure="error").ranking == ("nb", "tree", "lr")


def test_ranking_of_equal_scores_follows_the_labelled_data() -> None:
    assert selection(scores={"nb": 0.8, "lr": 0.8, "tree": 0.8}).ranking == ("tree", "lr", "nb")


def test_ranking_puts_models_without_a_defined_measure_last() -> None:
    undefined = selection(scores={"nb": math.nan, "lr": 0.1, "tree": 0.2})
    assert undefined.ranking == ("tree", "lr", "nb")
    assert "nb" not in undefined.contenders


def test_contenders_are_those_that_the_best_does_not_clearly_beat() -> None:
    result = selection()
    assert (result.best, result.contenders) == ("lr", ("tree",))
    assert result.probability_over("nb") == 0.99
    assert result.tone == "care"


def test_concerns_of_too_few_rows_are_lifted_by_labels() -> None:
    few = selection(n_new=19)
    assert few.concerns == ("19 new rows cannot show what shifted; at least 20 are needed.",)
    assert few.tone == "bad"
    assert replace(few, n_labels=12).concerns == ()


def test_to_frame_compares_each_model_with_the_next() -> None:
    frame = selection().to_frame()
    assert frame["model"].tolist() == ["lr", "tree", "nb"]
    assert frame["beats_next"].tolist() == pytest.approx([0.6, 0.98, math.nan], nan_ok=True)


def test_to_dict_has_the_reason_why_reverse_testing_was_skipped() -> None:
    plain = selection().to_dict()
    assert plain["reverse_testing"] is None
    assert plain["reverse_skipped"] == "not requested"

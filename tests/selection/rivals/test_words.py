"""Sentences of ReverseTesting, and how cross-fits are named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shiftproof.core import Note
from shiftproof.panel import Panel
from shiftproof.selection.rivals._interface import CrossFitPlan
from shiftproof.selection.rivals._reverse_result import ReverseTest
from shiftproof.selection.rivals._words import joined, note_text, panel_text, plan_text, reverse_summary


def reverse(matrix: list[list[float]], **changed: Any) -> ReverseTest:
    usual: dict[str, Any] = {
        "names": tuple("abcd"[: len(matrix)]),
        "matrix": np.array(matrix),
        "judges": "pair",
        "score": "accuracy",
        "confidence": None,
        "fits": 4,
        "seconds": 0.25,
        "n_labelled": 10,
        "n_new": 10,
    }
    return ReverseTest(**(usual | changed))


def test_reverse_summary_of_a_decided_pair() -> None:
    words = str(reverse_summary(reverse([[0.9, 0.8], [0.7, 0.6]])))
    assert words == "ReverseTesting: a beats b. 4 fits in 0.2 s."


def test_reverse_summary_of_no_decided_pair() -> None:
    words = str(reverse_summary(reverse([[0.9, 0.6], [0.7, 0.7]])))
    assert words == "ReverseTesting: no pair is decided. 4 fits in 0.2 s."


def test_reverse_summary_names_three_undecided_pairs_at_most() -> None:
    # The first beats the second; nothing can be learnt from the labels of the others.
    matrix = [[0.9, 0.8, 0.5, 0.5], [0.7, 0.6, 0.5, 0.5], [np.nan] * 4, [np.nan] * 4]
    words = str(reverse_summary(reverse(matrix)))
    assert "a beats b; 5 pairs are undecided (a and c; a and d; b and c; 2 more)." in words


def test_reverse_summary_says_how_many_resamples_and_notes() -> None:
    note = Note(code="same labels", subject="'a' and 'b'")
    result = reverse([[0.9, 0.8], [0.7, 0.6]], confidence=np.array([[0, 0.8], [0.1, 0]]), resamples=20, notes=(note,))
    words = str(reverse_summary(result))
    assert "Each verdict is the majority of 20 resamples of the new rows." in words
    assert words.endswith("'a' and 'b' give all new rows the same labels, so they cannot be compared.")


@pytest.mark.parametrize(
    ("note", "text"),
    [
        (
            Note(code="one class", subject="nb", detail="'no'"),
            "'nb' assigns every new row to 'no', so nothing can be learned from it; its pairs are undecided",
        ),
        (
            Note(code="one class in resamples", subject="nb", detail="2 of 20"),
            "in 2 of 20 resamples, 'nb' gave all rows the same label; its pairs are undecided there",
        ),
        (Note(code="model left out", subject="nb", detail="no"), "'nb' was left out: no"),
        (
            Note(code="cannot learn", subject="nb", detail="'lr': no"),
            "'nb' could not learn from the labels of 'lr': no",
        ),
    ],
)
def test_note_text(note: Note, text: str) -> None:
    assert str(note_text(note)) == text


def test_joined_names_have_one_and() -> None:
    assert joined(["a"]) == "a"
    assert joined(["a", "b", "c"]) == "a, b and c"


@pytest.mark.parametrize(
    ("plan", "text"),
    [
        (CrossFitPlan(), "one fold per row"),
        (CrossFitPlan(folds=10, repeats=5), "10 folds, 5 times"),
        (CrossFitPlan(held_out=0.3), "one split that holds out 30% of the rows"),
    ],
)
def test_plan_text(plan: CrossFitPlan, text: str) -> None:
    assert plan_text(plan) == text


def test_panel_text_of_scores_alone() -> None:
    assert panel_text(Panel.from_scores([0, 1], {"old": [0.2, 0.9]})) == "scores only"

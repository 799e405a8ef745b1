"""Sentences of a case's notes."""

from __future__ import annotations

import pytest

from shiftproof.case import note_text
from shiftproof.core import Note


@pytest.mark.parametrize(
    ("note", "words"),
    [
        (Note(code="model left out", subject="svm", detail="ValueError"), "'svm' was left out: ValueError"),
        (
            Note(code="model cannot score", subject="svm", detail="no"),
            "'svm' was left out because it cannot score the new data: no",
        ),
        (
            Note(code="copied rows", detail="80.0%"),
            "80.0% of the labelled rows have an exact copy in another fold, so models look better than they are",
        ),
        (
            Note(code="type of shift from scores", detail="no features"),
            "the type of shift was determined from the scores alone: no features",
        ),
        (
            Note(code="type of shift without groups"),
            "the type of shift was determined as if rows were independent, ignoring groups",
        ),
        (
            Note(code="new rows copied", detail="50.0%"),
            "50.0% of the new rows are exact copies of labelled rows; check that the tables are right",
        ),
        (
            Note(code="label given away", subject="paid"),
            "the column 'paid' determines every label; exclude it if its values become known only with the label",
        ),
        (
            Note(code="label nearly given away", subject="paid", detail="0.991"),
            "the column 'paid' separates the classes almost perfectly (AUC 0.991); exclude it if its values "
            "become known only with the label",
        ),
        (
            Note(code="scores reversed", subject="m"),
            "'m' ranks the classes in reverse; check that its scores are for the right class",
        ),
        (
            Note(code="held-out rows reversed", subject="lr"),
            "'lr' ranks the classes of held-out rows in reverse, which is worse than guessing",
        ),
        (
            Note(code="type of shift without weights"),
            "the type of shift was determined as if all rows had equal weight",
        ),
        (Note(code="something else", detail="why"), "something else: why"),
    ],
)
def test_note_text(note: Note, words: str) -> None:
    assert str(note_text(note)) == words

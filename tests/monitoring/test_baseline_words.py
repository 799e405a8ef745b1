from __future__ import annotations

import pytest

from shiftproof.core import Note
from shiftproof.monitoring._baseline_words import note_text


@pytest.mark.parametrize(
    ("note", "text"),
    [
        (
            Note(code="no scores"),
            "Without scores, accuracy and class proportions cannot be estimated; pass scores.",
        ),
        (
            Note(code="no labels"),
            "Without labels, accuracy and class proportions cannot be estimated, and there is no alarm for harm; pass "
            "labels.",
        ),
        (
            Note(code="columns absent", detail="'age' and 'job'"),
            "Not in the batch, so all values count as missing: 'age' and 'job'.",
        ),
        (
            Note(code="one answer", subject="no"),
            "The model answers no for every row, so its accuracy is the share of class no.",
        ),
        (
            Note(code="cross-fitted scores", subject="nb"),
            "The scores of 'nb' are cross-validated. A refitted model's scores differ a little even without a shift; "
            "for exact alarms on scores, score held-out rows with the deployed model.",
        ),
    ],
)
def test_note_text(note: Note, text: str) -> None:
    assert str(note_text(note)) == text

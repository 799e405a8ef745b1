from __future__ import annotations

from dataclasses import replace

import pytest

from shiftproof.core import Note, Phrase
from shiftproof.monitoring import Baseline
from shiftproof.monitoring._baseline_words import baseline_text, note_text, with_init_options


@pytest.mark.parametrize(
    ("note", "text"),
    [
        (
            Note(code="no scores"),
            "Without scores, accuracy and class proportions cannot be estimated; pass scores.",
        ),
        (
            Note(code="no labels"),
            "Without labels, accuracy and class proportions cannot be estimated, and there is no harm alarm; pass "
            "labels.",
        ),
        (
            Note(code="columns absent", detail="'age' and 'job'"),
            "Not in the batch, so all values count as missing: 'age' and 'job'.",
        ),
        (
            Note(code="one answer", subject="no"),
            "The model answers 'no' for every row, so its accuracy is the share of this class.",
        ),
        (
            Note(code="cross-fitted scores", subject="nb"),
            "The scores of 'nb' come from cross-validation. A refitted model's scores differ a little even without "
            "a shift. For exact alarms on scores, score held-out rows with the deployed model.",
        ),
    ],
)
def test_note_text(note: Note, text: str) -> None:
    assert str(note_text(note)) == text


def test_arguments_are_written_as_options_of_init_where_there_is_no_python() -> None:
    notes = [Note(code="independent rows"), Note(code="dates change", subject="day of call", detail="2020 to 2021")]
    text = str(with_init_options(Phrase.joined(" ", map(note_text, notes))))
    assert text == (
        "The alarms assume independent rows; pass --time to shiftproof monitor init to measure how far periods differ. "
        "Dates always change (2020 to 2021); pass --exclude 'day of call' to shiftproof monitor init unless they "
        "should be compared."
    )


def test_baseline_says_how_much_a_batch_can_tell_if_periods_differ(baseline: Baseline) -> None:
    effects = {"age": 5.0, "job": 1.0}
    text = str(baseline_text(replace(baseline, design_effect=effects, mean_period=60.0)))
    assert (
        "Periods differ, most in 'age': for this column a batch is worth at most 15 independent rows, however "
        "large it is, so an alarm may need several batches." in text
    )
    alike = replace(baseline, design_effect=dict.fromkeys(effects, 1.0), mean_period=60.0)
    assert "Periods do not differ by more than chance." in str(baseline_text(alike))
    assert "Periods" not in baseline.summary()

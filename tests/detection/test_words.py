from __future__ import annotations

import numpy as np
import pytest

import shiftproof as sp
from shiftproof.core import Phrase
from shiftproof.detection._scores import ScoreShift
from shiftproof.detection._words import INVISIBLE, advice, detection_words, score_note

TABLE = {"x": np.arange(40.0)}


def test_score_note_marks_the_error_of_a_failed_model() -> None:
    failed = ScoreShift(model="lr", label="", statistic=np.nan, p_value=np.nan, note="'Oslo' is new", failed=True)
    note = score_note(failed)
    assert isinstance(note, Phrase)
    assert str(note) == "could not score the new rows: 'Oslo' is new"
    assert note.redacted() == "could not score the new rows: (hidden)"


def test_score_note_of_a_test_is_plain() -> None:
    assert score_note(ScoreShift(model="lr", label="", statistic=1.0, p_value=0.3, note="ties")) == "ties"


@pytest.mark.filterwarnings("ignore:both tables hold the same rows")
def test_detection_words_end_with_what_only_labels_can_show() -> None:
    assert str(detection_words(sp.detect(TABLE, TABLE, multivariate=False))).endswith(INVISIBLE)


@pytest.mark.filterwarnings("ignore:both tables hold the same rows")
def test_advice_is_empty_without_a_shift() -> None:
    assert advice(sp.detect(TABLE, TABLE, multivariate=False)) == ()


def test_advice_is_to_fix_a_feature_without_values() -> None:
    old, new = {**TABLE, "lost": [1.5, 2.5] * 20}, {**TABLE, "lost": [None] * 40}
    fix = "'lost' has no values in the new data; check where it comes from, and fix that."
    assert advice(sp.detect(old, new, multivariate=False)) == (fix,)

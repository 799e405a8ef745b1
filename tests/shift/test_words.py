from __future__ import annotations

from types import SimpleNamespace
from typing import Any, get_args

import pandas as pd
import pytest
from tests.shift.test_decide import QUIET

from shiftproof.shift._decide import Reason
from shiftproof.shift._words import copied_rows, drawn_rows, evidence_rows, reason_sentences, unseen_values


@pytest.mark.parametrize("reason", get_args(Reason))
def test_reason_sentences_has_a_sentence_for_every_reason(reason: Reason) -> None:
    (sentence,) = reason_sentences([reason], QUIET)
    assert sentence[0].isupper() or sentence[0].isdigit()
    assert sentence.endswith(".")


def test_facts_about_rows_and_columns() -> None:
    assert unseen_values(["zip"]) == "Most new rows have values in 'zip' that no labelled row has."
    assert copied_rows(0.25) == "25% of new rows are copies of labelled rows."
    assert drawn_rows(5_000, 30_000, "new") == "Based on 5,000 of 30,000 new rows, sampled at random."


def test_evidence_rows_write_p_values_as_everywhere_else() -> None:
    rows = [("Do the tables differ?", "p_none", 4e-300, 0.01, "yes"), ("Uneven?", "entropy", 0.5, 1.2, "no")]
    frame = pd.DataFrame(rows, columns=["question", "figure", "value", "limit", "answer"])
    shift: Any = SimpleNamespace(to_frame=lambda: frame)
    assert evidence_rows(shift) == [
        ("Do the tables differ?", "yes", "<0.001", "0.01"),
        ("Uneven?", "no", "61%", "30%"),
    ]

"""Sentences of selections and estimates, by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from shiftproof.case import too_few_rows
from shiftproof.core import Note
from shiftproof.selection import LabelPlan
from shiftproof.selection._range import OutsideRange
from shiftproof.selection._words import (
    believed,
    grounds_text,
    note_text,
    outside_text,
    plan_text,
    types_text,
    written,
)


@pytest.mark.parametrize(
    ("value", "measure", "text"),
    [
        (0.8768, "accuracy", "87.7%"),
        (0.8768, "auc", "0.877"),
        (-1e-12, "profit", "0"),
        (1234.5, "profit", "1.23e+03"),
        (math.nan, "f1", ""),
    ],
)
def test_written_by_kind_of_measure(value: float, measure: str, text: str) -> None:
    assert written(value, measure) == text


@pytest.mark.parametrize(
    ("kind", "confidence", "text"),
    [
        ("prior", "high", "corrected for prior shift"),
        ("covariate", "medium", "corrected for probable covariate shift"),
        ("none", "high", "nothing visible changed"),
        ("none", "medium", "probably nothing changed"),
        ("unclear", "low", "the type of shift is unclear"),
        ("too different", "low", "the new data are too different to determine the type of shift"),
    ],
)
def test_grounds_text_says_whether_it_is_known_how_the_data_changed(kind: str, confidence: str, text: str) -> None:
    result: Any = SimpleNamespace(
        assume="natural", labelled=(), confidence=confidence, shift=SimpleNamespace(kind=kind)
    )
    assert grounds_text(result) == text


@pytest.mark.parametrize(
    ("assume", "kind", "says"),
    [
        ("natural", "covariate", "the mean of three"),
        ("natural", "none", "the one for no shift"),
        ("no drift", "covariate", "with the weights shown"),
        ("prior shift", "covariate", "the one for prior shift, as you assumed"),
    ],
)
def test_types_text_says_how_types_are_weighted(assume: str, kind: str, says: str) -> None:
    shift = SimpleNamespace(kind=kind, p_none=1e-9, p_prior=0.1)
    result: Any = SimpleNamespace(assume=assume, shift=shift)
    assert says in types_text(result)


def test_believed_never_says_certain() -> None:
    assert (believed(1.0), believed(0.0), believed(0.5)) == (">99.9%", "<0.1%", "50%")


@pytest.mark.parametrize(
    ("note", "text"),
    [
        (
            Note(code="too few labels", subject="3 labels", detail="10"),
            "3 labels of new rows could not be used: provide at least 10, of both classes",
        ),
        (Note(code="ReverseTesting skipped", detail="one model"), "there is only one model"),
        (Note(code="ReverseTesting skipped", detail="quick"), "a quick audit skips it"),
        # Notes of the layers below have their sentences there.
        (Note(code="rows drawn", subject="new", detail="1 of 2"), "1 of 2 new rows were sampled"),
        (Note(code="model left out", subject="svm", detail="no"), "'svm' was left out: no"),
    ],
)
def test_note_text(note: Note, text: str) -> None:
    assert str(note_text(note)) == text


def test_too_few_rows_says_how_many_are_needed() -> None:
    assert too_few_rows(1) == "1 new row is too few for an estimate; at least 20 are needed."


def test_outside_text_names_columns() -> None:
    assert outside_text(OutsideRange(share=0.163, columns=("age",))) == (
        "16% of the new rows have a feature outside the range of the labelled rows ('age')."
    )


THEN = "with these labels it would be about 10.0 points wide"
RESTS = "with labels, it rests on fewer assumptions and would be about 10.0 points wide."


@pytest.mark.parametrize(
    ("width", "tolerance", "text"),
    [
        (0.2, None, f"Label 2 rows: the interval for the accuracy of lr is 20.0 points wide; {THEN}."),
        (math.nan, None, f"Label 2 rows: there is no interval for the accuracy of lr yet; {THEN}."),
        (
            0.2,
            0.05,
            f"Label 2 rows to know the accuracy of lr to within 5.0 points: its interval is 20.0 points wide; {THEN}.",
        ),
        (
            math.nan,
            0.05,
            "Label 2 rows to know the accuracy of lr to within 5.0 points. Without labels there is no estimate.",
        ),
        (
            0.06,
            None,
            f"Label 2 rows: the interval for the accuracy of lr is 6.0 points wide without them; {RESTS}",
        ),
        (
            0.06,
            0.05,
            f"Label 2 rows to check the accuracy of lr: its interval is 6.0 points wide without them; {RESTS}",
        ),
    ],
)
def test_plan_text(width: float, tolerance: float | None, text: str) -> None:
    rows = np.arange(2)
    plan = LabelPlan(
        rows=rows,
        strata=rows,
        model="lr",
        measure="accuracy",
        width=width,
        expected_width=0.1,
        tolerance=tolerance,
    )
    assert plan_text(plan) == text
    more = plan_text(replace(plan, labelled=30))
    text = text.replace("Label 2 rows", "Label 2 more rows (32 with the 30 that have a label)")
    assert more == text.replace("ithout labels", "ithout more labels")

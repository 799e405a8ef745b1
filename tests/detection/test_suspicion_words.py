"""Columns that look mishandled are named in plain sentences."""

from __future__ import annotations

from typing import Any

import pytest

from shiftproof.core import Phrase
from shiftproof.detection._suspicion_words import suspected, suspicion_text, suspicion_texts
from shiftproof.detection._suspicions import Mishap, Suspicion


def suspicion(mishap: Mishap, *features: str, **facts: Any) -> Suspicion:
    return Suspicion(mishap=mishap, features=features, distance=0.9, explained=0.0, **facts)


SWAPPED = suspicion("swapped", "age", "day")
EXCHANGED = suspicion("exchanged", "owner", categories=("no", "yes"))
SPELLED = suspicion("spelled", "owner", categories=("YES", "yes"))
REVERSED = suspicion("reversed", "grade")
YEARS = suspicion("unit", "age", factor=12.0)


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (SWAPPED, "'age' and 'day' look swapped in the new data: each has the values of the other."),
        (YEARS, "'age' looks multiplied by 12 in the new data: has its unit changed?"),
        (
            suspicion("unit", "size", factor=0.001),
            "'size' looks divided by 1,000 in the new data: has its unit changed?",
        ),
        (
            suspicion("unit", "weight", factor=1 / 0.45359237),
            "'weight' looks multiplied by 2.205 in the new data: has its unit changed?",
        ),
        (
            suspicion("unit", "balance", factor=-1.0),
            "'balance' looks multiplied by -1 in the new data: has its sign changed?",
        ),
        (
            suspicion("unit", "t", factor=1.8, offset=32.0),
            "'t' looks converted from Celsius to Fahrenheit in the new data: has its unit changed?",
        ),
        (
            suspicion("unit", "t", factor=1 / 1.8, offset=-32 / 1.8),
            "'t' looks converted from Fahrenheit to Celsius in the new data: has its unit changed?",
        ),
        (
            suspicion("unit", "t", offset=-273.15),
            "'t' looks decreased by 273.15 in the new data: has its unit changed?",
        ),
        (
            EXCHANGED,
            "'no' and 'yes' of 'owner' look swapped in the new data: is the column coded as before?",
        ),
        (
            SPELLED,
            "'owner' is spelled differently in the new data, such as 'YES' for 'yes': is the column coded as before?",
        ),
        (
            REVERSED,
            "'grade' looks reversed in the new data, where low values look like high ones: is the column coded as "
            "before?",
        ),
    ],
)
def test_suspicion_text(one: Suspicion, words: str) -> None:
    assert str(suspicion_text(one)) == words


def test_suspicion_text_hides_categories() -> None:
    words = "Two categories of 'owner' look swapped in the new data: is the column coded as before?"
    assert suspicion_text(EXCHANGED).redacted() == words


def test_suspicion_texts_name_three_and_list_the_others() -> None:
    others = [suspicion("unit", name, factor=12.0) for name in ("b", "c", "d", "e")]
    *sentences, last = suspicion_texts([SWAPPED, *others])
    assert (len(sentences), str(last)) == (3, "Also check 'd' and 'e'.")
    assert suspicion_texts([]) == []


def test_suspected_says_what_happened_in_a_few_words() -> None:
    assert suspected([SWAPPED], "day") == "looks swapped with 'age'"
    assert suspected([YEARS], "age") == "looks multiplied by 12"
    assert suspected([REVERSED], "grade") == "looks reversed"
    assert suspected([YEARS], "day") == ""
    assert str(suspected([SPELLED], "owner")) == "is spelled differently: 'YES' for 'yes'"
    exchanged = suspected([EXCHANGED], "owner")
    assert isinstance(exchanged, Phrase)
    assert str(exchanged) == "looks as if 'no' and 'yes' were swapped"
    assert exchanged.redacted() == "looks as if two categories were swapped"

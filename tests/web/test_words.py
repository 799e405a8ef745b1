from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.monitoring import _made as made

from shiftproof.monitoring import TrackRecord
from shiftproof.web._words import HELP, KEYS, STATES, fate_words, incident_tone, interval_words, track_words


def test_help_is_at_most_three_sentences_each() -> None:
    for name, words in HELP.items():
        assert words.endswith("."), name
        assert words.count(". ") <= 2, name


def test_states_have_a_mark_and_words() -> None:
    marks, words = zip(*STATES.values(), strict=True)
    assert len({*marks}) == len({*words}) == 4
    assert all(KEYS.values())


def test_intervals_and_track_records() -> None:
    assert interval_words(None) == ""
    assert interval_words(made.interval(0.8)) == "77.0% to 83.0%"
    assert interval_words(replace(made.interval(0.8), low=0.8, high=0.8)) == "all rows"
    assert track_words(TrackRecord(n_batches=0, n_contained=0, n_labels=0, level=0.9)) == "no labels yet"
    assert track_words(TrackRecord(n_batches=1200, n_contained=1100, n_labels=9, level=0.9)) == "1,100 of 1,200"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "open"),
        ({"recovered": made.named(9)}, "recovered, not acknowledged"),
        ({"acknowledged": datetime(2024, 5, 1, tzinfo=UTC)}, "acknowledged on 2024-05-01"),
    ],
)
def test_what_became_of_an_incident(fields: dict[str, Any], words: str) -> None:
    assert fate_words(made.incident(**fields)) == words
    verdict = made.verdict("confirmed", 0.6, n_labels=50, first=7)
    assert fate_words(made.incident(labels=verdict, **fields)) == f"{words}, confirmed by labels"


@pytest.mark.parametrize(
    ("fields", "tone"),
    [
        ({}, "bad"),
        ({"level": "material"}, "bad"),
        ({"level": "changed"}, "care"),
        ({"recovered": made.named(9)}, "care"),
        ({"labels": made.verdict("cleared", 0.9, n_labels=50, first=7)}, "care"),
        ({"acknowledged": datetime(2024, 5, 1, tzinfo=UTC)}, "unknown"),
    ],
)
def test_an_incident_has_the_colour_of_its_verdict(fields: dict[str, Any], tone: str) -> None:
    assert incident_tone(made.incident(**fields)) == tone

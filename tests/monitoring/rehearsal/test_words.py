from __future__ import annotations

from dataclasses import replace

import pytest

from shiftproof.monitoring import Delay, MonitorRehearsal
from shiftproof.monitoring.rehearsal._replay import PastAlarm
from shiftproof.monitoring.rehearsal._result import Advice


def test_summary_of_a_quiet_past(rehearsal: MonitorRehearsal) -> None:
    drops = (
        Delay.of("drop", 0.05, "harm", [30], horizon=200),
        Delay.of("drop", 0.05, "harm", [8], horizon=200, labels=20),
        Delay.of("drop", 0.1, "harm", [0], horizon=200),
    )
    shifts = (Delay.of("shift", 0.2, "material", [2], horizon=40),)
    advice = Advice(rows=200, labels=20, floor=0.8)
    terms = replace(rehearsal.terms, floor=0.8)
    told = replace(rehearsal, drops=drops, shifts=shifts, advice=advice, terms=terms)
    assert told.summary() == (
        "False alarms in the past: none in 7 batches. With 20 labels for each batch, an accuracy 5 points below the "
        "floor (75.0%) would be detected after 8 batches. Without labels, an accuracy 10 points below the floor would "
        "not be detected within 200 batches, even if the scores show it. If one column moves by a distance of 0.2 from "
        "the baseline, the material alarm is raised after 2 batches. Recommended: batches of about 200 rows, 20 labels "
        "for each batch and a floor of 80.0%."
    )


def test_some_numbers_of_labels_detect_a_drop_and_some_do_not(rehearsal: MonitorRehearsal) -> None:
    drops = tuple(
        Delay.of("drop", size, "harm", [first], horizon=200, labels=labels)
        for size, labels, first in ((0.1, 0, 0), (0.1, 20, 3), (0.05, 0, 0), (0.05, 20, 0), (0.05, 50, 8))
    )
    advised = replace(rehearsal, drops=drops, advice=replace(rehearsal.advice, labels=20))
    assert (
        "With 20 labels for each batch, an accuracy 5 points below the floor (75.0%) would not be detected within 200 "
        "batches. An accuracy 10 points below the floor (70.0%) would be detected after 3 batches. Without labels, "
        "an accuracy 5 or 10 points below the floor would not be detected within 200 batches, even if the scores show "
        "it."
    ) in replace(advised, terms=replace(rehearsal.terms, floor=0.8)).summary()
    unlabelled = replace(rehearsal, drops=drops[:1], advice=replace(rehearsal.advice, labels=None)).summary()
    assert "Without labels, an accuracy 10 points below the floor" in unlabelled
    assert "even if" not in unlabelled


@pytest.mark.parametrize(
    ("firsts", "words"),
    [
        ((3, 2, 1), "0.15 from the baseline, the material alarm is raised after 3 batches."),
        ((0, 0, 2), "0.3 from the baseline, the material alarm is raised after 2 batches."),
        ((0, 0, 0), "0.3 from the baseline, the material alarm is not raised within 40 batches."),
    ],
)
def test_shifts_that_are_found_and_missed(rehearsal: MonitorRehearsal, firsts: tuple[int, ...], words: str) -> None:
    delays = zip((0.15, 0.2, 0.3), firsts, strict=True)
    shifts = tuple(Delay.of("shift", size, "material", [first], horizon=40) for size, first in delays)
    assert f"If one column moves by a distance of {words}" in replace(rehearsal, shifts=shifts).summary()
    assert "If one column" not in replace(rehearsal, shifts=()).summary()


def test_another_batch_size_is_recommended_with_its_reason(rehearsal: MonitorRehearsal) -> None:
    smaller = replace(rehearsal, rows=300, advice=Advice(rows=150, labels=None, floor=None))
    reason = "a shift is detected sooner than with 300"
    assert smaller.summary().endswith(f"Recommended: batches of about 150 rows ({reason}).")


def test_summary_of_a_past_with_alarms_names_some(rehearsal: MonitorRehearsal) -> None:
    alarms = [PastAlarm(level="material", batch=f"week {week}") for week in range(4)]
    loud = replace(rehearsal, alarms=(PastAlarm(level="changed", batch="week 0"), *alarms), below_floor=2)
    assert loud.headline == "The past would have raised 4 material alarms in 7 batches."
    assert "Raised by 'week 0' (material), 'week 1' (material), 'week 2' (material) and 1 more." in loud.summary()
    assert "The actual accuracy was below the floor in 2 batches, by more than chance explains." in loud.summary()
    assert (loud.tone, rehearsal.tone) == ("care", "good")


def test_segments_are_said_not_to_be_rehearsed(rehearsal: MonitorRehearsal) -> None:
    sentence = "This covers all rows together; segments are monitored too, but not rehearsed."
    assert sentence not in rehearsal.summary()
    shares = {"": 0.5, "country = 'DE'": 0.25, "country = 'FR'": 0.25}
    assert sentence in replace(rehearsal, terms=replace(rehearsal.terms, shares=shares)).summary()

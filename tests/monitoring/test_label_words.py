from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.monitoring._made import incident, interval, named, status, update, verdict

from shiftproof.core import Interval
from shiftproof.monitoring import LabelUpdate, NextStep, TrackRecord
from shiftproof.monitoring._label_result import BatchLabels, Settled
from shiftproof.monitoring._label_words import class_words
from shiftproof.monitoring._words import incident_words, status_headline, tone_of_open


def labels(**fields: Any) -> BatchLabels:
    known: dict[str, Any] = {
        "n_labels": 50,
        "n_used": 50,
        "n_right": 35,
        "alone": interval(0.7),
        "accuracy": interval(0.72),
        "contained": False,
    }
    return BatchLabels(**(known | fields))


def label_update(**fields: Any) -> LabelUpdate:
    known: dict[str, Any] = {
        "batch": named(7),
        "n_new": 50,
        "n_repeated": 0,
        "n_not_kept": 0,
        "labels": labels(),
        "before": interval(0.8),
        "missing": None,
        "closed_by": None,
        "opened": (),
        "open_incidents": (),
        "track_record": TrackRecord(n_batches=0, n_contained=0, n_labels=0, level=0.9),
        "next_step": None,
    }
    return LabelUpdate(**(known | fields))


def test_labels_say_what_is_true_and_whether_the_interval_was_right() -> None:
    assert label_update().summary() == (
        "50 new labels for batch 'day 7'. Actual accuracy, from 50 labels: 70.0% (67.0% to 73.0%, 90% interval). The "
        "interval estimated before the labels, 77.0% to 83.0%, was wrong."
    )
    # With few labels, scores add something.
    few = Interval(estimate=0.7, low=0.5, high=0.85, level=0.9, method="labels, Wilson")
    assert (
        "Actual accuracy, from 50 labels: 70.0% (50.0% to 85.0%, 90% interval). Together with the scores: 72.0% (69.0% "
        "to 75.0%). The interval"
    ) in label_update(labels=labels(alone=few)).summary()
    exact = Interval(estimate=0.7, low=0.7, high=0.7, level=0.9, method="labels of all rows")
    whole = label_update(n_new=1, n_repeated=49, labels=labels(alone=exact, accuracy=exact, contained=True))
    assert whole.summary() == (
        "1 new label for batch 'day 7'. 49 labels had already been given. Actual accuracy, from the labels of all "
        "50 rows: "
        "70.0%. The interval estimated before the labels, 77.0% to 83.0%, agrees with them."
    )


def test_labels_that_do_not_count_are_named() -> None:
    waiting = label_update(missing=12, n_not_kept=1, labels=labels(n_used=20))
    assert waiting.summary().startswith(
        "50 new labels for batch 'day 7'. 1 label is for a row whose score is not kept, and will not be used. 20 of "
        "50 labels "
        "count so far: row 12 comes next in the random order of the plan and has no label; rows chosen in any "
        "other way are not a random sample. Actual accuracy, from 20 labels"
    )


@pytest.mark.parametrize(
    ("settled", "words", "headline", "tone"),
    [
        (
            "confirmed",
            "Labels confirm incident 4: accuracy 70.0% (67.0% to 73.0%; 60 labels of 2 batches from 'day 6' to "
            "'day 7') is below the floor of 78.0%.",
            "Labels show that accuracy is below the floor.",
            "bad",
        ),
        (
            "cleared",
            "Labels clear incident 4: accuracy 70.0% (67.0% to 73.0%; 60 labels of 2 batches from 'day 6' to "
            "'day 7') is at the floor of 78.0% or above.",
            "Estimated accuracy fell below the floor, but labels show that it is at the floor or above.",
            "care",
        ),
        (
            "open",
            "Incident 4: 60 labels are too few to say whether accuracy is below the floor of 78.0%. It is 70.0% (67.0% "
            "to 73.0%) so far, in 2 batches from 'day 6' to 'day 7'.",
            "Accuracy is probably below the floor.",
            "bad",
        ),
    ],
)
def test_incidents_say_what_labels_say(settled: Settled, words: str, headline: str, tone: str) -> None:
    one = incident("harm", floor=0.78, labels=verdict(settled))
    assert words in str(incident_words(one))
    assert status_headline(status(incidents=(one,))) == headline
    assert tone_of_open([one]) == tone
    assert words in label_update(open_incidents=(one,)).summary()


def test_an_alarm_by_labels_says_so() -> None:
    one = incident("harm", by_labels=True, columns=())
    raised = label_update(opened=(one,), open_incidents=(one,), next_step=NextStep(verb="ack", incident=4))
    assert (
        "Alarm: labels show that accuracy is below the floor. Incident 4 (harm), raised by labels of batch 'day 7' of "
        "2024-03-07, most likely began with batch 'day 6' (between 'day 5' and 'day 7')."
    ) in raised.summary()
    assert raised.summary().endswith("Next: monitor.acknowledge(4, reason).")


@pytest.mark.parametrize(
    ("settled", "words"),
    [
        ("confirmed", "Labels confirm incident 4: accuracy is below the floor of 78.0%."),
        ("cleared", "Labels clear incident 4: accuracy is at the floor of 78.0% or above."),
        (
            "open",
            "Incident 4: 60 labels are too few to say whether accuracy is below the floor of 78.0%.",
        ),
    ],
)
def test_the_figures_of_a_batch_are_given_once(settled: Settled, words: str) -> None:
    one = incident("material", floor=0.78, labels=verdict(settled, first=7))
    told = label_update(open_incidents=(one,)).summary()
    assert words in told
    assert told.count("70.0%") == 1
    # The same where the status and the batch describe these labels.
    last = update(labels=labels(), opened=(one,), open_incidents=(one,))
    assert words in last.summary()
    assert words in status(incidents=(one,), last=last).summary()
    # Alone, the figures are needed.
    alone = str(incident_words(one))
    assert alone.count("70.0%") == 1
    assert "of batch 'day 7')" in alone or "so far, in batch 'day 7'." in alone


def test_incidents_with_the_same_labels_share_a_sentence() -> None:
    harm = incident("harm", number=3, floor=0.78, labels=verdict("confirmed"))
    answers: list[tuple[int, Settled]] = [(2, "confirmed"), (1, "open")]
    material, other = (
        incident("material", number=number, floor=0.78, labels=verdict(settled)) for number, settled in answers
    )
    sentence = (
        "Labels confirm incidents 2 and 3: accuracy 70.0% (67.0% to 73.0%; 60 labels of 2 batches from 'day 6' to 'day "
        "7') is below the floor of 78.0%. Incident 1: 60 labels are too few to say"
    )
    assert sentence in label_update(open_incidents=(harm, material, other)).summary()
    assert sentence in label_update(opened=(harm,), open_incidents=(harm, material, other)).summary()
    assert sentence in status(incidents=(material, harm, other)).summary()


def test_labels_of_all_rows_have_no_interval() -> None:
    exact = Interval(estimate=0.5, low=0.5, high=0.5, level=0.9, method="labels of all rows")
    whole = labels(alone=exact, shares={"0": exact, "1": exact}, reference_shares={"0": 0.96, "1": 0.04})
    assert class_words(whole) == ["According to 50 labels, class 1 makes up 50.0% (baseline 4.0%)."]
    figures: dict[Settled, str] = {
        "confirmed": "50.0% (60 labels of batch 'day 7') is",
        "open": "It is 50.0% so far, in",
    }
    for settled, figure in figures.items():
        known = replace(verdict(settled, first=7), accuracy=exact)
        assert figure in str(incident_words(incident("material", floor=0.78, labels=known)))


def test_an_alarm_by_labels_is_not_confirmed_by_them_again() -> None:
    one = incident("harm", floor=0.78, by_labels=True, labels=verdict("confirmed", first=7))
    assert "Labels confirm" not in label_update(opened=(one,), open_incidents=(one,)).summary()
    several = incident("harm", floor=0.78, by_labels=True, labels=verdict("confirmed"))
    raised = label_update(opened=(several,), open_incidents=(several,)).summary()
    assert raised.count("Labels confirm incident 4: accuracy 70.0% (67.0% to 73.0%; 60 labels of 2 batches") == 1


def test_the_track_record_says_how_right_intervals_were() -> None:
    right, wrong = (TrackRecord(n_batches=20, n_contained=n, n_labels=400, level=0.9) for n in (18, 11))
    assert right.summary() == (
        "Track record: 18 of 20 intervals (90%) contained the actual accuracy, according to 400 labels."
    )
    assert wrong.summary() == (
        "Track record: 11 of 20 intervals (90%) contained the actual accuracy, according to 400 labels, which is "
        "fewer than there should be."
    )
    assert right.to_dict()["share"] == 0.9
    assert right.summary() in status(track_record=right).summary()
    none = TrackRecord(n_batches=0, n_contained=0, n_labels=0, level=0.9)
    assert none.summary() == "Track record: no batch has 10 labels yet."
    assert (none.to_dict()["share"], none.too_few) == (None, False)
    assert status().to_dict()["track_record"]["n_batches"] == 0


def test_doubt_depends_on_labels() -> None:
    assert "The estimate rests on scores alone" in update().summary()
    learnt = update(n_learnt=3).summary()
    assert "The estimate is corrected with the labels of 3 batches; a new loss shows only" in learnt
    known = update(labels=labels()).summary()
    assert "scores alone" not in known
    assert "Actual accuracy, from 50 labels: 70.0%" in known


def test_class_words_name_classes_beside_the_reference() -> None:
    two = labels(shares={"0": interval(0.68), "1": interval(0.32)}, reference_shares={"0": 0.96, "1": 0.04})
    assert class_words(two) == ["According to 50 labels, class 1 makes up 32.0% (29.0% to 35.0%; baseline 4.0%)."]
    three = labels(
        shares={"a": interval(0.5), "b": interval(0.3), "c": interval(0.2)},
        reference_shares={"a": 0.51, "b": 0.1, "c": 0.39},
    )
    # Class a has the share that it had.
    assert class_words(three) == [
        "According to 50 labels, class 'b' makes up 30.0% (27.0% to 33.0%; baseline 10.0%), class 'c' makes up "
        "20.0% (17.0% to 23.0%; baseline 39.0%)."
    ]
    assert class_words(labels()) == []

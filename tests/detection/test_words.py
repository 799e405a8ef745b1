from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import shiftproof as sp
from shiftproof.core import Phrase
from shiftproof.detection._scores import ScoreShift
from shiftproof.detection._words import (
    INVISIBLE,
    advice,
    category_names,
    described,
    detection_words,
    score_note,
    what_happened,
)
from shiftproof.stats import NominalRecord, compare

TABLE = {"x": np.arange(40.0)}


def test_score_note_marks_the_error_of_a_failed_model() -> None:
    failed = ScoreShift(model="lr", label="", statistic=np.nan, p_value=np.nan, note="'Oslo' is new", failed=True)
    note = score_note(failed)
    assert isinstance(note, Phrase)
    assert str(note) == "could not score the new rows: 'Oslo' is new"
    assert note.redacted() == "could not score the new rows: (hidden)"


def test_score_note_of_a_test_is_plain() -> None:
    assert score_note(ScoreShift(model="lr", label="", statistic=1.0, p_value=0.3, note="ties")) == "ties"


@pytest.mark.filterwarnings("ignore:both tables have the same rows")
def test_detection_words_end_with_what_only_labels_can_show() -> None:
    assert str(detection_words(sp.detect(TABLE, TABLE, multivariate=False))).endswith(INVISIBLE)


@pytest.mark.filterwarnings("ignore:both tables have the same rows")
def test_advice_is_empty_without_a_shift() -> None:
    assert advice(sp.detect(TABLE, TABLE, multivariate=False)) == ()


def test_advice_is_to_fix_a_feature_without_values() -> None:
    old, new = {**TABLE, "lost": [1.5, 2.5] * 20}, {**TABLE, "lost": [None] * 40}
    fix = "'lost' has no values in the new data; check where it comes from."
    found = sp.detect(old, new, multivariate=False)
    assert advice(found) == (fix,)
    assert str(what_happened(found, "lost")) == "missing: 0% before, 100% now"


def test_category_names_are_numbered_by_size_if_redacted() -> None:
    record = compare(["a"] * 2 + ["b"] * 5 + ["c"], ["a"] * 3 + ["c"] * 2)
    assert isinstance(record, NominalRecord)
    assert category_names(record) == ("a", "b", "c")
    assert category_names(record, redact=True) == ("category 1", "category 2", "category 3")


def test_described_says_what_happened_to_numbers() -> None:
    values = np.arange(100.0)
    assert described(compare(values, values)) == "much the same"
    assert str(described(compare(values, values + 50))) == "higher: median 50 before, 100 now"
    assert str(described(compare(values, values - 50))) == "lower: median 50 before, 0 now"
    assert described(compare(values, 2 * values - 49.5), differs=True) == "spread more widely"
    assert described(compare(values, values / 2 + 24.75), differs=True) == "spread less widely"
    assert described(compare(values, values), differs=True) == "distributed differently"
    assert described(compare(values, values[:0])) == "no values in one table"


def test_described_never_says_higher_beside_a_median_that_is_not() -> None:
    fewer_contacts = described(compare([-1.0] * 60 + [50.0, 100.0] * 20, [-1.0] * 80 + [50.0, 100.0] * 10))
    assert str(fewer_contacts) == "more low values (median unchanged: -1)"
    assert isinstance(fewer_contacts, Phrase)
    assert fewer_contacts.redacted() == "more low values (median unchanged)"
    assert str(described(compare([0.0] * 90 + [8.0, 9.0] * 5, [0.0] * 70 + [8.0, 9.0] * 15))) == (
        "more high values (median unchanged: 0)"
    )
    assert str(described(compare(np.arange(100) / 1e6 + 5, np.arange(100) / 1e6 + 5.00005))) == (
        "more high values (median unchanged: 5)"
    )
    # Ranks say higher, the median says lower.
    before, now = np.r_[np.full(45, 0.0), np.full(55, 43.0)], np.r_[np.full(55, 31.0), np.full(45, 90.0)]
    assert described(compare(before, now), differs=True) == "spread more widely"


def test_described_says_how_often_the_higher_of_two_values_occurs() -> None:
    flag = described(compare([0] * 90 + [1] * 10, [0] * 70 + [1] * 30))
    assert str(flag) == "1 is more frequent: 10% before, 30% now"
    assert isinstance(flag, Phrase)
    assert flag.redacted() == "the higher value is more frequent: 10% before, 30% now"
    assert (
        str(described(compare([0] * 50 + [1] * 50, [0] * 70 + [1] * 30))) == "1 is less frequent: 50% before, 30% now"
    )
    assert described(compare([0] * 50 + [1] * 50, [0] * 49 + [1] * 51)) == "much the same"
    # One more value among many rows, however near to the others, is not a flag.
    near = described(compare([0.0] * 90 + [1.0] * 10, [0.0] * 70 + [0.999] + [1.0] * 29))
    assert str(near) == "more high values (median unchanged: 0)"


def test_described_says_later_of_dates_and_longer_of_durations() -> None:
    days, hours = pd.date_range("2024-01-01", periods=100), pd.to_timedelta(np.arange(100), unit="h")
    month, day = pd.Timedelta(days=30), pd.Timedelta(days=1)
    assert str(described(compare(days, days + month))) == "later than before"
    assert str(described(compare(days, days - month))) == "earlier than before"
    assert str(described(compare(hours, hours + day))) == "longer than before"
    assert str(described(compare(hours, hours - day))) == "shorter than before"
    first, second = [days[0]] * 90 + [days[9]] * 10, [days[0]] * 70 + [days[9]] * 30
    assert str(described(compare(pd.Series(first), pd.Series(second)))) == "more late dates (median unchanged)"


def test_described_says_what_happened_to_categories_without_naming_them_if_redacted() -> None:
    moved = described(compare(["a"] * 8 + ["b"] * 2, ["a"] * 2 + ["b"] * 8))
    assert str(moved) == "'a' is less frequent: 80% before, 20% now"
    assert isinstance(moved, Phrase)
    assert moved.redacted() == "category 1 is less frequent: 80% before, 20% now"
    assert described(compare(["a", "b"] * 50, ["a", "b"] * 51)) == "much the same"
    # A change of rare categories may be large on Hellinger's scale.
    rarer = compare(["a"] * 970 + ["b"] * 30, ["a"] * 1000)
    assert str(described(rarer, differs=True)) == "'a' is more frequent: 97.0% before, 100% now"


def test_what_happened_to_a_column_that_is_absent() -> None:
    found = sp.detect({"x": np.arange(60.0), "y": np.arange(60.0)}, {"x": np.arange(60.0)}, multivariate=False)
    assert what_happened(found, "y") == "absent from the new data"


def test_dates_that_are_all_later_are_named_with_the_way_to_compare_the_rest() -> None:
    day = np.datetime64("2024-01-01") + np.arange(40)
    old, new = {**TABLE, "day": day}, {"x": np.arange(40.0) + 0.5, "day": day + 40}
    sentence = "All new dates in 'day' are later than before; exclude this column to compare the others."
    assert sentence in sp.detect(old, new, multivariate=False).summary()
    for quiet in ({**new, "day": day + 39}, {**new, "day": day - 40}):
        assert "exclude" not in sp.detect(old, quiet, multivariate=False).summary()
    assert "exclude" not in sp.detect({"day": day}, {"day": day + 40}, multivariate=False).summary()

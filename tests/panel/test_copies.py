"""Copies are told from rows that are equal by chance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from shiftproof.panel._copies import copied_rows
from shiftproof.panel._folds import Sample, make_splits
from shiftproof.panel._inputs import as_features

RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(60, 3))
LABELS = np.arange(60) % 2


def share_of_copies(X: object, y: Any, cv: int = 10) -> float:
    classes, codes = np.unique(y, return_inverse=True)
    sample = Sample(features=as_features(X), labels=np.asarray(y), classes=classes, codes=codes)
    return float(copied_rows(sample, make_splits(sample, cv, 1, 0)).mean())


def frame(values: Any) -> pd.DataFrame:
    return pd.DataFrame(values, columns=["a", "b", "c"]).assign(d=np.where(values[:, 0] > 0, "x", "y"))


@pytest.mark.parametrize("kind", [np.asarray, frame, sparse.csr_matrix, lambda rows: rows[:, 0]])
def test_copied_rows_are_found_in_tables_of_any_kind(kind: Any) -> None:
    assert share_of_copies(kind(NUMBERS), LABELS) == 0
    assert share_of_copies(kind(np.tile(NUMBERS, (5, 1))), np.tile(LABELS, 5)) > 0.99
    # Only the second class was copied, as to balance the classes.
    minority = np.concatenate([np.arange(60), np.repeat(np.flatnonzero(LABELS), 2)])
    assert share_of_copies(kind(NUMBERS[minority]), LABELS[minority]) == pytest.approx(0.75, abs=0.1)


def test_copies_in_one_fold_or_with_another_label_are_no_leak() -> None:
    assert share_of_copies(np.repeat(NUMBERS, 2, axis=0), np.tile([0, 1], 60)) == 0


@pytest.mark.parametrize(
    "X",
    [
        RNG.integers(0, 2, size=(300, 3)),  # three binary features
        np.eye(4)[RNG.integers(0, 4, size=300)],  # a category, one column for each value
        np.repeat(RNG.integers(0, 2, size=(300, 2)), 4, axis=1),  # columns that repeat others
        RNG.integers(18, 60, size=(300, 1)),  # an age
        np.round(RNG.normal(size=300), 1),  # a rounded score
        RNG.integers(0, 6, size=(300, 4)),  # ratings
    ],
)
def test_rows_that_are_equal_by_chance_are_no_copies(X: Any) -> None:
    assert share_of_copies(X, RNG.permutation(np.arange(300) % 2)) == 0


def test_a_table_of_few_values_that_was_doubled_is_found() -> None:
    ratings = RNG.integers(0, 6, size=(100, 4))
    assert share_of_copies(np.tile(ratings, (2, 1)), np.tile(np.arange(100) % 2, 2)) > 0.8


def test_texts_are_copies_only_if_they_are_long() -> None:
    short = ["fine", "good", "bad"] * 40
    long = [f"the parcel number {place} never arrived" for place in range(60)] * 2
    labels = np.tile([0, 1], 60)
    assert share_of_copies(short, labels) == 0
    assert share_of_copies(long, labels) > 0.8


def test_copies_of_one_class_in_coarse_data_are_found() -> None:
    # With one decimal rows may agree by chance, but not all rows of a class six times.
    coarse, minority = NUMBERS.round(1), np.flatnonzero(LABELS)
    rows = np.concatenate([np.flatnonzero(LABELS == 0), np.repeat(minority, 6)])
    assert share_of_copies(coarse[rows], LABELS[rows]) == pytest.approx(180 / 210, abs=0.02)


@pytest.mark.parametrize("times", [2, 5])
@pytest.mark.parametrize("drawn", [True, False], ids=["drawn", "all"])
def test_few_rows_of_one_class_that_were_copied_are_found(times: int, drawn: bool) -> None:
    # 15 distinct rows of few values, against 45 rows of the other class.
    ratings, rng = RNG.integers(0, 6, size=(60, 4)), np.random.default_rng(1)
    others, own = np.arange(45), np.arange(45, 60)
    more = rng.choice(own, 15 * (times - 1)) if drawn else np.tile(own, times - 1)
    rows = np.concatenate([others, own, more])
    assert share_of_copies(ratings[rows], rows >= 45, cv=3) > 0.3 * len(own) * times / len(rows)


def test_chance_repeats_in_a_class_of_few_rows_are_no_copies() -> None:
    # Two of the eight rows of the rare class agree with two others, and no two rows of the frequent class.
    values = np.arange(100.0).reshape(50, 2)
    values[[42, 44]] = values[[43, 45]]
    assert share_of_copies(values // 3, np.arange(50) >= 42, cv=2) == 0


def test_copies_below_two_per_cent_are_not_counted() -> None:
    # Rounded values are equal by chance; only four of 240 rows are copies of a long value.
    rows = RNG.normal(size=(236, 1)).round(1)
    values = np.concatenate([rows, np.full((4, 1), 0.123456)])
    assert share_of_copies(values, np.append(np.arange(236) % 2, [0] * 4)) == 0


def test_class_of_few_combinations_that_occur_very_often_is_no_copy() -> None:
    # Most rows of the second class are equal, as default values are; the first class has no pair of equal rows.
    values = np.arange(200.0).reshape(100, 2)
    values[50:90] = 0
    assert share_of_copies(values // 7, np.arange(100) >= 50) == 0

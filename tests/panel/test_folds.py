"""Which rows train and which are tested."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from shiftproof.core import InputError
from shiftproof.panel import cross_fit
from shiftproof.panel._folds import Sample, along_rows, fold_table, make_splits, time_order
from shiftproof.panel._inputs import as_features


def sample(codes: Any, **dependence: Any) -> Sample:
    codes = np.asarray(codes)
    return Sample(
        features=as_features(np.zeros((len(codes), 1))),
        labels=codes,
        classes=np.array(["no", "yes"]),
        codes=codes,
        **dependence,
    )


def test_make_splits_with_one_repeat_are_scikit_learns_folds_of_that_seed() -> None:
    codes = np.arange(40) % 2
    expected = StratifiedKFold(4, shuffle=True, random_state=7).split(np.zeros(40), codes)
    for split, (train, test) in zip(make_splits(sample(codes), 4, 1, 7), expected, strict=True):
        assert (split.train.tolist(), split.test.tolist()) == (train.tolist(), test.tolist())


def test_fold_table_numbers_repeats_and_leaves_untested_rows_out() -> None:
    rows = np.arange(6)
    pairs = [(rows[2:], rows[:2]), (rows[:2], rows[2:4]), (rows[3:], rows[:3])]
    splits = make_splits(sample([0, 1] * 3), pairs, 1, 0)
    assert [(split.repeat, split.fold) for split in splits] == [(0, 0), (0, 1), (1, 0)]
    assert fold_table(splits, 6).tolist() == [[0, 0, 1, 1, -1, -1], [0, 0, 0, -1, -1, -1]]


def test_make_splits_of_masks_are_those_of_row_numbers() -> None:
    mask = np.array([True, True, False, False])
    (split,) = make_splits(sample([0, 1, 0, 1]), [(mask, ~mask)], 1, 0)
    assert (split.train.tolist(), split.test.tolist()) == ([0, 1], [2, 3])


def test_make_splits_in_time_train_on_the_past_and_keep_one_moment_together() -> None:
    moments = np.array([3, 0, 1, 2, 0, 1, 2, 3, 2, 2])
    splits = make_splits(sample(np.arange(10) % 2, time=moments), 2, 1, 0)
    assert len(splits) == 2
    for split in splits:
        assert moments[split.train].max() < moments[split.test].min()
    assert not np.intersect1d(moments[splits[0].test], moments[splits[1].test]).size


def test_make_splits_never_part_groups() -> None:
    groups = np.arange(60) // 5
    for split in make_splits(sample(np.arange(60) % 2, groups=groups), 3, 2, 0):
        assert not np.intersect1d(groups[split.train], groups[split.test]).size


@pytest.mark.parametrize(
    ("case", "cv", "repeats", "sentence"),
    [
        (
            sample([0] * 8 + [1] * 3),
            5,
            1,
            "class 'yes' has only 3 rows, too few for 5 folds; pass cv=3, or add rows of that class.",
        ),
        (
            sample([0] * 8 + [1]),
            2,
            1,
            "class 'yes' must have at least 2 rows for cross-validation, got 1; drop the class, or merge it with "
            "another.",
        ),
        (
            sample([0, 1] * 4, time=np.arange(8)),
            2,
            3,
            "repeats must be 1 with time-ordered folds, got 3; time can be split in only one way.",
        ),
        (
            sample([0, 1] * 4, time=np.zeros(8)),
            2,
            1,
            "time has only 1 different moment, too few for 2 folds, which need at least 3; check that it is the right "
            "column.",
        ),
        (
            sample([0, 1] * 4),
            [([0, 1, 2], [2, 3])],
            1,
            "cv must keep the test rows out of the training rows, got row 2 in both; "
            "scores on rows that a model was trained on are too optimistic.",
        ),
        (
            sample([0, 1] * 4),
            [([0, 1], [8])],
            1,
            "cv must give rows from 0 to 7, got 8; it seems to be made for another table.",
        ),
    ],
)
def test_make_splits_refuse_in_words(case: Sample, cv: Any, repeats: int, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        make_splits(case, cv, repeats, 0)
    assert str(caught.value) == sentence


def test_along_rows_takes_groups_from_a_column_or_of_mixed_types() -> None:
    table = pd.DataFrame({"customer": ["b", "a", "b"]})
    for groups in (along_rows("customer", "groups", table, 3), along_rows(["x", 1, "x"], "groups", table, 3)):
        assert groups is not None
        assert groups.tolist() == [1, 0, 1]


def test_time_order_sorts_dates_and_refuses_missing_ones() -> None:
    days = pd.to_datetime(["2024-03-01", "2024-01-01", "2024-02-01"])
    moments = time_order(days, None, 3)
    assert moments is not None
    assert np.argsort(moments).tolist() == [1, 2, 0]
    with pytest.raises(InputError, match=r"^time must be known for every row, got 1 missing; drop those rows first\.$"):
        time_order(np.array([1.0, np.nan]), None, 2)


def test_a_column_is_neither_a_splitter_nor_a_time() -> None:
    X, y = np.arange(20.0)[:, None], np.arange(20) % 2
    with pytest.raises(InputError) as caught:
        cross_fit(GaussianNB(), X, y, cv=pd.Series(y))
    rule = "cv must be a whole number, a scikit-learn splitter or 'prefit'"
    assert str(caught.value) == f"{rule}, got a Series of 20 values; 10 is usual."
    with pytest.raises(InputError, match=r"^time must be the name of a column, or one moment per row, got 5; "):
        cross_fit(GaussianNB(), X, y, time=5)

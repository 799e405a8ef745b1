from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftproof.core import InputError
from shiftproof.simulation import at_prevalence


def counts(y: Any, rows: Any) -> list[int]:
    return [int((np.asarray(y)[rows] == label).sum()) for label in np.unique(y)]


@given(st.lists(st.integers(1, 30), min_size=2, max_size=4), st.data())
def test_the_largest_sample_has_the_prevalence(sizes: list[int], data: Any) -> None:
    y = np.random.default_rng(1).permutation(np.repeat(np.arange(len(sizes)), sizes))
    parts = np.array(data.draw(st.lists(st.integers(1, 9), min_size=len(sizes), max_size=len(sizes))))
    shares = parts / parts.sum()
    most = min(np.array(sizes) / shares)
    if np.rint(shares * most).min() == 0:
        with pytest.raises(InputError, match=r"^prevalence must be possible with "):
            at_prevalence(y, shares)
        return
    rows = at_prevalence(y, shares)
    assert len(set(rows.tolist())) == len(rows)
    assert (np.diff(rows) > 0).all()
    np.testing.assert_allclose(counts(y, rows), shares * most, atol=0.5 + 1e-9)


@given(st.integers(1, 40), st.floats(0, 1))
def test_a_sample_has_the_size(size: int, share: float) -> None:
    y = np.repeat([0, 1], 50)
    rows = at_prevalence(y, share, size=size)
    assert len(rows) == size
    assert abs(counts(y, rows)[1] - share * size) <= 0.5 + 1e-9


def test_all_or_nothing_of_a_class() -> None:
    y = ["no"] * 6 + ["yes"] * 4
    assert at_prevalence(y, 0).tolist() == [0, 1, 2, 3, 4, 5]
    assert at_prevalence(y, 1).tolist() == [6, 7, 8, 9]
    assert at_prevalence(y, 0.4).tolist() == list(range(10))
    assert len(at_prevalence(y, 0.5, label="no")) == 8


def test_dicts_vectors_and_one_class_of_several() -> None:
    y = ["a"] * 10 + ["b"] * 20 + ["c"] * 30
    assert counts(y, at_prevalence(y, {"c": 0.5, "a": 0.5})) == [10, 0, 10]
    assert counts(y, at_prevalence(y, [0.2, 0.2, 0.6])) == [10, 10, 30]
    assert sum(counts(y, at_prevalence(y, 0.5, label="b"))[::2]) == 20
    assert counts(y, at_prevalence(y, [0.1, 0.2, 0.7], size=10)) == [1, 2, 7]


@pytest.mark.parametrize(
    "make", [list, np.array, pd.Series, pl.Series, pa.array, pd.Categorical, lambda y: np.array(y, dtype=object)]
)
def test_labels_of_any_kind(make: Any) -> None:
    y = [False, True] * 5 + [True] * 10
    rows = at_prevalence(make(y), 0.5)
    assert sum(y[row] for row in rows) == 5
    assert len(rows) == 10


def test_the_seed_decides() -> None:
    y = np.repeat([0, 1], 100)
    np.testing.assert_array_equal(at_prevalence(y, 0.2, random_state=3), at_prevalence(y, 0.2, random_state=3))
    assert at_prevalence(y, 0.2, random_state=3).tolist() != at_prevalence(y, 0.2, random_state=4).tolist()


@pytest.mark.parametrize(
    ("y", "prevalence", "options", "message"),
    [
        ([0, 1], 1.5, {}, "prevalence must be a number from 0 to 1, got 1.5; 0.2 means 20%."),
        ([0, 1], "half", {}, "prevalence must be a share, a dict or one share per class, got 'half'; 0.2 means 20%."),
        ([0, 1], [0.5, 0.4], {}, "prevalence must sum to 1, got 0.9; divide the shares by their sum."),
        ([0, 1], [1.0], {}, "prevalence must have 2 shares, got 1; one for each of 0 and 1."),
        ([0, 1], {2: 1.0}, {}, "prevalence must be one of 0 and 1, got 2; labels must match exactly."),
        ([0, 1], {0: 2}, {}, "each prevalence must be a number from 0 to 1, got 2; 0.2 means 20%."),
        ([0, 1], 0.5, {"label": 3}, "label must be one of 0 and 1, got 3; labels must match exactly."),
        (
            [0, 1],
            [0.5, 0.5],
            {"label": 1},
            "label must be left out with a prevalence for every class, got 1; a single number refers to one class.",
        ),
        (
            [0, 1, 2],
            0.5,
            {},
            "label must be given for 3 classes; choose one of 0, 1 and 2, or give a share for each.",
        ),
        ([0, 0], 0.5, {}, "y must hold two classes, got only 0; name the class with label."),
        (
            [0, 0, 1],
            0.5,
            {"size": 4},
            "size must not need more rows than the 1 rows of 1, got 4; at most about 2 rows can have this prevalence.",
        ),
        ([0, 1], 0.5, {"size": 0}, "size must be a whole number of at least 1; got 0."),
        ([0, None], 0.5, {}, "y must have no missing labels, got 1; drop those rows first."),
        ([], 0.5, {}, "y must hold at least one label, got 0; check the filter or the file it came from."),
        ("01", 0.5, {}, "y must be labels, one per row, got '01'; pass a list, an array or a series."),
        (np.zeros((2, 2)), 0.5, {}, "y must have one dimension, got shape (2, 2); pass one column or a flat list."),
        (["a", 1], 0.5, {}, "y must hold labels of one type, got int and str; convert all of them to text."),
    ],
)
def test_bad_input_gets_one_sentence(y: Any, prevalence: Any, options: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        at_prevalence(y, prevalence, **options)
    assert str(caught.value) == message

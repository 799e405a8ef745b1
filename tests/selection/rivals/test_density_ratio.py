"""Density ratios: against the true ratio, under no shift, on tables as they come, and what is refused."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from shiftproof import InputError
from shiftproof.selection.rivals._density_ratio import clipped_weights, density_ratio, effective_rows


def test_weights_follow_the_true_ratio_of_two_normals() -> None:
    rng = np.random.default_rng(1)
    old, new = rng.normal(0, 1, size=(1500, 2)), rng.normal(0, 1, size=(1000, 2)) + np.array([1, 0])
    found = density_ratio(old, new)
    true = np.exp(old[:, 0] - 0.5)
    true /= true.sum()
    assert np.corrcoef(np.log(found.weights), np.log(true))[0, 1] > 0.95
    assert found.weights @ old[:, 0] == pytest.approx(1, abs=0.12)
    assert found.weights @ old[:, 1] == pytest.approx(0, abs=0.12)
    assert found.effective_rows == pytest.approx(1 / (true**2).sum(), rel=0.35)


def test_trees_take_over_where_a_line_tells_nothing() -> None:
    rng = np.random.default_rng(2)
    old, new = rng.normal(0, 2, size=(1000, 1)), rng.normal(0, 0.7, size=(1000, 1))
    found = density_ratio(old, new)
    spread = float(found.weights @ old[:, 0] ** 2)
    assert float((old**2).mean()) > 3.5
    assert spread == pytest.approx(0.49, abs=0.25)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_without_shift_nearly_all_rows_count(seed: int) -> None:
    rng = np.random.default_rng(seed)
    found = density_ratio(rng.normal(size=(600, 4)), rng.normal(size=(500, 4)), random_state=seed)
    assert found.weights.sum() == pytest.approx(1)
    assert found.effective_rows > 0.9 * 600
    assert found.clipped == 0


def test_equal_rows_weigh_the_same() -> None:
    found = density_ratio(np.zeros((30, 2)), np.zeros((20, 2)))
    np.testing.assert_allclose(found.weights, 1 / 30)
    assert found.effective_rows == pytest.approx(30)


def test_weights_are_cut_by_hand() -> None:
    raw = np.array([1.0] * 98 + [50.0, 400.0])
    found = clipped_weights(raw, 10)
    limit = 10 * (98 + 450) / 100
    kept = np.minimum(raw, limit)
    np.testing.assert_allclose(found.weights, kept / kept.sum())
    assert found.clipped == 0.01
    assert found.effective_rows == pytest.approx(kept.sum() ** 2 / (kept**2).sum())
    assert effective_rows(np.full(7, 3.0)) == pytest.approx(7)


def test_no_weight_is_beyond_the_most() -> None:
    rng = np.random.default_rng(3)
    old, new = rng.normal(0, 1, size=(800, 1)), rng.normal(3, 0.5, size=(800, 1))
    found = density_ratio(old, new)
    assert found.clipped > 0
    assert found.effective_rows < 100
    loose = density_ratio(old, new, most=1000)
    assert loose.clipped == 0
    assert loose.effective_rows < found.effective_rows


def mixed(rng: np.random.Generator, n: int, jobs: list[str | None], shift: float) -> dict[str, list[Any]]:
    age = (rng.normal(40 + shift, 10, size=n)).tolist()
    return {
        "age": [None if rng.random() < 0.2 else each for each in age],
        "visits": [None if rng.random() < 0.1 else int(each) for each in rng.poisson(3, size=n)],
        "job": [jobs[at] for at in rng.integers(len(jobs), size=n)],
        "member": [None if rng.random() < 0.1 else bool(each) for each in rng.integers(2, size=n)],
        "since": [date(2020, 1, 1) + timedelta(days=int(each)) for each in rng.integers(900, size=n)],
        "nothing": [None] * n,
    }


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame])
def test_tables_with_gaps_and_unseen_categories(make: Any) -> None:
    rng = np.random.default_rng(4)
    old, new = mixed(rng, 300, ["a", "b", "c", None], 0), mixed(rng, 200, ["a", "d", "e"], 5)
    found = density_ratio(make(old), make(new))
    jobs = np.array([str(job) for job in old["job"]])
    assert found.weights.sum() == pytest.approx(1)
    # Only "a" is met among the new rows.
    assert found.weights[jobs == "a"].sum() > 0.7
    ages = np.array([np.nan if each is None else each for each in old["age"]])
    known = ~np.isnan(ages)
    assert found.weights[known] @ ages[known] / found.weights[known].sum() > ages[known].mean()


def test_columns_of_the_new_rows_alone_are_left_out() -> None:
    rng = np.random.default_rng(5)
    old, new = pd.DataFrame({"a": rng.normal(size=50)}), pd.DataFrame({"b": 1, "a": rng.normal(size=50)})
    np.testing.assert_array_equal(density_ratio(old, new).weights, density_ratio(old, new[["a"]]).weights)


def test_seeds() -> None:
    rng = np.random.default_rng(6)
    old, new = rng.normal(size=(100, 2)), rng.normal(size=(100, 2)) + 0.5
    first, again = (density_ratio(old, new, random_state=np.random.default_rng(3)).weights for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert (density_ratio(old, new, random_state=1).weights != first).any()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            np.zeros((20, 1)),
            np.zeros((9, 1)),
            "X_new must hold at least 10 rows, got 9; a classifier cannot learn from fewer rows.",
        ),
        (
            {"a": [1.0] * 20, "b": [1.0] * 20},
            {"a": [1.0] * 20},
            "X_new has no column 'b', which X has; check its header.",
        ),
        (
            {"a": [f"name {at}" for at in range(40)]},
            {"a": [f"other {at}" for at in range(40)]},
            "X must have a column that can be compared, got only 'a'; text and identifiers cannot be compared.",
        ),
    ],
)
def test_what_is_refused(old: Any, new: Any, words: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(words)}$"):
        density_ratio(old, new)


def test_the_most_must_be_above_one() -> None:
    with pytest.raises(InputError, match=r"^most must be above 1, got 0\.5; 10 is usual\.$"):
        density_ratio(np.zeros((20, 1)), np.zeros((20, 1)), most=0.5)

from __future__ import annotations

import math
import os

import numpy as np
import pandas as pd
import pytest

from shiftproof.core import InputError, as_table
from shiftproof.shift import DomainCheck, domain_check

# `make soak` runs 240.
RUNS = 12 * int(os.environ.get("SIMULATIONS", "1"))


def check(old: object, new: object, *, nominal: tuple[str, ...] = (), seed: int = 0) -> DomainCheck:
    before, after = as_table(old), as_table(new)
    kinds = {name: "nominal" if name in nominal else "continuous" for name in before.names}
    return domain_check(before, after, kinds, random_state=seed)


def test_domain_check_detects_a_change_that_no_single_feature_shows() -> None:
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 400))
    result = check({"a": x, "b": x}, {"a": z, "b": -z})
    assert result.auc.low > 0.9
    assert result.p_value < 1e-6


def test_domain_check_rarely_alarms_without_shift() -> None:
    rng = np.random.default_rng(1)
    words = np.array([f"w{number}" for number in range(300)])
    alarms = 0
    for seed in range(RUNS):
        x = rng.normal(size=160)
        table = {"a": x, "b": x + rng.normal(size=160), "c": words[rng.integers(0, 300, 160)]}
        old, new = ({name: cells[rows] for name, cells in table.items()} for rows in (slice(0, 90), slice(90, None)))
        alarms += check(old, new, nominal=("c",), seed=seed).p_value < 0.05
    assert alarms <= 0.05 * RUNS + 3 * math.sqrt(0.05 * 0.95 * RUNS)


def test_domain_check_distinguishes_missing_values_categories_and_huge_numbers() -> None:
    rng = np.random.default_rng(2)
    gaps = np.where(rng.random(100) < 0.5, np.nan, 1.0)
    assert check({"a": gaps}, {"a": np.ones(100)}).p_value < 0.01
    assert check({"a": ["x", "y"] * 50}, {"a": ["z", "y"] * 50}, nominal=("a",)).p_value < 0.01
    large = 2**60 + rng.integers(0, 2, 200)
    assert check({"a": large[:100] & ~1}, {"a": large[100:] | 1}).auc.estimate > 0.95
    ends = np.array([np.inf, -np.inf, 1e308, -1e308] * 25)
    assert check({"a": ends}, {"a": ends}).p_value > 0.05


def test_domain_check_draws_rows_of_large_tables_and_notes_it() -> None:
    x = np.random.default_rng(3).normal(size=9_000)
    result = check({"a": x[:6_000]}, {"a": x[6_000:]})
    assert (result.n_reference, result.n_current) == (2_000, 2_000)
    assert result.note == "measured on 2,000 rows of each table, drawn at random"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ({"a": np.arange(24.0)}, {"a": np.arange(100.0)}, "fewer than 25 rows on a side"),
        ({"a": np.ones(50)}, {"a": np.ones(50)}, "all rows are equal"),
    ],
)
def test_domain_check_of_few_or_equal_rows_has_no_p_value(old: object, new: object, why: str) -> None:
    result = check(old, new)
    assert math.isnan(result.p_value)
    assert result.note == why


def test_domain_check_with_the_same_seed_is_reproducible() -> None:
    rng = np.random.default_rng(4)
    old, new = rng.normal(size=(100, 3)), rng.normal(0.2, 1, size=(100, 3))
    assert check(old, new, seed=1).p_value == check(old, new, seed=1).p_value


def test_domain_check_takes_tables_of_any_library_and_known_columns() -> None:
    rng = np.random.default_rng(0)
    old, new = (pd.DataFrame({"a": rng.normal(size=60)}) for _ in range(2))
    assert domain_check(old, new, {"a": "continuous"}).n_reference == 60
    with pytest.raises(InputError, match=r"^kinds must name columns of current, got 'b'; available: 'a'\.$"):
        domain_check(old.assign(b=1.0), new, {"b": "continuous"})

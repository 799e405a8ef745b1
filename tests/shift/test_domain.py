from __future__ import annotations

import math
import os

import numpy as np
import pytest

from shiftproof.core import as_table
from shiftproof.shift import DomainCheck, domain_check

# `make soak` runs 240.
RUNS = 12 * int(os.environ.get("SIMULATIONS", "1"))


def check(old: object, new: object, *, nominal: tuple[str, ...] = (), seed: int = 0) -> DomainCheck:
    before, after = as_table(old), as_table(new)
    kinds = {name: "nominal" if name in nominal else "continuous" for name in before.names}
    return domain_check(before, after, kinds, random_state=seed)


def test_it_sees_what_no_single_feature_shows() -> None:
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 400))
    found = check({"a": x, "b": x}, {"a": z, "b": -z})
    assert found.auc.low > 0.9
    assert found.p_value < 1e-6


def test_alarms_without_shift_are_rare() -> None:
    rng = np.random.default_rng(1)
    words = np.array([f"w{at}" for at in range(300)])
    alarms = 0
    for seed in range(RUNS):
        x = rng.normal(size=160)
        table = {"a": x, "b": x + rng.normal(size=160), "c": words[rng.integers(0, 300, 160)]}
        old, new = ({name: cells[at] for name, cells in table.items()} for at in (slice(0, 90), slice(90, None)))
        alarms += check(old, new, nominal=("c",), seed=seed).p_value < 0.05
    assert alarms <= 0.05 * RUNS + 3 * math.sqrt(0.05 * 0.95 * RUNS)


def test_missing_values_categories_and_huge_numbers_are_told_apart() -> None:
    rng = np.random.default_rng(2)
    gaps = np.where(rng.random(100) < 0.5, np.nan, 1.0)
    assert check({"a": gaps}, {"a": np.ones(100)}).p_value < 0.01
    assert check({"a": ["x", "y"] * 50}, {"a": ["z", "y"] * 50}, nominal=("a",)).p_value < 0.01
    large = 2**60 + rng.integers(0, 2, 200)
    assert check({"a": large[:100] & ~1}, {"a": large[100:] | 1}).auc.estimate > 0.95
    ends = np.array([np.inf, -np.inf, 1e308, -1e308] * 25)
    assert check({"a": ends}, {"a": ends}).p_value > 0.05


def test_large_tables_are_sampled_and_it_says_so() -> None:
    x = np.random.default_rng(3).normal(size=9_000)
    found = check({"a": x[:6_000]}, {"a": x[6_000:]})
    assert (found.n_reference, found.n_current) == (2_000, 2_000)
    assert found.note == "on 2,000 and 2,000 rows drawn at random"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ({"a": np.arange(24.0)}, {"a": np.arange(100.0)}, "fewer than 25 rows on a side"),
        ({"a": np.ones(50)}, {"a": np.ones(50)}, "all rows are equal"),
    ],
)
def test_what_cannot_be_tested_is_not(old: object, new: object, why: str) -> None:
    found = check(old, new)
    assert math.isnan(found.p_value)
    assert found.note == why


def test_the_same_seed_gives_the_same_answer() -> None:
    rng = np.random.default_rng(4)
    old, new = rng.normal(size=(100, 3)), rng.normal(0.2, 1, size=(100, 3))
    assert check(old, new, seed=1).p_value == check(old, new, seed=1).p_value

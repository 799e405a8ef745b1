"""The p-values keep their level: short versions of ``benchmarks/kind_of_shift.py``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from shiftproof.shift import ShiftKind, _reference_score, kind_of_shift


@pytest.fixture(autouse=True)
def few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Grow small forests: the level holds for any score."""
    monkeypatch.setattr(_reference_score, "_TREES", 10)


def _drawn(counts: list[int], rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Skewed, tied, rare and correlated features of two classes."""
    y = np.repeat([0, 1], counts)
    n = len(y)
    x = rng.normal(size=n) + y
    return np.column_stack([x, np.exp(x + rng.normal(size=n)), rng.poisson(1 + y), rng.random(n) < 0.01]), y


def test_without_shift_the_alarms_are_few_and_nothing_is_refused() -> None:
    rng = np.random.default_rng(0)
    found = [kind_of_shift(*_drawn([180, 70], rng), _drawn([72, 28], rng)[0], random_state=at) for at in range(40)]
    _check_quiet(found)


def test_under_prior_shift_the_class_shares_explain_all() -> None:
    rng = np.random.default_rng(1)
    found = [kind_of_shift(*_drawn([180, 70], rng), _drawn([30, 70], rng)[0], random_state=at) for at in range(40)]
    assert sum(each.p_prior < 0.05 for each in found) <= 6  # 7 or more of 40 by chance: 0.3%
    assert sum(each.p_prevalence < 0.01 for each in found) >= 20
    assert sum(0.7 in each.prevalence[1] for each in found) >= 33


def test_real_rows_without_shift(shared_data: Path) -> None:
    table = pd.read_csv(shared_data / "hddt_phoneme.csv")
    y = table.pop("label").to_numpy()
    rng = np.random.default_rng(2)
    found = []
    for at in range(40):
        rows = rng.permutation(len(y))
        old, new = rows[:400], rows[400:600]
        found.append(kind_of_shift(table.iloc[old], y[old], table.iloc[new], random_state=at))
    _check_quiet(found)


def _check_quiet(found: list[ShiftKind]) -> None:
    assert sum(each.p_none < 0.05 for each in found) <= 6
    assert sum(each.p_prior < 0.05 for each in found) <= 6
    assert sum(each.p_none < 0.5 for each in found) >= 8  # not silent either
    assert not any(each.refused for each in found)

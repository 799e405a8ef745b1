from __future__ import annotations

import numpy as np
import pytest

from shiftproof.shift._reach import correlation_change, outside_share


def test_about_one_in_a_hundred_lies_outside_without_shift() -> None:
    rng = np.random.default_rng(0)
    share = outside_share(rng.normal(size=(2000, 3)), rng.normal(size=(2000, 3)), np.zeros(2000, dtype=bool))
    assert 0.003 < share < 0.025


def test_rows_far_away_or_never_seen_lie_outside() -> None:
    rng = np.random.default_rng(1)
    old, new = rng.normal(size=(300, 2)), rng.normal(size=(100, 2))
    new[:30] += 20
    unseen = np.zeros(100, dtype=bool)
    unseen[20:50] = True
    assert outside_share(old, new, unseen) == pytest.approx(0.5, abs=0.05)


def test_one_row_has_no_neighbours() -> None:
    assert outside_share(np.zeros((1, 2)), np.ones((4, 2)), np.array([True, False, False, False])) == 0.25


def test_repeated_rows_are_not_outside() -> None:
    same = np.repeat([[0.0], [1.0]], 50, axis=0)
    assert outside_share(same, same[:40], np.zeros(40, dtype=bool)) == 0.0


def test_a_broken_correlation_is_seen_and_chance_is_not() -> None:
    rng = np.random.default_rng(2)
    mixing = np.linalg.cholesky(np.full((4, 4), 0.6) + 0.4 * np.eye(4))
    old = rng.normal(size=(1000, 4)) @ mixing.T
    for m in (12, 100, 1000):
        assert correlation_change(old, rng.normal(size=(m, 4)) @ mixing.T, np.ones(1000)) < 0.1
    broken = correlation_change(old, rng.normal(size=(1000, 4)), np.ones(1000))
    assert broken == pytest.approx(np.arctanh(0.6), abs=0.05)


def test_weights_explain_a_correlation() -> None:
    """Two groups with opposite correlations, of which the new rows hold one."""
    rng = np.random.default_rng(3)
    x, noise = rng.normal(size=(2, 2000))
    sign = np.repeat([1, -1], 1000)
    old = np.column_stack([x, 0.7 * sign * x + 0.7 * noise])
    new = old[sign > 0][:500]
    assert correlation_change(old, new, np.ones(2000)) > 0.5
    assert correlation_change(old, new, (sign > 0).astype(float)) < 0.05


def test_columns_that_hardly_vary_and_few_rows_say_nothing() -> None:
    rng = np.random.default_rng(4)
    old = np.column_stack([rng.normal(size=100), np.zeros(100)])
    assert correlation_change(old, old, np.ones(100)) == 0.0
    assert correlation_change(rng.normal(size=(100, 2)), rng.normal(size=(5, 2)), np.ones(100)) == 0.0

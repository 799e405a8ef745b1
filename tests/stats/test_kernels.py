"""The kernels as plain Python say the same as compiled: coverage cannot see inside machine code."""

from __future__ import annotations

import numpy as np
import pytest

from shiftproof.stats import _kernels

CASES = [
    (np.array([1.0, 2.0, 2.0, 5.0]), np.array([0.0, 2.0, 3.0])),
    (np.array([1.0]), np.array([1.0, 1.0, 1.0])),
    (np.array([1, 2, 3, 4, 9, 9], dtype=np.int64), np.array([5, 5], dtype=np.int64)),
    (np.array([7, 8], dtype=np.int64), np.array([1, 2, 2, 3], dtype=np.int64)),
    (np.array([0.5, 1.5, 2.5, 3.5]), np.array([1.0, 2.0, 3.0, 4.0])),
]


@pytest.mark.parametrize(("a", "b"), CASES)
def test_merge(a: np.ndarray, b: np.ndarray) -> None:
    assert _kernels.merge.py_func(a, b) == pytest.approx(_kernels.merge(a, b))


def test_merge_of_wrapping_integers() -> None:
    ends = np.iinfo(np.int64)
    a, b = np.array([ends.min, ends.max]), np.array([ends.min, ends.max, ends.max])
    with np.errstate(over="ignore"):
        slow = _kernels.merge.py_func(a, b)
        tail = _kernels.merge.py_func(a[:1], b[1:])
    assert slow == pytest.approx(_kernels.merge(a, b))
    assert tail == pytest.approx(_kernels.merge(a[:1], b[1:]))
    assert slow[-1] == pytest.approx(2.0**64)


@pytest.mark.parametrize(("low", "width", "scale"), [(0.0, 0.1, 1.0), (0.0, 0.05, 0.5)])
def test_bin_counts(low: float, width: float, scale: float) -> None:
    values = np.linspace(0.0, 3.0, 50)
    slow = _kernels.bin_counts.py_func(values, low, width, scale, 30)
    np.testing.assert_array_equal(slow, _kernels.bin_counts(values, low, width, scale, 30))
    assert slow.sum() == 50


def test_bin_counts_of_wrapping_integers() -> None:
    ends = np.iinfo(np.int64)
    values = np.array([ends.min, 0, ends.max])
    with np.errstate(over="ignore"):
        slow = _kernels.bin_counts.py_func(values, values[0], 2.0**64 / 30, 1.0, 30)
    assert slow[[0, 15, 29]].tolist() == [1, 1, 1]
    np.testing.assert_array_equal(slow, _kernels.bin_counts(values, values[0], 2.0**64 / 30, 1.0, 30))


def test_moments() -> None:
    values = np.sort(np.random.default_rng(0).normal(1e9, 1.0, 1000))
    mean, squares = _kernels.moments.py_func(values)
    assert (mean, squares) == pytest.approx(_kernels.moments(values))
    assert mean == pytest.approx(values.mean())
    assert squares / 999 == pytest.approx(values.var(ddof=1), rel=1e-9)


def test_group_rank_sums() -> None:
    values = np.array([1.0, 2.0, 2.0, 3.0, 5.0])
    codes = np.array([0, 1, 0, 2, 2])
    sums, high, low = _kernels.group_rank_sums.py_func(codes, values, 3)
    again = _kernels.group_rank_sums(codes, values, 3)
    assert sums.tolist() == again[0].tolist() == [-4 - 1, -1, 2 + 4]
    assert (high, low) == (again[1], again[2]) == (0, 6)


@pytest.mark.parametrize(("n", "m", "limit"), [(3, 5, 6), (4, 7, 28), (2, 9, 5), (6, 7, 1)])
def test_paths_outside(n: int, m: int, limit: int) -> None:
    assert _kernels.paths_outside.py_func(n, m, limit) == pytest.approx(_kernels.paths_outside(n, m, limit))

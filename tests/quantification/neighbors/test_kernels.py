"""The kernels of nearest neighbours against plain sorting and counting, compiled and as plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shiftproof.quantification.neighbors._kernels import first_allowed, ranked, scanned

Array = np.ndarray[Any, Any]

RNG = np.random.default_rng(0)
POINTS = RNG.integers(0, 4, (60, 3)).astype(float)
QUERIES = RNG.integers(0, 4, (20, 3)).astype(float)
SQUARES = ((QUERIES[:, None] - POINTS) ** 2).sum(axis=2)
NOBODY = np.full(20, -1)


def both(kernel: Any) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("run", [kernel, kernel.py_func], ids=["compiled", "plain"])


def sorted_rows(squares: Array, allowed: Array, k: int) -> Array:
    """Rows by distance, then by number, by a stable sort."""
    rows = np.flatnonzero(allowed)
    return rows[np.argsort(squares[:, rows], axis=1, kind="stable")[:, :k]]


@both(ranked)
def test_candidates_are_ordered_by_distance_and_then_by_row(run: Any) -> None:
    found = np.argsort(RNG.random((20, 60)), axis=1)
    order, keys = run(POINTS, QUERIES, found)
    np.testing.assert_array_equal(order, sorted_rows(SQUARES, np.ones(60, bool), 60))
    np.testing.assert_array_equal(keys, np.sort(SQUARES, axis=1))


@both(ranked)
def test_distances_that_differ_by_rounding_alone_are_equal(run: Any) -> None:
    """0.3 - 0.2 is not 0.2 - 0.1."""
    points = np.array([[0.3], [0.1], [0.3 + 1e-7]])
    order, keys = run(points, np.array([[0.2]]), np.array([[1, 2, 0]]))
    assert order.tolist() == [[0, 1, 2]]
    assert keys[0, 0] == keys[0, 1] < keys[0, 2]


@both(first_allowed)
def test_the_first_that_are_allowed(run: Any) -> None:
    order, keys = np.array([[3, 0, 2, 1], [1, 3, 0, 2]]), np.array([[0.0, 1.0, 1.0, 2.0], [0.0, 0.5, 0.5, 4.0]])
    nearest, last = run(order, keys, np.array([3, -1]), np.array([True, True, True, False]), 2)
    assert nearest.tolist() == [[0, 2], [1, 0]]
    assert last.tolist() == [1.0, 0.5]
    nearest, last = run(order, keys, np.array([3, 1]), np.array([True, True, True, False]), 3)
    assert nearest[0].tolist() == [0, 2, 1]
    assert last.tolist() == [2.0, np.inf]


@both(scanned)
@pytest.mark.parametrize("k", [1, 5, 30])
def test_looking_at_every_row(run: Any, k: int) -> None:
    allowed = RNG.random(60) < 0.7
    allowed[:30] = True
    np.testing.assert_array_equal(run(POINTS, QUERIES, NOBODY, allowed, k), sorted_rows(SQUARES, allowed, k))


@both(scanned)
def test_rows_at_no_distance_end_the_look(run: Any) -> None:
    points = np.zeros((50, 2))
    found = run(points, points[:3], np.arange(3), np.ones(50, bool), 4)
    assert found.tolist() == [[1, 2, 3, 4], [0, 2, 3, 4], [0, 1, 3, 4]]

from __future__ import annotations

import numpy as np

from shiftproof.shift._copies import copies


def test_rows_are_found_by_all_their_values() -> None:
    old = np.arange(4), np.array([0, 0, 1, 1])
    new = np.array([3, 2, 0, -1]), np.array([1, 0, 0, 1])
    assert copies([(old[0], new[0]), (old[1], new[1])]).tolist() == [3, -1, 0, -1]


def test_rows_that_agree_by_chance_are_no_copies() -> None:
    rng = np.random.default_rng(0)
    pairs = [(rng.integers(0, 3, 300), rng.integers(0, 3, 100)) for _ in range(4)]
    assert (copies(pairs) == -1).all()


def test_a_few_copies_are_let_be() -> None:
    assert (copies([(np.arange(50), np.r_[np.arange(5), np.full(45, -1)])]) == -1).all()

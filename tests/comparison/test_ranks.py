from __future__ import annotations

import numpy as np
import pytest

from shiftproof.comparison._ranks import dataset_ranks, over_datasets, tally


def test_wins_losses_and_ties_are_counted_by_hand() -> None:
    values = np.array([[1, 2, 1], [3, 2, 3], [1, 1, 5], [0, 4, 2.0]])
    places = np.array([0, 0, 0, 1])
    counts = tally(values, places)
    for one in range(3):
        for other in range(3):
            assert counts.wins[one, other] == (values[:, one] < values[:, other]).sum()
            assert counts.ties[one, other] == (values[:, one] == values[:, other]).sum()
            assert counts.mean_difference[one, other] == pytest.approx((values[:, other] - values[:, one]).mean())
    # 0 against 1 on the first set: one win, one loss, one tie
    assert (counts.dataset_wins[0, 1], counts.dataset_ties[0, 1], counts.dataset_wins[1, 0]) == (1, 1, 0)
    assert (counts.dataset_wins[0, 2], counts.dataset_ties[0, 2]) == (2, 0)


def test_data_sets_count_the_same_however_many_prevalences_they_have() -> None:
    values = np.array([[1, 2], [1, 2], [1, 2], [2, 1.0]])
    places = np.array([0, 0, 0, 1])
    assert dataset_ranks(values, places, "average").mean(axis=0).tolist() == [1.5, 1.5]
    assert over_datasets(values, places).tolist() == [[1, 2], [2, 1]]


def test_equal_averages_tie_when_they_are_ranked_again() -> None:
    values = np.array([[1, 2, 3], [2, 1, 3.0]])
    assert dataset_ranks(values, np.array([0, 0]), "average").tolist() == [[1.5, 1.5, 3]]
    assert dataset_ranks(values, np.array([0, 0]), "rerank").tolist() == [[1.5, 1.5, 3]]
    rotated = np.array([[1, 2, 3], [2, 3, 1], [3, 1, 2.0]])
    assert dataset_ranks(rotated, np.zeros(3, dtype=np.intp), "rerank").tolist() == [[2, 2, 2]]

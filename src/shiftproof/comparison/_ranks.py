"""Ranks over data sets, and how often each method wins."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Floats
from shiftproof.stats import rank_rows

Ranking = Literal["average", "rerank"]


def dataset_ranks(losses: Floats, places: NDArray[np.intp], ranking: Ranking) -> Floats:
    """Rank the methods in each cell, and average the ranks of each data set.

    Parameters
    ----------
    losses : ndarray of shape (n_cells, n_methods)
        The lower the better.
    places : ndarray of int of shape (n_cells,)
        The data set of each cell, from 0 on.
    ranking : {"average", "rerank"}
        Whether to keep these averages, or to rank them once more within each data set.

    Returns
    -------
    ndarray of shape (n_datasets, n_methods)

    Examples
    --------
    >>> losses = np.array([[0.1, 0.2, 0.3], [0.2, 0.1, 0.3], [0.1, 0.2, 0.3]])
    >>> dataset_ranks(losses, np.array([0, 0, 0]), "average").round(2)
    array([[1.33, 1.67, 3.  ]])
    >>> dataset_ranks(losses, np.array([0, 0, 0]), "rerank")
    array([[1., 2., 3.]])
    """
    # Section 4.2.4 of the thesis can be read both ways: "which is used to rank" may mean the averages or their ranks.
    averages = over_datasets(rank_rows(losses), places)
    return rank_rows(averages) if ranking == "rerank" else averages


def over_datasets(values: Floats, places: NDArray[np.intp]) -> Floats:
    """Average the cells of each data set.

    Examples
    --------
    >>> over_datasets(np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.1]]), np.zeros(3, np.intp))
    array([[0.2, 0.2]])
    """
    by_dataset = [values[places == dataset] for dataset in range(int(places.max()) + 1)]
    # Exact sums: equal means must stay ties.
    return np.array([[math.fsum(column) / len(cells) for column in cells.T] for cells in by_dataset])


@dataclass(frozen=True, eq=False, kw_only=True)
class Tally:
    """Wins and ties of every two methods; entry (i, j) compares method i with method j.

    Parameters
    ----------
    wins, ties : ndarray of int of shape (n_methods, n_methods)
        In how many cells i has the lower loss, or the same; j's wins are i's losses.
    dataset_wins, dataset_ties : ndarray of int of shape (n_methods, n_methods)
        On how many data sets i wins more cells than j, or as many.
    mean_difference : ndarray of shape (n_methods, n_methods)
        By how much j's loss is higher on average over the cells: MDAE where losses are absolute errors.
    """

    wins: NDArray[np.int64]
    ties: NDArray[np.int64]
    dataset_wins: NDArray[np.int64]
    dataset_ties: NDArray[np.int64]
    mean_difference: Floats


def tally(losses: Floats, places: NDArray[np.intp]) -> Tally:
    """Count wins and ties of every two methods.

    Examples
    --------
    >>> counts = tally(np.array([[0.1, 0.2], [0.2, 0.2], [0.3, 0.1]]), np.array([0, 0, 1]))
    >>> counts.wins[0, 1], counts.wins[1, 0], counts.ties[0, 1], counts.dataset_wins[0, 1]
    (np.int64(1), np.int64(1), np.int64(1), np.int64(1))
    """
    k, n = losses.shape[1], int(places.max()) + 1
    wins, ties, dataset_wins, dataset_ties = (np.zeros((k, k), dtype=np.int64) for _ in range(4))
    for one in range(k):
        # Lower is better: the sign is positive where the method of this row wins.
        sign = np.sign(losses - losses[:, [one]]).astype(np.int64)
        wins[one], ties[one] = (sign > 0).sum(axis=0), (sign == 0).sum(axis=0)
        # The method that wins more of its cells wins a data set.
        net = np.zeros((n, k), dtype=np.int64)
        np.add.at(net, places, sign)
        dataset_wins[one], dataset_ties[one] = (net > 0).sum(axis=0), (net == 0).sum(axis=0)
    means = over_datasets(losses, np.zeros_like(places))[0]
    return Tally(
        wins=wins,
        ties=ties,
        dataset_wins=dataset_wins,
        dataset_ties=dataset_ties,
        mean_difference=means[None, :] - means[:, None],
    )

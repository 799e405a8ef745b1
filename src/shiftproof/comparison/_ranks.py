"""Ranks over data sets, and who wins where."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shiftproof.stats import rank_rows

Floats = NDArray[np.float64]
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
        Whether to leave it at these averages, or to rank them once more within each data set.

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
    averages = over_datasets(rank_rows(losses), places)
    return rank_rows(averages) if ranking == "rerank" else averages


def over_datasets(values: Floats, places: NDArray[np.intp]) -> Floats:
    """Average the cells of each data set; summed without rounding, so that equal means stay ties.

    Examples
    --------
    >>> over_datasets(np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.1]]), np.zeros(3, np.intp))
    array([[0.2, 0.2]])
    """
    cells = [values[places == at] for at in range(int(places.max()) + 1)]
    return np.array([[math.fsum(column) / len(own) for column in own.T] for own in cells])


@dataclass(frozen=True, eq=False, kw_only=True)
class Tally:
    """Who wins against whom; entry (i, j) is about method i against method j.

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
    >>> found = tally(np.array([[0.1, 0.2], [0.2, 0.2], [0.3, 0.1]]), np.array([0, 0, 1]))
    >>> found.wins[0, 1], found.wins[1, 0], found.ties[0, 1], found.dataset_wins[0, 1]
    (np.int64(1), np.int64(1), np.int64(1), np.int64(1))
    """
    k, n = losses.shape[1], int(places.max()) + 1
    wins, ties, on_sets, level = (np.zeros((k, k), dtype=np.int64) for _ in range(4))
    for one in range(k):
        sign = np.sign(losses - losses[:, [one]]).astype(np.int64)
        wins[one], ties[one] = (sign > 0).sum(axis=0), (sign == 0).sum(axis=0)
        net = np.zeros((n, k), dtype=np.int64)
        np.add.at(net, places, sign)
        on_sets[one], level[one] = (net > 0).sum(axis=0), (net == 0).sum(axis=0)
    means = over_datasets(losses, np.zeros_like(places))[0]
    return Tally(
        wins=wins, ties=ties, dataset_wins=on_sets, dataset_ties=level, mean_difference=means[None, :] - means[:, None]
    )

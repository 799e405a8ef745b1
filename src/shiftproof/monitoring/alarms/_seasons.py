"""Seasons: rows of Mondays are compared with Mondays.

A batch of one season is compared with the reference rows of that season, and a batch of several with the reference rows
of the same seasons in the same proportions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from shiftproof.monitoring.alarms._facts import CellPlan
from shiftproof.monitoring.alarms._material import MaterialBets, pooled_levels

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# How many mixtures of seasons are remembered: those of a year of days that span midnight.
_REMEMBERED = 512


def mixture_weights(mix: Ints | Floats, rows: Ints) -> Floats:
    """Return how much each reference row of a season counts in a reference with a batch's mix of seasons.

    The weights add up, over all reference rows, to the number of rows that an unweighted sample with the same sampling
    error would have.

    Parameters
    ----------
    mix : array, shape (S,)
        The batch's rows of each season.
    rows : array of int, shape (S,)
        The reference's rows of each season.

    Examples
    --------
    >>> mixture_weights(np.array([5, 0]), np.array([300, 700]))
    array([1., 0.])
    >>> mixture_weights(np.array([30, 70]), np.array([300, 700]))
    array([1., 1.])
    """
    shares = np.asarray(mix, dtype=np.float64) / np.sum(mix)
    per_row = shares / np.maximum(rows, 1)
    return np.asarray(per_row / float(np.sum(shares * per_row)))


def mixed_counts(counts: Sequence[Ints], weights: Floats) -> Ints:
    """Add up the counts of seasons with weights, so that no sum of the first cells is off by more than half a row.

    Parameters
    ----------
    counts : sequence of array of int, shape (K,)
        Rows in each cell, by season.
    weights : array, shape (S,)
        How much each row of a season counts.

    Examples
    --------
    >>> mixed_counts([np.array([1, 2, 3]), np.array([3, 3, 3])], np.array([0.5, 0.5])).tolist()
    [2, 2, 4]
    """
    total = np.sum([weights[season] * counts[season] for season in np.flatnonzero(weights).tolist()], axis=0)
    return np.asarray(np.diff(np.rint(np.cumsum(total)), prepend=0.0), dtype=np.int64)


def mixed_plan(plans: Sequence[CellPlan], weights: Floats) -> CellPlan:
    """Return a column of the reference with a mix of seasons.

    Parameters
    ----------
    plans : sequence of CellPlan
        The column, by season; all have the same cells.
    weights : array, shape (S,)
        How much each row of a season counts (`mixture_weights`).
    """
    used = np.flatnonzero(weights)
    if len(used) == 1:
        return plans[int(used[0])]
    reference = mixed_counts([plan.reference for plan in plans], weights)
    below = [weight * plan.cuts for plan, weight in zip(plans, weights, strict=True) if plan.cuts is not None]
    cuts = np.minimum(np.rint(np.sum(below, axis=0)).astype(np.int64), reference[1:].sum()) if below else None
    return replace(plans[0], reference=reference, cuts=cuts)


class SeasonalMaterial:
    """The bets of *material*, for a batch of any mix of seasons.

    Parameters
    ----------
    seasons : sequence of mapping of str to CellPlan
        The columns, by season; one entry if there are no seasons.
    alpha : float
        The level: half of it pays for the error of the reference, shared by all seasons.
    """

    def __init__(self, seasons: Sequence[Mapping[str, CellPlan]], alpha: float) -> None:
        self.seasons, self._level = seasons, alpha / len(seasons)
        self.rows = np.array([_rows(columns) for columns in seasons], dtype=np.int64)
        # All mixtures have the same cells of categories, so that what was learnt in one season helps in the others.
        self._groups = [
            pooled_levels(np.sum([columns[name].reference[1:] for columns in seasons], axis=0), len(seasons))
            for name, plan in seasons[0].items()
            if plan.kind == "category"
        ]
        self._remembered = lru_cache(_REMEMBERED)(self._make)
        self.usual = self._remembered(tuple((self.rows / self.rows.sum()).tolist()))
        self.experts = self.usual.experts

    def of(self, mix: Ints | Floats) -> MaterialBets:
        """Return the bets on a batch with so many rows of each season."""
        shares = np.asarray(mix, dtype=np.float64) / np.sum(mix)
        return self.usual if len(self.seasons) == 1 else self._remembered(tuple(shares.round(4).tolist()))

    def _make(self, shares: tuple[float, ...]) -> MaterialBets:
        weights = mixture_weights(np.array(shares), self.rows)
        plans = {name: mixed_plan([columns[name] for columns in self.seasons], weights) for name in self.seasons[0]}
        return MaterialBets(plans, self._level, self._groups)


def _rows(columns: Mapping[str, CellPlan]) -> int:
    return int(next(iter(columns.values())).reference.sum())

"""What alarms need to know: how each column is cut into cells, and what a batch has in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

#: A batch brings, for every column of numbers, how many rows are up to each of this many quantiles, j/32, of the
#: reference.
N_CUTS = 31


@dataclass(frozen=True, eq=False, kw_only=True)
class CellPlan:
    """The cells of one column, and the reference's counts in them.

    Missing values are the first cell of every column, also where the reference has none. The cells of a column of
    numbers follow by value, those of categories by rising share.

    Attributes
    ----------
    kind : {"number", "category"}
        What the column holds.
    part : array of int, shape (K,)
        Counts of the part of the reference that fixed the cells.
    pool : array of int, shape (K,)
        Counts of the other rows of the reference: batches are compared with them and with all earlier batches.
    reference : array of int, shape (K,)
        Counts of all rows of the reference.
    cuts : array of int, shape (31,), or None
        For numbers, how many reference rows are up to each of 31 quantiles of the reference.
    """

    kind: Literal["number", "category"]
    part: Ints
    pool: Ints
    reference: Ints
    cuts: Ints | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class BatchFacts:
    """What a batch has in the cells of every column, and the estimate of accuracy.

    Attributes
    ----------
    n : int
        Rows of the batch.
    counts : tuple of array of int
        Rows in each cell, per column.
    below : tuple of array of int, shape (31,), or None
        Rows up to each cut, per column of numbers; None for categories.
    accuracy, accuracy_error : float or None
        The estimate without labels, and its standard error.
    seasons : mapping of int to tuple of array of int
        The same counts by season, if the reference has several.
    """

    n: int
    counts: tuple[Ints, ...]
    below: tuple[Ints | None, ...]
    accuracy: float | None = None
    accuracy_error: float | None = None
    seasons: Mapping[int, tuple[Ints, ...]] = field(default_factory=dict)

    @property
    def by_season(self) -> Mapping[int, tuple[Ints, ...]]:
        """The counts by season; those of the first if there are no others."""
        return self.seasons or {0: self.counts}

    def mix(self, n_seasons: int) -> Ints:
        """Return the rows of each season."""
        rows = {season: int(counts[0].sum()) for season, counts in self.by_season.items()}
        return np.array([rows.get(season, 0) for season in range(n_seasons)], dtype=np.int64)

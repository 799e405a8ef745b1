"""New rows that are reference rows: a model that was fitted on them knows them too well."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# A share of copies beyond that among the reference rows themselves which is no accident.
_TOO_MANY = 0.3

Rows = NDArray[np.int64]


def copies(places: Sequence[tuple[Rows, Rows]]) -> Rows:
    """Find for each new row a reference row with the same values; -1 where there is none, or copies are no surprise.

    Where values are few, rows agree by chance, and among the reference rows as often: those are not meant.

    Parameters
    ----------
    places : sequence of pairs of arrays of shapes (n,) and (n_T,)
        For each feature the same number for the same value, -1 for one that the reference does not have.

    Examples
    --------
    >>> copies([(np.array([0, 1, 2]), np.array([2, 1, -1]))])
    array([ 2,  1, -1])
    """
    old, new = (np.column_stack(side) for side in zip(*places, strict=True))
    at: dict[bytes, int] = {}
    repeated = 0
    for row, key in enumerate(map(bytes, old)):
        repeated += key in at
        at.setdefault(key, row)
    found = np.array([at.get(bytes(row), -1) for row in new], dtype=np.int64)
    by_chance = 2 * repeated / len(old)
    return found if (found >= 0).mean() > by_chance + _TOO_MANY else np.full(len(new), -1)

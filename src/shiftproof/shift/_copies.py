"""New rows that are reference rows: a model that was fitted on them knows them too well."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# More copies than among the reference rows themselves by this share are no accident.
_TOO_MANY = 0.3

Rows = NDArray[np.int64]


def copies(places: Sequence[tuple[Rows, Rows]]) -> Rows:
    """Find for each new row a reference row with the same values; -1 where there is none, or copies are no surprise.

    With few distinct values rows agree by chance, and as often among the reference rows: those do not count.

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
    first_row: dict[bytes, int] = {}
    repeated = 0
    for row, key in enumerate(map(bytes, old)):
        repeated += key in first_row
        first_row.setdefault(key, row)
    originals = np.array([first_row.get(bytes(row), -1) for row in new], dtype=np.int64)
    # A repeated row has one partner at least, so about twice as many rows are in some pair.
    by_chance = 2 * repeated / len(old)
    return originals if (originals >= 0).mean() > by_chance + _TOO_MANY else np.full(len(new), -1)

"""New rows that are reference rows: a model that was fitted on them knows them too well."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import joint_keys, share_by_chance

Rows = NDArray[np.int64]

# Fewer copies hardly move a figure.
_LEAST_SHARE = 0.3


def copies(places: Sequence[tuple[Rows, Rows]]) -> Rows:
    """Find for each new row a reference row with the same values; -1 where there is none, or copies are to be expected.

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
    old, new = (joint_keys(side, len(side[0])) for side in zip(*places, strict=True))
    distinct, first_row = np.unique(old, return_index=True)
    nearest = np.minimum(np.searchsorted(distinct, new), len(distinct) - 1)
    originals = np.where(distinct[nearest] == new, first_row[nearest], -1)
    return originals if (originals >= 0).mean() > max(_LEAST_SHARE, share_by_chance(old)) else np.full(len(new), -1)

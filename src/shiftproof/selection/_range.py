"""Features outside the range of the labelled rows: the plainest reason why nothing can be estimated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shiftproof.case import Tables
from shiftproof.core import Column

# A few odd cells are in every table; below this share they explain nothing.
_WORTH_SAYING = 0.02


@dataclass(frozen=True, kw_only=True)
class OutsideRange:
    """New rows with a number below or above those of all labelled rows.

    Attributes
    ----------
    share : float
        The share of new rows with at least one such number.
    columns : tuple of str
        Where they are, the column with most of them first.
    """

    share: float
    columns: tuple[str, ...]


def outside_range(tables: Tables) -> OutsideRange | None:
    """Return how many new rows leave the range of the labelled rows, and in which columns; None if hardly any do.

    Examples
    --------
    >>> labelled = {"a": [1.0, 2.0, 3.0], "b": [1.0, 1.0, 2.0]}
    >>> outside_range(Tables(labelled=labelled, new={"a": [2.0, 9.0], "b": [1.0, 1.5]}))
    OutsideRange(share=0.5, columns=('a',))
    """
    if tables.not_compared:
        return None
    old, new = tables.old, tables.current
    by_column = {name: _outside(old.column(name), new.column(name)) for name in old.names if name in new.names}
    outside = {name: rows for name, rows in by_column.items() if rows is not None and rows.any()}
    share = float(np.any(list(outside.values()), axis=0).mean()) if outside else 0.0
    if share < _WORTH_SAYING:
        return None
    return OutsideRange(share=share, columns=tuple(sorted(outside, key=lambda name: -int(outside[name].sum()))))


def _outside(old: Column, new: Column) -> NDArray[np.bool_] | None:
    # Categories have no range, nor has a column that changed from numbers to text.
    if not old.ordered or old.family != new.family:
        return None
    known = old.numbers()[0]
    # Whole numbers cannot be NaN, and must not become floats beyond 2^53.
    present = known[~np.isnan(known)] if known.dtype.kind == "f" else known
    if not len(present):
        return None
    # Distances from the ends are exact for whole numbers beyond 2^53, unlike floats.
    low, high = present.min().item(), present.max().item()
    return np.asarray((new.floats(origin=low) < 0) | (new.floats(origin=high) > 0))

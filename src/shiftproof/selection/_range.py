"""Which features left the range of the labelled rows: the plainest reason why nothing can be said of new ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shiftproof.case import Tables
from shiftproof.core import Column, is_missing, listed, share

_NAMED = 3
_WORTH_SAYING = 0.02


def left_the_range(tables: Tables) -> str:
    """Say how many new rows have a number below or above all labelled ones, and in which columns; else nothing.

    Examples
    --------
    >>> labelled = {"a": [1.0, 2.0, 3.0], "b": [1.0, 1.0, 2.0]}
    >>> left_the_range(Tables(labelled=labelled, new={"a": [2.0, 9.0], "b": [1.0, 1.5]}))
    "50% of the new rows have a feature outside the range of the labelled rows ('a')."
    >>> left_the_range(Tables(labelled={"a": [1.0, 2.0]}, new={"a": [1.5]}))
    ''
    """
    if tables.not_compared:
        return ""
    old, new = tables.old, tables.current
    outside = {}
    for name in old.names:
        if name in new.names:
            rows = _outside(old.column(name), new.column(name))
            if rows is not None and rows.any():
                outside[name] = rows
    if not outside:
        return ""
    whole = float(np.any(list(outside.values()), axis=0).mean())
    if whole < _WORTH_SAYING:
        return ""
    most = sorted(outside, key=lambda name: -int(outside[name].sum()))
    words = f"{share(whole)} of the new rows have a feature outside the range of the labelled rows"
    return f"{words} ({listed(most, most=_NAMED)})."


def _outside(old: Column, new: Column) -> NDArray[np.bool_] | None:
    if not old.ordered or old.family != new.family:
        return None
    known = old.numbers()[0]
    present = known[~np.isnan(known)] if known.dtype.kind == "f" else known
    if not len(present):
        return None
    now, missing = new.numbers()
    outside = (now < present.min()) | (now > present.max())
    if not missing:
        return np.asarray(outside)
    # Where whole numbers are missing, their places are found one by one.
    found = np.zeros(len(new), dtype=np.bool_)
    found[[not is_missing(cell) for cell in new.cells()]] = outside
    return found

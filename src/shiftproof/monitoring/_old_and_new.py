"""How the rows of a batch and of the reference spread over the cells of each column, for charts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from shiftproof.monitoring._cells import NOT_IN_PART, RARE, IntArray, NumberCells
from shiftproof.monitoring._incidents import unpack_counts
from shiftproof.monitoring._reference import ReferenceColumn

if TYPE_CHECKING:
    from shiftproof.monitoring._baseline import Baseline
    from shiftproof.monitoring.alarms import Alarms

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# What readers call the two cells of categories that have none of their own.
_SHOWN = {NOT_IN_PART: "new or very rare values", RARE: "rare values"}


@dataclass(frozen=True, eq=False, kw_only=True)
class OldAndNew:
    """One column of a batch beside the reference.

    Attributes
    ----------
    column : str
        The column.
    number : bool
        Whether the cells follow each other by value; otherwise they are categories, the rarest first.
    cells : tuple of str
        What lies in each cell, in words; the first holds missing values.
    old, new : ndarray of int, shape (cells,)
        How many rows of the reference and of the batch lie in each.
    """

    column: str
    number: bool
    cells: tuple[str, ...]
    old: IntArray
    new: IntArray

    @property
    def old_shares(self) -> list[float]:
        """The share of the reference's rows in each cell."""
        return _shares(self.old)

    @property
    def new_shares(self) -> list[float]:
        """The share of the batch's rows in each cell."""
        return _shares(self.new)


def old_and_new(baseline: Baseline, alarms: Alarms, packed: bytes | None) -> dict[str, OldAndNew]:
    """Return every column of a batch beside the reference, given the counts that the store keeps of recent batches."""
    if not packed:
        return {}
    starts = alarms.cell_starts
    # By season; together they are all rows of the batch.
    counts = unpack_counts({0: packed}, int(starts[-1])).counts.sum(axis=0)
    return {
        name: OldAndNew(
            column=name,
            number=plan.kind == "number",
            cells=cell_names(baseline.reference[name]),
            old=plan.reference,
            new=counts[starts[place] : starts[place + 1]],
        )
        for place, (name, plan) in enumerate(baseline.columns.items())
    }


def cell_names(column: ReferenceColumn) -> tuple[str, ...]:
    """Say what lies in each cell that the alarms count."""
    if not isinstance(column.cells, NumberCells):
        # A category may have such a name, too: ours come first.
        names = column.cells.names
        return tuple(_SHOWN.get(name, name) if names.index(name) == place else name for place, name in enumerate(names))
    bounds, closing = column.cells.bounds, column.cells.closing
    edges = [_written(bound, column.nature.family) for bound in bounds[closing].tolist()]
    inclusive = column.cells.inclusive[closing].tolist()
    if not edges:
        return ("missing", "all values")
    first = f"{'up to' if inclusive[0] else 'below'} {edges[0]}"
    last = f"{'above' if inclusive[-1] else 'from'} {edges[-1]}"
    between = [low if low == high else f"{low} to {high}" for low, high in pairwise(edges)]
    return ("missing", first, *between, last)


def _written(bound: float, family: str) -> str:
    if family == "date":
        return f"{_EPOCH + timedelta(microseconds=bound):%Y-%m-%d}"
    return f"{bound:,}" if isinstance(bound, int) else f"{bound:,.4g}"


def _shares(counts: IntArray) -> list[float]:
    shares: list[float] = (np.asarray(counts, dtype=np.float64) / max(int(counts.sum()), 1)).tolist()
    return shares

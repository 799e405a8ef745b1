"""What is kept of some rows of the reference: of all, of a season, or of several seasons as a batch has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from shiftproof.core import Note, counted
from shiftproof.monitoring._cells import IntArray
from shiftproof.monitoring._moments import ReferenceMoments
from shiftproof.monitoring._performance import ReferencePerformance
from shiftproof.monitoring._reference import ReferenceColumn
from shiftproof.monitoring._seasons import Seasons
from shiftproof.monitoring.alarms import mixed_counts, mixture_weights

# With fewer labelled rows, of all classes or of one, estimates rest on all seasons.
_FEWEST_LABELLED, _FEWEST_OF_CLASS = 500, 50
# With fewer rows the error of the reference hides all but large distances.
_FEW_ROWS = 1_000


@dataclass(frozen=True, eq=False, kw_only=True)
class ReferencePart:
    """Rows of the reference, counted and added up.

    Attributes
    ----------
    n_rows : int
        How many.
    columns : mapping of str to ReferenceColumn
        Every column.
    performance : ReferencePerformance or None
        What estimates need; None without labels or scores.
    moments : ReferenceMoments or None
        What the type of shift is decided by.
    """

    n_rows: int
    columns: dict[str, ReferenceColumn]
    performance: ReferencePerformance | None = None
    moments: ReferenceMoments | None = None

    @property
    def sound(self) -> bool:
        """Whether there are enough labelled rows to estimate from these alone."""
        return self.performance is not None and enough_labels(self.performance)

    def plus(self, other: ReferencePart) -> ReferencePart:
        """Add other rows on the same cells."""
        one, two = self.performance, other.performance
        first, second = self.moments, other.moments
        return ReferencePart(
            n_rows=self.n_rows + other.n_rows,
            columns={name: column.plus(other.columns[name]) for name, column in self.columns.items()},
            performance=None if one is None or two is None else one.plus(two),
            moments=None if first is None or second is None else first.plus(second),
        )


def enough_labels(performance: ReferencePerformance) -> bool:
    """Return whether there are enough labelled rows, of all classes and of each, to estimate from."""
    rows = performance.rows
    return float(rows.sum()) >= _FEWEST_LABELLED and float(rows.min()) >= _FEWEST_OF_CLASS


def season_notes(seasons: Seasons, parts: Sequence[ReferencePart]) -> list[Note]:
    """Say which days or hours are compared together, and which season has fewest rows."""
    notes = []
    joined = max(seasons.groups, key=seasons.groups.count)
    if seasons.groups.count(joined) > 1:
        notes.append(Note(code="seasons joined", subject=seasons.every, detail=seasons.names[joined]))
    least = min(range(len(parts)), key=lambda season: parts[season].n_rows)
    if parts[least].n_rows < _FEW_ROWS:
        detail = counted(parts[least].n_rows, "baseline row")
        notes.append(Note(code="small seasons", subject=seasons.names[least], detail=detail))
    labelled = [part for part in parts if part.performance is not None]
    if labelled and not all(part.sound for part in labelled):
        notes.append(Note(code="estimates of all seasons", detail=f"{_FEWEST_LABELLED}"))
    return notes


def mixed_part(seasons: Sequence[ReferencePart], mix: IntArray) -> ReferencePart:
    """Return the reference with the seasons that a batch has, in the same proportions.

    Parameters
    ----------
    seasons : sequence of ReferencePart
        The reference by season.
    mix : array of int, shape (S,)
        The rows of the batch, by season.
    """
    weights = mixture_weights(mix, np.array([part.n_rows for part in seasons]))
    used = np.flatnonzero(weights).tolist()
    if len(used) == 1:
        return seasons[used[0]]
    chosen, shares = [seasons[season] for season in used], weights[used]
    columns = {
        name: replace(column, total=mixed_counts([part.columns[name].total for part in chosen], shares))
        for name, column in chosen[0].columns.items()
    }
    performances = [part.performance for part in chosen if part.performance is not None]
    moments = [part.moments for part in chosen if part.moments is not None]
    return ReferencePart(
        n_rows=int(next(iter(columns.values())).total.sum()),
        columns=columns,
        performance=reduce(ReferencePerformance.plus, map(ReferencePerformance.times, performances, shares))
        if performances
        else None,
        moments=reduce(ReferenceMoments.plus, map(ReferenceMoments.times, moments, shares)) if moments else None,
    )

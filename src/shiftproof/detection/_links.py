"""How a column is linked with the others in both tables: its links turn round if its codes are exchanged."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Floats, Table
from shiftproof.stats import NominalRecord, Record

# Enough rows and columns to see links that matter, whatever the size of the tables.
_MOST_ROWS, _MOST_COLUMNS = 2_000, 60
# More indicators of one column say little more.
_MOST_CATEGORIES = 8
# Fewer rows of a category than this have links by chance.
_FEWEST = 10
# Links are visible if their squared length is this many times what chance makes, and this much more: with a single
# other column the cosine is a sign, which needs five standard errors.
_TIMES, _MORE = 3.0, 22.0


class Links:
    """Compares links between columns before and now.

    Parameters
    ----------
    reference, current : Table
        The two tables; at most 2,000 rows of each are drawn.
    records : mapping of str to Record
        Their columns. Links with the first 60 are looked at.
    rng : Generator
        Draws the rows.
    """

    def __init__(self, reference: Table, current: Table, records: Mapping[str, Record], rng: np.random.Generator):
        self._tables, self._records = (reference, current), records
        self._rows = tuple(_drawn(table.n_rows, rng) for table in self._tables)
        self._masked: tuple[str, tuple[Floats, Floats]] | None = None

    def of_categories(self, name: str, categories: tuple[int, int]) -> float:
        """Compare how two categories of a column differ in all other columns, before and now.

        Returns the cosine of the two differences: 1 if the categories differ as before, -1 if they differ the other way
        round; NaN if no difference is visible.
        """
        differences = []
        for side, places in enumerate(self._places(name)):
            one, other = (places == category for category in categories)
            if min(one.sum(), other.sum()) < _FEWEST:
                return math.nan
            others = self._others(name, side)
            noise = math.sqrt(1 / one.sum() + 1 / other.sum())
            differences.append((others[one].mean(axis=0) - others[other].mean(axis=0)) / noise)
        return _cosine(differences[0], differences[1])

    def of_numbers(self, name: str) -> float:
        """Compare the correlations of a column with all other columns, before and now, in the same way."""
        correlations = []
        for side, values in enumerate(self._ranks(name)):
            centred = values - values.mean()
            if not centred.any():
                return math.nan
            correlations.append(centred @ self._others(name, side) / math.sqrt(centred @ centred))
        return _cosine(correlations[0], correlations[1])

    @cached_property
    def _coordinates(self) -> tuple[Floats, Floats, NDArray[np.str_]]:
        """All columns as numbers of mean 0 and variance 1 on both sides together, and whose each one is."""
        owners, blocks = [], []
        for name, record in list(self._records.items())[:_MOST_COLUMNS]:
            if isinstance(record, NominalRecord):
                both = record.counts_reference + record.counts_current
                frequent = np.argsort(-both, kind="stable")[:_MOST_CATEGORIES]
                block = np.concatenate(self._places(name))[:, None] == frequent
            else:
                block = np.concatenate(self._ranks(name))[:, None]
            blocks.append(block.astype(np.float64))
            owners += [name] * block.shape[1]
        values = np.hstack(blocks)
        values -= values.mean(axis=0)
        spread = values.std(axis=0)
        varies = spread > 0
        values, n = values[:, varies] / spread[varies], len(self._rows[0])
        return values[:n], values[n:], np.array(owners)[varies]

    def _others(self, name: str, side: int) -> Floats:
        # Several pairs of categories of one column are looked at in turn.
        if self._masked is None or self._masked[0] != name:
            old, new, owners = self._coordinates
            self._masked = name, (old[:, owners != name], new[:, owners != name])
        return self._masked[1][side]

    def _places(self, name: str) -> tuple[NDArray[np.int64], ...]:
        """Return the category of each row on both sides, by its place in the record; -1 if it is missing."""
        record = self._records[name]
        categories = record.categories if isinstance(record, NominalRecord) else ()
        index: dict[Any, int] = {category: place for place, category in enumerate(categories)}
        sides = []
        for table, rows in zip(self._tables, self._rows, strict=True):
            cells = table.column(name).cells()
            sides.append(np.array([index.get(cells[row], -1) for row in rows.tolist()], dtype=np.int64))
        return tuple(sides)

    def _ranks(self, name: str) -> tuple[Floats, ...]:
        """Return the places of numbers among those of both sides, from 0 to 1; missing ones are in the middle."""
        pairs = zip(self._tables, self._rows, strict=True)
        sides = [table.column(name).floats()[rows] for table, rows in pairs]
        known = np.sort(np.concatenate([side[~np.isnan(side)] for side in sides]))
        if not len(known):
            return tuple(np.zeros(len(side)) for side in sides)
        ends = ([np.searchsorted(known, side, side=end) for end in ("left", "right")] for side in sides)
        places = [(low + high) / (2 * len(known)) for low, high in ends]
        return tuple(np.where(np.isnan(side), 0.5, place) for side, place in zip(sides, places, strict=True))


def _drawn(n_rows: int, rng: np.random.Generator) -> NDArray[np.intp]:
    return np.sort(rng.choice(n_rows, size=_MOST_ROWS, replace=False)) if n_rows > _MOST_ROWS else np.arange(n_rows)


def _cosine(before: Floats, now: Floats) -> float:
    """Return the cosine of links in units of their standard errors; NaN if those of one side may be chance.

    Examples
    --------
    >>> _cosine(np.array([6.0, -8.0]), np.array([-6.0, 8.0])), _cosine(np.array([6.0, -8.0]), np.array([0.5, 1.0]))
    (-1.0, nan)
    """
    squares = float(before @ before), float(now @ now)
    if min(squares) < _TIMES * len(now) + _MORE:
        return math.nan
    return float(before @ now) / math.sqrt(squares[0] * squares[1])

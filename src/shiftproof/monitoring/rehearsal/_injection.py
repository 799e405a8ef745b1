"""Change a batch that is known by its counts only: move rows, join batches, take a part of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.monitoring.alarms import BatchFacts, CellPlan

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Rng = np.random.Generator

# Halvings that find the share of rows to move.
_STEPS = 40


def share_to_move(plan: CellPlan, distance: float) -> float:
    """Return which share of the rows must move for a column to be at a distance from the reference.

    Parameters
    ----------
    plan : CellPlan
        The column. Numbers move from below the median to above it, which makes a KS distance. Of categories, every
        second one loses rows to the others, which makes a Hellinger distance.
    distance : float
        The distance.

    Examples
    --------
    >>> counts = np.array([0, 200, 300, 500])
    >>> plan = CellPlan(kind="category", part=counts, pool=counts, reference=counts)
    >>> round(share_to_move(plan, 0.2), 3)
    0.195
    """
    if plan.kind == "number":
        return distance
    before = plan.reference[1:] / max(plan.reference[1:].sum(), 1)
    spread, leaving = _usual_shares(plan.reference[1:], ~_losing(plan)), _losing(plan)
    low, high = 0.0, float(before[leaving].sum())
    for _ in range(_STEPS):
        middle = (low + high) / 2
        after = np.where(leaving, before * (1 - middle / max(before[leaving].sum(), middle)), before + middle * spread)
        near = np.sum((np.sqrt(after) - np.sqrt(before)) ** 2) < distance**2
        low, high = (middle, high) if near else (low, middle)
    return low


def moved(facts: BatchFacts, plan: CellPlan, place: int, share: float, rng: Rng) -> BatchFacts:
    """Return a batch in which a share of the rows, drawn at random, has another value in one column.

    Parameters
    ----------
    facts : BatchFacts
        The batch.
    plan : CellPlan
        The column.
    place : int
        Its place among the columns.
    share : float
        Which share of its present values moves, at most all in the cells that lose rows.
    rng : Generator
        Draws the rows.
    """
    seasons: dict[int, tuple[Ints, ...]] = {}
    for season, columns in facts.by_season.items():
        present = columns[place][1:]
        count = int(rng.binomial(present.sum(), share))
        rows = _moved_rows(present, plan.reference[1:], _losing(plan), count, rng)
        seasons[season] = _with(columns, place, np.concatenate([columns[place][:1], rows]))
    below, cuts = facts.below, facts.below[place]
    if cuts is not None and plan.cuts is not None:
        # Cuts and cells divide the rows in two ways; each is drawn by itself.
        between = np.diff(cuts, prepend=0, append=facts.counts[place][1:].sum())
        usual = np.diff(plan.cuts, prepend=0, append=plan.reference[1:].sum())
        count = int(rng.binomial(between.sum(), share))
        below = _with(below, place, np.cumsum(_moved_rows(between, usual, _lower_half(usual), count, rng))[:-1])
    return replace(facts, counts=_total(seasons), below=below, seasons=seasons if facts.seasons else {})


def joined(batches: Sequence[BatchFacts]) -> BatchFacts:
    """Return several batches as one."""
    rows = np.array([batch.n for batch in batches])
    weights = rows / rows.sum()
    estimates = [batch.accuracy for batch in batches if batch.accuracy is not None]
    errors = [batch.accuracy_error for batch in batches if batch.accuracy_error is not None]
    known = len(estimates) == len(errors) == len(batches)
    seasons: dict[int, tuple[Ints, ...]] = {}
    for batch in batches:
        for season, columns in batch.by_season.items():
            seasons[season] = _total({0: columns, 1: seasons.get(season, tuple(0 * column for column in columns))})
    return BatchFacts(
        n=int(rows.sum()),
        counts=_total(seasons),
        below=tuple(_sum(column) for column in zip(*(batch.below for batch in batches), strict=True)),
        accuracy=float(weights @ estimates) if known else None,
        accuracy_error=float(np.linalg.norm(weights * errors)) if known else None,
        seasons=seasons if batches[0].seasons else {},
    )


def part_of(facts: BatchFacts, share: float, rng: Rng) -> BatchFacts:
    """Return a random part of a batch; columns are drawn one by one."""
    seasons = {
        season: tuple(_part(column, max(round(int(column.sum()) * share), 1), rng) for column in columns)
        for season, columns in facts.by_season.items()
    }
    counts = _total(seasons)
    n = int(counts[0].sum())
    below = tuple(
        None if cuts is None else _part_below(cuts, int(cells[1:].sum()), int(whole[1:].sum()), rng)
        for cells, whole, cuts in zip(counts, facts.counts, facts.below, strict=True)
    )
    error = None if facts.accuracy_error is None else facts.accuracy_error * (facts.n / n) ** 0.5
    own = seasons if facts.seasons else {}
    return replace(facts, n=n, counts=counts, below=below, accuracy_error=error, seasons=own)


def _part(cells: Ints, count: int, rng: Rng) -> Ints:
    return rng.multivariate_hypergeometric(cells, count, method="marginals")


def _part_below(cuts: Ints, present: int, all_present: int, rng: Rng) -> Ints:
    return np.cumsum(_part(np.diff(cuts, prepend=0, append=all_present), present, rng))[:-1]


def _with(columns: tuple[Any, ...], place: int, column: Ints) -> tuple[Any, ...]:
    return (*columns[:place], column, *columns[place + 1 :])


def _total(seasons: Mapping[int, tuple[Ints, ...]]) -> tuple[Ints, ...]:
    """Add up the counts of all seasons."""
    return tuple(np.sum(column, axis=0) for column in zip(*seasons.values(), strict=True))


def _moved_rows(cells: Ints, reference: Ints, losing: Mask, count: int, rng: Rng) -> Ints:
    """Move so many rows out of some cells into the others, where they are spread as in the reference."""
    leaving = np.zeros_like(cells)
    n_moved = min(count, int(cells[losing].sum()))
    leaving[losing] = rng.multivariate_hypergeometric(cells[losing], n_moved, method="marginals")
    return cells - leaving + rng.multinomial(n_moved, _usual_shares(reference, ~losing))


def _usual_shares(reference: Ints, among: Mask) -> NDArray[np.float64]:
    """Return the shares of some cells among themselves, 0 elsewhere; cells without rows count half a row."""
    usual = np.where(among, np.maximum(reference, 0.5), 0.0)
    return np.asarray(usual / usual.sum())


def _losing(plan: CellPlan) -> Mask:
    """Return which of the present cells lose rows: of numbers the lower half, of categories every second."""
    cells = plan.reference[1:]
    if plan.kind == "number":
        return _lower_half(cells)
    # The most frequent category loses, the next one gains.
    return np.asarray(np.arange(len(cells))[::-1] % 2 == 0)


def _lower_half(reference: Ints) -> Mask:
    """Return which cells are below the median; at least one on either side, also where most rows have one value."""
    total = np.cumsum(reference)
    split = int(np.clip(np.abs(total - total[-1] / 2).argmin() + 1, 1, len(reference) - 1))
    return np.asarray(np.arange(len(reference)) < split)


def _sum(columns: Sequence[Ints | None]) -> Ints | None:
    present = [column for column in columns if column is not None]
    return np.sum(present, axis=0) if len(present) == len(columns) else None

"""Whether the data are back to what they were before an incident.

Evidence that falls is not enough: a change that becomes smaller, or that the pool of earlier batches has absorbed,
makes it fall too. And after a long change the pool is full of it, so that data which are back seem to change once more.
So batches are added up and compared with the reference, or with the pool as it was before the incident.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from shiftproof.monitoring.alarms import (
    DISTANCE,
    MISSING,
    Alarms,
    CellPlan,
    cell_functions,
    effect_of_batch,
    pooled_levels,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
# Adjusted for seasons, counts are not whole numbers.
Counts = Ints | Floats

# The chance that batches of one source show a clear break, wherever it is looked for.
_CLEAR = 0.001


@dataclass(frozen=True)
class RecoveryRule:
    """When batches count as like earlier data: the reference, or the pool before an incident.

    Attributes
    ----------
    chance : float
        The probability that batches of the same source fail the test of a difference.
    unbroken : float
        The same for batches without a clear break: they may be the incident itself, so little is forgiven.
    slack : float
        By how many units of sampling error, ``sqrt(1 / n + 1 / m)``, a distance may be above its limit.
    """

    chance: float
    unbroken: float
    slack: float


#: An incident recovers if the batches since its peak pass, or those since a clear break.
RECOVERED = RecoveryRule(chance=0.05, unbroken=0.5, slack=0.0)
#: It stays recovered unless the batches since then fail clearly: 1.95 is the 0.1% point of a Kolmogorov-Smirnov test.
STILL_RECOVERED = RecoveryRule(chance=0.001, unbroken=0.001, slack=1.95)


@dataclass(frozen=True, eq=False)
class SeasonCounts:
    """The counts of recent batches, each by season.

    Attributes
    ----------
    numbers, seasons : array of int, shape (R,)
        A batch has one entry for each of its seasons: its number, and the season.
    counts : array of int, shape (R, K)
        Rows in each cell, one column after another.
    """

    numbers: Ints
    seasons: Ints
    counts: Ints

    def total(self, n_seasons: int) -> Ints:
        """Add up all batches, by season."""
        total = np.zeros((n_seasons, self.counts.shape[1]), np.int64)
        np.add.at(total, self.seasons, self.counts)
        return total

    def adjusted(self, reference: Ints, starts: Ints) -> RecentCounts:
        """Return the counts by batch as if all rows were of an average season.

        Each piece is moved by the difference between its season and all seasons together, so that batches of different
        seasons can be added up and compared.

        Parameters
        ----------
        reference : array of int, shape (S, K)
            Rows of the data to compare with, by season.
        starts : array of int, shape (J + 1,)
            Where each column's cells begin.
        """
        widths = np.diff(starts)
        # A season without earlier data stays as it is.
        seasons = np.where(_totals(reference, starts).repeat(widths, axis=1) > 0, reference, reference.sum(axis=0))
        shares = [
            side / np.maximum(_totals(side, starts), 1).repeat(widths, axis=1)
            for side in (reference.sum(axis=0, keepdims=True), seasons)
        ]
        rows = _totals(self.counts, starts).repeat(widths, axis=1)
        moved = self.counts + rows * (shares[0] - shares[1])[self.seasons]
        numbers, batch = np.unique(self.numbers, return_inverse=True)
        counts = np.zeros((len(numbers), self.counts.shape[1]))
        np.add.at(counts, batch, moved)
        return RecentCounts(numbers, counts)


def _totals(counts: Ints, starts: Ints) -> Ints:
    """Return the rows of each column, shape (..., J)."""
    return np.asarray(np.add.reduceat(counts, starts[:-1], axis=1))


@dataclass(frozen=True, eq=False)
class RecentCounts:
    """The counts of recent batches, adjusted for their seasons (`SeasonCounts.adjusted`).

    Attributes
    ----------
    numbers : array of int, shape (B,)
        The numbers of the batches.
    counts : array, shape (B, K)
        Rows in each cell, one column after another.
    """

    numbers: Ints
    counts: Floats

    def are_back(
        self, alarms: Alarms, plans: Mapping[str, CellPlan], since: Mapping[str, int], rule: RecoveryRule
    ) -> bool:
        """Return whether columns are within the limits of *material* since they were at their peaks.

        Parameters
        ----------
        alarms : Alarms
            Of the monitor, with the design effects.
        plans : mapping of str to CellPlan
            The columns of the reference.
        since : mapping of str to int
            The columns to look at, and the batch after which each is looked at.
        rule : RecoveryRule
            How strictly.
        """
        for name, number in since.items():
            counts, rows, effect = self._of_column(alarms, name)
            later = self.numbers > number
            if not is_near(plans[name], counts[later].sum(axis=0), float(rows[later].sum()), effect, slack=rule.slack):
                return False
        return True

    def have_returned(
        self, alarms: Alarms, before: Mapping[str, CellPlan], names: Sequence[str], rule: RecoveryRule
    ) -> bool:
        """Return whether columns are as before (`has_returned`).

        Parameters
        ----------
        alarms : Alarms
            Of the monitor, with the design effects.
        before : mapping of str to CellPlan
            The columns, with the data from before the incident as their reference.
        names : sequence of str
            The columns to look at.
        rule : RecoveryRule
            How strictly.
        """
        share = 1 / max(len(names), 1)
        shared = replace(rule, chance=rule.chance * share, unbroken=rule.unbroken * share)
        return all(has_returned(before[name], *self._of_column(alarms, name), shared) for name in names)

    def _of_column(self, alarms: Alarms, name: str) -> tuple[Floats, Floats, float]:
        """Return a column's counts and effective rows, both by batch, and the design effect of the reference."""
        j = alarms.names.index(name)
        counts = self.counts[:, slice(*alarms.cell_starts[j : j + 2])]
        effect, totals = alarms.effect[j : j + 1], np.rint(counts.sum(axis=1)).astype(np.int64)
        rows = [n / float(effect_of_batch(effect, alarms.mean_period, n)[0]) for n in totals.tolist()]
        return counts, np.array(rows), float(effect[0])


def columns_before(alarms: Alarms, plans: Mapping[str, CellPlan], pool: Ints) -> dict[str, CellPlan]:
    """Return the columns with a pool of earlier data, shape (K,), as their reference."""
    cells = {name: slice(*alarms.cell_starts[j : j + 2]) for j, name in enumerate(alarms.names)}
    return {name: replace(plan, reference=pool[cells[name]]) for name, plan in plans.items()}


def has_returned(before: CellPlan, counts: Counts, rows: Floats, effect: float, rule: RecoveryRule) -> bool:
    """Return whether a column is as before: since it clearly changed back, or in all batches if it nowhere did.

    Parameters
    ----------
    before : CellPlan
        The column, with the data from before the incident as its reference.
    counts : array, shape (B, K)
        Rows in each of its cells, by batch since the incident began.
    rows : array, shape (B,)
        How many independent rows say as much as those of each batch.
    effect : float
        The design effect of the data before.
    rule : RecoveryRule
        How strictly.
    """
    begin = clear_break(before, counts, rows)
    late, n = counts[begin:].sum(axis=0), float(rows[begin:].sum())
    near = is_near(before, late, n, effect, slack=rule.slack)
    return near and is_same(before, late, n, effect, chance=rule.chance if begin else rule.unbroken)


def clear_break(plan: CellPlan, counts: Counts, rows: Floats) -> int:
    """Return the batch from which on a column is most clearly unlike the batches before; 0 if it nowhere is.

    Parameters
    ----------
    plan : CellPlan
        The column.
    counts : array, shape (B, K)
        Rows in each of its cells, by batch.
    rows : array, shape (B,)
        How many independent rows say as much as those of each batch.
    """
    if len(counts) < 2:
        return 0
    early, early_rows = np.cumsum(counts, axis=0, dtype=np.float64)[:-1], np.cumsum(rows)[:-1]
    z = largest_z(plan, early, early_rows, counts.sum(axis=0) - early, rows.sum() - early_rows)
    best = int(np.argmax(z))
    return best + 1 if z[best] >= _limit(plan, _CLEAR / len(z)) else 0


def largest_z(
    plan: CellPlan, counts: Counts, rows: Floats | float, others: Counts, other_rows: Floats | float
) -> Floats:
    """Return how many standard errors lie between two samples, in the function of *changed* where these are most.

    Parameters
    ----------
    plan : CellPlan
        The column.
    counts, others : array, shape (..., K)
        Rows in each of its cells.
    rows, other_rows : float or array, shape (...,)
        How many independent rows say as much as these.
    """
    phi = cell_functions(plan)
    # Adjusted for seasons, a rare cell may have less than nothing.
    together = np.maximum(counts + others, 0.0)
    pooled = together / together.sum(axis=-1, keepdims=True)
    first, second, third = (pooled @ (phi**power).T for power in (1, 2, 3))
    variance = np.maximum(second - first**2, 1e-12)
    skew = (third - 3 * first * second + 2 * first**3) / variance**1.5
    per_row, per_other = 1 / np.asarray(rows)[..., None], 1 / np.asarray(other_rows)[..., None]
    shares = [side / side.sum(axis=-1, keepdims=True) for side in (counts, others)]
    z = (shares[0] - shares[1]) @ phi.T / np.sqrt(variance * (per_row + per_other))
    # Two rows of a rare category are expected: a skewed mean is further out than a normal one (Cornish and Fisher).
    k = np.sign(z) * skew * (per_row**2 - per_other**2) / (per_row + per_other) ** 1.5
    k = np.maximum(k, 1e-9)
    normal = 3 / k * (np.sqrt(1 + 2 * k / 3 * (np.abs(z) + k / 6)) - 1)
    return np.asarray(np.max(normal, axis=-1))


def _limit(plan: CellPlan, chance: float) -> float:
    """Return what the largest of a column's standard errors exceeds with a given chance, at most."""
    return float(-ndtri(chance / (2 * len(cell_functions(plan)))))


def is_near(plan: CellPlan, counts: Counts, rows: float, effect: float, *, slack: float) -> bool:
    """Return whether a column is within the limits of *material*.

    Parameters
    ----------
    plan : CellPlan
        The column of the reference.
    counts : array, shape (K,)
        Rows in each of its cells.
    rows, effect : float
        How many independent rows say as much as these, and the design effect of the reference.
    slack : float
        See `RecoveryRule`.
    """
    reference = plan.reference
    if rows <= 0 or not reference.sum():
        return False
    off = slack * np.sqrt(1 / rows + effect / reference.sum())
    missing = abs(counts[0] / counts.sum() - reference[0] / reference.sum())
    return bool(missing < MISSING + off and _distance(plan, counts) < DISTANCE + off)


def _distance(plan: CellPlan, counts: Counts) -> float:
    """Return the distance of the values that are not missing."""
    new, old = np.maximum(counts[1:], 0.0), plan.reference[1:]
    if not new.sum() or not old.sum():
        # Only the missing share can be compared.
        return 0.0
    if plan.kind == "number":
        return float(np.abs(np.cumsum(new) / new.sum() - np.cumsum(old) / old.sum()).max())
    group = pooled_levels(old)
    p, q = (np.bincount(group, side) / side.sum() for side in (new, old))
    # The mean of the squared distance between two samples of one population.
    by_chance = (len(p) - 1) / 4 * (1 / new.sum() + 1 / old.sum())
    # From 0 to 1.41, the scale of the limit and of what users see.
    return float(np.sqrt(max(2 - 2 * np.sqrt(p * q).sum() - by_chance, 0.0)))


def is_same(plan: CellPlan, counts: Counts, rows: float, effect: float, *, chance: float) -> bool:
    """Return whether a column shows no significant difference from the reference in what *changed* bets on.

    Parameters are those of `is_near`; `chance` is the probability that the same population fails.
    """
    if rows <= 0 or not plan.reference.sum():
        return False
    z = largest_z(plan, counts, rows, plan.reference, plan.reference.sum() / effect)
    return bool(z <= _limit(plan, chance))

"""Whether the batches since an incident's peak are like the reference again.

Evidence that falls is not enough: a change that becomes smaller, or that the pool of earlier batches has absorbed,
makes it fall too. So batches are added up and compared with the reference itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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


@dataclass(frozen=True)
class RecoveryRule:
    """When batches count as like the reference.

    Attributes
    ----------
    chance : float
        The probability that batches like the reference fail the test of a difference.
    slack : float
        By how many units of sampling error, ``sqrt(1 / n + 1 / m)``, a distance may be above its limit.
    """

    chance: float
    slack: float


#: An incident recovers if the batches since its peak pass.
RECOVERED = RecoveryRule(chance=0.05, slack=0.0)
#: It stays recovered unless the batches since then fail clearly: 1.95 is the 0.1% point of a Kolmogorov-Smirnov test.
STILL_RECOVERED = RecoveryRule(chance=0.001, slack=1.95)


@dataclass(frozen=True, eq=False)
class RecentCounts:
    """The counts of the batches whose readings are kept.

    Attributes
    ----------
    numbers : array of int, shape (B,)
        The numbers of the batches.
    counts : array of int, shape (B, K)
        Rows in each cell, one column after another.
    """

    numbers: Ints
    counts: Ints

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
        return all(
            is_near(plans[name], *self._since(alarms, name, number), slack=rule.slack) for name, number in since.items()
        )

    def are_same(
        self, alarms: Alarms, plans: Mapping[str, CellPlan], since: Mapping[str, int], rule: RecoveryRule
    ) -> bool:
        """Return whether columns are within these limits and show no significant difference from the reference."""
        chance = rule.chance / max(len(since), 1)
        return self.are_back(alarms, plans, since, rule) and all(
            is_same(plans[name], *self._since(alarms, name, number), chance=chance) for name, number in since.items()
        )

    def _since(self, alarms: Alarms, name: str, number: int) -> tuple[Ints, float, float]:
        """Return a column's counts after a batch, and the effective rows of these batches and of the reference."""
        j = alarms.names.index(name)
        cells = slice(*alarms.changed.starts[j : j + 2])
        counts = self.counts[self.numbers > number, cells]
        effect = alarms.effect[j : j + 1]
        rows = sum(n / float(effect_of_batch(effect, alarms.mean_period, n)[0]) for n in counts.sum(axis=1).tolist())
        return counts.sum(axis=0), rows, float(effect[0])


def is_near(plan: CellPlan, counts: Ints, rows: float, effect: float, *, slack: float) -> bool:
    """Return whether a column is within the limits of *material*.

    Parameters
    ----------
    plan : CellPlan
        The column of the reference.
    counts : array of int, shape (K,)
        Rows in each of its cells.
    rows, effect : float
        How many independent rows say as much as these, and the design effect of the reference.
    slack : float
        See `RecoveryRule`.
    """
    if rows <= 0:
        return False
    reference = plan.reference
    off = slack * np.sqrt(1 / rows + effect / reference.sum())
    missing = abs(counts[0] / counts.sum() - reference[0] / reference.sum())
    return bool(missing < MISSING + off and _distance(plan, counts) < DISTANCE + off)


def _distance(plan: CellPlan, counts: Ints) -> float:
    """Return the distance of the values that are not missing."""
    new, old = counts[1:], plan.reference[1:]
    if not new.sum() or not old.sum():
        # Only the missing share can be compared.
        return 0.0
    if plan.kind == "number":
        return float(np.abs(np.cumsum(new) / new.sum() - np.cumsum(old) / old.sum()).max())
    group = pooled_levels(old)
    p, q = (np.bincount(group, side) / side.sum() for side in (new, old))
    # The mean of the squared distance between two samples of one population.
    by_chance = (len(p) - 1) / 8 * (1 / new.sum() + 1 / old.sum())
    return float(np.sqrt(max(1 - np.sqrt(p * q).sum() - by_chance, 0.0)))


def is_same(plan: CellPlan, counts: Ints, rows: float, effect: float, *, chance: float) -> bool:
    """Return whether a column shows no significant difference from the reference in what *changed* bets on.

    Parameters are those of `is_near`; `chance` is the probability that the same population fails.
    """
    if rows <= 0:
        return False
    phi, reference = cell_functions(plan), plan.reference
    pooled = (counts + reference) / (counts + reference).sum()
    centred = phi - (phi @ pooled)[:, None]
    variance = centred**2 @ pooled * (1 / rows + effect / reference.sum())
    apart = phi @ (counts / counts.sum() - reference / reference.sum())
    limit = float(-ndtri(chance / (2 * len(phi))))
    return bool(np.all(np.abs(apart) <= limit * np.sqrt(variance)))

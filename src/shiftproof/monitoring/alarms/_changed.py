"""Changed: whether rows come from the same source as the reference and all batches before.

Given the totals of pool and batch, the batch's counts are a draw without replacement, if nothing changed. They are
turned into independent standard normal values, whatever the number of rows, ties or rarity; bets are on their mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import fault
from shiftproof.monitoring.alarms._evidence import Experts
from shiftproof.monitoring.alarms._facts import CellPlan
from shiftproof.monitoring.alarms._kernels import (
    HALF_LIVES,
    SIZES,
    bet_as_learnt,
    bet_on_directions,
    normal_values,
    project,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def shares(part: Ints) -> Floats:
    """Return the shares of cells, of which an empty one counts as half a row."""
    raised: Floats = np.maximum(part, 0.5)
    return np.asarray(raised / raised.sum())


def directions(pi: Floats, phi: Floats) -> Floats:
    """Return the unit vectors along which the normal values move if the rows' distribution tilts by a function.

    Parameters
    ----------
    pi : array, shape (K,)
        Shares of the cells.
    phi : array, shape (D, K)
        Functions of the cells.

    Returns
    -------
    array, shape (at most D, K - 1)
        Functions that are constant say nothing and are left out.
    """
    later = np.cumsum(pi[::-1])[::-1][1:]
    later_mean = np.cumsum((pi * phi)[:, ::-1], axis=1)[:, ::-1][:, 1:] / later
    h = np.sqrt(pi[:-1] * later / (later + pi[:-1])) * (phi[:, :-1] - later_mean)
    length = np.linalg.norm(h, axis=1)
    tilts: Floats = h[length > 1e-9] / length[length > 1e-9, None]
    return tilts


def cell_functions(plan: CellPlan) -> Floats:
    """Return the functions of a column's cells on whose mean to bet, shape (D, K).

    Numbers: location and spread of the ranks of values that are not missing, and the missing share. Categories: the
    rank by share, and each cell's own share.
    """
    pi = shares(plan.part)
    if plan.kind == "category":
        return np.vstack([2 * np.cumsum(pi) - pi - 1, np.eye(len(pi))])
    values = pi[1:] / pi[1:].sum()
    u = np.cumsum(values) - values / 2
    return np.vstack([np.r_[0.0, 2 * u - 1], np.r_[0.0, 6 * u**2 - 6 * u + 1], np.r_[1.0, np.zeros(len(u))]])


@dataclass(frozen=True, eq=False)
class ChangedBets:
    """The cells, directions and experts of all columns.

    Attributes
    ----------
    pool : array of int
        Counts of the reference's other rows, one column after another.
    starts, direction_starts : array of int, shape (J + 1,)
        Where each column's cells and directions begin.
    vectors : array
        The directions, one after another.
    experts : Experts
        Half of each column's weight is on directions, half on what earlier batches showed.
    """

    pool: Ints
    starts: Ints
    direction_starts: Ints
    vectors: Floats
    experts: Experts

    @classmethod
    def of(cls, plans: Mapping[str, CellPlan]) -> ChangedBets:
        """Prepare the bets on columns."""
        for name, plan in plans.items():
            if len(plan.part) < 2:
                raise fault("columns", "have at least two cells each", len(plan.part), hint=f"see column {name!r}")
        vectors = [directions(shares(plan.part), cell_functions(plan)) for plan in plans.values()]
        return cls.along([plan.pool for plan in plans.values()], vectors)

    @classmethod
    def along(cls, pools: Sequence[Ints], vectors: Sequence[Floats]) -> ChangedBets:
        """Prepare the bets on columns whose directions are given, each of shape (D, K - 1)."""
        learners = len(HALF_LIVES)
        weights = [
            np.r_[np.full(len(h) * len(SIZES), 0.5 / len(h) / len(SIZES)), np.full(learners, 0.5 / learners)]
            for h in vectors
        ]
        return cls(
            pool=np.concatenate(pools).astype(np.int64),
            starts=np.cumsum([0, *(len(pool) for pool in pools)]).astype(np.int64),
            direction_starts=np.cumsum([0, *(len(h) for h in vectors)]).astype(np.int64),
            vectors=np.concatenate([h.ravel() for h in vectors]),
            experts=Experts.of(weights),
        )

    @property
    def n_values(self) -> Ints:
        """The number of normal values of each column."""
        return np.diff(self.starts) - 1

    def begin(self) -> dict[str, Any]:
        """Return the arrays of the state before the first batch."""
        learners = len(HALF_LIVES)
        return {
            "pool": self.pool.copy(),
            "before": np.zeros_like(self.pool),  # the pool before an incident that is open
            "changed": self.experts.none(),
            "moved": np.zeros((learners, int(self.n_values.sum()))),
            "seen": np.zeros((learners, len(self.starts) - 1)),
        }

    def values(self, pool: Ints, counts: Ints, uniforms: Floats, effect: Floats | float = 1.0) -> tuple[Floats, Floats]:
        """Turn a batch into normal values.

        Parameters
        ----------
        pool : array of int
            What the batch is compared with: rows in each cell, one column after another.
        counts, uniforms, effect
            As in `bet`.

        Returns
        -------
        z, rows : array
            The normal values, and the effective number of rows per column.
        """
        first = self.starts[:-1]
        n, earlier = np.add.reduceat(counts, first), np.add.reduceat(pool, first)
        g = np.broadcast_to(np.asarray(effect, dtype=np.float64), n.shape)
        z = np.empty(len(uniforms))
        normal_values(self.starts, pool, counts, uniforms, z)
        return z / np.sqrt(np.repeat(g, self.n_values)), n * (earlier / np.maximum(n + earlier, 1)) / g

    def bet(
        self, arrays: dict[str, Any], counts: Ints, uniforms: Floats, effect: Floats | float = 1.0
    ) -> tuple[Floats, Floats, Floats]:
        """Turn a batch into normal values, bet on what earlier batches showed, then learn from it.

        Parameters
        ----------
        arrays : dict of str to array
            Updated: new arrays replace `pool`, `moved` and `seen`.
        counts : array of int
            Rows in each cell, one column after another.
        uniforms : array
            One number between 0 and 1 for each normal value.
        effect : float or array, shape (J,)
            The design effect: rows of a period that resemble each other count as fewer.

        Returns
        -------
        tilts, rows : array
            How far the batch lies along each direction, and the effective number of rows per column.
        learnt : array, shape (3 J,)
            Logarithms of the bets on what earlier batches showed. All three add up over the seasons of a batch.
        """
        z, rows = self.values(arrays["pool"], counts, uniforms, effect)
        moved, seen = arrays["moved"].copy(), arrays["seen"].copy()
        learnt = np.empty((len(rows), len(HALF_LIVES)))
        bet_as_learnt(self.starts, z, rows, moved, seen, learnt)
        arrays.update(pool=arrays["pool"] + counts, moved=moved, seen=seen)
        tilts = np.empty(int(self.direction_starts[-1]))
        project(self.starts, self.direction_starts, self.vectors, z, rows, tilts)
        return tilts, rows, learnt.ravel()

    def join(self, tilts: Floats, rows: Floats, learnt: Floats) -> Floats:
        """Return the logarithms of all experts' bets: those on directions, then those on what was learnt."""
        log_e = np.empty(len(self.experts.log_weights))
        bet_on_directions(self.direction_starts, self.experts.starts, tilts, rows, log_e)
        learners = self.experts.starts[1:, None] + np.arange(-len(HALF_LIVES), 0)
        log_e[learners.ravel()] = learnt
        return log_e

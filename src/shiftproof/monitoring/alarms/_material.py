"""Material: whether a batch is further from the reference's population than is worth a look.

Numbers: the Kolmogorov-Smirnov distance, at 31 quantiles of the reference. Categories: the Hellinger distance. Both:
the missing share. No distance is estimated, so small batches are not taken for distant ones: each bet is on a batch
being further away than the limit, and an allowance covers the error of the reference itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtri

from shiftproof.monitoring.alarms._evidence import Experts
from shiftproof.monitoring.alarms._facts import N_CUTS, CellPlan
from shiftproof.monitoring.alarms._kernels import split_rows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Counts = Ints | Floats

#: What is worth a look, as in `detect`: a distance, and a change of the missing share.
DISTANCE, MISSING = 0.1, 0.05
#: By how much more than the limit a share may be off.
EXCESS = np.array([0.01, 0.025, 0.05, 0.1, 0.2, 0.4])
#: How much is bet on the Hellinger distance, and half-lives (in batches) of what is bet on.
STAKES = np.array([0.25, 0.5, 1.0, 1.5])
MEMORIES = np.array([4.0, 32.0])
N_LEVEL_BETS = len(STAKES) * len(MEMORIES)
# Parts of a batch: an eighth, an eighth, a quarter, a half. Each is bet on with what the parts before it showed.
_PARTS = 4
# Within a batch earlier ones count less for the short memory: otherwise they outvote the first parts of a batch that
# changed, and its alarm comes a batch late. Measured: a sixteenth alarms sooner than 1, 1/8, 1/32 and 0.
_WITHIN_BATCH = np.array([1 / 16, 1.0])
# Reference rows per cell: rarer levels are pooled, because their own error adds up.
_ROWS_PER_CELL = 100


@dataclass(frozen=True, eq=False)
class ShareBets:
    """Bets that a share is above a limit: likelihood ratios of binomial counts.

    Attributes
    ----------
    hit, miss : array, shape (..., 6)
        Logarithms of the factors for a row that counts, and for one that does not.
    """

    hit: Floats
    miss: Floats

    @classmethod
    def above(cls, limit: Floats) -> ShareBets:
        """Bet on shares above limits."""
        p0 = limit[..., None]
        p1 = p0 + EXCESS
        possible = p1 < 1
        p0, p1 = np.where(possible, p0, 0.5), np.where(possible, p1, 0.5)  # impossible: a factor of 1
        return cls(np.log(p1 / p0), np.log1p(-p1) - np.log1p(-p0))

    def log_e(self, counts: Counts, rows: Counts) -> Floats:
        """Return the logarithms of the bets on counts among rows."""
        return counts[..., None] * self.hit + (rows - counts)[..., None] * self.miss


def cut_limits(share: Floats, m: Ints | float, z: Floats | float) -> Floats:
    """Return the limits of the share below and above each cut, shape (..., cuts, 2), with the reference's own error."""
    # With a handful of rows on one side the normal error is too small: none of m may be up to about z^2 / 1.4 m.
    off = DISTANCE + z * np.sqrt(np.maximum(share * (1 - share), z**2 / (2 * m)) / m)
    return np.stack([share + off, 1 - share + off], axis=-1)


def missing_limits(missing: Ints, m: Ints, level: Floats) -> Floats:
    """Return the limits of the shares missing and present, shape (J, 2).

    The reference's own error is covered exactly (Clopper and Pearson): most columns have no missing value at all, of
    which a normal error would say that none can ever come.
    """
    counts = np.stack([missing, m - missing], axis=-1).astype(np.float64)
    highest = np.where(counts < m[:, None], betaincinv(counts + 1, np.maximum(m[:, None] - counts, 1), 1 - level), 1.0)
    return np.asarray(highest + MISSING, dtype=np.float64)


class HellingerBets:
    """Bets that Hellinger distances are above the limit.

    For any r, ``sqrt(p q) <= (p r + q / r) / 2``: if the distance is within the limit, the mean of r over a batch is
    at least some ``floor``, whatever the batch's distribution. r is chosen from earlier batches and, because rows are
    independent given their batch, from other rows of the same batch.

    Parameters
    ----------
    counts : sequence of array of int
        Reference counts of the levels of each column, without missing values.
    z : array, shape (J,)
        Covers the reference's own error, in standard deviations.
    groups : sequence of array of int, optional
        The cell of every level (`pooled_levels`), if not these counts decide.
    """

    def __init__(self, counts: Sequence[Ints], z: Floats, groups: Sequence[Ints] | None = None) -> None:
        self.z = z
        self.m = np.array([max(float(column.sum()), 1.0) for column in counts])
        self.groups = [pooled_levels(column) for column in counts] if groups is None else groups
        self.sizes = np.array([group.max(initial=0) + 1 for group in self.groups], dtype=np.int64)
        # Columns are padded to the same number of cells; cells that do not exist have no share.
        self.shape = (len(counts), int(self.sizes.max(initial=1)))
        reference = self.pool(counts)
        exists = np.arange(self.shape[1]) < self.sizes[:, None]
        raised = np.where(exists, np.maximum(reference, 0.5), 0.0)
        self.reference = raised / raised.sum(axis=1, keepdims=True)
        self.exists = exists

    def pool(self, counts: Sequence[Ints]) -> Floats:
        """Return counts of the pooled cells, shape (J, K)."""
        pooled = np.zeros(self.shape)
        for row, group, column in zip(pooled, self.groups, counts, strict=True):
            row[: group.max(initial=0) + 1] = np.bincount(group, column)
        return pooled

    @property
    def n_uniforms(self) -> Ints:
        """How many random numbers split the rows of each column into parts."""
        return (_PARTS - 1) * (self.sizes - 1)

    def expected(self, x: Floats) -> Floats:
        """Return what counts would be if their shares were those of the reference, shape of `x`."""
        return np.asarray(x.sum(axis=-1, keepdims=True) * self.reference)

    def log_e_in_parts(self, x: Floats, earlier: Floats, expected: Floats, uniforms: Floats) -> Floats:
        """Return the logarithms of the bets on a batch, each part of which is bet on with the counts before it.

        Without parts, a batch that changed would only be bet on with what the batches before it showed.

        Parameters
        ----------
        x, earlier, expected : array
            As in `log_e`.
        uniforms : array
            Numbers between 0 and 1 that split the rows, one column after another.
        """
        parts = np.zeros((_PARTS, *self.shape), np.int64)
        split_rows(x.astype(np.int64), self.sizes, uniforms, parts)
        before = np.cumsum(parts, axis=0)
        bets = self.log_e(parts[0].astype(np.float64), earlier, expected)
        kept = _WITHIN_BATCH[:, None, None]
        for part in range(1, _PARTS):
            shown, usual = kept * earlier + before[part - 1], kept * expected + self.expected(before[part - 1])
            bets += self.log_e(parts[part].astype(np.float64), shown, usual)
        return bets

    def log_e(self, x: Floats, earlier: Floats, expected: Floats) -> Floats:
        """Return the logarithms of the bets, shape (J, 8).

        Parameters
        ----------
        x : array, shape (J, K)
            The batch's counts.
        earlier, expected : array, shape (2, J, K)
            Discounted earlier counts, for each half-life, and what they would be without a change: in another season
            other counts are usual, but what changed there probably changed here.
        """
        usual = 4.0 * self.sizes[:, None] * self.reference
        tilt = np.divide(usual + earlier, usual + expected, out=np.ones_like(earlier), where=self.exists)
        q = self.reference * tilt
        q /= q.sum(axis=-1, keepdims=True)
        ratio = np.sqrt(np.divide(self.reference, q, out=np.ones_like(q), where=self.exists))
        r = np.clip(ratio, 0.25, 2.0)
        mean = np.sum(self.reference / r, axis=-1)
        sd = np.sqrt(np.maximum(np.sum(self.reference / r**2, axis=-1) - mean**2, 0.0))
        floor = 2 - DISTANCE**2 - mean - self.z * sd / np.sqrt(self.m) - (self.sizes - 1) / (4 * self.m)
        highest = np.max(np.where(self.exists, r, 0.25), axis=-1) - floor
        # No single row may lose more than nine tenths of a stake.
        most = np.divide(0.9, highest, out=np.full_like(highest, np.inf), where=highest > 0)
        stake = np.minimum(STAKES, most[..., None])
        gain = np.log1p(stake[..., None] * (floor[..., None] - r)[..., None, :])
        bets: Floats = np.sum(gain * x[:, None, :], axis=-1).transpose(1, 0, 2).reshape(len(x), N_LEVEL_BETS)
        return bets


def pooled_levels(counts: Ints, seasons: int = 1) -> Ints:
    """Return the cell of every level: the rarest share one, so that there are at most m / 100 + 1 cells.

    Parameters
    ----------
    counts : array of int, shape (K,)
        Reference rows of each level.
    seasons : int
        In how many seasons they are; m is the number of rows of an average one.
    """
    most = max(2, int(counts.sum()) // (_ROWS_PER_CELL * seasons) + 1)
    order = np.argsort(counts, kind="stable")
    cells = np.empty(len(counts), dtype=np.int64)
    cells[order] = np.maximum(np.arange(len(counts)) - max(len(counts) - most, 0), 0)
    return cells


class MaterialBets:
    """The bets on all columns.

    Parameters
    ----------
    plans : mapping of str to CellPlan
        The columns.
    alpha : float
        The level: half of it pays for the reference's own error, shared by all columns and what is bet on.
    groups : sequence of array of int, optional
        As in `HellingerBets`.
    """

    def __init__(self, plans: Mapping[str, CellPlan], alpha: float, groups: Sequence[Ints] | None = None) -> None:
        columns = list(plans.values())
        self.is_number = np.array([plan.kind == "number" for plan in columns])
        self.numbers, self.categories = np.flatnonzero(self.is_number), np.flatnonzero(~self.is_number)
        m = np.array([plan.reference.sum() for plan in columns])
        missing = np.array([plan.reference[0] for plan in columns])
        # What must hold for a column's reference: two sides of each cut, or one distance; and two sides of missing.
        level = alpha / (2 * len(columns) * np.where(self.is_number, 2 * N_CUTS + 2, 3))
        cuts = np.array([columns[j].cuts for j in self.numbers], dtype=np.int64).reshape(-1, N_CUTS)
        present = np.maximum(m - missing, 1)[self.numbers, None]
        self.cuts = ShareBets.above(cut_limits(cuts / present, present, -ndtri(level[self.numbers, None])))
        self.missing = ShareBets.above(missing_limits(missing, m, level[:, None]))
        self.hellinger = HellingerBets(
            [columns[int(j)].reference[1:] for j in self.categories], -ndtri(level[self.categories]), groups
        )
        self.experts = Experts.of([_weights(plan.kind) for plan in columns])
        self.before_missing = self.experts.starts[1:] - 2 * len(EXCESS)
        self.n_uniforms = np.zeros(len(columns), np.int64)
        self.n_uniforms[self.categories] = self.hellinger.n_uniforms

    def begin(self) -> dict[str, Floats]:
        """Return the arrays of the state before the first batch."""
        shape = (len(MEMORIES), *self.hellinger.shape)
        return {"material": self.experts.none(), "levels": np.zeros(shape), "expected": np.zeros(shape)}

    def bet(self, arrays: dict[str, Any], counts: Sequence[Ints], uniforms: Floats) -> Floats:
        """Bet on the levels of a batch's categories, then learn from them.

        Parameters
        ----------
        arrays : dict of str to array
            Updated: new arrays replace `levels` and `expected`.
        counts : sequence of array of int
            Rows in each cell, per column.
        uniforms : array
            Numbers between 0 and 1 that split the batch into parts: `n_uniforms` for each column.

        Returns
        -------
        array, shape (number of columns of categories, 8)
            Logarithms of the bets.
        """
        x = self.hellinger.pool([counts[int(j)][1:] for j in self.categories])
        log_e = self.hellinger.log_e_in_parts(x, arrays["levels"], arrays["expected"], uniforms)
        kept = 2.0 ** (-1 / MEMORIES[:, None, None])
        arrays["levels"] = kept * arrays["levels"] + x
        arrays["expected"] = kept * arrays["expected"] + self.hellinger.expected(x)
        return log_e

    def join(self, below: Counts, missing: Counts, n: Ints, levels: Floats) -> Floats:
        """Return the logarithms of all experts' bets, in their order.

        Parameters
        ----------
        below : array, shape (31 times the columns of numbers,)
            Rows up to each cut.
        missing : array, shape (J,)
            Rows with a missing value, per column.
        n : array of int, shape (J,)
            Rows, per column.
        levels : array, shape (8 times the columns of categories,)
            The bets on categories.
        """
        below = below.reshape(-1, N_CUTS)
        levels = levels.reshape(-1, N_LEVEL_BETS)
        log_e = np.empty(len(self.experts.log_weights))
        sides = 2 * len(EXCESS)
        present = (n - missing)[self.numbers, None]
        on_cuts = self.cuts.log_e(np.stack([below, present - below], axis=-1), present[..., None])
        log_e[self.experts.starts[self.numbers, None] + np.arange(N_CUTS * sides)] = on_cuts.reshape(
            len(below), N_CUTS * sides
        )
        on_missing = self.missing.log_e(np.stack([missing, n - missing], axis=-1), n[:, None])
        log_e[self.before_missing[:, None] + np.arange(sides)] = on_missing.reshape(len(n), sides)
        log_e[self.experts.starts[self.categories, None] + np.arange(N_LEVEL_BETS)] = levels
        return log_e


def _weights(kind: str) -> Floats:
    """Give the missing share the weight of one cut, or as much as the Hellinger distance."""
    sides = 2 * len(EXCESS)
    if kind == "number":
        return np.full((N_CUTS + 1) * sides, 1 / (N_CUTS + 1) / sides)
    return np.concatenate([np.full(N_LEVEL_BETS, 0.5 / N_LEVEL_BETS), np.full(sides, 0.5 / sides)])

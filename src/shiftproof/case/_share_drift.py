"""Class proportions when more than they may have changed: what natural shifts have shown.

A count corrects for changed class proportions and nothing else. Between years, places or groups the features change,
too, and so do the rules that link them to the label. On natural pairs of tables, counts were off by 17 points on
average, the mean of calibrated probabilities by 7. Where nothing but the class proportions changed, it is the other way
around. So both are believed, each as far as the evidence is for its assumption (`prior_weight`).
benchmarks/real_shifts.py measures it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from shiftproof.case._belief import HEAVY_TAILS, student_mixture
from shiftproof.case._case import Case
from shiftproof.case._drift import ShareShift, prior_weight, undecided
from shiftproof.case._mixture import NormalMixture
from shiftproof.case._shares import mean_shares, pooled_shares
from shiftproof.core import Floats, Interval
from shiftproof.shift import ShiftKind

#: The name of the estimate, as of those of performance.
ROUTED_POOL = "routed pool"
# The mean of probabilities follows a change of the class proportions only so far: it is moved on by this factor. Chosen
# on both lists of natural pairs with the data set left out, as are the constants below (docs/selection.md).
_FURTHER = 1.3
# What drift adds where no shift is visible, in standard deviations of a label.
_QUIET = 0.02
# Where the models hardly see the classes, a share may move unseen: half an interval of 90% is this part of the largest
# change that cannot be ruled out, if that change is above the limit.
_UNSEEN, _UNSEEN_FROM = 0.7, 0.1
# A count's own errors where only the class proportions changed are so many times what resamples show, and never below
# this part of a label's standard deviation.
_COUNT_WIDER, _COUNT_LEAST = 1.08, 0.005
# Halving an interval of length 7 so often leaves no digit open.
_HALVINGS = 60


@dataclass(frozen=True, kw_only=True)
class ShareAllowance:
    """The standard error that natural drift adds to an estimated share.

    Fitted by maximum likelihood (Student's t, 4 degrees of freedom) to natural pairs, each data set counting once.
    docs/quantification.md has the coverage on data sets that were left out.

    Attributes
    ----------
    constant : float
        What every shift adds, in standard deviations of a label: less for rare classes.
    by_move : float
        More, per difference between the estimate and the labelled rows' share.
    """

    constant: float
    by_move: float


#: For the estimate of this module, and for a count that corrects for changed class proportions only.
_OF_POOL, _OF_COUNT = ShareAllowance(constant=0.138, by_move=0.250), ShareAllowance(constant=0.066, by_move=0.632)


@dataclass(frozen=True, eq=False, kw_only=True)
class SharePart:
    """One belief about the class proportions; `SpreadShares` may join two.

    Attributes
    ----------
    chance : float
        How far it is believed.
    offset : ndarray of shape (k,)
        Its centre minus the estimate.
    below, above : ndarrays of shape (k,)
        The standard errors towards lower and higher shares.
    heavy : bool
        Whether errors have the heavy tails of drift (Student's t), or are normal.
    """

    chance: float
    offset: Floats
    below: Floats
    above: Floats
    heavy: bool

    def cumulative(self, apart: Floats) -> Floats:
        """Return the probability that the share is less than so far above the estimate."""
        off = apart - self.offset
        errors = np.maximum(np.where(off < 0, self.below, self.above), 1e-12)
        return np.asarray(special.stdtr(HEAVY_TAILS, off / errors) if self.heavy else special.ndtr(off / errors))

    def reach(self, rank: float) -> Floats:
        """Return how far the quantile of a part that stands alone is from the estimate."""
        times = float(special.stdtrit(HEAVY_TAILS, rank) if self.heavy else special.ndtri(rank))
        return np.asarray(self.offset + times * (self.below if times < 0 else self.above))


@dataclass(frozen=True, eq=False, kw_only=True)
class SpreadShares:
    """The class proportions of one sample with their errors, each of shape (k,).

    Attributes
    ----------
    values : ndarray
        The estimates.
    sampling, drift : ndarrays
        The standard errors from the rows at hand, and what natural drift adds.
    parts : tuple of SharePart
        How the shares scatter around the estimates.
    """

    values: Floats
    sampling: Floats
    drift: Floats
    parts: tuple[SharePart, ...]

    @classmethod
    def of(cls, values: Floats, below: Floats, above: Floats, drift: Floats, *, heavy: bool = False) -> SpreadShares:
        """Hold one belief."""
        part = SharePart(
            chance=1.0,
            offset=np.zeros_like(values),
            below=np.hypot(below, drift),
            above=np.hypot(above, drift),
            heavy=heavy,
        )
        return cls(values=values, sampling=np.sqrt((below**2 + above**2) / 2), drift=drift, parts=(part,))

    @classmethod
    def of_count(cls, intervals: Sequence[Interval]) -> SpreadShares:
        """Read the errors of a count from its intervals."""
        values, low, high = np.array([(share.estimate, share.low, share.high) for share in intervals]).T
        reach = float(special.ndtri((1 + intervals[0].level) / 2))
        return cls.of(values, (values - low) / reach, (high - values) / reach, np.zeros_like(values))

    @classmethod
    def without_errors(cls, values: Floats) -> SpreadShares:
        """Hold estimates whose errors nobody needs."""
        nothing = np.zeros_like(values)
        return cls.of(values, nothing, nothing, nothing)

    @classmethod
    def joined(cls, one: SpreadShares, other: SpreadShares, chance: float) -> SpreadShares:
        """Believe `one` with this chance, and else `other`; the estimates are the medians, which add up to 1."""
        if chance <= 0:
            return other
        parts = tuple(
            replace(part, chance=part.chance * believed, offset=part.offset + shares.values)
            for shares, believed in ((one, chance), (other, 1 - chance))
            for part in shares.parts
        )
        values = one.values
        # Two beliefs about one count keep it to the last digit.
        if not np.array_equal(values, other.values):
            values = np.clip(_quantile(parts, 0.5, len(values)), 0, None)
            values = values / values.sum()
        sampling = chance * one.sampling**2 + (1 - chance) * other.sampling**2
        drift = chance * one.drift**2 + (1 - chance) * other.drift**2
        # What the two differ in is open for the same reason as drift, if there is any: nobody knows what changed.
        apart = chance * (1 - chance) * (one.values - other.values) ** 2
        drifting = bool(drift.any())
        return cls(
            values=values,
            sampling=np.sqrt(sampling + (0.0 if drifting else apart)),
            drift=np.sqrt(drift + apart) if drifting else drift,
            parts=tuple(replace(part, offset=part.offset - values) for part in parts),
        )

    def intervals(self, level: float) -> list[Interval]:
        """Return an interval for each class."""
        rank = (1 + level) / 2
        low, high = (
            np.clip(self.values + _quantile(self.parts, at, len(self.values)), 0, 1) for at in (1 - rank, rank)
        )
        method = "student" if any(part.heavy for part in self.parts) else "normal"
        return [
            Interval(estimate=value, low=min(least, value), high=max(most, value), level=level, method=method)
            for value, least, most in zip(self.values.tolist(), low.tolist(), high.tolist(), strict=True)
        ]

    def either(self, level: float) -> tuple[list[Interval], list[Interval]] | None:
        """Return the intervals for a change of class proportions only, and of more; None unless both are open."""
        # The first part is that of the count.
        if len(self.parts) < 2 or not undecided(self.parts[0].chance):
            return None
        one, other = (
            replace(self, values=self.values + part.offset, parts=(replace(part, offset=np.zeros_like(part.offset)),))
            for part in self.parts
        )
        return one.intervals(level), other.intervals(level)

    def beliefs(self) -> list[NormalMixture]:
        """Return one distribution per class; errors of two different sides count as their mean."""
        return [self._belief(code) for code in range(len(self.values))]

    def _belief(self, code: int) -> NormalMixture:
        mixtures = []
        for part in self.parts:
            centre = np.array([self.values[code] + part.offset[code]])
            variance = np.array([[(part.below[code] ** 2 + part.above[code] ** 2) / 2]])
            alone = NormalMixture(np.ones(1), centre[None], variance[None])
            mixtures.append((part.chance, student_mixture(centre, variance, HEAVY_TAILS) if part.heavy else alone))
        return NormalMixture.of_chances(mixtures)


def _quantile(parts: Sequence[SharePart], at: float, k: int) -> Floats:
    """Return a quantile of joined beliefs for each class, relative to where their offsets are counted from."""
    if len(parts) == 1:
        return parts[0].reach(at)
    low, high = np.full(k, -3.0), np.full(k, 4.0)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        short = sum(part.chance * part.cumulative(middle) for part in parts) < at
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return np.asarray((low + high) / 2)


def pool_with_drift(
    case: Case, counts: Sequence[SpreadShares], samples: Sequence[NDArray[np.intp]], shifts: Sequence[ShareShift]
) -> list[SpreadShares]:
    """Estimate samples of the new rows by all models, and allow for natural drift.

    The more a change exceeds what chance explains, the less it is pulled back to the labelled rows' shares.

    Parameters
    ----------
    case : Case
        Models, labelled and new data.
    counts : sequence of SpreadShares
        What a method that corrects for changed class proportions says of each sample.
    samples : sequence of arrays of row numbers
        The new rows of each.
    shifts : sequence of ShareShift
        What may have moved the class proportions of each.
    """
    candidates, routes = case.prospect.candidates, case.prospect.routes
    old, results = candidates.prevalence, []
    for count, rows, shift in zip(counts, samples, shifts, strict=True):
        pooled, variances = pooled_shares(candidates, routes, rows)
        if case.assume == "natural":
            pooled = (pooled + mean_shares(case.prospect.calibrated, rows)) / 2
            chance = old * (1 - old) * ((candidates.base**2).sum() + 1 / len(rows))
            shares = drifted_shares(pooled, variances, count, old, chance, shift=shift)
        else:
            errors, values = np.sqrt(variances), np.clip(pooled, 0, None)
            without = SpreadShares.of(values / values.sum(), errors, errors, np.zeros_like(errors))
            shares = SpreadShares.joined(count, without, shift.prior)
        results.append(shares)
    return results


def drifted_shares(
    pooled: Floats,
    variances: Floats,
    count: SpreadShares,
    old: Floats,
    chance: Floats,
    *,
    shift: ShareShift,
    wider: float = 1.0,
) -> SpreadShares:
    """Join a mean of probabilities and a count into one estimate, and allow for natural drift.

    Parameters
    ----------
    pooled, variances : ndarrays of shape (k,)
        The mean of the probabilities and the variance of its error.
    count : SpreadShares
        What a method says that corrects for changed class proportions.
    old, chance : ndarrays of shape (k,)
        The labelled rows' shares, and the variance by which chance alone moves them.
    shift : ShareShift
        What may have moved the shares.
    wider : float
        How many times more drift to allow for where no shift is visible.
    """
    moved = _FURTHER * (pooled - old)
    # One factor for all classes, so that the shares add up to 1.
    kept = float(moved @ moved / (moved @ moved + chance.sum()))
    values = np.clip(old + kept * moved, 0, None)
    values = values / values.sum()
    errors = np.sqrt(kept**2 * variances + (1 - kept) ** 2 * chance)
    spread = np.sqrt(old * (1 - old))
    if shift.quiet:
        drift = wider * _QUIET * spread
        if shift.unseen > _UNSEEN_FROM:
            drift = np.full_like(values, _UNSEEN * shift.unseen / float(special.ndtri(0.95)))
        return SpreadShares.of(values, errors, errors, drift)
    drift = _OF_POOL.constant * spread + _OF_POOL.by_move * np.abs(values - old)
    return SpreadShares.joined(
        _alone(count, spread), SpreadShares.of(values, errors, errors, drift, heavy=True), shift.prior
    )


def _alone(count: SpreadShares, spread: Floats) -> SpreadShares:
    """Return a count where only the class proportions changed, with the errors that counts then have."""
    below, above = (_COUNT_WIDER * errors for errors in (count.parts[0].below, count.parts[0].above))
    return SpreadShares.of(count.values, below, above, _COUNT_LEAST * spread, heavy=True)


def count_with_drift(count: SpreadShares, old: Floats, shift: ShiftKind | None) -> SpreadShares:
    """Leave a count as it is, and allow for natural drift.

    Parameters
    ----------
    count : SpreadShares
        The estimate of the method that the caller chose.
    old : ndarray of shape (k,)
        The labelled rows' shares.
    shift : ShiftKind, optional
        The type of shift, where it is known.
    """
    spread, part = np.sqrt(old * (1 - old)), count.parts[0]
    if shift is not None and shift.kind == "none":
        return SpreadShares.of(count.values, part.below, part.above, _QUIET * spread)
    drift = _OF_COUNT.constant * spread + _OF_COUNT.by_move * np.abs(count.values - old)
    drifted = SpreadShares.of(count.values, part.below, part.above, drift, heavy=True)
    prior = 0.0 if shift is None else prior_weight(shift)
    return SpreadShares.joined(_alone(count, spread), drifted, prior)

"""Class proportions when more than they may have changed: what natural shifts have shown.

A count corrects for changed class proportions and nothing else. Between years, places or groups the features change,
too, and so do the rules that link them to the label. On 143 natural pairs of tables, counts were off by 15 points on
average, the mean probability by 7. So the estimate starts from that mean, and moves to the count as far as the
evidence is for a change of nothing but the class proportions. benchmarks/real_shifts.py measures it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from shiftproof.case._case import Case
from shiftproof.case._drift import natural_weights
from shiftproof.case._shares import pooled_shares
from shiftproof.core import Floats, Interval
from shiftproof.shift import ShiftKind

#: The name of the estimate, as of those of performance.
ROUTED_POOL = "routed pool"
# What a count weighs in every estimate: the mean of probabilities hardly follows a change of the class proportions.
_COUNT = 0.15
# Between natural tables a purely prior shift is rare, so its likelihood has to be higher by this much.
_GAIN = 2.0
# What drift adds where no shift is visible, in standard deviations of a label.
_QUIET = 0.02
#: Errors by drift have heavier tails than normal ones: Student's t with so many degrees of freedom.
HEAVY_TAILS = 4.0


@dataclass(frozen=True, kw_only=True)
class ShareAllowance:
    """The standard error that natural drift adds to an estimated share.

    Fitted by maximum likelihood (Student's t, 4 degrees of freedom) to natural pairs of two classes, each data set
    counting once; that of the pool was then made larger by 8%. docs/quantification.md has the coverage on data sets
    that were left out.

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
_OF_POOL, _OF_COUNT = ShareAllowance(constant=0.157, by_move=0.207), ShareAllowance(constant=0.066, by_move=0.632)


@dataclass(frozen=True, eq=False, kw_only=True)
class SpreadShares:
    """The class proportions of one sample with their errors, each of shape (k,).

    Attributes
    ----------
    values : ndarray
        The estimates.
    below, above : ndarrays
        The standard errors from the rows at hand, towards lower and higher shares.
    drift : ndarray
        The standard errors that natural drift adds.
    heavy : bool
        Whether errors have the heavy tails of drift (Student's t), or are normal.
    """

    values: Floats
    below: Floats
    above: Floats
    drift: Floats
    heavy: bool = False

    @classmethod
    def of_count(cls, intervals: Sequence[Interval]) -> SpreadShares:
        """Read the errors of a count from its intervals."""
        values, low, high = np.array([(share.estimate, share.low, share.high) for share in intervals]).T
        reach = float(special.ndtri((1 + intervals[0].level) / 2))
        return cls(
            values=values, below=(values - low) / reach, above=(high - values) / reach, drift=np.zeros_like(values)
        )

    @classmethod
    def without_errors(cls, values: Floats) -> SpreadShares:
        """Hold estimates whose errors nobody needs."""
        nothing = np.zeros_like(values)
        return cls(values=values, below=nothing, above=nothing, drift=nothing)

    @property
    def sampling(self) -> Floats:
        """The standard errors from the rows at hand, of either side together."""
        return np.sqrt((self.below**2 + self.above**2) / 2)

    def intervals(self, level: float) -> list[Interval]:
        """Return an interval for each class."""
        rank = (1 + level) / 2
        reach = float(special.stdtrit(HEAVY_TAILS, rank) if self.heavy else special.ndtri(rank))
        low, high = (
            np.clip(self.values + side * reach * np.hypot(errors, self.drift), 0, 1)
            for side, errors in ((-1, self.below), (1, self.above))
        )
        return [
            Interval(estimate=value, low=least, high=most, level=level, method="student" if self.heavy else "normal")
            for value, least, most in zip(self.values.tolist(), low.tolist(), high.tolist(), strict=True)
        ]


def count_weight(case: Case) -> float:
    """Return how far only the class proportions changed, from 0 to 1: what a count and its errors weigh in the pool."""
    return float(natural_weights(case.prospect.routes, case.shift)[1])


def pool_with_drift(
    case: Case, counts: Sequence[SpreadShares], samples: Sequence[NDArray[np.intp]]
) -> list[SpreadShares]:
    """Estimate samples of the new rows by the pool of all models, and allow for natural drift.

    The more a change exceeds what chance explains, the less it is pulled back to the labelled rows' shares. A prior
    shift that explains the new rows clearly better than weights leaves the count as it is.

    Parameters
    ----------
    case : Case
        Models, labelled and new data.
    counts : sequence of SpreadShares
        What a method that corrects for changed class proportions says of each sample.
    samples : sequence of arrays of row numbers
        The new rows of each.
    """
    candidates, routes = case.prospect.candidates, case.prospect.routes
    old, prior = candidates.prevalence, count_weight(case)
    results = []
    for count, rows in zip(counts, samples, strict=True):
        pooled, variances = pooled_shares(candidates, routes, rows)
        chance = old * (1 - old) * ((candidates.base**2).sum() + 1 / len(rows))
        results.append(
            drifted_shares(pooled, variances, count, old, chance, prior=prior, quiet=case.shift.kind == "none")
        )
    return results


def drifted_shares(
    pooled: Floats,
    variances: Floats,
    count: SpreadShares,
    old: Floats,
    chance: Floats,
    *,
    prior: float,
    quiet: bool,
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
    prior : float
        How far only the class proportions changed, from 0 to 1.
    quiet : bool
        Whether no shift is visible.
    """
    moved = (1 - _COUNT) * pooled + _COUNT * count.values - old
    # One factor for all classes, so that the shares add up to 1.
    kept = float(moved @ moved / (moved @ moved + chance.sum()))
    values = np.clip(prior * count.values + (1 - prior) * (old + kept * moved), 0, None)
    values = values / values.sum()
    variance = (1 - prior) * (kept**2 * variances + (1 - kept) ** 2 * chance)
    below, above = (np.sqrt(prior * errors**2 + variance) for errors in (count.below, count.above))
    shares = SpreadShares(values=values, below=below, above=above, drift=np.zeros_like(values))
    return _allowing(shares, _OF_POOL, old, prior, quiet=quiet)


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
    prior = special.expit(shift.evidence.gain - _GAIN) if shift is not None and shift.kind == "prior" else 0.0
    return _allowing(count, _OF_COUNT, old, float(prior), quiet=shift is not None and shift.kind == "none")


def _allowing(shares: SpreadShares, rule: ShareAllowance, old: Floats, prior: float, *, quiet: bool) -> SpreadShares:
    """Add what natural drift adds; `prior` is how far only the class proportions changed."""
    spread = np.sqrt(old * (1 - old))
    if quiet:
        return replace(shares, drift=_QUIET * spread)
    # A prior shift explains how far the share moved; else a larger move leaves more room for error.
    drift = rule.constant * spread + rule.by_move * np.abs(shares.values - old)
    return replace(shares, drift=prior * _OF_POOL.constant * spread + (1 - prior) * drift, heavy=True)

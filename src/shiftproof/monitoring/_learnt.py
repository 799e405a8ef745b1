"""What labels of earlier batches say of the next estimate: how far estimates are off, and how much of that lasts.

The error of an estimate is followed by a bank of Kalman filters. Each assumes how far drift moves estimates, how much
of an error lasts to the next batch, and whether the link between features and label is broken. Labels make those count
more that expected what they show. Before any labels, their mixture is Student's t distribution of `case.DriftRecord`.
With exact labels and errors that do not last, it is scaled as that record says; few labels say less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logsumexp, ndtri, stdtrit

from shiftproof.case import ALLOWANCES, BREAK_SIZE, DriftRecord, NormalMixture
from shiftproof.core import Floats, Interval
from shiftproof.monitoring._performance import LEVEL, LOSS, AccuracyGrounds

if TYPE_CHECKING:
    from shiftproof.monitoring.store import ComparisonRecord

# How many batches with labels are learnt from: the last ones.
MOST_LEARNT = 100
# How far drift moves estimates, in units of the allowance: from a quarter to sixteen times as far.
_SCALES = 2.0 ** (np.arange(-4, 9) / 2)
# How much of an error lasts to the next batch; each counts a third before there are labels.
_LASTING = np.array([0.0, 0.8, 0.97])
# The chance that the link between features and label breaks with a batch, or is as before again.
_SWITCH = 0.01
# What labels alone would give makes up so much of an interval, whatever happened.
_LABELS_ALONE = 0.1
_MEASURE, _METHOD = "accuracy", "calibrated confidence and labels"


@dataclass(frozen=True, eq=False, kw_only=True)
class LearntDrift:
    """What is known of the error of the next estimates: estimate minus actual accuracy.

    Filters come in pairs, of which the second takes the link between features and label for broken.

    Attributes
    ----------
    log_shares : array, shape (r,)
        Logarithms of what each filter counts.
    means, variances : array, shape (r,)
        Of the error of the last labelled batch.
    scales, lasting, broken : array, shape (r,)
        What each filter assumes: the size of drift, how much of an error lasts, and by how much a break moves it.
    n : int
        How many batches with labels that rests on.
    place : int
        The place of the last of them among all batches.
    """

    log_shares: Floats
    means: Floats
    variances: Floats
    scales: Floats
    lasting: Floats
    broken: Floats
    n: int = 0
    place: int = 0

    @classmethod
    def of(cls, comparisons: Sequence[ComparisonRecord], history: DriftRecord) -> LearntDrift:
        """Learn from the batches that have labels, in order."""
        drift = cls._begin(history)
        for comparison in comparisons:
            if comparison.n_used:
                drift = drift._after(comparison)
        return drift

    @classmethod
    def _begin(cls, history: DriftRecord) -> LearntDrift:
        half = history.freedom(_MEASURE) / 2
        precisions = 1 / _SCALES**2
        # Student's t: the precision of a normal distribution follows a gamma distribution, here on a logarithmic grid.
        logs = half * np.log(precisions) - half * precisions
        logs -= logsumexp(logs)
        scale, lasting, broken = (
            part.ravel() for part in np.meshgrid(np.arange(len(_SCALES)), _LASTING, [0, 1], indexing="ij")
        )
        chance = history.break_chance(_MEASURE)
        shares = logs[scale] - np.log(len(_LASTING)) + np.log(np.where(broken, chance, 1 - chance))
        size = BREAK_SIZE * ALLOWANCES[_MEASURE].constant * history.factor(_MEASURE)
        nothing = np.zeros(len(shares))
        return cls(
            log_shares=shares,
            means=nothing,
            variances=nothing,
            scales=_SCALES[scale],
            lasting=lasting,
            broken=size * broken,
        )

    def _passed(self, grounds: AccuracyGrounds, place: int) -> LearntDrift:
        """Pass to a batch: errors last in part, and the link may break or be as before again."""
        # A break may be smaller or larger than usual by as much as it is large.
        usual, spread = self.broken, (grounds.allowance * self.scales) ** 2 + self.broken**2
        if not self.n:
            return replace(self, means=usual, variances=spread)
        # A batch that arrived before the last labelled one is as far from it as one that arrives later.
        lasting = self.lasting ** max(abs(place - self.place), 1)
        means, variances = usual + lasting * (self.means - usual), spread + lasting**2 * (self.variances - spread)
        stay = self.log_shares + np.log1p(-_SWITCH)
        come = self.log_shares.reshape(-1, 2)[:, ::-1].ravel() + np.log(_SWITCH)
        shares = np.logaddexp(stay, come)
        # What comes from the other filter of a pair begins anew; both parts are joined to one normal distribution.
        part = np.exp(stay - shares)
        joined = part * means + (1 - part) * usual
        within = part * variances + (1 - part) * spread
        between = part * (means - joined) ** 2 + (1 - part) * (usual - joined) ** 2
        return replace(self, log_shares=shares, means=joined, variances=within + between)

    def _after(self, comparison: ComparisonRecord) -> LearntDrift:
        """Learn from the labels of a batch."""
        passed = self._passed(grounds_of(comparison), comparison.place)
        total = passed.variances + (comparison.sampling * self.scales) ** 2 + labels_variance(comparison)
        off = comparison.residual - passed.means
        gain = passed.variances / total
        shares = passed.log_shares - 0.5 * np.log(total) - 0.5 * off**2 / total
        return replace(
            passed,
            log_shares=shares - logsumexp(shares),
            means=passed.means + gain * off,
            variances=(1 - gain) * passed.variances,
            n=self.n + 1,
            place=comparison.place,
        )

    def mixture(self, grounds: AccuracyGrounds, place: int) -> NormalMixture:
        """Return what is believed of the accuracy of a batch without labels."""
        passed = self._passed(grounds, place)
        variances = passed.variances + (grounds.sampling * self.scales) ** 2
        centres = grounds.value - passed.means
        return NormalMixture(np.exp(passed.log_shares), centres[:, None], variances[:, None, None])

    def interval(self, grounds: AccuracyGrounds, place: int) -> Interval:
        """Return the interval of the accuracy of a batch without labels."""
        mixture = self.mixture(grounds, place)
        value = float(mixture.shares @ mixture.centres[:, 0])
        return mixture.interval(value, LEVEL, (0.0, 1.0), _METHOD)

    def loss_chance(self, grounds: AccuracyGrounds, place: int, validated: float) -> float:
        """Return the chance that the accuracy of a batch without labels is more than `LOSS` below the validated one."""
        return self.mixture(grounds, place).chance_below(validated + grounds.above - LOSS)

    def with_labels(self, comparison: ComparisonRecord) -> Interval:
        """Return the interval of the accuracy of a batch given its own labels; none of them may be among the learnt."""
        grounds, variance = grounds_of(comparison), labels_variance(comparison)
        measured = grounds.value - comparison.residual
        if variance <= 0:
            # All labels are known; rounding aside, this is what they say.
            rate = comparison.n_right / comparison.n_used
            return Interval(estimate=rate, low=rate, high=rate, level=LEVEL, method="labels of all rows")
        passed = self._passed(grounds, comparison.place)
        centres, spreads = grounds.value - passed.means, passed.variances + (grounds.sampling * self.scales) ** 2
        total = spreads + variance
        logs = passed.log_shares - 0.5 * np.log(total) - 0.5 * (measured - centres) ** 2 / total
        shares = np.exp(logs - logsumexp(logs))
        gain = spreads / total
        moved = centres + gain * (measured - centres)
        # Few labels scatter more than their variance says.
        end = (1 + LEVEL) / 2
        alone = variance * float(stdtrit(max(comparison.n_used - 1, 1), end) / ndtri(end)) ** 2
        mixture = NormalMixture(
            np.append((1 - _LABELS_ALONE) * shares, _LABELS_ALONE),
            np.append(moved, measured)[:, None],
            np.append((1 - gain) * spreads, alone)[:, None, None],
        )
        return mixture.interval(float(shares @ moved), LEVEL, (0.0, 1.0), _METHOD)


def grounds_of(comparison: ComparisonRecord) -> AccuracyGrounds:
    """Return what the estimate of a labelled batch rested on."""
    return AccuracyGrounds(
        value=comparison.unlearnt,
        confidence=comparison.unlearnt,
        sampling=comparison.sampling,
        allowance=comparison.allowance,
        above=comparison.above,
    )


def labels_variance(comparison: ComparisonRecord) -> float:
    """Return by how much the residual of the labelled rows scatters around that of all rows."""
    # Finite population: labels of all rows leave nothing open.
    return comparison.row_variance / comparison.n_used * (1 - comparison.n_used / comparison.n_rows)

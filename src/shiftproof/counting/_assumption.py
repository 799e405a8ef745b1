"""Can the new rows be a mixture of the labelled classes? Every estimate of a prevalence assumes it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from shiftproof.core import Floats
from shiftproof.counting._draws import ByClass
from shiftproof.counting._expectation import MANY_CLASSES
from shiftproof.counting._method import METHODS
from shiftproof.counting._samples import Labelled, RowScores, Samples

# Methods whose values say, before they are clipped, that no mixture fits; of more than two classes thresholds take one
# against the others, which look otherwise where their mix is another.
UNCLIPPED = ("adjusted count", "scaled probability average", "median sweep")
UNCLIPPED_OF_MORE = UNCLIPPED[:2]
# What finds the nearest mixture.
_NEAREST = "expectation maximization"
_RESAMPLES, _MOST_ROWS = 200, 5_000
# With many classes, 40 resamples are enough for the spread. Sampling for the p-value stops when 20 samples are at least
# as far (Besag and Clifford 1991).
_FEW_RESAMPLES, _ENOUGH = 40, 20
_ALPHA = 0.05
# By less than this no value leaves 0 to 1: a class that is never mistaken has no spread at all.
_LITTLE = 0.02


@dataclass(frozen=True, kw_only=True)
class MixtureFit:
    """How well the estimated mixture of the classes' scores gives the scores of the new rows.

    Parameters
    ----------
    distance : float
        The largest difference of the two distribution functions (Kolmogorov-Smirnov), of any class's scores.
    p_value : float
        How often such a distance or a larger one comes up in samples that are mixtures of the labelled classes.
    """

    distance: float
    p_value: float


@dataclass(frozen=True, kw_only=True)
class Unclipped:
    """A value before it is clipped to 0 and 1, and where samples of the nearest possible mixture have it.

    The bounds are corrected for the number of methods and classes: in 95 of 100 samples all values lie within theirs.
    """

    method: str
    code: int
    value: float
    low: float
    high: float

    @property
    def outside(self) -> bool:
        """Whether it is below 0 or above 1 by more than chance, and enough to matter."""
        return self.value < min(-_LITTLE, self.low) or self.value > max(1 + _LITTLE, self.high)


def mixture_fit(labelled: Labelled, scores: ArrayLike | RowScores, rng: np.random.Generator) -> MixtureFit:
    """Compare the scores of the new rows with the likeliest mixture of the classes' (by expectation maximization).

    The p-value is by simulation: samples of that mixture are drawn from the labelled rows, estimated by what is learnt
    from resampled ones, and compared in the same way. It ends after 20 that are as far.

    Parameters
    ----------
    labelled : Labelled
        The classes' scores.
    scores : RowScores, or array of shape (m, k)
        Those of the new rows, by models like those which scored the labelled ones.
    rng : Generator
        What to draw with; more than 5,000 rows on a side are drawn, too.
    """
    labelled, scores = _fewer(labelled, RowScores.of(scores), rng)
    learned = METHODS[_NEAREST].learn(labelled)
    method = METHODS[_NEAREST].having(**learned.fixed_options)
    shares = learned.estimate(Samples.of(scores))[0]
    distance = _distance(labelled, scores, shares)
    # The estimated mixture plays the truth, so that its own error is part of the null distribution.
    counts = rng.multinomial(len(scores), shares, size=_RESAMPLES)
    as_far = 0
    by_class = ByClass.of(labelled)
    for done, of_sample in enumerate(counts, 1):
        again = labelled.take(by_class.draw(labelled.counts, rng))
        pool = labelled.scores.take(by_class.sample(of_sample, rng))
        estimated = method.learn(again).estimate(Samples.of(pool))[0]
        as_far += _distance(again, pool, estimated) >= distance
        if as_far == _ENOUGH:
            return MixtureFit(distance=distance, p_value=as_far / done)
    return MixtureFit(distance=distance, p_value=(1 + as_far) / (1 + _RESAMPLES))


def unclipped(labelled: Labelled, scores: ArrayLike | RowScores, rng: np.random.Generator) -> list[Unclipped]:
    """Give every class's values before they are clipped, by the methods that may leave 0 to 1."""
    scores = RowScores.of(scores)
    samples = Samples.of(scores)
    names = UNCLIPPED if labelled.n_classes == 2 else UNCLIPPED_OF_MORE
    learned = {name: METHODS[name].learn(labelled) for name in names}
    values = {name: fitted.raw(samples)[0] for name, fitted in learned.items()}
    possible = {name: fitted.estimate(samples)[0] for name, fitted in learned.items()}
    labelled, scores = _fewer(labelled, scores, rng)
    by_class = ByClass.of(labelled)
    varied: dict[str, list[Floats]] = {name: [] for name in names}
    for _ in range(_RESAMPLES if labelled.n_classes <= MANY_CLASSES else _FEW_RESAMPLES):
        again = labelled.take(by_class.draw(labelled.counts, rng))
        for name, draws in varied.items():
            rows = by_class.sample(rng.multinomial(len(scores), possible[name]), rng)
            draws.append(METHODS[name].learn(again).raw(Samples.of(labelled.scores.take(rows)))[0])
    # Of two classes one value tells the other.
    looks = len(names) * (labelled.n_classes if labelled.n_classes > 2 else 1)
    # Bonferroni over methods and classes: the bounds hold for all values together.
    reach = float(-special.ndtri(_ALPHA / 2 / looks))
    results = []
    for name, draws in varied.items():
        middle, spread = np.mean(draws, axis=0), np.std(draws, axis=0, ddof=1)
        results += [
            Unclipped(method=name, code=code, value=float(value), low=float(low), high=float(high))
            for code, (value, low, high) in enumerate(
                zip(values[name], middle - reach * spread, middle + reach * spread, strict=True)
            )
        ]
    return results


def _fewer(labelled: Labelled, scores: RowScores, rng: np.random.Generator) -> tuple[Labelled, RowScores]:
    """Draw from many rows; of the labelled ones in the proportions of the classes, of each at least two."""
    if len(scores) > _MOST_ROWS:
        scores = scores.take(rng.choice(len(scores), _MOST_ROWS, replace=False))
    if len(labelled.codes) > _MOST_ROWS:
        part = _MOST_ROWS / len(labelled.codes)
        by_class = [np.flatnonzero(labelled.codes == code) for code in range(labelled.n_classes)]
        sizes = [min(len(rows), max(2, math.ceil(part * len(rows)))) for rows in by_class]
        drawn = [rng.choice(rows, n, replace=False) for rows, n in zip(by_class, sizes, strict=True)]
        labelled = labelled.take(np.concatenate(drawn))
    return labelled, scores


def _distance(labelled: Labelled, scores: RowScores, shares: Floats) -> float:
    """Give the largest distance between the new scores' distribution function and the mixture's, over the classes."""
    # Each row of a class stands for its part of that class's share.
    weights = (shares / labelled.totals)[labelled.codes] * labelled.weights
    return max(
        _largest_gap(labelled.probabilities[:, code], weights, scores.probabilities[:, code])
        for code in ([1] if labelled.n_classes == 2 else range(labelled.n_classes))
    )


def _largest_gap(known: Floats, weights: Floats, new: Floats) -> float:
    """Compare a weighted sample with a plain one, at every value.

    Examples
    --------
    >>> _largest_gap(np.array([0.1, 0.9]), np.array([0.5, 0.5]), np.array([0.9, 0.9, 0.9]))
    0.5
    """
    values = np.concatenate([known, new])
    steps = np.concatenate([weights, np.full(len(new), -1 / len(new))])
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    gaps = np.abs(np.cumsum(steps[order]))
    # Only where the next value is another one: equal values are one step.
    return float(gaps[np.append(ordered[1:] != ordered[:-1], True)].max())

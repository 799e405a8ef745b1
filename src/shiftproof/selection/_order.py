"""How sure is the order: of each pair, and of the best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from shiftproof.case import Estimates, Routes
from shiftproof.core import Floats
from shiftproof.selection._mixture import NormalMixture

# Enough that a probability of being the best varies by less than one point.
_DRAWS = 4_000


@dataclass(frozen=True, eq=False)
class Order:
    """The order of l models.

    Attributes
    ----------
    scores : ndarray of shape (l,)
        What they are ordered by, larger or smaller being better as the measure has it.
    beats : ndarray of shape (l, l)
        The probability that the model of the row is better than that of the column; half on the diagonal, NaN where
        the measure of one is not defined.
    best : ndarray of shape (l,)
        The probability that each is the best; they add up to 1. None where the measure is not defined.
    """

    scores: Floats
    beats: Floats
    best: Floats


def order_by(
    found: Estimates,
    routes: Routes,
    *,
    trust: float,
    scale: float,
    higher_is_better: bool,
    learnt: Callable[[NormalMixture], NormalMixture] | None = None,
    seed: int = 0,
) -> Order:
    """Order models by a measure.

    Parameters
    ----------
    found : Estimates
        The measure along every way.
    routes : Routes
        How likely each is.
    trust : float
        How much of the correction by labelled rows to take.
    scale : float
        How much wider than their errors differences really scatter.
    higher_is_better : bool
        Whether the larger value wins.
    learnt : callable, optional
        What labels of new rows make of the estimates.
    seed : int
        Of the draws behind the probabilities of being the best.
    """
    sign = 1.0 if higher_is_better else -1.0
    mixture = NormalMixture(routes.ranking_weights, found.values(trust), scale**2 * found.covariances(trust))
    if learnt is not None:
        mixture = learnt(mixture)
    shares, values, errors = mixture.shares, mixture.centres, mixture.covariances
    count = len(found.names)
    beats = np.full((count, count), np.nan)
    np.fill_diagonal(beats, 0.5)
    # Models whose measure is not defined are ranked last, and beat nobody.
    known = np.flatnonzero(np.isfinite(values).all(axis=0)).tolist()
    for j, i in combinations(known, 2):
        higher, lower = (i, j) if higher_is_better else (j, i)
        beats[i, j] = mixture.chance_above(higher, lower)
        beats[j, i] = 1 - beats[i, j]
    best = np.zeros(count)
    if len(known):
        best[known] = _best(sign * values[:, known], errors[:, known][:, :, known], shares, seed)
    if len(known) == 2:  # then it is the same question
        best[known] = beats[known[0], known[1]], beats[known[1], known[0]]
    return Order(shares @ values, beats, best)


def _best(values: Floats, errors: Floats, shares: Floats, seed: int) -> Floats:
    """Draw what may be true, and count how often each model comes first; those that tie share."""
    rng = np.random.default_rng(seed)
    won = np.zeros(values.shape[1])
    # Every route gets its part of the draws, which varies less than drawing routes as well.
    for centre, covariance, count in zip(values, errors, np.round(shares * _DRAWS).astype(int), strict=True):
        # Models that decide alike make the covariance singular, where a Cholesky factor fails.
        roots, directions = np.linalg.eigh((covariance + covariance.T) / 2)
        spread = directions * np.sqrt(np.maximum(roots, 0.0))
        drawn = centre + rng.normal(size=(count, len(centre))) @ spread.T
        # Models that decide alike differ by rounding only, and share the win.
        first = drawn >= drawn.max(axis=1, keepdims=True) - 1e-9
        won += (first / first.sum(axis=1, keepdims=True)).sum(axis=0)
    return np.asarray(won / won.sum())

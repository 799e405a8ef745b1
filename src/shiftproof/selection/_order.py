"""How sure is the order: of each pair, and of the best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from shiftproof.case import Estimates, NormalMixture
from shiftproof.core import Floats

# The iteration ends when no strength moves by more than this, or after so many rounds.
_SETTLED, _ROUNDS = 1e-9, 1_000
# Less than any probability that is shown.
_TRACE = 1e-12


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
        The probability that each is the best; they add up to 1. Zero where the measure is not defined.
    """

    scores: Floats
    beats: Floats
    best: Floats


def order_by(
    estimates: Estimates,
    weights: Floats,
    *,
    trust: float,
    scale: float,
    higher_is_better: bool,
    joined: bool = False,
    learnt: Callable[[NormalMixture], NormalMixture] | None = None,
) -> Order:
    """Order models by a measure.

    Parameters
    ----------
    estimates : Estimates
        The measure along every route.
    weights : ndarray of shape (3,)
        What each route counts.
    trust : float
        How much of the correction by labelled rows to take.
    scale : float
        How much wider than their errors differences really scatter.
    higher_is_better : bool
        Whether the larger value wins.
    joined : bool
        Whether to compare models over all routes at once instead of route by route. Then the better mean always has the
        better chance, which orders natural pairs better.
    learnt : callable, optional
        What labels of new rows make of the estimates.
    """
    mixture = NormalMixture(weights, estimates.values(trust), scale**2 * estimates.covariances(trust))
    mixture = mixture.joined() if joined else mixture
    if learnt is not None:
        mixture = learnt(mixture)
    shares, values = mixture.shares, mixture.centres
    count = len(estimates.names)
    beats = np.full((count, count), np.nan)
    np.fill_diagonal(beats, 0.5)
    # Models whose measure is not defined are ranked last, and beat nobody.
    known = np.flatnonzero(np.isfinite(values).all(axis=0)).tolist()
    for j, i in combinations(known, 2):
        higher, lower = (i, j) if higher_is_better else (j, i)
        beats[i, j] = mixture.chance_above(higher, lower)
        beats[j, i] = 1 - beats[i, j]
    best = np.zeros(count)
    if known:
        best[known] = strengths(beats[np.ix_(known, known)])
    return Order(shares @ values, beats, best)


def strengths(beats: Floats) -> Floats:
    """Return one strength per model, adding up to 1, such that strengths a and b give the probability a / (a + b).

    These are Bradley and Terry's (1952), fitted to the probabilities of all pairs by Hunter's (2004) iteration. Their
    order is that of the expected number of models beaten, so that ranks, pairs and probabilities agree. Counting in
    draws how often each model comes first favours models whose estimate is merely uncertain: choosing by that lost a
    third more accuracy on the sets of benchmarks/selection.py.

    Examples
    --------
    >>> strengths(np.array([[0.5, 0.8], [0.2, 0.5]])).round(3).tolist()
    [0.8, 0.2]
    """
    pairs = ~np.eye(len(beats), dtype=bool)
    # A model that beats nobody keeps a trace, because two zeros have no ratio.
    wins = np.maximum(np.where(pairs, beats, 0.0).sum(axis=1), _TRACE)
    strength: Floats = wins / wins.sum()
    if len(beats) == 1:
        return strength
    for _ in range(_ROUNDS):
        against = np.where(pairs, 1 / (strength[:, None] + strength), 0.0).sum(axis=1)
        # Floored, or the strengths of models that never win would vanish.
        following = np.maximum(wins / against, _TRACE)
        following /= following.sum()
        if np.abs(following - strength).max() < _SETTLED:
            break
        strength = following
    return strength

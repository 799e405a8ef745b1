"""Three routes from labelled to new data, one per type of shift, and how likely each is the right one.

A route has a posterior for the new rows and weights for the labelled rows. What the posterior says of the new rows is
corrected by its own error on the weighted labelled rows, so the estimate is right if either of the two is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shiftproof.case._blocks import ClassWeights, Mixed, RowWise, Tilted
from shiftproof.case._candidates import Candidates
from shiftproof.case._pool import Pool, pooled
from shiftproof.core import Floats, InputError
from shiftproof.counting import METHODS, Labelled, Samples

#: The types of shift that have a route of their own.
KINDS = ("none", "prior", "covariate")
#: Fewer new rows than this cannot tell what shifted.
FEWEST_NEW = 20
# Shares of 0 or 1 would make the posterior certain. Of many classes most have small shares.
_FEWEST, _FEWEST_OF_EQUAL, _MOST = 0.01, 0.1, 0.99
# Each nudged route takes as long as the route itself; of more classes, all shares are nudged at once, so many times.
_MOST_NUDGES = 24
# More rows do not make the count of classes better, only slower.
_MOST_ROWS = 5_000
# From evidence to probabilities: p-values from which on a type is taken as it is. Chosen on the tuning sets of
# benchmarks/selection.py, as are `_SAME_SHARES` and `_HALF`; docs/selection.md has the table.
_NONE_BELOW, _PRIOR_BELOW = 0.05, 0.1
# So many standard errors of change leave the class proportions the same.
_SAME_SHARES = 1.05
# What "none" is worth at least if it is the answer.
_HALF = 0.5
# No route is ever ruled out; less so if the type of shift is unclear.
_LEAST, _LEAST_UNCLEAR = 0.02, 0.12


@dataclass(frozen=True, eq=False)
class Route:
    """One route: the posterior for labelled and new rows, and the weights of the labelled rows."""

    kind: str
    old: RowWise
    new: RowWise
    weights: RowWise


@dataclass(frozen=True, eq=False)
class Routes:
    """All routes with their probabilities, and how the second one changes with the class proportions.

    Attributes
    ----------
    ways : tuple of Route
        One for each of `KINDS`.
    probabilities : ndarray of shape (3,)
        How likely each is the right one; they add up to 1.
    least : float
        What every route keeps where nothing may be ruled out.
    nudged : tuple of Route
        The second route with each class's share one standard error higher; of more than 24 classes, 24 routes with
        every share one standard error higher or lower, at random.
    shares : ndarray of shape (k,)
        The class proportions of the second route.
    pool : Pool
        The posterior that all start from.
    """

    ways: tuple[Route, ...]
    probabilities: Floats
    least: float
    nudged: tuple[Route, ...]
    shares: Floats
    pool: Pool

    def none_ruled_out(self, weights: Floats) -> Floats:
        """Return weights of the routes of which each is at least `least`; they still add up to 1."""
        return (1 - len(weights) * self.least) * weights + self.least

    @cached_property
    def posterior(self) -> Mixed:
        """The posterior for the new rows, the mean over all routes, of shape (m, k)."""
        # Routes that share a posterior are one part of the mean.
        shares: dict[int, float] = {}
        for route, share in zip(self.ways, self.probabilities.tolist(), strict=True):
            shares[id(route.new)] = shares.get(id(route.new), 0.0) + share
        parts = {id(route.new): route.new for route in self.ways}
        return Mixed([*parts.values()], [*shares.values()])


def find_routes(candidates: Candidates) -> Routes:
    """Find the three routes, and weigh them by the evidence for each type of shift."""
    pool = pooled(candidates)
    shares, errors = new_shares(candidates, pool)
    least = _LEAST if candidates.shift.kind in KINDS else _LEAST_UNCLEAR
    nudged = [by_shares(candidates, pool, moved) for moved in _nudges(shares, errors)]
    base = candidates.base
    return Routes(
        ways=(
            Route("none", pool.old, pool.new, base),
            by_shares(candidates, pool, shares),
            # Half way to the balancing weights: the whole way would rest on fewer rows.
            Route("covariate", pool.old, pool.new, (base + candidates.weights) / 2),
        ),
        probabilities=weigh(candidates, shares),
        least=least,
        nudged=tuple(nudged),
        shares=shares,
        pool=pool,
    )


def new_shares(candidates: Candidates, pool: Pool) -> tuple[Floats, Floats]:
    """Estimate the class proportions in the new rows if nothing else changed, with their standard errors.

    The mean of two different estimates: one comes from the moments behind the type of shift, one from the pool by the
    default quantifier. What they differ in counts as error.
    """
    moments = np.asarray(candidates.shift.evidence.shares)
    # A fixed seed, so that the same tables always give the same routes.
    rng = np.random.default_rng(0)
    rows, new_rows = (_some(size, rng) for size in (candidates.n, candidates.m))
    try:
        # Rows that the first repeat did not test count as fold 0.
        labelled = Labelled(pool.old[rows], candidates.codes[rows], np.maximum(candidates.folds[0, rows], 0))
        labelled = labelled.with_weights(candidates.base[rows])
        sample = Samples.from_lists(pool.comparable, [new_rows])
        counted = METHODS["combined"].learn(labelled).estimate(sample)[0]
    except InputError:  # a class of too few rows to learn from
        counted = moments
    errors = np.sqrt(np.asarray(candidates.shift.evidence.errors) ** 2 + ((moments - counted) / 2) ** 2)
    return _proper((moments + counted) / 2), errors


def _some(size: int, rng: np.random.Generator) -> NDArray[np.intp]:
    return np.arange(size) if size <= _MOST_ROWS else np.sort(rng.choice(size, _MOST_ROWS, replace=False))


def _proper(shares: Floats) -> Floats:
    """Keep every share off 0 and 1; beyond, posteriors would be sure of everything."""
    kept = np.clip(shares, min(_FEWEST, _FEWEST_OF_EQUAL / len(shares)), _MOST)
    return np.asarray(kept / kept.sum())


def _nudges(shares: Floats, errors: Floats) -> list[Floats]:
    """Return the class proportions moved by their errors: one by one, or all at once where classes are many."""
    if len(shares) <= _MOST_NUDGES:
        return [_raised(shares, code, errors[code]) for code in range(len(shares))]
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(_MOST_NUDGES, len(shares)))
    return [_proper(shares + direction * errors) for direction in signs]


def _raised(shares: Floats, code: int, by: float) -> Floats:
    """Raise one class's share at the cost of all others."""
    higher = min(shares[code] + by, _MOST)
    raised = shares * (1 - higher) / (1 - shares[code])
    raised[code] = higher
    return _proper(raised)


def by_shares(candidates: Candidates, pool: Pool, shares: Floats) -> Route:
    """Return the route for prior shift: posterior and weights tilted to other class proportions."""
    known = candidates.prevalence
    # A class without labelled rows has no posterior that could be tilted.
    ratio = np.divide(shares, known, out=np.zeros_like(shares), where=known > 0)
    weights = ClassWeights.of(candidates.base, candidates.codes, ratio)
    return Route("prior", Tilted(pool.old, ratio), Tilted(pool.new, ratio), weights)


def weigh(candidates: Candidates, shares: Floats) -> Floats:
    """Return the probability of each route by the evidence for its type of shift."""
    found, known = candidates.shift.evidence, candidates.prevalence
    if candidates.m < FEWEST_NEW:
        # Too few rows to show a shift: estimates are refused, and rankings carry a warning.
        return np.array([1.0, 0.0, 0.0])
    # The class proportions of both tables are uncertain.
    errors = np.sqrt(found.errors**2 + known * (1 - known) / candidates.n)
    moved = float(np.sqrt(np.mean(((shares - known) / np.maximum(errors, 1e-12)) ** 2)))
    # "None" needs both: no visible change, and class proportions that stayed the same.
    same = min(1.0, found.p_none / _NONE_BELOW) * min(1.0, max(0.0, 2 - moved / _SAME_SHARES))
    if candidates.shift.kind == "none":
        same = max(same, _HALF)
    prior = (1 - same) * min(1.0, found.p_prior / _PRIOR_BELOW)
    return np.array([same, prior, 1 - same - prior])

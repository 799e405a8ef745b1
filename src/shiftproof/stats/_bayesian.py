"""The probability that one method is better than another, or that both are practically equal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from shiftproof.core import Floats, Seed, check_count, check_matrix, check_vector, fault, generator

# About this many weights are in memory at a time.
_MOST_WEIGHTS = 2**20


@dataclass(frozen=True, kw_only=True)
class SignedRankPosterior:
    """How probable it is that paired differences are mostly below, within or above a region about zero.

    Parameters
    ----------
    below, within, above : float
        The three probabilities, which add up to 1.
    rope : float
        Half the width of the region.
    n_samples : int
        The number of draws from the posterior; with 20,000, the probabilities are accurate to one percentage point.
    """

    below: float
    within: float
    above: float
    rope: float
    n_samples: int


def bayesian_signed_rank(
    differences: ArrayLike,
    *,
    rope: float = 0.0,
    prior_strength: float = 0.5,
    n_samples: int = 20_000,
    random_state: Seed = None,
) -> SignedRankPosterior:
    r"""Compute the probabilities of the Bayesian signed-rank test (Benavoli et al. 2014, 2017).

    The distribution of the differences is unknown; its prior is a Dirichlet process of strength s, centred on a
    difference of zero. A draw from the posterior gives weights :math:`w_0, \ldots, w_n` to zero and to the n
    differences, from Dirichlet(s, 1, …, 1), and

    .. math:: \theta_{above} = \sum_{ij} w_i w_j \, [z_i + z_j > 2 r]

    is the share of pairs whose average is above the region [-r, r]; pairs on the border count half. Each returned
    probability is the probability that its share is the largest of the three.

    Parameters
    ----------
    differences : array-like of shape (n,)
        One difference per independent data set.
    rope : float
        The region of practical equivalence, r: smaller differences do not matter. 0 means no region.
    prior_strength : float
        The strength s of the prior: how many differences it counts as.
    n_samples : int
        The number of draws from the posterior, at least 100.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed.

    Returns
    -------
    SignedRankPosterior

    Examples
    --------
    >>> result = bayesian_signed_rank([0.03, 0.02, 0.05, 0.04, -0.002, 0.03, 0.06], rope=0.01, random_state=0)
    >>> round(result.below, 2), round(result.within, 2), round(result.above, 2)
    (0.0, 0.01, 0.99)
    """
    values = check_vector(differences, "differences")
    votes = np.zeros(3)
    region, strength, times = _check_settings(rope, prior_strength, n_samples)
    for weights in _weights(len(values), strength, times, generator(random_state)):
        votes += _votes(values, weights, region)
    below, within, above = (votes / times).tolist()
    return SignedRankPosterior(below=below, within=within, above=above, rope=region, n_samples=times)


def bayesian_signed_rank_matrix(
    table: ArrayLike,
    *,
    rope: float = 0.0,
    prior_strength: float = 0.5,
    n_samples: int = 20_000,
    random_state: Seed = None,
) -> Floats:
    """Compute the probabilities of `bayesian_signed_rank` for every pair of columns, from the same draws.

    Parameters
    ----------
    table : array-like of shape (n_blocks, n_methods)
        One row per independent data set, one column per method.
    rope, prior_strength, n_samples, random_state
        As for `bayesian_signed_rank`.

    Returns
    -------
    ndarray of shape (n_methods, n_methods, 3)
        The probabilities that the differences, the row's method minus the column's, are below, within or above the
        region. On the diagonal, they are always within.

    Examples
    --------
    >>> table = [[0.10, 0.20], [0.20, 0.23], [0.10, 0.105], [0.30, 0.28], [0.20, 0.24], [0.10, 0.13]]
    >>> bayesian_signed_rank_matrix(table, rope=0.01, random_state=0)[0, 1].round(2)
    array([0.93, 0.07, 0.01])
    """
    values = check_matrix(table, "table")
    region, strength, times = _check_settings(rope, prior_strength, n_samples)
    n, k = values.shape
    votes = np.zeros((k, k, 3))
    for weights in _weights(n, strength, times, generator(random_state)):
        for one in range(k):
            for other in range(one + 1, k):
                votes[one, other] += _votes(values[:, one] - values[:, other], weights, region)
    probabilities = votes / times + votes.transpose(1, 0, 2)[:, :, ::-1] / times
    probabilities[np.arange(k), np.arange(k)] = (0.0, 1.0, 0.0)
    return probabilities


def _check_settings(rope: float, prior_strength: float, n_samples: int) -> tuple[float, float, int]:
    region = float(check_vector([rope], "rope")[0])
    if region < 0:
        raise fault("rope", "be at least 0", rope, "give half the width of the region, in units of the loss")
    strength = float(check_vector([prior_strength], "prior_strength")[0])
    if strength <= 0:
        raise fault("prior_strength", "be above 0", prior_strength, "0.5 counts as half a difference")
    return region, strength, check_count(n_samples, "n_samples", least=100, hint="20,000 give two decimals")


def _weights(n: int, strength: float, times: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Yield draws of the weights of zero and of n differences, one row each, some draws at a time."""
    alpha = np.concatenate([[strength], np.ones(n)])
    batch = max(_MOST_WEIGHTS // (n + 1), 1)
    for start in range(0, times, batch):
        yield np.ascontiguousarray(rng.dirichlet(alpha, min(batch, times - start)).T)


def _votes(differences: Floats, weights: Floats, rope: float) -> Floats:
    """Count the draws in which the share below, within and above is the largest; ties are shared."""
    points = np.concatenate([[0.0], differences])
    order = np.argsort(points, kind="stable")
    points, ordered = points[order], weights[order]
    # cumulative weights make a loop over pairs unnecessary
    before = np.zeros((len(ordered) + 1, ordered.shape[1]))
    np.cumsum(ordered, axis=0, out=before[1:])
    below = np.einsum("ij,ij->j", ordered, _half_on_the_border(points, before, -2 * rope - points))
    above = 1.0 - np.einsum("ij,ij->j", ordered, _half_on_the_border(points, before, 2 * rope - points))
    shares = np.stack([below, 1.0 - below - above if rope else np.full_like(below, -1.0), above])
    # shares that differ by rounding only are tied
    largest = shares >= shares.max(axis=0) - 1e-12
    votes: Floats = (largest / largest.sum(axis=0)).sum(axis=1)
    return votes


def _half_on_the_border(points: Floats, before: Floats, borders: Floats) -> Floats:
    """Return the weight of the points below each border, those on it counted half."""
    left = np.searchsorted(points, borders, side="left")
    right = np.searchsorted(points, borders, side="right")
    weight: Floats = before[left]
    on = np.flatnonzero(right > left)
    weight[on] = (weight[on] + before[right[on]]) / 2
    return weight

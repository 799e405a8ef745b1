"""Measure how many new rows lie outside the reference, and how far correlations changed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from shiftproof.core import Floats

# The fifth neighbour, because the first may be a copy or a stray row.
_NEIGHBOUR = 5
_QUANTILE = 0.99
# Correlations of columns that hardly vary depend on a few rows.
_LEAST_SPREAD = 0.1
# Fisher's approximation is poor for fewer rows.
_FEWEST = 10
_NO_CHANCE = 0.001


def outside_share(reference: Floats, current: Floats, unseen: NDArray[np.bool_]) -> float:
    """Return the share of new rows that lie farther from the reference than nearly all of its own rows do.

    Far is beyond the 99% quantile of the reference rows' distances to their fifth neighbour; rows with values that
    the reference never had are outside as well.

    Examples
    --------
    >>> inside = np.linspace(0, 1, 50)[:, None]
    >>> outside_share(inside, np.array([[0.5], [3.0]]), np.array([False, False]))
    0.5
    """
    from sklearn.neighbors import NearestNeighbors

    nearest = min(_NEIGHBOUR, len(reference) - 1)
    if nearest < 1 or not reference.shape[1]:
        return float(unseen.mean())
    neighbours = NearestNeighbors(n_neighbors=nearest).fit(reference)
    own = neighbours.kneighbors()[0][:, -1]
    theirs = neighbours.kneighbors(current)[0][:, -1]
    # Equal distances, as between categories, must not count as farther by rounding.
    far = theirs > np.quantile(own, _QUANTILE) * (1 + 1e-9) + 1e-9
    return float((far | unseen).mean())


def correlation_change(reference: Floats, current: Floats, weights: Floats) -> float:
    """Return the root mean square change of the rank correlations, on Fisher's scale, beyond chance.

    Columns that hardly vary in either table are left out. A change that chance explains is 0.

    Parameters
    ----------
    reference, current : arrays of shapes (n, d) and (n_T, d)
        Ranks, scaled to variance 1, or indicators.
    weights : array of shape (n,)
        What the reference rows count; any sum.
    """
    m = len(current)
    share = weights / weights.sum()
    covariances = [_covariance(reference, share), _covariance(current, np.full(m, 1 / m))]
    varies = np.all([np.diag(covariance) > _LEAST_SPREAD for covariance in covariances], axis=0)
    d = int(varies.sum())
    effective = 1 / float((share**2).sum())
    if min(m, effective) < _FEWEST or d < 2:
        return 0.0
    old, new = (_fisher(covariance[np.ix_(varies, varies)]) for covariance in covariances)
    # Fisher's z has the variance 1 / (n - 3).
    chance = 1 / (m - 3) + 1 / (effective - 3)
    square = float(((new - old) ** 2).mean())
    # The correlations of d columns are not d (d - 1) / 2 independent ones: more like d - 1.
    if square < chance * special.chdtri(d - 1, _NO_CHANCE) / (d - 1):
        return 0.0
    return float(np.sqrt(square - chance))


def _fisher(covariance: Floats) -> Floats:
    spread = np.sqrt(np.diag(covariance))
    correlation = np.clip(covariance / np.outer(spread, spread), -0.999, 0.999)
    return np.asarray(np.arctanh(correlation[np.triu_indices(len(spread), 1)]))


def _covariance(rows: Floats, weights: Floats) -> Floats:
    centred = rows - weights @ rows
    return np.asarray((centred * weights[:, None]).T @ centred)

"""Class proportions of new rows by the models' probabilities, whatever the type of shift."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shiftproof.case._along_routes import KNOWN_FROM, SURPRISE, RowNoise
from shiftproof.case._blocks import RowWise, weights_at
from shiftproof.case._candidates import Candidates
from shiftproof.case._routes import KINDS, Routes
from shiftproof.core import Floats, blocks


def pooled_shares(candidates: Candidates, routes: Routes, rows: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Estimate the class proportions of some of the new rows, with the variances of the errors.

    The mean of the posterior, corrected by its error on labelled rows that are weighted half way to the new ones.

    Parameters
    ----------
    candidates : Candidates
        The labelled rows.
    routes : Routes
        Those of the candidates.
    rows : ndarray of shape (r,)
        Which of the new rows to count.

    Returns
    -------
    shares, variances : ndarrays of shape (k,)
        The shares add up to 1, but may leave 0 to 1 by a little.
    """
    route, k = routes.ways[KINDS.index("covariate")], candidates.k
    shares, of_labels, of_rows = np.zeros(k), np.zeros(k), RowNoise(k, candidates.groups)
    for block in blocks(len(rows)):
        posterior = route.new[rows[block]]
        shares += posterior.sum(axis=0) / len(rows)
        of_labels += (posterior * (1 - posterior)).sum(axis=0) / len(rows)
    for block in blocks(candidates.n):
        added = weights_at(route.weights, block)[:, None] * (candidates.labels[block] - route.old[block])
        shares += added.sum(axis=0)
        of_rows.add(added.T, block)
    # As for measures: a surprise is always possible, and a posterior is never exactly right.
    of_labels = np.maximum(of_labels, SURPRISE / len(rows))
    return shares, of_labels * (1 / len(rows) + 1 / KNOWN_FROM) + np.diag(of_rows.covariances)


def mean_shares(posterior: RowWise, rows: NDArray[np.intp]) -> Floats:
    """Return the mean of the probabilities of some rows."""
    return np.asarray(sum(posterior[rows[block]].sum(axis=0) for block in blocks(len(rows))) / len(rows))

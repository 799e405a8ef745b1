"""Class proportions of new rows by the pool's posterior, whatever the type of shift."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shiftproof.case._along_routes import KNOWN_FROM, SURPRISE, sum_by_group
from shiftproof.case._candidates import Candidates
from shiftproof.case._routes import KINDS, Routes
from shiftproof.core import Floats


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
    route = routes.ways[KINDS.index("covariate")]
    posterior, residuals = route.new[rows], candidates.labels - route.old
    shares = posterior.mean(axis=0) + route.weights @ residuals
    # As for measures: a surprise is always possible, and a posterior is never exactly right.
    of_labels = np.maximum((posterior * (1 - posterior)).mean(axis=0), SURPRISE / len(rows))
    of_rows = sum_by_group((route.weights[:, None] * residuals).T, candidates.groups)
    return shares, of_labels * (1 / len(rows) + 1 / KNOWN_FROM) + (of_rows**2).sum(axis=1)

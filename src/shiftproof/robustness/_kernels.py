"""The inner loops of many resamples: weighted AUC and weighted counts, all resamples of a row side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Floats, kernel


@kernel()
def weighted_auc(scores: Floats, positive: NDArray[np.bool_], order: NDArray[np.intp], weights: Floats) -> Any:
    """Return the AUC under each column of weights, ties counting half; NaN where a class has no weight.

    Parameters
    ----------
    scores, positive : ndarray of shape (m,)
        The scores, and which rows are positive.
    order : ndarray of shape (m,)
        The rows by rising score.
    weights : ndarray of shape (m, b)
        How often each row counts.
    """
    m, b = weights.shape
    above, below, area = np.zeros(b), np.zeros(b), np.zeros(b)
    tied_positive, tied_negative = np.zeros(b), np.zeros(b)
    start = 0
    while start < m:
        stop = start + 1
        while stop < m and scores[order[stop]] == scores[order[start]]:
            stop += 1
        # Untied scores are the rule; this branch needs no buffers.
        if stop == start + 1:
            row = order[start]
            if positive[row]:
                for k in range(b):
                    area[k] += weights[row, k] * below[k]
                    above[k] += weights[row, k]
            else:
                for k in range(b):
                    below[k] += weights[row, k]
        else:
            # All tied rows must be counted before the first is ranked.
            tied_positive[:] = 0.0
            tied_negative[:] = 0.0
            for tied in range(start, stop):
                row = order[tied]
                if positive[row]:
                    for k in range(b):
                        tied_positive[k] += weights[row, k]
                else:
                    for k in range(b):
                        tied_negative[k] += weights[row, k]
            for k in range(b):
                area[k] += tied_positive[k] * (below[k] + tied_negative[k] / 2)
                above[k] += tied_positive[k]
                below[k] += tied_negative[k]
        start = stop
    for k in range(b):
        # A resample may lack a class.
        area[k] = area[k] / (above[k] * below[k]) if above[k] > 0 and below[k] > 0 else np.nan
    return area


@kernel()
def weighted_counts(places: NDArray[np.intp], weights: Floats, n_bins: int) -> Any:
    """Return the weight in each bin under each column of weights, shape (n_bins, b)."""
    counts = np.zeros((n_bins, weights.shape[1]))
    for row in range(len(places)):
        for k in range(weights.shape[1]):
            counts[places[row], k] += weights[row, k]
    return counts

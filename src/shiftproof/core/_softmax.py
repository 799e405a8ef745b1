"""The softmax of many rows with few columns; SciPy's sums over the short axis, which takes most of its time."""

from __future__ import annotations

from functools import reduce

import numpy as np

from shiftproof.core._arrays import Codes, Floats
from shiftproof.core._blocks import blocks


def softmax_rows(values: Floats) -> Floats:
    """Return ``exp(values)`` with each row divided by its sum, shape (n, k).

    Examples
    --------
    >>> softmax_rows(np.log([[1.0, 3.0], [2.0, 2.0]]))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    powers = np.exp(_below_top(values))
    powers /= _row_sums(powers)[:, None]
    return powers


def log_softmax_at(values: Floats, codes: Codes) -> Floats:
    """Return the logarithm of the softmax in one column of each row, shape (n,).

    Examples
    --------
    >>> np.exp(log_softmax_at(np.log([[1.0, 3.0], [2.0, 2.0]]), np.array([1, 0])))
    array([0.75, 0.5 ])
    """
    shifted = _below_top(values)
    return np.asarray(shifted[np.arange(len(codes)), codes] - np.log(_row_sums(np.exp(shifted))))


def _below_top(values: Floats) -> Floats:
    # The largest entry becomes 0, so that no power overflows.
    return np.asarray(values - reduce(np.maximum, values.T)[:, None])


def _row_sums(values: Floats) -> Floats:
    return np.asarray(reduce(np.add, values.T))


def softmax_of_logs(probabilities: Floats, least: float, slope: float, biases: Floats | float = 0.0) -> Floats:
    """Return ``softmax(slope * log(max(p, least)) + biases)`` of each row, shape (n, k), block by block.

    Examples
    --------
    >>> softmax_of_logs(np.array([[0.2, 0.8], [0.5, 0.5]]), 1e-6, 2.0).round(3)
    array([[0.059, 0.941],
           [0.5  , 0.5  ]])
    """
    found = np.empty(probabilities.shape)
    for rows in blocks(len(probabilities)):
        found[rows] = softmax_rows(slope * np.log(np.maximum(np.asfortranarray(probabilities[rows]), least)) + biases)
    return found

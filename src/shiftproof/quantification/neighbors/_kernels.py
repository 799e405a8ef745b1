"""The inner loops of nearest neighbours: exact order, ties by row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Floats, kernel

Places = NDArray[np.intp]
Mask = NDArray[np.bool_]

# Squared distances keep 33 of their 53 bits: those that differ by rounding alone are equal, and rows decide.
_SPLIT = 2.0**20 + 1.0
# Beyond this a difference of distances is more than rounding.
SLACK = 1e-9


@kernel()
def _rounded(value: float) -> Any:
    wide = value * _SPLIT
    return wide - (wide - value)


@kernel()
def ranked(points: Floats, queries: Floats, candidates: Places) -> Any:
    """Order the candidates of each query by distance, equal ones by row.

    Parameters
    ----------
    points : array of shape (n, d)
        The labelled rows.
    queries : array of shape (m, d)
        The rows whose neighbours are wanted.
    candidates : array of shape (m, c)
        Row numbers, best in about the right order.

    Returns
    -------
    tuple of arrays of shape (m, c)
        The candidates in order, and their squared distances.
    """
    m, c = candidates.shape
    order, keys = np.empty((m, c), np.intp), np.empty((m, c))
    for q in range(m):
        for i in range(c):
            row = candidates[q, i]
            total = 0.0
            for j in range(points.shape[1]):
                gap = points[row, j] - queries[q, j]
                total += gap * gap
            key = _rounded(total)
            place = i
            while place > 0 and (keys[q, place - 1] > key or (keys[q, place - 1] == key and order[q, place - 1] > row)):
                keys[q, place], order[q, place] = keys[q, place - 1], order[q, place - 1]
                place -= 1
            keys[q, place], order[q, place] = key, row
    return order, keys


@kernel()
def first_allowed(order: Places, keys: Floats, own: Places, allowed: Mask, k: int) -> Any:
    """Take the first k candidates that are allowed and not the query itself.

    Parameters
    ----------
    order, keys : arrays of shape (m, c)
        As from `ranked`.
    own : array of shape (m,)
        Which of the points the query is; -1 for none.
    allowed : array of shape (n,)
        Which points may be neighbours.
    k : int
        How many to take.

    Returns
    -------
    tuple of arrays of shape (m, k) and (m,)
        The neighbours, and the squared distance of the last; infinity where there are fewer than k.
    """
    m, c = order.shape
    nearest, last = np.zeros((m, k), np.intp), np.full(m, np.inf)
    for q in range(m):
        filled = 0
        for i in range(c):
            row = order[q, i]
            if row != own[q] and allowed[row]:
                nearest[q, filled] = row
                filled += 1
                if filled == k:
                    last[q] = keys[q, i]
                    break
    return nearest, last


@kernel()
def scanned(points: Floats, queries: Floats, own: Places, allowed: Mask, k: int) -> Any:
    """Give the k nearest allowed points of each query by looking at every one, shape (m, k)."""
    n, d = points.shape
    nearest, keys = np.zeros((len(queries), k), np.intp), np.empty(k)
    for q in range(len(queries)):
        filled = 0
        for row in range(n):
            if row == own[q] or not allowed[row]:
                continue
            worst = keys[k - 1] if filled == k else np.inf
            # Rows come in order, so that none of those to come is before k that lie at no distance.
            if worst == 0.0:
                break
            beyond = worst * (1.0 + SLACK)
            total = 0.0
            for j in range(d):
                gap = points[row, j] - queries[q, j]
                total += gap * gap
                if total > beyond:
                    break
            key = _rounded(total)
            if key >= worst:
                continue
            place = min(filled, k - 1)
            while place > 0 and keys[place - 1] > key:
                keys[place], nearest[q, place] = keys[place - 1], nearest[q, place - 1]
                place -= 1
            keys[place], nearest[q, place] = key, row
            filled = min(filled + 1, k)
    return nearest

"""Which labelled rows are nearest: one query serves every k, weighting and fold, and ties go by row."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from shiftproof.core import Floats, Phrase, check_flag, check_jobs, fault, is_texts
from shiftproof.counting._samples import Places
from shiftproof.panel import Features, TablePreparer, as_features, match_columns
from shiftproof.quantification.neighbors._kernels import SLACK, Mask, first_allowed, ranked, scanned

# Trees are faster than looking at all rows up to about so many columns.
_MOST_OF_A_TREE = 15
# So many candidates more than are needed: rows at the same distance as the last are among them, or all are looked at.
_MORE = 4
# Squares of what is larger overflow when they are added up.
_LARGEST = 1e100


class Points:
    """A table as points in space.

    Parameters
    ----------
    X : table or 2-D array
        The rows to learn from.
    scale : bool
        Whether to prepare it as the default models do: columns at mean 0 and standard deviation 1, categories as one
        column each, gaps filled. Otherwise numbers are taken as they are.

    Examples
    --------
    >>> Points(np.array([[1.0, 10.0], [3.0, 50.0]]), scale=True).rows.round(6).tolist()
    [[-1.0, -1.0], [1.0, 1.0]]
    >>> Points(np.array([[1.0, 10.0], [3.0, 50.0]]), scale=False).rows.tolist()
    [[1.0, 10.0], [3.0, 50.0]]
    """

    def __init__(self, X: object, *, scale: bool) -> None:
        features = _features(X)
        self.names, self.named = features.names, features.named
        self.preparer = TablePreparer().fit(features.data) if check_flag(scale, "scale") else None
        self.rows = self._of(features.data)

    def __call__(self, X: object) -> Floats:
        """Give new rows as points."""
        return self._of(match_columns(self.names, self.named, _features(X), "X"))

    def _of(self, data: Any) -> Floats:
        if self.preparer is not None:
            return np.ascontiguousarray(self.preparer.transform(data), dtype=np.float64)
        try:
            points = np.array(data, dtype=np.float64, order="C").reshape(len(data), -1)
        except (TypeError, ValueError):
            # Without scale, distances need numbers as they are: nothing is encoded.
            raise fault("X", "hold only numbers with scale=False", hint="leave it out for other tables") from None
        if not np.isfinite(points).all():
            raise fault("X", "have neither NaN nor inf with scale=False", _broken(points), "fill it in first")
        if np.abs(points).max(initial=0) > _LARGEST:
            hint = "use a larger unit, or leave out scale=False"
            raise fault("X", f"be at most {_LARGEST:g} in size", float(np.abs(points).max()), hint)
        return points


class _Candidates(NamedTuple):
    """Rows that may be nearest, in order, with squared distances; none that is nearer than `safe` is missing."""

    order: Places
    keys: Floats
    safe: Floats


class Search:
    """Find the nearest of labelled rows, by Euclidean distance; rows at the same distance by their number.

    Parameters
    ----------
    points : array of shape (n, d)
        The labelled rows.
    n_jobs : int, optional
        Threads; they do not change what is found.

    Examples
    --------
    >>> search = Search(np.array([[0.0], [1.0], [1.0], [3.0]]))
    >>> search.of(np.array([[0.9], [2.0]]), 3)
    array([[1, 2, 0],
           [1, 2, 3]])
    >>> search.among(np.array([1]), np.array([True, True, True, True]), 2)
    array([[2, 0]])
    """

    def __init__(self, points: Floats, n_jobs: int | None = None) -> None:
        from sklearn.neighbors import NearestNeighbors

        self.points = points
        tree = points.shape[1] <= _MOST_OF_A_TREE
        self._index = NearestNeighbors(algorithm="kd_tree" if tree else "brute", n_jobs=check_jobs(n_jobs)).fit(points)
        # Distances of all rows at once are found by a difference of large numbers.
        self._error = 0.0 if tree else 4 * np.finfo(np.float64).eps * (points.shape[1] + 8)
        self._largest = float(np.einsum("ij,ij->i", points, points).max())
        self._others: _Candidates | None = None

    def widen(self, count: int) -> _Candidates:
        """Find so many candidates of each labelled row, if there are fewer yet."""
        count = min(count, len(self.points))
        if self._others is None or self._others.order.shape[1] < count:
            self._others = self._candidates(self.points, count)
        return self._others

    def forget(self) -> None:
        """Let go of the labelled rows' candidates: only new rows will be looked for."""
        self._others = None

    def among(self, rows: Places, allowed: Mask, k: int) -> Places:
        """Give the k nearest of the allowed rows to some of the labelled rows, never a row itself, shape (m, k)."""
        order, keys, safe = self.widen(reach(k, float(allowed.mean())))
        candidates = _Candidates(order[rows], keys[rows], safe[rows])
        return self._nearest(self.points[rows], candidates, rows, allowed, k)

    def of(self, queries: Floats, k: int) -> Places:
        """Give the k nearest labelled rows to new ones, shape (m, k)."""
        own, allowed = np.full(len(queries), -1), np.ones(len(self.points), dtype=np.bool_)
        candidates = self._candidates(queries, min(k + _MORE, len(self.points)))
        return self._nearest(queries, candidates, own, allowed, k)

    def distances(self, queries: Floats, nearest: Places) -> Floats:
        """Return the distances of some labelled rows from each query, shape (m, k)."""
        squares = [np.square(self.points[rows] - queries).sum(axis=1) for rows in nearest.T]
        return np.asarray(np.sqrt(np.column_stack(squares)))

    def _candidates(self, queries: Floats, count: int) -> _Candidates:
        distances, nearest = self._index.kneighbors(queries, count)
        if count == len(self.points):
            safe = np.full(len(queries), np.inf)
        else:
            error = self._error * (np.einsum("ij,ij->i", queries, queries) + self._largest)
            safe = (distances[:, -1] ** 2 - error) * (1 - SLACK)
        # Distances anew, one way for tree and brute force: ties must not depend on the search.
        order, keys = ranked(self.points, queries, nearest)
        return _Candidates(order, keys, safe)

    def _nearest(self, queries: Floats, candidates: _Candidates, own: Places, allowed: Mask, k: int) -> Places:
        """Take what is wanted from the candidates, and look at every row where they may not have all of it."""
        nearest, last = first_allowed(candidates.order, candidates.keys, own, allowed, k)
        # A row that was not a candidate might be as near as the last one taken.
        short = np.flatnonzero(last >= candidates.safe)
        if len(short):
            nearest[short] = scanned(self.points, queries[short], own[short], allowed, k)
        return np.asarray(nearest)


def reach(k: int, share: float) -> int:
    """Give how many candidates have, for nearly all rows, k among a share of the rows."""
    spare = 3 * math.sqrt(k) if share < 1 else 0
    return math.ceil(k / max(share, 0.1) + spare) + 1 + _MORE


def _features(X: object) -> Features:
    """Read a table; arrays of numbers have no gaps, for which there is a type of cell in tables."""
    if isinstance(X, list) and not is_texts(X):
        array = np.asarray(X)
        X = array if array.dtype.kind in "biuf" else X
    features = as_features(X)
    data = features.data
    if sparse.issparse(data):
        raise fault("X", "be a table or a dense array", Phrase("a sparse matrix"), "call toarray() on it")
    if isinstance(data, np.ndarray) and data.dtype.kind == "f" and not np.isfinite(data).all():
        hint = "fill in the values first, or pass a table, which is filled in automatically"
        raise fault("X", "have neither NaN nor inf in an array", _broken(data), hint)
    return features


def _broken(array: Floats) -> float:
    return float(array[~np.isfinite(array)][0])

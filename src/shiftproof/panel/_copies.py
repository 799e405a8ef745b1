"""Find rows whose exact copy a model was trained on: their scores are too good."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from shiftproof.panel._folds import Sample, Split

# Fewer copies move an accuracy by less than half a point, and real tables have a few.
_LEAST_SHARE = 0.02
# In 57 real tables the smallest factor is at most 11 where rows are equal by chance, and in the hundreds or thousands
# where a table of numbers was doubled.
_LEAST_FACTOR = 25.0
_CUTS = 10
# So many distinct rows do not all occur an even number of times, or a multiple of another number, by chance.
_LEAST_DISTINCT = 25
# In a table of one column: values with more digits or letters are measured or written, not chosen from a list.
_DECIMALS = 3
_LETTERS = 30


def copied_rows(sample: Sample, splits: list[Split]) -> NDArray[np.bool_]:
    """Return which rows are tested by a model that was trained on an exact copy, label included.

    Independent rows of few distinct values are equal by chance, too: three binary features have only eight
    combinations. That is no leak, because new rows will repeat old ones in the same way. Chance and copies differ in
    how the columns go together. Cut the columns into two halves: two rows that are equal in one half are somewhat more
    likely than others to be equal in the other half, too; copies always are. Equal rows count as copies if this factor
    is above 25 for each of ten cuts. In a table of one column, values count that have more than three decimals or 30
    letters. If all of 25 or more distinct rows of a class occur twice, or k times, that class was copied, as it is to
    balance the classes. Below 2% of the rows, copies hardly matter and none is counted.

    Parameters
    ----------
    sample : Sample
        The labelled rows.
    splits : list of Split
        The fits, with their training and test rows.

    Returns
    -------
    ndarray of shape (n,)
        True for copies; all False if equal rows are few, or are equal by chance.

    Examples
    --------
    >>> from shiftproof.panel._inputs import as_features
    >>> X, y = as_features({"a": [0.1234, 0.5678, 0.1234, 0.9012]}), np.array([0, 1, 0, 1])
    >>> halves = [Split(0, 0, np.array([0, 1]), np.array([2, 3])), Split(0, 1, np.array([2, 3]), np.array([0, 1]))]
    >>> copied_rows(Sample(features=X, labels=y, classes=np.array([0, 1]), codes=y), halves).tolist()
    [True, False, True, False]
    """
    data = sample.features.data
    codes = pd.factorize(_row_keys(data, np.ones((_width(data), 1), dtype=np.bool_))[:, 0])[0]
    leaked = np.zeros(len(codes), dtype=np.bool_)
    repeated = np.bincount(codes)[codes] > 1
    if repeated.mean() < _LEAST_SHARE:
        return leaked
    with_label = codes * len(sample.classes) + sample.codes
    for split in splits:
        tested = split.test[repeated[split.test]]
        leaked[tested] |= np.isin(with_label[tested], with_label[split.train])
    if leaked.mean() < _LEAST_SHARE:
        return np.zeros_like(leaked)
    copied = _copied_classes(with_label, sample.codes)
    if _width(data) == 1:
        copied |= _is_long(next(_columns(data)))
    elif not copied.all() and _smallest_factor(data, codes) > _LEAST_FACTOR:
        copied[:] = True
    return leaked & copied


def _copied_classes(keys: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.bool_]:
    """Return the rows of classes in which every distinct row occurs k times, for some k above 1."""
    # A minority is often copied on its own, to balance the classes.
    copied = [code for code in np.unique(classes) if _all_repeated(keys[classes == code])]
    # The rows of all classes together are more, where each class has too few distinct ones to judge.
    return np.isin(classes, copied) | _all_repeated(keys)


def _all_repeated(keys: NDArray[Any]) -> bool:
    """Return whether the numbers of times that distinct rows occur have a common divisor."""
    counts = np.unique(keys, return_counts=True)[1]
    return len(counts) >= _LEAST_DISTINCT and int(np.gcd.reduce(counts)) > 1


def _smallest_factor(data: Any, codes: NDArray[np.intp]) -> float:
    """Return how much more likely equality in one half of the columns makes equality in the other, at the least."""
    # A fixed seed: the same table gets the same answer.
    rng, width, n = np.random.default_rng(0), _width(data), len(codes)
    # Columns are dealt to the halves two by two, those of most values first: neither half gets all the detailed ones.
    alike = rng.random(width) if _is_sparse(data) else [_equal_pairs(_hashes(column)) for column in _columns(data)]
    order = np.argsort(alike, kind="stable")
    first = rng.random((-(-width // 2), _CUTS)) < 0.5
    chosen = np.empty((width, _CUTS), dtype=np.bool_)
    chosen[order[::2]], chosen[order[1::2]] = first, ~first[: width // 2]
    one, other = _row_keys(data, chosen), _row_keys(data, ~chosen)
    equal, pairs = _equal_pairs(codes), n * (n - 1) / 2
    # Rows that are equal in all columns are equal in both halves, so nothing is divided by zero.
    return min(equal * pairs / (_equal_pairs(one[:, cut]) * _equal_pairs(other[:, cut])) for cut in range(_CUTS))


def _equal_pairs(keys: NDArray[Any]) -> float:
    """Count pairs of equal keys."""
    counts = np.bincount(pd.factorize(keys)[0]).astype(np.float64)
    return float(counts @ (counts - 1) / 2)


def _row_keys(data: Any, chosen: NDArray[np.bool_]) -> NDArray[Any]:
    """Return a number for each row and choice of columns, the same for rows that are equal in these columns."""
    rng = np.random.default_rng(0)
    if _is_sparse(data):
        return np.asarray(data @ (rng.random((chosen.shape[0], 1)) * chosen))
    keys = np.zeros((data.shape[0], chosen.shape[1]), dtype=np.uint64)
    for column, choices in zip(_columns(data), chosen, strict=True):
        # A factor of its own for each column: the same value in another column is another value.
        keys[:, choices] += (_hashes(column) * rng.integers(1, 2**63, dtype=np.uint64))[:, None]
    return keys


def _is_sparse(data: Any) -> bool:
    return sparse.issparse(data)


def _width(data: Any) -> int:
    return 1 if data.ndim == 1 else int(data.shape[1])


def _columns(data: Any) -> Iterator[pd.Series[Any]]:
    if isinstance(data, pd.DataFrame):
        yield from (data.iloc[:, place] for place in range(data.shape[1]))
    else:
        array = data.toarray() if _is_sparse(data) else data
        yield from (pd.Series(column) for column in np.atleast_2d(array.T))


def _hashes(column: pd.Series[Any]) -> NDArray[np.uint64]:
    try:
        hashes = pd.util.hash_pandas_object(column, index=False).to_numpy()
    except TypeError:  # cells that cannot be hashed, or of several types
        hashes = pd.util.hash_array(np.array([repr(cell) for cell in column.tolist()], dtype=object))
    return hashes.astype(np.uint64, copy=False)


def _is_long(column: pd.Series[Any]) -> NDArray[np.bool_]:
    """Return which cells are numbers with many decimals, or texts too long to be a category."""
    if column.dtype.kind != "f":
        return np.array([isinstance(cell, str) and len(cell) > _LETTERS for cell in column.tolist()], dtype=np.bool_)
    values = column.to_numpy(dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray(np.isfinite(values) & (values != np.round(values, _DECIMALS)))

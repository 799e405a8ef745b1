"""Find rows whose exact copy a model was trained on: their scores are too good."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from shiftproof.core import FEW_COPIES, Column, Table, as_table, cell_keys, row_keys
from shiftproof.panel._folds import Sample, Split

# In 57 real tables the smallest factor is at most 11 where rows are equal by chance, and in the hundreds or thousands
# where a table of numbers was doubled.
_LEAST_FACTOR = 25.0
_CUTS = 10
# 25 distinct rows do not all occur an even number of times, or a multiple of another number, by chance.
_LEAST_DISTINCT = 25
# In a smaller class a few chance repeats are already a large share of the rows.
_LEAST_ROWS = 25
# A class was copied if, among equally many rows of each, so much more of its rows than of the others have an equal,
# unless the repeats are more uneven than random draws. In 598 classes of real tables, and of parts of their columns, it
# is at most 0.17. If the rarest class is copied, twice or five times, all or at random, 97% of the tables are found.
_MORE_REPEATED, _MOST_UNEVEN = 0.3, 2.5
# In a table of one column: values with more digits or letters are measured or written, not chosen from a list.
_DECIMALS = 3
_LETTERS = 30


def copied_rows(sample: Sample, splits: list[Split]) -> NDArray[np.bool_]:
    """Return which rows are tested by a model that was trained on an exact copy, label included.

    Independent rows of few distinct values are equal by chance, too: three binary features have only eight
    combinations. That is not a leak, because new rows will repeat old ones in the same way. Chance and copies differ in
    how the columns go together. Cut the columns into two halves: two rows that are equal in one half are somewhat more
    likely than others to be equal in the other half, too; copies always are. Equal rows count as copies if this factor
    is above 25 for each of ten cuts. In a table of one column, values count that have more than three decimals or 30
    letters. A class is often copied on its own, to balance the classes: if all of its 25 or more distinct rows occur
    twice, or k times; or if the share of its rows that have an equal is 30 points above that of equally many rows of
    the other classes, and the repeats are spread over its rows as random draws are, in a class of 25 rows or more.
    Below 2% of the rows, copies hardly matter and none is counted.

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
    table = _comparable(sample.features.data)
    codes = pd.factorize(_keys_of(table))[0]
    leaked = np.zeros(len(codes), dtype=np.bool_)
    repeated = np.bincount(codes)[codes] > 1
    if repeated.mean() < FEW_COPIES:
        return leaked
    with_label = codes * len(sample.classes) + sample.codes
    for split in splits:
        tested = split.test[repeated[split.test]]
        leaked[tested] |= np.isin(with_label[tested], with_label[split.train])
    if leaked.mean() < FEW_COPIES:
        return np.zeros_like(leaked)
    copied = _copied_classes(with_label, sample.codes)
    if _width(table) == 1:
        copied |= _is_long(table.column(table.names[0]))
    elif not copied.all() and _smallest_factor(table, codes) > _LEAST_FACTOR:
        copied[:] = True
    leaked &= copied
    return leaked if leaked.mean() >= FEW_COPIES else np.zeros_like(leaked)


def _copied_classes(keys: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.bool_]:
    """Return the rows of classes that were copied on their own, or all rows if all were."""
    own = [(keys[classes == code], keys[classes != code]) for code in np.unique(classes)]
    copied = [_all_repeated(of_class) or _repeats_alone(of_class, others) for of_class, others in own]
    # The rows of all classes together are more, where each class has too few distinct ones to judge.
    return np.isin(classes, np.unique(classes)[copied]) | _all_repeated(keys)


def _all_repeated(keys: NDArray[Any]) -> bool:
    """Return whether the numbers of times that distinct rows occur have a common divisor."""
    counts = np.unique(keys, return_counts=True)[1]
    return len(counts) >= _LEAST_DISTINCT and int(np.gcd.reduce(counts)) > 1


def _repeats_alone(keys: NDArray[Any], others: NDArray[Any]) -> bool:
    """Return whether rows of one class repeat each other as copies do, and those of the others do not."""
    if len(keys) < _LEAST_ROWS:
        return False
    own, of_others = (np.unique(side, return_counts=True)[1].astype(np.float64) for side in (keys, others))
    # A row that is drawn again and again has a Poisson number of copies, whose variance is its mean. Rows that are
    # equal by nature are a few combinations that occur very often, and many that occur once.
    if (own - 1).var() > _MOST_UNEVEN * (own - 1).mean():
        return False
    size = min(len(keys), len(others))
    return _share_repeated(own, size) - _share_repeated(of_others, size) > _MORE_REPEATED


def _share_repeated(counts: NDArray[np.float64], size: int) -> float:
    """Return the share of rows that have an equal among so many; `counts` say how often each distinct row occurs."""
    n = counts.sum()
    without = (1 - (counts - 1) / max(n - 1, 1)) ** (size - 1)
    return float(counts @ (1 - without) / n)


def _smallest_factor(table: Any, codes: NDArray[np.intp]) -> float:
    """Return how much more likely equality in one half of the columns makes equality in the other, at the least."""
    # A fixed seed: the same table gets the same answer.
    rng, width = np.random.default_rng(0), _width(table)
    # Columns are dealt to the halves two by two, those of most values first: neither half gets all the detailed ones.
    sparse_table = not isinstance(table, Table)
    alike = rng.random(width) if sparse_table else [_equal_pairs(cell_keys(table.column(n))) for n in table.names]
    order = np.argsort(alike, kind="stable")
    first = rng.random((-(-width // 2), _CUTS)) < 0.5
    chosen = np.empty((width, _CUTS), dtype=np.bool_)
    chosen[order[::2]], chosen[order[1::2]] = first, ~first[: width // 2]
    one, other = _keys_of(table, chosen), _keys_of(table, ~chosen)
    equal, pairs = _equal_pairs(codes), _pairs(len(codes))
    # Rows that are equal in all columns are equal in both halves, so nothing is divided by zero.
    return min(equal * pairs / (_equal_pairs(one[:, cut]) * _equal_pairs(other[:, cut])) for cut in range(_CUTS))


def _pairs(n: int) -> float:
    return n * (n - 1) / 2


def _equal_pairs(keys: NDArray[Any]) -> float:
    """Count pairs of equal keys."""
    counts = np.bincount(pd.factorize(keys)[0]).astype(np.float64)
    return float(counts @ (counts - 1) / 2)


def _comparable(data: Any) -> Any:
    """Return a table with columns to hash; a sparse matrix stays one, because its columns are too many."""
    if not sparse.issparse(data):
        return as_table(data)
    matrix: Any = data
    return matrix if matrix.shape[1] > 1 else as_table(matrix.toarray())


def _width(table: Any) -> int:
    return len(table.names) if isinstance(table, Table) else int(table.shape[1])


def _keys_of(table: Any, chosen: NDArray[np.bool_] | None = None) -> NDArray[Any]:
    """Return a number for each row, or each row and choice of columns; see `row_keys`."""
    if isinstance(table, Table):
        return row_keys(table, chosen=chosen)
    factors = np.random.default_rng(0).random((table.shape[1], 1))
    return np.asarray(table @ (factors * chosen)) if chosen is not None else np.asarray(table @ factors)[:, 0]


def _is_long(column: Column) -> NDArray[np.bool_]:
    """Return which cells are numbers with many decimals, or texts too long to be a category."""
    if column.family != "number":
        return np.array([isinstance(cell, str) and len(cell) > _LETTERS for cell in column.cells()], dtype=np.bool_)
    values = column.floats()
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray(np.isfinite(values) & (values != np.round(values, _DECIMALS)))

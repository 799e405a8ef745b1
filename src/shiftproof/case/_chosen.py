"""Whether the new rows that have labels can be a random sample of the new rows.

Labels correct an estimate only if their rows were drawn at random, or as a plan draws them: at random within strata.
Rows chosen in another way, such as the first ones or those of one region, mostly differ in a column.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from shiftproof.case._labels import Known
from shiftproof.core import Codes, Column, Floats, Note, Table, cell_keys, listed

# Fewer rows with or without a label are not compared, nor values that fewer of the labels would have.
_FEWEST, _FEWEST_OF_VALUE = 20, 5
# The level over all columns. Sums are not quite normal so far out: of 2,000 random samples, half of them stratified, of
# eight real tables one is called chosen.
_HARDLY = 1e-4
# So many values of a column are compared, and so many columns named.
_MOST_VALUES, _NAMED = 30, 3


def chosen_rows_notes(table: Table, names: Collection[str], strata: Codes, known: Known) -> tuple[Note, ...]:
    """Note in which columns the rows with labels differ from the other new rows, if they do.

    Parameters
    ----------
    table : Table
        The new rows.
    names : collection of str
        The columns to compare.
    strata : ndarray of shape (m,)
        The strata within which rows are drawn at random.
    known : Known
        The rows that have labels.

    Examples
    --------
    >>> from shiftproof.core import as_table
    >>> table = as_table({"age": np.arange(400) % 60, "region": ["n", "s"] * 200})
    >>> strata = np.zeros(400, dtype=np.int64)
    >>> random = np.random.default_rng(0).choice(400, 60, replace=False)
    >>> chosen_rows_notes(table, table.names, strata, Known(random, np.zeros(60, dtype=np.int64)))
    ()
    >>> south = np.arange(1, 120, 2)
    >>> chosen_rows_notes(table, table.names, strata, Known(south, np.zeros(60, dtype=np.int64)))[0].subject
    "'region'"
    """
    rest = len(strata) - len(known)
    if min(len(known), rest) < _FEWEST:
        return ()
    labelled = np.zeros(len(strata), dtype=np.bool_)
    labelled[known.rows] = True
    tests = [
        (name, _p_value(values, labelled, strata))
        for name in names
        for values in _views(table.column(name), strata, len(known))
    ]
    # Bonferroni: columns depend on each other in any way.
    differ = dict.fromkeys(name for name, p in sorted(tests, key=lambda test: test[1]) if p * len(tests) < _HARDLY)
    return (Note(code="labels of chosen rows", subject=listed(list(differ)[:_NAMED])),) if differ else ()


def _views(column: Column, strata: Codes, n_labels: int) -> Iterator[Floats]:
    """Yield what is compared of a column: the ranks of its values within strata, or where each value occurs."""
    keys = cell_keys(column)
    codes, values = pd.factorize(keys)
    counts = np.bincount(codes)
    expected = counts * n_labels / len(keys)
    frequent = np.flatnonzero((expected >= _FEWEST_OF_VALUE) & (n_labels - expected >= _FEWEST_OF_VALUE))
    if column.ordered:
        # Ranks of a column that is nearly constant are far from normal.
        if n_labels - expected.max() >= _FEWEST_OF_VALUE:
            numbers = column.floats()
            ranks = pd.Series(np.where(np.isnan(numbers), -np.inf, numbers)).groupby(strata).rank().to_numpy()
            # Van Elteren's weights (1960) make strata of different sizes comparable.
            yield ranks / (np.bincount(strata)[strata] + 1)
        # A missing cell has the key 0.
        frequent = frequent[values[frequent] == 0]
    for code in frequent[np.argsort(-counts[frequent], kind="stable")][:_MOST_VALUES]:
        yield (codes == code).astype(np.float64)


def _p_value(values: Floats, labelled: NDArray[np.bool_], strata: Codes) -> float:
    """Return the two-sided p-value of a sum over labelled rows, which are drawn at random within each stratum."""
    sizes, drawn = np.bincount(strata), np.bincount(strata, labelled)
    sums, squares = np.bincount(strata, values), np.bincount(strata, values**2)
    means = sums / np.maximum(sizes, 1)
    # Without replacement: strata of which all rows have labels leave nothing to chance.
    scatter = np.maximum(squares - sums * means, 0.0) / np.maximum(sizes - 1, 1)
    variance = float((drawn * (1 - drawn / np.maximum(sizes, 1)) * scatter).sum())
    off = float(values[labelled].sum() - drawn @ means)
    return 1.0 if variance <= 0 else float(2 * special.ndtr(-abs(off) / math.sqrt(variance)))

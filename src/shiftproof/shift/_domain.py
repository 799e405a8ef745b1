"""Measure how well a classifier can tell new rows from reference rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from shiftproof.core import Column, Interval, Seed, as_table, generator, is_missing, unknown_name
from shiftproof.data import LEFT_OUT
from shiftproof.measures import measure
from shiftproof.shift._features import aligned_numbers
from shiftproof.shift._forest import Codes, Integers, forest_scores

# Folds rather than out-of-bag rows: with few distinct rows, as in one column of categories, leaving out a row makes its
# class rarer among its equals, and the out-of-bag AUC of equal tables lies three standard errors below 0.5.
_FOLDS = 5
# Leaves of 5 are a sixth cheaper, but find fewer changes of dependence in 100 rows (benchmarks/domain_check.py).
_TREES, _LEAF = 60, 3
# More rows of a side cost time, and show changes too small to matter.
_MOST_ROWS = 2_000
# Below this, 20 rows of a side are left to learn from in each fold.
_FEWEST_ROWS = 25


@dataclass(frozen=True, kw_only=True)
class DomainCheck:
    """How well a classifier distinguishes new rows from reference rows, on rows that it never saw.

    Attributes
    ----------
    auc : Interval
        The out-of-fold area under the ROC curve: 0.5 if the tables look alike, 1 if they do not overlap.
    p_value : float
        The p-value of the hypothesis that the tables are alike; NaN if it was not tested.
    n_reference, n_current : int
        The rows used; large tables are sampled.
    note : str
        Why the tables were not tested, or that rows were drawn.
    """

    auc: Interval
    p_value: float
    n_reference: int
    n_current: int
    note: str = ""


def domain_check(
    reference: object,
    current: object,
    kinds: Mapping[str, str],
    *,
    random_state: Seed = 0,
) -> DomainCheck:
    """Train a forest to distinguish two tables, and measure out of fold how well it does.

    It detects changes that no single feature shows, such as a correlation that changed its sign.

    Parameters
    ----------
    reference, current : table of any library
        The two tables; at most 2,000 rows of each are drawn.
    kinds : dict from column to kind
        The shared columns; columns that cannot be tested are left out.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of the sample, the folds and the forest.

    Returns
    -------
    DomainCheck
        The area under the ROC curve of the forest and its p-value; not tested if a table has too few rows.

    Notes
    -----
    There are five folds, with 60 extremely randomised trees each. This takes about 0.2 s for two tables of 2,000 rows
    and 8 columns, plus a few seconds for compiling on the first call after installation. Numbers are replaced by their
    ranks among the rows of both tables, and categories are ordered by their joint frequency, so this preparation cannot
    separate the tables. The variance under the null hypothesis is that of Wilcoxon's statistic, multiplied by Nadeau
    and Bengio's factor for folds that share training rows, which makes the test conservative.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=300)
    >>> old, new = {"a": x, "b": x + 0.1}, {"a": x, "b": -x}
    >>> check = domain_check(old, new, {"a": "continuous", "b": "continuous"})
    >>> check.auc.estimate > 0.9, check.p_value < 1e-6
    (True, True)
    """
    rng = generator(random_state)
    tables = as_table(reference, "reference"), as_table(current, "current")
    for name in kinds:
        for table, called in zip(tables, ("reference", "current"), strict=True):
            if name not in table.names:
                raise unknown_name("kinds", f"name columns of {called}", name, table.names)
    names = [name for name, kind in kinds.items() if kind not in LEFT_OUT]
    rows = [_drawn(table.n_rows, rng) for table in tables]
    n, m = map(len, rows)
    if min(n, m) < _FEWEST_ROWS or not names:
        why = f"fewer than {_FEWEST_ROWS} rows on a side" if names else "no feature can be tested"
        return _untested(n, m, why)
    pairs = [(tables[0].column(name), tables[1].column(name), kinds[name] == "nominal") for name in names]
    codes = np.array([_pooled(old, new, rows, nominal=nominal) for old, new, nominal in pairs], dtype=np.int32)
    if (codes == codes[:, :1]).all():
        return _untested(n, m, "all rows are equal")
    new = np.repeat([0, 1], [n, m])
    scores, folds = _out_of_fold(codes, new, rng)
    auc = measure("auc", new, np.column_stack([1 - scores, scores]), folds=folds)
    # Wilcoxon's variance times Nadeau and Bengio's factor.
    spread = math.sqrt((n + m + 1) / (12 * n * m) * (1 + _FOLDS / (_FOLDS - 1)))
    sampled = n < tables[0].n_rows or m < tables[1].n_rows
    drawn = f"{n:,} rows of each table" if n == m else f"{n:,} labelled and {m:,} new rows"
    return DomainCheck(
        auc=auc,
        p_value=float(special.ndtr((0.5 - auc.estimate) / spread)),
        n_reference=n,
        n_current=m,
        note=f"measured on {drawn}, drawn at random" if sampled else "",
    )


def _untested(n: int, m: int, why: str) -> DomainCheck:
    unknown = Interval(estimate=math.nan, low=math.nan, high=math.nan, level=0.95, method="not tested")
    return DomainCheck(auc=unknown, p_value=math.nan, n_reference=n, n_current=m, note=why)


def _drawn(n: int, rng: np.random.Generator) -> NDArray[np.intp]:
    return np.sort(rng.choice(n, size=_MOST_ROWS, replace=False)) if n > _MOST_ROWS else np.arange(n)


def _pooled(reference: Column, current: Column, rows: list[NDArray[np.intp]], *, nominal: bool) -> NDArray[np.float64]:
    old, new = (_cells(column, side, nominal=nominal) for column, side in zip((reference, current), rows, strict=True))
    return _places(np.concatenate([old[0], new[0]]), np.concatenate([old[1], new[1]]), nominal=nominal)


def row_codes(column: Column, rows: NDArray[np.intp], *, nominal: bool) -> NDArray[np.float64]:
    """Give the chosen rows of a column their place: numbers by size, categories by frequency; -1 where missing.

    Examples
    --------
    >>> from shiftproof.core import as_table
    >>> table = as_table({"size": [10.5, None, 3.0], "job": ["b", "a", "b"]})
    >>> row_codes(table.column("size"), np.array([0, 1, 2]), nominal=False)
    array([ 1., -1.,  0.])
    >>> row_codes(table.column("job"), np.array([0, 1, 2]), nominal=True)
    array([0., 1., 0.])
    """
    return _places(*_cells(column, rows, nominal=nominal), nominal=nominal)


def _cells(column: Column, rows: NDArray[np.intp], *, nominal: bool) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the values of some rows, as numbers or as text, and which are missing."""
    if not nominal:
        numbers, gap = aligned_numbers(column)
        return numbers[rows], gap[rows]
    cells = column.cells()
    chosen = [cells[row] for row in rows.tolist()]
    gaps = np.array([is_missing(cell) for cell in chosen], dtype=bool)
    return np.array(["" if is_missing(cell) else f"{type(cell).__name__} {cell}" for cell in chosen]), gaps


def _places(values: NDArray[Any], gap: NDArray[np.bool_], *, nominal: bool) -> NDArray[np.float64]:
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    if nominal:
        # By frequency rather than by name, which carries no order: common categories are neighbours.
        codes = np.argsort(np.argsort(-counts, kind="stable"))[codes]
    return np.where(gap, -1, codes - codes[~gap].min(initial=len(values))).astype(np.float64)


def _out_of_fold(codes: Codes, new: Integers, rng: np.random.Generator) -> tuple[NDArray[np.float64], Integers]:
    """Score every row by a forest of the other folds; return the scores and the folds."""
    folds = np.empty(len(new), dtype=np.int64)
    for side in (0, 1):
        members = np.flatnonzero(new == side)
        folds[rng.permutation(members)] = np.arange(len(members)) % _FOLDS
    scores = np.zeros(len(new))
    for fold in range(_FOLDS):
        sides = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        scores += forest_scores(codes, new, sides, (_TREES, _LEAF), int(rng.integers(2**63)))
    return scores / _TREES, folds

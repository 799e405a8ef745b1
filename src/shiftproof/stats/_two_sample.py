"""Tests whether two samples of one feature come from one distribution, each a function of its record."""

from __future__ import annotations

import math
from bisect import bisect_right
from fractions import Fraction
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from shiftproof.core import InputError, Phrase, Seed, check_choice, fault, generator
from shiftproof.stats import _kernels, _null
from shiftproof.stats._records import (
    ContinuousRecord,
    NominalRecord,
    Record,
    as_column,
    require_continuous,
    sort_numbers,
)
from shiftproof.stats._result import TestResult

KSMethod = Literal["auto", "exact", "asymptotic", "cieslak-chawla"]
ChiSquareMethod = Literal["auto", "asymptotic", "permutation"]

#: The exact Kolmogorov-Smirnov p-value is used up to this sample size (as scipy does) and this many steps.
_EXACT_SIZE = 10_000
_EXACT_STEPS = 5_000_000
#: From this expected count on the chi-square distribution is used for every p-value.
_ALWAYS_FITS = 1_000
#: With expected counts from 5 on it is used for p-values above this one: below, its tail is too thin.
_THIN_TAIL = 0.02
# Tables whose chances differ by less are equally likely, as in R.
_EQUALLY_LIKELY = 1 + 1e-7
#: Random tables of a permutation p-value at most; the smallest p-value is then 0.0001.
_RESAMPLES = 9_999
#: This many tables that reach the statistic are enough: the p-value has a standard error of 10% of itself.
_ENOUGH = 100
#: Cells of all random tables together, and of those in memory at a time.
_RESAMPLED_CELLS = 10_000_000
_BATCH_CELLS = 200_000
#: Cells of a table that are tested one by one.
_CELLS_TRIED = 20
_SILENT = "no values in one table"


def kolmogorov_smirnov(record: Record, *, method: KSMethod = "auto") -> TestResult:
    """Test equality of two distributions by the largest distance between their distribution functions.

    Parameters
    ----------
    record : ContinuousRecord
        From `compare` or a `Reference`.
    method : {"auto", "exact", "asymptotic", "cieslak-chawla"}
        "auto" is exact if both samples have at most 10,000 values and counting the paths is fast, otherwise asymptotic.
        "cieslak-chawla" reproduces Table 2 of the 2007 paper: D is the largest excess of the current distribution
        function over the reference's (`d_minus`), and its one-sided p-value is ``exp(-2 D^2 n m/(n + m))`` (eq. 7). It
        detects a loss of high values but not of low ones.

    Returns
    -------
    TestResult
        D and its two-sided p-value; with ties, all methods are conservative.

    Examples
    --------
    >>> from shiftproof.stats import compare
    >>> result = kolmogorov_smirnov(compare([1, 2, 3, 4, 5], [4, 5, 6, 7, 8]))
    >>> print(f"D = {result.statistic:.1f}, p = {result.p_value:.3f}")
    D = 0.6, p = 0.357
    """
    check_choice(method, "method", ("auto", "exact", "asymptotic", "cieslak-chawla"))
    record = require_continuous(record, "kolmogorov_smirnov")
    return ks_test(record.n, record.m, record.d_minus if method == "cieslak-chawla" else record.d, method)


def ks_test(n: int, m: int, d: float, method: KSMethod = "auto") -> TestResult:
    """Test a KS distance d of two samples of sizes n and m, as `kolmogorov_smirnov` does.

    Examples
    --------
    >>> print(f"{ks_test(5, 5, 0.6).p_value:.3f}")
    0.357
    """
    if not n or not m:
        return TestResult(statistic=math.nan, p_value=math.nan, method="none", note=_SILENT)
    if method == "cieslak-chawla":
        p = math.exp(-2 * d**2 * n * m / (n + m))
        return TestResult(statistic=d, p_value=p, method="cieslak-chawla")
    if method == "auto":
        small = max(n, m) <= _EXACT_SIZE and (n == m or 2 * d * n * m <= _EXACT_STEPS)
        method = "exact" if small else "asymptotic"
    if method == "exact":
        return TestResult(statistic=d, p_value=_null.ks_exact(n, m, round(d * n * m)), method="exact")
    p = _null.ks_limit(round(n * m / (n + m)), d)
    return TestResult(statistic=d, p_value=p, method="asymptotic")


def kruskal_wallis(*groups: object) -> TestResult:
    """Test equality of several distributions by their mean ranks, corrected for ties.

    Parameters
    ----------
    *groups : ContinuousRecord, or two or more one-dimensional arrays
        The samples. NaN are left out, and counted in the note.

    Returns
    -------
    TestResult
        ``H = 3 (N - 1) sum (C_g^2/n_g) / (N^3 - N - sum (t^3 - t))`` with ``C_g`` the sum of ``2 rank - (N + 1)``,
        computed in whole numbers, and its chi-square p-value. If all values are equal, H = 0 and p = 1.

    Examples
    --------
    >>> result = kruskal_wallis([1, 2, 3], [2, 3, 4], [7, 8, 9])
    >>> print(f"H = {result.statistic:.3f}, p = {result.p_value:.3f}")
    H = 6.056, p = 0.048
    """
    if len(groups) == 1 and isinstance(groups[0], (ContinuousRecord, NominalRecord)):
        record = require_continuous(groups[0], "kruskal_wallis")
        sizes = [record.n, record.m]
        return _rank_test(sizes, [-record.rank_sum, record.rank_sum], record.ties, "")
    if len(groups) < 2:
        raise fault("groups", "be a record or at least two samples", len(groups), "pass kruskal_wallis(a, b, ...)")
    samples = [sort_numbers(*_ordered(group, f"group {number + 1}")) for number, group in enumerate(groups)]
    dtype = np.result_type(*(sample.values.dtype for sample in samples))
    values = np.concatenate([sample.values.astype(dtype, copy=False) for sample in samples])
    codes = np.repeat(np.arange(len(samples)), [sample.n for sample in samples])
    order = np.argsort(values, kind="stable")
    sums, high, low = _kernels.group_rank_sums(codes[order], values[order], len(samples))
    missing = sum(sample.missing for sample in samples)
    note = f"{missing} missing value{'s' * (missing != 1)} left out" if missing else ""
    ties = (int(high) << 31) + int(low)
    return _rank_test([sample.n for sample in samples], [int(total) for total in sums], ties, note)


def cramer_von_mises(record: Record, *, midranks: bool = False) -> TestResult:
    """Test equality of two distributions by the mean squared distance between their distribution functions.

    The p-value is exact for samples of at most 20 values each. For larger samples, it uses the limiting distribution,
    as in scipy.

    Parameters
    ----------
    record : ContinuousRecord
        From `compare` or a `Reference`.
    midranks : bool, default False
        Whether to use the rank formula with midranks, as scipy's ``cramervonmises_2samp`` does. Without ties, both are
        the same. With ties and samples of different sizes, that formula grows with the number of rows even if nothing
        changed (constant data give p = 0), so it is not the default. With the default, ties make the test conservative.

    Returns
    -------
    TestResult
        T and its p-value; NaN if one side has no values.

    Examples
    --------
    >>> from shiftproof.stats import compare
    >>> result = cramer_von_mises(compare(range(0, 20, 2), range(5, 25, 2)))
    >>> print(f"T = {result.statistic:.3f}, p = {result.p_value:.3f}")
    T = 0.275, p = 0.176
    """
    record = require_continuous(record, "cramer_von_mises")
    n, m, t = record.n, record.m, record.cvm_midrank if midranks else record.cvm
    if not n or not m:
        return TestResult(statistic=math.nan, p_value=math.nan, method="none", note=_SILENT)
    if max(n, m) <= 20:
        values, tail = _null.cvm_exact(n, m)
        place = int(np.searchsorted(values, t - 1e-12))
        return TestResult(statistic=t, p_value=float(tail[place]) if place < len(tail) else 0.0, method="exact")
    pooled, k = n + m, n * m
    mean = (1 + 1 / pooled) / 6
    variance = (pooled + 1) * (4 * k * pooled - 3 * (n**2 + m**2) - 2 * k) / (45 * pooled**2 * 4 * k)
    p = _null.cvm_limit(1 / 6 + (t - mean) / math.sqrt(45 * variance))
    return TestResult(statistic=t, p_value=p, method="asymptotic")


def chi_square(counts: Record | ArrayLike, *, method: ChiSquareMethod = "auto", random_state: Seed = 0) -> TestResult:
    """Test whether the shares of the categories are the same in every row of a table of counts.

    Parameters
    ----------
    counts : NominalRecord, or array-like of shape (rows, categories)
        The counts. Categories that do not occur are left out; categories that occur in one row only are included.
    method : {"auto", "asymptotic", "permutation"}
        "auto" is exact for 2 x 2 tables: Fisher's p-value, the chance of a table with the same margins that is at most
        as likely as this one. For larger tables it uses the chi-square distribution if every expected count is at
        least 5 and the p-value is not small; for small p-values its tail is too thin. In all other cases it draws up to
        9,999 random tables with the same margins. If none of them reaches the statistic, it uses the exact p-value of
        the most unlikely category against the rest, times the number of categories. For thousands of rare categories
        it uses the exact mean and variance of the statistic.
    random_state : int or Generator, default 0
        The seed of the random tables.

    Returns
    -------
    TestResult
        Pearson's statistic, without continuity correction, and its p-value.

    Examples
    --------
    >>> result = chi_square([[30, 20, 10], [20, 30, 10]])
    >>> print(f"{result.statistic:.1f}, p = {result.p_value:.3f}, {result.method}")
    4.0, p = 0.135, asymptotic
    >>> chi_square([[3, 0], [0, 3]]).method
    'exact'
    """
    check_choice(method, "method", ("auto", "asymptotic", "permutation"))
    table = _count_table(counts)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    if len(rows) < 2 or len(columns) < 2:
        note = "only one category" if table.size else _SILENT
        return TestResult(statistic=0.0, p_value=1.0, method="none", note=note)
    expected = np.outer(rows / rows.sum(), columns)
    statistic = _pearson(table, expected)
    by_chi_square = float(special.chdtrc((len(rows) - 1) * (len(columns) - 1), statistic))
    least = float(expected.min())
    if method != "asymptotic" and table.shape == (2, 2):
        return TestResult(statistic=statistic, p_value=_exact_two_by_two(table), method="exact")
    fits = least >= _ALWAYS_FITS or (least >= 5 and by_chi_square >= _THIN_TAIL)
    if method == "asymptotic" or (method == "auto" and fits):
        return TestResult(statistic=statistic, p_value=by_chi_square, method="asymptotic")
    p, how = _conditional_p(table, statistic, generator(random_state))
    return TestResult(statistic=statistic, p_value=p, method=how)


def missingness(record: Record, *, method: ChiSquareMethod = "auto") -> TestResult:
    """Test whether the share of missing values changed.

    Parameters
    ----------
    record : ContinuousRecord or NominalRecord
        From `compare` or a `Reference`.
    method : {"auto", "asymptotic", "permutation"}
        As in `chi_square`.

    Returns
    -------
    TestResult
        Pearson's statistic of the 2 x 2 table, and its p-value.

    Examples
    --------
    >>> from shiftproof.stats import compare
    >>> result = missingness(compare([1.0] * 100, [1.0] * 60 + [None] * 40))
    >>> print(f"{result.statistic:.1f}, p = {result.p_value:.1e}")
    50.0, p = 1.3e-14
    """
    table = [[record.n, record.missing_reference], [record.m, record.missing_current]]
    return chi_square(table, method=method)


def _ordered(values: object, name: str) -> tuple[NDArray[Any], int]:
    column = as_column(values, name)
    if not column.ordered and column.family != "empty":
        raise fault(name, "hold numbers or dates", Phrase(column.family), "use chi_square for categories")
    return column.numbers()


def _rank_test(sizes: list[int], sums: list[int], ties: int, note: str) -> TestResult:
    pooled = sum(sizes)
    if 0 in sizes:
        return TestResult(statistic=math.nan, p_value=math.nan, method="none", note="a group without values")
    spread = pooled**3 - pooled - ties
    if spread == 0:
        return TestResult(statistic=0.0, p_value=1.0, method="none", note="all values are equal")
    total = sum(Fraction(rank_sum**2, size) for rank_sum, size in zip(sums, sizes, strict=True))
    statistic = float(3 * (pooled - 1) * total / spread)
    p = float(special.chdtrc(len(sizes) - 1, statistic))
    return TestResult(statistic=statistic, p_value=p, method="asymptotic", note=note)


def _count_table(counts: Record | ArrayLike) -> NDArray[np.int64]:
    if isinstance(counts, NominalRecord):
        table = np.vstack([counts.counts_reference, counts.counts_current])
    elif isinstance(counts, ContinuousRecord):
        raise InputError("chi_square needs categories, got numbers; use kolmogorov_smirnov for those")
    else:
        table = _whole_table(counts)
    occupied = np.ix_(table.sum(axis=1) > 0, table.sum(axis=0) > 0)
    return np.ascontiguousarray(table[occupied], dtype=np.int64)


def _whole_table(counts: ArrayLike) -> NDArray[np.int64]:
    hint = "pass how often each category occurs, not shares"
    try:
        given = np.asarray(counts)
        table: NDArray[np.int64] = given.astype(np.int64)
        whole = given.ndim == 2 and bool((table == given).all()) and bool((table >= 0).all())
    except (TypeError, ValueError, OverflowError):
        whole = False
    if not whole:
        raise fault("counts", "be a table of whole numbers of at least 0", counts, hint)
    return table


def _pearson(table: NDArray[Any], expected: NDArray[np.float64]) -> float:
    return float(((table - expected) ** 2 / expected).sum())


def _exact_two_by_two(table: NDArray[np.int64]) -> float:
    """Return the chance, over all tables with these margins, of one that is at most as likely (Fisher)."""
    corner, total, row, column = int(table[0, 0]), int(table.sum()), int(table[0].sum()), int(table[:, 0].sum())
    least, most, mode = max(0, row + column - total), min(row, column), (row + 1) * (column + 1) // (total + 2)
    chance = partial(_null.hypergeometric, total=total, row=row, column=column)
    limit = chance(corner) * _EQUALLY_LIKELY
    if chance(mode) <= limit:
        return 1.0
    # Chances rise to the mode and fall behind it: both tails end where they first exceed the limit.
    lower = corner if corner < mode else least + bisect_right(range(least, mode), limit, key=chance) - 1
    upper = corner if corner > mode else most - bisect_right(range(most, mode, -1), limit, key=chance) + 1
    spread = math.sqrt(row * column / total * (total - row) / total * (total - column) / max(total - 1, 1))
    # From its edge on a tail falls at least as fast as a normal one: beyond 40 standard deviations nothing is left.
    reach = int(40 * spread) + 100
    p = 0.0
    if upper <= most:
        k = np.arange(upper, min(most, upper + reach), dtype=np.float64)
        ratios = (row - k) * (column - k) / ((k + 1) * (total - row - column + k + 1))
        p += chance(upper) * _falling(ratios)
    if lower >= least:
        k = np.arange(lower, max(least, lower - reach), -1, dtype=np.float64)
        ratios = k * (total - row - column + k) / ((row - k + 1) * (column - k + 1))
        p += chance(lower) * _falling(ratios)
    return min(p, 1.0)


def _falling(ratios: NDArray[np.float64]) -> float:
    """Return the sum of a tail in units of its first term, from the ratio of each term to the one before."""
    return float(1.0 + np.cumprod(ratios).sum())


def _conditional_p(table: NDArray[np.int64], statistic: float, rng: np.random.Generator) -> tuple[float, str]:
    """Return the p-value over tables with the same margins, and how it was found."""
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    if _RESAMPLED_CELLS // table.size < 999:
        return _matched_p(statistic, rows, columns), "matched moments"
    # If a single category is unlikely enough, no random table will reach the statistic, so none is drawn: below the
    # resolution of the random tables the p-value is that of the categories, which is exact.
    by_category = _category_p(table)
    if by_category <= 0.1 / _RESAMPLES:
        return by_category, "exact by category"
    p, reached = _permutation_p(statistic, rows, columns, rng)
    return (p, "permutation") if reached else (min(p, by_category), "permutation, then exact by category")


def _category_p(table: NDArray[np.int64]) -> float:
    """Return the smallest exact p-value of one cell against the rest, times the number of cells tested."""
    rows, columns, total = table.sum(axis=1), table.sum(axis=0), int(table.sum())
    far = np.abs(table - np.outer(rows / total, columns)) / np.sqrt(np.outer(rows, columns) + 1.0)
    # The most unlikely cell is among the farthest; the adjustment counts all cells.
    cells = np.argsort(-far, axis=None)[:_CELLS_TRIED]
    smallest = 1.0
    for i, j in zip(*np.unravel_index(cells, table.shape), strict=True):
        corner = table[i, j]
        two_by_two = [[corner, rows[i] - corner], [columns[j] - corner, total - rows[i] - columns[j] + corner]]
        smallest = min(smallest, _exact_two_by_two(np.array(two_by_two)))
    # With two rows, both cells of a category have the same p-value.
    looked_at = table.size if len(rows) > 2 else table.shape[1]
    return min(smallest * looked_at, 1.0)


def _permutation_p(
    statistic: float, rows: NDArray[np.int64], columns: NDArray[np.int64], rng: np.random.Generator
) -> tuple[float, bool]:
    """Return the p-value by random tables (Besag and Clifford 1991: stop once enough reach), and whether any did."""
    from scipy.stats import random_table

    expected = np.outer(rows / rows.sum(), columns)
    law = random_table(rows, columns)
    drawn = reached = 0
    draws = min(_RESAMPLES, _RESAMPLED_CELLS // expected.size)
    batch = int(np.clip(_BATCH_CELLS // expected.size, 1, 1_000))
    while drawn < draws:
        tables = law.rvs(min(batch, draws - drawn), random_state=rng)
        hits = ((tables - expected) ** 2 / expected).sum(axis=(1, 2)) >= statistic * (1 - 1e-12)
        if reached + hits.sum() >= _ENOUGH:
            last = int(np.flatnonzero(np.cumsum(hits) == _ENOUGH - reached)[0])
            return _ENOUGH / (drawn + last + 1), True
        reached += int(hits.sum())
        drawn += len(hits)
    return (1 + reached) / (1 + drawn), reached > 0


def _matched_p(statistic: float, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> float:
    """Return the tail of the gamma distribution with the statistic's exact mean and variance."""
    total = int(rows.sum())
    mean = (len(rows) - 1) * (len(columns) - 1) * total / (total - 1)
    variance = _null.chi_square_variance(rows, columns)
    if variance <= 1e-12 * mean:  # every value differs from every other: one table only
        return 1.0
    return float(special.gammaincc(mean**2 / variance, statistic * mean / variance))

"""The sufficient record of one feature in two tables.

Every statistic and p-value is a function of a record, and a record can be made by any engine that
sorts or groups: it is the interface between computing and testing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Column, InputError, Nature, as_table, check_comparable, fault
from shiftproof.stats import _kernels
from shiftproof.stats._sorting import sorted_copy

#: The families of values that have an order.
Ordered = Literal["number", "date", "duration"]

#: Equal-width bins of the Hellinger distance; 30 as in the 2007 paper, section 5.3.
N_BINS = 30
#: Quantile cells of the population stability index; ten are customary.
N_CELLS = 10
#: Order statistics that a record keeps of each side: steps of half a percent, finer than a chart can show.
N_STEPS = 201

_EXACT_FLOAT = 2**53


@dataclass(frozen=True, eq=False, kw_only=True)
class ContinuousRecord:
    """Everything that the tests need from two samples of numbers.

    Attributes
    ----------
    n, m : int
        The numbers of values present in the reference and in the current sample.
    missing_reference, missing_current : int
        The numbers of missing values; tests of values ignore them.
    d_plus, d_minus : float
        Largest excess of the reference's distribution function over the current one's, and the reverse.
    d_at : float
        The value at which the larger of the two is reached.
    rank_sum : int
        Twice the centred rank sum of the current values, ``sum (2 rank - (n + m + 1))``; exact.
    ties : int
        ``sum t^3 - t`` over groups of ``t`` equal pooled values; exact.
    cvm : float
        The two-sample Cramér-von Mises statistic T: the mean squared gap, over ties by the trapezoid rule.
    cvm_midrank : float
        The same by the rank formula with midranks, as in scipy; the two differ only if values are tied.
    w1 : float
        Wasserstein-1 of the finite values; NaN if a side has none.
    low, high : float
        The pooled finite range, which the bins divide.
    bins_reference, bins_current : ndarray of int, shape (30,)
        Equal-width counts over that range.
    view_low, view_high : float
        The range of the middle 98% of both samples, so that a single outlier does not flatten a chart.
    view_reference, view_current : ndarray of int, shape (30,)
        Equal-width counts over that range.
    cells_reference, cells_current : ndarray of int
        Counts in the cells between the reference's deciles (fewer than ten if deciles coincide).
    steps_reference, steps_current : ndarray of float, shape (at most 201,)
        Order statistics at even steps from the lowest to the highest: the distribution functions, for charts.
    infinite_reference, infinite_current : int
        The numbers of infinite values, which count in ranks, but not in bins and W1.
    mean_reference, mean_current, sd_reference, sd_current : float
        The means and standard deviations of the finite values.
    family : {"number", "date", "duration"}
        What the values are; dates and durations are microseconds.
    note : str
        A remark on how the values were compared; usually empty.
    """

    n: int
    m: int
    missing_reference: int
    missing_current: int
    d_plus: float
    d_minus: float
    d_at: float
    rank_sum: int
    ties: int
    cvm: float
    cvm_midrank: float
    w1: float
    low: float
    high: float
    bins_reference: NDArray[np.int64]
    bins_current: NDArray[np.int64]
    view_low: float
    view_high: float
    view_reference: NDArray[np.int64]
    view_current: NDArray[np.int64]
    cells_reference: NDArray[np.int64]
    cells_current: NDArray[np.int64]
    steps_reference: NDArray[np.float64]
    steps_current: NDArray[np.float64]
    infinite_reference: int
    infinite_current: int
    mean_reference: float
    mean_current: float
    sd_reference: float
    sd_current: float
    family: Ordered = "number"
    note: str = ""

    @property
    def d(self) -> float:
        """The two-sided Kolmogorov-Smirnov statistic."""
        return max(self.d_plus, self.d_minus)


@dataclass(frozen=True, eq=False, kw_only=True)
class NominalRecord:
    """Counts of each category on both sides, over the union of the categories.

    Attributes
    ----------
    categories : tuple
        Every value that occurs on either side, in a fixed order.
    counts_reference, counts_current : ndarray of int
        How often each category occurs.
    missing_reference, missing_current : int
        Values missing on each side.
    note : str
        A remark on how the values were compared; usually empty.
    """

    categories: tuple[Any, ...]
    counts_reference: NDArray[np.int64]
    counts_current: NDArray[np.int64]
    missing_reference: int
    missing_current: int
    note: str = ""

    @property
    def n(self) -> int:
        """Values present in the reference."""
        return int(self.counts_reference.sum())

    @property
    def m(self) -> int:
        """Values present in the current sample."""
        return int(self.counts_current.sum())


Record = ContinuousRecord | NominalRecord


@dataclass(frozen=True, eq=False)
class Sorted:
    """One column of numbers, sorted once; missing values counted and left out."""

    values: NDArray[Any]
    missing: int
    finite: slice = field(init=False)

    def __post_init__(self) -> None:
        lo, hi = 0, len(self.values)
        if self.values.dtype.kind == "f":
            lo = int(np.searchsorted(self.values, -np.inf, side="right"))
            hi = int(np.searchsorted(self.values, np.inf, side="left"))
        object.__setattr__(self, "finite", slice(lo, hi))

    @property
    def n(self) -> int:
        """How many values are present."""
        return len(self.values)

    @property
    def n_infinite(self) -> int:
        """The number of infinite values."""
        return self.n - len(self.values[self.finite])

    @cached_property
    def moments(self) -> tuple[float, float]:
        """Mean and standard deviation (n - 1) of the finite values."""
        inner = self.values[self.finite]
        if not len(inner):
            return math.nan, math.nan
        origin = 0
        if inner.dtype.kind in "iu" and int(inner[-1]) - int(inner[0]) < 2**62:
            # Distances from the middle: floats hold them even if they cannot hold the integers themselves.
            origin = int(inner[len(inner) // 2])
            inner = (inner - inner.dtype.type(origin)).astype(np.int64)
        mean, squares = _kernels.moments(inner)
        return origin + mean, math.sqrt(squares / (len(inner) - 1)) if len(inner) > 1 else math.nan

    @cached_property
    def deciles(self) -> NDArray[Any]:
        """The order statistics that divide the values into ten cells; repeats taken once."""
        if not self.n:
            return self.values[:0]
        # ceil(n k / 10): the smallest value with at least k tenths at or below it.
        places = -(-np.arange(1, N_CELLS) * self.n // N_CELLS) - 1
        return np.unique(self.values[places])

    @cached_property
    def steps(self) -> NDArray[Any]:
        """At most 201 order statistics at even steps, the lowest and the highest among them."""
        return self.values[step_places(self.n)]

    def as_type(self, dtype: type) -> Sorted:
        """Return the same values as another type; the order stays."""
        return self if self.values.dtype == dtype else Sorted(self.values.astype(dtype), self.missing)


def step_places(n: int) -> NDArray[np.intp]:
    """Return which of n order statistics a record keeps: all of few, else 201 at even steps.

    Examples
    --------
    >>> step_places(3)
    array([0, 1, 2])
    >>> len(step_places(1000)), int(step_places(1000)[-1])
    (201, 999)
    """
    return np.arange(n) if n <= N_STEPS else np.arange(N_STEPS) * (n - 1) // (N_STEPS - 1)


def sort_numbers(values: NDArray[Any], missing: int = 0) -> Sorted:
    """Sort a copy of the values; NaN are counted and left out."""
    ordered, more = sorted_copy(values)
    return Sorted(ordered, missing + more)


def compare_sorted(reference: Sorted, current: Sorted, family: Ordered = "number") -> ContinuousRecord:
    """Make the record of two sorted samples."""
    reference, current, note = _one_type(reference, current)
    a, b = reference.values, current.values
    n, m = len(a), len(b)
    statistics = _ranks_and_distances(reference, current) if n and m else _NOTHING
    low, high, bins = _bins(a[reference.finite], b[current.finite])
    view_low, view_high, view = _bins(*_middle(a[reference.finite], b[current.finite]))
    cuts = reference.deciles
    mean_reference, sd_reference = reference.moments
    mean_current, sd_current = current.moments
    return ContinuousRecord(
        n=n,
        m=m,
        missing_reference=reference.missing,
        missing_current=current.missing,
        **statistics,
        low=low,
        high=high,
        bins_reference=bins[0],
        bins_current=bins[1],
        view_low=view_low,
        view_high=view_high,
        view_reference=view[0],
        view_current=view[1],
        cells_reference=_cells(a, cuts),
        cells_current=_cells(b, cuts),
        steps_reference=reference.steps.astype(np.float64),
        steps_current=current.steps.astype(np.float64),
        infinite_reference=reference.n_infinite,
        infinite_current=current.n_infinite,
        mean_reference=mean_reference,
        mean_current=mean_current,
        sd_reference=sd_reference,
        sd_current=sd_current,
        family=family,
        note=note,
    )


def compare_counts(
    reference: Mapping[Any, int], current: Mapping[Any, int], missing: tuple[int, int] = (0, 0)
) -> NominalRecord:
    """Make the record of two counted samples of categories."""
    # By type first: 1 and "1" are two categories, and cannot be compared.
    categories = sorted({**reference, **current}, key=lambda value: (type(value).__name__, str(value)))
    return NominalRecord(
        categories=tuple(categories),
        counts_reference=np.array([reference.get(value, 0) for value in categories], dtype=np.int64),
        counts_current=np.array([current.get(value, 0) for value in categories], dtype=np.int64),
        missing_reference=missing[0],
        missing_current=missing[1],
    )


def compare(reference: object, current: object) -> Record:
    """Compare two samples of one feature.

    Parameters
    ----------
    reference, current : array-like or Series, one-dimensional
        Numbers and dates make a `ContinuousRecord`; text, booleans and categories a `NominalRecord`.
        NaN, None and NULL are missing.

    Returns
    -------
    Record
        The input of `kolmogorov_smirnov`, `kruskal_wallis`, `chi_square`, `hellinger` and the other functions.

    Examples
    --------
    >>> record = compare([1, 2, 3, 4], [3, 4, 5, None])
    >>> record.d, record.missing_current
    (0.5, 1)
    >>> compare(["a", "a", "b"], ["b", "c"]).categories
    ('a', 'b', 'c')
    """
    before, after = as_column(reference, "reference"), as_column(current, "current")
    by_order = _may_be_ordered(before) and _may_be_ordered(after)
    check_comparable("the feature", before, after, nominal=not by_order, current="the current sample")
    if by_order:
        family = ordered_family(before, after)
        return compare_sorted(sort_numbers(*before.numbers()), sort_numbers(*after.numbers()), family)
    counts_before, missing_before = before.counts()
    counts_after, missing_after = after.counts()
    return compare_counts(counts_before, counts_after, (missing_before, missing_after))


def as_column(values: object, name: str) -> Column:
    """Take one sample as a column."""
    if isinstance(values, np.ndarray):
        column = as_table(values, name).column("x0")
    else:
        column = as_table({name: values}, name).column(name)
    if column.family == "unsupported":
        hint = "flatten nested or complex values first"
        raise fault(name, "be numbers, dates, booleans or text", column.contents, hint)
    return column


def ordered_family(before: Column | Nature, after: Column) -> Ordered:
    """Return the type of the values of two ordered columns, one of which may be empty."""
    families = {before.family, after.family}
    return "date" if "date" in families else "duration" if "duration" in families else "number"


def _may_be_ordered(column: Column) -> bool:
    return column.ordered or column.family == "empty"


def _one_type(reference: Sorted, current: Sorted) -> tuple[Sorted, Sorted, str]:
    """Convert both sides to one type of number, without rounding if possible."""
    left, right = reference.values, current.values
    if left.dtype == right.dtype:
        return reference, current, ""
    if not len(left) or not len(right):
        kind = right.dtype if len(right) else left.dtype
        return reference.as_type(kind.type), current.as_type(kind.type), ""
    if left.dtype.kind == "f":
        return _mixed_floats(reference, current)
    if right.dtype.kind == "f":
        current, reference, note = _mixed_floats(current, reference)
        return reference, current, note
    # int64 beside uint64: unsigned holds both unless one is negative.
    if left[0] >= 0 and right[0] >= 0:
        return reference.as_type(np.uint64), current.as_type(np.uint64), ""
    return reference.as_type(np.float64), current.as_type(np.float64), _ROUNDED


def _mixed_floats(floats: Sorted, whole: Sorted) -> tuple[Sorted, Sorted, str]:
    ends = max(abs(int(whole.values[0])), abs(int(whole.values[-1])))
    if ends <= _EXACT_FLOAT:
        return floats, whole.as_type(np.float64), ""
    values = floats.values
    limits = np.iinfo(whole.values.dtype)
    # Floats that are whole numbers can be compared as integers, which loses nothing.
    inside = limits.min <= values[0] and values[-1] < float(limits.max)
    if inside and np.array_equal(values, np.trunc(values)):
        return floats.as_type(whole.values.dtype.type), whole, ""
    return floats, whole.as_type(np.float64), _ROUNDED


_ROUNDED = "integers beyond 2^53 were rounded so that they could be compared with fractions or negative numbers"
_NOTHING: dict[str, Any] = {
    "d_plus": math.nan,
    "d_minus": math.nan,
    "d_at": math.nan,
    "rank_sum": 0,
    "ties": 0,
    "cvm": math.nan,
    "cvm_midrank": math.nan,
    "w1": math.nan,
}


def _ranks_and_distances(reference: Sorted, current: Sorted) -> dict[str, Any]:
    n, m = reference.n, current.n
    highest, lowest, highest_at, lowest_at, rank_sum, ties_high, ties_low, squares, bends, area = _kernels.merge(
        reference.values, current.values
    )
    # The kernel keeps the sum of cubes in two words.
    ties = (int(ties_high) << 31) + int(ties_low)
    # Anderson's T without the usual difference of two huge numbers. The rank formula with midranks adds terms
    # that vanish without ties or for samples of one size, and in all other cases grow with n + m even without a shift.
    scale = 12.0 * n * m * float(n + m) ** 2
    extra = 3.0 * (n - m) * bends + float((n - m) ** 2) * float(ties)
    return {
        "d_plus": highest / (n * m),
        "d_minus": -lowest / (n * m),
        "d_at": highest_at if highest >= -lowest else lowest_at,
        "rank_sum": int(rank_sum),
        "ties": ties,
        "cvm": 6.0 * squares / scale,
        "cvm_midrank": (6.0 * squares + extra) / scale,
        "w1": _finite_area(reference, current, area),
    }


def _finite_area(reference: Sorted, current: Sorted, area: float) -> float:
    n, m = reference.n - reference.n_infinite, current.n - current.n_infinite
    if not n or not m:
        return math.nan
    # Infinities take part in ranks only; the area is measured again without them.
    if reference.n_infinite or current.n_infinite:
        area = _kernels.merge(reference.values[reference.finite], current.values[current.finite])[-1]
    return float(area) / (n * m)


def _bins(a: NDArray[Any], b: NDArray[Any]) -> tuple[float, float, tuple[NDArray[np.int64], NDArray[np.int64]]]:
    ends = [values[[0, -1]] for values in (a, b) if len(values)]
    if not ends:
        return math.nan, math.nan, (np.zeros(N_BINS, dtype=np.int64), np.zeros(N_BINS, dtype=np.int64))
    low = min(end[0] for end in ends)
    high = max(end[1] for end in ends)
    spread = float(int(high) - int(low)) if a.dtype.kind != "f" else _spread(float(low), float(high))
    scale = 1.0
    if math.isinf(spread):
        scale, spread = 0.5, float(high) * 0.5 - float(low) * 0.5
    width = spread / N_BINS
    if width == 0.0:  # a constant, or a range too small to divide
        counts = tuple(np.bincount([0], weights=[len(values)], minlength=N_BINS).astype(np.int64) for values in (a, b))
        return float(low), float(high), (counts[0], counts[1])
    return (
        float(low),
        float(high),
        (_kernels.bin_counts(a, low, width, scale, N_BINS), _kernels.bin_counts(b, low, width, scale, N_BINS)),
    )


def _middle(a: NDArray[Any], b: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Cut both sides to the range between the outer percentiles of either."""
    inner = [values[[len(values) // 100, len(values) - 1 - len(values) // 100]] for values in (a, b) if len(values)]
    if not inner:
        return a, b
    low, high = min(ends[0] for ends in inner), max(ends[1] for ends in inner)
    cut = [values[np.searchsorted(values, low) : np.searchsorted(values, high, side="right")] for values in (a, b)]
    return cut[0], cut[1]


def _spread(low: float, high: float) -> float:
    with np.errstate(over="ignore"):
        return high - low


def _cells(values: NDArray[Any], cuts: NDArray[Any]) -> NDArray[np.int64]:
    borders = np.searchsorted(values, cuts, side="right")
    return np.diff(np.concatenate([[0], borders, [len(values)]])).astype(np.int64)


def require_continuous(record: Record, test: str) -> ContinuousRecord:
    """Return the record if it holds numbers; raise an error that names the right test if not."""
    if isinstance(record, ContinuousRecord):
        return record
    raise InputError(f"{test} needs numbers or dates, got categories; use chi_square for those")

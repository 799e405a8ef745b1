"""The inner loops: one merge of two sorted samples, and other loops that are too slow in Python.

Arrays must be sorted, without missing values, as float64, int64 or uint64.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import kernel

_LOW_BITS = 31
_LOW_MASK = (1 << _LOW_BITS) - 1
_WRAP = 2.0**64


@kernel()
def _distance(low: Any, high: Any) -> float:
    """Return how far a value is above another one."""
    width = float(high - low)
    return width if width >= 0.0 else width + _WRAP  # integers further apart than 2^63 wrap around


@kernel()
def _tie_cubes(t: int) -> tuple[int, int]:
    """Return t^3 - t in two words, of which only the second may be negative."""
    square = t * t
    return t * (square >> _LOW_BITS), t * (square & _LOW_MASK) - t


@kernel()
def merge(a: NDArray[Any], b: NDArray[Any]) -> tuple[int, int, float, float, int, int, int, float, float, float]:
    """Walk two sorted arrays once, from the smallest pooled value up.

    With ``i`` and ``j`` the numbers of values seen on each side, ``gap = i m - j n`` is the
    difference of the two distribution functions times ``n m``, in exact integers.

    Returns
    -------
    highest, lowest : int
        The largest and smallest gap: ``D+ = highest / (n m)``, ``D- = -lowest / (n m)``.
    highest_at, lowest_at : float
        The values at which they are reached first.
    rank_sum : int
        The sum over ``b`` of twice the centred midrank, ``2 rank - (N + 1)``.
    ties_high, ties_low : int
        The sum of ``t^3 - t`` over groups of ``t`` equal values is ``ties_high 2^31 + ties_low``: a
        single cube overflows 64 bits from two million equal values on.
    squares : float
        The sum of ``t (gap before^2 + gap after^2)`` over groups.
    bends : float
        The sum of ``(t^2 - 1) (gap after - gap before)`` over groups.
    area : float
        The sum of ``|gap| (next value - value)``: Wasserstein-1 times ``n m``.
    """
    n, m = len(a), len(b)
    pooled = n + m
    i = j = 0
    gap = highest = lowest = 0
    rank_sum = ties_high = ties_low = 0
    squares = bends = area = before = 0.0
    x, y = a[0], b[0]
    last = value = min(x, y)
    highest_at = lowest_at = float(value)
    while i < n and j < m:
        area += abs(before) * _distance(last, value)
        last = value
        next_i = i + (x <= y)
        next_j = j + (y <= x)
        if next_i < n and next_j < m:
            next_x, next_y = a[next_i], b[next_j]
            following = min(next_x, next_y)
            alone = x != y and following != value
        else:
            alone = False
        if alone:
            # the common case of continuous data, without branches that the processor cannot predict
            rank_sum += (next_j - j) * (2 * (i + j) + 1 - pooled)
            gap += m if next_i > i else -n
            i, j, x, y, value = next_i, next_j, next_x, next_y, following
            after = float(gap)
            squares += before * before + after * after
        else:
            start_i, start_j = i, j
            i, j = next_i, next_j
            while i < n and a[i] == value:
                i += 1
            while j < m and b[j] == value:
                j += 1
            gap = i * m - j * n
            t = i + j - start_i - start_j
            rank_sum += (j - start_j) * (2 * (start_i + start_j) + t - pooled)
            after = float(gap)
            squares += t * (before * before + after * after)
            high, low = _tie_cubes(t)
            ties_high += high
            ties_low += low
            bends += (float(t * t) - 1.0) * (after - before)
            if i < n and j < m:
                x, y = a[i], b[j]
                value = min(x, y)
        before = after
        if gap > highest:
            highest, highest_at = gap, float(last)
        if gap < lowest:
            lowest, lowest_at = gap, float(last)
    # one side is used up: from here the gap returns to zero, so it has no new maximum or minimum
    rest, k, step = (a, i, m) if i < n else (b, j, -n)
    rank_sum_rest, high, low, squares_rest, bends_rest, area_rest = _run_back(rest, k, step, pooled, gap, last)
    # ranks are summed over b only
    rank_sum += rank_sum_rest if step < 0 else 0
    sums = squares + squares_rest, bends + bends_rest, area + area_rest
    return highest, lowest, highest_at, lowest_at, rank_sum, ties_high + high, ties_low + low, *sums


@kernel()
def _run_back(
    rest: NDArray[Any], k: int, step: int, pooled: int, gap: int, last: Any
) -> tuple[int, int, int, float, float, float]:
    """Walk to the end of the side that is not used up, from its value k on; `step` is what each adds to the gap.

    Returns
    -------
    rank_sum, ties_high, ties_low, squares, bends, area
        What these values add to the sums of `merge`.
    """
    rank_sum = ties_high = ties_low = 0
    squares = bends = area = 0.0
    before = float(gap)
    while k < len(rest):
        value = rest[k]
        area += abs(before) * _distance(last, value)
        last = value
        first = k
        while k < len(rest) and rest[k] == value:
            k += 1
        t = k - first
        # the other side's count is complete, so `pooled - len(rest)` values are below, plus `first`
        rank_sum += t * (2 * (pooled - len(rest) + first) + t - pooled)
        gap += step * t
        after = float(gap)
        squares += t * (before * before + after * after)
        high, low = _tie_cubes(t)
        ties_high += high
        ties_low += low
        bends += (float(t * t) - 1.0) * (after - before)
        before = after
    return rank_sum, ties_high, ties_low, squares, bends, area


@kernel()
def bin_counts(values: NDArray[Any], low: Any, width: float, scale: float, n_bins: int) -> NDArray[np.int64]:
    """Count sorted finite values in equal-width bins, ``bin = floor((x - low) / width)``, last one closed.

    The formula is monotone in ``x``, so the borders are found by bisection; `scale` is 1 unless the range
    itself overflows.
    """
    counts = np.zeros(n_bins, dtype=np.int64)
    start = 0
    for k in range(1, n_bins):
        lo, hi = start, len(values)
        while lo < hi:
            mid = (lo + hi) // 2
            distance = float(values[mid] - low) if scale == 1.0 else values[mid] * scale - low * scale
            if distance < 0.0:  # integers further apart than 2^63 wrap around
                distance += _WRAP
            if math.floor(distance / width) >= k:
                hi = mid
            else:
                lo = mid + 1
        counts[k - 1] = lo - start
        start = lo
    counts[n_bins - 1] = len(values) - start
    return counts


# adding in any order lets the machine add eight at a time, and loses nothing
@kernel(fastmath={"reassoc", "contract", "nsz"})
def moments(values: NDArray[Any]) -> tuple[float, float]:
    """Return mean and sum of squared deviations of sorted values, shifted by the middle one against cancellation."""
    n = len(values)
    origin = float(values[n // 2])
    total = squares = 0.0
    for k in range(n):
        deviation = float(values[k]) - origin
        total += deviation
        squares += deviation * deviation
    return origin + total / n, max(squares - total * total / n, 0.0)


@kernel()
def group_rank_sums(
    codes: NDArray[np.int64], values: NDArray[Any], n_groups: int
) -> tuple[NDArray[np.int64], int, int]:
    """Return twice the centred rank sum of each group and the two parts of the tie sum.

    `values` are sorted, and `codes` are the groups they belong to.
    """
    sums = np.zeros(n_groups, dtype=np.int64)
    pooled = len(values)
    ties_high = ties_low = 0
    start = 0
    while start < pooled:
        end = start + 1
        while end < pooled and values[end] == values[start]:
            end += 1
        t = end - start
        for k in range(start, end):
            sums[codes[k]] += 2 * start + t - pooled
        high, low = _tie_cubes(t)
        ties_high += high
        ties_low += low
        start = end
    return sums, ties_high, ties_low


@kernel()
def paths_outside(n: int, m: int, limit: int) -> float:
    """Return the share of lattice paths from (0, 0) to (n, m) that meet ``|i m - j n| >= limit``.

    The chance that a path to (i, j) has been outside is a mean of the same chance one step back, with
    weights i/(i + j) and j/(i + j): sums of positive terms only, so tiny p-values keep their digits.
    Cells outside are 1, so only the band is visited.
    """
    row = np.ones(m + 1)
    share = np.ones(n + m + 1)
    share[1:] = 1.0 / np.arange(1, n + m + 1)
    row[0] = 0.0
    for i in range(n + 1):
        # inside the band: i m - limit < j n < i m + limit
        first = max((i * m - limit) // n + 1, 0)
        last = min((i * m + limit - 1) // n, m)
        if first > 0:
            row[first - 1] = 1.0
        start = max(first, 1)
        for j in range(start, last + 1):
            row[j] = (row[j] * i + row[j - 1] * j) * share[i + j]
        if last < m:
            row[last + 1] = 1.0
    outside: float = row[m]
    return outside

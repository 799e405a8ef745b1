"""Compiled extremely randomised trees (Geurts, Ernst and Wehenkel, 2006) that score held-out rows as they grow."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import kernel

# The constants of SplitMix64 (Steele, Lea and Flood, 2014). Its state is one number, so that the forest leaves NumPy's
# global generator alone and gives the same trees in any thread.
_STEP, _FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_27, _30, _31, _32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)

Integers = NDArray[np.int64]
Codes = NDArray[np.int32]


class _Growth(NamedTuple):
    """What all splits of a forest share: the order of features, random state, weight of an old row, smallest leaf."""

    order: Integers
    state: NDArray[np.uint64]
    weight: float
    leaf: int


@kernel()
def _draw_below(state: NDArray[np.uint64], bound: int) -> int:
    """Draw a number from 0 to below the bound, by the upper 32 bits of SplitMix64."""
    state[0] += _STEP
    z = state[0]
    z = (z ^ (z >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    z = z ^ (z >> _31)
    return int(((z >> _32) * np.uint64(bound)) >> _32)


@kernel()
def _partition(codes: Codes, rows: Integers, cut: int) -> int:
    """Bring the rows with codes up to the cut to the front, and return their number."""
    i, j = 0, len(rows) - 1
    while i <= j:
        if codes[rows[i]] <= cut:
            i += 1
        else:
            rows[i], rows[j] = rows[j], rows[i]
            j -= 1
    return i


@kernel()
def _count_new(new: Integers, rows: Integers) -> int:
    """Count the new rows among some. A loop, because numba takes seconds to compile `new[rows].sum()`."""
    total = 0
    for row in rows:
        total += new[row]
    return total


@kernel()
def _draw_cut(codes: Codes, rows: Integers, state: NDArray[np.uint64]) -> int:
    """Draw a cut between the smallest and the largest code of the rows; -2 where all are equal."""
    low = high = codes[rows[0]]
    for row in rows:
        low, high = min(low, codes[row]), max(high, codes[row])
    # Codes start at -1, so -2 is free.
    return -2 if low == high else low + _draw_below(state, high - low)


@kernel()
def _best_split(codes: Codes, new: Integers, rows: Integers, growth: _Growth) -> tuple[int, int]:
    """Draw a cut for each of about sqrt(d) features; return the feature and cut of least impurity, or -1 and 0."""
    order, state, weight, leaf = growth
    n_new = _count_new(new, rows)
    n_old = len(rows) - n_new
    best, best_cut, best_gain = -1, 0, 0.0
    tries, left = max(int(np.sqrt(len(order))), 1), len(order)
    # Constant features do not count as tries (as in scikit-learn), or sparse tables would rarely be split.
    while left and tries and n_old and n_new and len(rows) >= 2 * leaf:
        drawn = _draw_below(state, left)
        left -= 1
        feature = order[drawn]
        order[drawn], order[left] = order[left], feature
        cut = _draw_cut(codes[feature], rows, state)
        if cut == -2:
            continue
        tries -= 1
        total = ones = 0
        for row in rows:
            under = codes[feature, row] <= cut
            total += under
            ones += under & new[row]
        if min(total, len(rows) - total) < leaf:
            continue
        a, b = weight * (total - ones), weight * (n_old - total + ones)
        # The impurity of both branches, less what no split changes.
        gain = (a * a + ones**2) / (a + ones) + (b * b + (n_new - ones) ** 2) / (b + n_new - ones)
        if gain > best_gain:
            best, best_cut, best_gain = feature, cut, gain
    return best, best_cut


@kernel()
def _put(place: Integers, start: int, end: int, first: int, last: int) -> None:
    """Write down an open branch: from where to where its rows go, and those that are scored.

    One by one, because numba takes seconds to compile the assignment of all four to a row of an array.
    """
    place[0], place[1], place[2], place[3] = start, end, first, last


@kernel()
def forest_scores(
    codes: Codes, new: Integers, sides: tuple[Integers, Integers], size: tuple[int, int], seed: int
) -> NDArray[np.float64]:
    """Grow trees on the rows inside, and return for all rows the sum of scores, which is 0 for rows not outside.

    A row's score in a tree is the share of new rows in its leaf, if both classes had the same total weight. The rows
    outside go down each tree while it grows, so no tree is stored, and branches without any of them are not grown.

    Parameters
    ----------
    codes : array of shape (d, n)
        One feature per row of the array, as integers from -1 on.
    new : array of shape (n,)
        1 for new rows, 0 for reference rows.
    sides : inside, outside
        The numbers of the rows to learn from, with both classes among them, and of those to score.
    size : trees, leaf
        The number of trees, and the fewest rows of a leaf.
    seed : int
        The first state of the random numbers.
    """
    trees, leaf = size
    rows, unseen = sides[0].copy(), sides[1].copy()
    scores = np.zeros(len(new))
    n_new = _count_new(new, rows)
    weight = n_new / (len(rows) - n_new)
    growth = _Growth(np.arange(len(codes)), np.array([seed], dtype=np.uint64), weight, leaf)
    # Depth first, so there are never more open branches than rows.
    stack = np.empty((len(rows) + 1, 4), dtype=np.int64)
    for _ in range(trees):
        _put(stack[0], 0, len(rows), 0, len(unseen))
        depth = 1
        while depth:
            depth -= 1
            start, end, first, last = stack[depth]
            branch = rows[start:end]
            feature, cut = _best_split(codes, new, branch, growth)
            if feature < 0:
                ones = _count_new(new, branch)
                share = ones / (ones + weight * (end - start - ones))
                for row in unseen[first:last]:
                    scores[row] += share
                continue
            middle = start + _partition(codes[feature], branch, cut)
            half = first + _partition(codes[feature], unseen[first:last], cut)
            if half > first:
                _put(stack[depth], start, middle, first, half)
                depth += 1
            if last > half:
                _put(stack[depth], middle, end, half, last)
                depth += 1
    return scores

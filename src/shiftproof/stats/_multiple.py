"""P-values of many tests at once, adjusted for their number or combined into one."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shiftproof.core import Phrase, check_vector, fault

# A p of 0 is raised until 1/p is finite; one near 1 must not outweigh the rest.
_SMALLEST_P, _LARGEST_P = 1e-300, 0.99


def benjamini_hochberg(p: ArrayLike) -> NDArray[np.float64]:
    r"""Adjust p-values to control the false discovery rate: if all tests with q <= a are rejected, it is at most a.

    With the m p-values in order, :math:`q_{(i)} = \min_{j \ge i} \frac{m}{j} p_{(j)}`
    (Benjamini and Hochberg 1995).

    Parameters
    ----------
    p : array-like of shape (n_tests,)
        P-values; NaN marks a test that was not done.

    Returns
    -------
    ndarray of shape (n_tests,)
        The q-values in the order of ``p``. NaN stays NaN and does not count as a test.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03, float("nan"), 0.5]).round(4)
    array([0.04  , 0.0533, 0.0533,    nan, 0.5   ])
    """
    values, order = _sorted_tests(p)
    ranks = np.arange(1, len(order) + 1)
    # p * (m / j), in this order, is never below p.
    steps = values[order] * (len(order) / ranks)
    return _put_back(values, order, np.minimum.accumulate(steps[::-1])[::-1])


def holm(p: ArrayLike) -> NDArray[np.float64]:
    r"""Adjust p-values to control the family-wise error rate: if all tests with p <= a are rejected, it is at most a.

    With the m p-values in order, :math:`\tilde p_{(i)} = \min(1, \max_{j \le i} (m - j + 1) p_{(j)})`
    (Holm 1979).

    Parameters
    ----------
    p : array-like of shape (n_tests,)
        P-values; NaN marks a test that was not done.

    Returns
    -------
    ndarray of shape (n_tests,)
        The adjusted p-values in the order of ``p``. NaN stays NaN and does not count as a test.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03, float("nan"), 0.5]).round(4)
    array([0.04, 0.09, 0.09,  nan, 0.5 ])
    """
    values, order = _sorted_tests(p)
    steps = values[order] * np.arange(len(order), 0, -1)
    return _put_back(values, order, np.minimum(np.maximum.accumulate(steps), 1.0))


def hochberg(p: ArrayLike) -> NDArray[np.float64]:
    r"""Adjust p-values to control the family-wise error rate, from the largest p-value down.

    With the m p-values in order, :math:`\tilde p_{(i)} = \min_{j \ge i} (m - j + 1) p_{(j)}` (Hochberg 1988).

    Parameters
    ----------
    p : array-like of shape (n_tests,)
        P-values; NaN marks a test that was not done.

    Returns
    -------
    ndarray of shape (n_tests,)
        The adjusted p-values in the order of ``p``. NaN stays NaN and does not count as a test.

    Notes
    -----
    The adjusted p-values are never larger than those of :func:`holm`, and never smaller than those of :func:`hommel`.
    Hochberg's and Hommel's methods need tests that are independent or positively dependent; Holm's method works for any
    tests.

    Examples
    --------
    >>> hochberg([0.01, 0.04, 0.03, float("nan"), 0.5]).round(4)
    array([0.04, 0.08, 0.08,  nan, 0.5 ])
    """
    values, order = _sorted_tests(p)
    steps = values[order] * np.arange(len(order), 0, -1)
    return _put_back(values, order, np.minimum.accumulate(steps[::-1])[::-1])


def hommel(p: ArrayLike) -> NDArray[np.float64]:
    r"""Adjust p-values to control the family-wise error rate, by the closed test of Simes.

    The adjusted p-value of a test is the largest p-value of Simes' test over all sets of tests that contain it,
    :math:`\max_{S \ni i} \min_j |S| p_{(j:S)} / j` (Hommel 1988), computed in n^2 steps (Wright 1992).

    Parameters
    ----------
    p : array-like of shape (n_tests,)
        P-values; NaN marks a test that was not done.

    Returns
    -------
    ndarray of shape (n_tests,)
        The adjusted p-values in the order of ``p``. NaN stays NaN and does not count as a test.

    Notes
    -----
    As with :func:`hochberg`, the tests must be independent or positively dependent.

    Examples
    --------
    >>> hommel([0.01, 0.04, 0.03, float("nan"), 0.5]).round(4)
    array([0.04, 0.08, 0.06,  nan, 0.5 ])
    """
    values, order = _sorted_tests(p)
    ascending, m = values[order], len(order)
    adjusted = ascending.copy()
    for size in range(m, 1, -1):
        # Simes' p-value of the worst set of this size: a test and the largest others, or the largest alone.
        largest = ascending[m - size + 1 :]
        simes = np.minimum(size * ascending, (size * (largest / np.arange(2, size + 1))).min())
        simes[m - size + 1 :] = simes[m - size]
        adjusted = np.maximum(adjusted, simes)
    return _put_back(values, order, np.minimum(adjusted, 1.0))


def shaffer(p: ArrayLike) -> NDArray[np.float64]:
    r"""Adjust the p-values of all pairs of k methods, using that not every combination of equal pairs is possible.

    If one pair differs, at most :math:`\binom{k-1}{2}` pairs can still be equal. With the m = k(k - 1)/2 p-values in
    order, :math:`\tilde p_{(i)} = \min(1, \max_{j \le i} t_j p_{(j)})`, where :math:`t_j` is the largest number of
    pairs that can be equal if j - 1 are not (Shaffer 1986, the static procedure).

    Parameters
    ----------
    p : array-like of shape (k (k - 1) / 2,)
        One p-value for each pair of methods; NaN marks a test that was not done.

    Returns
    -------
    ndarray of the same shape
        The adjusted p-values in the order of ``p``, never larger than those of :func:`holm`. NaN stays NaN.

    Examples
    --------
    With three methods, if one pair differs, only one of the other two pairs can still be equal:

    >>> shaffer([0.01, 0.03, 0.04])
    array([0.03, 0.03, 0.04])
    >>> holm([0.01, 0.03, 0.04])
    array([0.03, 0.06, 0.06])
    """
    values, order = _sorted_tests(p)
    k = _methods_of(values)
    possible = np.array(sorted(_equal_pairs(k)))
    # So many pairs are left before each step, of all and of those that were tested.
    left, tested = len(values) - np.arange(len(order)), len(order) - np.arange(len(order))
    most = np.minimum(possible[np.searchsorted(possible, left, side="right") - 1], tested)
    return _put_back(values, order, np.minimum(np.maximum.accumulate(values[order] * most), 1.0))


def _equal_pairs(k: int) -> set[int]:
    """Return how many pairs of k methods can be equal: any division into groups of equal methods is possible.

    Examples
    --------
    >>> sorted(_equal_pairs(4))
    [0, 1, 2, 3, 6]
    """
    found: list[set[int]] = [{0}]
    for methods in range(1, k + 1):
        # A group of so many equal methods, and the rest in any way.
        found.append({math.comb(size, 2) + rest for size in range(1, methods + 1) for rest in found[methods - size]})
    return found[k]


#: With more methods there are too many ways to divide them.
MOST_METHODS = 9


def bergmann_hommel(p: ArrayLike) -> NDArray[np.float64]:
    r"""Adjust the p-values of all pairs of at most nine methods, by every combination of equal pairs that is possible.

    A set of pairs is possible if exactly they can be equal: it belongs to a division of the methods into groups. The
    adjusted p-value of a pair is the largest :math:`|I| \min_{j \in I} p_j` over the possible sets I with that pair
    (Bergmann and Hommel 1988). Ten methods would have 115,975 divisions.

    Parameters
    ----------
    p : array-like of shape (k (k - 1) / 2,)
        One p-value for each pair of k methods, in the order (1, 2), (1, 3), ..., (k - 1, k); NaN marks a test that was
        not done.

    Returns
    -------
    ndarray of the same shape
        The adjusted p-values in the order of ``p``, never larger than those of :func:`shaffer`. NaN stays NaN.

    Examples
    --------
    Shaffer counts how many pairs can be equal; this also looks at which:

    >>> bergmann_hommel([0.01, 0.02, 0.03, 0.04, 0.05, 0.06])
    array([0.06, 0.06, 0.06, 0.12, 0.12, 0.12])
    >>> shaffer([0.01, 0.02, 0.03, 0.04, 0.05, 0.06])
    array([0.06, 0.06, 0.09, 0.12, 0.12, 0.12])
    """
    values, order = _sorted_tests(p)
    k = _methods_of(values)
    if k > MOST_METHODS:
        raise fault("p", f"compare at most {MOST_METHODS} methods", k, "use shaffer for more")
    possible = _possible_sets(k)[:, order]
    least = np.where(possible, values[order], np.inf).min(axis=1, initial=np.inf)
    # A set of which no pair was tested bounds nothing.
    sizes = possible.sum(axis=1)
    bounds = np.where(sizes > 0, sizes * np.where(sizes > 0, least, 0.0), 0.0)
    adjusted = np.where(possible, bounds[:, None], 0.0).max(axis=0, initial=0.0)
    return _put_back(values, order, np.minimum(adjusted, 1.0))


@cache
def _possible_sets(k: int) -> NDArray[np.bool_]:
    """Return which pairs are equal in each division of k methods into groups, one row per division."""
    divisions = [[0]]
    for _ in range(1, k):
        divisions = [[*groups, group] for groups in divisions for group in range(max(groups) + 2)]
    groups = np.array(divisions, dtype=np.int8)
    one, other = np.triu_indices(k, 1)
    return np.asarray(groups[:, one] == groups[:, other])


def _methods_of(values: NDArray[np.float64]) -> int:
    """Return how many methods have so many pairs."""
    k = (1 + math.isqrt(1 + 8 * len(values))) // 2
    if k * (k - 1) // 2 != len(values):
        hint = "give 1, 3, 6, 10 or more, one per pair of methods"
        raise fault("p", "have a value for all pairs of k methods", Phrase(f"{len(values):,} values"), hint)
    return k


def cauchy_combination(p: ArrayLike, weights: ArrayLike | None = None) -> float:
    r"""Combine p-values of dependent tests into one.

    :math:`T = \sum w_i \tan((1/2 - p_i) \pi)` with weights that add up to 1 is approximately Cauchy
    under the null, for any dependence between the tests (Liu and Xie 2020).

    Parameters
    ----------
    p : array-like of shape (n_tests,)
        P-values; NaN marks a test that was not done.
    weights : array-like of shape (n_tests,), optional
        The weight of each test; equal by default.

    Returns
    -------
    float
        One p-value; NaN if no test was done.

    Notes
    -----
    A p-value of exactly 1, which discrete tests give, would outweigh all others: p-values above 0.99 count as 0.99.

    Examples
    --------
    >>> round(cauchy_combination([0.01, 0.2, 0.9]), 4)
    0.0316
    >>> round(cauchy_combination([0.03, 0.03, 0.03]), 4)
    0.03
    """
    values, order = _sorted_tests(p)
    given = np.ones_like(values) if weights is None else check_vector(weights, "weights")
    if len(given) != len(values):
        raise fault(
            "weights", f"be {len(values)}, one per test", len(given), "leave them out to weight all tests equally"
        )
    if (given < 0).any():
        raise fault("weights", "be at least 0", float(given.min()), "leave a test out with weight 0")
    counted = order[given[order] > 0]
    if not len(counted):
        return float("nan")
    shares = given[counted] / given[counted].sum()
    p_counted = np.clip(values[counted], _SMALLEST_P, _LARGEST_P)
    # tan((1/2 - p) pi) is 1 / tan(p pi), which keeps the digits of small p
    total = float(shares @ (1.0 / np.tan(p_counted * np.pi)))
    combined = math.atan2(1.0, total) / math.pi
    return float(min(max(combined, _SMALLEST_P), 1.0))


def _sorted_tests(p: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return the checked p-values, and the places of those that are not NaN in ascending order."""
    try:
        values = np.asarray(p, dtype=np.float64)
    except (TypeError, ValueError):
        raise fault("p", "be numbers", p, "convert text to numbers first") from None
    if values.ndim != 1:
        raise fault("p", "have one dimension", Phrase(f"shape {values.shape}"), "pass one column or a flat list")
    outside = (values < 0) | (values > 1)
    if outside.any():
        raise fault("p", "lie between 0 and 1", float(values[outside][0]), "give p-values, not statistics")
    order = np.argsort(values, kind="stable")  # NaN is sorted to the end
    return values, order[: np.count_nonzero(~np.isnan(values))]


def _put_back(
    values: NDArray[np.float64], order: NDArray[np.intp], adjusted: NDArray[np.float64]
) -> NDArray[np.float64]:
    result = np.full_like(values, np.nan)
    result[order] = adjusted
    return result

"""P-values of many tests at once, adjusted for their number or combined into one."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shiftproof.core import check_vector, fault

# A p of 0 is raised until 1/p is finite; one near 1 must not outweigh the rest.
_SMALLEST_P, _LARGEST_P = 1e-300, 0.99


def benjamini_hochberg(p: ArrayLike) -> NDArray[np.float64]:
    r"""Adjust p-values to control the false discovery rate: rejecting q <= a keeps it below a.

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
    r"""Adjust p-values to control the family-wise error rate: rejecting p <= a keeps it at most a.

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
        raise fault("weights", f"be {len(values)}, one per test", len(given), "leave them out to count all the same")
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
        raise fault("p", "have one dimension", values.shape, "pass one column or a flat list")
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

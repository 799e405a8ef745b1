"""Functions of one feature that need no tuning: Legendre polynomials of its rank among the reference rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Floats


def midranks(reference: NDArray[Any], values: NDArray[Any] | None = None) -> Floats:
    """Give each value's mid-rank among the reference values, as a share between 0 and 1.

    Parameters
    ----------
    reference : array of shape (n,)
        The values to rank among, none of them missing.
    values : array of shape (m,), optional
        New values, each ranked as if it were one more reference value: without that half step, squares of the new
        ranks would be larger on average than those of the old ones without any shift. By default the reference itself.

    Returns
    -------
    array of shape (n,) or (m,)
        Shares; 1/2 for a reference that is constant.

    Examples
    --------
    >>> midranks(np.array([10, 20, 20, 40]))
    array([0.125, 0.5  , 0.5  , 0.875])
    >>> midranks(np.array([10, 20, 20, 40]), np.array([5, 20, 99]))
    array([0.1, 0.5, 0.9])
    """
    if values is None:
        return place_ranks(reference, reference)
    n = len(reference)
    return np.asarray((2 * n * place_ranks(reference, values) + 1) / (2 * n + 2))


def place_ranks(reference: NDArray[Any], values: NDArray[Any]) -> Floats:
    """Give the place of values among the reference values, equal ones the same wherever they come from.

    Examples
    --------
    >>> place_ranks(np.array([10, 20, 20, 40]), np.array([5, 20, 99]))
    array([0. , 0.5, 1. ])
    """
    ordered = np.sort(reference)
    below = np.searchsorted(ordered, values, side="left")
    up_to = np.searchsorted(ordered, values, side="right")
    return np.asarray((below + up_to) / (2 * len(ordered)))


def legendre(ranks: Floats, degree: int) -> Floats:
    r"""Evaluate the Legendre polynomials :math:`\sqrt{2k+1}\,P_k(2u-1)` for k = 1 … ``degree``.

    For uniform ranks u they have mean 0, variance 1 and no correlation.

    Examples
    --------
    >>> legendre(np.array([0.0, 0.5, 1.0]), 2).round(3)
    array([[-1.732,  2.236],
           [ 0.   , -1.118],
           [ 1.732,  2.236]])
    """
    x = 2 * ranks - 1
    before, now = np.ones_like(x), x
    columns = []
    for k in range(1, degree + 1):
        columns.append(math.sqrt(2 * k + 1) * now)
        # Bonnet's recursion: (k + 1) P_{k+1} = (2k + 1) x P_k - k P_{k-1}.
        before, now = now, ((2 * k + 1) * x * now - k * before) / (k + 1)
    return np.column_stack(columns)

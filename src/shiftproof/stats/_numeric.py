"""Errors of predicted numbers, each with an interval."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from shiftproof.core import Interval, Seed, check_choice, check_vector, fault
from shiftproof.stats._bootstrap import bootstrap

NumericError = Literal[
    "absolute",
    "squared",
    "root squared",
    "relative absolute",
    "relative squared",
    "root relative squared",
    "correlation",
]


def numeric_error(
    actual: ArrayLike,
    predicted: ArrayLike,
    error: NumericError = "absolute",
    *,
    level: float = 0.95,
    n_resamples: int = 2000,
    random_state: Seed = 0,
) -> Interval:
    r"""Return an error of predicted numbers, such as the mean absolute error, with its bootstrap interval (BCa).

    Parameters
    ----------
    actual, predicted : array-like of shape (n,)
        The numbers, and what was predicted for them.
    error : str
        ``"absolute"``, ``"squared"`` and ``"root squared"`` are means of :math:`|p - a|` and :math:`(p - a)^2`, and the
        root of the latter. ``"relative absolute"``, ``"relative squared"`` and ``"root relative squared"`` divide them
        by the same error of always predicting the mean of `actual`: 1 is no better than the mean. ``"correlation"`` is
        Pearson's.
    level : float
        The nominal coverage.
    n_resamples : int
        The number of resamples.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed.

    Returns
    -------
    Interval

    Examples
    --------
    >>> actual, predicted = np.arange(50.0), np.arange(50.0) + np.tile([1, -1, 3, -3, 0], 10)
    >>> print(numeric_error(actual, predicted))
    1.600 [1.280, 1.940]
    >>> print(numeric_error(actual, predicted, "relative squared"))
    0.019 [0.013, 0.028]
    """
    check_choice(error, "error", get_args(NumericError))
    pair = check_vector(actual, "actual"), check_vector(predicted, "predicted")
    if len(pair[0]) != len(pair[1]):
        raise fault(
            "predicted", f"have {len(pair[0])} values, one per actual value", len(pair[1]), "pass equal lengths"
        )
    if len(pair[0]) < 2 or (error not in ("absolute", "squared", "root squared") and np.ptp(pair[0]) == 0):
        raise fault("actual", "hold at least two different numbers", pair[0], f"{error!r} is undefined without")
    limits = (-1.0, 1.0) if error == "correlation" else (0.0, np.inf)

    def statistic(a: Any, p: Any, axis: int) -> Any:
        with np.errstate(invalid="ignore", divide="ignore"):
            centred = a - a.mean(axis, keepdims=True)
            if error == "correlation":
                other = p - p.mean(axis, keepdims=True)
                return (centred * other).sum(axis) / np.sqrt((centred**2).sum(axis) * (other**2).sum(axis))
            power = abs if error.endswith("absolute") else np.square
            size = power(p - a).mean(axis)
            size = size / power(centred).mean(axis) if "relative" in error else size
            return np.sqrt(size) if error.startswith("root") else size

    return bootstrap(pair, statistic, level=level, n_resamples=n_resamples, random_state=random_state, limits=limits)

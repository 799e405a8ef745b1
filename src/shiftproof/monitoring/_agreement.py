"""Accuracy and class proportions of one batch restrict each other, because the model's answers are known.

A model that answers only one class has exactly that class's share as its accuracy. In general, if the shares of the
answers are `q` and those of the classes `p`, accuracy is at most the sum of ``min(q, p)`` over all classes, and at
least ``q + p - 1`` of each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from shiftproof.case import SpreadShares
from shiftproof.core import Floats, Interval

# How far a share gives way before accuracy does, in its standard errors by sampling: in a small batch the estimate of a
# share is pulled to the reference, and the answers know better. Without a shift accuracy then stays as it is.
_GIVES_WAY = 1.64


def agreeing(accuracy: float, allowance: float, shares: SpreadShares, answers: Floats) -> tuple[float, SpreadShares]:
    """Move accuracy and class proportions as little as it takes for both to be possible.

    Shares give way first, as far as chance explains. What is left is shared between the two, in proportion to the
    variances that drift adds. On 143 natural pairs neither estimate gets worse by that.

    Parameters
    ----------
    accuracy, allowance : float
        The estimate, and the standard error that drift adds.
    shares : SpreadShares
        The estimated class proportions.
    answers : ndarray of shape (k,)
        The shares of the classes that the model answers.

    Examples
    --------
    A model that never answers class 1: as many rows are right as are of class 0.

    >>> errors = np.full(2, 0.02)
    >>> spread = SpreadShares.of(np.array([0.8, 0.2]), errors, errors, 2 * errors)
    >>> value, moved = agreeing(0.94, 0.04, spread, np.array([1.0, 0.0]))
    >>> print(f"{value:.2f}", moved.values.round(2))
    0.89 [0.89 0.11]
    """
    values, apart = shares.values, _apart(shares.values, answers)
    too_high = accuracy - (1 - apart)
    if too_high > 0 and apart > 0:
        values = values - (values - answers) * _of_shares(too_high, allowance, shares) / apart
    most = int((values + answers).argmax())
    too_low = float(values[most] + answers[most] - 1) - accuracy
    if too_low > 0:
        less = min(_of_shares(too_low, allowance, shares), float(values[most]))
        others = np.arange(len(values)) != most
        rest = values[others].sum()
        spread = values * others / rest if rest > 0 else others / others.sum()
        values = values + less * (spread - ~others)
    least = max(float((values + answers).max()) - 1, 0.0)
    return float(np.clip(accuracy, least, 1 - _apart(values, answers))), replace(shares, values=values)


def _of_shares(gap: float, allowance: float, shares: SpreadShares) -> float:
    """Return the part of a gap that the shares close."""
    by_chance = min(gap, _GIVES_WAY * float(shares.sampling.sum()) / 2)
    drift = float(shares.drift.sum()) / 2
    return by_chance + (gap - by_chance) * drift**2 / (drift**2 + allowance**2)


def sharing_interval(
    accuracy: Interval, shares: Sequence[Interval], answers: Floats
) -> tuple[Interval, list[Interval]]:
    """Give a model that answers only one class one interval for its accuracy and that class's share: they are the same.

    It contains both intervals. Those of a model that answers several classes stay as they are.
    """
    only, shares = int(answers.argmax()), list(shares)
    if answers[only] < 1:
        return accuracy, shares
    low, high = min(accuracy.low, shares[only].low), max(accuracy.high, shares[only].high)
    shares[only] = replace(shares[only], low=low, high=high)
    if len(shares) == 2:
        shares[1 - only] = replace(shares[1 - only], low=1 - high, high=1 - low)
    return replace(accuracy, low=low, high=high), shares


def agreeing_shares(
    accuracy: Interval, shares: Mapping[Any, Interval], only_answer: int | None
) -> Mapping[Any, Interval]:
    """Give the share of the only class that a model answers the interval that labels gave its accuracy.

    Shares of a model that answers several classes stay as they are.

    Examples
    --------
    >>> known = Interval(estimate=0.7, low=0.6, high=0.8, level=0.9, method="labels")
    >>> unsure = Interval(estimate=0.5, low=0.0, high=1.0, level=0.9, method="scores")
    >>> [str(one) for one in agreeing_shares(known, {"no": unsure, "yes": unsure}, 0).values()]
    ['0.700 [0.600, 0.800]', '0.300 [0.200, 0.400]']
    """
    if only_answer is None:
        return shares
    labels, joined = list(shares), dict(shares)
    joined[labels[only_answer]] = accuracy
    if len(labels) == 2:
        rest = replace(accuracy, estimate=1 - accuracy.estimate, low=1 - accuracy.high, high=1 - accuracy.low)
        joined[labels[1 - only_answer]] = rest
    return joined


def _apart(values: Floats, answers: Floats) -> float:
    """Return the share of rows that are wrong at least."""
    return float(np.abs(values - answers).sum()) / 2

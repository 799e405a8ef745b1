"""True and false positive rates at many thresholds, as whole numbers over one denominator: ties are ties."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Codes, Floats, check_choice
from shiftproof.counting._learned import Binary

Averaging = Literal["folds", "pooled"]


@dataclass(frozen=True, eq=False)
class Rates:
    """Rates at rising thresholds; a row counts as positive where its score is at least the threshold.

    Parameters
    ----------
    thresholds : array of shape (T,)
        Rising.
    true, false : arrays of whole numbers, shape (T,)
        The true and false positive rates times `whole`; fractions where rows have weights that are not whole numbers.
    whole : int
        The common denominator, or 1.
    """

    thresholds: Floats
    true: NDArray[Any]
    false: NDArray[Any]
    whole: int

    @property
    def tpr(self) -> Floats:
        """The true positive rates."""
        return np.asarray(self.true / self.whole, dtype=np.float64)

    @property
    def fpr(self) -> Floats:
        """The false positive rates."""
        return np.asarray(self.false / self.whole, dtype=np.float64)

    @property
    def gap(self) -> Floats:
        """How much the true positive rate is larger."""
        return np.asarray((self.true - self.false) / self.whole, dtype=np.float64)

    def where(self, chosen: NDArray[np.bool_]) -> Rates:
        """Give the rates at some of the thresholds."""
        return Rates(self.thresholds[chosen], self.true[chosen], self.false[chosen], self.whole)


def rates_at(binary: Binary, thresholds: Floats, averaging: Averaging) -> Rates:
    """Give the rates at rising thresholds.

    Parameters
    ----------
    binary : Binary
        Labelled scores.
    thresholds : array of shape (T,)
        Rising.
    averaging : {"folds", "pooled"}
        The mean of the folds' rates, over the folds that have rows of the class; or the rate of all rows.

    Examples
    --------
    >>> three = Binary(np.array([0.2, 0.6, 0.8]), np.array([False, True, True]), np.array([0, 0, 1]), np.ones(3))
    >>> rates_at(three, np.array([0.1, 0.7]), "folds").tpr
    array([1. , 0.5])
    """
    folds = averaged_folds(binary.folds, averaging)
    sides = binary.positive, ~binary.positive
    weights = [binary.weights[side] for side in sides]
    parts = [_denominators(folds[side], weight) for side, weight in zip(sides, weights, strict=True)]
    if np.array_equal(binary.weights, np.rint(binary.weights)):
        # Ties among thresholds decide which is chosen, so that rates must not be rounded: they share one denominator.
        whole = math.lcm(*(int(size) for part in parts for size in np.unique(part)))
        # Sums and differences of a few such numbers fit into a machine's word, or else are Python's numbers.
        kind = np.int64 if whole < 2**60 else object
        counted = [
            [values.astype(np.int64).astype(kind) for values in pair] for pair in zip(parts, weights, strict=True)
        ]
        added = [whole // part * weight for part, weight in counted]
    else:
        whole, added = 1, [weight / part for part, weight in zip(parts, weights, strict=True)]
    true, false = (
        _at_least(binary.scores[side], of_rows, thresholds) for side, of_rows in zip(sides, added, strict=True)
    )
    return Rates(thresholds, true, false, whole)


def averaged_folds(folds: Codes, averaging: Averaging) -> Codes:
    """Give the folds whose rates are averaged: those there are, or one of all rows."""
    return folds if check_choice(averaging, "rates", ["folds", "pooled"]) == "folds" else np.zeros_like(folds)


def _denominators(folds: Codes, weights: Floats) -> Floats:
    """Give for each row what its weight is divided by in the mean over folds of a fold's mean."""
    # Folds without a row of the side have no rate, and are not part of the mean.
    _, places = np.unique(folds, return_inverse=True)
    totals = np.bincount(places, weights)
    return np.asarray(totals[places] * len(totals))


def _at_least(scores: Floats, weights: NDArray[Any], thresholds: Floats) -> NDArray[Any]:
    """Add up the weights of the rows with scores of at least each threshold."""
    total = np.zeros(len(thresholds) + 1, dtype=weights.dtype)
    np.add.at(total, np.searchsorted(thresholds, scores, side="right"), weights)
    return np.asarray(total[::-1].cumsum()[::-1][1:])

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
        The true and false positive rates times `whole`.
    whole : int
        The common denominator.
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
    >>> three = Binary(np.array([0.2, 0.6, 0.8]), np.array([False, True, True]), np.array([0, 0, 1]))
    >>> rates_at(three, np.array([0.1, 0.7]), "folds").tpr
    array([1. , 0.5])
    """
    folds = averaged_folds(binary.folds, averaging)
    parts = [_denominators(folds[side]) for side in (binary.positive, ~binary.positive)]
    # Ties among thresholds decide which is chosen, so that rates must not be rounded: they share one denominator.
    whole = math.lcm(*(size for part in parts for size in np.unique(part).tolist()))
    # Sums and differences of a few such numbers fit into a machine's word, or else are Python's numbers.
    kind = np.int64 if whole < 2**60 else object
    true, false = (
        _at_least(binary.scores[side], np.asarray(whole // part.astype(kind)), thresholds)
        for side, part in zip((binary.positive, ~binary.positive), parts, strict=True)
    )
    return Rates(thresholds, true, false, whole)


def averaged_folds(folds: Codes, averaging: Averaging) -> Codes:
    """Give the folds whose rates are averaged: those there are, or one of all rows."""
    return folds if check_choice(averaging, "rates", ["folds", "pooled"]) == "folds" else np.zeros_like(folds)


def _denominators(folds: Codes) -> Codes:
    """Give for each row one over its weight in the mean over folds of a fold's mean."""
    # Folds without a row of the side have no rate, and are not part of the mean.
    _, places, counts = np.unique(folds, return_inverse=True, return_counts=True)
    return np.asarray(counts[places] * len(counts))


def _at_least(scores: Floats, weights: NDArray[Any], thresholds: Floats) -> NDArray[Any]:
    """Add up the weights of the rows with scores of at least each threshold."""
    total = np.zeros(len(thresholds) + 1, dtype=weights.dtype)
    np.add.at(total, np.searchsorted(thresholds, scores, side="right"), weights)
    return np.asarray(total[::-1].cumsum()[::-1][1:])

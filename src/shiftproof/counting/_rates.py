"""True and false positive rates at many thresholds, as whole numbers over one denominator: ties are ties."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Codes, Floats, check_choice
from shiftproof.counting._learned import Binary
from shiftproof.counting._samples import Places

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
    sides = [_RatedSide.of(binary, chosen, folds) for chosen in (binary.positive, ~binary.positive)]
    if np.array_equal(binary.weights, np.rint(binary.weights)):
        # Ties among thresholds decide which is chosen, so that rates must not be rounded: they share one denominator.
        whole = math.lcm(*(int(size) for side in sides for size in side.denominators))
        # Sums and differences of a few such numbers fit into a machine's word, or else are Python's numbers.
        kind = np.int64 if whole < 2**60 else object
        true, false = (
            side.whole_numbers(thresholds, whole // side.denominators.astype(np.int64).astype(kind)) for side in sides
        )
    else:
        whole, (true, false) = 1, (side.fractions(thresholds) for side in sides)
    return Rates(thresholds, true, false, whole)


@dataclass(frozen=True, eq=False)
class _RatedSide:
    """The rows of the class, or of the others.

    Parameters
    ----------
    scores, weights : arrays of shape (n,)
        Of these rows.
    places : array of shape (n,), optional
        The place of each row's fold among those that have rows of this side; None if there is one.
    denominators : array of shape (folds,)
        What a weight is divided by in the mean over folds of a fold's mean.
    """

    scores: Floats
    weights: Floats
    places: Places | None
    denominators: Floats

    @classmethod
    def of(cls, binary: Binary, chosen: NDArray[np.bool_], folds: Codes) -> _RatedSide:
        scores, weights = binary.scores[chosen], binary.weights
        # Equal weights, as nearly always, take no memory.
        equal = weights.min() == weights.max()
        weights = np.broadcast_to(weights[0], scores.shape) if equal else weights[chosen]
        # One fold is by far the most frequent case.
        if folds.min() == folds.max():
            return cls(scores, weights, None, weights.sum(keepdims=True))
        # Folds without a row of the side have no rate, and are not part of the mean.
        _, places = np.unique(folds[chosen], return_inverse=True)
        totals = np.bincount(places, weights)
        return cls(scores, weights, places, np.asarray(totals * len(totals), dtype=np.float64))

    def whole_numbers(self, thresholds: Floats, factors: NDArray[Any]) -> NDArray[Any]:
        """Add up whole weights, times the factor of their fold, of rows with scores of at least each threshold."""
        found = np.searchsorted(thresholds, self.scores, side="right")
        if self.places is None and self.weights.min() == self.weights.max() == 1:
            counts = np.bincount(found, minlength=len(thresholds) + 1)
            return _at_least(counts.astype(factors.dtype, copy=False) * factors[0])
        total = np.zeros(len(thresholds) + 1, dtype=factors.dtype)
        # In a machine's word or Python's numbers: `bincount` would turn both into floats.
        np.add.at(total, found, factors[self._of_fold] * self.weights.astype(np.int64))
        return _at_least(total)

    def fractions(self, thresholds: Floats) -> Floats:
        """Add up weights over the denominator of their fold, of rows with scores of at least each threshold."""
        found = np.searchsorted(thresholds, self.scores, side="right")
        added = self.weights / self.denominators[self._of_fold]
        return _at_least(np.bincount(found, added, minlength=len(thresholds) + 1))

    @property
    def _of_fold(self) -> Places | int:
        return 0 if self.places is None else self.places


def _at_least(total: NDArray[Any]) -> NDArray[Any]:
    """Turn sums between thresholds into sums from each threshold on."""
    return np.asarray(total[::-1].cumsum()[::-1][1:])


def averaged_folds(folds: Codes, averaging: Averaging) -> Codes:
    """Give the folds whose rates are averaged: those there are, or one of all rows."""
    return folds if check_choice(averaging, "rates", ["folds", "pooled"]) == "folds" else np.zeros_like(folds)

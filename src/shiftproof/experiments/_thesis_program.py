"""Chapter 6 by SVM-perf, the program of Joachims (2005): algorithms 2 and 3 of the thesis, and what it adds to them.

SVM-perf counts the loss in per cent and multiplies every row by 50 / n. It adds a constant column of 1, rescales
margins, and takes the first of equal tables, which at zero weights is the one with every row on the wrong side. It
stops when no constraint is violated by more than 0.1 per cent, and returns the weights of that moment. So where no
weights are best, as for 1 - Q on some problems, it still returns some.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from shiftproof import quantification as sq
from shiftproof.experiments._cells import cell_seed
from shiftproof.experiments._thesis_runs import BETAS, estimates, load_problem

if TYPE_CHECKING:
    from shiftproof.experiments._sources import DataSources

Array = NDArray[Any]

#: The defaults of SVM-perf: c in its own units, and the precision in units of the loss.
COST, PRECISION = 0.01, 0.001
# Below, sums of the same numbers in another order differ.
_DIGITS = 12


def program_estimates(sources: DataSources, problem: str, seed: int) -> pd.DataFrame:
    """Run the four machines of chapter 6 by SVM-perf."""
    quantifiers = {name: sq.ClassifyAndCount(SvmPerf(beta)) for name, beta in BETAS.items()}
    return estimates(quantifiers, *load_problem(sources, problem), seed=cell_seed(problem, seed), nested=False)


class SvmPerf(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A line for 1 - Q of recall and NAS by algorithm 2, which looks for the worst table by algorithm 3.

    Parameters
    ----------
    beta : float
        The weight of NAS; infinite for NAS alone.
    """

    def __init__(self, beta: float = 2.0) -> None:
        self.beta = beta

    def fit(self, X: Array, y: Array) -> SvmPerf:
        """Add the constraint that is violated most until none is violated by more than the precision."""
        self.classes_ = np.unique(y)
        rows = _with_constant(X)
        positive, negative = rows[y == self.classes_[1]], -rows[y == self.classes_[0]]
        losses = table_losses(len(positive), len(negative), self.beta)
        # In units of the loss, the risk weighs 100 c.
        weight = 100 * COST
        weights, slopes, offsets, shares = np.zeros(rows.shape[1]), [np.zeros(rows.shape[1])], [0.0], np.ones(1)
        while True:
            slope, offset = _worst(positive, negative, losses, weights)
            slack = (np.array(offsets) + np.array(slopes) @ weights).max()
            if offset + slope @ weights <= slack + PRECISION:
                break
            slopes.append(slope)
            offsets.append(offset)
            planes = np.array(slopes)
            shares = sq.mix(weight * planes @ planes.T, np.array(offsets), np.append(shares, 0.0))
            weights = -weight * shares @ planes
        self.weights_ = weights
        return self

    def predict_proba(self, X: Array) -> Array:
        """Give 1 for the class on whose side a row is: the program counts."""
        decision = _with_constant(X) @ self.weights_
        positive = (np.round(decision / max(float(np.abs(self.weights_).max()), 1e-300), _DIGITS - 2) > 0).astype(float)
        return np.column_stack([1 - positive, positive])

    def predict(self, X: Array) -> Array:
        """Give the classes."""
        return np.asarray(self.classes_[self.predict_proba(X)[:, 1].astype(int)])


def _with_constant(X: Array) -> Array:
    return np.column_stack([X, np.ones(len(X))])


def table_losses(positives: int, negatives: int, beta: float) -> Array:
    """Return 1 - Q of every table: one row per number of true positives, one column per number of true negatives."""
    recall = np.arange(positives + 1)[:, None] / positives
    gap = np.abs((positives - np.arange(positives + 1))[:, None] - (negatives - np.arange(negatives + 1)))
    nas = 1 - gap / max(positives, negatives)
    share = 1.0 if np.isinf(beta) else beta**2 / (1 + beta**2)
    whole = share * recall + (1 - share) * nas
    return np.asarray(1 - recall * nas / np.where(whole > 0, whole, 1)) if share < 1 else 1 - nas


def _worst(positive: Array, negative: Array, losses: Array, weights: Array) -> tuple[Array, float]:
    """Return the slope and the offset of the constraint that is violated most (algorithm 3)."""
    # Rows have their sign, so that the misclassified ones are those with the lowest margins.
    sides = [rows[np.argsort(rows @ weights, kind="stable")] for rows in (positive, negative)]
    n = len(positive) + len(negative)
    # What the lowest margins lose together: all of them with no true positive, none with all.
    lost = [np.append(0, np.cumsum(rows @ weights))[::-1] / n for rows in sides]
    values = np.where(losses > 0, losses - lost[0][:, None] - lost[1], -np.inf)
    right = np.unravel_index(int(np.round(values, _DIGITS).argmax()), values.shape)
    wrong = [rows[: len(rows) - int(count)].sum(axis=0) for rows, count in zip(sides, right, strict=True)]
    return -(wrong[0] + wrong[1]) / n, float(losses[right])

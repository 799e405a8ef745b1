"""Measures of decisions where labels are probabilities: the value, and what each row adds to it.

A row without a label has a probability of each class instead, and every measure here takes that. With the influence
of each row under each class, variances follow without resampling.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Codes, Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class Decided:
    """What one model says of some rows, and what it decides.

    Parameters
    ----------
    probabilities : ndarray of shape (n, k)
        Of the classes.
    decisions : ndarray of shape (n,)
        The code of the class decided for.
    positive : int
        The code of the positive class.
    worth : ndarray of shape (n, k), optional
        What the decision brings if the row is of each class, for the profit.
    """

    probabilities: Floats
    decisions: Codes
    positive: int
    worth: Floats | None = None

    @property
    def right(self) -> Floats:
        """One in the column of the class decided for, of shape (n, k)."""
        return one_hot(self.decisions, self.probabilities.shape[1])

    @property
    def called(self) -> Floats:
        """Whether the positive class was decided for, of shape (n, 1)."""
        return np.asarray((self.decisions == self.positive).astype(float)[:, None])

    @property
    def is_positive(self) -> Floats:
        """One in the column of the positive class, of shape (1, k)."""
        return np.eye(self.probabilities.shape[1])[[self.positive]]

    @cached_property
    def score_ranks(self) -> NDArray[np.int32]:
        """The rank of each row by its probability of the positive class, equal ones alike; sorted once per model."""
        return np.unique(self.probabilities[:, self.positive], return_inverse=True)[1].astype(np.int32)

    def take(self, rows: NDArray[np.intp]) -> Decided:
        """Return some of the rows."""
        worth = None if self.worth is None else self.worth.take(rows, axis=0)
        probabilities = self.probabilities.take(rows, axis=0)
        return replace(self, probabilities=probabilities, decisions=self.decisions[rows], worth=worth)


@dataclass(frozen=True, eq=False)
class Soft:
    """A measure's value, and the influence of each row if it is of each class, of shape (n, k).

    The weighted mean of the influence over rows and classes is zero.
    """

    value: float
    influence: Floats


Function = Callable[[Decided, Floats, Floats], Soft]


@dataclass(frozen=True, kw_only=True)
class SoftMeasure:
    """A measure that takes probabilities for labels.

    Parameters
    ----------
    name : str
        As in `shiftproof.measures.SOFT_MEASURES`, or "profit".
    function : callable
        Of what was decided, the labels' probabilities (n, k) and the rows' weights (n,), which add up to 1.
    higher_is_better : bool
        Whether the larger of two values is the better one.
    limits : tuple of two floats
        Its range.

    Examples
    --------
    >>> said = np.array([[0.9, 0.1], [0.4, 0.6]])
    >>> decided = Decided(probabilities=said, decisions=np.array([0, 1]), positive=1)
    >>> SOFT_MEASURES["accuracy"].function(decided, said, np.full(2, 0.5)).value
    0.75
    """

    name: str
    function: Function
    higher_is_better: bool = True
    limits: tuple[float, float] = (0.0, 1.0)


def one_hot(codes: Codes, k: int) -> Floats:
    """Return labels as probabilities."""
    return np.eye(k).take(codes, axis=0)


def over_classes(first: Floats, second: Floats) -> Floats:
    """Return the sum of products over the classes, row by row; NumPy's own sum over a short axis is slow.

    Examples
    --------
    >>> over_classes(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[2.0, 4.0], [3.0, 9.0]]))
    array([3., 3.])
    """
    return np.asarray(np.einsum("ij,ij->i", first, second))


def _mean(gains: Floats, labels: Floats, weights: Floats) -> Soft:
    """Average what each row brings if it is of each class."""
    value = float(weights @ over_classes(labels, gains))
    return Soft(value, gains - value)


def _ratio(above: Floats, below: Floats, labels: Floats, weights: Floats) -> Soft:
    """Divide two such averages; nothing where the lower one is zero."""
    whole = float(weights @ over_classes(labels, below))
    if whole <= 0:
        return Soft(float("nan"), np.full(labels.shape, np.nan))
    value = float(weights @ over_classes(labels, above)) / whole
    # The derivative of a ratio of two means (delta method).
    return Soft(value, (above - value * below) / whole)


def _precision(decided: Decided, labels: Floats, weights: Floats) -> Soft:
    called = np.broadcast_to(decided.called, labels.shape)
    return _ratio(called * decided.is_positive, called, labels, weights)


def _recall(decided: Decided, labels: Floats, weights: Floats) -> Soft:
    positive = np.broadcast_to(decided.is_positive, labels.shape)
    return _ratio(decided.called * positive, positive, labels, weights)


def _f1(decided: Decided, labels: Floats, weights: Floats) -> Soft:
    # F1 = 2 TP / (predicted positives + actual positives).
    both = decided.called * decided.is_positive
    return _ratio(2 * both, np.broadcast_to(decided.called + decided.is_positive, labels.shape), labels, weights)


def _brier(decided: Decided, labels: Floats, weights: Floats) -> Soft:
    """Return the mean squared error of the positive class's probability; of all classes if there are more than two."""
    p = decided.probabilities
    if p.shape[1] == 2:
        return _mean((p[:, [decided.positive]] - decided.is_positive) ** 2, labels, weights)
    # The sum over classes of (p - [class])^2, expanded, so that no (n, k, k) array is made.
    return _mean((p**2).sum(axis=1)[:, None] - 2 * p + 1, labels, weights)


def _profit(decided: Decided, labels: Floats, weights: Floats) -> Soft:
    if decided.worth is None:
        raise ValueError("the profit needs what decisions bring")
    return _mean(decided.worth, labels, weights)


def _auc(decided: Decided, labels: Floats, weights: Floats) -> Soft:
    """Return the area under the ROC curve, of the positive class against the others."""
    positive, place = decided.positive, decided.score_ranks
    above, below = weights * labels[:, positive], weights * (1 - labels[:, positive])
    whole, rest = float(above.sum()), float(below.sum())
    if whole <= 0 or rest <= 0:
        return Soft(float("nan"), np.full(labels.shape, np.nan))
    # Mann-Whitney: the share of negatives below each row, and of positives above it.
    of_negatives = _midpoints(np.bincount(place, below).astype(float))[place] / rest
    of_positives = 1 - _midpoints(np.bincount(place, above).astype(float))[place] / whole
    value = float(above @ of_negatives) / whole
    influence = np.repeat(((of_positives - value) / rest)[:, None], labels.shape[1], axis=1)
    influence[:, positive] = (of_negatives - value) / whole
    return Soft(value, influence)


def _midpoints(masses: Floats) -> Floats:
    # Ties count half.
    return np.asarray(np.cumsum(masses) - masses / 2)


_ALL = [
    SoftMeasure(name="accuracy", function=lambda decided, *rows: _mean(decided.right, *rows)),
    SoftMeasure(name="error", function=lambda decided, *rows: _mean(1 - decided.right, *rows), higher_is_better=False),
    SoftMeasure(name="precision", function=_precision),
    SoftMeasure(name="recall", function=_recall),
    SoftMeasure(name="f1", function=_f1),
    SoftMeasure(name="auc", function=_auc),
    # Squared errors of several classes add up to 2 at most.
    SoftMeasure(name="brier", function=_brier, higher_is_better=False, limits=(0.0, 2.0)),
    SoftMeasure(name="profit", function=_profit, limits=(-np.inf, np.inf)),
]

#: The measures that can be estimated without labels, by name.
SOFT_MEASURES: Mapping[str, SoftMeasure] = MappingProxyType({each.name: each for each in _ALL})

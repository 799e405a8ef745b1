"""Measures of decisions where labels are probabilities: the value, and what each row adds to it.

A row without a label has a probability of each class instead, and every measure here takes that. With the influence
of each row under each class, variances follow without resampling. Influences are made for some rows at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from shiftproof.case._blocks import RowWise, columns_at, one_hot, over_classes, weights_at
from shiftproof.core import Codes, Floats, blocks


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
    def k(self) -> int:
        """How many classes there are."""
        return int(self.probabilities.shape[1])

    def right(self, rows: slice) -> Floats:
        """Return one in the column of the class decided for, of shape (b, k)."""
        return one_hot(self.decisions[rows], self.k)

    def wrong(self, rows: slice) -> Floats:
        """Return one in the columns of the other classes, of shape (b, k)."""
        return 1 - self.right(rows)

    def called(self, rows: slice) -> Floats:
        """Return whether the positive class was decided for, of shape (b, 1)."""
        return np.asarray((self.decisions[rows] == self.positive).astype(float)[:, None])

    @property
    def is_positive(self) -> Floats:
        """One in the column of the positive class, of shape (1, k)."""
        return np.eye(self.k)[[self.positive]]

    @cached_property
    def score_ranks(self) -> NDArray[np.int32]:
        """The rank of each row by its probability of the positive class, equal ones alike; sorted once per model."""
        scores = self.probabilities[:, self.positive]
        order = np.argsort(scores)
        ordered = scores[order]
        ranks = np.empty(len(scores), dtype=np.int32)
        ranks[order] = np.cumsum(np.append(False, ordered[1:] != ordered[:-1]), dtype=np.int32)
        return ranks

    def take(self, rows: NDArray[np.intp]) -> Decided:
        """Return some of the rows."""
        worth = None if self.worth is None else self.worth.take(rows, axis=0)
        probabilities = self.probabilities.take(rows, axis=0)
        return replace(self, probabilities=probabilities, decisions=self.decisions[rows], worth=worth)


@dataclass(frozen=True, eq=False)
class Soft:
    """A measure's value, and the influence of each row if it is of each class.

    The weighted mean of the influence over rows and classes is zero.

    Attributes
    ----------
    value : float
        The measure.
    at : callable
        Gives the influence of some rows, of shape (b, k).
    """

    value: float
    at: Callable[[slice], Floats]

    @property
    def influence(self) -> Floats:
        """The influence of all rows, of shape (n, k)."""
        return self.at(slice(None))


Function = Callable[[Decided, RowWise, RowWise], Soft]
# What some rows bring if they are of each class, of shape (b, k) or one that broadcasts to it.
_Gains = Callable[[slice], Floats]


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


def _average(gains: _Gains, labels: RowWise, weights: RowWise) -> float:
    """Average what each row brings over the rows and their probable classes."""
    value = 0.0
    for rows in blocks(len(labels)):
        probable = columns_at(labels, rows)
        # A view of full shape: what every class or row has in common is not copied.
        brought = np.broadcast_to(gains(rows), probable.shape)
        value += float(weights_at(weights, rows) @ over_classes(probable, brought))
    return value


def _mean(gains: _Gains, labels: RowWise, weights: RowWise) -> Soft:
    """Average what each row brings if it is of each class."""
    value = _average(gains, labels, weights)
    return Soft(value, lambda rows: gains(rows) - value)


def _ratio(above: _Gains, below: _Gains, labels: RowWise, weights: RowWise, k: int) -> Soft:
    """Divide two such averages; nothing where the lower one is zero."""
    whole = _average(below, labels, weights)
    if whole <= 0:
        return _undefined(len(labels), k)
    value = _average(above, labels, weights) / whole
    # The derivative of a ratio of two means (delta method).
    return Soft(value, lambda rows: (above(rows) - value * below(rows)) / whole)


def _undefined(n: int, k: int) -> Soft:
    return Soft(float("nan"), lambda rows: np.broadcast_to(np.nan, (n, k))[rows])


def _precision(decided: Decided, labels: RowWise, weights: RowWise) -> Soft:
    return _ratio(lambda rows: decided.called(rows) * decided.is_positive, decided.called, labels, weights, decided.k)


def _recall(decided: Decided, labels: RowWise, weights: RowWise) -> Soft:
    positive = decided.is_positive
    return _ratio(lambda rows: decided.called(rows) * positive, lambda _: positive, labels, weights, decided.k)


def _f1(decided: Decided, labels: RowWise, weights: RowWise) -> Soft:
    # F1 = 2 TP / (predicted positives + actual positives).
    positive = decided.is_positive
    return _ratio(
        lambda rows: 2 * decided.called(rows) * positive,
        lambda rows: decided.called(rows) + positive,
        labels,
        weights,
        decided.k,
    )


def _brier(decided: Decided, labels: RowWise, weights: RowWise) -> Soft:
    """Return the mean squared error of the positive class's probability; of all classes if there are more than two."""
    p = decided.probabilities
    if decided.k == 2:
        place = decided.positive
        return _mean(lambda rows: (p[rows, place][:, None] - decided.is_positive) ** 2, labels, weights)
    # The sum over classes of (p - [class])^2, expanded, so that no (n, k, k) array is made.
    return _mean(lambda rows: _squared_errors(columns_at(p, rows)), labels, weights)


def _squared_errors(p: Floats) -> Floats:
    return np.asarray(over_classes(p, p)[:, None] - 2 * p + 1)


def _profit(decided: Decided, labels: RowWise, weights: RowWise) -> Soft:
    if decided.worth is None:
        raise ValueError("the profit needs what decisions bring")
    worth = decided.worth
    return _mean(lambda rows: columns_at(worth, rows), labels, weights)


def _auc(decided: Decided, labels: RowWise, weights: RowWise) -> Soft:
    """Return the area under the ROC curve, of the positive class against the others."""
    positive, place, n = decided.positive, decided.score_ranks, len(labels)
    above, below = np.empty(n), np.empty(n)
    for rows in blocks(n):
        weight, chance = weights_at(weights, rows), labels[rows][:, positive]
        above[rows], below[rows] = weight * chance, weight * (1 - chance)
    whole, rest = float(above.sum()), float(below.sum())
    if whole <= 0 or rest <= 0:
        return _undefined(n, decided.k)
    # Mann-Whitney: the share of negatives below each rank, and of positives above it.
    of_negatives = _midpoints(np.bincount(place, below).astype(float, copy=False)) / rest
    of_positives = 1 - _midpoints(np.bincount(place, above).astype(float, copy=False)) / whole
    value = sum(float(above[rows] @ of_negatives[place[rows]]) for rows in blocks(n)) / whole

    def influence(rows: slice) -> Floats:
        added = np.empty((decided.k, len(place[rows]))).T
        added[:] = ((of_positives[place[rows]] - value) / rest)[:, None]
        added[:, positive] = (of_negatives[place[rows]] - value) / whole
        return added

    return Soft(value, influence)


def _midpoints(masses: Floats) -> Floats:
    # Ties count half.
    return np.asarray(np.cumsum(masses) - masses / 2)


_ALL = [
    SoftMeasure(name="accuracy", function=lambda decided, *rows: _mean(decided.right, *rows)),
    SoftMeasure(
        name="error",
        function=lambda decided, *rows: _mean(lambda of: 1 - decided.right(of), *rows),
        higher_is_better=False,
    ),
    SoftMeasure(name="precision", function=_precision),
    SoftMeasure(name="recall", function=_recall),
    SoftMeasure(name="f1", function=_f1),
    SoftMeasure(name="auc", function=_auc),
    # Squared errors of several classes add up to 2 at most.
    SoftMeasure(name="brier", function=_brier, higher_is_better=False, limits=(0.0, 2.0)),
    SoftMeasure(name="profit", function=_profit, limits=(-np.inf, np.inf)),
]

# Measures of one class against the others: with several classes the class must be named.
_OF_ONE_CLASS = ("precision", "recall", "f1", "auc")


def needs_positive(measure: str) -> bool:
    """Return whether a measure is about one class against the others."""
    return measure in _OF_ONE_CLASS


#: The measures that can be estimated without labels, by name.
SOFT_MEASURES: Mapping[str, SoftMeasure] = MappingProxyType({each.name: each for each in _ALL})

"""What the user's own past says about drift: how far estimates were off, relative to what natural drift adds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from shiftproof.case._drift import BREAK_CHANCE
from shiftproof.core import Argument, Floats, Phrase, fault

#: What natural drift has shown counts as much as so many periods of the user's own past; its t distribution has as
#: many degrees of freedom.
PRIOR_PERIODS = 4.0
#: With fewer periods the past says too little about drift.
FEWEST_PERIODS = 3
# A larger square counts as this one: a single period in which something broke would otherwise widen intervals for
# years. On natural sequences a smaller limit covers less, and a larger one only makes intervals wider
# (benchmarks/backtest.py).
_LARGEST = 25.0
_LARGEST_ERROR = math.sqrt(_LARGEST)
# Once may have been an accident, such as another unit.
_FAMILIAR = 2


@dataclass(frozen=True, kw_only=True)
class DriftRecord:
    """How far estimates were off in past periods; `Backtest.record` is one.

    From three periods on, the allowance for drift is multiplied by k, with
    ``k**2 = 1 + sum of w * (square - 1) / (4 + sum of w**2)`` and never below ``4 / (4 + sum of w**2)``, where w is a
    period's weight and a square counts as 25 at most. Where a shift is visible, the interval follows Student's t with
    ``4 + sum of w**2`` degrees of freedom. The chance of a break is divided by 1 + the number of periods: what broke in
    the past is among the squares.

    Errors that last are carried on: the estimate is moved by r times the last error, where r is how much of an error
    came back in the next period, ``sum of error * next error / (4 + sum of (error**2 + next error**2) / 2)`` and never
    below 0. An error counts as 5 at most.

    Parameters
    ----------
    squares : mapping of str to tuple of float
        By measure, one number per past period: the squared error in units of what sampling and drift together lead one
        to expect, averaged over the models.
    weights : mapping of str to tuple of float
        By measure, how much of that expected square is drift: a period of few rows says little about it. A measure
        without weights counts every period fully.
    errors : mapping of str to tuple of float
        By measure, the estimate minus the actual value in the same units, averaged over the models. A measure without
        errors is not moved.
    seen : tuple of mapping of str to float
        How far past periods were from the rows before them, by figure that may make data another kind; periods in which
        something broke are left out. New data are estimated, not refused, if two of these periods were as far away.
    covered : mapping of str to mapping of str to (int, int)
        By measure and model, in how many past periods the interval contained the actual value, and of how many.
    noun : str
        What one of the periods is called, such as "quarter".

    Examples
    --------
    >>> record = DriftRecord(squares={"accuracy": (0.0, 0.2, 0.1, 0.5)})
    >>> round(record.factor("accuracy"), 2), record.freedom("accuracy")
    (0.77, 8.0)

    Estimates that have been too low for three periods are moved up by more than half of the last error:

    >>> record = DriftRecord(squares={"accuracy": (0.1, 4.0, 4.0, 9.0)}, errors={"accuracy": (0.3, -2.0, -2.0, -3.0)})
    >>> round(record.carried("accuracy"), 2)
    -1.7
    """

    squares: Mapping[str, tuple[float, ...]]
    weights: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    errors: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    seen: tuple[Mapping[str, float], ...] = ()
    covered: Mapping[str, Mapping[str, tuple[int, int]]] = field(default_factory=dict)
    noun: str = "period"

    def n_periods(self, measure: str) -> int:
        """Return how many past periods say something about a measure."""
        return len(self.squares.get(measure, ()))

    def factor(self, measure: str) -> float:
        """Return by how much the allowance for drift is multiplied."""
        # The square of a period has mean 1 + w (k^2 - 1), so this is least squares with the prior's 4 periods of k = 1.
        excess = sum(weight * (min(square, _LARGEST) - 1) for square, weight in self._used(measure))
        freedom = self.freedom(measure)
        return math.sqrt(max(1 + excess / freedom, PRIOR_PERIODS / freedom))

    def freedom(self, measure: str) -> float:
        """Return the degrees of freedom of the interval."""
        return PRIOR_PERIODS + sum(weight**2 for _, weight in self._used(measure))

    def carried(self, measure: str) -> float:
        """Return how much of the last error is expected to come back, in units of its standard error."""
        errors = np.clip(self.errors.get(measure, ()), -_LARGEST_ERROR, _LARGEST_ERROR)
        if len(errors) < FEWEST_PERIODS:
            return 0.0
        # Both errors of a pair are in the denominator, so that one break alone is hardly carried on. As elsewhere the
        # prior, no error that lasts, counts four periods.
        squares = errors**2
        spread = float(squares[1:].sum() + squares[:-1].sum()) / 2
        return max(float(errors[1:] @ errors[:-1]), 0.0) / (PRIOR_PERIODS + spread) * float(errors[-1])

    def break_chance(self, measure: str) -> float:
        """Return the chance of a break beyond what the past has shown."""
        return BREAK_CHANCE / (1 + len(self._used(measure)))

    def familiar(self, foreign_by: Mapping[str, float]) -> bool:
        """Return whether what makes data another kind has been as large in the past, all of it at once."""
        as_far = sum(
            all(reach.get(name, -math.inf) >= value for name, value in foreign_by.items()) for reach in self.seen
        )
        return bool(foreign_by) and as_far >= _FAMILIAR

    def _used(self, measure: str) -> list[tuple[float, float]]:
        squares = self.squares.get(measure, ())
        weights = self.weights.get(measure, (1.0,) * len(squares))
        return list(zip(squares, weights, strict=True)) if len(squares) >= FEWEST_PERIODS else []


#: Nothing is known of the user's own past.
NO_RECORD = DriftRecord(squares={})


def read_history(history: object, assume: str) -> DriftRecord:
    """Return the record that a caller gave, or that of a backtest; refuse one that would not be used."""
    if history is None:
        return NO_RECORD
    record = getattr(history, "record", history)
    if not isinstance(record, DriftRecord):
        raise fault("history", "be a backtest or its record", history, "pass what sp.backtest returned")
    if assume != "natural":
        rule = Phrase("be left out with ", Argument("assume", assume))
        raise fault("history", rule, hint="without drift, the past is not used")
    return record


@dataclass(frozen=True, kw_only=True)
class PeriodDrift:
    """What one period says about drift.

    Attributes
    ----------
    square : float
        The mean of ``errors**2 / (sampling**2 + allowances**2)`` over the models.
    weight : float
        The mean share of drift in these sums.
    error : float
        The mean of ``errors / sqrt(sampling**2 + allowances**2)``.
    """

    square: float
    weight: float
    error: float

    @property
    def broke(self) -> bool:
        """Whether estimates were so far off that something must have broken."""
        return self.square >= _LARGEST


def period_drift(errors: Floats, sampling: Floats, allowances: Floats) -> PeriodDrift:
    """Return what one period says about drift: its errors relative to what was expected, and their weight.

    Parameters
    ----------
    errors, sampling, allowances : ndarrays of shape (l,)
        Of each model, the error of the estimate, its standard error and the allowance for drift.

    Examples
    --------
    >>> one = period_drift(np.array([0.05, 0.01]), np.array([0.03, 0.03]), np.array([0.04, 0.04]))
    >>> round(one.square, 6), round(one.weight, 6), round(one.error, 6)
    (0.52, 0.64, 0.6)
    """
    # The models of one period have seen the same drift, so together they are one observation.
    expected = sampling**2 + allowances**2
    return PeriodDrift(
        square=float(np.mean(errors**2 / expected)),
        weight=float(np.mean(allowances**2 / expected)),
        error=float(np.mean(errors / np.sqrt(expected))),
    )

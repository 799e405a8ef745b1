"""What the user's own past says about drift: how far estimates were off, relative to what natural drift adds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from shiftproof.core import Floats

#: What natural drift has shown counts as much as so many periods of the user's own past; its t distribution has as
#: many degrees of freedom.
PRIOR_PERIODS = 4.0
# With fewer periods the past says too little about drift.
FEWEST_PERIODS = 2


@dataclass(frozen=True, kw_only=True)
class DriftRecord:
    """How far estimates were off in past periods; `Backtest.record` is one.

    The allowance for drift is multiplied by k, with ``k**2 = (4 + sum of squares) / (4 + number of periods)``, and the
    interval follows Student's t with 4 + number of periods degrees of freedom.

    Parameters
    ----------
    squares : mapping of str to tuple of float
        By measure, one number per past period: the squared error beyond the sampling error, in units of the squared
        allowance, averaged over the models.
    covered : mapping of str to mapping of str to (int, int)
        By measure and model, in how many past periods the interval contained the actual value, and of how many.
    noun : str
        What one of the periods is called, such as "quarter".

    Examples
    --------
    >>> record = DriftRecord(squares={"accuracy": (0.0, 0.2, 0.1, 0.5)})
    >>> round(record.factor("accuracy"), 2), record.freedom("accuracy")
    (0.77, 8.0)
    """

    squares: Mapping[str, tuple[float, ...]]
    covered: Mapping[str, Mapping[str, tuple[int, int]]] = field(default_factory=dict)
    noun: str = "period"

    def n_periods(self, measure: str) -> int:
        """Return how many past periods say something about a measure."""
        return len(self.squares.get(measure, ()))

    def factor(self, measure: str) -> float:
        """Return by how much the allowance for drift is multiplied."""
        squares = self._used(measure)
        return math.sqrt((PRIOR_PERIODS + sum(squares)) / (PRIOR_PERIODS + len(squares)))

    def freedom(self, measure: str) -> float:
        """Return the degrees of freedom of the interval."""
        return PRIOR_PERIODS + len(self._used(measure))

    def _used(self, measure: str) -> tuple[float, ...]:
        squares = self.squares.get(measure, ())
        return squares if len(squares) >= FEWEST_PERIODS else ()


def drift_square(errors: Floats, sampling: Floats, allowances: Floats) -> float:
    """Return what one period says about drift: the squared errors beyond sampling, in units of the allowances.

    Parameters
    ----------
    errors, sampling, allowances : ndarrays of shape (l,)
        Of each model, the error of the estimate, its standard error and the allowance for drift.

    Examples
    --------
    >>> round(drift_square(np.array([0.05, 0.01]), np.array([0.03, 0.03]), np.array([0.04, 0.04])), 6)
    0.5
    """
    # The models of one period have seen the same drift, so together they are one observation.
    return float(np.mean(np.maximum(errors**2 - sampling**2, 0.0) / allowances**2))

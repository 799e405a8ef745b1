"""Harm: whether accuracy is below the floor.

Without labels the estimate has a bias that all batches share, so repeating it proves nothing: the floor is lowered by
what that bias may be. Labels need no such allowance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from shiftproof.monitoring.alarms._evidence import Experts

Floats = NDArray[np.float64]

#: Drops of accuracy to bet on: those of the estimate without labels, and those shown by labels.
DROPS = np.array([0.01, 0.02, 0.05, 0.1, 0.2])
LABEL_DROPS = np.array([0.025, 0.05, 0.1, 0.2, 0.4])
#: Standard deviation of what one batch's estimate is off, beyond sampling and the common bias.
_BATCH_SD = 0.02
#: How much of the bias lasts to the next batch, and the variance of one labelled row's residual.
_LASTING, _ROW_VARIANCE = 0.99, 0.14


def lowered_floor(floor: float, bias_sd: float, alpha: float) -> float:
    """Return the floor less what the estimate's bias may be; half of alpha pays for larger ones."""
    return floor + float(ndtri(alpha / 2)) * bias_sd


def bet_on_estimate(floor: float | Floats, accuracy: float | Floats, variance: float) -> Floats:
    """Return the logarithms of the bets that accuracy is below a floor, from an estimate without labels.

    Parameters
    ----------
    floor : float or array
        The floor, lowered by what the bias may be.
    accuracy : float or array
        The estimate.
    variance : float
        Its variance, without that of the bias.

    Returns
    -------
    array, shape (..., 5)
        One bet for each drop.
    """
    stake = DROPS / variance
    return stake * np.subtract(floor, accuracy)[..., None] - stake**2 * variance / 2


def bet_on_labels(floor: float, right: int | NDArray[np.int64], labelled: int) -> Floats:
    """Return the logarithms of the bets that accuracy is below the floor, from rows drawn at random and labelled.

    Parameters
    ----------
    floor : float
        The floor.
    right : int or array of int
        How many of the labelled rows are predicted correctly.
    labelled : int
        How many rows are labelled.

    Returns
    -------
    array, shape (..., 5)
        One bet for each drop.
    """
    lower = np.maximum(floor - LABEL_DROPS, 0.01)
    correct = np.asarray(right, dtype=np.float64)[..., None]
    return np.asarray(correct * np.log(lower / floor) + (labelled - correct) * np.log((1 - lower) / (1 - floor)))


def bet_on_strata(floor: float, weighted: float, highest: float, stake: float) -> float:
    """Return the logarithm of the bet that accuracy is below the floor, from rows drawn with known chances.

    Parameters
    ----------
    floor : float
        The floor.
    weighted : float
        The Horvitz-Thompson mean of the rows predicted correctly.
    highest : float
        The largest value which that mean can have.
    stake : float
        From 0 to below 1: how much of what can be lost is bet.
    """
    return math.log1p(stake / (highest - floor) * (floor - weighted))


@dataclass(frozen=True)
class Bias:
    """What is known of the bias of estimates without labels.

    It is followed by a Kalman filter. Bets on estimates less this bias are measured, not proved. At an alpha of 0.025,
    1% to 2% of streams alarm falsely within 1,000 batches if the bias jumps once, and 8% to 11% if it jumps every 100
    batches. At 0.05 it is 2% to 3% and 12% to 16%, and about half if it jumps every 10 batches.

    Attributes
    ----------
    mean, variance : float
        Of the bias.
    """

    mean: float
    variance: float

    @classmethod
    def unknown(cls, bias_sd: float) -> Bias:
        """Begin without labels."""
        return cls(0.0, bias_sd**2)

    def step(self, bias_sd: float, residual: float | None = None, labelled: int = 0) -> Bias:
        """Pass to the next batch: the bias moves a little, and labelled rows show it.

        Parameters
        ----------
        bias_sd : float
            The standard deviation of the bias without labels.
        residual : float or None
            The mean of confidence minus correctness over the labelled rows.
        labelled : int
            How many rows are labelled.
        """
        mean = _LASTING * self.mean
        variance = _LASTING**2 * self.variance + (1 - _LASTING**2) * bias_sd**2
        if residual is None or not labelled:
            return Bias(mean, variance)
        gain = variance / (variance + _ROW_VARIANCE / labelled + _BATCH_SD**2)
        return Bias(mean + gain * (residual - mean), (1 - gain) * variance)

    def lowered_floor(self, floor: float, alpha: float) -> float:
        """Return the floor for estimates less the mean bias; a quarter of alpha pays for what remains."""
        return floor + float(ndtri(alpha / 4)) * math.sqrt(self.variance)


@dataclass(frozen=True, eq=False)
class HarmBets:
    """The bets that accuracy is below the floor, without labels.

    Attributes
    ----------
    floor : float
        The accuracy below which there is harm.
    lowered : float
        The floor less what the bias may be: bets are on accuracy below it.
    experts : Experts
        One for each drop.
    """

    floor: float
    lowered: float
    experts: Experts

    @classmethod
    def of(cls, floor: float, bias_sd: float, alpha: float) -> HarmBets:
        """Prepare the bets."""
        return cls(floor, lowered_floor(floor, bias_sd, alpha), Experts.of([np.full(len(DROPS), 1 / len(DROPS))]))

    def begin(self) -> dict[str, Floats]:
        """Return the arrays of the state before the first batch."""
        return {"harm": self.experts.none()}

    def log_e(self, accuracy: float | Floats, error: float) -> Floats:
        """Return the logarithms of the bets on an estimate with its standard error."""
        return bet_on_estimate(self.lowered, accuracy, error**2 + _BATCH_SD**2)

"""Harm: whether accuracy is below the floor.

Without labels the estimate has a bias that all batches share, so repeating it proves nothing: the floor is lowered by
what that bias may be. Labels need no such allowance, and show the bias.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from shiftproof.monitoring.alarms._evidence import Experts, Mode

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Arrays of the state: wealth of the bets on estimates less their bias, and on labels; how often labels came.
CORRECTED, LABELLED, LABEL_STEPS = "harm corrected", "harm labelled", "label steps"
_LOG_2 = math.log(2)

#: Drops of accuracy to bet on: those of the estimate without labels, and those shown by labels.
DROPS = np.array([0.01, 0.02, 0.05, 0.1, 0.2])
LABEL_DROPS = np.array([0.025, 0.05, 0.1, 0.2, 0.4])
# Bets are on accuracy no lower than this; below a floor as low as that nothing is bet.
_LEAST = 0.01
# The floor of a season may come out above 1; a single wrong answer must not decide.
_HIGHEST = 0.999
#: Standard deviation of what one batch's estimate is off, beyond sampling and the common bias.
_BATCH_SD = 0.02
#: How much of the bias lasts to the next batch.
_LASTING = 0.99
#: The least variance of one labelled row's residual: confidence minus correctness.
ROW_VARIANCE = 0.14


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
    floor = min(max(floor, _LEAST), _HIGHEST)
    lower = np.maximum(floor - LABEL_DROPS, _LEAST)
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
        variance = _LASTING**2 * self.variance + (1 - _LASTING**2) * bias_sd**2
        moved = Bias(_LASTING * self.mean, variance)
        return moved if residual is None or not labelled else moved.learn(bias_sd, residual, labelled)

    def learn(
        self, bias_sd: float, residual: float, labelled: int, *, age: int = 0, row_variance: float = ROW_VARIANCE
    ) -> Bias:
        """Learn from labelled rows of this batch, or of one some batches ago.

        Parameters
        ----------
        bias_sd : float
            The standard deviation of the bias without labels.
        residual : float
            The mean of confidence minus correctness over the labelled rows.
        labelled : int
            How many rows are labelled.
        age : int
            How many batches have arrived since: the bias has moved meanwhile.
        row_variance : float
            The variance of confidence minus correctness of one row.
        """
        lasting = _LASTING**age
        # What the bias was then, given what it is now, is off by as much as it moves in between.
        noise = (1 - lasting**2) * bias_sd**2 + row_variance / labelled + _BATCH_SD**2
        gain = lasting * self.variance / (lasting**2 * self.variance + noise)
        return Bias(self.mean + gain * (residual - lasting * self.mean), (1 - gain * lasting) * self.variance)

    def lowered_floor(self, floor: float, alpha: float) -> float:
        """Return the floor for estimates less the mean bias; a quarter of alpha pays for what remains."""
        return floor + float(ndtri(alpha / 4)) * math.sqrt(self.variance)


@dataclass(frozen=True, kw_only=True)
class LabelFacts:
    """What labels of some rows of a batch say, drawn at random from those without a label.

    Attributes
    ----------
    right, labelled : int
        How many of these rows are predicted correctly, and how many there are.
    residual, row_variance : float
        The mean of confidence minus correctness over them, and its variance by row.
    age : int
        How many batches have arrived since.
    counts : bool
        Whether they are evidence; those of an incident that is acknowledged only show the bias.
    above : float
        How far the usual accuracy of the batch's seasons is above that of all; the floor moves with it.
    """

    right: int
    labelled: int
    residual: float
    row_variance: float
    age: int = 0
    counts: bool = True
    above: float = 0.0


@dataclass(frozen=True, eq=False, kw_only=True)
class HarmBets:
    """The bets that accuracy is below the floor.

    Without labels they are on estimates against a floor that is lowered by what the bias may be. As soon as there are
    labels, there are two others, and the first to be sure raises the alarm: labels alone, which is exact, and estimates
    less the bias that labels have shown.

    Attributes
    ----------
    floor : float
        The floor: the lowest acceptable accuracy.
    bias_sd : float
        The standard deviation of the bias of all estimates without labels.
    alpha : float
        What *harm* may spend.
    experts : Experts
        One for each drop.
    """

    floor: float
    bias_sd: float
    alpha: float
    experts: Experts

    @classmethod
    def of(cls, floor: float, bias_sd: float, alpha: float) -> HarmBets:
        """Prepare the bets."""
        experts = Experts.of([np.full(len(DROPS), 1 / len(DROPS))])
        return cls(floor=floor, bias_sd=bias_sd, alpha=alpha, experts=experts)

    @property
    def lowered(self) -> float:
        """The floor less what the bias may be: without labels, bets are on accuracy below it."""
        return lowered_floor(self.floor, self.bias_sd, self.alpha)

    def begin(self) -> dict[str, Any]:
        """Return the arrays of the state before the first batch."""
        bias = np.array([0.0, self.bias_sd**2])
        return {**self.restarted(np.zeros(2, np.int64)), "bias": bias}

    def restarted(self, label_steps: Ints) -> dict[str, Any]:
        """Return the arrays that begin again after an incident; what is known of the bias stays."""
        none = {name: self.experts.none() for name in ("harm", CORRECTED, LABELLED)}
        # How often labels came since the evidence began, and how many of them ever.
        return {**none, LABEL_STEPS: np.array([0, label_steps[1]])}

    def log_e(self, accuracy: float | Floats, error: float) -> Floats:
        """Return the logarithms of the bets on an estimate with its standard error."""
        return bet_on_estimate(self.lowered, accuracy, error**2 + _BATCH_SD**2)

    def log_e_corrected(self, arrays: dict[str, Any], accuracy: float, error: float) -> Floats:
        """Return the same for an estimate less its bias, and let `arrays` pass to the next batch."""
        bias = Bias(*arrays["bias"].tolist()).step(self.bias_sd)
        arrays["bias"] = np.array([bias.mean, bias.variance])
        floor = bias.lowered_floor(self.floor, self.alpha)
        return bet_on_estimate(floor, accuracy - bias.mean, error**2 + _BATCH_SD**2)

    def learn(self, arrays: dict[str, Any], facts: LabelFacts, mode: Mode) -> None:
        """Let `arrays` learn from labels: they are evidence, and show the bias."""
        steps, ever = arrays[LABEL_STEPS].tolist()
        if facts.counts:
            steps += 1
            bets = bet_on_labels(self.floor + facts.above, facts.right, facts.labelled)
            arrays[LABELLED] = self.experts.grow(arrays[LABELLED], bets, steps, mode)
        variance = max(facts.row_variance, ROW_VARIANCE)
        known = Bias(*arrays["bias"].tolist()).learn(
            self.bias_sd, facts.residual, facts.labelled, age=facts.age, row_variance=variance
        )
        arrays |= {
            "bias": np.array([known.mean, known.variance]),
            LABEL_STEPS: np.array([steps, ever + facts.labelled]),
        }

    def evidence(self, arrays: Mapping[str, Any], batches: int, mode: Mode) -> HarmEvidence:
        """Return the logarithms of the evidence, both on the scale of the level's limit."""
        steps, ever = arrays[LABEL_STEPS].tolist()
        if not ever:
            return HarmEvidence(float(self.experts.evidence(arrays["harm"], batches, mode)[0]), -math.inf)
        corrected = float(self.experts.evidence(arrays[CORRECTED], batches, mode)[0])
        by_labels = float(self.experts.evidence(arrays[LABELLED], steps, mode)[0])
        # Two ways to an alarm share what one had. Of "ever", labels alone have half, which is the level's limit.
        return HarmEvidence(corrected - _LOG_2, by_labels if mode == "ever" else by_labels - _LOG_2)


@dataclass(frozen=True)
class HarmEvidence:
    """The logarithms of the evidence of *harm*: by estimates, and by labels alone."""

    by_estimates: float
    by_labels: float

    @property
    def larger(self) -> float:
        """The one that counts."""
        return max(self.by_estimates, self.by_labels)

"""Accuracy and class proportions of a batch from its scores alone, and how far real data let them be off.

The unweighted route: the mean calibrated confidence of the batch, plus the error that the calibrated confidence has on
the labelled rows. It is joined with the accuracy within each class, as far as only the class proportions changed. No
row of the reference is needed, only sums.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from shiftproof.case import (
    ALLOWANCES,
    BREAK_SIZE,
    DriftRecord,
    Grounds,
    NormalMixture,
    PriorGrounds,
    ShareShift,
    SpreadShares,
    drifted_shares,
    quiet_allowance,
)
from shiftproof.core import Codes, Floats, Interval
from shiftproof.counting import Ascent, Calibration, Labelled, Maximized, RowScores, Samples, learn_calibration
from shiftproof.monitoring._agreement import agreeing, sharing_interval
from shiftproof.stats import wilson

#: The level of all intervals.
LEVEL = 0.9
#: A loss of accuracy above this is one that updates give the chance of, as audits do.
LOSS = 0.05
#: Estimates for fewer rows are not shown, as `estimate_performance` gives none; alarms use the evidence of every row.
FEWEST_ROWS = 20
# The allowance for drift was measured for estimates that weigh the labelled rows. Without weights
# they are off by a quarter more: on 143 natural pairs intervals then cover 90%.
_UNWEIGHTED = 1.25
# Where no shift is visible, class proportions move more than an audit allows: moments of single columns show less than
# rows do. On the 12 natural pairs without a visible shift, intervals then cover 84%.
_QUIET_SHARES = 3.5
# Scores that hardly separate a class from the others say next to nothing about its share.
_LEAST_GAP = 0.01


@dataclass(frozen=True, eq=False, kw_only=True)
class ReferencePerformance:
    """What the labelled scores of the reference say, as sums over the rows of each class.

    Attributes
    ----------
    calibration : Calibration
        How probabilities are corrected before they are used.
    rows, right : ndarrays of shape (k,)
        Rows of each class, and how many of them the model gets right; no whole numbers where seasons are weighted.
    confidence, squares : ndarrays of shape (k,)
        Sums of the calibrated probability of the predicted class, and of its squared error.
    probabilities : ndarray of shape (k, k)
        Sums of the calibrated probabilities, one row per class.
    """

    calibration: Calibration
    rows: Codes | Floats
    right: Codes | Floats
    confidence: Floats
    squares: Floats
    probabilities: Floats

    @classmethod
    def of(cls, probabilities: Floats, codes: Codes, calibration: Calibration | None = None) -> ReferencePerformance:
        """Add up the labelled rows; without a calibration one is learnt from them."""
        k = probabilities.shape[1]
        calibration = calibration or learn_calibration(Labelled(probabilities, codes))
        predicted = probabilities.argmax(axis=1)
        calibrated = calibration(probabilities)
        confidence = np.take_along_axis(calibrated, predicted[:, None], axis=1)[:, 0]
        right = predicted == codes
        return cls(
            calibration=calibration,
            rows=np.bincount(codes, minlength=k),
            right=np.bincount(codes[right], minlength=k),
            confidence=np.bincount(codes, confidence, k).astype(np.float64),
            squares=np.bincount(codes, (right - confidence) ** 2, k).astype(np.float64),
            probabilities=np.column_stack([np.bincount(codes, column, minlength=k) for column in calibrated.T]),
        )

    @property
    def n(self) -> int:
        """The number of labelled rows."""
        return round(float(self.rows.sum()))

    @property
    def shares(self) -> Floats:
        """The class proportions of the reference."""
        return np.asarray(self.rows / self.n)

    @property
    def accuracy(self) -> Interval:
        """The validated accuracy, with the interval of its sampling error."""
        return wilson(round(float(self.right.sum())), self.n, level=LEVEL)

    @property
    def correction(self) -> float:
        """By how much accuracy is above the mean calibrated confidence."""
        return float((self.right.sum() - self.confidence.sum()) / self.n)

    @property
    def correction_error(self) -> float:
        """The standard error of the correction, which all batches share."""
        return math.sqrt(max(float(self.squares.sum()) / self.n - self.correction**2, 0.0) / self.n)

    def plus(self, other: ReferencePerformance) -> ReferencePerformance:
        """Add the sums of other rows that were calibrated in the same way."""
        return replace(
            self,
            rows=self.rows + other.rows,
            right=self.right + other.right,
            confidence=self.confidence + other.confidence,
            squares=self.squares + other.squares,
            probabilities=self.probabilities + other.probabilities,
        )

    def times(self, weight: float) -> ReferencePerformance:
        """Let every row count as `weight` rows."""
        return replace(
            self,
            rows=(weight * self.rows).astype(np.float64),
            right=(weight * self.right).astype(np.float64),
            confidence=weight * self.confidence,
            squares=weight * self.squares,
            probabilities=weight * self.probabilities,
        )


@dataclass(frozen=True, kw_only=True)
class AccuracyGrounds:
    """What an estimate of accuracy rests on: labels of the batch and of others show how far it is off.

    Attributes
    ----------
    value : float
        The estimate.
    confidence : float
        The mean calibrated confidence of all rows.
    sampling, allowance : float
        Its standard error, and what drift adds.
    only_answer : int or None
        The only class that the model answers, whose share is its accuracy; None if it answers several.
    above : float
        How far the validated accuracy of the batch's seasons is above that of all; the floor moves with it.
    """

    value: float
    confidence: float
    sampling: float
    allowance: float
    only_answer: int | None = None
    above: float = 0.0


@dataclass(frozen=True, eq=False, kw_only=True)
class BatchPerformance:
    """What the scores of a batch say.

    Attributes
    ----------
    accuracy : Interval
        The estimate; sampling error and the allowance for drift.
    error, allowance : float
        The standard error by sampling the batch, without that of the correction, and what drift adds.
    shares : list of Interval
        The class proportions.
    only_answer : int or None
        The only class that the model answers; None if it answers several.
    grounds : AccuracyGrounds
        What the estimate of accuracy rests on.
    loss_chance : float
        The chance that the accuracy is more than `LOSS` below the validated one.
    """

    accuracy: Interval
    error: float
    allowance: float
    shares: list[Interval]
    only_answer: int | None
    grounds: AccuracyGrounds
    loss_chance: float


def estimate_batch(
    reference: ReferencePerformance, probabilities: Floats, *, prior: float | None, history: DriftRecord
) -> BatchPerformance:
    """Estimate accuracy and class proportions of a batch.

    Parameters
    ----------
    reference : ReferencePerformance
        The labelled rows.
    probabilities : ndarray of shape (m, k)
        The scores of the batch.
    prior : float or None
        How far the evidence is for a change of nothing but the class proportions, from 0 to 1; None where no shift is
        visible.
    history : DriftRecord
        How far estimates were off in the user's own past.
    """
    m, k = probabilities.shape
    quiet, weight = prior is None, prior or 0.0
    calibrated = reference.calibration(probabilities)
    counted = Maximized(
        n_classes=k, prevalence=reference.shares, calibration=reference.calibration, ascent=Ascent()
    ).estimate(Samples.of(RowScores(probabilities)))[0]
    predicted = probabilities.argmax(axis=1)
    answers = np.bincount(predicted, minlength=k) / m
    confidence = np.take_along_axis(calibrated, predicted[:, None], axis=1)[:, 0]
    unweighted = float(confidence.mean()) + reference.correction
    # Under prior shift the accuracy within each class stays.
    rates = reference.right / reference.rows
    by_class = float(counted @ rates)
    alone = float(np.clip(weight * by_class + (1 - weight) * unweighted, 0, 1))
    allowance = _allowance(reference, unweighted, quiet=quiet)
    by_scores = _shares(reference, calibrated, counted, prior=prior)
    value, shares = agreeing(alone, allowance, by_scores, answers)
    # The labels of the batch and its rows.
    own_variance = float(np.mean(confidence * (1 - confidence)) + confidence.var()) / m
    variance = own_variance + reference.correction_error**2
    # Move both beliefs by as much as the estimate.
    moved = value - alone
    of_shares = float(((rates - by_class) ** 2) @ _count_variances(reference, calibrated)) * (k - 1) / k
    belief = Grounds(
        values=np.array([unweighted + moved]),
        parts=NormalMixture(np.ones(1), np.array([[unweighted + moved]]), np.array([[[variance]]])),
        allowance=np.array([allowance]),
        broken=np.array([0.0 if quiet else -BREAK_SIZE * ALLOWANCES["accuracy"].constant]),
        prior=PriorGrounds(
            chance=weight,
            values=np.array([by_class + moved]),
            covariance=np.array([[own_variance + of_shares]]),
        ),
    ).believed(history, "accuracy")
    accuracy, intervals = sharing_interval(
        belief.mixture.interval(value, LEVEL, (0.0, 1.0), "calibrated confidence"), shares.intervals(LEVEL), answers
    )
    only_answer = int(predicted[0]) if answers.max() == 1 else None
    return BatchPerformance(
        accuracy=accuracy,
        error=math.sqrt(own_variance),
        allowance=float(belief.allowance[0]),
        shares=intervals,
        only_answer=only_answer,
        loss_chance=belief.mixture.chance_below(reference.accuracy.estimate - LOSS),
        grounds=AccuracyGrounds(
            value=value,
            confidence=float(confidence.mean()),
            sampling=math.sqrt(variance),
            allowance=float(belief.allowance[0]),
            only_answer=only_answer,
        ),
    )


def _allowance(reference: ReferencePerformance, value: float, *, quiet: bool) -> float:
    if quiet:
        return _UNWEIGHTED * float(quiet_allowance("accuracy", np.ones(1))[0])
    rule, validated = ALLOWANCES["accuracy"], reference.accuracy.estimate
    return _UNWEIGHTED * (rule.constant + rule.by_move * abs(value - validated))


def _count_variances(reference: ReferencePerformance, calibrated: Floats) -> Floats:
    """Return the variances of a count of the batch's classes, by how much the mean probability of a class tells."""
    # How much the mean probability of a class rises if all rows become rows of that class.
    inside = np.diag(reference.probabilities) / np.maximum(reference.rows, 1)
    outside = (reference.probabilities.sum(axis=0) - np.diag(reference.probabilities)) / np.maximum(
        reference.n - reference.rows, 1
    )
    rows = 1 / len(calibrated) + 1 / reference.n
    return np.asarray(calibrated.var(axis=0) * rows / np.maximum(inside - outside, _LEAST_GAP) ** 2)


def _shares(
    reference: ReferencePerformance, calibrated: Floats, counted: Floats, *, prior: float | None
) -> SpreadShares:
    """Move from the reference's class proportions as far as the scores say, as natural shifts have shown."""
    m, n, old = len(calibrated), reference.n, reference.shares
    errors = np.sqrt(_count_variances(reference, calibrated))
    variances = (calibrated * (1 - calibrated)).mean(axis=0) / m + old * (1 - old) / n
    # Calibrated probabilities average to the class proportions of the labelled rows, so the mean needs no correction.
    return drifted_shares(
        calibrated.mean(axis=0),
        variances,
        SpreadShares.of(counted, errors, errors, np.zeros_like(errors)),
        old,
        old * (1 - old) * (1 / n + 1 / m),
        shift=ShareShift(prior=prior or 0.0, quiet=prior is None),
        wider=_QUIET_SHARES,
    )

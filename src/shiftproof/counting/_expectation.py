"""The prevalences under which the sample's scores are likeliest, by expectation maximization."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from shiftproof.core import Floats, check_count, check_flag, fault
from shiftproof.counting._calibration import Calibration, learn_calibration
from shiftproof.counting._counts import Constant
from shiftproof.counting._kernels import likeliest_of_more, likeliest_of_two, mixtures
from shiftproof.counting._learned import Learned, with_other
from shiftproof.counting._samples import Labelled, Samples

_EQUAL = 1e-12
#: With more classes than this, what is learnt once stays the same in resamples, and there are fewer of these.
MANY_CLASSES = 20
NO_SIGN = "the scores say nothing about the class, so the training prevalence is returned"


@dataclass(frozen=True, eq=False)
class Ascent:
    """How to find the likeliest mixture: directly, or by at most `most_rounds` of expectation maximization.

    Rounds end where no share changes by more than `tolerance`.
    """

    tolerance: float = 1e-8
    most_rounds: int | None = None

    def __call__(self, likelihoods: Floats, start: Floats, samples: Samples) -> Floats:
        """Find the likeliest mixture in each sample, shape (S, k), from each row's likelihoods, shape (N, k)."""
        rows, bounds = samples.rows, samples.offsets
        if self.most_rounds is not None:
            return np.asarray(mixtures(likelihoods, start, rows, bounds, self.tolerance, self.most_rounds))
        if likelihoods.shape[1] == 2:
            return with_other(likeliest_of_two(likelihoods, start[1], rows, bounds))
        starts = np.tile(start, (samples.n_samples, 1))
        return np.asarray(likeliest_of_more(likelihoods, starts, rows, bounds, self.tolerance))


@dataclass(frozen=True, eq=False, kw_only=True)
class Maximized(Learned):
    """Expectation maximization from the training prevalence (EMQ, also SLD)."""

    prevalence: Floats
    calibration: Calibration | None
    ascent: Ascent

    @property
    def fixed_options(self) -> Mapping[str, Any]:
        """How to calibrate many classes, which takes longer than all else: resamples keep it."""
        return {} if self.n_classes <= MANY_CLASSES else {"calibrate": self.calibration or False}

    def _shares(self, samples: Samples) -> Floats:
        scores = samples.probabilities
        likelihoods = scores.copy() if self.calibration is None else self.calibration(scores)
        # By Bayes' rule the likelihoods are the posterior over the prior, up to a factor per row.
        likelihoods /= self.prevalence
        return self.ascent(likelihoods, self.prevalence, samples)


def learn_expectation_maximization(
    labelled: Labelled,
    *,
    calibrate: bool | Calibration = True,
    tolerance: float = 1e-8,
    most_rounds: int | None = None,
) -> Learned:
    """Learn the training prevalence and how to calibrate (EMQ; Saerens, Latinne and Decaestecker 2002).

    Parameters
    ----------
    labelled : Labelled
        The scores to learn from.
    calibrate : bool or Calibration
        Whether to calibrate the scores first, as labelled ones ask for; or how.
    tolerance : float
        Stop when no prevalence changes by more than this.
    most_rounds : int, optional
        Stop after this many rounds; by default, the prevalences to which the rounds converge are computed.
    """
    rounds = None if most_rounds is None else check_count(most_rounds, "most_rounds", least=1)
    # Checked before the calibration, which takes time.
    ascent = Ascent(check_tolerance(tolerance), rounds)
    calibration = calibrate if isinstance(calibrate, Calibration) else None
    if calibration is None and check_flag(calibrate, "calibrate"):
        calibration = labelled.once(learn_calibration, lambda: learn_calibration(labelled))
    scores = labelled.probabilities if calibration is None else calibration(labelled.probabilities)
    if all_equal(scores):
        return Constant(n_classes=labelled.n_classes, notes=(NO_SIGN,), prevalence=labelled.prevalence)
    return Maximized(
        n_classes=labelled.n_classes, prevalence=labelled.prevalence, calibration=calibration, ascent=ascent
    )


def all_equal(scores: Floats) -> bool:
    """Tell whether every row has the same scores, up to rounding."""
    return bool(np.ptp(scores, axis=0).max() < _EQUAL)


def check_tolerance(value: float) -> float:
    """Return a tolerance of at least 0."""
    if not isinstance(value, numbers.Real) or not 0 <= value < 1:
        raise fault("tolerance", "be at least 0 and below 1", value, "1e-8 is usual")
    return float(value)

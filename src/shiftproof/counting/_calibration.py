"""Probabilities that are right on average: one temperature, and a bias per class, by logistic regression."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from shiftproof.core import Floats
from shiftproof.counting._kernels import calibration_terms
from shiftproof.counting._samples import Labelled

# Probabilities nearer to 0 are no surer than this.
_LEAST = 1e-6
_MOST_STEPS, _LITTLE = 100, 1e-12


@dataclass(frozen=True, eq=False)
class Calibration:
    """Calibrated are ``softmax(slope * log(p) + biases)``.

    Parameters
    ----------
    slope : float
        At least 0.
    biases : array of shape (k,)
        The first is 0.
    """

    slope: float
    biases: Floats

    def __call__(self, probabilities: Floats) -> Floats:
        """Calibrate probabilities of shape (n, k)."""
        return np.asarray(special.softmax(self.slope * _logs(probabilities) + self.biases, axis=1))


def learn_calibration(labelled: Labelled) -> Calibration:
    r"""Fit temperature and biases to labelled scores by the likelihood, less :math:`(slope - 1)^2/2`.

    The penalty keeps the slope finite where the scores separate the classes. The biases have none, so the calibrated
    probabilities of the labelled rows average to the prevalences. RowScores that speak for the wrong class (a negative
    slope) say nothing: the slope is then 0.

    Examples
    --------
    >>> halved = Labelled([[0.9, 0.1]] * 8 + [[0.6, 0.4]] * 2, [0, 0, 0, 0, 0, 0, 0, 1, 0, 1])
    >>> learn_calibration(halved)(halved.probabilities).mean(axis=0).round(6)
    array([0.8, 0.2])
    """
    logs = _logs(labelled.probabilities)
    counts = labelled.counts

    def terms(at: Floats) -> tuple[float, Floats, Floats]:
        loss, gradient, curvature = calibration_terms(logs, labelled.codes, at)
        gradient[0] += at[0] - 1
        curvature[0, 0] += 1
        return float(loss + (at[0] - 1) ** 2 / 2), gradient, curvature

    found = np.zeros(logs.shape[1])
    found[0] = 1.0
    best, gradient, curvature = terms(found)
    for _ in range(_MOST_STEPS):
        step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        # So little is left to gain that the loss itself is lost in rounding: the last step is right in full.
        if gradient @ step <= _LITTLE * best:
            found = found - step
            break
        while (then := terms(found - step))[0] > best:
            step = step / 2
        found = found - step
        best, gradient, curvature = then
    if found[0] <= 0:
        return Calibration(0.0, np.log(counts / counts[0]))
    return Calibration(float(found[0]), np.append(0.0, found[1:]))


def _logs(probabilities: Floats) -> Floats:
    return np.asarray(np.log(np.maximum(probabilities, _LEAST)))

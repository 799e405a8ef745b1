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
    probabilities of the labelled rows average to the prevalences. Scores that speak for the wrong class (a negative
    slope) say nothing: the slope is then 0.

    Examples
    --------
    >>> halved = Labelled([[0.9, 0.1]] * 8 + [[0.6, 0.4]] * 2, [0, 0, 0, 0, 0, 0, 0, 1, 0, 1])
    >>> learn_calibration(halved)(halved.probabilities).mean(axis=0).round(6)
    array([0.8, 0.2])
    """
    logs, totals = _logs(labelled.probabilities), labelled.totals
    parameters = np.eye(labelled.n_classes)[0]  # the slope, then the biases of all classes but the first
    best, gradient, curvature = _terms(logs, labelled, parameters)
    for _ in range(_MOST_STEPS):
        step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        # So little is left to gain that the loss itself is lost in rounding: the last step is right in full.
        if gradient @ step <= _LITTLE * best:
            parameters = parameters - step
            break
        while (ahead := _terms(logs, labelled, parameters - step))[0] > best:
            step = step / 2
        parameters = parameters - step
        best, gradient, curvature = ahead
    # A negative slope would turn the scores round, by noise alone.
    if parameters[0] <= 0:
        return Calibration(0.0, np.log(totals / totals[0]))
    return Calibration(float(parameters[0]), np.append(0.0, parameters[1:]))


def _terms(logs: Floats, labelled: Labelled, parameters: Floats) -> tuple[float, Floats, Floats]:
    """Return the penalised loss, its gradient (k,) and its curvature (k, k)."""
    loss, gradient, curvature = calibration_terms(logs, labelled.codes, labelled.weights, parameters)
    gradient[0] += parameters[0] - 1
    curvature[0, 0] += 1
    return float(loss + (parameters[0] - 1) ** 2 / 2), gradient, curvature


def _logs(probabilities: Floats) -> Floats:
    return np.asarray(np.log(np.maximum(probabilities, _LEAST)))

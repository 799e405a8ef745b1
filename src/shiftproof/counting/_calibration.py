"""Probabilities that are right on average: one temperature, and a bias per class, by logistic regression."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shiftproof.core import Codes, Floats, kernel, softmax_of_logs
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
        return softmax_of_logs(probabilities, _LEAST, self.slope, self.biases)


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
    loss, gradient, curvature = _calibration_terms(logs, labelled.codes, labelled.weights, parameters)
    gradient[0] += parameters[0] - 1
    curvature[0, 0] += 1
    return float(loss + (parameters[0] - 1) ** 2 / 2), gradient, curvature


def _logs(probabilities: Floats) -> Floats:
    return np.asarray(np.log(np.maximum(probabilities, _LEAST)))


@kernel(error_model="numpy")
def _calibration_terms(
    logs: Floats, codes: Codes, row_weights: Floats, parameters: Floats
) -> tuple[float, Floats, Floats]:
    """Return the loss of ``softmax(parameters[0] * logs + (0, *parameters[1:]))``, its gradient and its curvature.

    Parameters
    ----------
    logs : array of shape (n, k)
        Logarithms of probabilities.
    codes : array of shape (n,)
        The class of each row.
    row_weights : array of shape (n,)
        How much each row counts.
    parameters : array of shape (k,)
        The slope, then the biases of all classes but the first.
    """
    n, k = logs.shape
    loss, gradient, curvature = 0.0, np.zeros(k), np.zeros((k, k))
    p = np.empty(k)
    for i in range(n):
        top = -np.inf
        for c in range(k):
            p[c] = parameters[0] * logs[i, c] + (parameters[c] if c else 0.0)
            top = max(top, p[c])
        own = p[codes[i]]
        total = 0.0
        for c in range(k):
            p[c] = np.exp(p[c] - top)
            total += p[c]
        weight = row_weights[i]
        loss += weight * (top + np.log(total) - own)
        expected = 0.0
        for c in range(k):
            p[c] /= total
            expected += p[c] * logs[i, c]
        gradient[0] += weight * (expected - logs[i, codes[i]])
        if codes[i]:
            gradient[codes[i]] -= weight
        for c in range(k):
            share = weight * p[c]
            off = share * (logs[i, c] - expected)
            curvature[0, 0] += off * (logs[i, c] - expected)
            if c:
                gradient[c] += share
                curvature[0, c] += off
                curvature[c, c] += share
                for e in range(1, c + 1):
                    curvature[c, e] -= share * p[e]
    for c in range(k):
        for e in range(c):
            if e:
                curvature[e, c] = curvature[c, e]
            else:
                curvature[c, 0] = curvature[0, c]
    return loss, gradient, curvature

"""Weights of the reference rows that make them look like the new ones."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from shiftproof.core import Floats

_ITERATIONS = 60
_TOLERANCE = 1e-8


@dataclass(frozen=True, eq=False)
class Balance:
    """Weights that add up to 1, the tilt they come from and how far they are from equal ones.

    Parameters
    ----------
    weights : array of shape (n,)
        The weights.
    tilt : array of shape (p,)
        The weights are proportional to ``base * exp(functions @ tilt)``.
    objective : float
        The log of the mean tilt, penalised, which was minimised.
    """

    weights: Floats
    tilt: Floats
    objective: float

    @property
    def entropy(self) -> float:
        """The sum of w log(n w): 0 for equal weights, log n for all weight on one row."""
        positive = self.weights[self.weights > 0]
        return max(float((positive * np.log(positive * len(self.weights))).sum()), 0.0)


def balance(
    functions: Floats, target: Floats, ridge: float, *, base: Floats | None = None, start: Floats | None = None
) -> Balance:
    r"""Find the weights of largest entropy under which functions have given means (entropy balancing).

    The weights are :math:`w_i \propto b_i \exp(\lambda' f_i)`; :math:`\lambda` minimises the convex dual
    :math:`\log \sum_i b_i \exp(\lambda'(f_i - t)) + \rho|\lambda|^2/2` by Newton's method with a line search. The
    ridge :math:`\rho` keeps the means as far off the target as its noise, and the weights finite where no weights
    reach it.

    Parameters
    ----------
    functions : array of shape (n, p)
        The functions of the reference rows.
    target : array of shape (p,)
        The means to reach.
    ridge : float
        Above 0.
    base : array of shape (n,), optional
        What the weights start from; equal by default. They need not add up to 1.
    start : array of shape (p,), optional
        A tilt to begin with.

    Examples
    --------
    >>> balance(np.array([[0.0], [1.0]]), np.array([0.75]), 1e-9).weights.round(3)
    array([0.25, 0.75])
    """
    n, p = functions.shape
    centred = functions - target
    log_base = np.full(n, -math.log(n)) if base is None else np.log(base)
    tilt = np.zeros(p) if start is None else start
    weights, value = _tilted(centred, log_base, tilt, ridge)
    for _ in range(_ITERATIONS):
        gradient = weights @ centred + ridge * tilt
        if np.abs(gradient).max(initial=0.0) < _TOLERANCE:
            break
        step = _newton_step(centred, weights, gradient, ridge)
        # Armijo's rule: far from the optimum a whole Newton step may overshoot.
        slope = float(gradient @ step)
        length = 1.0
        while length > 1e-6:
            fresh, new_value = _tilted(centred, log_base, tilt - length * step, ridge)
            if new_value <= value - 1e-4 * length * slope:
                break
            length /= 2
        else:
            break
        tilt, weights, value = tilt - length * step, fresh, new_value
    return Balance(weights, tilt, value)


def _tilted(centred: Floats, log_base: Floats, tilt: Floats, ridge: float) -> tuple[Floats, float]:
    exponent = log_base + centred @ tilt
    # Subtracted before exp, which would overflow for long tilts.
    largest = exponent.max()
    weights = np.exp(exponent - largest)
    total = float(weights.sum())
    return weights / total, float(largest + math.log(total) + ridge * (tilt @ tilt) / 2)


def _newton_step(centred: Floats, weights: Floats, gradient: Floats, ridge: float) -> Floats:
    mean = weights @ centred
    hessian = (centred * weights[:, None]).T @ centred - np.outer(mean, mean) + ridge * np.eye(len(mean))
    return np.asarray(np.linalg.solve(hessian, gradient))

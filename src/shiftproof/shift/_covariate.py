"""Whether weights of the rows by their features alone explain the change, or there is more to it."""

from __future__ import annotations

import numpy as np

from shiftproof.core import Floats
from shiftproof.shift._balance import Balance, balance
from shiftproof.shift._battery import CovariancePart, Moments, p_apart

# Keeps the regression solvable where functions are collinear.
_RIDGE = 1e-6
#: The class odds that are tried, as powers of the estimated change: the change itself is 1, none is 0.
_POWERS = np.linspace(-1.0, 2.0, 13)
# A class share of 0 would have infinite odds.
_RAREST = 0.01


def unbalanced(score: tuple[Floats, Floats], functions: tuple[Floats, Floats], weights: Floats) -> Moments:
    """Return the change of the score that the weights leave, the balanced functions regressed out.

    Parameters
    ----------
    score : two arrays of shapes (n, m) and (n_T, m)
        Moments of the score on reference and new rows.
    functions : two arrays of shapes (n, p) and (n_T, p)
        The functions that the weights balance.
    weights : array of shape (n,)
        The weights.
    """
    (old, new), (of_old, of_new) = score, functions
    centred = of_old - weights @ of_old
    weighted = centred * weights[:, None]
    inner = weighted.T @ centred + _RIDGE * np.eye(centred.shape[1])
    slope = np.linalg.solve(inner, weighted.T @ (old - weights @ old))
    left_old, left_new = old - of_old @ slope, new - of_new @ slope
    n, m = len(left_old), len(left_new)
    mean_old, mean_new = weights @ left_old, left_new.mean(axis=0)
    # Kish: so many equally weighted rows would have the same variance.
    effective = 1 / float((weights**2).sum())
    parts = [
        CovariancePart((left_old - mean_old) * weights[:, None], max(effective - 1, 1.0)),
        CovariancePart((left_new - mean_new) / np.sqrt(m * max(m - 1, 1)), max(m - 1, 1)),
    ]
    return Moments(mean_new - mean_old, parts, p_apart(n, m))


def class_gain(
    probabilities: tuple[Floats, Floats],
    functions: tuple[Floats, Floats],
    balanced: Balance,
    *,
    training: Floats,
    shares: Floats,
    ridge: float,
) -> float:
    r"""Return the log-likelihood of the new rows that other class shares add to weights by features.

    The new rows' density relative to the reference is :math:`\exp(\lambda' f(x)) \sum_c P(c|x) q_c/p_c`. The shares q
    go from the training shares p through the estimated ones and beyond, in thirteen steps; :math:`\lambda` follows.

    Parameters
    ----------
    probabilities : two arrays of shapes (n, k) and (n_T, k)
        Calibrated probabilities of the classes on reference and new rows.
    functions : two arrays of shapes (n, p) and (n_T, p)
        The functions that the weights balance.
    balanced : Balance
        The weights without other class shares.
    training, shares : arrays of shape (k,)
        The class shares of the reference, and those estimated for the new rows.
    ridge : float
        As in `balanced`.
    """
    (old, new), (of_old, of_new) = probabilities, functions
    target = of_new.mean(axis=0)
    change = np.maximum(shares, _RAREST) / np.maximum(training, _RAREST)
    best = -balanced.objective
    for power in _POWERS:
        q = training * change**power
        odds = q / q.sum() / training
        tilted = balance(of_old, target, ridge, base=old @ odds / len(old), start=balanced.tilt)
        best = max(best, float(np.log(new @ odds).mean()) - tilted.objective)
    return len(new) * (best + balanced.objective)

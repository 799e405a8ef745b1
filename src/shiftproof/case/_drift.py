"""How far estimates may be off because real data drift: what natural shifts have shown.

Estimates assume that the rules linking features to the label stayed the same. Between years, places or groups they
change a little, which no method can see without labels. How much that adds to an error was measured on 143 pairs of
real tables (benchmarks/real_shifts.py), and every interval allows for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special

from shiftproof.case._along_routes import Estimates
from shiftproof.case._routes import Routes
from shiftproof.core import Floats
from shiftproof.shift import ShiftKind

#: Whether intervals allow for natural drift, or assume that the rules linking features to the label did not change.
Drift = Literal["natural", "none"]
# How much of the route for covariate shift an estimate takes; the rest is the posterior's mean without correction.
# Corrected estimates are too optimistic on natural shifts, uncorrected ones too pessimistic where nothing shifted.
_CORRECTED = 0.5
# Other class proportions count where they explain the new rows better than weights do, by so much log-likelihood:
# between natural tables a purely prior shift is rare.
_GAIN = 2.0
# What drift adds where no shift is visible, in units of one row right or wrong.
_QUIET = 0.01


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """The standard error that natural drift adds to an estimate of one measure.

    Fitted by maximum likelihood (Student's t, 4 degrees of freedom) to natural pairs, each data set counting once;
    docs/real-shifts.md has the coverage on data sets that were left out.

    Attributes
    ----------
    constant : float
        What every shift adds, in units of one row right or wrong.
    by_routes : float
        More, per difference between the routes for prior and for covariate shift.
    by_move : float
        More, per difference between the estimate and the validated figure.
    lean : float
        How far the interval leans towards a loss, in units of the allowance: drift hurts more often than it helps.
    """

    constant: float
    by_routes: float
    by_move: float
    lean: float


_ACCURACY = Allowance(constant=0.0195, by_routes=0.172, by_move=0.274, lean=0.199)
#: By measure. All pairs have two classes; with more, the same is assumed.
ALLOWANCES: Mapping[str, Allowance] = {
    "accuracy": _ACCURACY,
    "error": _ACCURACY,
    "precision": Allowance(constant=0.0699, by_routes=0.0, by_move=0.541, lean=0.172),
    "recall": Allowance(constant=0.0162, by_routes=0.295, by_move=0.026, lean=-0.057),
    "f1": Allowance(constant=0.0410, by_routes=0.021, by_move=0.116, lean=0.299),
    "auc": Allowance(constant=0.0159, by_routes=0.342, by_move=0.217, lean=-0.102),
    "brier": Allowance(constant=0.0097, by_routes=0.235, by_move=0.311, lean=0.160),
    "profit": Allowance(constant=0.0158, by_routes=0.222, by_move=0.195, lean=0.166),
}


@dataclass(frozen=True, eq=False, kw_only=True)
class Drifted:
    """One measure of l models, as natural shifts have it.

    Attributes
    ----------
    values, centres : ndarrays of shape (l,)
        The estimates, and where their intervals are centred.
    covariance : ndarray of shape (l, l)
        The errors from the rows at hand.
    allowance : ndarray of shape (l,)
        The standard errors that drift adds; drift is common to the models.
    """

    values: Floats
    centres: Floats
    covariance: Floats
    allowance: Floats


def natural_weights(routes: Routes, shift: ShiftKind) -> Floats:
    """Return what no shift, prior shift and natural drift count for an estimate; they add up to 1."""
    if shift.refused:
        # Neither "nothing changed" nor "only the class proportions changed" is worth considering.
        return np.array([0.0, 0.0, 1.0])
    none, prior, _ = routes.probabilities
    prior = prior * float(special.expit(shift.evidence.gain - _GAIN))
    return np.array([none, prior, 1 - none - prior])


def drifted(
    estimates: Estimates,
    weights: Floats,
    *,
    measure: str,
    validated: Floats,
    units: Floats,
    higher_is_better: bool,
) -> Drifted:
    """Estimate a measure of every model with the weights and the allowance that natural shifts have shown.

    Parameters
    ----------
    estimates : Estimates
        The measure along every route.
    weights : ndarray of shape (3,)
        Those of `natural_weights`.
    measure : str
        A key of `ALLOWANCES`.
    validated, units : ndarrays of shape (l,)
        The measure on the labelled rows; what one row right or wrong makes.
    higher_is_better : bool
        Whether the larger value wins.
    """
    rule = ALLOWANCES[measure]
    none, prior, covariate = estimates.values()
    halfway = _CORRECTED * covariate + (1 - _CORRECTED) * estimates.said[0]
    values = weights @ np.array([none, prior, halfway])
    allowance = rule.constant * units + rule.by_routes * abs(prior - covariate) + rule.by_move * abs(values - validated)
    return Drifted(
        values=values,
        centres=values - (rule.lean if higher_is_better else -rule.lean) * allowance,
        covariance=np.tensordot(weights, estimates.covariances(), axes=1),
        allowance=allowance,
    )


def quiet_allowance(units: Floats) -> Floats:
    """Return the standard errors that drift adds where no shift is visible."""
    return _QUIET * units

"""How far estimates may be off because real data drift: what natural shifts have shown.

Estimates assume that the rules linking features to the label stayed the same. Between years, places or groups they
change a little, which no method can see without labels. How much that adds to an error was measured on 143 pairs of
real tables (benchmarks/real_shifts.py), and intervals allow for it unless drift is "none".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy import special

from shiftproof.case._along_routes import Estimates
from shiftproof.case._routes import Routes
from shiftproof.core import Floats
from shiftproof.shift import ShiftKind

#: Whether intervals allow for natural drift, or assume that the rules linking features to the label did not change.
Drift = Literal["natural", "none"]
DRIFTS: tuple[Drift, ...] = get_args(Drift)
# How much of the route for covariate shift an estimate takes; the rest is the posterior's mean without correction.
# Corrected estimates are too optimistic on natural shifts, uncorrected ones too pessimistic where nothing shifted.
_CORRECTED = 0.5
# Other class proportions count where they explain the new rows better than weights do, by so much log-likelihood:
# between natural tables a purely prior shift is rare.
_GAIN = 2.0
# Where the labelled data hardly cover the new data, so much of an improvement is believed: on such pairs the actual
# value was as often below the validated one as above it.
_IMPROVEMENT = 0.5
# Measures of one class may well rise where its share does; for these an improvement is taken as it is.
_BY_CLASS = ("precision", "recall", "f1")
#: How much of a difference between the routes for prior and covariate shift counts, in units of one row right or wrong:
#: a larger one says that the route for prior shift is wrong, not that the data drift more.
APART = 0.15
# What drift adds where no shift is visible, as a share of what every shift adds. A third more would leave hardly any
# model that can be trusted; a third less would trust two of the natural pairs that lost more than 5 points.
_QUIET = 0.87
#: The chance that the link between features and label breaks, and how much worse the measure then gets, in units of
#: what every shift adds: 14 points of accuracy.
BREAK_CHANCE, BREAK_SIZE = 0.06, 8.0
#: Where the labelled data hardly cover the new data, drift adds so many times more. The pairs that the constants come
#: from do not ask for it, but nothing says that what cannot be seen there is as moderate in other tables.
UNCOVERED = 1.03


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """The standard error that natural drift adds to an estimate of one measure.

    Fitted to natural pairs by maximum likelihood, each data set counting once (`python benchmarks/real_allowance.py`):
    Student's t with 4 degrees of freedom, and a small chance of a break. All were then made smaller by 8%: intervals
    of data sets that were left out covered more than they say.

    Attributes
    ----------
    constant : float
        What every shift adds, in units of one row right or wrong.
    by_routes : float
        More, per difference between the routes for prior and for covariate shift, up to `APART`.
    by_move : float
        More, per difference between the estimate and the validated figure.
    """

    constant: float
    by_routes: float
    by_move: float


_ACCURACY = Allowance(constant=0.0174, by_routes=0.1840, by_move=0.0601)
#: By measure. All pairs have two classes; with more, the same is assumed.
ALLOWANCES: Mapping[str, Allowance] = {
    "accuracy": _ACCURACY,
    "error": _ACCURACY,
    "precision": Allowance(constant=0.0485, by_routes=0.1793, by_move=0.1091),
    "recall": Allowance(constant=0.0116, by_routes=0.3091, by_move=0.0242),
    "f1": Allowance(constant=0.0256, by_routes=0.1286, by_move=0.0408),
    "auc": Allowance(constant=0.0131, by_routes=0.3105, by_move=0.1503),
    "brier": Allowance(constant=0.0133, by_routes=0.1192, by_move=0.0696),
    "profit": Allowance(constant=0.0164, by_routes=0.2216, by_move=0.0245),
}


@dataclass(frozen=True, eq=False, kw_only=True)
class Drifted:
    """One measure of l models, as natural shifts have it.

    Attributes
    ----------
    values : ndarray of shape (l,)
        The estimates.
    covariance : ndarray of shape (l, l)
        The errors from the rows at hand.
    allowance : ndarray of shape (l,)
        The standard errors that drift adds; drift is common to the models.
    broken : ndarray of shape (l,)
        What a break adds to the values: a loss.
    """

    values: Floats
    covariance: Floats
    allowance: Floats
    broken: Floats


def unknowable(shift: ShiftKind, drift: Drift) -> bool:
    """Return whether nothing can be estimated without labels: the data are foreign, or too different without drift."""
    return shift.refused and (drift == "none" or shift.evidence.foreign)


def natural_weights(routes: Routes, shift: ShiftKind) -> Floats:
    """Return what no shift, prior shift and natural drift count for an estimate; they add up to 1."""
    if shift.refused:
        # Neither "nothing changed" nor "only the class proportions changed" is worth considering.
        return np.array([0.0, 0.0, 1.0])
    none, prior, _ = routes.probabilities
    prior = prior * float(special.expit(shift.evidence.gain - _GAIN))
    return np.array([none, prior, 1 - none - prior])


def natural_ranking_weights(routes: Routes, shift: ShiftKind) -> Floats:
    """Return what each route counts for the order of models.

    The route for covariate shift counts as little as a route may: weights make the order noisier, and on natural pairs
    the route for no shift, whose posterior is that of the new rows as well, orders better.
    """
    # An order needs less proof of a prior shift than a level does.
    prior = 0.0 if shift.refused else float(routes.probabilities[1])
    weights = np.array([1 - prior, prior, 0.0])
    return weights if shift.refused else routes.none_ruled_out(weights)


def drifted(
    estimates: Estimates,
    routes: Routes,
    shift: ShiftKind,
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
    routes : Routes
        Their probabilities.
    shift : ShiftKind
        The type of shift.
    measure : str
        A key of `ALLOWANCES`.
    validated, units : ndarrays of shape (l,)
        The measure on the labelled rows; what one row right or wrong makes.
    higher_is_better : bool
        Whether the larger value wins.
    """
    rule, weights = ALLOWANCES[measure], natural_weights(routes, shift)
    none, prior, covariate = estimates.values()
    halfway = _CORRECTED * covariate + (1 - _CORRECTED) * estimates.said[0]
    values = weights @ np.array([none, prior, halfway])
    if shift.refused and measure not in _BY_CLASS:
        improved = values > validated if higher_is_better else values < validated
        values = np.where(improved, validated + _IMPROVEMENT * (values - validated), values)
    apart = np.minimum(abs(prior - covariate), APART * units)
    allowance = rule.constant * units + rule.by_routes * apart + rule.by_move * abs(values - validated)
    return Drifted(
        values=values,
        covariance=np.tensordot(weights, estimates.covariances(), axes=1),
        allowance=allowance * (UNCOVERED if shift.refused else 1.0),
        broken=(-BREAK_SIZE if higher_is_better else BREAK_SIZE) * rule.constant * units,
    )


def quiet_allowance(measure: str, units: Floats) -> Floats:
    """Return the standard errors that drift adds where no shift is visible."""
    return _QUIET * ALLOWANCES[measure].constant * units

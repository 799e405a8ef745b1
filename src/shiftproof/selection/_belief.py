"""What is believed of a measure on the new data, before any label of it: a distribution for every model together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from shiftproof.case import BREAK_CHANCE, BREAK_SIZE, SOFT_MEASURES, Estimates, Prospect, drifted, quiet_allowance
from shiftproof.core import Floats
from shiftproof.selection._mixture import SAFETY, NormalMixture

# Natural drift has heavier tails than a normal distribution: Student's t with so many degrees of freedom.
_FREEDOM = 4.0
# So many normal distributions of different widths give Student's t to three digits.
_WIDTHS = 20


@dataclass(frozen=True, eq=False, kw_only=True)
class Belief:
    """One measure of l models on the new data.

    Attributes
    ----------
    values : ndarray of shape (l,)
        The estimates.
    mixture : NormalMixture
        How they scatter.
    sampling, allowance : ndarrays of shape (l,)
        Standard errors: from the rows at hand, and what natural drift adds.
    """

    values: Floats
    mixture: NormalMixture
    sampling: Floats
    allowance: Floats


def believe(prospect: Prospect, measure: str, estimates: Estimates, *, validated: Floats, units: Floats) -> Belief:
    """Join the routes of a measure into one belief, with or without an allowance for natural drift.

    Parameters
    ----------
    prospect : Prospect
        Routes, type of shift, and whether to allow for drift.
    measure : str
        What is estimated.
    estimates : Estimates
        The measure of l models along every route.
    validated, units : ndarrays of shape (l,)
        The measure on the labelled rows; what one row right or wrong makes.
    """
    # Accuracies and their like are shares of rows; a profit has the unit of its benefit.
    steps = units if measure == "profit" else np.ones_like(units)
    if prospect.drift == "natural" and prospect.candidates.shift.kind != "none":
        return _after_drift(prospect, measure, estimates, validated=validated, units=steps)
    routes = prospect.routes
    allowance = quiet_allowance(measure, steps) if prospect.drift == "natural" else np.zeros_like(steps)
    values, covariances = estimates.values(), SAFETY**2 * estimates.covariances()
    # The interval rules no route out; the point estimate takes the evidence as it is.
    weights = routes.none_ruled_out(routes.probabilities)
    return Belief(
        values=routes.probabilities @ values,
        mixture=NormalMixture(weights, values, covariances + np.outer(allowance, allowance)),
        sampling=np.sqrt(weights @ np.array([np.diag(errors) for errors in covariances])),
        allowance=allowance,
    )


def _after_drift(prospect: Prospect, measure: str, estimates: Estimates, *, validated: Floats, units: Floats) -> Belief:
    """Return what natural shifts have shown of such estimates: they drift, and now and then something breaks."""
    better = SOFT_MEASURES[measure].higher_is_better
    moved = drifted(
        estimates,
        prospect.routes,
        prospect.candidates.shift,
        measure=measure,
        validated=validated,
        units=units,
        higher_is_better=better,
    )
    covariance = moved.covariance + np.outer(moved.allowance, moved.allowance)
    worse = (-BREAK_SIZE if better else BREAK_SIZE) * moved.allowance
    calm, broken = (student_mixture(centre, covariance, _FREEDOM) for centre in (moved.values, moved.values + worse))
    return Belief(
        values=moved.values,
        mixture=NormalMixture(
            np.concatenate([(1 - BREAK_CHANCE) * calm.shares, BREAK_CHANCE * broken.shares]),
            np.vstack([calm.centres, broken.centres]),
            np.concatenate([calm.covariances, broken.covariances]),
        ),
        sampling=np.sqrt(np.diag(moved.covariance)),
        allowance=moved.allowance,
    )


def student_mixture(centres: Floats, covariance: Floats, freedom: float) -> NormalMixture:
    """Return Student's t distribution as a mixture of normal distributions of different widths.

    Examples
    --------
    >>> mixture = student_mixture(np.zeros(1), np.eye(1), 4.0)
    >>> round(mixture.interval(0.0, 0.9, (-9.0, 9.0), "t").high, 2)
    2.13
    """
    # A t distribution is a normal one whose precision follows a gamma distribution: Gauss-Laguerre quadrature.
    precisions, masses = special.roots_genlaguerre(_WIDTHS, freedom / 2 - 1)
    precisions = precisions / (freedom / 2)
    shares = np.asarray(masses / masses.sum())
    return NormalMixture(shares, np.tile(centres, (_WIDTHS, 1)), covariance / precisions[:, None, None])

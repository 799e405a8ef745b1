"""What is believed of a measure on the new data, before any label of it: a distribution for every model together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from shiftproof.case._along_routes import Estimates
from shiftproof.case._drift import drifted, quiet_allowance
from shiftproof.case._mixture import SAFETY, NormalMixture
from shiftproof.case._prospect import Prospect
from shiftproof.case._record import DriftRecord
from shiftproof.case._soft import SOFT_MEASURES
from shiftproof.core import Floats

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
        Standard errors: from the rows at hand, and what drift adds.
    carried : ndarray of shape (l,)
        What was taken off the estimates because past ones were as much too high; negative where they were too low.
    """

    values: Floats
    mixture: NormalMixture
    sampling: Floats
    allowance: Floats
    carried: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class Grounds:
    """What a belief about one measure of l models rests on, before anything is known of the user's own past.

    Attributes
    ----------
    values : ndarray of shape (l,)
        The estimates.
    parts : NormalMixture
        How they scatter by the rows at hand alone.
    allowance : ndarray of shape (l,)
        The standard errors that natural drift adds.
    broken : ndarray of shape (l,)
        What a break adds to the values: a loss. Zeros where no shift is visible.
    """

    values: Floats
    parts: NormalMixture
    allowance: Floats
    broken: Floats

    def only(self, place: int) -> Grounds:
        """Return those of one model alone."""
        one = slice(place, place + 1)
        return Grounds(
            values=self.values[one],
            parts=self.parts.only(place),
            allowance=self.allowance[one],
            broken=self.broken[one],
        )

    def believed(self, record: DriftRecord, measure: str) -> Belief:
        """Allow for drift, as much as natural shifts and the user's own past have shown."""
        allowance, parts = record.factor(measure) * self.allowance, self.parts
        variances = np.array([np.diag(errors) for errors in parts.covariances])
        sampling = np.sqrt(parts.shares @ variances)
        # In units of what sampling and natural drift lead one to expect, as in the record.
        carried = record.carried(measure) * np.hypot(sampling, self.allowance)
        centres = parts.centres - carried
        covariances = parts.covariances + np.outer(allowance, allowance)
        mixture = NormalMixture(parts.shares, centres, covariances)
        if self.broken.any():
            chance = record.break_chance(measure)
            ends = centres[0], centres[0] + record.factor(measure) * self.broken
            calm, broken = (student_mixture(end, covariances[0], record.freedom(measure)) for end in ends)
            mixture = NormalMixture(
                np.concatenate([(1 - chance) * calm.shares, chance * broken.shares]),
                np.vstack([calm.centres, broken.centres]),
                np.concatenate([calm.covariances, broken.covariances]),
            )
        return Belief(
            values=self.values - carried, mixture=mixture, sampling=sampling, allowance=allowance, carried=carried
        )


def believe(prospect: Prospect, measure: str, estimates: Estimates, *, validated: Floats, units: Floats) -> Belief:
    """Join the routes of a measure into one belief, with or without an allowance for drift.

    Parameters
    ----------
    prospect : Prospect
        Routes, type of shift, whether to allow for drift, and the record of the user's own past.
    measure : str
        What is estimated.
    estimates : Estimates
        The measure of l models along every route.
    validated, units : ndarrays of shape (l,)
        The measure on the labelled rows; what one row right or wrong makes.
    """
    return find_grounds(prospect, measure, estimates, validated=validated, units=units).believed(
        prospect.history, measure
    )


def find_grounds(
    prospect: Prospect, measure: str, estimates: Estimates, *, validated: Floats, units: Floats
) -> Grounds:
    """Return what a belief rests on; parameters are those of `believe`."""
    routes, shift = prospect.routes, prospect.candidates.shift
    # Accuracies and their like are shares of rows; a profit has the unit of its benefit.
    steps = units if measure == "profit" else np.ones_like(units)
    if prospect.drift == "natural" and shift.kind != "none":
        better = SOFT_MEASURES[measure].higher_is_better
        moved = drifted(
            estimates, routes, shift, measure=measure, validated=validated, units=steps, higher_is_better=better
        )
        return Grounds(
            values=moved.values,
            parts=NormalMixture(np.ones(1), moved.values[None], moved.covariance[None]),
            allowance=moved.allowance,
            broken=moved.broken,
        )
    values, covariances = estimates.values(), SAFETY**2 * estimates.covariances()
    # The interval rules no route out; the point estimate takes the evidence as it is.
    return Grounds(
        values=routes.probabilities @ values,
        parts=NormalMixture(routes.none_ruled_out(routes.probabilities), values, covariances),
        allowance=quiet_allowance(measure, steps) if prospect.drift == "natural" else np.zeros_like(steps),
        broken=np.zeros_like(steps),
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

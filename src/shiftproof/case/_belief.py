"""What is believed of a measure on the new data, before any label of it: a distribution for every model together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import special

from shiftproof.case._along_routes import Estimates, Sides
from shiftproof.case._drift import drifted, errors_of_prior, prior_weight, quiet_allowance, undecided
from shiftproof.case._mixture import SAFETY, NormalMixture
from shiftproof.case._prospect import Prospect
from shiftproof.case._record import DriftRecord
from shiftproof.case._routes import KINDS
from shiftproof.case._soft import SOFT_MEASURES
from shiftproof.core import Floats

#: Errors by drift have heavier tails than normal ones: Student's t with so many degrees of freedom.
HEAVY_TAILS = 4.0
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
    either : two pairs of ndarray and NormalMixture, optional
        Estimates and beliefs if only the class proportions changed, and if more changed; None unless the data leave
        both open.
    """

    values: Floats
    mixture: NormalMixture
    sampling: Floats
    allowance: Floats
    carried: Floats
    either: tuple[tuple[Floats, NormalMixture], tuple[Floats, NormalMixture]] | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class PriorGrounds:
    """What is believed of l models if nothing but the class proportions changed; drift adds nothing to that.

    Attributes
    ----------
    chance : float
        How far the evidence is for it.
    values, covariance : ndarrays of shapes (l,) and (l, l)
        The estimates, and the scale of their errors, which follow Student's t.
    """

    chance: float
    values: Floats
    covariance: Floats

    def only(self, place: int) -> PriorGrounds:
        """Return those of one model alone."""
        one = slice(place, place + 1)
        return PriorGrounds(chance=self.chance, values=self.values[one], covariance=self.covariance[one, one])


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
    prior : PriorGrounds, optional
        What is believed instead if nothing but the class proportions changed.
    """

    values: Floats
    parts: NormalMixture
    allowance: Floats
    broken: Floats
    prior: PriorGrounds | None = None

    def only(self, place: int) -> Grounds:
        """Return those of one model alone."""
        one = slice(place, place + 1)
        return Grounds(
            values=self.values[one],
            parts=self.parts.only(place),
            allowance=self.allowance[one],
            broken=self.broken[one],
            prior=None if self.prior is None else self.prior.only(place),
        )

    def believed(self, record: DriftRecord, measure: str) -> Belief:
        """Allow for drift, as much as natural shifts and the user's own past have shown."""
        factor, variances = record.factor(measure), self._variances
        values, sampling = self.values, np.sqrt(variances)
        carried = record.carried(measure) * self._expected(self.allowance, variances)
        drift = factor * self.allowance
        mixture = NormalMixture(
            self.parts.shares, self.parts.centres - carried, self.parts.covariances + np.outer(drift, drift)
        )
        if self.broken.any():
            chance, errors, freedom = record.break_chance(measure), mixture.covariances[0], record.freedom(measure)
            ends = mixture.centres[0], mixture.centres[0] + factor * self.broken
            calm, broken = (student_mixture(end, errors, freedom) for end in ends)
            mixture = NormalMixture.of_chances([(1 - chance, calm), (chance, broken)])
        either = None
        if self.prior is not None:
            chance = self.prior.chance
            # A past in which estimates were further off than expected speaks against any narrow belief.
            errors = max(factor, 1.0) ** 2 * self.prior.covariance
            prior = student_mixture(self.prior.values - carried, errors, HEAVY_TAILS)
            if undecided(chance):
                either = (self.prior.values - carried, prior), (values - carried, mixture)
            mixture = NormalMixture.of_chances([(1 - chance, mixture), (chance, prior)])
            values = (1 - chance) * values + chance * self.prior.values
            sampling = np.sqrt((1 - chance) * variances + chance * np.diag(self.prior.covariance))
            drift = self._with_doubt(drift)
        return Belief(
            values=values - carried,
            mixture=mixture,
            sampling=sampling,
            allowance=drift,
            carried=carried,
            either=either,
        )

    @property
    def _variances(self) -> Floats:
        return np.asarray(self.parts.shares @ np.array([np.diag(errors) for errors in self.parts.covariances]))

    def _expected(self, drift: Floats, variances: Floats) -> Floats:
        """Return what sampling and natural drift lead one to expect of an error, which is the unit of the record."""
        return np.asarray(np.hypot(np.sqrt(variances), self._with_doubt(drift)))

    def _with_doubt(self, drift: Floats) -> Floats:
        """Add to drift that nobody knows if more than the class proportions changed."""
        if self.prior is None:
            return drift
        chance, apart = self.prior.chance, self.prior.values - self.values
        return np.asarray(np.sqrt((1 - chance) * drift**2 + chance * (1 - chance) * apart**2))


def find_grounds(
    prospect: Prospect,
    measure: str,
    estimates: Estimates,
    *,
    validated: Floats,
    units: Floats,
    sides: Mapping[str, Sides] | None = None,
) -> Grounds:
    """Return what a belief about a measure rests on.

    Parameters
    ----------
    prospect : Prospect
        Routes, type of shift, and what may have changed.
    measure : str
        What is estimated.
    estimates : Estimates
        The measure of l models along every route.
    validated, units : ndarrays of shape (l,)
        The measure on the labelled rows; what one row right or wrong makes.
    sides : mapping of str to Sides, optional
        What is decided, if these are not the decisions of the prospect's models.
    """
    # Accuracies and their like are shares of rows; a profit has the unit of its benefit.
    steps = units if measure == "profit" else np.ones_like(units)
    if prospect.assume == "no drift":
        routes, nothing = prospect.routes, np.zeros_like(steps)
        # The interval rules no route out; the point estimate takes the evidence as it is.
        shares = routes.none_ruled_out(routes.probabilities)
        parts = NormalMixture(shares, estimates.values(), SAFETY**2 * estimates.covariances())
        return Grounds(values=routes.probabilities @ parts.centres, parts=parts, allowance=nothing, broken=nothing)
    if prospect.assume == "prior shift":
        return _along_one(estimates, "prior", np.zeros_like(steps))
    if prospect.candidates.shift.kind == "none":
        return _along_one(estimates, "none", quiet_allowance(measure, steps))
    moved = drifted(
        estimates,
        prospect.by_calibration(measure, sides),
        measure=measure,
        validated=validated,
        units=steps,
        higher_is_better=SOFT_MEASURES[measure].higher_is_better,
    )
    return Grounds(
        values=moved.values,
        # The allowance was fitted to errors of this size, so that they need no safety.
        parts=NormalMixture(np.ones(1), moved.values[None], moved.covariance[None]),
        allowance=moved.allowance,
        broken=moved.broken,
        prior=PriorGrounds(
            chance=prior_weight(prospect.candidates.shift),
            values=estimates.values()[KINDS.index("prior")],
            covariance=errors_of_prior(estimates, steps),
        ),
    )


def _along_one(estimates: Estimates, kind: str, allowance: Floats) -> Grounds:
    """Believe one route alone."""
    values, covariance = (each[KINDS.index(kind)] for each in (estimates.values(), estimates.covariances()))
    parts = NormalMixture(np.ones(1), values[None], SAFETY**2 * covariance[None])
    return Grounds(values=values, parts=parts, allowance=allowance, broken=np.zeros_like(allowance))


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

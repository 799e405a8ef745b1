"""Mixtures of normal distributions, which are what is believed of a measure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from shiftproof.core import Floats, Interval

# Catch-all components for shifts that none of the routes covers: probability, and width in units of right and wrong.
# One for a loss of some 15 points, one for anything. Measured by benchmarks/labels.py.
_CATCH_ALL = ((0.2, 0.15), (0.1, 0.5))
#: The method of estimates that rest on labels of new rows and on nothing else.
BY_LABELS = "labels"
# What labels alone would give makes up so much of an interval, whatever shifted.
_LABELS_ALONE = 0.1
#: How much wider than their standard errors estimates scatter, on the tuning sets of benchmarks/selection.py.
SAFETY = 1.1
# Added to the variances, relative to them: equal models would make the covariance matrix singular.
_RIDGE = 1e-9
# So many spreads away nothing is left of a normal distribution; narrower ones are points.
_FAR, _NARROWEST = 9.0, 1e-12


def mixture_quantile(shares: Floats, centres: Floats, spreads: Floats, at: float) -> float:
    """Return a quantile of a mixture; NaN where a centre is.

    Examples
    --------
    >>> round(mixture_quantile(np.array([0.5, 0.5]), np.array([0.0, 10.0]), np.array([1.0, 1.0]), 0.25), 6)
    0.0
    """
    if not (np.isfinite(centres).all() and np.isfinite(spreads).all()):
        return float("nan")
    if len(centres) == 1 and spreads[0] <= _NARROWEST:
        return float(centres[0])
    wide = np.maximum(spreads, _NARROWEST)

    def short(x: float) -> float:
        return float(shares @ special.ndtr((x - centres) / wide)) - at

    low, high = float((centres - _FAR * wide).min()), float((centres + _FAR * wide).max())
    if short(low) >= 0 or short(high) <= 0:  # spreads that vanish beside the centres
        order = np.argsort(centres)
        return float(centres[order][np.searchsorted(np.cumsum(shares[order]), at).clip(max=len(order) - 1)])
    # A distribution function only rises, so there is one root.
    return float(optimize.brentq(short, low, high))


def chance_above_zero(shares: Floats, centres: Floats, spreads: Floats) -> float:
    """Return the probability that a mixture lies above zero; half where it is exactly zero.

    Examples
    --------
    >>> chance_above_zero(np.array([1.0]), np.array([0.0]), np.array([0.0]))
    0.5
    """
    wide = np.maximum(spreads, _NARROWEST)
    # Rounding errors must not decide between equal models.
    return float(shares @ special.ndtr(np.where(np.abs(centres) < _NARROWEST, 0.0, centres) / wide))


@dataclass(frozen=True, eq=False)
class NormalMixture:
    """Several normal distributions of l values.

    Attributes
    ----------
    shares : ndarray of shape (r,)
        What each counts; they add up to 1.
    centres : ndarray of shape (r, l)
        Where they lie.
    covariances : ndarray of shape (r, l, l)
        How they scatter.
    """

    shares: Floats
    centres: Floats
    covariances: Floats

    @classmethod
    def of_chances(cls, mixtures: Sequence[tuple[float, NormalMixture]]) -> NormalMixture:
        """Return one mixture of several, each with the chance that it holds."""
        if len(mixtures) == 1:
            return mixtures[0][1]
        return cls(
            np.concatenate([chance * mixture.shares for chance, mixture in mixtures]),
            np.vstack([mixture.centres for _, mixture in mixtures]),
            np.concatenate([mixture.covariances for _, mixture in mixtures]),
        )

    @classmethod
    def of_interval(cls, interval: Interval) -> NormalMixture:
        """Return the normal distribution around an estimate whose central interval is as wide as this one."""
        spread = interval.width / 2 / float(special.ndtri((1 + interval.level) / 2))
        return cls(np.ones(1), np.full((1, 1), interval.estimate), np.full((1, 1, 1), spread**2))

    @property
    def spread(self) -> float:
        """The standard deviation of the whole mixture, of the first value."""
        centres = self.centres[:, 0]
        mean = float(self.shares @ centres)
        # Rounding may leave a little less than zero.
        return math.sqrt(max(float(self.shares @ (self.covariances[:, 0, 0] + centres**2)) - mean**2, 0.0))

    def joined(self) -> NormalMixture:
        """Return one normal distribution with the mean and the covariance of the whole mixture."""
        centre = self.shares @ self.centres
        apart = self.centres - centre
        # Law of total covariance: within the parts, and between them.
        covariance = np.tensordot(self.shares, self.covariances, axes=1) + (self.shares[:, None] * apart).T @ apart
        return NormalMixture(np.ones(1), centre[None], covariance[None])

    def moved(self, by: float) -> NormalMixture:
        """Return the distribution of all values plus a number."""
        return NormalMixture(self.shares, self.centres + by, self.covariances)

    def only(self, place: int) -> NormalMixture:
        """Return the distribution of one value alone."""
        one = slice(place, place + 1)
        return NormalMixture(self.shares, self.centres[:, one], self.covariances[:, one, one])

    def chance_above(self, one: int, other: int) -> float:
        """Return the probability that one value is above another."""
        spread = self.covariances
        # Errors on the same rows go together, so a difference is surer than either value.
        variance = spread[:, one, one] + spread[:, other, other] - 2 * spread[:, one, other]
        apart = self.centres[:, one] - self.centres[:, other]
        return chance_above_zero(self.shares, apart, np.sqrt(np.maximum(variance, 0.0)))

    def chance_below(self, value: float) -> float:
        """Return the probability that the first value is below a number; half if it is exactly that number."""
        return chance_above_zero(self.shares, value - self.centres[:, 0], np.sqrt(self.covariances[:, 0, 0]))

    def interval(self, value: float, level: float, limits: tuple[float, float], method: str) -> Interval:
        """Return the central interval of the first value around an estimate of it, cut at the limits of the measure."""
        centres, spreads = self.centres[:, 0], np.sqrt(self.covariances[:, 0, 0])
        ends = (mixture_quantile(self.shares, centres, spreads, (1 + side * level) / 2) for side in (-1, 1))
        low, high, value = (float(np.clip(x, *limits)) for x in (*ends, value))
        # The estimate is a mean, the ends are quantiles: a skewed mixture may leave the mean outside.
        return Interval(estimate=value, low=min(low, value), high=max(high, value), level=level, method=method)

    def given(self, values: Floats, covariance: Floats, *, units: Floats, alone: bool) -> NormalMixture:
        """Join the mixture with a measurement of all values that has errors of its own.

        Parts count by how well the measurement fits them, and move towards it. It may also fit none: wide parts stand
        for any other shift.

        Parameters
        ----------
        values, covariance : ndarrays of shapes (l,) and (l, l)
            The measurement and its errors; NaN where a value was not measured.
        units : ndarray of shape (l,)
            How far apart right and wrong are in one row.
        alone : bool
            Whether to believe the measurement only.
        """
        if alone:
            return NormalMixture(np.ones(1), values[None], covariance[None])
        known = np.flatnonzero(np.isfinite(values) & np.isfinite(self.centres).all(axis=0))
        # Nothing was measured of any model that has an estimate.
        if not len(known):
            return self
        measured, errors = values[known], covariance[np.ix_(known, known)]
        # Half of a catch-all's variance is common to all models, half is each model's own.
        anywhere = (np.outer(units, units) + np.diag(units**2)) / 2
        others, widths = zip(*_CATCH_ALL, strict=True)
        # Parts that the record of the past rules out would have a logarithm of zero.
        masses = np.maximum(np.concatenate([(1 - sum(others)) * self.shares, others]), _NARROWEST)
        middles = np.vstack([self.centres, *[self.shares @ self.centres] * len(widths)])
        spreads = np.concatenate([self.covariances, *(width**2 * anywhere[None] for width in widths)])
        # All parts at once: planning labels joins hundreds of mixtures.
        total = spreads[:, known[:, None], known] + errors
        ridges = np.maximum(_RIDGE * np.trace(total, axis1=1, axis2=2), _NARROWEST)
        total = total + np.eye(len(known)) * ridges[:, None, None]
        # Kalman's gain: a wide part moves far towards the measurement, a narrow one hardly.
        gains = np.linalg.solve(total, spreads[:, known]).swapaxes(1, 2)
        off = (measured - middles[:, known])[:, :, None]
        # The log density of the measurement under each part, up to a constant.
        fits = -0.5 * (off * np.linalg.solve(total, off)).sum(axis=(1, 2)) - 0.5 * np.linalg.slogdet(total)[1]
        centres, covariances = middles + (gains @ off)[:, :, 0], spreads - gains @ spreads[:, known]
        shares = special.softmax(np.log(masses) + fits)
        return NormalMixture(np.asarray(shares), centres, covariances)


def with_labels(
    routed: NormalMixture, values: Floats, errors: Floats, *, units: Floats, alone: bool
) -> tuple[NormalMixture, float, str]:
    """Join what was believed before with what labels of new rows measured, or take the labels alone.

    Returns the mixture, the estimate of its first value, and the name of the method.
    """
    mixture = routed.given(values, errors, units=units, alone=alone)
    estimate = float(mixture.shares @ mixture.centres[:, 0])
    if alone:
        return mixture, estimate, BY_LABELS
    hedged = NormalMixture(
        np.append((1 - _LABELS_ALONE) * mixture.shares, _LABELS_ALONE),
        np.vstack([mixture.centres, values]),
        np.concatenate([mixture.covariances, errors[None]]),
    )
    return hedged, estimate, "routed pool and labels"

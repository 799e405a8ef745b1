"""Mixtures of normal distributions, one part for each kind of shift."""

from __future__ import annotations

import numpy as np
from scipy import optimize, special

from shiftproof.selection._soft import Floats

_FAR, _NARROWEST = 9.0, 1e-12


def mixture_quantile(shares: Floats, centres: Floats, spreads: Floats, at: float) -> float:
    """Give a quantile of a mixture; NaN where a centre is.

    Examples
    --------
    >>> round(mixture_quantile(np.array([0.5, 0.5]), np.array([0.0, 10.0]), np.array([1.0, 1.0]), 0.25), 6)
    0.0
    """
    if not (np.isfinite(centres).all() and np.isfinite(spreads).all()):
        return float("nan")
    wide = np.maximum(spreads, _NARROWEST)
    low, high = float((centres - _FAR * wide).min()), float((centres + _FAR * wide).max())
    return float(optimize.brentq(lambda x: float(shares @ special.ndtr((x - centres) / wide)) - at, low, high))


def chance_above_zero(shares: Floats, centres: Floats, spreads: Floats) -> float:
    """Give the probability that a mixture lies above zero; half where it is exactly zero.

    Examples
    --------
    >>> chance_above_zero(np.array([1.0]), np.array([0.0]), np.array([0.0]))
    0.5
    """
    wide = np.maximum(spreads, _NARROWEST)
    return float(shares @ special.ndtr(np.where(np.abs(centres) < _NARROWEST, 0.0, centres) / wide))

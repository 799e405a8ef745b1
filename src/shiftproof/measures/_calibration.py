"""Predicted probabilities against observed rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from shiftproof.core import Floats, check_choice, check_count, check_probabilities
from shiftproof.measures._curves_base import Curve, check_scored, quantile, wilson_ends

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

Equal = Literal["mass", "width"]


@dataclass(frozen=True, eq=False, kw_only=True)
class CalibrationCurve(Curve):
    """Predicted against observed rates, bin by bin.

    Parameters
    ----------
    predicted, observed : ndarray of shape (n_bins,)
        The mean probability and the share of positives in each bin that is not empty.
    low, high : ndarray of shape (n_bins,)
        Wilson's interval of the observed rate.
    weight : ndarray of shape (n_bins,)
        The rows in each bin, or the sum of their weights.
    left, right : ndarray of shape (n_bins,)
        The borders of the bins.
    reliability, resolution, uncertainty : float
        Murphy's decomposition: the mean squared difference between observed and predicted rates (0 is best), how much
        the bins' rates differ, and the variance of y itself.
    level : float
        The nominal coverage.
    """

    predicted: Floats
    observed: Floats
    low: Floats
    high: Floats
    weight: Floats
    left: Floats
    right: Floats
    reliability: float
    resolution: float
    uncertainty: float
    level: float

    def to_frame(self) -> pd.DataFrame:
        """Return one row per bin."""
        import pandas as pd

        names = ("left", "right", "weight", "predicted", "observed", "low", "high")
        return pd.DataFrame({name: getattr(self, name) for name in names})

    def summary(self) -> str:
        """Return in how many bins the probabilities differ from the observed rates."""
        off = int(((self.predicted < self.low) | (self.predicted > self.high)).sum())
        of = f"{len(self.predicted)} bin{'s' * (len(self.predicted) != 1)}"
        return (
            f"In {off} of {of} the mean probability lies outside the {100 * self.level:g}% interval for the "
            "observed rate."
        )

    def plot(self, ax: Axes | None = None, *, name: str = "model") -> Axes:
        """Draw the rates with their intervals and the diagonal."""
        from shiftproof.plots import calibration_points

        return calibration_points({name: (self.predicted, self.observed, self.low, self.high)}, ax=ax)


def calibration_curve(
    y: ArrayLike,
    scores: ArrayLike,
    *,
    bins: int = 10,
    equal: Equal = "mass",
    level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    positive: int | None = None,
) -> CalibrationCurve:
    """Compare predicted probabilities with observed rates in bins.

    Parameters
    ----------
    y : array-like of shape (n,)
        0 and 1, or integer codes with `positive`.
    scores : array-like of shape (n,)
        Probabilities of the positive class.
    bins : int
        The number of bins; there may be fewer, because equal probabilities share a bin.
    equal : {"mass", "width"}
        Bins with about the same number of rows each, or of the same width.
    level : float
        The nominal coverage.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows; the borders of the bins do not depend on them.
    positive : int, optional
        The code of the positive class.

    Returns
    -------
    CalibrationCurve

    Examples
    --------
    >>> curve = calibration_curve([0, 0, 0, 1, 1, 1], [0.1, 0.1, 0.4, 0.6, 0.9, 0.8], bins=2, equal="width")
    >>> curve.predicted.round(2), curve.observed
    (array([0.2 , 0.77]), array([0., 1.]))
    """
    scored = check_scored(y, scores, sample_weight=sample_weight, positive=positive)
    p = check_probabilities(scored.scores, "scores")
    count, z = check_count(bins, "bins", least=1), quantile(level)
    places = np.linspace(0.0, 1.0, count + 1)
    if check_choice(equal, "equal", ("mass", "width")) == "mass":
        # Quantiles of the probabilities: bins of about as many rows.
        places = np.quantile(p, places)
    bin_of = np.searchsorted(places[1:-1], p)
    total: Floats = np.bincount(bin_of, weights=scored.weights, minlength=count).astype(np.float64)
    kept = total > 0
    weight = total[kept]
    observed = np.bincount(bin_of, weights=scored.weights * scored.y, minlength=count)[kept] / weight
    predicted = np.bincount(bin_of, weights=scored.weights * p, minlength=count)[kept] / weight
    squares = np.bincount(bin_of, weights=scored.weights**2, minlength=count)[kept]
    # Kish's effective number of rows in each bin.
    low, high = wilson_ends(observed, weight**2 / squares, z)
    # Murphy (1973): Brier score = reliability - resolution + uncertainty, up to the spread within bins.
    rate = scored.positives / scored.total
    return CalibrationCurve(
        predicted=predicted,
        observed=observed,
        low=low,
        high=high,
        weight=weight,
        left=places[:-1][kept],
        right=places[1:][kept],
        reliability=float(weight @ (predicted - observed) ** 2) / scored.total,
        resolution=float(weight @ (observed - rate) ** 2) / scored.total,
        uncertainty=rate * (1 - rate),
        level=level,
    )

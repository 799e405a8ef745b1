"""Why counting is biased when the prevalence changes, and the straight line that corrects it (chapter 3)."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from shiftproof.core import Floats, check_count, check_fraction, check_vector, fault
from shiftproof.losses._base import LossFigure
from shiftproof.losses._inputs import Values, answer, finite

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, kw_only=True)
class Scaling(LossFigure):
    """The straight line that scales estimates: 0 at the negatives' mean, 1 at the positives' (figure 3.3).

    Parameters
    ----------
    positives, negatives : float
        The mean probability of the positive class among the positives and among the negatives (eq. 3.5 and 3.6), or
        the true and the false positive rate.
    estimated, scaled : ndarray of shape (n,)
        The estimates before and after scaling.
    """

    positives: float
    negatives: float
    estimated: Floats
    scaled: Floats

    def to_frame(self) -> pd.DataFrame:
        """Return one row per estimate."""
        import pandas as pd

        return pd.DataFrame({"estimated": self.estimated, "scaled": self.scaled})

    def summary(self) -> str:
        """Return the scaled value of each estimate, in one sentence."""
        moved = ", ".join(f"{a:.2f} to {b:.2f}" for a, b in zip(self.estimated, self.scaled, strict=True))
        return f"Scaling between {self.negatives:g} and {self.positives:g} moves {moved}."

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the estimates on one line, their scaled values on another, and the limits."""
        from shiftproof.plots import scaling_lines

        return scaling_lines(self.estimated, self.scaled, limits=(self.negatives, self.positives), ax=ax)


@dataclass(frozen=True, eq=False, kw_only=True)
class Trend(LossFigure):
    """Estimates by counting and adjusted counting while the prevalence changes (figure 3.1).

    Parameters
    ----------
    true : ndarray of shape (n,)
        The prevalence of each sample, in order of time.
    counted, counted_low, counted_high : ndarray of shape (n,)
        The share that a classifier is expected to call positive (eq. 3.2), and the limits of its band.
    adjusted, adjusted_low, adjusted_high : ndarray of shape (n,)
        The same, adjusted (eq. 3.1).
    unmoved : float
        The only prevalence at which counting is right on average; NaN if it always is.
    level : float
        The nominal coverage of the bands.
    """

    true: Floats
    counted: Floats
    counted_low: Floats
    counted_high: Floats
    adjusted: Floats
    adjusted_low: Floats
    adjusted_high: Floats
    unmoved: float
    level: float

    def to_frame(self) -> pd.DataFrame:
        """Return one row per sample."""
        import pandas as pd

        ways = [f"{way}{end}" for way in ("counted", "adjusted") for end in ("", "_low", "_high")]
        return pd.DataFrame({name: getattr(self, name) for name in ["true", *ways]})

    def summary(self) -> str:
        """Return the largest error of counting, and the prevalence at which it is right, in one sentence."""
        off = float(np.abs(self.counted - self.true).max())
        where = "" if math.isnan(self.unmoved) else f" and right only at a prevalence of {self.unmoved:.3f}"
        return f"Counting is off by up to {off:.3f} on average{where}; adjusted counting is right on average."

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the true prevalence and both estimates with their bands."""
        from shiftproof.plots import trend_lines

        bands = {
            "classify and count": (self.counted, self.counted_low, self.counted_high),
            "adjusted count": (self.adjusted, self.adjusted_low, self.adjusted_high),
        }
        return trend_lines(self.true, bands, unmoved=self.unmoved, ax=ax)


def adjusted(estimated: ArrayLike, tpr: float, fpr: float) -> Values:
    r"""Adjust estimated prevalences for the classifier's rates (eq. 3.1 and 3.4), clipped to 0 and 1.

    .. math:: p'' = \frac{p' - fpr}{tpr - fpr}

    Parameters
    ----------
    estimated : float or array-like
        The shares called positive, or mean probabilities.
    tpr, fpr : float
        The true and the false positive rate, or the mean probabilities of positives and negatives; tpr must be higher.

    Returns
    -------
    float or ndarray
        Of the shape of `estimated`.

    Examples
    --------
    The caption of figure 3.3 gives 0.23 for 0.4, which contradicts the equation.

    >>> adjusted([0.4, 0.54, 0.8], tpr=0.9, fpr=0.3).round(2)
    array([0.17, 0.4 , 0.83])
    """
    high, low = _rates(tpr, fpr)
    # Not limited to 0 and 1: any number may be put on the line.
    shares = finite(estimated, "estimated")
    return answer(np.asarray(((shares - low) / (high - low)).clip(0.0, 1.0)))


def scaling(estimated: ArrayLike, positives: float, negatives: float) -> Scaling:
    """Scale mean probabilities between those of the negatives and the positives, to plot them (figure 3.3).

    Parameters
    ----------
    estimated : array-like of shape (n,)
        Mean probabilities of samples.
    positives, negatives : float
        The mean probability of the positive class among the positives and among the negatives.

    Returns
    -------
    Scaling

    Examples
    --------
    >>> print(scaling([0.4, 0.54, 0.8], positives=0.9, negatives=0.3).summary())
    Scaling between 0.3 and 0.9 moves 0.40 to 0.17, 0.54 to 0.40, 0.80 to 0.83.
    """
    before = check_vector(estimated, "estimated")
    high, low = _rates(positives, negatives, names=("positives", "negatives"))
    return Scaling(positives=high, negatives=low, estimated=before, scaled=adjusted(before, high, low))


def trend(
    prevalence: ArrayLike,
    tpr: float,
    fpr: float,
    *,
    sample_size: int = 1000,
    train_positives: int = 500,
    train_negatives: int = 500,
    level: float = 0.95,
) -> Trend:
    r"""Compare counting and adjusted counting while the prevalence changes under prior shift (figure 3.1).

    Counting estimates :math:`tpr \cdot p + fpr (1 - p)` (eq. 3.2), which is too high for a rare class and too low for a
    common one. The bands are normal intervals, clipped to 0 and 1. The band of counting has the binomial variance of
    the sample. The band of adjusted counting adds the uncertainty of the two rates, by the delta method.

    Parameters
    ----------
    prevalence : array-like of shape (n,)
        The true prevalence of each sample, in order of time.
    tpr, fpr : float
        The rates of the classifier; tpr must be higher.
    sample_size : int
        The number of rows of each sample.
    train_positives, train_negatives : int
        The numbers of rows that the rates were estimated on.
    level : float
        The nominal coverage of the bands.

    Returns
    -------
    Trend

    Examples
    --------
    >>> series = trend([0.1, 0.5, 0.9], tpr=0.8, fpr=0.1)
    >>> series.counted.round(2), round(series.unmoved, 3)
    (array([0.17, 0.45, 0.73]), 0.333)
    """
    p = check_vector(prevalence, "prevalence")
    if ((p < 0) | (p > 1)).any():
        raise fault("prevalence", "lie between 0 and 1", float(p[(p < 0) | (p > 1)][0]), "divide percentages by 100")
    high, low = _rates(tpr, fpr)
    sizes = [check_count(size, name, least=1) for name, size in _sizes(sample_size, train_positives, train_negatives)]
    z = -float(special.ndtri((1 - check_fraction(level, "level", hint="0.95 means 95%")) / 2))
    # Eq. 3.2: true positives and false positives.
    seen = high * p + low * (1 - p)
    of_sample = seen * (1 - seen) / sizes[0]
    # The derivatives of the adjusted count by tpr and fpr are p and 1 - p, over tpr - fpr.
    of_rates = p**2 * high * (1 - high) / sizes[1] + (1 - p) ** 2 * low * (1 - low) / sizes[2]
    reach, wider = z * np.sqrt(of_sample), z * np.sqrt(of_sample + of_rates) / (high - low)
    return Trend(
        true=p,
        counted=seen,
        counted_low=np.clip(seen - reach, 0.0, 1.0),
        counted_high=np.clip(seen + reach, 0.0, 1.0),
        adjusted=adjusted(seen, high, low),
        adjusted_low=np.clip(p - wider, 0.0, 1.0),
        adjusted_high=np.clip(p + wider, 0.0, 1.0),
        # Where eq. 3.2 gives p itself.
        unmoved=low / (1 - high + low) if high - low < 1 else math.nan,
        level=level,
    )


def _rates(high: Any, low: Any, *, names: tuple[str, str] = ("tpr", "fpr")) -> tuple[float, float]:
    for value, name in zip((high, low), names, strict=True):
        # True is a number to Python, but not a rate.
        real = isinstance(value, numbers.Real) and not isinstance(value, bool)
        if not real or not 0 <= value <= 1:
            raise fault(name, "be one number between 0 and 1", value, "divide percentages by 100")
    if not high > low:
        hint = "positives must score higher than negatives for an adjustment to exist"
        raise fault(names[0], f"be above {names[1]}, {float(low):g}", float(high), hint)
    return float(high), float(low)


def _sizes(sample: int, positives: int, negatives: int) -> list[tuple[str, int]]:
    return [("sample_size", sample), ("train_positives", positives), ("train_negatives", negatives)]

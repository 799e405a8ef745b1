"""Which rows to label next, and how many: until the interval is as narrow as the tolerance asks."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from shiftproof.case import FEWEST_LABELS, NormalMixture, few_labels, least_variance, mixture_quantile, with_labels
from shiftproof.core import Codes, Floats, Result
from shiftproof.selection._words import plan_text

if TYPE_CHECKING:
    import pandas as pd

# In every stratum enough labels to see how much they scatter.
_FEWEST_OF_STRATUM = 2
# Added to the standard deviation that the posterior expects, in units of right and wrong: it may be too sure of a
# stratum. On natural shifts this loses nothing (benchmarks/labels.py).
_LEAST_NOISE = 0.2
# Measurements that labels may give, as quantiles of what is believed: the widths of their intervals are averaged.
_OUTCOMES = (0.1, 0.3, 0.5, 0.7, 0.9)
# So many halvings find any number to more than the digits that matter.
_HALVINGS = 50


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelPlan(Result):
    """Rows to label, drawn at random within strata of model confidence.

    Attributes
    ----------
    rows : ndarray of shape (k,)
        Their numbers in X_new, counted from 0.
    strata : ndarray of shape (k,)
        The stratum of each row; 0 is the stratum where the models are least sure.
    model, measure : str
        The model and the measure whose interval should become narrower.
    width, expected_width : float
        The width of the interval now, between its ends as they are written (NaN if the estimate was refused), and its
        expected width with these labels.
    tolerance : float or None
        The tolerance that the number of labels was chosen for: the interval is expected to be at most twice this wide.
        None if the number was given.
    labelled : int
        The number of new rows that already have a label; they are not among `rows`.
    """

    rows: NDArray[np.intp]
    strata: Codes
    model: str
    measure: str
    width: float
    expected_width: float
    tolerance: float | None = None
    labelled: int = 0

    def to_frame(self) -> pd.DataFrame:
        """Return one row per row to label: ``row, stratum``."""
        import pandas as pd

        return pd.DataFrame({"row": self.rows, "stratum": self.strata})

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return self._plain_fields()

    def summary(self) -> str:
        """Return how many rows to label, and how wide the interval is then expected to be."""
        return plan_text(self)


@dataclass(frozen=True, eq=False, kw_only=True)
class OpenRows:
    """What is open about one measure of one model before more labels arrive.

    Attributes
    ----------
    noise : ndarray of shape (m,)
        The standard deviation that each row's label adds.
    strata : ndarray of shape (m,)
        Their strata.
    belief : NormalMixture or None
        What is believed now; None where nothing is.
    unit : float
        What one row right or wrong makes.
    level : float
        The nominal coverage of the interval.
    limits : pair of floats
        The least and the greatest value of the measure.
    """

    noise: Floats
    strata: Codes
    belief: NormalMixture | None
    unit: float
    level: float
    limits: tuple[float, float]

    def take(self, rows: NDArray[np.intp]) -> OpenRows:
        """Keep some of the rows."""
        return replace(self, noise=self.noise[rows], strata=self.strata[rows])

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.intp]:
        """Draw rows at random within strata: more where more is open."""
        counts = self._counts(count)
        members = (np.flatnonzero(self.strata == stratum) for stratum in np.unique(self.strata))
        drawn = [rng.choice(own, size, replace=False) for own, size in zip(members, counts, strict=True)]
        return np.sort(np.concatenate(drawn)).astype(np.intp)

    def rows_to_reach(self, width: float) -> int:
        """Return the fewest labels with which the interval is expected to be at most this wide."""
        low, high = min(FEWEST_LABELS, len(self.noise)), len(self.noise)
        # The more labels, the narrower the interval is expected to be, so bisection finds the fewest that are enough.
        while low < high:
            middle = (low + high) // 2
            if self.expected_width(middle) <= width:
                high = middle
            else:
                low = middle + 1
        return high

    def expected_width(self, count: int) -> float:
        """Return how wide the interval will be with so many labels, on average over what they may show."""
        errors = np.array([[few_labels(float(max(count - 1, 1)), self.level) * self._variance(count)]])
        if self.belief is None or not errors.any():
            span = self.limits[1] - self.limits[0]
            return min(2 * float(special.ndtri((1 + self.level) / 2)) * math.sqrt(float(errors[0, 0])), span)
        belief, units = self.belief, np.array([self.unit])
        spreads = np.sqrt(belief.covariances[:, 0, 0] + errors[0, 0])
        widths = []
        for outcome in _OUTCOMES:
            measured = np.array([mixture_quantile(belief.shares, belief.centres[:, 0], spreads, outcome)])
            joined, value, method = with_labels(belief, measured, errors, units=units, alone=False)
            widths.append(joined.interval(value, self.level, self.limits, method).width)
        return float(np.mean(widths))

    def _variance(self, count: int) -> float:
        """Return the variance that so many labels are expected to leave."""
        counts, (sizes, variances) = self._counts(count), self._by_stratum
        # Finite population: labelling all rows leaves nothing open.
        planned = float(((sizes / sizes.sum()) ** 2 * variances * (1 / counts - 1 / sizes)).sum())
        return max(planned, least_variance(self.unit**2, count, len(self.noise)))

    @cached_property
    def _by_stratum(self) -> tuple[NDArray[np.intp], Floats]:
        """How many rows each stratum has, and their mean variance."""
        _, stratum, sizes = np.unique(self.strata, return_inverse=True, return_counts=True)
        return sizes.astype(np.intp), np.bincount(stratum, self.noise**2) / sizes

    def _counts(self, count: int) -> NDArray[np.intp]:
        """Return how many rows of each stratum to label: in proportion to size times scatter (Neyman 1934)."""
        sizes, variances = self._by_stratum
        pull = sizes * np.sqrt(variances + (_LEAST_NOISE * self.unit) ** 2)
        # Where no row can change the measure, all count the same.
        pull = pull if pull.any() else sizes.astype(np.float64)
        least, wanted = np.minimum(_FEWEST_OF_STRATUM, sizes), min(count, int(sizes.sum()))
        # Bisect for the pull that one label stands for, since strata may be full.
        low, high = 0.0, float(pull.max())
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            enough = np.clip(pull / middle, least, sizes).astype(np.intp).sum() <= wanted
            low, high = (low, middle) if enough else (middle, high)
        counts = np.clip(pull / high, least, sizes).astype(np.intp)
        while counts.sum() < wanted:
            # The stratum that is furthest below its part gets the next label.
            behind = np.where(counts < sizes, pull / (counts + 1), -np.inf)
            counts[int(behind.argmax())] += 1
        return counts

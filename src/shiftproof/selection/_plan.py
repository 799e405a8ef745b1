"""Which rows to label next, so that the interval shrinks most."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from shiftproof.core import Codes, Floats, Result
from shiftproof.selection._words import plan_text

if TYPE_CHECKING:
    import pandas as pd

# In every stratum enough labels to see how much they scatter.
_FEWEST_EACH = 2
# Posteriors may be too sure, so no stratum is taken as settled.
_LEAST_NOISE = 0.05


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelPlan(Result):
    """Rows to label, drawn at random within strata of how sure the models are.

    Attributes
    ----------
    rows : ndarray of shape (k,)
        Their numbers in X_new, counted from 0.
    strata : ndarray of shape (k,)
        Which stratum each is from; 0 is the one that the models are least sure of.
    model, measure : str
        Whose interval is to shrink.
    width, expected_width : float
        How wide the interval is now (NaN where the estimate was refused), and with these labels about.
    """

    rows: NDArray[np.intp]
    strata: Codes
    model: str
    measure: str
    width: float
    expected_width: float

    def to_frame(self) -> pd.DataFrame:
        """Return one row per row to label: ``row, stratum``."""
        import pandas as pd

        return pd.DataFrame({"row": self.rows, "stratum": self.strata})

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return self._plain_fields()

    def summary(self) -> str:
        """Say how many rows to label and what that brings."""
        return plan_text(self)


def rows_to_reach(noise: Floats, strata: Codes, spread: float, wanted: float) -> int:
    """Return the fewest labels that are expected to bring a spread down to another.

    Examples
    --------
    >>> rows_to_reach(np.full(10_000, 0.4), np.zeros(10_000, dtype=int), math.inf, 0.02)
    391
    """
    # Every label narrows the expected interval, so bisection finds the fewest that are enough.
    low, high = min(_FEWEST_EACH * len(np.unique(strata)), len(noise)), len(noise)
    while low < high:
        middle = (low + high) // 2
        if expected_spread(noise, strata, spread, middle) <= wanted:
            high = middle
        else:
            low = middle + 1
    return high


def expected_spread(noise: Floats, strata: Codes, spread: float, count: int) -> float:
    """Return the spread after so many labels; few of them may leave a wider one, which does not rest on guesses alone.

    What labels alone give is half of the interval, what they make of the estimate without them the other half.
    """
    # Finite population: labelling all rows leaves nothing open.
    labelled = max(_per_label(noise, strata) * (1 / count - 1 / len(noise)), 0.0)
    if not math.isfinite(spread) or not labelled or not spread:
        return math.sqrt(labelled)
    # Independent evidence adds up in inverse variances.
    both = 1 / (1 / spread**2 + 1 / labelled)
    return math.sqrt((both + labelled) / 2)


def draw_rows(noise: Floats, strata: Codes, count: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw rows at random within strata: more where more is open (Neyman's allocation)."""
    members = [np.flatnonzero(strata == each) for each in np.unique(strata)]
    sizes = np.array([len(own) for own in members])
    pull = sizes * np.array([_level(noise[own]) for own in members])
    counts = np.minimum(_FEWEST_EACH, sizes)
    while counts.sum() < min(count, sizes.sum()):
        # The stratum that is furthest below its part gets the next label.
        behind = np.where(counts < sizes, pull / (counts + 1), -np.inf)
        counts[int(behind.argmax())] += 1
    drawn = [rng.choice(own, size, replace=False) for own, size in zip(members, counts, strict=True)]
    return np.sort(np.concatenate(drawn)).astype(np.intp)


def width_of(spread: float, level: float) -> float:
    """Return how wide a normal interval is."""
    return float(2 * special.ndtri((1 + level) / 2) * spread)


def _per_label(noise: Floats, strata: Codes) -> float:
    """Return the variance of one label's worth under Neyman's allocation."""
    # Neyman (1934): the squared sum over strata of size times standard deviation.
    weights = [(strata == each).mean() * _level(noise[strata == each]) for each in np.unique(strata)]
    return float(sum(weights)) ** 2


def _level(noise: Floats) -> float:
    """Return how much labels scatter in a stratum; never nothing, since posteriors may be too sure."""
    return math.sqrt(float(np.mean(noise**2)) + _LEAST_NOISE**2)

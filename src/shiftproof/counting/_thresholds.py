"""Adjusted counts at better thresholds than 1/2: one that is chosen by its rates, or the median over many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Floats, check_choice, check_flag
from shiftproof.counting._counts import cut_at
from shiftproof.counting._kernels import sweep
from shiftproof.counting._learned import Binary, ClassShare, Lesson, OneVsRest, learn_parts
from shiftproof.counting._rates import Averaging, Rates, rates_at
from shiftproof.counting._samples import Labelled, Samples

Reverse = Literal["never", "majority", "always"]

# A hundred equal steps.
_GRID = 101
#: The note of a median over thresholds that falls back on a single one.
NONE_QUALIFIES = "tpr - fpr < 1/4 at every threshold, so the threshold with the largest difference is used"


@dataclass(frozen=True, eq=False)
class Sweep:
    """The median over thresholds of the adjusted counts.

    Parameters
    ----------
    thresholds, fpr, gap : arrays of shape (T,)
        The thresholds, rising; the false positive rates there, and how much the true positive rates are larger.
    """

    thresholds: Floats
    fpr: Floats
    gap: Floats

    def share(self, scores: Floats, samples: Samples) -> Floats:
        """Give the median in each sample."""
        places = np.searchsorted(self.thresholds, scores, side="right")
        return np.asarray(sweep(places, self.fpr, self.gap, samples.rows, samples.offsets))


def learn_threshold_x(labelled: Labelled, *, rates: Averaging = "folds") -> OneVsRest:
    """Learn to count where fpr is nearest to 1 - tpr (X)."""
    return _learn_best(labelled, rates, lambda r: -abs(r.true + r.false - r.whole))


@dataclass(frozen=True, eq=False)
class Reversed:
    """One class counted by the rows that are not of it: what is left is its share.

    Parameters
    ----------
    rest : ClassShare
        What was learnt of the others, from scores with the opposite sign.
    """

    rest: ClassShare

    def share(self, scores: Floats, samples: Samples) -> Floats:
        """Give one less the share of the others in each sample."""
        return 1.0 - self.rest.share(-scores, samples)


def learn_threshold_50(labelled: Labelled, *, rates: Averaging = "folds", reverse: Reverse = "never") -> OneVsRest:
    """Learn to count where tpr is nearest to 1/2 (T50).

    Parameters
    ----------
    labelled : Labelled
        The scores to learn from.
    rates : {"folds", "pooled"}
        The mean of the folds' rates, as in the thesis, or the rates of all rows.
    reverse : {"never", "majority", "always"}
        Whether the other class plays the positive one: never, if the class has more than half of the labelled rows
        (section 5.2.1 of the thesis), or always. The threshold is then where the true negative rate is nearest to 1/2.
    """
    check_choice(reverse, "reverse", ("never", "majority", "always"))

    def learn(binary: Binary) -> Lesson:
        share = float(binary.weights[binary.positive].sum() / binary.weights.sum())
        if reverse == "never" or (reverse == "majority" and share <= 0.5):
            return _half(binary)
        part, note = _half(replace(binary, scores=-binary.scores, positive=~binary.positive))
        return (None if part is None else Reversed(part)), note

    def _half(binary: Binary) -> Lesson:
        return _best(_all_rates(binary, rates), lambda r: -abs(2 * r.true - r.whole))

    return learn_parts(labelled, learn)


def learn_threshold_max(labelled: Labelled, *, rates: Averaging = "folds") -> OneVsRest:
    """Learn to count where tpr - fpr is largest (Max)."""
    return _learn_best(labelled, rates, _difference)


def learn_median_sweep(labelled: Labelled, *, rates: Averaging = "folds", grid: bool = False) -> OneVsRest:
    """Learn the rates at all thresholds with tpr - fpr of at least 1/4 (MS); at Max's where there is none.

    Parameters
    ----------
    labelled : Labelled
        The scores to learn from.
    rates : {"folds", "pooled"}
        The mean of the folds' rates, as in the thesis, or the rates of all rows.
    grid : bool
        Whether 101 thresholds at equal steps from the lowest to the highest labelled score are enough; else every
        labelled score is one.
    """

    def learn(binary: Binary) -> Lesson:
        if check_flag(grid, "grid"):
            every = rates_at(binary, np.linspace(binary.scores.min(), binary.scores.max(), _GRID), rates)
        else:
            every = _all_rates(binary, rates)
        # Forman's rule: a smaller difference than 1/4 in the denominator of eq. 3.1 makes the count unstable.
        kept = every.where(np.asarray(4 * _difference(every) >= every.whole, dtype=bool))
        if len(kept.thresholds):
            return Sweep(kept.thresholds, kept.fpr, kept.gap), ""
        # No threshold qualifies; the best of all scores, not of the grid, is the least unstable.
        part, note = _best(_all_rates(binary, rates), _difference)
        return part, note or NONE_QUALIFIES

    return learn_parts(labelled, learn)


def _difference(rates: Rates) -> NDArray[Any]:
    return np.asarray(rates.true - rates.false)


def _all_rates(binary: Binary, averaging: Averaging) -> Rates:
    return rates_at(binary, np.unique(binary.scores), averaging)


def _learn_best(labelled: Labelled, averaging: Averaging, merit: Callable[[Rates], NDArray[Any]]) -> OneVsRest:
    return learn_parts(labelled, lambda binary: _best(_all_rates(binary, averaging), merit))


def _best(rates: Rates, merit: Callable[[Rates], NDArray[Any]]) -> Lesson:
    """Adjust at the threshold of most merit; of equal ones the lowest, which has the highest tpr."""
    return cut_at(rates, int(np.argmax(merit(rates))))

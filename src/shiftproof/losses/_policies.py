"""Where to cut scores before counting: Forman's threshold policies (section 3.2.1, figure 3.2)."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from shiftproof.core import Floats, Phrase, check_vector, fault, listed
from shiftproof.losses._base import LossFigure

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, kw_only=True)
class ThresholdPolicies(LossFigure):
    """The true and false positive rates at each threshold, and the thresholds of the policies.

    Parameters
    ----------
    thresholds : ndarray of shape (n,)
        All distinct scores, rising. A row is called positive if its score is at least the threshold.
    tpr, fpr : ndarray of shape (n,)
        The shares of positives and of negatives that are called positive; both fall as the threshold rises.
    chosen : dict of str to int
        The position in `thresholds` of each policy's threshold; the policies are "X", "T50" and "Max".
    default : float
        The threshold of plain and of adjusted counting.
    """

    thresholds: Floats
    tpr: Floats
    fpr: Floats
    chosen: Mapping[str, int]
    default: float

    def to_frame(self) -> pd.DataFrame:
        """Return one row per policy, then the default."""
        import pandas as pd

        places = list(self.chosen.values())
        # The default is the lowest score that is still called positive; above all scores nothing is called.
        place = int(np.searchsorted(self.thresholds, self.default))
        columns = {
            "threshold": np.append(self.thresholds[places], self.default),
            "tpr": np.append(self.tpr, 0.0)[[*places, place]],
            "fpr": np.append(self.fpr, 0.0)[[*places, place]],
        }
        return pd.DataFrame({"policy": [*self.chosen, "default"]} | columns)

    def summary(self) -> str:
        """Return the threshold of each policy, in one sentence."""
        rows = self.to_frame().itertuples(index=False, name=None)
        parts = [f"{policy} cuts at {cut:.3g} (tpr {tpr:.3f}, fpr {fpr:.3f})" for policy, cut, tpr, fpr in rows]
        return "; ".join(parts) + "."

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curves of fpr and 1 - tpr with the thresholds of the policies."""
        from shiftproof.plots import policy_lines

        marks = {name: float(self.thresholds[place]) for name, place in self.chosen.items()}
        return policy_lines(self.thresholds, self.tpr, self.fpr, marks, default=self.default, ax=ax)


def threshold_policies(y: ArrayLike, scores: ArrayLike, *, default: float = 0.5) -> ThresholdPolicies:
    """Find the thresholds that Forman's policies choose among all distinct scores.

    X chooses the threshold where fpr is nearest to 1 - tpr, T50 where tpr is nearest to 1/2, and Max where tpr - fpr is
    largest. If several thresholds are equally good, the lowest is used, which has the highest tpr.

    Parameters
    ----------
    y : array-like of shape (n,)
        1 for positives, 0 for negatives; both must occur.
    scores : array-like of shape (n,)
        Scores of the positive class, from models that never saw the row.
    default : float
        The classifier's own threshold, to compare with: 0.5 for probabilities, 0 for margins.

    Returns
    -------
    ThresholdPolicies

    Examples
    --------
    >>> policies = threshold_policies([0, 0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
    >>> print(policies.to_frame().round(2).to_string(index=False))
     policy  threshold  tpr  fpr
          X        0.5 0.67 0.25
        T50        0.5 0.67 0.25
        Max        0.4 1.00 0.25
    default        0.5 0.67 0.25
    """
    labels, values = check_vector(y, "y"), check_vector(scores, "scores")
    if len(labels) != len(values):
        raise fault("scores", f"have as many values as y, {len(labels)}", len(values), "give one score per row")
    if {*labels.tolist()} != {0.0, 1.0}:
        raise fault(
            "y", "hold 0 and 1", Phrase(listed(np.unique(labels).tolist())), "mark the positive rows with y == label"
        )
    if not isinstance(default, numbers.Real) or not math.isfinite(default):
        raise fault("default", "be a number", default, "0.5 is usual for probabilities, 0 for margins")
    thresholds = np.unique(values)
    tpr, fpr = (_share_from(values[labels == label], thresholds) for label in (1, 0))
    # With finite data the condition of a policy is met nearly, not exactly: each takes the smallest miss.
    misses = {"X": np.abs(fpr - (1 - tpr)), "T50": np.abs(tpr - 0.5), "Max": 1 - (tpr - fpr)}
    # Equal differences of shares may differ in their last digits.
    chosen = {name: int(np.flatnonzero(miss <= miss.min() + 1e-12)[0]) for name, miss in misses.items()}
    return ThresholdPolicies(thresholds=thresholds, tpr=tpr, fpr=fpr, chosen=chosen, default=float(default))


def _share_from(values: Floats, thresholds: Floats) -> Floats:
    """Return the share of values at or above each threshold."""
    return 1 - np.searchsorted(np.sort(values), thresholds) / len(values)

"""What models cost where neither the class proportions nor the costs of errors are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shiftproof.core import Floats, check_count, shown
from shiftproof.measures._curves import RocCurve
from shiftproof.measures._curves_base import Curve
from shiftproof.measures._hull import iso_slope, roc_hull

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, kw_only=True)
class CostCurve(Curve):
    r"""The lowest expected cost of each model over all class proportions and costs of errors.

    The horizontal axis is the *probability cost* :math:`\frac{\pi c_{FN}}{\pi c_{FN} + (1 - \pi) c_{FP}}`, which is the
    share of positives if both errors cost the same. The cost is relative to that of getting every row wrong.

    Parameters
    ----------
    probability_cost : ndarray of shape (n_points,)
        From 0 to 1.
    costs : dict of str to ndarray of shape (n_points,)
        The cost of each model with its best threshold, never above that of the better of calling all rows positive and
        none.
    """

    probability_cost: Floats
    costs: dict[str, Floats]

    @property
    def best(self) -> tuple[str, ...]:
        """The model with the lowest cost at each point; the first of equals."""
        names = list(self.costs)
        return tuple(names[place] for place in np.argmin(list(self.costs.values()), axis=0))

    def at(self, *, prevalence: float, fp: float = 1.0, fn: float = 1.0) -> dict[str, float]:
        """Return the cost of each model for class proportions and costs that are known by now.

        Parameters
        ----------
        prevalence : float
            The share of positives.
        fp, fn : float
            What a false positive and a false negative cost.
        """
        point = 1 / (1 + iso_slope(prevalence=prevalence, fp=fp, fn=fn))
        return {name: float(np.interp(point, self.probability_cost, cost)) for name, cost in self.costs.items()}

    def to_frame(self) -> pd.DataFrame:
        """Return one row per point, with a column for each model."""
        import pandas as pd

        return pd.DataFrame({"probability_cost": self.probability_cost, **self.costs, "best": self.best})

    def summary(self) -> str:
        """Return in one sentence where which model costs least."""
        best = np.array(self.best)
        trivial = np.minimum(self.probability_cost, 1 - self.probability_cost)
        useful = np.min(list(self.costs.values()), axis=0) < trivial - 1e-12
        ranges = []
        for name in dict.fromkeys(best[useful].tolist()):
            points = self.probability_cost[useful & (best == name)]
            ranges.append(f"{shown(name)} between {points.min():.2f} and {points.max():.2f}")
        where = ", ".join(ranges) or "no model"
        return f"Lowest cost, by probability cost: {where}; elsewhere one answer for all rows costs no more."

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the costs, and that of one answer for all rows."""
        from shiftproof.plots import cost_lines

        return cost_lines(self.probability_cost, self.costs, ax=ax)


def cost_curve(curves: Mapping[str, RocCurve], *, points: int = 201) -> CostCurve:
    r"""Compute the expected cost of models for every class proportion and cost of errors (Drummond and Holte 2006).

    A threshold with the rates fpr and tpr costs :math:`(1 - tpr) x + fpr (1 - x)` at the probability cost x; a model
    costs the least of its thresholds. Choose a model by it if the class proportions of the new data are not known yet.

    Parameters
    ----------
    curves : mapping of str to RocCurve
        The ROC curve of each model, by name, all on the same rows.
    points : int
        How many points to compute.

    Returns
    -------
    CostCurve

    Examples
    --------
    >>> from shiftproof.measures import roc_curve
    >>> y = [1, 1, 0, 1, 0, 0]
    >>> costs = cost_curve({"tree": roc_curve(y, [0.9, 0.6, 0.7, 0.5, 0.3, 0.2])})
    >>> round(costs.at(prevalence=0.5)["tree"], 4)
    0.1667
    >>> print(costs.summary())
    Lowest cost, by probability cost: 'tree' between 0.01 and 0.99; elsewhere one answer for all rows costs no more.
    """
    check_count(points, "points", least=2, hint="201 is usual")
    x = np.linspace(0, 1, points)
    costs = {}
    roc_hull(curves)  # refuses what are no curves
    for name, curve in curves.items():
        # The corners of a model's own hull have its lowest costs, those of one answer for all rows among them.
        hull = roc_hull({name: curve})
        costs[str(name)] = ((1 - hull.tpr)[:, None] * x + hull.fpr[:, None] * (1 - x)).min(axis=0)
    return CostCurve(probability_cost=x, costs=costs)

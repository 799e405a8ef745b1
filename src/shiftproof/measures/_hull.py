"""The convex hull of several ROC curves: which model to use where, and how to mix two models in between."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shiftproof.core import (
    Floats,
    InputError,
    Phrase,
    Seed,
    check_fraction,
    check_vector,
    fault,
    generator,
    is_number,
    listed,
    plain,
    shown,
)
from shiftproof.measures._curves import RocCurve
from shiftproof.measures._curves_base import Curve

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, kw_only=True)
class OperatingPoint:
    """A model used at a threshold: a row is positive if its score is at least the threshold.

    Parameters
    ----------
    model : str
        The name of the model.
    threshold : float
        Infinity calls nothing positive, minus infinity everything; NaN on a curve that averages folds.
    fpr, tpr : float
        The rates of this operating point.
    """

    model: str
    threshold: float
    fpr: float
    tpr: float


@dataclass(frozen=True, kw_only=True)
class RocMixture:
    """Two operating points, the first used with probability `share`.

    Parameters
    ----------
    first, second : OperatingPoint
        Neighbours on the hull; both are the same at a corner.
    share : float
        The probability of using the first.
    fpr, tpr : float
        The rates of the mixture: ``share * first + (1 - share) * second``.
    """

    first: OperatingPoint
    second: OperatingPoint
    share: float
    fpr: float
    tpr: float

    def decide(self, scores: Mapping[str, ArrayLike], *, random_state: Seed = None) -> NDArray[np.int_]:
        """Decide row by row, drawing which of the two operating points to use.

        Parameters
        ----------
        scores : mapping of str to array-like of shape (n,)
            The scores of the models by name.
        random_state : int, Generator, RandomState, SeedSequence or None
            The seed of the draws.

        Returns
        -------
        ndarray of int of shape (n,)
            1 for positive.
        """
        first, second = (_apply(point, scores) for point in (self.first, self.second))
        if len(first) != len(second):
            got = f"{len(first)} and {len(second)}"
            raise InputError(
                f"the scores of both models must have the same length, got {got}; use scores of the same rows"
            )
        # Drawn for each row: a fixed choice would reach one of the two points only.
        use_first = generator(random_state).uniform(size=len(first)) < self.share
        return np.where(use_first, first, second).astype(np.int_)

    def summary(self) -> str:
        """Return in one sentence which model to use for which share of the rows."""
        rates = f"reaches {100 * self.tpr:.1f}% of the positives at {100 * self.fpr:.1f}% of the negatives"
        if self.first == self.second:
            return f"{_words(self.first)} {rates}."
        return (
            f"{_words(self.first)} for {100 * self.share:.1f}% of the rows, drawn at random, "
            f"and {_words(self.second)} for the rest {rates}."
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class RocHull(Curve):
    """The upper convex hull of ROC curves.

    Parameters
    ----------
    fpr, tpr, thresholds : ndarray of shape (n_corners,)
        The corners from (0, 0) to (1, 1).
    owners : tuple of str
        The model of each corner; if several models share a corner, the first in the mapping.
    curves : dict of str to RocCurve
        The curves that the hull was made from.
    """

    fpr: Floats
    tpr: Floats
    thresholds: Floats
    owners: tuple[str, ...]
    curves: Mapping[str, RocCurve]

    @property
    def area(self) -> float:
        """The area under the hull; an upper bound, because its corners were chosen on the same rows."""
        return float(np.trapezoid(self.tpr, self.fpr))

    def mix(self, *, fpr: float | None = None, tpr: float | None = None, slope: float | None = None) -> RocMixture:
        r"""Find two neighbouring operating points and a share whose mixture reaches a point of the hull.

        With rates :math:`(f_1, t_1)` and :math:`(f_2, t_2)` and the first used for a share q of the cases, the mixture
        has the rates :math:`q f_1 + (1-q) f_2` and :math:`q t_1 + (1-q) t_2`.

        Parameters
        ----------
        fpr : float, optional
            The false positive rate wanted.
        tpr : float, optional
            The true positive rate wanted, at the smallest false positive rate.
        slope : float, optional
            The slope of equal cost, from :func:`iso_slope`, to get the best corner for it.

        Returns
        -------
        RocMixture
        """
        given = {name: value for name, value in (("fpr", fpr), ("tpr", tpr), ("slope", slope)) if value is not None}
        if len(given) != 1:
            hint = "a point of the hull has one coordinate"
            raise fault("exactly one of fpr, tpr and slope", "be given", Phrase(listed(given) or "none"), hint)
        (name, value) = next(iter(given.items()))
        if name == "slope":
            return self._corner(_best(self, value))
        return self._between(name, _check_rate(name, value))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per corner."""
        import pandas as pd

        columns = {"model": self.owners, "threshold": self.thresholds, "fpr": self.fpr, "tpr": self.tpr}
        return pd.DataFrame(columns)

    def to_dict(self) -> dict[str, Any]:
        """Return the corners as plain values."""
        names = ("owners", "thresholds", "fpr", "tpr")
        return {name: plain(getattr(self, name)) for name in names}

    def summary(self) -> str:
        """Return in one sentence which models are on the hull."""
        used = list(dict.fromkeys(self.owners[1:-1] or self.owners[:1]))
        idle = [name for name in self.curves if name not in used]
        rest = f"; {listed(idle)} {'is' if len(idle) == 1 else 'are'} nowhere best" if idle else ""
        return f"The hull has {len(self.fpr)} corners, from {listed(used)}{rest}."

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curves and the hull."""
        from shiftproof.plots import roc_lines

        lines = {f"{name} (area {c.auc.estimate:.3f})": (c.fpr, c.tpr) for name, c in self.curves.items()}
        return roc_lines(lines, hull=(self.fpr, self.tpr), ax=ax)

    def _point(self, corner: int) -> OperatingPoint:
        return OperatingPoint(
            model=self.owners[corner],
            threshold=float(self.thresholds[corner]),
            fpr=float(self.fpr[corner]),
            tpr=float(self.tpr[corner]),
        )

    def _corner(self, corner: int) -> RocMixture:
        point = self._point(corner)
        return RocMixture(first=point, second=point, share=1.0, fpr=point.fpr, tpr=point.tpr)

    def _between(self, name: str, value: float) -> RocMixture:
        along: Floats = getattr(self, name)
        exact = np.flatnonzero(along == value)
        if len(exact):  # on a vertical or level edge, the end that costs nothing
            return self._corner(int(exact[-1] if name == "fpr" else exact[0]))
        # Corners rise from left to right, so the wanted rate is between two neighbours.
        right = int(np.searchsorted(along, value))
        first, second = self._point(right - 1), self._point(right)
        start, end = float(along[right - 1]), float(along[right])
        share = (end - value) / (end - start)
        return RocMixture(
            first=first,
            second=second,
            share=share,
            fpr=value if name == "fpr" else share * first.fpr + (1 - share) * second.fpr,
            tpr=value if name == "tpr" else share * first.tpr + (1 - share) * second.tpr,
        )


def roc_hull(curves: Mapping[str, RocCurve]) -> RocHull:
    """Compute the upper convex hull over the ROC curves of several models.

    Every point of the hull can be reached by using one of two neighbouring operating points at random; a point below
    the hull is never the best one, whatever the costs and the prevalence (Provost and Fawcett 2001).

    Parameters
    ----------
    curves : mapping of str to RocCurve
        The ROC curve of each model, by name, all on the same rows.

    Returns
    -------
    RocHull

    Examples
    --------
    >>> from shiftproof.measures._curves import roc_curve
    >>> y = [1, 1, 0, 1, 0, 0]
    >>> curve = roc_curve(y, [0.9, 0.6, 0.7, 0.5, 0.3, 0.2])
    >>> hull = roc_hull({"tree": curve})
    >>> print(hull.mix(fpr=1 / 6).summary())
    'tree' from 0.9 for 50.0% of the rows, drawn at random, and 'tree' from 0.5 for the rest reaches 66.7% of the
    positives at 16.7% of the negatives.
    """
    if not isinstance(curves, Mapping) or not curves:
        raise fault("curves", "map names to ROC curves", curves, "pass {'model': roc_curve(y, scores)}")
    for name, curve in curves.items():
        if not isinstance(curve, RocCurve):
            raise fault(f"the curve of {shown(name)}", "be a RocCurve", curve, "make it with roc_curve(y, scores)")
    names = [str(name) for name in curves]
    fpr = np.concatenate([curve.fpr for curve in curves.values()])
    tpr = np.concatenate([curve.tpr for curve in curves.values()])
    thresholds = np.concatenate([curve.thresholds for curve in curves.values()])
    owner_of = np.repeat(np.arange(len(names)), [len(curve.fpr) for curve in curves.values()])
    kept = _upper(fpr, tpr, owner_of)
    corners = owner_of[kept]
    # the two trivial corners belong to their neighbours: calling no row is infinity, every row minus infinity
    inner = corners[1:-1] if len(corners) > 2 else corners[:1]
    owners = [inner[0], *corners[1:-1], inner[-1]]
    return RocHull(
        fpr=fpr[kept],
        tpr=tpr[kept],
        thresholds=np.concatenate([[np.inf], thresholds[kept][1:-1], [-np.inf]]),
        owners=tuple(names[owner] for owner in owners),
        curves={str(name): curve for name, curve in curves.items()},
    )


def iso_slope(*, prevalence: float, fp: float = 1.0, fn: float = 1.0) -> float:
    r"""Return the slope of the lines in ROC space along which the expected cost is the same.

    .. math:: \frac{(1 - \pi)\, c_{FP}}{\pi\, c_{FN}}

    Parameters
    ----------
    prevalence : float
        The share of positives where the model will be used.
    fp, fn : float
        What a false positive and a false negative cost.

    Returns
    -------
    float

    Examples
    --------
    >>> iso_slope(prevalence=0.2, fp=1, fn=8)
    0.5
    """
    share = check_fraction(prevalence, "prevalence", hint="0.2 means 20% positives")
    for name, value in (("fp", fp), ("fn", fn)):
        if not is_number(value) or not 0 < value < math.inf:
            raise fault(name, "be a positive cost", value, "give what one such error costs")
    return (1 - share) * fp / (share * fn)


def _upper(fpr: Floats, tpr: Floats, owner: NDArray[np.intp]) -> NDArray[np.intp]:
    """Give the corners of the upper hull, left to right."""
    # of equal points the first model's is used; at one false positive rate only the highest counts
    order = np.lexsort((owner, -tpr, fpr))
    _, first = np.unique(fpr[order], return_index=True)
    kept = order[first]
    if tpr[kept[0]] > 0:
        kept = np.append(order[np.flatnonzero((fpr[order] == 0) & (tpr[order] == 0))[:1]], kept)
    while True:
        # a point on or below the line between two others is not a corner; all such points can go at once
        x, y = fpr[kept], tpr[kept]
        turn = (y[1:-1] - y[:-2]) * (x[2:] - x[:-2]) - (y[2:] - y[:-2]) * (x[1:-1] - x[:-2])
        corner = np.concatenate([[True], turn > 1e-15, [True]])
        if corner.all():
            return kept
        kept = kept[corner]


def _best(hull: RocHull, slope: object) -> int:
    if not is_number(slope) or not 0 <= slope < math.inf:
        raise fault("slope", "be a number of at least 0", slope, "iso_slope gives it for costs and a prevalence")
    # A line of this slope touches the hull at the corner farthest above it.
    return int(np.argmax(hull.tpr - float(slope) * hull.fpr))


def _check_rate(name: str, value: object) -> float:
    if not is_number(value) or not 0 <= value <= 1:
        raise fault(name, "lie between 0 and 1", value, "0.1 means 10%")
    return float(value)


def _apply(point: OperatingPoint, scores: Mapping[str, ArrayLike]) -> NDArray[np.bool_]:
    if point.model not in scores:
        raise fault(
            "scores",
            f"hold the model {shown(point.model)}",
            Phrase(listed(scores) or "none"),
            "pass the scores of all models",
        )
    if math.isnan(point.threshold):
        hint = "make the hull of pooled curves to decide by it"
        raise fault(f"the curve of {shown(point.model)}", "have thresholds", Phrase("an average over folds"), hint)
    return check_vector(scores[point.model], f"the scores of {shown(point.model)}") >= point.threshold


def _words(point: OperatingPoint) -> str:
    if point.threshold == math.inf:
        return "calling nothing positive"
    if point.threshold == -math.inf:
        return "calling everything positive"
    return f"{shown(point.model)} from {point.threshold:g}"

"""ROC and precision-recall curves, with bands."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shiftproof.core import Floats, InputError, Interval, check_choice, check_count, fault, shown
from shiftproof.measures._auc import auc, auc_influences
from shiftproof.measures._average_precision import average_precision
from shiftproof.measures._curves_base import (
    Curve,
    Ranked,
    Scored,
    check_scored,
    quantile,
    rank,
    same_length,
    wilson_ends,
)
from shiftproof.measures._ends import around, smooth_ends, spread
from shiftproof.measures._scores import IntervalPlan, Scores, kish

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

Average = Literal["pooled", "per fold"]


@dataclass(frozen=True, eq=False, kw_only=True)
class RocCurve(Curve):
    """The true positive rate against the false positive rate.

    Parameters
    ----------
    fpr, tpr, thresholds : ndarray of shape (n_points,)
        The points from (0, 0) to (1, 1). A row is called positive if its score is at least the threshold. A curve
        that averages folds has no thresholds; they are NaN.
    auc : Interval
        The area under the curve with its interval.
    band_fpr, band_low, band_high : ndarray of shape (n_grid,)
        At each false positive rate, the interval of the true positive rate.
    level : float
        The nominal coverage of the interval and, point by point, of the band.
    average : str
        ``"pooled"`` or ``"per fold"``.
    n_folds : int
        The number of models that scored the rows.
    """

    fpr: Floats
    tpr: Floats
    thresholds: Floats
    auc: Interval
    band_fpr: Floats
    band_low: Floats
    band_high: Floats
    level: float
    average: str
    n_folds: int

    def at(self, fpr: ArrayLike) -> Floats:
        """Return the true positive rate at false positive rates, on the straight lines between points."""
        return np.asarray(np.interp(np.asarray(fpr, dtype=np.float64), self.fpr, self.tpr))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per point."""
        import pandas as pd

        return pd.DataFrame({"threshold": self.thresholds, "fpr": self.fpr, "tpr": self.tpr})

    def summary(self) -> str:
        """Return the area and how it was computed, in one sentence."""
        how = "pooled" if self.average == "pooled" else f"averaged over {self.n_folds} folds"
        return f"ROC curve, {how}: area {self.auc} at {100 * self.level:g}%."

    def plot(self, ax: Axes | None = None, *, name: str = "model") -> Axes:
        """Draw the curve with its band and the diagonal."""
        from shiftproof.plots import roc_lines

        band = (self.band_fpr, self.band_low, self.band_high)
        return roc_lines({f"{name} (area {self.auc.estimate:.3f})": (self.fpr, self.tpr)}, bands=[band], ax=ax)


@dataclass(frozen=True, eq=False, kw_only=True)
class PrecisionRecallCurve(Curve):
    """Precision against recall.

    Parameters
    ----------
    precision, recall, thresholds : ndarray of shape (n_points,)
        From recall 1 down to 0, as in scikit-learn. The last point, precision 1 at recall 0, means calling
        nothing positive and has threshold infinity.
    low, high : ndarray of shape (n_points,)
        Wilson's interval of the precision at each threshold.
    average_precision : Interval
        The mean precision at the positives.
    prevalence : float
        The precision of calling everything positive.
    level : float
        The nominal coverage.
    """

    precision: Floats
    recall: Floats
    thresholds: Floats
    low: Floats
    high: Floats
    average_precision: Interval
    prevalence: float
    level: float

    def to_frame(self) -> pd.DataFrame:
        """Return one row per point."""
        import pandas as pd

        columns = ("recall", "precision", "low", "high")
        return pd.DataFrame({"threshold": self.thresholds} | {name: getattr(self, name) for name in columns})

    def summary(self) -> str:
        """Return the average precision and the value by chance, in one sentence."""
        ap = f"average precision {self.average_precision} at {100 * self.level:g}%"
        return f"Precision-recall curve: {ap}; chance gives {self.prevalence:.3f}."

    def plot(self, ax: Axes | None = None, *, name: str = "model") -> Axes:
        """Draw the curve, its band and the line of chance."""
        from shiftproof.plots import precision_recall_lines

        title = f"{name} (average precision {self.average_precision.estimate:.3f})"
        curves = {title: (self.recall, self.precision)}
        bands = [(self.recall, self.low, self.high)]
        return precision_recall_lines(curves, prevalence=self.prevalence, bands=bands, ax=ax)


def roc_curve(
    y: ArrayLike,
    scores: ArrayLike,
    *,
    folds: ArrayLike | None = None,
    average: Average = "pooled",
    level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    positive: int | None = None,
    points: int = 101,
) -> RocCurve:
    r"""Compute the ROC curve, pooled over all rows or averaged over folds.

    Tied scores share one point. The band is computed point by point. At a false positive rate f, it combines Wilson's
    interval [l, u] of the true positive rate R(f) with the effect on the curve of Wilson's interval [a, b] of f itself,

    .. math:: R(f) - \sqrt{(R(f) - l)^2 + (R(f) - R(a))^2} \quad\text{to}\quad
              R(f) + \sqrt{(u - R(f))^2 + (R(b) - R(f))^2},

    and over k folds the distances add up as :math:`\sqrt{\sum d_i^2}/k`. The interval of the area is that of the
    measure AUC. If folds are given, both are widened for the dependence between models that share training rows (Nadeau
    and Bengio 2003). Rows that occur in several repeats are treated as different rows.

    Parameters
    ----------
    y : array-like of shape (n,)
        0 and 1, or integer codes with `positive`.
    scores : array-like of shape (n,)
        Scores of the positive class, such as probabilities.
    folds : array-like of shape (n,), optional
        The fold that each row was scored in; needed for ``"per fold"``.
    average : {"pooled", "per fold"}
        One curve of all rows, or the mean true positive rate of the folds' curves at each false positive rate.
    level : float
        The nominal coverage.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows.
    positive : int, optional
        The code of the positive class.
    points : int
        The number of false positive rates, evenly spaced from 0 to 1, at which the band and the average are computed.

    Returns
    -------
    RocCurve

    Examples
    --------
    >>> curve = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.fpr, curve.tpr
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    >>> curve.auc.estimate
    0.75
    """
    scored = check_scored(y, scores, sample_weight=sample_weight, positive=positive)
    grid = np.linspace(0.0, 1.0, check_count(points, "points", least=2))
    scored.need_both("a ROC curve")
    groups = None if folds is None else _folds(folds, sample_weight, len(np.asarray(y)))
    if check_choice(average, "average", ("pooled", "per fold")) == "pooled":
        return _pooled(scored, _rows(scored, rank(scored), groups), grid, level)
    if groups is None:
        raise fault("folds", "be given for average='per fold'", hint="pass the fold of each row")
    return _per_fold(_split(scored, groups), grid, level)


def precision_recall_curve(
    y: ArrayLike,
    scores: ArrayLike,
    *,
    level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    positive: int | None = None,
) -> PrecisionRecallCurve:
    """Compute precision and recall at every threshold.

    Parameters
    ----------
    y : array-like of shape (n,)
        0 and 1, or integer codes with `positive`.
    scores : array-like of shape (n,)
        Scores of the positive class, such as probabilities.
    level : float
        The nominal coverage of the precision's band and of the average precision's interval.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows.
    positive : int, optional
        The code of the positive class.

    Returns
    -------
    PrecisionRecallCurve

    Examples
    --------
    >>> curve = precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.precision.round(2), curve.recall
    (array([0.5 , 0.67, 0.5 , 1.  , 1.  ]), array([1. , 1. , 0.5, 0.5, 0. ]))
    """
    scored = check_scored(y, scores, sample_weight=sample_weight, positive=positive)
    scored.need_positives("recall")
    z = quantile(level)
    ranked = rank(scored)
    precision = ranked.hits / ranked.rows
    # the number of rows that gives an unweighted precision the same variance
    size = ranked.rows**2 / np.cumsum(_by_block(ranked, scored.weights**2))
    low, high = wilson_ends(precision, size, z)
    return PrecisionRecallCurve(
        precision=np.append(precision[::-1], 1.0),
        recall=np.append((ranked.hits / ranked.hits[-1])[::-1], 0.0),
        thresholds=np.append(ranked.thresholds[::-1], np.inf),
        # The point at recall 0 has no rows; it takes the lower end of the first row called.
        low=np.append(low[::-1], low[0]),
        high=np.append(high[::-1], 1.0),
        average_precision=average_precision(_rows(scored, ranked), IntervalPlan(level=level)),
        prevalence=scored.positives / scored.total,
        level=level,
    )


def _pooled(scored: Scored, rows: Scores, grid: Floats, level: float) -> RocCurve:
    ranked = rank(scored)
    points = _points(ranked)
    centre, down, up = _band(scored, points, grid, quantile(level), rows.inflation)
    return RocCurve(
        fpr=points[0],
        tpr=points[1],
        thresholds=np.append(np.inf, ranked.thresholds),
        auc=auc(rows, IntervalPlan(level=level)),
        band_fpr=grid,
        band_low=np.clip(centre - down, 0.0, 1.0),
        band_high=np.clip(centre + up, 0.0, 1.0),
        level=level,
        average="pooled",
        n_folds=rows.n_folds,
    )


def _per_fold(parts: dict[object, Scored], grid: Floats, level: float) -> RocCurve:
    k = len(parts)
    bands = [_band(part, _points(rank(part)), grid, quantile(level), 1.0) for part in parts.values()]
    centre, down, up = (np.array(side) for side in zip(*bands, strict=True))
    mean = centre.mean(axis=0)
    # Nadeau and Bengio's factor for folds that share training rows, on a mean of k distances.
    grow = math.sqrt(1 + k / (k - 1)) / k if k > 1 else 1.0
    return RocCurve(
        # The mean at rate 0 may be above 0; a curve still begins in (0, 0).
        fpr=np.append(0.0, grid),
        tpr=np.append(0.0, mean),
        thresholds=np.full(len(grid) + 1, np.nan),
        auc=_mean_area(list(parts.values()), level),
        band_fpr=grid,
        band_low=np.clip(mean - grow * np.sqrt((down**2).sum(axis=0)), 0.0, 1.0),
        band_high=np.clip(mean + grow * np.sqrt((up**2).sum(axis=0)), 0.0, 1.0),
        level=level,
        average="per fold",
        n_folds=k,
    )


def _points(ranked: Ranked) -> tuple[Floats, Floats]:
    return np.append(0.0, ranked.misses / ranked.misses[-1]), np.append(0.0, ranked.hits / ranked.hits[-1])


def _band(
    scored: Scored, points: tuple[Floats, Floats], grid: Floats, z: float, inflation: float
) -> tuple[Floats, Floats, Floats]:
    """Give the curve on the grid and how far the band reaches below and above it."""
    centre = np.interp(grid, *points)
    # How uncertain the true positive rate is at a given false positive rate.
    low, high = wilson_ends(centre, kish(scored.weights[scored.y]) / inflation, z)
    # How far the false positive rate itself may be off.
    left, right = wilson_ends(grid, kish(scored.weights[~scored.y]) / inflation, z)
    down = np.hypot(centre - low, centre - np.interp(left, *points))
    up = np.hypot(high - centre, np.interp(right, *points) - centre)
    # every curve ends in (1, 1)
    down[-1] = up[-1] = 0.0
    return centre, down, up


def _rows(scored: Scored, ranked: Ranked, folds: NDArray[np.generic] | None = None) -> Scores:
    """Return the rows for measures that depend on the order of scores only, with ranks between 0 and 1 as scores."""
    p = np.empty(len(scored.y))
    # Scores may be on any scale; `Scores` takes probabilities only.
    p[ranked.order] = 1 - ranked.block / len(ranked.thresholds)
    return Scores.of(scored.y, np.column_stack([1 - p, p]), sample_weight=scored.weights, folds=folds)


def _mean_area(parts: list[Scored], level: float) -> Interval:
    """Give the mean of the folds' areas, its variance from the influences of the rows within their folds."""
    k, n = len(parts), sum(len(part.y) for part in parts)
    areas = [auc_influences(part.scores, part.y, part.weights) for part in parts]
    joined = Scored(
        y=np.concatenate([part.y for part in parts]),
        scores=np.concatenate([part.scores for part in parts]),
        # each fold has the same weight, however many rows it has
        weights=np.concatenate([part.weights * n / (k * part.total) for part in parts]),
    )
    folds = np.repeat(np.arange(k), [len(part.y) for part in parts])
    rows = _rows(joined, rank(joined), folds)
    value = float(np.mean([area for area, _ in areas]))
    variance, df = spread(np.concatenate([moved for _, moved in areas]), rows)
    least = min(rows.size(joined.y), rows.size(~joined.y))
    ends = smooth_ends(value, variance, df, least_size=least, level=level)
    return around(
        value, ends, IntervalPlan(level=level), "delong within folds on the logit scale", remarks=rows.remarks
    )


def _by_block(ranked: Ranked, values: Floats) -> Floats:
    sums: Floats = np.bincount(ranked.block, weights=values[ranked.order]).astype(np.float64)
    return sums


def _folds(folds: ArrayLike, sample_weight: ArrayLike | None, n: int) -> NDArray[np.generic]:
    groups = np.asarray(folds)
    same_length(groups, "folds", n)
    # `check_scored` leaves out rows without weight; the folds must stay aligned.
    return groups if sample_weight is None else groups[np.asarray(sample_weight) > 0]


def _split(scored: Scored, folds: NDArray[np.generic]) -> dict[object, Scored]:
    names, fold_of = np.unique(folds, return_inverse=True)
    parts: dict[object, Scored] = {name: scored.take(fold_of == i) for i, name in enumerate(names.tolist())}
    for name, part in parts.items():
        if part.y.all() or not part.y.any():
            only = "positive" if part.y.any() else "negative"
            got = f"only {only} rows in fold {shown(name)}"
            raise InputError(
                f"every fold must hold both classes, got {got}; stratify the folds or use average='pooled'"
            )
    return parts

"""Lift, cumulative hits and gains: how much of what we look for is at the top of a ranked list."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from shiftproof.core import Floats, Interval, fault, is_number
from shiftproof.measures._curves_base import Curve, Scored, check_scored, quantile, rank, wilson_ends

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, kw_only=True)
class LiftCurve(Curve):
    """The positives in the first part of a ranked list.

    Parameters
    ----------
    share : ndarray of shape (n_points,)
        Shares P of the list from 0 to 1, one per distinct score; the curve is straight in between.
    cph : ndarray of shape (n_points,)
        Cumulative share of hits, CPH(P): the share of all positives that is in the first P of the list.
    lift : ndarray of shape (n_points,)
        CPH(P) / P; at P = 0 its limit.
    gains : ndarray of shape (n_points,)
        The number of positives in the first P of the list.
    thresholds : ndarray of shape (n_points,)
        The lowest score in the list; infinity for an empty list.
    prevalence : float
        The share of positives in the whole list.
    """

    share: Floats
    cph: Floats
    lift: Floats
    gains: Floats
    thresholds: Floats
    prevalence: float

    def at(self, share: float) -> float:
        """Return the lift of the first `share` of the list."""
        wanted = _check_share(share)
        return float(np.interp(wanted, self.share, self.cph)) / wanted

    def to_frame(self) -> pd.DataFrame:
        """Return one row per point."""
        import pandas as pd

        names = ("share", "cph", "lift", "gains")
        return pd.DataFrame({name: getattr(self, name) for name in names} | {"threshold": self.thresholds})

    def summary(self) -> str:
        """Return the share of positives in the first 5, 10 and 20% of the list, in one sentence."""
        parts = [f"{100 * share * self.at(share):.0f}% in the first {100 * share:.0f}%" for share in (0.05, 0.1, 0.2)]
        return f"Of the positives: {', '.join(parts)} of the list (lift {self.at(0.05):.2f} at 5%)."

    def plot(self, ax: Axes | None = None, *, name: str = "model", of: str = "cph") -> Axes:
        """Draw cumulative hits (``of="cph"``) or the lift (``of="lift"``) over the share of the list."""
        from shiftproof.plots import hit_lines, lift_lines

        if of == "lift":
            return lift_lines({name: (self.share, self.lift)}, ax=ax)
        return hit_lines({name: (self.share, self.cph)}, prevalence=self.prevalence, ax=ax)


def lift_curve(
    y: ArrayLike, scores: ArrayLike, *, sample_weight: ArrayLike | None = None, positive: int | None = None
) -> LiftCurve:
    """Compute lift, cumulative hits and gains over the ranked list.

    Tied rows share their positions: any part of a block of tied rows has the same part of its positives, as if ties
    were broken at random, on average.

    Parameters
    ----------
    y : array-like of shape (n,)
        0 and 1, or integer codes with `positive`.
    scores : array-like of shape (n,)
        The list is sorted by falling score.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows.
    positive : int, optional
        The code of the positive class.

    Returns
    -------
    LiftCurve

    Examples
    --------
    A list of 1,000 names has 100 targets, 21 of them among the first 50 names (5% of the list):

    >>> y = np.repeat([1, 0, 1, 0], [21, 29, 79, 871])
    >>> curve = lift_curve(y, -np.arange(1000))
    >>> round(curve.at(0.05), 9), curve.at(1.0)
    (4.2, 1.0)
    """
    scored = check_scored(y, scores, sample_weight=sample_weight, positive=positive)
    scored.need_positives("lift")
    ranked = rank(scored)
    share, cph = _points(scored)
    lift = cph[1:] / share[1:]
    return LiftCurve(
        share=share,
        cph=cph,
        lift=np.append(lift[0], lift),
        gains=np.append(0.0, ranked.hits),
        thresholds=np.append(np.inf, ranked.thresholds),
        prevalence=scored.positives / scored.total,
    )


def lift_at(
    y: ArrayLike,
    scores: ArrayLike,
    share: float,
    *,
    level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    positive: int | None = None,
) -> Interval:
    r"""Compute the lift of the first `share` of the list, with its interval.

    In a linear approximation, a row with label y contributes :math:`(y (r - CPH) - g (r - P)) / \pi` to CPH(P). Here r
    is 1 for rows in the list, 0 for rows outside it, and the part that is in the list for tied rows; :math:`\pi` is the
    prevalence; g is the share of positives around the end of the list, which matters because the end varies from sample
    to sample. The interval is Wilson's interval for CPH, with the effective number of rows that corresponds to this
    variance, divided by P.

    Parameters
    ----------
    y : array-like of shape (n,)
        0 and 1, or integer codes with `positive`.
    scores : array-like of shape (n,)
        The list is sorted by falling score; tied rows count in part.
    share : float
        The part P of the list, above 0 and at most 1.
    level : float
        The nominal coverage.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows.
    positive : int, optional
        The code of the positive class.

    Returns
    -------
    Interval
        Between 0 and 1 / P.

    Examples
    --------
    A list of 1,000 names has 100 targets, 21 of them among the first 50 names:

    >>> y = np.repeat([1, 0, 1, 0], [21, 29, 79, 871])
    >>> print(lift_at(y, -np.arange(1000), 0.05))
    4.200 [3.013, 5.698]
    """
    scored = check_scored(y, scores, sample_weight=sample_weight, positive=positive)
    scored.need_positives("lift")
    wanted, z = _check_share(share), quantile(level)
    points = _points(scored)
    cph = float(np.interp(wanted, *points))
    size = _size(scored, wanted, cph, points)
    # A list that holds every row has no uncertainty.
    low, high = (float(end) for end in wilson_ends(cph, size, z)) if math.isfinite(size) else (cph, cph)
    ends = min(low, cph) / wanted, max(high, cph) / wanted
    return Interval(estimate=cph / wanted, low=ends[0], high=ends[1], level=level, method="linearised, wilson")


def _size(scored: Scored, share: float, cph: float, points: tuple[Floats, Floats]) -> float:
    """Return the number of rows with which a simple share would have this variance; infinity if it is 0."""
    weights, n = scored.weights / scored.total, len(scored.y)
    positives = float(weights[scored.y].sum())
    inside = _inside(scored, share)
    if cph in (0.0, 1.0):
        # All or none of the positives: the linearised variance is 0; use their number.
        known = float((scored.weights[scored.y] ** 2).sum())
        return math.inf if inside.min() == 1 else scored.positives**2 / known
    # the slope of the hits where the list ends, over the range in which its end moves
    reach = math.sqrt(share * (1 - share) / n)
    left, right = max(share - reach, 0.0), min(share + reach, 1.0)
    around = positives * (np.interp(right, *points) - np.interp(left, *points)) / (right - left)
    influence = weights * (scored.y * (inside - cph) - around * (inside - share)) / positives
    variance = float((influence**2).sum()) * n / max(n - 1, 1)
    return cph * (1 - cph) / variance if variance > 1e-30 else math.inf


def _inside(scored: Scored, share: float) -> Floats:
    """Give the part of each row that is in the list: 1, 0, or a fraction for ties."""
    ranked = rank(scored)
    end = ranked.rows / ranked.rows[-1]
    start = np.append(0.0, end[:-1])
    # Of tied rows that straddle the end, each is in the list in part.
    part = np.clip((share - start) / (end - start), 0.0, 1.0)
    inside = np.empty(len(scored.y))
    inside[ranked.order] = part[ranked.block]
    return inside


def _points(scored: Scored) -> tuple[Floats, Floats]:
    ranked = rank(scored)
    return np.append(0.0, ranked.rows / ranked.rows[-1]), np.append(0.0, ranked.hits / ranked.hits[-1])


def _check_share(share: object) -> float:
    if not is_number(share) or not 0 < share <= 1:
        raise fault("share", "be above 0 and at most 1", share, "0.05 means the first 5% of the list")
    return float(share)

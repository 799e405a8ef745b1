"""Curves of a classifier: ROC, precision-recall, hits, lift, calibration, profit, decision."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from shiftproof.core import Floats
from shiftproof.plots._style import INK, QUIET, REFERENCE, clean, label, labels, own_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Line = tuple[Floats, Floats]
Band = tuple[Floats, Floats, Floats]
_Parts = TypeVar("_Parts")

#: Colours that people with any colour vision can distinguish (Okabe and Ito), our blue first.
PALETTE = (REFERENCE, "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5195", "#6b6b6b")
Place = Literal["lower right", "lower left", "upper right", "upper left", "best"]
_STYLES = ("-", "--", "-.", ":")
# A chart is about 400 points wide; more steps would not be visible.
_POINTS = 400


def roc_lines(
    curves: Mapping[str, Line],
    *,
    hull: Line | None = None,
    bands: Sequence[Band] = (),
    ax: Axes | None = None,
) -> Axes:
    """Draw ROC curves with the diagonal of chance.

    Parameters
    ----------
    curves : mapping of str to (fpr, tpr)
        The curves by name.
    hull : (fpr, tpr), optional
        The corners of the convex hull.
    bands : sequence of (fpr, low, high)
        Bands of the first curves, in their order.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=(4.6, 4.4))
    _fill(ax, bands)
    ax.plot([0, 1], [0, 1], color=QUIET, linewidth=1.0, linestyle=":", label="chance")
    _lines(ax, curves)
    if hull is not None:
        ax.plot(*hull, color=INK, linewidth=1.0, linestyle="--", marker=".", markersize=4, label="convex hull")
    return _finish(
        ax, "false positive rate (share of negatives)", "true positive rate (share of positives)", "lower right"
    )


def precision_recall_lines(
    curves: Mapping[str, Line], *, prevalence: float, bands: Sequence[Band] = (), ax: Axes | None = None
) -> Axes:
    """Draw precision over recall, with the line of chance.

    Parameters
    ----------
    curves : mapping of str to (recall, precision)
        The curves by name.
    prevalence : float
        The share of positives, which is the precision of chance.
    bands : sequence of (recall, low, high)
        Bands of the first curves, in their order.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=(4.6, 4.4))
    _fill(ax, bands, step=True)
    ax.axhline(prevalence, color=QUIET, linewidth=1.0, linestyle=":", label="chance")
    # between two recalls no threshold is in between: the precision is that of the higher recall
    _lines(ax, curves, drawstyle="steps-post")
    return _finish(
        ax, "recall (share of positives found)", "precision (share of predicted positives that are right)", "lower left"
    )


def hit_lines(curves: Mapping[str, Line], *, prevalence: float | None = None, ax: Axes | None = None) -> Axes:
    """Draw cumulative hits over the share of the list, between chance and a perfect ranking.

    Parameters
    ----------
    curves : mapping of str to (share, cph)
        The curves by name, as shares.
    prevalence : float, optional
        The share of positives, at which a perfect ranking has found all.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=(4.6, 4.4))
    ax.plot([0, 100], [0, 100], color=QUIET, linewidth=1.0, linestyle=":", label="random list")
    if prevalence is not None:
        ax.plot([0, 100 * prevalence, 100], [0, 100, 100], color=QUIET, linewidth=1.0, label="perfect list")
    _lines(ax, {name: (100 * x, 100 * y) for name, (x, y) in curves.items()})
    _finish(ax, "share of the list (%)", "share of all positives found (%)", "lower right", unit=False)
    ax.set_xlim(0, 100)
    ax.set_ylim(0, 102)
    return ax


def lift_lines(curves: Mapping[str, Line], *, ax: Axes | None = None) -> Axes:
    """Draw the lift over the share of the list.

    Parameters
    ----------
    curves : mapping of str to (share, lift)
        The curves by name.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=(4.6, 3.4))
    ax.axhline(1.0, color=QUIET, linewidth=1.0, linestyle=":", label="random list")
    _lines(ax, {name: (100 * x, y) for name, (x, y) in curves.items()})
    _finish(ax, "share of the list (%)", "lift (multiple of the chance rate)", "upper right", unit=False)
    ax.set_xlim(0, 100)
    ax.set_ylim(bottom=0)
    return ax


def cost_lines(x: Floats, costs: Mapping[str, Floats], *, ax: Axes | None = None) -> Axes:
    """Draw expected costs over the probability cost, beside one answer for all rows.

    Parameters
    ----------
    x : ndarray of shape (n_points,)
        The probability cost.
    costs : mapping of str to ndarray of shape (n_points,)
        The costs by name.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=(4.6, 3.4))
    ax.plot(x, np.minimum(x, 1 - x), color=QUIET, linewidth=1.0, linestyle=":", label="one answer for all rows")
    _lines(ax, {name: (x, cost) for name, cost in costs.items()})
    _finish(ax, "probability cost (share of positives if errors cost the same)", "expected cost", "best", unit=False)
    ax.set_xlim(0, 1)
    ax.set_ylim(bottom=0)
    return ax


def calibration_points(curves: Mapping[str, tuple[Floats, Floats, Floats, Floats]], *, ax: Axes | None = None) -> Axes:
    """Draw observed over predicted rates with their intervals.

    Parameters
    ----------
    curves : mapping of str to (predicted, observed, low, high)
        The bins by name of the model.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=(4.6, 4.4))
    ax.plot([0, 1], [0, 1], color=QUIET, linewidth=1.0, linestyle=":", label="calibrated")
    for name, (predicted, observed, low, high), (colour, style) in _with_looks(curves):
        reach = np.vstack([observed - low, high - observed]).clip(min=0.0)
        ax.errorbar(
            predicted, observed, yerr=reach, color=colour, linestyle=style, linewidth=1.2, elinewidth=0.8,
            marker="o", markersize=4, capsize=2, label=name,
        )  # fmt: skip
    return _finish(ax, "mean predicted probability", "observed rate", "upper left")


def profit_lines(
    curves: Mapping[str, tuple[Floats, Floats, Floats, Floats]],
    *,
    over: Literal["share", "threshold"] = "share",
    unit: str = "units of the benefit",
    ax: Axes | None = None,
) -> Axes:
    """Draw the total profit over the share of the list or the threshold, with its band.

    Parameters
    ----------
    curves : mapping of str to (share or threshold, profit, low, high)
        The curves by name; points that are not finite are left out.
    over : {"share", "threshold"}
        What the first array is.
    unit : str
        Of the profit.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=(5.2, 3.6))
    times = 100 if over == "share" else 1
    shown = {name: _finite(times * parts[0], *parts[1:]) for name, parts in curves.items()}
    _fill(ax, [(x, low, high) for x, _, low, high in shown.values()])
    ax.axhline(0.0, color=QUIET, linewidth=1.0, linestyle=":")
    _lines(ax, {name: (x, profit) for name, (x, profit, _, _) in shown.items()})
    along = "share of the list called positive (%)" if over == "share" else "threshold of the score"
    return _finish(ax, along, f"total profit ({label(unit)})", "best", unit=False)


def decision_lines(
    thresholds: Floats, curves: Mapping[str, Band], treat_all: Floats, *, ax: Axes | None = None
) -> Axes:
    """Draw decision curves between acting always and acting never.

    Parameters
    ----------
    thresholds : ndarray of shape (n_points,)
        Probabilities from which one would act.
    curves : mapping of str to (net benefit, low, high)
        The curves by name.
    treat_all : ndarray of shape (n_points,)
        The net benefit of acting always.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=(5.2, 3.6))
    _fill(ax, [(thresholds, low, high) for _, low, high in curves.values()])
    ax.axhline(0.0, color=QUIET, linewidth=1.0, linestyle=":", label="act never")
    ax.plot(thresholds, treat_all, color=QUIET, linewidth=1.0, label="act always")
    _lines(ax, {name: (thresholds, net) for name, (net, _, _) in curves.items()})
    _finish(ax, "threshold probability", "net benefit (true positives per row)", "best", unit=False)
    # acting always falls without end; what matters is above zero
    tops = [float(np.max(net, initial=0.0)) for net, _, _ in curves.values()]
    top = max([*tops, float(np.max(treat_all, initial=0.0)), 0.01])
    ax.set_ylim(-0.25 * top, 1.1 * top)
    return ax


def _looks() -> Iterable[tuple[str, str]]:
    for style in _STYLES:
        for colour in PALETTE:
            yield colour, style


def _thinned(x: Floats, *ys: Floats) -> tuple[Floats, ...]:
    """Drop points that share a pixel: a curve of many rows has thousands within one."""
    if len(x) <= _POINTS:
        return (x, *ys)
    known = x[np.isfinite(x)]
    low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    cells = np.floor(np.nan_to_num((x - low) / max(high - low, 1e-300)) * _POINTS)
    ends = np.diff(cells) != 0
    kept = np.flatnonzero(np.append(True, ends) | np.append(ends, True))  # where a pixel is entered and left
    return tuple(values[kept] for values in (x, *ys))


def _lines(ax: Axes, curves: Mapping[str, Line], **how: Any) -> None:
    for name, (x, y), (colour, style) in _with_looks(curves):
        ax.plot(*_thinned(x, y), color=colour, linestyle=style, linewidth=1.5, label=name, **how)


def _with_looks(curves: Mapping[str, _Parts]) -> Iterable[tuple[str, _Parts, tuple[str, str]]]:
    return zip(labels(curves, width=44), curves.values(), _looks(), strict=False)


def _fill(ax: Axes, bands: Sequence[Band], *, step: bool = False) -> None:
    for (x, low, high), (colour, _) in zip(bands, _looks(), strict=False):
        across, below, above = _thinned(x, low, high)
        ax.fill_between(across, below, above, color=colour, alpha=0.15, linewidth=0, step="post" if step else None)


def _finite(x: Floats, *values: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    kept = np.isfinite(x)
    y, low, high = (np.where(np.isfinite(value), value, np.nan)[kept] for value in values)
    return x[kept], y, low, high


def _finish(ax: Axes, x: str, y: str, where: Place, *, unit: bool = True) -> Axes:
    ax.set_xlabel(x, fontsize=8)
    ax.set_ylabel(y, fontsize=8)
    if unit:
        ax.set_xlim(-0.01, 1.01)
        ax.set_ylim(-0.01, 1.02)
    ax.legend(fontsize=8, frameon=False, loc=where, labelcolor=INK)
    return clean(ax)

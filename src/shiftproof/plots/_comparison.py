"""Methods over data sets: average ranks with the critical difference, and boxes of their losses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof.core import Floats
from shiftproof.plots._intervals import name_rows
from shiftproof.plots._style import CURRENT, INK, REFERENCE, clean, labels, own_axes
from shiftproof.plots._tips import named_values, tip

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Heights in lines of names: above the axis, one bar of a group, and what is left below the bars.
_ABOVE, _BAR, _BELOW = 2.3, 0.42, 0.75
_LINE = 0.235  # inches


def rank_diagram_size(n_methods: int, n_groups: int = 0) -> tuple[float, float]:
    """Return the size in inches in which `rank_diagram` is legible."""
    return 8.0, 0.35 + _LINE * (_ABOVE + _BAR * max(n_groups, 1) + _BELOW + math.ceil(n_methods / 2))


def rank_diagram(
    names: Sequence[str],
    ranks: Sequence[float],
    *,
    difference: float | None = None,
    groups: Sequence[tuple[int, int]] = (),
    control: int | None = None,
    best: int = 0,
    ax: Axes | None = None,
) -> Axes:
    """Draw average ranks on a line, the best at the left, and join methods that do not differ significantly.

    Parameters
    ----------
    names : sequence of k str
        The methods, the best first.
    ranks : sequence of k float
        Their average ranks, rising.
    difference : float, optional
        The critical difference, drawn as a ruler; with a control as an interval about its rank.
    groups : sequence of (int, int)
        The places of the first and the last method of each group, which a thick bar joins.
    control : int, optional
        The place of the control method; no groups are drawn then.
    best : int
        How many names, from the first on, are bold.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    k, places = len(names), np.asarray(ranks, dtype=np.float64)
    # Without a test there is no difference to draw around the control.
    by_control = control is not None and difference is not None
    rows = [0] if by_control else _bar_rows(places, groups)
    n_bars = max(rows, default=-1) + 1
    ax = own_axes(ax, size=rank_diagram_size(k, n_bars))
    first = -(_BAR * max(n_bars, 1) + _BELOW)
    left = -(-k // 2)
    shown_names = labels(names, width=34)
    ax.set_xlim(0.9, k + 0.1)
    ax.set_ylim(first - left + 0.4, _ABOVE)
    ax.hlines(0, 1, k, color=INK, linewidth=1.0)
    step = max(round(k / 12), 1)
    for tick in range(1, k + 1, step):
        ax.vlines(tick, 0, 0.22, color=INK, linewidth=1.0)
        ax.text(tick, 0.32, str(tick), ha="center", va="bottom", fontsize=8, color=INK)
    for place, (name, rank) in enumerate(zip(shown_names, places.tolist(), strict=True)):
        level = first - (place if place < left else k - 1 - place)
        colour = CURRENT if place == control else INK
        _leader(ax, rank, level, place < left, colour)
        _name(ax, f"{name} ({rank:.2f})", level, place < left, colour, bold=place < best or place == control)
        ends = (0.9, max(rank, 1.2)) if place < left else (min(rank, k - 0.2), k + 0.1)
        tip(ax, named_values(names[place], {"average rank": rank}), x=ends, y=(level - 0.45, level + 0.45))
    if control is not None and difference is not None:
        _control_interval(ax, float(places[control]), difference, k)
    else:
        for (start, end), row in zip(groups, rows, strict=True):
            y = -0.34 - _BAR * row
            ax.hlines(y, places[start] - 0.03, places[end] + 0.03, color=REFERENCE, linewidth=3.6, zorder=3)
        if difference is not None:
            _ruler(ax, difference, k)
    ax.set_axis_off()
    return ax


def loss_boxes(
    names: Sequence[str], losses: Floats, *, xlabel: str = "loss", log: bool = False, ax: Axes | None = None
) -> Axes:
    """Draw one box per method over its losses, the first on top, with every outlier as a point.

    Parameters
    ----------
    names : sequence of k str
        The methods.
    losses : ndarray of shape (n, k)
        Their losses in n cells.
    xlabel : str
        Below the axes.
    log : bool
        Whether the axis is logarithmic; losses of 0 or below are then not drawn.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
        The box reaches from the first to the third quartile, the whiskers to the last loss within 1.5 times its length.
    """
    from matplotlib.cbook import boxplot_stats

    ax = own_axes(ax, size=(7.0, 0.9 + 0.32 * len(names)))
    values = np.asarray(losses, dtype=np.float64)
    for row, name in enumerate(names):
        own = values[:, row]
        # On a logarithmic axis the box is that of the losses that can be drawn.
        (box,) = boxplot_stats(own[own > 0] if log and (own > 0).any() else own)
        low, high = box["q1"], box["q3"]
        ax.hlines(row, box["whislo"], low, color=INK, linewidth=1.0)
        ax.hlines(row, high, box["whishi"], color=INK, linewidth=1.0)
        ax.barh(row, high - low, left=low, height=0.6, color=REFERENCE, alpha=0.45, edgecolor=REFERENCE)
        ax.vlines(box["med"], row - 0.3, row + 0.3, color=INK, linewidth=2.0, zorder=3)
        fliers = np.asarray(box["fliers"], dtype=np.float64)
        ax.scatter(fliers, np.full(len(fliers), row), s=10, facecolors="none", edgecolors=CURRENT, linewidths=0.8)
        figures = {
            "median": float(box["med"]),
            "quartiles": float(low),
            "and": float(high),
            "outliers": float(len(fliers)),
        }
        tip(ax, named_values(name, figures), y=(row - 0.5, row + 0.5))
    if log:
        ax.set_xscale("log")
    name_rows(ax, names, xlabel)
    ax.set_axisbelow(True)
    return clean(ax)


def _bar_rows(places: Floats, groups: Sequence[tuple[int, int]]) -> list[int]:
    """Put bars that would overlap below each other."""
    ends: list[float] = []
    rows = []
    for start, end in groups:
        # The first row with a gap of 0.15 ranks, or a new one.
        row = next((number for number, taken in enumerate(ends) if places[start] - taken > 0.15), len(ends))
        ends[row : row + 1] = [float(places[end])]
        rows.append(row)
    return rows


def _leader(ax: Axes, rank: float, level: float, to_left: bool, colour: str) -> None:
    edge = ax.get_xlim()[0 if to_left else 1]
    ax.plot([rank, rank, edge], [0, level, level], color=colour, linewidth=0.8, solid_joinstyle="miter", zorder=2)


def _name(ax: Axes, words: str, level: float, to_left: bool, colour: str, *, bold: bool) -> None:
    """Write outside the axes, where no line crosses the name."""
    how: dict[str, Any] = {"textcoords": "offset points", "annotation_clip": False, "va": "center", "fontsize": 8}
    side: dict[str, Any] = {"xytext": (-4, 0), "ha": "right"} if to_left else {"xytext": (4, 0), "ha": "left"}
    place = (0.0 if to_left else 1.0, level)
    weight = "bold" if bold else "normal"
    ax.annotate(words, place, xycoords=ax.get_yaxis_transform(), color=colour, fontweight=weight, **side, **how)


def _ruler(ax: Axes, difference: float, k: int) -> None:
    """Draw the critical difference above the axis, from rank 1 on; one wider than the axis is only written."""
    if difference > k - 1:
        words = f"critical difference {difference:.2f}: larger than any possible difference between these methods"
        ax.text(1, 1.35, words, ha="left", va="bottom", fontsize=8, color=INK)
        return
    ax.hlines(1.4, 1, 1 + difference, color=INK, linewidth=1.4)
    ax.vlines([1, 1 + difference], 1.25, 1.55, color=INK, linewidth=1.4)
    ax.text(
        1 + difference, 1.4, f"  critical difference {difference:.2f}", ha="left", va="center", fontsize=8, color=INK
    )


def _control_interval(ax: Axes, rank: float, difference: float, k: int) -> None:
    low, high = max(rank - difference, 1.0), min(rank + difference, float(k))
    ax.hlines(-0.34, low, high, color=CURRENT, linewidth=3.6, zorder=3)
    words = f"within {difference:.2f} of the control: no evidence of a difference"
    ax.text(1, 1.35, words, ha="left", va="bottom", fontsize=8, color=CURRENT)

"""Models under simulated shifts: ranges of accuracy and p-values, and how far the features moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from shiftproof.plots._curves import PALETTE
from shiftproof.plots._intervals import draw_intervals, name_rows
from shiftproof.plots._style import CURRENT, INK, QUIET, REFERENCE, clean, floats, labels, legend_above, own_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The lowest, the mean and the highest of several values, one of each per place; NaN if there are none.
Ranges = tuple[Sequence[float], Sequence[float], Sequence[float]]

# How much of the place between two models, or two shifts, their marks take.
_FILLED = 0.72


def accuracy_ranges(
    models: Sequence[str],
    unshifted: Sequence[float],
    families: Mapping[str, Ranges],
    *,
    xlabel: str = "accuracy",
    ax: Axes | None = None,
) -> Axes:
    """Draw each model's accuracy without a shift, and its range under each family of shifts.

    Parameters
    ----------
    models : sequence of str
        One row each, the first on top.
    unshifted : sequence of float
        The accuracy without a shift, a line across the row.
    families : mapping of str to (lowest, mean, highest)
        One thin bar per row and family, with a dot at the mean.
    xlabel : str
        Below the axes.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=(8.0, 1.3 + (0.16 + 0.11 * len(families)) * len(models)))
    rows = np.arange(len(models), dtype=float)
    step = _FILLED / max(len(families), 1)
    for number, (family, (low, mean, high)) in enumerate(families.items()):
        # Families share a row, one below the other.
        places = rows - _FILLED / 2 + step * (number + 0.5)
        colour = PALETTE[number % len(PALETTE)]
        name = labels([family])[0]
        draw_intervals(ax, places, (low, mean, high), color=colour, width=3.0, size=22.0, alpha=0.55, name=name)
    ends, name = (rows - _FILLED / 2, rows + _FILLED / 2), "without a shift"
    ax.vlines(floats(unshifted), *ends, color=INK, linewidth=2.2, zorder=4, label=name)
    for row in rows[1:]:
        ax.axhline(row - 0.5, color=QUIET, linewidth=0.5, alpha=0.6)
    name_rows(ax, models, xlabel, above=0.5, below=0.5)
    legend_above(ax, ncols=4, columnspacing=1.2, handletextpad=0.4, borderaxespad=0.2)
    return clean(ax)


def p_value_ranges(
    shifts: Sequence[str],
    models: Mapping[str, Ranges],
    *,
    alpha: float = 0.05,
    ylabel: str = "p-value",
    ax: Axes | None = None,
) -> Axes:
    """Draw a cluster of ranges for each shift, one per model, as in figures 6 to 11 of Cieslak and Chawla (2009).

    Parameters
    ----------
    shifts : sequence of str
        The places along the axis.
    models : mapping of str to (lowest, mean, highest)
        The range of p-values over the features in each place, and their mean, which is marked.
    alpha : float
        A line across: below it the null hypothesis is rejected.
    ylabel : str
        Beside the axes.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=(float(np.clip(1.6 + (0.2 + 0.085 * len(models)) * len(shifts), 6.5, 12.0)), 3.6))
    places = np.arange(len(shifts), dtype=float)
    step = _FILLED / max(len(models), 1)
    for number, (name, (low, mean, high)) in enumerate(models.items()):
        x = places - _FILLED / 2 + step * (number + 0.5)
        colour = PALETTE[number % len(PALETTE)]
        ax.vlines(x, floats(low), floats(high), color=colour, linewidth=2.0, alpha=0.7)
        ax.scatter(x, floats(mean), color=colour, marker="P", s=26, linewidths=0, zorder=3, label=labels([name])[0])
    ax.axhline(alpha, color=INK, linewidth=1.0, linestyle="--")
    for place in places[1:]:
        ax.axvline(place - 0.5, color=QUIET, linewidth=0.5, alpha=0.6)
    crowded = len(shifts) > 10
    ax.set_xticks(places, labels(shifts), rotation=45 if crowded else 0, ha="right" if crowded else "center")
    ax.set_xlim(-0.5, len(shifts) - 0.5)
    ax.set_ylim(-0.03, 1.03)
    ax.set_ylabel(f"{ylabel} (dashed: {alpha:g})", fontsize=8)
    legend_above(ax, ncols=4, columnspacing=1.2, handletextpad=0.4, borderaxespad=0.2)
    return clean(ax)


def shift_bars(
    shifts: Sequence[str],
    ranges: Ranges,
    *,
    xlabel: str,
    mark: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw one bar per shift up to a mean, with a line over the range of the features that were shifted.

    Parameters
    ----------
    shifts : sequence of str
        One row each, the first on top; the first is the baseline and is drawn grey.
    ranges : (lowest, mean, highest)
        Over the features that were shifted one after another.
    xlabel : str
        Below the axes.
    mark : float, optional
        A line across all bars.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=(7.0, 1.0 + 0.24 * len(shifts)))
    rows = np.arange(len(shifts), dtype=float)
    low, mean, high = (floats(values) for values in ranges)
    ax.barh(rows, np.nan_to_num(mean), color=[QUIET] + [REFERENCE] * (len(shifts) - 1), height=0.66, alpha=0.75)
    ax.hlines(rows, low, high, color=INK, linewidth=1.4)
    if mark is not None:
        ax.axvline(mark, color=CURRENT, linewidth=1.2, linestyle="--")
    ax.axvline(0, color=QUIET, linewidth=0.8)
    name_rows(ax, shifts, xlabel)
    return clean(ax)

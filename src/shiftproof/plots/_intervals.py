"""Estimates with their intervals, one row each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from shiftproof.plots._style import CURRENT, INK, QUIET, REFERENCE, clean, labels, own_axes
from shiftproof.plots._tips import named_values, tip

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def interval_rows(
    names: Sequence[str],
    estimates: Sequence[float],
    lows: Sequence[float],
    highs: Sequence[float],
    *,
    marked: Sequence[bool] | None = None,
    truths: Sequence[float] | None = None,
    xlabel: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw a point and a line for each estimate, the first on top.

    Parameters
    ----------
    names, estimates, lows, highs : sequences of equal length
        What is estimated, the estimates and the ends of their intervals.
    marked : sequence of bool, optional
        Rows to set off by colour, such as those that do not differ significantly from the best.
    truths : sequence of float, optional
        The actual values, drawn as a cross in each row.
    xlabel : str
        Below the axes.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=(6.5, 1.0 + 0.32 * len(names)))
    rows = np.arange(len(names))
    colours = [REFERENCE if mark else QUIET for mark in (marked if marked is not None else [True] * len(names))]
    ax.hlines(rows, np.asarray(lows, dtype=float), np.asarray(highs, dtype=float), color=colours, linewidth=2.5)
    ax.scatter(np.asarray(estimates, dtype=float), rows, color=colours, s=36, zorder=3)
    if truths is not None:
        ax.scatter(np.asarray(truths, dtype=float), rows, color=CURRENT, marker="X", s=48, zorder=4)
    for row, name in enumerate(names):
        truth = {} if truths is None else {"true": truths[row]}
        words = named_values(name, {"estimate": estimates[row], "from": lows[row], "to": highs[row], **truth})
        tip(ax, words, y=(row - 0.5, row + 0.5))
    ax.set_yticks(rows, labels(names))
    # Turned over: the first row is on top.
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_xlabel(xlabel, fontsize=8)
    ax.grid(axis="x", color=QUIET, alpha=0.25)
    ax.tick_params(axis="y", colors=INK)
    return clean(ax)

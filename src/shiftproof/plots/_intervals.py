"""Estimates with their intervals, one row each; other charts of rows are made of the same two parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shiftproof.plots._style import ACTUAL, INK, QUIET, REFERENCE, clean, floats, labels, own_axes
from shiftproof.plots._tips import named_values, tip

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_intervals(
    ax: Axes,
    rows: NDArray[np.float64],
    ranges: tuple[ArrayLike, ArrayLike, ArrayLike],
    *,
    color: str | Sequence[str],
    width: float = 2.5,
    size: float = 36.0,
    alpha: float | None = None,
    name: str | None = None,
) -> None:
    """Draw a line from the lowest to the highest value of each row, and a dot at the one in between.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    rows : ndarray of shape (n,)
        The height of each row.
    ranges : (lows, middles, highs)
        Each of shape (n,); NaN is not drawn.
    color : str or sequence of str
        One for all rows, or one each.
    width, alpha : float
        Of the lines.
    size : float
        Of the dots.
    name : str, optional
        What the legend calls the dots.
    """
    lows, middles, highs = map(floats, ranges)
    ax.hlines(rows, lows, highs, color=color, linewidth=width, alpha=alpha)
    ax.scatter(middles, rows, color=color, s=size, zorder=3, label=name)


def name_rows(ax: Axes, names: Sequence[object], xlabel: str, *, above: float = 0.6, below: float = 0.6) -> None:
    """Name the rows 0, 1, 2, … from the top, with this much room above the first and below the last."""
    ax.set_yticks(np.arange(len(names)), labels(names))
    # Inverted, to put the first row on top; an empty chart is one row high.
    ax.set_ylim(max(len(names), 1) - 1 + below, -above)
    ax.set_xlabel(xlabel, fontsize=8)
    ax.grid(axis="x", color=QUIET, alpha=0.25)


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
        The axes to draw on.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=(6.5, 1.0 + 0.32 * len(names)))
    rows = np.arange(len(names), dtype=float)
    colours = [REFERENCE if mark else QUIET for mark in (marked if marked is not None else [True] * len(names))]
    draw_intervals(ax, rows, (lows, estimates, highs), color=colours)
    if truths is not None:
        ax.scatter(floats(truths), rows, color=ACTUAL, marker="X", s=48, zorder=4)
    for row, name in enumerate(names):
        truth = {} if truths is None else {"actual": truths[row]}
        words = named_values(name, {"estimate": estimates[row], "from": lows[row], "to": highs[row], **truth})
        tip(ax, words, y=(row - 0.5, row + 0.5))
    name_rows(ax, names, xlabel)
    ax.tick_params(axis="y", colors=INK)
    return clean(ax)

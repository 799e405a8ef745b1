"""One feature, old against new."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from shiftproof.plots._axis import place
from shiftproof.plots._style import CURRENT, REFERENCE, clean, label, labels, own_axes, own_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# What fits above a small chart.
_TITLE = 36


def histogram_pair(
    edges: NDArray[np.float64],
    reference: NDArray[Any],
    current: NDArray[Any],
    *,
    title: str = "",
    scale: Literal["number", "date", "duration"] = "number",
    ax: Axes | None = None,
) -> Axes:
    """Draw two histograms over the same bins as shares, the reference filled, the current one as a line.

    Parameters
    ----------
    edges : ndarray of shape (bins + 1,)
        The borders of the bins: numbers, or microseconds (of dates, since 1970 in UTC).
    reference, current : ndarray of shape (bins,)
        Counts on each side.
    title : str
        Above the axes.
    scale : {"number", "date", "duration"}, default "number"
        What the borders are. Dates get an axis of dates (of years, where no calendar has them), durations one in a unit
        that fits, from microseconds to years.
    ax : Axes, optional
        Where to draw.
    """
    ax = own_axes(ax, size=(3.6, 2.4))
    edges = place(ax, edges, scale)
    ax.stairs(_shares(reference), edges, fill=True, color=REFERENCE, alpha=0.45, label="reference")
    ax.stairs(_shares(current), edges, color=CURRENT, linewidth=1.6, label="current")
    ax.set_title(label(title, width=_TITLE), fontsize=9)
    ax.set_ylim(bottom=0)
    return clean(ax)


def category_pair(
    categories: Sequence[Any],
    reference: NDArray[Any],
    current: NDArray[Any],
    *,
    title: str = "",
    most: int = 8,
    ax: Axes | None = None,
) -> Axes:
    """Draw the shares of the categories that changed most, reference above current.

    Parameters
    ----------
    categories : sequence
        The values.
    reference, current : ndarray of int
        Counts on each side.
    title : str
        Above the axes.
    most : int, default 8
        Categories at the most; the smaller changes are added up as "5 others".
    ax : Axes, optional
        Where to draw.
    """
    ax = own_axes(ax, size=(3.6, 2.4))
    names, p, q = _largest(categories, _shares(reference), _shares(current), most)
    rows = np.arange(len(names))
    ax.barh(rows - 0.2, p, height=0.38, color=REFERENCE, alpha=0.75, label="reference")
    ax.barh(rows + 0.2, q, height=0.38, color=CURRENT, label="current")
    ax.set_yticks(rows, names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_title(label(title, width=_TITLE), fontsize=9)
    return clean(ax)


def small_multiples(
    draw: Sequence[Callable[[Axes], Any]],
    *,
    columns: int = 3,
    size: tuple[float, float] = (3.3, 2.3),
    legend: bool = True,
) -> Figure:
    """Lay out small charts in a grid; each entry draws on the axes it is given, the first one's legend serves all."""
    columns = max(min(columns, len(draw)), 1)
    rows = max(-(-len(draw) // columns), 1)
    figure = own_figure(size=(size[0] * columns, size[1] * rows + 0.3))
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for ax, paint in zip(axes, draw, strict=False):
        paint(ax)
    for ax in axes[len(draw) :]:
        ax.set_visible(False)
    handles, names = axes[0].get_legend_handles_labels()
    if handles and legend:
        figure.legend(handles, names, loc="outside upper center", ncols=2, frameon=False, fontsize=8)
    return figure


def _shares(counts: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(counts, dtype=np.float64) / max(float(np.sum(counts)), 1.0)


def _largest(
    categories: Sequence[Any], p: NDArray[np.float64], q: NDArray[np.float64], most: int
) -> tuple[list[str], NDArray[np.float64], NDArray[np.float64]]:
    order = np.argsort(-np.abs(p - q) - 1e-6 * (p + q), kind="stable")
    kept, rest = (order, order[:0]) if len(order) <= most else (order[: most - 1], order[most - 1 :])
    names = labels((categories[at] for at in kept), width=16)
    if len(rest):
        names.append(f"{len(rest)} others")
    return names, _with_sum(p, kept, rest), _with_sum(q, kept, rest)


def _with_sum(values: NDArray[np.float64], kept: NDArray[Any], rest: NDArray[Any]) -> NDArray[np.float64]:
    return np.concatenate([values[kept], [values[rest].sum()]]) if len(rest) else values[kept]

"""One feature, old against new."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from shiftproof.plots._axis import place, without_values
from shiftproof.plots._style import CURRENT, REFERENCE, clean, drawable, label, labels, own_axes, own_figure
from shiftproof.plots._tips import tip

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# What fits above a small chart.
_TITLE = 36
_DAY = 86_400e6
# Microseconds from 1970 to year 9999, beyond which dates have other signs.
_CALENDAR = 2.5e17


def histogram_pair(
    edges: NDArray[np.float64],
    reference: NDArray[Any],
    current: NDArray[Any],
    *,
    title: str = "",
    scale: Literal["number", "date", "duration"] = "number",
    redact: bool = False,
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
    redact : bool, default False
        Whether to leave out the numbers of the horizontal axis.
    ax : Axes, optional
        The axes to draw on.
    """
    ax = own_axes(ax, size=(3.6, 2.4))
    borders, edges = np.asarray(edges, dtype=np.float64), place(ax, edges, scale)
    p, q = _shares_of_counts(reference), _shares_of_counts(current)
    ax.stairs(p, edges, fill=True, color=REFERENCE, alpha=0.45, label="reference")
    ax.stairs(q, edges, color=CURRENT, linewidth=1.6, label="current")
    ax.set_title(label(title, width=_TITLE), fontsize=9)
    ax.set_ylim(bottom=0)
    for bin_number in np.flatnonzero(p + q).tolist():
        shown = borders if scale == "date" else edges
        where = "" if redact else f"{_span(shown[bin_number], shown[bin_number + 1], scale, ax.get_xlabel())}: "
        tip(ax, where + _change(p[bin_number], q[bin_number]), x=(edges[bin_number], edges[bin_number + 1]))
    if redact:
        without_values(ax)
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
        The axes to draw on.
    """
    ax = own_axes(ax, size=(3.6, 2.4))
    names, p, q = _largest(categories, _shares_of_counts(reference), _shares_of_counts(current), most)
    rows = np.arange(len(names))
    ax.barh(rows - 0.2, p, height=0.38, color=REFERENCE, alpha=0.75, label="reference")
    ax.barh(rows + 0.2, q, height=0.38, color=CURRENT, label="current")
    ax.set_yticks(rows, labels(names, width=16))
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_title(label(title, width=_TITLE), fontsize=9)
    for row, name in enumerate(names):
        tip(ax, f"{name}: {_change(p[row], q[row])}", y=(row - 0.5, row + 0.5))
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


def _change(before: float, now: float) -> str:
    return f"{before:.1%} before, {now:.1%} now"


def _span(low: float, high: float, scale: str, unit: str) -> str:
    """Return the range of a bin as text.

    Examples
    --------
    >>> _span(0.5, 1.25, "number", ""), _span(1.0, 2.0, "duration", "h"), _span(0.0, 864e8, "date", "")
    ('0.5 to 1.25', '1 to 2 h', '1970-01-01 to 1970-01-02')
    """
    if scale == "date":
        if max(abs(low), abs(high)) > _CALENDAR:
            return "outside the calendar"
        step = "D" if high - low >= _DAY else "s"
        return " to ".join(str(np.datetime64(round(end), "us").astype(f"datetime64[{step}]")) for end in (low, high))
    return f"{low:.5g} to {high:.5g}" + f" {unit}" * bool(unit)


def _shares_of_counts(counts: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(counts, dtype=np.float64) / max(float(np.sum(counts)), 1.0)


def _largest(
    categories: Sequence[Any], p: NDArray[np.float64], q: NDArray[np.float64], most: int
) -> tuple[list[str], NDArray[np.float64], NDArray[np.float64]]:
    order = np.argsort(-np.abs(p - q) - 1e-6 * (p + q), kind="stable")
    kept, rest = (order, order[:0]) if len(order) <= most else (order[: most - 1], order[most - 1 :])
    names = [drawable(categories[category]) for category in kept]
    if len(rest):
        names.append(f"{len(rest)} others")
    return names, _with_sum(p, kept, rest), _with_sum(q, kept, rest)


def _with_sum(values: NDArray[np.float64], kept: NDArray[Any], rest: NDArray[Any]) -> NDArray[np.float64]:
    return np.concatenate([values[kept], [values[rest].sum()]]) if len(rest) else values[kept]

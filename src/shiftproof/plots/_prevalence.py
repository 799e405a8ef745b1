"""Class proportions with their intervals, now and over time, beside those of training."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Floats
from shiftproof.plots._axis import name_places, name_step, percent_ticks
from shiftproof.plots._intervals import draw_intervals, name_rows
from shiftproof.plots._style import ESTIMATE, INK, QUIET, REFERENCE, axes_below, clean, floats, legend_above, own_axes
from shiftproof.plots._style import label as written
from shiftproof.plots._style import labels as all_written
from shiftproof.plots._timeline import timeline_size

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

Values = Sequence[float] | Floats

# Up to this many other methods have marks and names of their own; more are all dots.
_MARKS = ("o", "s", "^", "D")
# Half the height of the training tick, and how far below the middle of a row other methods are drawn.
_TICK, _OTHERS = 0.24, 0.32
# Prevalences beyond this are shown on the whole axis from 0 to 100%, smaller ones as large as they can be.
_WHOLE = 0.6
# If all prevalences over time are above this fraction of the largest, the axis does not begin at 0.
_HIGH_UP = 0.6
# More periods than this get thinner marks.
_CROWDED = 40
_TITLE, _METHOD = 52, 18
# The width of a letter of legends in inches, and of the sample and the space beside each name, in letters.
_CHARACTER, _SAMPLE = 0.062, 9


def prevalence_size(n_classes: int, *, others: bool = False) -> tuple[float, float]:
    """Return the size in inches in which `prevalence_intervals` is legible."""
    return 6.5, 1.3 + (0.44 if others else 0.32) * max(n_classes, 1)


def prevalence_intervals(
    labels: Sequence[Any],
    estimates: Values,
    lows: Values,
    highs: Values,
    *,
    training: Values,
    others: Mapping[str, Values] | None = None,
    name: str = "estimate and its interval",
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the prevalence of each class with its interval, beside that of training and other methods' estimates.

    Parameters
    ----------
    labels : sequence of shape (k,)
        The classes, one row each, the first on top.
    estimates, lows, highs : sequences of float of shape (k,)
        The estimated prevalences and the ends of their intervals; NaN is not drawn.
    training : sequence of float of shape (k,)
        The prevalences in the training data, a tick across each row.
    others : mapping of str to sequences of float of shape (k,), optional
        The estimates of other methods, small grey marks below the interval. Up to four are named.
    name : str
        What the legend calls the estimates.
    title : str
        Above the legend.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
        From 0 to 100%, or closer where all prevalences are small.
    """
    other_estimates = {method: floats(values) for method, values in (others or {}).items()}
    ax = own_axes(ax, size=prevalence_size(len(labels), others=bool(other_estimates)))
    middle, low, high, before = map(floats, (estimates, lows, highs, training))
    rows = np.arange(len(labels), dtype=float)
    # The training tick is below the dot, which is drawn later at the same level.
    ax.vlines(before, rows - _TICK, rows + _TICK, color=REFERENCE, linewidth=2.0, zorder=3)
    draw_intervals(ax, rows, (low, middle, high), color=ESTIMATE)
    named = _other_marks(ax, rows, other_estimates)
    if other_estimates:
        for row in rows[1:]:
            ax.axhline(row - 0.45, color=QUIET, linewidth=0.5, alpha=0.6)
    ax.set_xlim(*_span([middle, low, high, before, *other_estimates.values()]))
    name_rows(ax, labels, "prevalence", above=0.45, below=0.55)
    percent_ticks(ax.xaxis)
    handles = [
        _legend_line(written(name, width=_TITLE), ESTIMATE, linewidth=2.5, marker="o", markersize=6),
        _legend_line("labelled data", REFERENCE, linewidth=0, marker="|", markersize=10, markeredgewidth=2.0),
        *named,
    ]
    columns = _columns(ax, handles, beside=max(map(len, all_written(labels)), default=0))
    legend_above(ax, handles=handles, ncols=columns)
    if title:
        above = 9 + 13 * math.ceil(len(handles) / columns)  # the legend is in between
        ax.set_title(written(title, width=_TITLE), fontsize=9, loc="left", pad=above, color=INK)
    return clean(ax)


def prevalence_over_time(
    periods: Sequence[str],
    estimates: Values,
    lows: Values,
    highs: Values,
    *,
    training: float,
    label: object,
    sizes: Sequence[int] | NDArray[Any] | None = None,
    others: tuple[Values, Values] | None = None,
    name: str = "estimate and its interval",
    ax: Axes | None = None,
) -> Axes:
    """Draw the prevalence of one class period by period, with its intervals and the prevalence of training.

    Parameters
    ----------
    periods : sequence of str of shape (n,)
        Names, in order of time.
    estimates, lows, highs : sequences of float of shape (n,)
        The estimated prevalences and the ends of their intervals, NaN in a period without rows: a gap that is marked.
    training : float
        The prevalence in the training data, a line across; NaN draws none.
    label : Any
        The class.
    sizes : sequence of int of shape (n,), optional
        The rows of each period, as bars on separate axes below. They distinguish a period without rows from one that
        could not be estimated.
    others : (lows, highs), optional
        The smallest and the largest estimate of other methods in each period, a faint band.
    name : str
        What the legend calls the estimates.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
        Those of the prevalences; the sizes have axes of their own below them.
    """
    ax = own_axes(ax, size=timeline_size(len(periods), scores=sizes is not None))
    places = np.arange(len(periods), dtype=float)
    middle, low, high = map(floats, (estimates, lows, highs))
    band = (floats(others[0]), floats(others[1])) if others is not None else ()
    bottom, top = _span([middle, low, high, np.array([training], dtype=float), *band], close=True)
    ax.set_ylim(bottom, top)
    ax.set_xlim(-0.6, max(len(periods) - 0.4, 0.6))
    handles = [
        _estimates(ax, places, middle, low, high, name=name),
        *([_training(ax, training)] if math.isfinite(training) else []),
        *(_range(ax, places, *band) if band else []),
        *_gaps(ax, places[np.isnan(middle)], None if sizes is None else np.asarray(sizes)[np.isnan(middle)]),
    ]
    percent_ticks(ax.yaxis)
    ax.set_ylabel(f"share of class {written(label)}", fontsize=8)
    ax.grid(axis="y", color=QUIET, alpha=0.25)
    legend_above(ax, handles=handles, ncols=_columns(ax, handles, beside=8))
    if sizes is None:
        name_places(ax, periods)
        return clean(ax)
    below = axes_below(ax, height=0.28)
    _row_counts(below, places, np.asarray(sizes, dtype=float))
    below.set_xlim(ax.get_xlim())
    ax.set_xticks(places[:: name_step(len(periods))], [])
    name_places(below, periods)
    clean(below)
    return clean(ax)


def _other_marks(ax: Axes, rows: Floats, others: Mapping[str, Floats]) -> list[Artist]:
    """Draw the estimates of other methods; return their marks for the legend."""
    single = len(others) <= len(_MARKS)
    for number, values in enumerate(others.values()):
        mark = _MARKS[number] if single else _MARKS[0]
        ax.scatter(values, rows + _OTHERS, color=QUIET, marker=mark, s=16, linewidths=0, alpha=0.8, zorder=2)
    style: dict[str, Any] = {"linewidth": 0, "markersize": 4.5, "markeredgewidth": 0}
    if single:
        names = zip(all_written(others, width=_METHOD), _MARKS, strict=False)
        return [_legend_line(method, QUIET, marker=mark, **style) for method, mark in names]
    return [_legend_line(f"{len(others)} methods that correct for new proportions", QUIET, marker=_MARKS[0], **style)]


def _estimates(ax: Axes, places: Floats, middle: Floats, low: Floats, high: Floats, *, name: str) -> Artist:
    crowded = len(places) > _CROWDED
    ax.vlines(places, low, high, color=ESTIMATE, linewidth=1.2 if crowded else 2.2, alpha=0.55, zorder=3)
    ax.plot(places, middle, color=ESTIMATE, linewidth=1.0, zorder=3)
    ax.scatter(places, middle, color=ESTIMATE, s=12 if crowded else 30, zorder=4)
    return _legend_line(written(name, width=_TITLE), ESTIMATE, linewidth=1.0, marker="o", markersize=5.5)


def _training(ax: Axes, prevalence: float) -> Artist:
    ax.axhline(prevalence, color=REFERENCE, linewidth=1.2, linestyle="--", zorder=2)
    return _legend_line("labelled data", REFERENCE, linewidth=1.2, linestyle="--")


def _range(ax: Axes, places: Floats, low: Floats, high: Floats) -> list[Artist]:
    """Draw the range of each period as wide as its place, to make one between two gaps visible."""
    known = np.isfinite(low) & np.isfinite(high)
    if not known.any():
        return []
    edges = np.append(places - 0.5, places[-1] + 0.5)
    top, bottom = np.where(known, high, np.nan), np.where(known, low, np.nan)
    look: dict[str, Any] = {"color": QUIET, "alpha": 0.25, "label": "range of the other methods"}
    return [ax.stairs(top, edges, baseline=bottom, fill=True, **look)]


def _gaps(ax: Axes, places: Floats, sizes: NDArray[Any] | None) -> list[Artist]:
    """Mark places without an estimate at the bottom; return their marks for the legend."""
    empty = np.ones(len(places), dtype=bool) if sizes is None else sizes == 0
    marks: list[Artist] = []
    look: dict[str, Any] = {"s": 34, "zorder": 3, "clip_on": False, "transform": ax.get_xaxis_transform()}
    if empty.any():
        spots = places[empty]
        marks.append(ax.scatter(spots, 0 * spots, marker="x", color=QUIET, label="no rows", **look))
    if not empty.all():
        spots = places[~empty]
        look |= {"facecolors": "none", "edgecolors": QUIET, "linewidths": 1.3}
        marks.append(ax.scatter(spots, 0 * spots, label="no estimate", **look))
    return marks


def _row_counts(ax: Axes, places: Floats, sizes: Floats) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    ax.bar(places, sizes, width=0.7, color=QUIET, alpha=0.7)
    ax.set_ylim(0, max(1.05 * float(np.max(sizes, initial=0.0)), 1.0))
    ax.yaxis.set_major_locator(MaxNLocator(2, integer=True))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda count, _: f"{count:,.0f}"))
    ax.set_ylabel("rows", fontsize=8)


def _span(values: Sequence[Floats], *, close: bool = False) -> tuple[float, float]:
    """Return the ends of an axis that shows all prevalences.

    Examples
    --------
    >>> for pair in ([0.1, 0.9], [0.02, 0.1]):
    ...     print("{:.3f} {:.3f}".format(*_span([np.array(pair)])))
    -0.015 1.015
    -0.002 0.112
    >>> print("{:.3f} {:.3f}".format(*_span([np.array([0.8, 0.9])], close=True)))
    0.782 0.918
    """
    known = np.concatenate(values)
    known = known[np.isfinite(known)]
    low, high = (float(known.min()), float(known.max())) if known.any() else (0.0, 1.0)
    if close and low > _HIGH_UP * high > 0:
        margin = max(0.1 * (high - low), 0.02 * high)
        return low - margin, high + margin
    # A method may estimate more than 1 or less than 0, which must be seen.
    top = max(1.0 if high > _WHOLE and not close else min(1.1 * high, 1.0), high)
    bottom = min(low, 0.0)
    margin = (0.03 if close else 0.015) * (top - bottom)  # a mark at 0 must not be cut in half
    return bottom - margin, top + margin


def _columns(ax: Axes, handles: Sequence[Artist], *, beside: int) -> int:
    """Return how many columns of the legend fit, given the length of the names beside the axes."""
    # default margins leave the axes so much of the figure; the layout gives them what the names do not need
    inches = ax.bbox.width / ax.figure.dpi / 0.775
    lengths = [len(str(handle.get_label())) + _SAMPLE for handle in handles]
    for columns in (3, 2):
        longest = [max(part) for part in np.array_split(np.array(lengths), columns) if len(part)]
        if _CHARACTER * (sum(longest) + beside) <= inches:
            return columns
    return 1


def _legend_line(name: str, colour: str, **how: Any) -> Artist:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, label=name, **how)

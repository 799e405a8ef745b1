"""Which model to use: estimates with intervals, and the probability that one model beats another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof.core import Floats
from shiftproof.plots._axis import percent_ticks
from shiftproof.plots._intervals import draw_intervals, name_rows
from shiftproof.plots._style import (
    ACTUAL,
    ESTIMATE,
    INK,
    ON_DARK,
    ON_LIGHT,
    QUIET,
    RAMP_OF_CHANCES,
    REFERENCE,
    clean,
    colour_map,
    floats,
    label,
    labels,
    legend_above,
    own_axes,
)
from shiftproof.plots._tips import named_values, tip

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

Values = Sequence[float] | Floats

# Cells this far from one half are so dark that numbers on them are written light.
_DARK = 0.2
# How far from the line of an interval the marks above and below it are, in rows.
_LANE = 0.27
_SMALL: dict[str, Any] = {"fontsize": 8, "annotation_clip": False, "textcoords": "offset points"}


def expected_size(n_models: int) -> tuple[float, float]:
    """Return the size in inches in which `margins` and `expected_intervals` are legible."""
    # At the width of a phone its words are still 10 pixels high.
    return 3.95, 1.1 + 0.42 * max(n_models, 1)


def order_size(n_models: int) -> tuple[float, float]:
    """Return the size in inches in which `order_matrix` is legible."""
    return 2.8 + 0.52 * max(n_models, 1), 1.9 + 0.36 * max(n_models, 1)


def margins(
    names: Sequence[str],
    scores: Values,
    validated: Values,
    probabilities: Values,
    *,
    xlabel: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the estimate of each model beside that of cross-validation, the first on top.

    Parameters
    ----------
    names : sequence of l str
        The models, the best first.
    scores, validated : sequences of float of shape (l,)
        The score on new data, a dot, and the validated figure, a hollow diamond; a thin line joins them. NaN is not
        drawn.
    probabilities : sequence of float of shape (l,)
        The probability that each is the best, written at the right of its row; NaN writes nothing.
    xlabel : str
        Below the axes.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=expected_size(len(names)))
    expected, labelled, chances = map(floats, (scores, validated, probabilities))
    rows = np.arange(len(names), dtype=float)
    ax.hlines(rows, np.fmin(expected, labelled), np.fmax(expected, labelled), color=QUIET, linewidth=1.0, zorder=2)
    ax.scatter(labelled, rows, facecolors="none", edgecolors=REFERENCE, linewidths=1.4, s=30, marker="D", zorder=3)
    colours = [ESTIMATE if place == 0 else QUIET for place in range(len(names))]
    ax.scatter(expected, rows, color=colours, s=40, zorder=4)
    for row, probability in zip(rows.tolist(), chances.tolist(), strict=True):
        if math.isfinite(probability):
            _write_beside(ax, row, f"best: {_probability(probability)}", INK, bold=row == 0)
    for row, name in enumerate(names):
        best = f"; best with a probability of {_probability(chances[row])}" if math.isfinite(chances[row]) else ""
        words = named_values(name, {"on the new data": expected[row], "validated": labelled[row]})
        tip(ax, words + best, y=(row - 0.5, row + 0.5))
    handles = [
        _legend_mark("ranking score on the new data", ESTIMATE, marker="o", markersize=6),
        _legend_mark("validated", REFERENCE, marker="D", markersize=5, markerfacecolor="none"),
    ]
    return _finish_rows(ax, names, handles, xlabel)


def expected_intervals(
    names: Sequence[str],
    estimates: Values,
    lows: Values,
    highs: Values,
    validated: Values,
    *,
    truths: Values | None = None,
    baseline: tuple[str, float] = ("", math.nan),
    percent: bool = False,
    xlabel: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the interval of each model beside its validated figure, the first on top.

    Marks of one row stand in lanes above each other, so that none hides another.

    Parameters
    ----------
    names : sequence of l str
        The models.
    estimates, lows, highs : sequences of float of shape (l,)
        The estimates and the ends of their intervals. Where the estimate is NaN the row says that there is
        none, unless no row has one.
    validated : sequence of float of shape (l,)
        The figures on the labelled data, a diamond below the interval.
    truths : sequence of float of shape (l,), optional
        The actual values, a cross above the interval.
    baseline : (str, float), optional
        What no model should be worse than: its name, and where to draw a dashed line across all rows; NaN draws none.
    percent : bool
        Whether the axis is in per cent.
    xlabel : str
        Below the axes.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=expected_size(len(names)))
    middle, low, high, labelled = map(floats, (estimates, lows, highs, validated))
    rows = np.arange(len(names), dtype=float)
    refused = np.isnan(middle)
    draw_intervals(ax, rows, (low, middle, high), color=ESTIMATE)
    ax.scatter(labelled, rows + _LANE, color=REFERENCE, marker="D", s=26, linewidths=0, zorder=4)
    handles = [
        _legend_mark("validated", REFERENCE, marker="D", markersize=5, markeredgewidth=0),
        *([] if refused.all() else [_legend_mark("estimate", ESTIMATE, linewidth=2.5, marker="o", markersize=6)]),
    ]
    if truths is not None:
        ax.scatter(floats(truths), rows - _LANE, color=ACTUAL, marker="X", s=42, linewidths=0, zorder=5)
        handles.append(_legend_mark("actual", ACTUAL, marker="X", markersize=6.5, markeredgewidth=0))
    name, place = baseline
    if math.isfinite(place):
        ax.axvline(place, color=QUIET, linewidth=1.2, linestyle="--", zorder=1)
        handles.append(_legend_mark(label(name), QUIET, linewidth=1.2, linestyle="--"))
    # Where no row has an estimate the chart is about the other marks.
    for row in [] if refused.all() else rows[refused].tolist():
        _write_beside(ax, row, "no estimate", QUIET)
    for row, name in enumerate(names):
        values = {"estimate": middle[row], "from": low[row], "to": high[row], "validated": labelled[row]}
        truth = {} if truths is None else {"actual": truths[row]}
        words = named_values(name, {**values, **truth}) + ("; no estimate" if refused[row] else "")
        tip(ax, words, y=(row - 0.5, row + 0.5))
    if percent:
        percent_ticks(ax.xaxis)
    return _finish_rows(ax, names, handles, xlabel)


def order_matrix(names: Sequence[str], beats: Floats, *, ax: Axes | None = None) -> Axes:
    """Draw the probability that the model of the row is better than that of the column.

    Parameters
    ----------
    names : sequence of l str
        The models, the best first.
    beats : ndarray of shape (l, l)
        The probabilities. The diagonal is left empty; a cell that is NaN stays blank.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
        Purple where the row is probably better, grey where the column is, pale where both are equally likely.
    """
    size = len(names)
    values = np.array(beats, dtype=np.float64)
    np.fill_diagonal(values, np.nan)
    ax = own_axes(ax, size=order_size(size))
    shades = colour_map(RAMP_OF_CHANCES)
    # A mesh, not a picture: cells stay sharp in SVG and in print.
    ax.pcolormesh(
        np.arange(size + 1) - 0.5, np.arange(size + 1) - 0.5, np.ma.masked_invalid(values), cmap=shades,
        vmin=0.0, vmax=1.0, edgecolors="white", linewidth=1.0,
    )  # fmt: skip
    for row, column in np.argwhere(np.isfinite(values)).tolist():
        value = float(values[row, column])
        colour = ON_DARK if abs(value - 0.5) > _DARK else ON_LIGHT
        ax.text(column, row, _probability(value), ha="center", va="center", fontsize=8, color=colour)
        words = f"{names[row]} is better than {names[column]}: {_probability(value)}"
        tip(ax, words, x=(column - 0.5, column + 0.5), y=(row - 0.5, row + 0.5))
    ticks = labels(names, width=22)
    turned: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    ax.set_xticks(np.arange(size), ticks, **(turned if max(map(len, ticks), default=0) > 7 else {}))
    ax.set_yticks(np.arange(size), ticks)
    ax.set_xlim(-0.5, size - 0.5)
    ax.set_ylim(size - 0.5, -0.5)
    ax.set_xlabel("than this one", fontsize=8)
    ax.set_ylabel("this model is better", fontsize=8)
    clean(ax)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.tick_params(length=0)
    return ax


def _finish_rows(ax: Axes, names: Sequence[str], handles: list[Artist], xlabel: str) -> Axes:
    name_rows(ax, names, xlabel)
    ax.set_axisbelow(True)
    legend_above(ax, handles=handles, ncols=2 if len(handles) == 4 else 3, columnspacing=1.2, handletextpad=0.4)
    return clean(ax)


def _write_beside(ax: Axes, row: float, words: str, colour: str, *, bold: bool = False) -> None:
    """Write at the right of a row, outside the axes, where no mark can be."""
    weight = "bold" if bold else "normal"
    place: dict[str, Any] = {"xycoords": ax.get_yaxis_transform(), "xytext": (6, 0), "ha": "left", "va": "center"}
    ax.annotate(words, (1.0, row), color=colour, fontweight=weight, **place, **_SMALL)


def _legend_mark(name: str, colour: str, **how: Any) -> Artist:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, label=name, **{"linewidth": 0, "markeredgewidth": 1.4, **how})


def _probability(part: float) -> str:
    """Write a probability without decimals, never as 0% or 100%.

    Examples
    --------
    >>> _probability(0.624), _probability(0.9999), _probability(0.0), _probability(0.5)
    ('62%', '>99%', '<1%', '50%')
    """
    return "<1%" if part < 0.005 else ">99%" if part > 0.995 else f"{100 * part:.0f}%"

"""Methods two by two: scatter plots against one method, also by prevalence, bars by data set, and a matrix of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Floats, p_words
from shiftproof.plots._curves import PALETTE
from shiftproof.plots._pairs import small_multiples
from shiftproof.plots._style import (
    CURRENT,
    INK,
    ON_DARK,
    ON_LIGHT,
    QUIET,
    RAMP_FROM_EVEN,
    REFERENCE,
    clean,
    colour_map,
    label,
    labels,
    own_axes,
    own_figure,
)
from shiftproof.plots._tips import tip

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Ints = NDArray[np.int64]

# Parts of the largest difference from which cells are so dark that numbers on them are written light.
_DARK_BLUE, _DARK_ORANGE = 0.4, -0.6
# Inches of one chart of a grid, and of the space around the charts.
_CHART, _GAP, _LEFT, _BOTTOM, _TOP = 0.9, 0.24, 0.62, 0.3, 0.32
# Inches of a line of words below charts, and of one of its letters.
_LINE, _LETTER = 0.14, 0.062
_CAPTION = (
    "mean difference (positive: the row's method is better), wins / losses / ties, p-value; framed: significant "
    "difference"
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Duel:
    """One method beside the one that all are compared with, the pivot.

    Parameters
    ----------
    name : str
        The method.
    pivot, other : ndarray of shape (n,)
        The losses of the pivot and of the method in the same cells.
    wins, losses, ties : int
        Of the pivot.
    mean_difference : float
        By how much the pivot is better on average.
    """

    name: str
    pivot: Floats
    other: Floats
    wins: int
    losses: int
    ties: int
    mean_difference: float

    @property
    def lead(self) -> int:
        """Wins minus losses of the pivot."""
        return self.wins - self.losses


def duel_scatter(duel: Duel, *, pivot: str = "", small: bool = False, ax: Axes | None = None) -> Axes:
    """Draw the losses of a method over those of the pivot, as in figures 5.3 and 5.4 of Barranquero (2013).

    Parameters
    ----------
    duel : Duel
        Points above the diagonal are cells in which the pivot's loss is lower. Within: the pivot's wins, losses and
        ties; below: wins minus losses and, in parentheses, the mean difference.
    pivot : str
        What the pivot is called.
    small : bool
        Whether the axes are one of many: without scales, and framed in orange where the pivot loses more than it wins,
        in grey where it wins as often.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=(2.6, 2.8))
    losses = np.concatenate([duel.pivot, duel.other])
    low, high = float(losses.min()), float(losses.max())
    room = 0.05 * (high - low) or 0.05 * abs(high) or 0.05
    ends = (low - room, high + room)
    ax.plot(ends, ends, color=QUIET, linewidth=0.9, zorder=1)
    ax.scatter(duel.pivot, duel.other, s=4 if small else 9, color=REFERENCE, alpha=0.65, linewidths=0, zorder=2)
    ax.set(xlim=ends, ylim=ends, aspect="equal")
    counts = f"{duel.wins} / {duel.losses} / {duel.ties}"
    # in the corner with fewer points, the lower right one if the pivot wins at least as often
    right = duel.lead >= 0
    ax.text(
        0.96 if right else 0.04, 0.04 if right else 0.96, counts, transform=ax.transAxes, fontsize=6 if small else 8,
        ha="right" if right else "left", va="bottom" if right else "top", color=INK,
    )  # fmt: skip
    below = f"{duel.lead:+d} ({_signed(duel.mean_difference)})"
    tip(ax, f"{pivot} against {duel.name}: won {duel.wins}, lost {duel.losses}, tied {duel.ties}")
    clean(ax)
    if small:
        ax.set_xticks([])
        ax.set_yticks([])
        ax.set_xlabel(below, fontsize=6, labelpad=1.5)
        for spine in ax.spines.values():
            spine.set(visible=True, color=_frame_colour(duel.lead), linewidth=1.8 if duel.lead <= 0 else 0.8)
        return ax
    ax.set_title(label(duel.name, width=30), fontsize=9)
    ax.set_xlabel(below, fontsize=8)
    return ax


def duel_scatters(pivot: str, duels: Sequence[Duel]) -> Figure:
    """Draw one scatter plot per method beside the pivot, as in figure 5.3 of Barranquero (2013)."""
    draw = [partial(_on_axes, duel, pivot) for duel in duels]
    figure = small_multiples(draw, columns=4, size=(2.3, 2.5), legend=False)
    figure.supxlabel(f"loss of {label(pivot)}; wins minus losses (mean difference)", fontsize=8, color=INK)
    figure.supylabel("loss of the other", fontsize=8, color=INK)
    return figure


def duel_grid(pivot: str, rows: Mapping[str, Sequence[Duel]]) -> Figure:
    """Draw a row of scatter plots for each prevalence, as in figure 5.4 of Barranquero (2013).

    Parameters
    ----------
    pivot : str
        The method that all are compared with.
    rows : mapping of str to sequence of Duel
        The same methods in the same order for each prevalence. Frames are orange where the pivot loses more often
        than it wins, and grey where it wins as often.
    """
    methods = [duel.name for duel in next(iter(rows.values()))]
    wide, high = len(methods) * (_CHART + _GAP / 2), len(rows) * (_CHART + _GAP)
    words = (
        f"loss of {label(pivot)}, its wins / losses / ties, wins minus losses (mean difference); orange: it loses more"
    )
    lines = wrap(words, int((_LEFT + wide) / _LETTER))
    bottom = _BOTTOM + _LINE * (len(lines) - 1)
    width, height = _LEFT + wide, bottom + high + _TOP
    figure = own_figure(size=(width, height))
    figure.set_layout_engine("none")  # a hundred charts take it ten seconds
    edges = {
        "left": _LEFT / width, "right": 1 - 0.04 / width, "bottom": (bottom + _GAP) / height, "top": 1 - _TOP / height,
        "wspace": _GAP / 2 / _CHART, "hspace": _GAP / _CHART,
    }  # fmt: skip
    axes = figure.subplots(len(rows), len(methods), squeeze=False, gridspec_kw=edges)
    for across, (prevalence, duels) in zip(axes, rows.items(), strict=True):
        for ax, duel in zip(across, duels, strict=True):
            duel_scatter(duel, pivot=pivot, small=True, ax=ax)
        across[0].set_ylabel(label(prevalence, width=12), fontsize=8, color=INK)
    for ax, name in zip(axes[0], labels(methods, width=14), strict=True):
        ax.set_title(name, fontsize=8, color=INK)
    figure.supxlabel("\n".join(lines), fontsize=8, color=INK, y=0.1 / height, va="bottom")
    figure.supylabel("prevalence; in each chart: loss of the other", fontsize=8, color=INK, x=0.04 / width)
    return figure


def loss_bars(
    names: Sequence[str],
    places: Sequence[str],
    datasets: Mapping[str, Floats],
    *,
    ylabel: str = "loss",
    highest: float | None = None,
) -> Figure:
    """Draw the losses on each data set, as in figure 5.5 of Barranquero (2013).

    Parameters
    ----------
    names : sequence of k str
        The methods, one colour each.
    places : sequence of p str
        The prevalences, or one empty name without any.
    datasets : mapping of str to ndarray of shape (p, k)
        The losses, one small chart per data set, all with one scale; NaN draws no bar.
    ylabel : str
        Beside the charts.
    highest : float, optional
        Where the scale ends; by default at the largest loss.
    """
    top = max((float(np.nanmax(values)) for values in datasets.values()), default=1.0)
    low = min((float(np.nanmin(values)) for values in datasets.values()), default=0.0)
    ends = min(low, 0.0), highest if highest is not None else (top if top > 0 else 0.0) * 1.04 or 1.0
    ticks = labels(names, width=22)
    draw = [partial(_bars, ticks, places, (title, values), ends) for title, values in datasets.items()]
    figure = small_multiples(draw, columns=4 if len(places) > 1 else 6, size=(2.4 if len(places) > 1 else 1.5, 1.6))
    figure.supylabel(ylabel, fontsize=8, color=INK)
    return figure


def comparison_size(n_methods: int) -> tuple[float, float]:
    """Return the size in inches in which `comparison_matrix` is legible."""
    return 2.2 + 0.86 * max(n_methods, 2), 1.5 + 0.5 * max(n_methods, 2) + _LINE * (len(_caption_lines(n_methods)) - 1)


def comparison_matrix(
    names: Sequence[str],
    difference: Floats,
    wins: Ints,
    ties: Ints,
    p_values: Floats,
    *,
    differ: NDArray[np.bool_],
    ax: Axes | None = None,
) -> Axes:
    """Draw every method against every other: mean difference, wins / losses / ties and p-value in each cell.

    Parameters
    ----------
    names : sequence of k str
        The methods, the best first.
    difference : ndarray of shape (k, k)
        By how much the method of the row is better on average than that of the column.
    wins, ties : ndarray of int of shape (k, k)
        In how many cells the row wins, or ties.
    p_values : ndarray of shape (k, k)
        NaN where two were not compared.
    differ : ndarray of bool of shape (k, k)
        Whether they differ: bold and framed.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
        Blue where the row is better, orange where the column is, the darker the larger the difference.
    """
    size = len(names)
    values = np.array(difference, dtype=np.float64)
    # No method is compared with itself.
    np.fill_diagonal(values, np.nan)
    ax = own_axes(ax, size=comparison_size(size))
    largest = float(np.nanmax(np.abs(values))) or 1.0
    shades = colour_map(RAMP_FROM_EVEN)
    # A mesh, not a picture: cells stay sharp in SVG and in print.
    borders = np.arange(size + 1) - 0.5
    ax.pcolormesh(
        borders, borders, np.ma.masked_invalid(values), cmap=shades, vmin=-largest, vmax=largest, edgecolors="white",
        linewidth=1.0,
    )  # fmt: skip
    for row, column in np.argwhere(np.isfinite(values)).tolist():
        won, tied, lost = (int(table[row, column]) for table in (wins, ties, wins.T))
        p = float(p_values[row, column])
        p_text = "" if p != p else p_words(p)
        lines = (_signed(float(values[row, column])), f"{won} / {lost} / {tied}", p_text)
        # White text where the shade is dark.
        light = _DARK_ORANGE < float(values[row, column]) / largest < _DARK_BLUE
        _write_cell(ax, (column, row), lines, color=ON_LIGHT if light else ON_DARK, bold=bool(differ[row, column]))
        words = f"{names[row]} against {names[column]}: won {won}, tied {tied}, lost {lost}; {p_text}"
        tip(ax, words, x=(column - 0.5, column + 0.5), y=(row - 0.5, row + 0.5))
    _name_cells(ax, names)
    return ax


def _write_cell(ax: Axes, place: tuple[int, int], lines: Sequence[str], *, color: str, bold: bool) -> None:
    """Write the lines of one cell; a difference that is shown is bold and framed."""
    from matplotlib.patches import Rectangle

    column, row = place
    ax.text(
        column, row, "\n".join(filter(None, lines)), ha="center", va="center", fontsize=6.5, linespacing=1.15,
        fontweight="bold" if bold else "normal", color=color,
    )  # fmt: skip
    if bold:
        # Inside the white border of the mesh.
        ax.add_patch(Rectangle((column - 0.46, row - 0.46), 0.92, 0.92, fill=False, edgecolor=INK, linewidth=1.4))


def _name_cells(ax: Axes, names: Sequence[str]) -> None:
    """Name rows and columns, and describe the cells below."""
    size = len(names)
    ticks = labels(names, width=22)
    turned: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    # Longer names would overlap side by side.
    ax.set_xticks(np.arange(size), ticks, **(turned if max(map(len, ticks)) > 10 else {}))
    ax.set_yticks(np.arange(size), ticks)
    ax.set_xlim(-0.5, size - 0.5)
    ax.set_ylim(size - 0.5, -0.5)
    ax.set_xlabel("\n".join(_caption_lines(size)), fontsize=8)
    clean(ax)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.tick_params(length=0)


def _caption_lines(n_methods: int) -> list[str]:
    """Return a description of the cells, in lines that are no wider than the cells."""
    return wrap(_CAPTION, int(0.86 * max(n_methods, 2) / _LETTER))


def _on_axes(duel: Duel, pivot: str, ax: Axes) -> None:
    duel_scatter(duel, pivot=pivot, ax=ax)


def _bars(
    names: Sequence[str], places: Sequence[str], of: tuple[str, Floats], ends: tuple[float, float], ax: Axes
) -> None:
    title, values = of
    step = 0.8 / len(names)
    where = np.arange(len(places), dtype=float)
    for method, name in enumerate(names):
        x = where - 0.4 + step * (method + 0.5)
        ax.bar(x, np.nan_to_num(values[:, method]), width=step, color=PALETTE[method % len(PALETTE)], label=name)
    every = max(len(places) // 5, 1)
    ax.set_xticks(where[::every], labels(places, width=8)[::every])
    ax.set_ylim(*ends)
    ax.set_title(label(title, width=24), fontsize=8)
    clean(ax)
    ax.tick_params(labelsize=6)


def _frame_colour(lead: int) -> str:
    return INK if lead > 0 else QUIET if lead == 0 else CURRENT


def _signed(value: float) -> str:
    """Write a difference with its sign and three figures at the most.

    Examples
    --------
    >>> _signed(0.01234), _signed(-12.345), _signed(0.0), _signed(6.63e-9)
    ('+0.012', '-12.3', '0', '+7e-09')
    """
    if abs(value) < 0.0005:
        return f"{value:+.1g}" if value else "0"
    return f"{value:+.3f}" if abs(value) < 1 else f"{value:+.3g}"

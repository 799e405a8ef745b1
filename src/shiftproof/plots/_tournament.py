"""Which model beats which: a matrix of scores, and a circle of arrows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Floats
from shiftproof.plots._style import INK, ON_DARK, ON_LIGHT, QUIET, RAMP, REFERENCE, clean, colour_map, labels, own_axes
from shiftproof.plots._tips import tip

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Cells beyond this depth are so dark that numbers on them are written light.
_DARK = 0.45
# An arrow without a confidence, the thinnest one, and what full confidence adds.
_PLAIN, _THIN, _WIDER = 1.6, 0.8, 2.6


def reverse_matrix(
    names: Sequence[str],
    matrix: Floats,
    *,
    beats: NDArray[np.bool_] | None = None,
    score: str = "accuracy",
    ax: Axes | None = None,
) -> Axes:
    """Draw how well each learner does with the labels of each classifier, darker where it does better.

    Parameters
    ----------
    names : sequence of l str
        The models.
    matrix : ndarray of shape (l, l)
        Row: the model that labelled; column: the learner trained on these labels. NaN is drawn as a dash.
    beats : ndarray of bool of shape (l, l), optional
        Which model beats which; adds how many pairs each row won and lost.
    score : str, default "accuracy"
        What the numbers are. The best of each column is bold.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    size = len(names)
    values = np.asarray(matrix, dtype=np.float64)
    ax = own_axes(ax, size=(2.6 + 0.62 * size, 1.5 + 0.42 * size))
    shades = colour_map(RAMP)
    depth = _depths(values)
    # A mesh, not a picture: cells stay sharp in SVG and in print.
    ax.pcolormesh(
        np.arange(size + 1) - 0.5, np.arange(size + 1) - 0.5, np.ma.masked_invalid(depth), cmap=shades,
        vmin=0.0, vmax=1.0, edgecolors="white", linewidth=1.0,
    )  # fmt: skip
    _write_cells(ax, names, values, depth)
    ticks = labels(names, width=22)
    longest = max(len(name) for name in ticks)
    turned: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if longest > 7 else {}
    ax.set_xticks(np.arange(size), ticks, **turned)
    ax.set_yticks(np.arange(size), ticks)
    ax.set_xlim(-0.5, size - 0.5)
    ax.set_ylim(size - 0.5, -0.5)
    ax.set_xlabel(f"judge: {score} of this learner; bold is best", fontsize=8)
    ax.set_ylabel("labelled by", fontsize=8)
    clean(ax)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.tick_params(length=0)
    if beats is not None:
        _write_pairs(ax, np.asarray(beats, dtype=bool))
    return ax


def tournament(
    names: Sequence[str],
    beats: NDArray[np.bool_],
    *,
    confidence: Floats | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw models on a circle, clockwise from the one with the most wins, with arrows from winners to losers.

    Parameters
    ----------
    names : sequence of l str
        The models.
    beats : ndarray of bool of shape (l, l)
        Whether the model in the row beats the one in the column. Pairs without a winner get a thin dotted line.
    confidence : ndarray of shape (l, l), optional
        The confidence of each win, from 0 to 1; it sets the width of the arrow.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    size, won = len(names), np.asarray(beats, dtype=bool)
    high = 3.9 + 0.25 * max(size - 4, 0)
    ax = own_axes(ax, size=(1.38 * high, high))
    net = won.sum(axis=1) - won.sum(axis=0)
    ranked = sorted(range(size), key=lambda model: (-int(won[model].sum()), -int(net[model]), model))
    angles = math.pi / 2 - 2 * math.pi * np.arange(size) / size
    places = np.empty((size, 2))
    places[ranked] = np.column_stack([np.cos(angles), np.sin(angles)])
    for one in range(size):
        for other in range(one + 1, size):
            if not won[one, other] and not won[other, one]:
                ax.plot(*places[[one, other]].T, color=QUIET, linewidth=0.9, linestyle=(0, (1, 2.5)), zorder=1)
    for winner, loser in np.argwhere(won).tolist():
        width = _PLAIN if confidence is None else _THIN + _WIDER * float(confidence[winner, loser])
        # Many arrows are drawn thinner, and lighter the less their winner wins.
        fade = 0.55 * ranked.index(winner) / size
        _arrow(ax, places[winner], places[loser], width=width * min(1.0, 5.0 / size), alpha=1.0 - fade)
    ax.plot(*places.T, linestyle="none", marker="o", markersize=7, color=INK, zorder=3)
    _name_places(ax, labels(names, width=22), places, won)
    ax.set_aspect("equal")
    # Names are beside the circle, which needs room at its sides.
    ax.set_xlim(-2.1, 2.1)
    ax.set_ylim(-1.45, 1.35)
    ax.set_axis_off()
    _explain(ax, won, sure=confidence is not None)
    return ax


def _depths(values: Floats) -> Floats:
    """Return how dark each cell is, from 0 at the lowest score to 1 at the highest; NaN stays."""
    known = values[np.isfinite(values)]
    if not len(known) or known.max() == known.min():
        return np.where(np.isfinite(values), 0.0, np.nan)
    return np.where(np.isfinite(values), (values - known.min()) / (known.max() - known.min()), np.nan)


def _write_cells(ax: Axes, names: Sequence[str], values: Floats, depth: Floats) -> None:
    """Write the numbers, those of the best labels for each judge in bold."""
    finite = values[np.isfinite(values)]
    shares = bool(len(finite)) and float(finite.min()) >= 0 and float(finite.max()) <= 1
    best = np.where(np.isfinite(values), values, -np.inf).max(axis=0, initial=-np.inf)
    for row, column in np.ndindex(values.shape):
        value = float(values[row, column])
        known = math.isfinite(value)
        ax.text(
            column, row, _score_text(value, shares) if known else "–", ha="center", va="center", fontsize=8,
            color=INK if not known else ON_DARK if depth[row, column] > _DARK else ON_LIGHT,
            fontweight="bold" if known and value == best[column] else "normal",
        )  # fmt: skip
        if known:
            words = f"{names[column]}, trained on the labels of {names[row]}: {_score_text(value, shares)}"
            tip(ax, words, x=(column - 0.5, column + 0.5), y=(row - 0.5, row + 0.5))


def _score_text(value: float, shares: bool) -> str:
    """Write a share with three decimals, a total with as many figures as fit a cell.

    Examples
    --------
    >>> _score_text(0.8125, True), _score_text(-14567.3, False), _score_text(12.345, False), _score_text(6.1e7, False)
    ('0.812', '-14,567', '12.3', '6.1e+07')
    """
    if shares:
        return f"{value:.3f}"
    if abs(value) >= 1e7:
        return f"{value:.3g}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _write_pairs(ax: Axes, won: NDArray[np.bool_]) -> None:
    """Write at the right of each row how many pairs it won and lost."""
    size = len(won)
    for row in range(size):
        ax.annotate(
            f"won {won[row].sum()}, lost {won[:, row].sum()}", (size - 0.5, row), xytext=(6, 0),
            textcoords="offset points", ha="left", va="center", fontsize=8, color=INK, annotation_clip=False,
        )  # fmt: skip


def _arrow(ax: Axes, start: Floats, end: Floats, *, width: float, alpha: float) -> None:
    ax.annotate(
        "", (end[0], end[1]), (start[0], start[1]), zorder=2,
        arrowprops={
            "arrowstyle": "-|>,head_length=0.6,head_width=0.22", "color": REFERENCE, "alpha": alpha,
            "linewidth": width, "mutation_scale": 9 + 1.6 * width, "shrinkA": 5.0, "shrinkB": 6.0,
            "joinstyle": "miter",
        },
    )  # fmt: skip


def _name_places(ax: Axes, names: Sequence[str], places: Floats, won: NDArray[np.bool_]) -> None:
    """Write the names outside the circle, with the number of wins."""
    for model, (name, (x, y)) in enumerate(zip(names, places.tolist(), strict=True)):
        side = "center" if abs(x) < 0.2 else "left" if x > 0 else "right"
        level = "center" if side != "center" else "bottom" if y > 0 else "top"
        wins = int(won[model].sum())
        ax.annotate(
            f"{name} ({wins} win{'s' * (wins != 1)})", (x, y), xytext=(9 * x, 9 * y), textcoords="offset points",
            ha=side, va=level, fontsize=8, color=INK, annotation_clip=False,
        )  # fmt: skip


def _explain(ax: Axes, won: NDArray[np.bool_], *, sure: bool) -> None:
    size = len(won)
    words = ["an arrow points from the winner to the loser" + (", wider where it is more certain" if sure else "")]
    if won.sum() < size * (size - 1) // 2:
        words.append("dotted: undecided")
    ax.text(0.5, 0.0, "; ".join(words), transform=ax.transAxes, ha="center", va="bottom", fontsize=8, color=INK)

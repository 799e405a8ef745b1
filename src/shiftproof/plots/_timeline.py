"""Changes over time: distances beside those that chance gives, and a grid of features by periods."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof.core import Floats
from shiftproof.plots._axis import name_places, name_step
from shiftproof.plots._style import (
    BAD,
    INK,
    MILD,
    QUIET,
    axes_below,
    clean,
    floats,
    labels,
    legend_above,
    own_axes,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# How verdicts look: marker, fill, border.
_MARKS = {
    "shifted": ("o", BAD, BAD),
    "negligible": ("s", MILD, MILD),
    "no shift": ("o", QUIET, QUIET),
    "cannot tell": ("o", "none", QUIET),
}
_LEGEND = {
    "shifted": "changed enough to matter",
    "negligible": "changed, too little to matter",
    "no shift": "no shift seen",
    "cannot tell": "cannot tell",
}
# p-values below this all look the same.
_SMALLEST_P = 1e-16
# On an axis that reaches further than this, the ticks 1 and 0.05 would overlap.
_ROOM_FOR_ONE = 1e-6
# Opacity of a grid's cells, by how many times its threshold a change is.
_OPACITIES = {"material": ((5.0, 1.0), (3.0, 0.75), (2.0, 0.55), (1.0, 0.35)), "negligible": ((0.5, 0.5), (0.0, 0.25))}
_QUIET_OPACITY = 0.22
# A number fits into a cell of a grid with so few columns.
_ROOM_FOR_NUMBERS = 14


def timeline_size(n_periods: int, *, scores: bool = False) -> tuple[float, float]:
    """Return the size in inches in which `timeline` is legible."""
    return min(max(6.5, 2.0 + 0.16 * n_periods), 10.0), 4.6 if scores else 3.2


def grid_size(n_features: int, n_periods: int) -> tuple[float, float]:
    """Return the size in inches in which `effect_grid` is legible."""
    return min(max(6.5, 2.4 + 0.16 * n_periods), 10.0), 1.5 + 0.27 * max(n_features, 1)


def timeline(
    periods: Sequence[str],
    distances: Sequence[float],
    verdicts: Sequence[str],
    *,
    expected: Sequence[float],
    high: Sequence[float],
    p_values: Sequence[float] | None = None,
    alpha: float = 0.05,
    ax: Axes | None = None,
) -> Axes:
    """Draw the mean distance of each period, with what chance alone gives, and the scores' p-values below.

    Parameters
    ----------
    periods, distances, verdicts : sequences of equal length
        Names, mean Hellinger distances (NaN where a period has no rows), and "shifted", "negligible", "no shift" or
        "cannot tell" for the marks.
    expected, high : sequences of float
        The mean by chance, and the value that chance exceeds one time in twenty.
    p_values : sequence of float, optional
        Of the scores; on a second axis below the first.
    alpha : float
        A line across the p-values.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
        Those of the distances; the p-values have axes of their own below them.
    """
    ax = own_axes(ax, size=timeline_size(len(periods), scores=p_values is not None))
    places = np.arange(len(periods), dtype=float)
    _baseline(ax, places, floats(expected), floats(high))
    values = floats(distances)
    _dots(ax, places, values, verdicts)
    top = np.nanmax(np.concatenate([values, floats(high), [0.0]]))
    ax.set_ylim(0, max(1.12 * float(top), 0.1))
    ax.set_ylabel("mean Hellinger distance", fontsize=8)
    ax.set_xlim(-0.6, max(len(periods) - 0.4, 0.6))
    legend_above(ax)
    if p_values is None:
        name_places(ax, periods)
        return clean(ax)
    below = axes_below(ax)
    _p_values(below, places, floats(p_values), alpha)
    below.set_xlim(ax.get_xlim())
    ax.set_xticks(places[:: name_step(len(periods))], [])
    name_places(below, periods)
    clean(below)
    return clean(ax)


def effect_grid(
    features: Sequence[str],
    periods: Sequence[str],
    effects: Sequence[Sequence[float]],
    relative: Sequence[Sequence[float]],
    grades: Sequence[Sequence[str]],
    *,
    hidden: int = 0,
    ax: Axes | None = None,
) -> Axes:
    """Draw features by periods, darker where the change is larger relative to the size that matters.

    Parameters
    ----------
    features, periods : sequences of str
        The rows, the first on top, and the columns.
    effects, relative, grades : sequences of sequences, one per feature
        The sizes, the sizes in units of their marks, and "material", "negligible" or "none"; an empty grade leaves
        the cell blank. Sizes are written if there is room.
    hidden : int
        How many features are not shown.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=grid_size(len(features), len(periods)))
    numbered = len(periods) <= _ROOM_FOR_NUMBERS
    for row, (sizes, times, marks) in enumerate(zip(effects, relative, grades, strict=True)):
        tested = [place for place, grade in enumerate(marks) if grade]
        shades = [_shade(marks[place], times[place]) for place in tested]
        ax.bar(tested, 0.9, bottom=row - 0.45, width=0.94, color=shades)
        for place in tested if numbered else ():
            if math.isfinite(sizes[place]):
                style: dict[str, Any] = {"color": INK, "alpha": 1.0 if marks[place] != "none" else 0.55}
                ax.text(place, row, f"{sizes[place]:.2f}", ha="center", va="center", fontsize=7, **style)
    ax.set_yticks(np.arange(len(features)), labels(features))
    ax.set_ylim(max(len(features), 1) - 0.45, -0.55)
    ax.set_xlim(-0.6, max(len(periods) - 0.4, 0.6))
    name_places(ax, periods)
    if hidden:
        ax.set_xlabel(f"({hidden} more feature{'s' * (hidden != 1)} not shown)", fontsize=8)
    _shades_legend(ax)
    ax.tick_params(length=0)
    clean(ax)
    for side in ("left", "bottom"):
        ax.spines[side].set_visible(False)
    return ax


def _baseline(ax: Axes, places: Floats, expected: Floats, high: Floats) -> None:
    """Draw the values by chance, each period as wide as its place, to make a single one visible."""
    edges = np.append(places - 0.5, places[-1:] + 0.5)
    ax.stairs(np.nan_to_num(high), edges, fill=True, color=QUIET, alpha=0.25, label="chance: 19 of 20 lie below")
    style: dict[str, Any] = {"colors": INK, "linewidth": 1.0, "linestyles": (0, (3, 2)), "label": "chance, on average"}
    ax.hlines(expected, places - 0.5, places + 0.5, **style)


def _dots(ax: Axes, places: Floats, values: Floats, verdicts: Sequence[str]) -> None:
    ax.plot(places, values, color=QUIET, linewidth=1.0, zorder=2)
    size = 34.0 if len(places) <= 40 else 20.0
    for verdict, (marker, fill, border) in _MARKS.items():
        chosen = np.array([one == verdict for one in verdicts], dtype=bool) & ~np.isnan(values)
        if chosen.any():
            style: dict[str, Any] = {"marker": marker, "facecolors": fill, "edgecolors": border, "s": size}
            ax.scatter(places[chosen], values[chosen], **style, linewidths=1.3, zorder=3, label=_LEGEND[verdict])
    empty = np.isnan(values)
    if empty.any():
        heights = np.zeros(int(empty.sum()))
        ax.scatter(places[empty], heights, marker="x", color=QUIET, s=size, zorder=3, clip_on=False, label="no rows")


def _p_values(ax: Axes, places: Floats, p_values: Floats, alpha: float) -> None:
    clipped = np.clip(p_values, _SMALLEST_P, 1.0)
    ax.axhline(alpha, color=INK, linewidth=1.0, linestyle="--")
    ax.plot(places, clipped, color=QUIET, linewidth=1.0, zorder=2)
    known = ~np.isnan(clipped)
    colours = [BAD if p <= alpha else QUIET for p in clipped[known]]
    ax.scatter(places[known], clipped[known], color=colours, s=16, zorder=3)
    ax.set_yscale("log")
    smallest = float(np.min(clipped[known], initial=1e-3))
    ax.set_ylim(smallest / 4, 2.0)
    ax.set_ylabel("p-value of the scores", fontsize=8)
    ends = [10.0 ** math.ceil(math.log10(smallest)), alpha, *([1.0] if smallest > _ROOM_FOR_ONE else [])]
    ax.set_yticks(ends, [f"{end:g}".replace("e-0", "e-") for end in ends])
    ax.minorticks_off()


def _shade(grade: str, times: float) -> tuple[str, float]:
    """Return the colour and the opacity of a cell, which suit any background."""
    if grade not in _OPACITIES:
        return QUIET, _QUIET_OPACITY
    opacity = next((alpha for least, alpha in _OPACITIES[grade] if times >= least), _OPACITIES[grade][-1][1])
    return (BAD if grade == "material" else MILD), opacity


def _shades_legend(ax: Axes) -> None:
    from matplotlib.patches import Patch

    handles = [
        Patch(facecolor=_shade("none", 0.0), label="not significant"),
        Patch(facecolor=_shade("negligible", 0.5), label="negligible"),
        *(
            Patch(facecolor=_shade("material", t), label=f"from {t:g}× its mark")
            for t, _ in _OPACITIES["material"][::-1]
        ),
    ]
    legend_above(ax, handles=handles)

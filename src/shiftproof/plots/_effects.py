"""Features by the size of their change."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from shiftproof.plots._style import BAD, INK, MILD, QUIET, clean, labels, own_axes
from shiftproof.plots._tips import tip

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_COLOURS = {"material": BAD, "negligible": MILD, "none": QUIET}
_LEGEND = {
    "material": "changed enough to matter",
    "negligible": "changed, too little to matter",
    "none": "no change detected, or cannot tell",
}


def effect_bars(
    names: Sequence[str],
    effects: Sequence[float],
    grades: Sequence[str],
    *,
    thresholds: Sequence[float],
    most: int = 30,
    meanings: Mapping[str, str] = _LEGEND,
    axis: str = "size of the change; it matters if it reaches the mark",
    ax: Axes | None = None,
) -> Axes:
    """Draw one bar per test in the order given, with a mark at the size from which a change is material.

    Parameters
    ----------
    names, effects, grades : sequences of equal length
        What changed, by how much, and "material", "negligible" or "none" for its colour; the first is drawn on
        top. A detection gives them by their size relative to their threshold, so the longest bar need not be first.
    thresholds : sequence of float
        From which size each change counts as material.
    most : int, default 30
        The largest number of bars; a line below counts those not shown.
    meanings : mapping of str to str
        What the grades mean, for the legend and the tips.
    axis : str
        What the bars and the marks are.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    shown = min(len(names), most)
    ax = own_axes(ax, size=(7.0, 1.1 + 0.26 * shown))
    rows = np.arange(shown)
    # A test without a size keeps its row, with a bar of no length.
    heights = np.nan_to_num(np.asarray(effects[:shown], dtype=float))
    colours = [_COLOURS[grade] for grade in grades[:shown]]
    ax.barh(rows, heights, color=colours, height=0.7)
    for row, threshold in zip(rows.tolist(), thresholds[:shown], strict=True):
        ax.plot([threshold, threshold], [row - 0.42, row + 0.42], color=INK, linewidth=1.0)
        words = f"{names[row]}: {_size(effects[row])}, mark at {threshold:g}; {meanings[grades[row]]}"
        if math.isnan(effects[row]):
            words = f"{names[row]}: could not be compared"
        tip(ax, words, y=(row - 0.5, row + 0.5))
    ax.set_yticks(rows, labels(names[:shown]))
    ax.set_ylim(shown - 0.4, -0.6)
    # At least 0.2 wide: small changes must look small.
    ax.set_xlim(0, max(float(heights.max(initial=0.0)) * 1.08, 0.2))
    hidden = f"   ({len(names) - shown} more not shown)" if len(names) > shown else ""
    ax.set_xlabel(f"{axis}{hidden}", fontsize=8)
    _legend(ax, grades[:shown], meanings)
    return clean(ax)


def _size(effect: float) -> str:
    return f"size {effect:.3f}"


def _legend(ax: Axes, grades: Sequence[str], meanings: Mapping[str, str]) -> None:
    from matplotlib.patches import Patch

    # In a fixed order, and only the colours that occur.
    used = [grade for grade in _COLOURS if grade in grades]
    handles = [Patch(color=_COLOURS[grade], label=meanings[grade]) for grade in used]
    if handles:
        ax.legend(handles=handles, fontsize=8, frameon=False, loc="lower right", labelcolor=INK)

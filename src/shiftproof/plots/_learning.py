"""How a measure grows with the number of training rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from shiftproof.plots._curves import PALETTE
from shiftproof.plots._style import clean, floats, labels, legend_above, own_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from shiftproof.plots._stress import Ranges


def learning_lines(
    sizes: Sequence[int],
    models: Mapping[str, Ranges],
    *,
    ylabel: str,
    ax: Axes | None = None,
) -> Axes:
    """Draw a line per model over the number of training rows, on a log scale, within its intervals.

    Parameters
    ----------
    sizes : sequence of int
        The numbers of training rows.
    models : mapping of str to (lowest, estimate, highest)
        One value for each size; NaN where a model has none.
    ylabel : str
        Beside the axes.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=(6.4, 3.8))
    ax.set_xscale("log")
    for number, (name, (low, estimate, high)) in enumerate(zip(labels(models), models.values(), strict=True)):
        colour = PALETTE[number % len(PALETTE)]
        ax.fill_between(sizes, floats(low), floats(high), color=colour, alpha=0.12, linewidth=0)
        ax.plot(sizes, floats(estimate), color=colour, marker="o", markersize=4, linewidth=1.6, label=name)
    # The sizes themselves; a log scale would mark powers of ten.
    ax.set_xticks(list(sizes), [f"{size:,}" for size in sizes])
    ax.minorticks_off()
    ax.set_xlabel("training rows", fontsize=8)
    ax.set_ylabel(ylabel, fontsize=8)
    legend_above(ax, ncols=4, columnspacing=1.2, handletextpad=0.4, borderaxespad=0.2)
    return clean(ax)

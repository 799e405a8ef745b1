"""How soon a drop of accuracy is known, by the number of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from shiftproof.plots._style import BAD, CURRENT, MILD, clean, legend_above, own_axes
from shiftproof.plots._tips import tip

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# From the smallest drop to the largest.
_COLOURS = (MILD, CURRENT, BAD)


def rehearsal_delays(
    delays: Mapping[float, Sequence[tuple[int, float | None, float | None]]], *, ax: Axes | None = None
) -> Axes:
    """Draw the median delay of each drop over the number of labels, with a whisker to the 90th percentile.

    Parameters
    ----------
    delays : mapping of float to sequence of (labels, median, 90th percentile)
        By the size of the drop; None where a drop is not found.
    ax : matplotlib Axes, optional
        Drawn into this; a new one by default.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=(7.0, 3.0))
    counts = sorted({labels for points in delays.values() for labels, _, _ in points})
    for number, (size, points) in enumerate(delays.items()):
        colour, beside = _COLOURS[number % len(_COLOURS)], 0.12 * (number - (len(delays) - 1) / 2)
        found = [(counts.index(labels) + beside, median, late) for labels, median, late in points if median is not None]
        for place, median, late in found:
            ends = (median, median if late is None else late)
            ax.plot([place, place], ends, color=colour, linewidth=1.2)
            tip(ax, _tip_words(median, late), x=(place - 0.05, place + 0.05), y=ends)
        medians = [median for _, median, _ in found]
        ax.plot([place for place, _, _ in found], medians, "o", color=colour, label=f"{100 * size:g} points below")
    ax.set_xticks(range(len(counts)), ["none" if not count else str(count) for count in counts])
    ax.set_xlabel("labels per batch")
    ax.set_ylabel("batches to the alarm")
    ax.set_ylim(bottom=0)
    clean(ax)
    legend_above(ax)
    return ax


def _tip_words(median: float, late: float | None) -> str:
    """Say after how many batches a drop is detected.

    Examples
    --------
    >>> _tip_words(2, 5), _tip_words(3, None)
    ('median 2 batches, 90th percentile 5', 'median 3 batches')
    """
    return f"median {median:g} batch{'es' * (median != 1)}" + ("" if late is None else f", 90th percentile {late:g}")

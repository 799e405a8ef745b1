"""The past over time: estimates with their intervals beside actual values, and losses by the age of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from shiftproof.plots._axis import name_places
from shiftproof.plots._style import (
    ACTUAL,
    BAD,
    CURRENT,
    ESTIMATE,
    INK,
    QUIET,
    REFERENCE,
    clean,
    floats,
    label,
    legend_above,
    own_axes,
)
from shiftproof.plots._tips import named_values, tip

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Lines of several models: colours that do not mean anything else in these charts.
_LINES = (ESTIMATE, CURRENT, REFERENCE, INK, QUIET)


def past_size(n_periods: int) -> tuple[float, float]:
    """Return the size in inches in which `past_estimates` is legible."""
    return min(max(6.5, 2.0 + 0.2 * n_periods), 10.0), 3.4


def ages_size(n_models: int) -> tuple[float, float]:
    """Return the size in inches in which `losses_by_age` is legible."""
    return 6.5, 2.8 + 0.1 * n_models


def past_estimates(
    periods: Sequence[str],
    estimates: ArrayLike,
    ends: tuple[ArrayLike, ArrayLike],
    actual: ArrayLike,
    validated: ArrayLike,
    *,
    percent: bool = True,
    ylabel: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the estimate of each period with its interval, the actual value, and the validated figure.

    Parameters
    ----------
    periods : sequence of str
        Names, in order.
    estimates, actual, validated : array-likes of shape (n,)
        What was estimated, what was true, and what cross-validation had; NaN is not drawn.
    ends : pair of array-likes
        The lower and upper ends of the intervals.
    percent : bool
        Whether values are shares.
    ylabel : str
        Beside the axes.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=past_size(len(periods)))
    places = np.arange(len(periods), dtype=float)
    middle, low, high, true, before = map(floats, (estimates, *ends, actual, validated))
    missed = (true < low - 1e-12) | (true > high + 1e-12)
    colours = [BAD if miss else ESTIMATE for miss in missed]
    ax.vlines(places, low, high, color=colours, linewidth=5.0, alpha=0.35)
    ax.hlines(before, places - 0.35, places + 0.35, color=REFERENCE, linewidth=1.6, label="validated before")
    ax.scatter(places, middle, color=colours, s=26, zorder=3)
    # The legend would show the colour of the first period, which may have been missed.
    named = {"estimate with interval": ESTIMATE} | ({"actual value outside": BAD} if missed.any() else {})
    for words, colour in named.items():
        ax.scatter([], [], color=colour, s=26, label=words)
    ax.scatter(places, true, color=ACTUAL, marker="X", s=40, zorder=4, label="actual")
    for place, name in enumerate(periods):
        values = {"estimate": middle, "from": low, "to": high, "actual": true, "validated": before}
        tip_words = named_values(name, {key: float(value[place]) for key, value in values.items()})
        tip(ax, tip_words, x=(place - 0.5, place + 0.5))
    if percent:
        ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f}%")
    ax.set_ylabel(label(ylabel, width=40), fontsize=8)
    ax.set_xlim(-0.6, max(len(periods) - 0.4, 0.6))
    ax.grid(axis="y", color=QUIET, alpha=0.25)
    name_places(ax, periods)
    legend_above(ax)
    return clean(ax)


def losses_by_age(
    losses: Mapping[str, Sequence[tuple[float, float, float, float]]],
    *,
    percent: bool = True,
    xlabel: str = "age",
    ylabel: str = "loss",
    ax: Axes | None = None,
) -> Axes:
    """Draw what models lose as they get older.

    Parameters
    ----------
    losses : mapping of str to sequence of (age, loss, low, high)
        By model.
    percent : bool
        Whether losses are of shares, which are written in percentage points.
    xlabel, ylabel : str
        Beside the axes.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=ages_size(len(losses)))
    ax.axhline(0, color=QUIET, linewidth=1.0)
    for place, (model, values) in enumerate(losses.items()):
        if not values:
            continue
        ages, middle, low, high = floats(values).T
        # Beside each other: intervals at the same place would hide each other.
        ages = ages + 0.12 * (place - (len(losses) - 1) / 2)
        style: dict[str, Any] = {"color": _LINES[place % len(_LINES)]}
        ax.plot(ages, middle, marker="o", markersize=4, linewidth=1.2, label=label(model), **style)
        ax.vlines(ages, low, high, linewidth=2.0, alpha=0.4, **style)
    oldest = max((int(values[-1][0]) for values in losses.values() if values), default=1)
    ax.set_xticks(range(1, oldest + 1))
    if percent:
        ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g}")
    ax.set_xlabel(label(xlabel, width=40), fontsize=8)
    ax.set_ylabel(label(ylabel, width=40), fontsize=8)
    legend_above(ax)
    return clean(ax)

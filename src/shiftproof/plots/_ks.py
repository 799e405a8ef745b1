"""Two distribution functions and where they are farthest apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from shiftproof.plots._axis import place, without_values
from shiftproof.plots._style import CURRENT, INK, REFERENCE, clean, label, own_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TITLE = 36


def ks_plot(
    reference: tuple[NDArray[Any], int],
    current: tuple[NDArray[Any], int],
    *,
    at: float,
    distance: float,
    title: str = "",
    scale: Literal["number", "date", "duration"] = "number",
    redact: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw two distribution functions with the Kolmogorov-Smirnov distance marked.

    Parameters
    ----------
    reference, current : pair of ndarray and int
        Order statistics at even steps from the lowest to the highest, and of how many values they are.
    at : float
        Where the two functions are farthest apart.
    distance : float
        How far that is.
    title : str
        Above the axes.
    scale : {"number", "date", "duration"}, default "number"
        What the values are; dates and durations are microseconds.
    redact : bool, default False
        Whether to leave out the numbers of the horizontal axis.
    ax : Axes, optional
        The axes to draw on.
    """
    alone = ax is None
    ax = own_axes(ax, size=(4.2, 3.0))
    sides = [_finite(*side) for side in (reference, current)]
    # One range for both sides, without their outermost values.
    ends = np.concatenate([_middle(values) for values, _ in sides])
    if len(ends):
        low, high = ends.min(), ends.max()
        at = min(max(at, low), high) if np.isfinite(at) else low
        (old, old_shares), (new, new_shares) = sides
        # All values at once: dates are converted and scaled together.
        placed = place(ax, np.concatenate([[low, at], old, new, [high]]), scale)
        split = 2 + len(old)
        _draw(ax, placed[2:split], old_shares, color=REFERENCE, label="reference")
        _draw(ax, placed[split:-1], new_shares, color=CURRENT, label="current")
        left, right = placed[0], placed[-1]
        margin = 0.03 * (right - left) if right > left else 1.0
        ax.set_xlim(left - margin, right + margin)
        if np.isfinite(distance):
            heights = [_height(*side, at) for side in sides]
            # The words are on the side with more room.
            _mark(ax, placed[1], heights, distance, flip=placed[1] - left > right - placed[1])
    ax.set_title(label(title, width=_TITLE), fontsize=9)
    ax.set_ylim(0, 1.02)
    ax.set_ylabel("share of rows up to this score", fontsize=8)
    if alone:
        ax.legend(frameon=False, loc="upper left")
    if redact:
        without_values(ax)
    return clean(ax)


def _finite(values: NDArray[Any], n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the finite order statistics and the share of values up to each."""
    count = len(values)
    # The places of the order statistics that a record keeps (`stats.step_places`).
    places = np.arange(count) if n <= count else np.arange(count) * (n - 1) // max(count - 1, 1)
    shares = (places + 1) / max(n, 1)
    finite = np.isfinite(values)
    return np.asarray(values[finite], dtype=np.float64), np.asarray(shares[finite])


def _middle(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ends of the middle 99%, which a single outlier does not stretch."""
    cut = len(values) // 200
    return values[[cut, len(values) - 1 - cut]] if len(values) else values


def _height(values: NDArray[np.float64], shares: NDArray[np.float64], value: float) -> float:
    below = int(np.searchsorted(values, value, side="right"))
    return float(shares[below - 1]) if below else 0.0


def _draw(ax: Axes, values: NDArray[Any], shares: NDArray[np.float64], **style: Any) -> None:
    """Draw a distribution function from 0 to its end, as far as the chart goes."""
    if len(values):
        steps, heights = np.concatenate([values[:1], values]), np.concatenate([[0.0], shares])
        ax.step(steps, heights, where="post", linewidth=1.8, **style)
    else:
        ax.plot([], [], **style)


def _mark(ax: Axes, where: Any, heights: list[float], distance: float, *, flip: bool) -> None:
    """Draw the distance as a line between the two functions, with its value beside it."""
    low, high = sorted(heights)
    ax.plot([where, where], [low, high], color=INK, linewidth=1.6, marker="_", markersize=9)
    ax.annotate(
        f"D = {distance:.2f}",
        (where, (low + high) / 2),
        xytext=(-7 if flip else 7, 0),
        textcoords="offset points",
        ha="right" if flip else "left",
        va="center",
        color=INK,
        fontsize=8,
    )

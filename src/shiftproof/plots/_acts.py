"""The demo's chart: in each row what cross-validation estimates, the interval for new data, and what is true."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof.core import percent
from shiftproof.plots._intervals import draw_intervals
from shiftproof.plots._style import ACTUAL, ESTIMATE, INK, QUIET, clean, legend_above, own_axes
from shiftproof.plots._tips import tip

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

_MARGIN = 0.05
_SMALL: dict[str, Any] = {"textcoords": "offset points", "fontsize": 8, "va": "center"}


@dataclass(frozen=True, kw_only=True)
class ActRow:
    """One row of the chart.

    Parameters
    ----------
    title, about : str
        What the row shows, and on which data.
    validated, low, high, actual : float
        Cross-validation's estimate, the ends of the interval for the new data (NaN without an estimate), and the
        actual accuracy.
    baseline : float
        The accuracy of always answering "no", the most frequent class of the labelled data.
    """

    title: str
    about: str
    validated: float
    low: float
    high: float
    actual: float
    baseline: float

    @property
    def refused(self) -> bool:
        """Whether there is no interval."""
        return math.isnan(self.low)

    @property
    def interval(self) -> str:
        """The interval in words."""
        return "no estimate" if self.refused else f"{percent(self.low)} to {percent(self.high)}"

    @property
    def words(self) -> str:
        """The row as a sentence, for those who cannot see it."""
        parts = (
            f"cross-validation estimates {percent(self.validated)}",
            "no estimate for the new data" if self.refused else f"estimate for the new data {self.interval}",
            f"actual accuracy {percent(self.actual)}",
            f'always answering "no" {percent(self.baseline)}',
        )
        return f"{self.title} ({self.about}): {', '.join(parts)}."


def acts_size(n_rows: int) -> tuple[float, float]:
    """Return the size in inches in which `acts_chart` is legible."""
    return 7.4, 1.1 + 0.68 * n_rows


def acts_words(rows: Iterable[ActRow]) -> str:
    """Return what `acts_chart` shows, as its alternative text."""
    return " ".join(row.words for row in rows)


def acts_chart(rows: Sequence[ActRow], *, ax: Axes | None = None) -> Axes:
    """Draw cross-validation's estimate, the interval, the actual accuracy and the baseline of each row.

    Parameters
    ----------
    rows : sequence of ActRow
        The first is drawn on top.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=acts_size(len(rows)))
    heights = np.arange(len(rows), dtype=float)
    validated, low, high, actual, baseline = np.transpose(
        [(row.validated, row.low, row.high, row.actual, row.baseline) for row in rows]
    )
    draw_intervals(ax, heights, (low, (low + high) / 2, high), color=ESTIMATE, width=7, size=0)
    ax.vlines(baseline, heights - 0.13, heights + 0.13, color=QUIET, linewidth=2)
    ax.scatter(validated, heights, marker="D", s=44, facecolors="none", edgecolors=INK, linewidths=1.5, zorder=4)
    # On top of the bar, in which the actual value should lie.
    ax.scatter(actual, heights, marker="X", s=70, color=ACTUAL, edgecolors="#ffffff", linewidths=0.8, zorder=5)
    for height, row in enumerate(rows):
        _write_words(ax, height, row)
        tip(ax, row.words, y=(height - 0.5, height + 0.5))
    ax.set_yticks(heights, [""] * len(rows))
    values = np.concatenate([validated, low, high, actual, baseline])
    ax.set_xlim(np.nanmin(values) - _MARGIN, np.nanmax(values) + _MARGIN)
    # Turned over, so that the first row is on top.
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    ax.set_xlabel("accuracy", fontsize=8)
    ax.grid(axis="x", color=QUIET, alpha=0.25)
    ax.set_axisbelow(True)
    legend_above(ax, ncols=4, handles=_legend())
    return clean(ax)


def _write_words(ax: Axes, height: float, row: ActRow) -> None:
    """Write what a row is about beside the axis, and its figures above and below its marks."""
    left: dict[str, Any] = {"xycoords": ax.get_yaxis_transform(), "annotation_clip": False, "ha": "right", **_SMALL}
    ax.annotate(row.title, (0.0, height), (-9, 6), color=INK, fontweight="bold", **left)
    ax.annotate(row.about, (0.0, height), (-9, -6), color=INK, **left)
    ax.annotate(percent(row.validated), (row.validated, height), (0, 13), color=INK, ha="center", **_SMALL)
    place = row.actual if row.refused else (row.low + row.high) / 2
    colour = INK if row.refused else ESTIMATE
    ax.annotate(row.interval, (place, height), (0, 13), color=colour, ha="center", fontweight="bold", **_SMALL)
    ax.annotate(percent(row.actual), (row.actual, height), (0, -14), color=ACTUAL, ha="center", **_SMALL)
    # To the right of the actual value, where there is room even if the two nearly coincide.
    beside = f'always "no": {percent(row.baseline)}'
    ax.annotate(beside, (row.actual, height), (20, -14), color=INK, ha="left", **_SMALL)


def _legend() -> list[Artist]:
    from matplotlib.lines import Line2D

    def mark(name: str, colour: str, **how: Any) -> Artist:
        return Line2D([], [], color=colour, label=name, **{"linewidth": 0, **how})

    return [
        mark("cross-validation", INK, marker="D", markersize=6, markerfacecolor="none", markeredgewidth=1.5),
        mark("estimate, as an interval", ESTIMATE, linewidth=7),
        mark("actual", ACTUAL, marker="X", markersize=8, markeredgewidth=0),
        mark('always "no"', QUIET, marker="|", markersize=11, markeredgewidth=2),
    ]

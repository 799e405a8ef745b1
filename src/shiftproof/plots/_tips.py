"""Tooltips: words that appear where a pointer rests on a chart of a page."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from shiftproof.plots._style import cut, drawable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Axes keep their own tips: both have one lifetime and are pickled together.
_KEY = "_shiftproof_tips"
# The most characters that a reader takes in beside a pointer.
_LONGEST = 500
Ends = tuple[float, float] | None


@dataclass(frozen=True)
class _Tip:
    words: str
    x: Ends
    y: Ends


def tip(ax: Axes, words: str, *, x: Ends = None, y: Ends = None) -> None:
    """Add a tooltip to a chart.

    The place is stored in units of the data and computed when the figure is written, so a mark may be thinner than
    the area the pointer must hit, and files other than pages are not affected.

    Parameters
    ----------
    ax : Axes
        Where.
    words : str
        The text.
    x, y : pair of float, optional
        The two ends, in units of the data; by default those of the axes.
    """
    vars(ax).setdefault(_KEY, []).append(_Tip(words, x, y))


def named_values(name: object, values: Mapping[str, float]) -> str:
    """Write the numbers of one row; NaN is left out.

    Examples
    --------
    >>> named_values("tree", {"estimate": 0.81234, "from": 0.8, "actual": float("nan")})
    'tree: estimate 0.812, from 0.8'
    """
    known = [f"{what} {_figures(value)}" for what, value in values.items() if not math.isnan(value)]
    return f"{name}: {', '.join(known)}" if known else str(name)


def _figures(value: float) -> str:
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e9 else f"{value:.3g}"


def tips_svg(figure: Figure) -> str:
    """Return transparent places with titles, to append to the SVG of a figure that was just written."""
    written = [_placed(figure, ax, hint) for ax in figure.axes if ax.get_visible() for hint in vars(ax).get(_KEY, ())]
    places = "\n".join(filter(None, written))
    return f'<g fill="none" pointer-events="all">\n{places}\n</g>\n' if places else ""


def _placed(figure: Figure, ax: Axes, hint: _Tip) -> str:
    """Return one place, in points from the upper left corner; nothing where it is outside of the axes."""
    frame = ax.get_window_extent()
    corners = ax.transData.transform(np.column_stack([hint.x or ax.get_xlim(), hint.y or ax.get_ylim()]))
    left, right = np.clip(np.sort(corners[:, 0]), frame.x0, frame.x1)
    low, high = np.clip(np.sort(corners[:, 1]), frame.y0, frame.y1)
    if not right > left or not high > low:
        return ""
    points, top = 72.0 / figure.dpi, figure.bbox.height
    x, y, width, height = (points * float(value) for value in (left, top - high, right - left, high - low))
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f"<rect {place}><title>{escape(cut(drawable(hint.words), _LONGEST), quote=False)}</title></rect>"

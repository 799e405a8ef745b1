"""Figures as files and as SVG for a page: the same bytes for the same numbers."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def svg(figure: Figure | Axes, *, name: str) -> str:
    """Return a figure as one ``<svg>`` element with text as text, fixed ids and no date.

    Parameters
    ----------
    figure : Figure or Axes
        What to write.
    name : str
        Makes ids unique on a page that holds several figures.
    """
    import matplotlib as mpl

    target = _figure(figure)
    buffer = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": name, "font.family": "sans-serif"}):
        target.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    # ids such as figure_1 or axes_1 repeat between figures of one page
    return re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", text)


def save_figure(figure: Figure | Axes, path: str | Path) -> Path:
    """Write a figure; the ending of the path says how (svg, png, pdf)."""
    import matplotlib as mpl

    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context({"svg.hashsalt": "shiftproof"}):
        _figure(figure).savefig(target, dpi=150, metadata={"Date": None} if target.suffix == ".svg" else None)
    return target


def _figure(figure: Figure | Axes) -> Figure:
    from matplotlib.axes import Axes

    if isinstance(figure, Axes):
        root = figure.get_figure(root=True)
        if root is None:
            raise ValueError("the axes belong to no figure")
        return root
    return figure

"""Figures as files and as SVG for a page: the same bytes for the same numbers."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from shiftproof.core import fault
from shiftproof.plots._style import own_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_TAG = re.compile("<[^<>]*>")
_ID = re.compile(r'(\bid="|url\(#|href="#)')
# A date would make two files of the same numbers differ.
_UNDATED = {".svg": {"Date": None}, ".svgz": {"Date": None}, ".pdf": {"CreationDate": None}}


def drawn_svg(draw: Callable[..., Axes], size: tuple[float, float], name: str) -> str:
    """Draw on axes of a new figure of this size, and return it as `svg` does."""
    figure = own_figure(size=size)
    draw(ax=figure.subplots())
    return svg(figure, name=name)


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
    with (
        mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": name, "font.family": "sans-serif"}),
        _without_glyph_warnings(),
    ):
        target.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    # ids such as figure_1 or axes_1 repeat between figures of one page; what stands between tags is the user's text
    return _TAG.sub(lambda tag: _ID.sub(rf"\g<1>{name}-", tag.group()), text)


def save_figure(figure: Figure | Axes, path: str | Path) -> Path:
    """Write a figure; the ending of the path says how (svg, png, pdf)."""
    import matplotlib as mpl

    target, drawn = Path(path), _figure(figure)
    ending = target.suffix.lower()
    if ending[1:] not in drawn.canvas.get_supported_filetypes():
        raise fault("path", "end as a picture does", str(target), "write .svg, .png or .pdf")
    target.parent.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context({"svg.hashsalt": "shiftproof"}), _without_glyph_warnings():
        drawn.savefig(target, dpi=150, metadata=_UNDATED.get(ending))
    return target


@contextmanager
def _without_glyph_warnings() -> Iterator[None]:
    """Let names in any script pass: a browser has the font, and a picture shows a box."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .* missing from", category=UserWarning)
        yield


def _figure(figure: Figure | Axes) -> Figure:
    from matplotlib.axes import Axes
    from matplotlib.figure import FigureBase

    # Axes, and parts of a figure, stand for the whole; axes that were removed have none.
    held = figure.figure if isinstance(figure, (Axes, FigureBase)) else None
    if held is None:
        raise fault("figure", "be a figure, or axes that belong to one", figure, "draw it again")
    return held.figure

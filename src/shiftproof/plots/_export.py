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
from shiftproof.plots._tips import tips_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_TAG = re.compile("<[^<>]*>")
_ID = re.compile(r'(\bid="|url\(#|href="#)')
_STYLE = re.compile(r' style="([^"]*)"')
_SHEET = re.compile(r"<defs>\s*<style[^>]*>[^<]*</style>\s*</defs>\s*")
# Hundredths of a point are exact enough and take a third of the size.
_DECIMALS = re.compile(r"(\.\d\d)\d+")
# Line breaks inside tags, and rotations by 0.
_NOTHING = re.compile(r' ?\n| transform="rotate\(-?0 [^"]*"')
# The rules of the style sheet that is removed, as attributes.
_ROOT = '<svg stroke-linejoin="round" stroke-linecap="butt" font-family="sans-serif" '
# A date would make two files of the same numbers differ.
_METADATA = ("Date", "Creator", "Format", "Type")
_UNDATED = {".svg": {"Date": None}, ".svgz": {"Date": None}, ".pdf": {"CreationDate": None}}


def drawn_svg(draw: Callable[..., Axes], size: tuple[float, float], name: str) -> str:
    """Draw on axes of a new figure of this size, and return it as `svg` does."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    # `savefig` first draws a draft of a figure with a layout engine: a quarter of the time. Laying out the finished
    # chart once, at the 72 dots per inch of an SVG, gives the same bytes.
    figure = Figure(figsize=size, dpi=72)
    FigureCanvasSVG(figure)
    draw(ax=figure.subplots())
    with _without_glyph_warnings():
        ConstrainedLayoutEngine().execute(figure)
    return svg(figure, name=name)


def svg(figure: Figure | Axes, *, name: str) -> str:
    """Return a figure as one ``<svg>`` element with text as text, fixed ids and no date.

    It has attributes instead of styles, so a page can forbid foreign styles. Words given by `tip` become ``<title>``
    elements.

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
        target.savefig(buffer, format="svg", metadata=dict.fromkeys(_METADATA), transparent=True)
    text = buffer.getvalue()
    text = _SHEET.sub("", text[text.index("<svg") :], count=1).replace("<svg ", _ROOT, 1)
    # Everything between tags is the user's text.
    text = _TAG.sub(lambda tag: _plain(tag.group(), name), text)
    return text.removesuffix("</svg>\n") + tips_svg(target) + "</svg>\n"


def save_figure(figure: Figure | Axes, path: str | Path) -> Path:
    """Write a figure in the format of the path's ending (svg, png, pdf)."""
    import matplotlib as mpl

    target, drawn = Path(path), _figure(figure)
    ending = target.suffix.lower()
    if ending[1:] not in drawn.canvas.get_supported_filetypes():
        raise fault("path", "have a picture's extension", str(target), "write .svg, .png or .pdf")
    target.parent.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context({"svg.hashsalt": "shiftproof"}), _without_glyph_warnings():
        drawn.savefig(target, dpi=150, metadata=_UNDATED.get(ending))
    return target


def _plain(tag: str, name: str) -> str:
    """Write a tag with attributes for styles, ids that no other figure of the page has, and short numbers."""
    tag = _STYLE.sub(lambda match: "".join(_attributes(match[1])), tag)
    # ids such as figure_1 or axes_1 repeat between figures of one page
    return _NOTHING.sub("", _DECIMALS.sub(r"\1", _ID.sub(rf"\g<1>{name}-", tag)))


def _attributes(style: str) -> Iterator[str]:
    """Yield a style as attributes; the family of fonts is the page's."""
    for declaration in filter(None, map(str.strip, style.split(";"))):
        what, value = map(str.strip, declaration.split(":", 1))
        if what == "font":  # size and weight come before the family
            size, weight = re.search(r"([\d.]+px)", value), re.match(r"(?:\w+ )*?(bold|[1-9]00)\b", value)
            yield f' font-size="{size[1]}"' if size else ""
            yield f' font-weight="{weight[1]}"' if weight else ""
        elif what != "font-family":
            yield f' {what}="{value}"'


@contextmanager
def _without_glyph_warnings() -> Iterator[None]:
    """Let names in any script pass: a browser has the font, and a picture shows a box."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .* missing from", category=UserWarning)
        yield


def _figure(figure: Figure | Axes) -> Figure:
    from matplotlib.axes import Axes
    from matplotlib.figure import FigureBase

    # For axes and subfigures use the whole figure; axes that were removed have none.
    owner = figure.figure if isinstance(figure, (Axes, FigureBase)) else None
    if owner is None:
        raise fault("figure", "be a figure, or axes that belong to one", figure, "draw it again")
    return owner.figure

"""One look for all charts, set on the objects drawn and never globally."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Old against new, and the marks beside them. Reports map these to colours of the page's theme.
REFERENCE = "#33658a"
CURRENT = "#d1603d"
QUIET = "#9aa5ad"
INK = "#1f2a33"

# What XML cannot hold and no font can draw: control characters, halves of surrogate pairs, non-characters.
_UNDRAWABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def own_axes(ax: Axes | None, *, size: tuple[float, float]) -> Axes:
    """Return `ax`, or fresh axes that a notebook will show."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=size, layout="constrained")[1]


def own_figure(*, size: tuple[float, float]) -> Figure:
    """Return a figure that needs no display and is known to no global state."""
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained")


def clean(ax: Axes) -> Axes:
    """Take away the ink that carries no data."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(QUIET)
    ax.tick_params(colors=INK, labelsize=8)
    ax.xaxis.label.set_color(INK)
    ax.yaxis.label.set_color(INK)
    ax.title.set_color(INK)
    return ax


def label(value: Any, *, width: int = 28) -> str:
    r"""Write a name that fits beside an axis; dollar signs are text, not formulas.

    Examples
    --------
    >>> print(label("price in $"), label("free  text\n" * 9), label("bell\a"))
    price in \$ free text free text free te… bell�
    """
    text = _UNDRAWABLE.sub("\N{REPLACEMENT CHARACTER}", " ".join(str(value).split()))
    text = text if len(text) <= width else text[: width - 1] + "…"
    return text.replace("$", r"\$")

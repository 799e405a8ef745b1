"""One look for all charts, set on the objects drawn and never globally."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

#: One meaning per colour, which reports map to the page's theme: labelled data, new data, what is estimated for the new
#: data, actual values, what is bad, needs care, and is hardly either; then marks beside them, and words.
REFERENCE = "#33658a"
CURRENT = "#c96f12"
ESTIMATE = "#7446a8"
ACTUAL = "#101418"
BAD = "#b3372a"
CARE = "#96660a"
MILD = "#6b7780"
QUIET = "#9aa5ad"
INK = "#1f2a33"
# One digit off the colours above: themes replace those, and must not change cells with numbers on them.
REFERENCE_CELL = "#33658b"
CURRENT_CELL = "#d1613e"
ESTIMATE_CELL = "#7446a9"
# Ramps for the cells of a matrix: one hue from low to high; two hues from worse over even to better; and the same for
# estimated probabilities. Differences show as dark and light, so people who confuse the hues, and black-and-white
# print, keep them.
RAMP = ("#f3f6f8", "#8fb0c9", REFERENCE_CELL, "#173a54")
RAMP_FROM_EVEN = ("#a8431f", CURRENT_CELL, "#f6f5f2", REFERENCE_CELL, "#173a54")
RAMP_OF_CHANCES = ("#3d454c", "#77828b", "#f6f5f2", ESTIMATE_CELL, "#43246b")
# Numbers on light and on dark cells. Not the theme's ink, because the cells are not the theme's either.
ON_LIGHT, ON_DARK = "#16202a", "#ffffff"

# What XML cannot hold and no font can draw: control characters, halves of surrogate pairs, non-characters.
_UNDRAWABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def colour_map(ramp: Sequence[str]) -> Colormap:
    """Return a colour map that passes through the colours of a ramp."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("ramp", ramp)


def floats(values: ArrayLike) -> NDArray[np.float64]:
    """Return values as floats; NaN is not drawn."""
    return np.asarray(values, dtype=np.float64)


def own_axes(ax: Axes | None, *, size: tuple[float, float]) -> Axes:
    """Return `ax`, or fresh axes that a notebook will show."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=size, layout="constrained")[1]


def own_figure(*, size: tuple[float, float]) -> Figure:
    """Return a figure that needs no display and that pyplot does not keep."""
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained")


def axes_below(ax: Axes, *, height: float = 0.5) -> Axes:
    """Split the place of a chart and return axes below it, `height` times as high."""
    place = ax.get_subplotspec()
    if place is None:  # the user placed these axes by hand: do not move them
        return ax.inset_axes((0.0, -0.13 - 0.84 * height, 1.0, 0.84 * height))
    grid = place.subgridspec(2, 1, height_ratios=[1.0, height])
    ax.set_subplotspec(grid[0])
    return ax.figure.add_subplot(grid[1])


def legend_above(ax: Axes, *, ncols: int = 3, **what: Any) -> None:
    """Explain the marks above the axes, outside the data; nothing if there are none."""
    if not what and not ax.get_legend_handles_labels()[0]:
        return
    place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (-0.02, 1.0), "ncols": ncols}
    ax.legend(**place, **what, fontsize=8, frameon=False, labelcolor=INK)


def clean(ax: Axes) -> Axes:
    """Remove the lines of a chart that show no data."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(QUIET)
    ax.tick_params(colors=INK, labelsize=8)
    for axis in (ax.xaxis, ax.yaxis):
        axis.get_offset_text().set(size=8, color=INK)
    ax.xaxis.label.set_color(INK)
    ax.yaxis.label.set_color(INK)
    ax.title.set_color(INK)
    return ax


def label(value: object, *, width: int = 28) -> str:
    r"""Return a name that fits beside an axis, cut in the middle; dollar signs are text, not formulas.

    Examples
    --------
    >>> print(label("price in $"), label("free  text\n" * 9), label("bell\a"))
    price in \$ free text free…ext free text bell�
    """
    return _as_text(cut(drawable(value), width))


def labels(values: Iterable[Any], *, width: int = 28) -> list[str]:
    """Return names for one axis, shortened, but never two different names as the same text.

    Examples
    --------
    >>> labels(["a very long city name: Oslo, in the north", "a very long city name: Rome, in the north"], width=16)
    ['…e: Oslo…e north', '…e: Rome…e north']
    """
    texts = [drawable(value) for value in values]
    short = _distinguished(texts, [cut(text, width) for text in texts], width)
    return [_as_text(text) for text in short]


def _distinguished(texts: list[str], short: list[str], width: int) -> list[str]:
    """Show where names that were cut to the same text begin to differ; number those that are still the same."""
    shown = list(short)
    for same in _clashes(texts, short):
        names = [texts[place] for place in same]
        by_character = enumerate(zip(*names, strict=False))
        begin = next((place for place, characters in by_character if len({*characters}) > 1), min(map(len, names)))
        for place in same:
            shown[place] = cut("…" + texts[place][max(begin - 3, 0) :], width)
    alike = [place for same in _clashes(texts, shown) for place in same]
    numbers = {text: number for number, text in enumerate(dict.fromkeys(texts[place] for place in alike), 1)}
    for place in alike:
        end = f" ({numbers[texts[place]]})"
        shown[place] = cut(texts[place], width - len(end)) + end
    return shown


def _clashes(texts: list[str], cut: list[str]) -> list[list[int]]:
    """Return the places of different texts that were cut to the same."""
    by_text: dict[str, list[int]] = {}
    for place, short in enumerate(cut):
        by_text.setdefault(short, []).append(place)
    return [same for same in by_text.values() if len({texts[place] for place in same}) > 1]


def drawable(value: object) -> str:
    """Return a name on one line, without characters that cannot be drawn."""
    return _UNDRAWABLE.sub("\N{REPLACEMENT CHARACTER}", " ".join(str(value).split()))


def cut(text: str, width: int) -> str:
    """Cut in the middle: names of one family differ at their ends."""
    kept = width - 1
    return text if len(text) <= width else f"{text[: kept - kept // 2]}…{text[len(text) - kept // 2 :]}"


def _as_text(text: str) -> str:
    return text.replace("$", r"\$")

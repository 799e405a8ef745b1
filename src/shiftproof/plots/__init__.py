"""What does it look like? Arrays in, Axes out; nothing here computes a statistic."""

from shiftproof.plots._effects import effect_bars
from shiftproof.plots._export import save_figure, svg
from shiftproof.plots._pairs import category_pair, histogram_pair, small_multiples
from shiftproof.plots._style import CURRENT, INK, QUIET, REFERENCE, own_axes, own_figure

__all__ = [
    "CURRENT",
    "INK",
    "QUIET",
    "REFERENCE",
    "category_pair",
    "effect_bars",
    "histogram_pair",
    "own_axes",
    "own_figure",
    "save_figure",
    "small_multiples",
    "svg",
]

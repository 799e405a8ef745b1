"""A picture as small as a word: one feature, old against new, in the cell of a table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shiftproof.plots._style import CURRENT, REFERENCE

_WIDTH, _HEIGHT = 96, 24
# The line is so thick that it would be cut at the border.
_MARGIN = 1


def sparkline(reference_counts: ArrayLike, current_counts: ArrayLike) -> str:
    """Draw two histograms over the same bins as an SVG of a few hundred bytes, the reference filled, the new a line.

    Parameters
    ----------
    reference_counts, current_counts : array-like of shape (bins,)
        Counts of each table; each is drawn as shares of its sum.

    Returns
    -------
    str
        One ``<svg>`` element, hidden from screen readers: describe it in the text beside it. Its colours are those of
        the page's theme, or of our charts if there is none.

    Examples
    --------
    >>> sparkline([1, 3], [3, 1]).count("<path")
    2
    """
    old, new = _shares_of_counts(reference_counts), _shares_of_counts(current_counts)
    highest = max(float(old.max(initial=0.0)), float(new.max(initial=0.0))) or 1.0
    filled, line = (_steps(side / highest) for side in (old, new))
    return (
        f'<svg class="spark" width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}" aria-hidden="true">'
        f'<path fill="var(--reference,{REFERENCE})" fill-opacity=".45" d="{filled}z"/>'
        f'<path fill="none" stroke="var(--current,{CURRENT})" stroke-width="1.5" d="{line}"/></svg>'
    )


def _shares_of_counts(counts: ArrayLike) -> NDArray[np.float64]:
    values: NDArray[Any] = np.asarray(counts, dtype=np.float64)
    return values / (float(values.sum()) or 1.0)


def _steps(heights: NDArray[np.float64]) -> str:
    """Return the outline of a histogram, in whole points across and half points up."""
    floor = _HEIGHT - _MARGIN
    rights = np.rint(_WIDTH * np.arange(1, len(heights) + 1) / max(len(heights), 1)).astype(int).tolist()
    tops = (np.rint(2 * (floor - (floor - _MARGIN) * heights)) / 2).tolist()
    parts, before = [f"M0 {floor}"], float(floor)
    for bin_number, (right, top) in enumerate(zip(rights, tops, strict=True)):
        if top != before:
            parts.append(f"V{top:g}")
            before = top
        # One stroke across all bins of one height.
        if bin_number + 1 == len(tops) or tops[bin_number + 1] != top:
            parts.append(f"H{right}")
    return "".join([*parts, f"V{floor}"])

"""Pictures of the changes that the sources draw, made with the functions that inject them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shiftproof.core import Codes, Floats
from shiftproof.simulation import joint_selection, mar, offset, prior_shift

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ROWS, _SHOWN, _BINS = 6000, 400, 24
#: A bin with fewer rows has no share worth drawing.
_FEWEST = 20


@dataclass(frozen=True, eq=False)
class PicturedShift:
    """Rows after a change.

    Parameters
    ----------
    name : str
        What changed.
    X : array of shape (n, 2)
        Two features, of which the first decides who is lost or moved.
    y : array of shape (n,)
        0 or 1.
    """

    name: str
    X: Floats
    y: Codes


def pictured_shifts() -> list[PicturedShift]:
    """Return rows of two classes as they were, and after each of four changes."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=_ROWS)
    X = rng.normal(size=(_ROWS, 2)) + np.where(y == 1, 1.0, -1.0)[:, None]
    lost, left = mar(X, 0, 0.25)
    priors, drawn = prior_shift(X, y, 1, 0.8)
    both, kept = joint_selection(X, y, 0, 1, floor=0.0, tail="high")
    return [
        PicturedShift("as it was", X, y),
        PicturedShift("feature bias: highest quarter lost", lost, y[left]),
        PicturedShift("class bias: 80% positives", priors, y[drawn]),
        PicturedShift("bias by feature and class", both, y[kept]),
        PicturedShift("first feature moved by 1 sd", offset(X, 0, 1.0)[0], y),
    ]


def shares_by_bin(shift: PicturedShift, edges: Floats) -> Floats:
    """Return the share of positives in each bin of the first feature; NaN where there are too few rows."""
    rows = np.histogram(shift.X[:, 0], edges)[0]
    positives = np.histogram(shift.X[shift.y == 1, 0], edges)[0]
    return np.asarray(np.divide(positives, rows, out=np.full(len(rows), np.nan), where=rows >= _FEWEST))


def draw_shifts() -> Figure:
    """Draw each change as rows, as counts of the first feature by class, and as P(y|x) beside what it was."""
    from shiftproof.plots import own_figure

    shifts = pictured_shifts()
    ends = [end for shift in shifts for end in (shift.X[:, 0].min(), shift.X[:, 0].max())]
    edges = np.linspace(min(ends), max(ends), _BINS + 1)
    figure = own_figure(size=(3.0 * len(shifts), 7.5))
    axes = figure.subplots(3, len(shifts), sharex=True, sharey="row")
    for place, shift in enumerate(shifts):
        axes[0, place].set_title(shift.name, fontsize="small")
        _draw_rows(axes[0, place], shift)
        _draw_counts(axes[1, place], shift, edges)
        _draw_shares(axes[2, place], shares_by_bin(shifts[0], edges), shares_by_bin(shift, edges), edges)
        axes[2, place].set_xlabel("first feature")
    for ax, label in zip(axes[:, 0], ("second feature", "rows", "share of positives"), strict=True):
        ax.set_ylabel(label)
    for ax in axes[:, 0]:
        ax.legend(fontsize="x-small")
    return figure


def _draw_rows(ax: Axes, shift: PicturedShift) -> None:
    from shiftproof.plots import CURRENT, REFERENCE

    # The rows are in random order, so that the first of them are a sample.
    X, y = shift.X[:_SHOWN], shift.y[:_SHOWN]
    for code, colour, mark in ((0, REFERENCE, "o"), (1, CURRENT, "+")):
        ax.scatter(
            X[y == code, 0], X[y == code, 1], s=12, color=colour, marker=mark, linewidths=0.8, label=f"class {code}"
        )


def _draw_counts(ax: Axes, shift: PicturedShift, edges: Floats) -> None:
    from shiftproof.plots import CURRENT, INK, REFERENCE

    for code, colour in ((0, REFERENCE), (1, CURRENT)):
        ax.stairs(np.histogram(shift.X[shift.y == code, 0], edges)[0], edges, color=colour, label=f"class {code}")
    ax.stairs(np.histogram(shift.X[:, 0], edges)[0], edges, color=INK, linestyle=":", label="both")


def _draw_shares(ax: Axes, before: Floats, after: Floats, edges: Floats) -> None:
    from shiftproof.plots import CURRENT, QUIET

    middles = (edges[:-1] + edges[1:]) / 2
    ax.plot(middles, before, color=QUIET, linewidth=3.0, label="P(y|x) as it was")
    ax.plot(middles, after, color=CURRENT, label="P(y|x) now")

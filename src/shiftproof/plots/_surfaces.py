"""Losses over both types of error, and why counting needs care: lines, thresholds, scaling, trends."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Floats
from shiftproof.plots._curves import PALETTE, Band
from shiftproof.plots._style import (
    CURRENT,
    INK,
    QUIET,
    RAMP,
    REFERENCE,
    clean,
    colour_map,
    label,
    labels,
    legend_above,
    own_axes,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Bands so dark that lines and numbers on them are drawn light.
_DARK = 0.5
_BANDS = 8
# If half of the values are this much nearer to the best than the worst is, even steps would show one band only.
_CROWDED = 0.15
_TITLE = 36


def loss_surface(
    fp: Floats,
    fn: Floats,
    values: Floats,
    *,
    best: float,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw a loss over false positives and false negatives, darker where it is better.

    Parameters
    ----------
    fp, fn : ndarray of shape (n_fp,) and (n_fn,)
        The numbers of errors along both axes, from 0.
    values : ndarray of shape (n_fn, n_fp)
        The loss of each pair.
    best : float
        The value of a classifier without errors; the nearer to it, the darker.
    title : str
        Above the axes.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    alone = ax is None
    ax = own_axes(ax, size=(4.4, 4.2))
    shades = colour_map(RAMP[::-1])  # dark where it is best
    levels = _levels(values, best)
    if len(levels) > 2:
        # darkness follows the order of the bands, not their values: small losses must also be distinguishable
        far = np.unique(np.abs((levels[1:] + levels[:-1]) / 2 - best).round(12), return_inverse=True)[1]
        depth = far / far.max()
        ax.contourf(fp, fn, values, levels=levels, colors=shades(depth))
        ink = ["white" if min(pair) < _DARK else INK for pair in pairwise(depth.tolist())]
        lines = ax.contour(fp, fn, values, levels=levels[1:-1], colors=ink, linewidths=0.6)
        ax.clabel(lines, fmt="%g", fontsize=7)
    else:
        ax.set_facecolor(shades(0.0))
    even = min(fp[-1], fn[-1])
    ax.plot(
        [0, even], [0, even], color=CURRENT, linewidth=1.2, linestyle="--", label="errors cancel: the count is right"
    )
    if alone:
        legend_above(ax, ncols=2, borderaxespad=0.2)
    ax.set_xlim(fp[0], fp[-1])
    ax.set_ylim(fn[0], fn[-1])
    ax.locator_params(nbins=5)
    ax.set_xlabel("false positives", fontsize=8)
    ax.set_ylabel("false negatives", fontsize=8)
    ax.set_title(label(title, width=_TITLE), fontsize=9, pad=20 if alone else 4)
    return clean(ax)


def rule_lines(
    X: Floats,
    y: NDArray[np.bool_],
    names: Sequence[str],
    directions: Floats,
    offsets: Floats,
    *,
    features: tuple[str, str] = ("", ""),
    ax: Axes | None = None,
) -> Axes:
    """Draw rows of two classes, with lines whose arrows point to the side that is called positive.

    Parameters
    ----------
    X : ndarray of shape (n, 2)
        The rows.
    y : ndarray of bool of shape (n,)
        Which are positive.
    names : sequence of str
        Of the lines.
    directions, offsets : ndarray of shape (n_lines, 2) and (n_lines,)
        A line calls a row x positive where ``direction @ x > offset``.
    features : pair of str
        Beside the axes.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=(5.0, 4.0))
    ax.scatter(X[~y, 0], X[~y, 1], s=22, facecolors="none", edgecolors=REFERENCE, linewidths=1.0, label="negative")
    ax.scatter(X[y, 0], X[y, 1], s=22, color=CURRENT, marker="x", linewidths=1.2, label="positive")
    low, high = X.min(axis=0), X.max(axis=0)
    width = np.where(high > low, high - low, 1.0)
    ax.set_xlim(low[0] - 0.08 * width[0], high[0] + 0.08 * width[0])
    ax.set_ylim(low[1] - 0.08 * width[1], high[1] + 0.08 * width[1])
    looks = zip(labels(names, width=44), directions, offsets, ("-", "--", "-.", ":") * len(names), strict=False)
    for name, way, offset, style in looks:
        _rule(ax, way, float(offset), centre=(low + high) / 2, name=name, style=style)
    ax.set_xlabel(label(features[0]), fontsize=8)
    ax.set_ylabel(label(features[1]), fontsize=8)
    legend_above(ax, ncols=2, borderaxespad=0.2)
    return clean(ax)


def policy_lines(
    thresholds: Floats,
    tpr: Floats,
    fpr: Floats,
    policies: Mapping[str, float],
    *,
    default: float,
    ax: Axes | None = None,
) -> Axes:
    """Draw fpr and 1 - tpr over the threshold, and where the policies cut.

    Parameters
    ----------
    thresholds, tpr, fpr : ndarray of shape (n,)
        The rates of calling positive what scores at least the threshold.
    policies : mapping of str to float
        The thresholds to mark, by name.
    default : float
        The classifier's own threshold, marked as well.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=(5.6, 3.6))
    ax.step(thresholds, fpr, where="pre", color=REFERENCE, linewidth=1.6, label="fpr (negatives called positive)")
    ax.step(thresholds, 1 - tpr, where="pre", color=CURRENT, linewidth=1.6, label="1 - tpr (positives missed)")
    marks = [*policies.items(), ("default", default)]
    for _, cut in marks[:-1]:
        ax.axvline(cut, color=INK, linewidth=1.0, linestyle="--")
    ax.axvline(default, color=QUIET, linewidth=1.0, linestyle=":")
    _name_above(ax, marks)
    ax.set_ylim(-0.01, 1.02)
    ax.set_xlabel("threshold of the score", fontsize=8)
    ax.set_ylabel("rate", fontsize=8)
    # both upper corners have a curve, and the names of the policies are above
    ax.legend(fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(0.0, -0.14), ncols=2, labelcolor=INK)
    return clean(ax)


def scaling_lines(estimated: Floats, scaled: Floats, *, limits: tuple[float, float], ax: Axes | None = None) -> Axes:
    """Draw estimates on an upper line, their scaled values on a lower one, and the limits of the scaling.

    Parameters
    ----------
    estimated, scaled : ndarray of shape (n,)
        Before and after.
    limits : pair of float
        What becomes 0 and what becomes 1.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=(5.6, 2.4))
    for height in (0.0, 1.0):
        ax.plot([0, 1], [height, height], color=QUIET, linewidth=1.2)
    for before, after in zip(limits, (0.0, 1.0), strict=True):
        ax.plot([before, after], [1, 0], color=INK, linewidth=1.0, linestyle="--", marker="|", markersize=9)
        _number(ax, before, 1.0, INK)
        _number(ax, after, 0.0, INK)
    for before, after in zip(estimated, scaled, strict=True):
        ax.plot([before, after], [1, 0], color=REFERENCE, linewidth=1.4, marker="o", markersize=4)
        _number(ax, before, 1.0, REFERENCE)
        _number(ax, after, 0.0, REFERENCE)
    ax.set_xlim(-0.05, 1.05)
    ax.set_ylim(-0.4, 1.4)
    ax.set_yticks([1.0, 0.0], ["estimated", "scaled"])
    ax.set_xlabel("prevalence of the positive class", fontsize=8)
    return clean(ax)


def trend_lines(
    true: Floats, estimates: Mapping[str, Band], *, unmoved: float = math.nan, ax: Axes | None = None
) -> Axes:
    """Draw a prevalence that changes from sample to sample, and estimates of it with their bands.

    Parameters
    ----------
    true : ndarray of shape (n,)
        The prevalences, in order of time.
    estimates : mapping of str to (mean, low, high)
        By name of the method.
    unmoved : float
        The prevalence at which counting is right, a line across; NaN draws none.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
    """
    ax = own_axes(ax, size=(5.6, 3.4))
    days = np.arange(len(true))
    ax.plot(days, true, color=INK, linewidth=1.6, label="true prevalence")
    for name, (mean, low, high), colour in zip(labels(estimates), estimates.values(), PALETTE[1:], strict=False):
        ax.fill_between(days, low, high, color=colour, alpha=0.15, linewidth=0)
        ax.plot(days, mean, color=colour, linewidth=1.5, linestyle="--", label=name)
    if math.isfinite(unmoved):
        ax.axhline(unmoved, color=QUIET, linewidth=1.0, linestyle=":", label="where counting is right")
    ax.set_ylim(-0.01, 1.02)
    ax.set_xlabel("sample", fontsize=8)
    ax.set_ylabel("prevalence of the positive class", fontsize=8)
    legend_above(ax, ncols=2, borderaxespad=0.2)
    return clean(ax)


def _levels(values: Floats, best: float) -> Floats:
    """Return the borders of bands: round numbers between the lowest and the highest value."""
    from matplotlib.ticker import MaxNLocator

    low, high = float(values.min()), float(values.max())
    away = np.abs(values - best)
    most = float(away.max())
    if best in (low, high) and float(np.median(away)) < _CROWDED * most:
        powers = 10.0 ** np.arange(math.floor(math.log10(most)) - 3, math.ceil(math.log10(most)) + 1)
        steps = np.outer(powers, [1.0, 2.0, 5.0]).ravel()
        ticks = np.sort(best + (1 if best == low else -1) * steps[steps < most][-_BANDS + 1 :])
    else:
        ticks = np.asarray(MaxNLocator(_BANDS).tick_values(low, high))
    margin = 1e-9 * (high - low)
    return np.array([low, *(tick for tick in ticks if low + margin < tick < high - margin), high])


def _rule(ax: Axes, way: Floats, offset: float, *, centre: Floats, name: str, style: str) -> None:
    """Draw one line through the point nearest to the centre, with an arrow to its positive side."""
    foot = centre + (offset - way @ centre) / (way @ way) * way
    ax.axline(
        tuple(foot), tuple(foot + np.array([-way[1], way[0]])), color=INK, linewidth=1.3, linestyle=style, label=name
    )
    inverse = ax.transData.inverted()
    start = ax.transData.transform(foot)
    ahead = ax.transData.transform(foot + way) - start
    end = inverse.transform(start + 26 * ahead / np.hypot(*ahead))
    ax.annotate(
        "", (end[0], end[1]), (foot[0], foot[1]), arrowprops={"arrowstyle": "-|>", "color": INK, "linewidth": 1.2}
    )


def _name_above(ax: Axes, marks: Sequence[tuple[str, float]]) -> None:
    """Write names over vertical lines, in a higher row if they would overlap the one before."""
    left, right = ax.get_xlim()
    taken: list[float] = []
    for name, cut in sorted(marks, key=lambda mark: mark[1]):
        row = next((number for number, end in enumerate(taken) if cut - end > 0.11 * (right - left)), len(taken))
        taken[row : row + 1] = [cut]
        ax.annotate(
            label(name), (cut, 1.0), xytext=(0, 3 + 10 * row), xycoords=("data", "axes fraction"),
            textcoords="offset points", ha="center", va="bottom", fontsize=8, color=INK,
        )  # fmt: skip


def _number(ax: Axes, x: float, height: float, colour: str) -> None:
    up = height > 0.5
    ax.annotate(
        f"{x:.2f}".removesuffix("0"), (x, height), xytext=(0, 7 if up else -7), textcoords="offset points",
        ha="center", va="bottom" if up else "top", fontsize=8, color=colour,
    )  # fmt: skip

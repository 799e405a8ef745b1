"""The course of a monitor: estimated accuracy, the evidence of its alarms, and incidents, on one time axis."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from shiftproof.core import Floats, percent
from shiftproof.plots._axis import percent_ticks, place
from shiftproof.plots._style import (
    BAD,
    CARE,
    ESTIMATE,
    INK,
    QUIET,
    REFERENCE,
    axes_below,
    clean,
    floats,
    legend_above,
    own_axes,
)
from shiftproof.plots._tips import tip

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The colours of the verdicts that the levels lead to, and strokes that tell the levels apart.
_COLOURS = {"changed": CARE, "material": BAD, "harm": BAD}
_STROKES = {"changed": ":", "material": "--", "harm": "-"}
# Evidence beyond an alarm grows without limit; so much of it is drawn.
_MOST_EVIDENCE = 1.3
# Microseconds, in which dates are placed on an axis.
_SECOND = 1e6


@dataclass(frozen=True, kw_only=True)
class IncidentSpan:
    """An incident on a time axis.

    Parameters
    ----------
    level : str
        "changed", "material" or "harm".
    first, last : datetime
        Between which times it began.
    raised : datetime
        When the alarm was raised.
    end : datetime, optional
        When it was over; None if it is not.
    closed : bool
        Whether somebody has acknowledged it.
    """

    level: str
    first: datetime
    last: datetime
    raised: datetime
    end: datetime | None = None
    closed: bool = False


@dataclass(frozen=True, kw_only=True)
class ImportedPoint:
    """A batch that another tool looked at, on a time axis; NaN stands for what is not known.

    Parameters
    ----------
    at : datetime
        When it was observed.
    estimate, low, high : float
        The estimated accuracy with its interval.
    actual : float
        The accuracy that was measured with labels.
    """

    at: datetime
    estimate: float = math.nan
    low: float = math.nan
    high: float = math.nan
    actual: float = math.nan


def monitor_size(accuracy: bool = True) -> tuple[float, float]:
    """Return the size in inches in which `monitor_course` is legible, with and without estimates of accuracy."""
    return 9.0, 5.0 if accuracy else 3.0


def monitor_course(
    moments: Sequence[datetime],
    estimates: ArrayLike,
    ends: tuple[ArrayLike, ArrayLike],
    *,
    evidence: Mapping[str, ArrayLike],
    spans: Sequence[IncidentSpan] = (),
    imported: Sequence[ImportedPoint] = (),
    floor: float | None = None,
    validated: float | None = None,
    actual: tuple[ArrayLike, ArrayLike, ArrayLike] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw estimated accuracy with its band above the evidence of the alarms, and shade incidents.

    Parameters
    ----------
    moments : sequence of datetime
        When each batch was observed, in order.
    estimates : array-like of shape (n,)
        Estimated accuracy; if all are NaN, only the evidence is drawn.
    ends : pair of array-likes
        The lower and upper ends of the intervals.
    evidence : mapping of str to array-like
        By level: 0 means no evidence, 1 raises the alarm.
    spans : sequence of IncidentSpan
        Incidents; those that began before the first batch are drawn from there.
    imported : sequence of ImportedPoint
        Accuracy that another tool estimated or measured, in another colour.
    floor, validated : float, optional
        Lines across the accuracy.
    actual : tuple of array-likes, optional
        The accuracy by labels, and the lower and upper ends of its intervals; NaN where there are none.
    ax : Axes, optional
        The axes to draw on.

    Returns
    -------
    Axes
        Those of the accuracy, and below them those of the evidence; without estimates, the latter only.
    """
    middle = floats(estimates)
    known = bool(np.isfinite(middle).any() or imported)
    ax = own_axes(ax, size=monitor_size(known))
    below = axes_below(ax, height=0.7) if known else ax
    places = _placed(below, [*(point.at for point in imported), *moments])
    x = places[len(imported) :]
    if known:
        _placed(ax, [*(point.at for point in imported), *moments])
        _accuracy(ax, x, middle, (floats(ends[0]), floats(ends[1])))
        _imported(ax, places[: len(imported)], imported)
        if actual is not None:
            _actual(ax, x, *(floats(part) for part in actual))
        if validated is not None:
            ax.axhline(validated, color=REFERENCE, linewidth=1.2, linestyle=(0, (4, 2)), label="validated")
        if floor is not None:
            ax.axhline(floor, color=BAD, linewidth=1.4, label="floor")
        legend_above(ax, ncols=5)
    _evidence(below, x, evidence)
    margin = 0.02 * float(np.ptp(places)) or 0.5
    for axes in {id(axes): axes for axes in (ax, below)}.values():
        for span in spans:
            _shade(axes, span, x)
        axes.set_xlim(places.min() - margin, places.max() + margin)
        clean(axes)
    by_labels = np.full(len(moments), np.nan) if actual is None else floats(actual[0])
    for position, moment in enumerate(moments):
        words = _tip_words(
            moment,
            {"estimated accuracy": middle[position], "actual accuracy": by_labels[position]},
            {level: floats(shares)[position] for level, shares in evidence.items()},
        )
        tip(below, words, x=(x[position] - margin / 2, x[position] + margin / 2))
    if known:
        ax.tick_params(labelbottom=False)
    return ax


def _tip_words(moment: datetime, accuracies: Mapping[str, float], evidence: Mapping[str, float]) -> str:
    """Write what is known of a batch in the units of the axes; NaN is left out.

    Examples
    --------
    >>> _tip_words(datetime(2024, 5, 1), {"estimated accuracy": 0.8}, {"changed": 168.0, "harm": 0.31})
    '2024-05-01 00:00: estimated accuracy 80.0%; evidence: changed alarm, harm 31%'
    """
    known = [f"{name} {percent(value)}" for name, value in accuracies.items() if not math.isnan(value)]
    close = [
        f"{level} {'alarm' if one >= 1 else f'{one:.0%}'}" for level, one in evidence.items() if not math.isnan(one)
    ]
    parts = [", ".join(known)] * bool(known) + [f"evidence: {', '.join(close)}"] * bool(close)
    return f"{moment:%Y-%m-%d %H:%M}{': ' * bool(parts)}{'; '.join(parts)}"


def _placed(ax: Axes, moments: Sequence[datetime]) -> Floats:
    """Make the axis one of dates, and return where on it the batches are."""
    seconds = [moment.timestamp() for moment in moments]
    return place(ax, np.array(seconds) * _SECOND, "date")


def _accuracy(ax: Axes, x: Floats, middle: Floats, ends: tuple[Floats, Floats]) -> None:
    ax.fill_between(x, *ends, color=ESTIMATE, alpha=0.18, linewidth=0, label="interval")
    marks: dict[str, Any] = {"marker": "o", "markersize": 3.5 if len(x) <= 60 else 2.0}
    ax.plot(x, middle, color=ESTIMATE, linewidth=1.4, label="estimated accuracy", **marks)
    percent_ticks(ax.yaxis)
    ax.set_ylabel("accuracy", fontsize=8)
    ax.grid(axis="y", color=QUIET, alpha=0.25)


def _imported(ax: Axes, x: Floats, points: Sequence[ImportedPoint]) -> None:
    """Draw what another tool estimated as a dashed line with its band, and what it measured as marks."""
    if not points:
        return
    low, high, middle, actual = (
        np.array([getattr(point, name) for point in points]) for name in ("low", "high", "estimate", "actual")
    )
    # A point without an estimate is not a gap: the other tool may have measured it only.
    known, measured = np.isfinite(middle), np.isfinite(actual)
    if known.any():
        ax.fill_between(x[known], low[known], high[known], color=QUIET, alpha=0.18, linewidth=0)
        ax.plot(x[known], middle[known], color=QUIET, linewidth=1.2, linestyle="--", label="imported estimate")
    if measured.any():
        marks: dict[str, Any] = {"linewidth": 0, "marker": "x", "markersize": 4}
        ax.plot(x[measured], actual[measured], color=QUIET, label="imported, with labels", **marks)


def _actual(ax: Axes, x: Floats, middle: Floats, low: Floats, high: Floats) -> None:
    """Draw what labels show, with error bars."""
    known = np.isfinite(middle)
    bars = np.array([middle - low, high - middle])[:, known]
    style: dict[str, Any] = {"fmt": "D", "markersize": 4, "elinewidth": 1.2, "capsize": 2.5, "zorder": 3}
    ax.errorbar(x[known], middle[known], yerr=bars, color=INK, label="actual accuracy, from labels", **style)


def _evidence(ax: Axes, x: Floats, evidence: Mapping[str, ArrayLike]) -> None:
    marks: dict[str, Any] = {"marker": "o", "markersize": 2.5}
    for level, values in evidence.items():
        shares = np.clip(floats(values), 0.0, _MOST_EVIDENCE)
        ax.plot(x, shares, color=_COLOURS[level], linestyle=_STROKES[level], linewidth=1.4, label=level, **marks)
    ax.axhline(1.0, color=INK, linewidth=1.0, linestyle="--")
    ax.set_ylim(-0.04, _MOST_EVIDENCE + 0.04)
    ax.set_yticks([0.0, 0.5, 1.0], ["0%", "50%", "alarm"])
    ax.set_ylabel("evidence", fontsize=8)
    if evidence:
        legend_above(ax, ncols=4)


def _shade(ax: Axes, span: IncidentSpan, x: Floats) -> None:
    """Shade an incident: faint while it may have begun, darker from then on, and a line where the alarm was raised."""
    import matplotlib.dates

    dates: Any = matplotlib.dates  # not typed
    first, last, raised = (max(dates.date2num(moment), x[0]) for moment in (span.first, span.last, span.raised))
    end = x[-1] if span.end is None else dates.date2num(span.end)
    style: dict[str, Any] = {"color": _COLOURS[span.level], "linewidth": 0, "zorder": 0}
    strength = 0.5 if span.closed else 1.0
    ax.axvspan(first, last, alpha=0.08 * strength, **style)
    ax.axvspan(last, max(end, last), alpha=0.16 * strength, **style)
    ax.axvline(raised, color=_COLOURS[span.level], linewidth=1.0, linestyle=":", alpha=0.8)

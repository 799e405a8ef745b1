"""An axis that people can read, whatever is on it: numbers of any size, dates, durations, names of periods."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Floats, check_choice
from shiftproof.plots._style import labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis


_TICKS = 5
# Matplotlib adds margins to what it draws, which must not overflow.
_LARGEST = 1e100
_DAY = 86_400e6
_YEAR = 365.2425 * _DAY
# The days since 1970 of the first and the last date that Python knows.
_FIRST_DAY, _LAST_DAY = -719_162.0, 2_932_896.0
# Units of a duration with their microseconds; each is used until the next one would show several ticks.
_UNITS = {"µs": 1.0, "ms": 1e3, "s": 1e6, "min": 60e6, "h": 3_600e6, "days": _DAY, "years": _YEAR}
_A_FEW = 2.0
# The largest number of names below an axis; of months every second, third, sixth or twelfth.
_MOST_NAMES = 16
_STEPS = (1, 2, 3, 6, 12, 24, 52, 120, 365)


def place(ax: Axes, edges: NDArray[np.float64], scale: str) -> Floats:
    """Make the horizontal axis one of numbers, dates or durations; return where on it the edges are."""
    check_choice(scale, "scale", ("number", "date", "duration"))
    edges = np.asarray(edges, dtype=np.float64)
    if scale == "date":
        return _dates(ax, edges)
    ax.locator_params(axis="x", nbins=_TICKS)
    if scale == "duration":
        return _durations(ax, edges)
    largest = float(np.abs(edges).max(initial=0.0))
    if largest <= _LARGEST or not math.isfinite(largest):
        return edges
    power = math.floor(math.log10(largest))
    ax.set_xlabel(f"in 1e{power}", fontsize=8)
    return edges / 10.0**power


def without_values(ax: Axes) -> None:
    """Leave out all ticks and names of values on the horizontal axis."""
    from matplotlib.ticker import NullFormatter, NullLocator

    ax.xaxis.set_major_locator(NullLocator())
    ax.xaxis.set_major_formatter(NullFormatter())  # a formatter of dates fails on an axis without ticks
    ax.set_xlabel("")


def percent_ticks(axis: Axis) -> None:
    """Write shares along an axis in per cent."""
    from matplotlib.ticker import FuncFormatter

    # No more digits than a tick has: the rounding takes away what binary fractions add.
    axis.set_major_formatter(FuncFormatter(lambda share, _: f"{round(100 * share, 6) + 0.0:g}%"))


def name_places(ax: Axes, periods: Sequence[str]) -> None:
    """Name as many of the places 0, 1, 2, … as can be read."""
    step = name_step(len(periods))
    named = labels(periods[::step], width=14)
    turned = sum(len(name) + 2 for name in named) > 70
    style: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if turned else {}
    ax.set_xticks(np.arange(0, len(periods), step), named, **style)


def name_step(count: int) -> int:
    """Return how many places are between two named ones.

    Examples
    --------
    >>> [name_step(count) for count in (12, 40, 200)]
    [1, 3, 24]
    """
    return next((step for step in _STEPS if count <= step * _MOST_NAMES), -(-count // _MOST_NAMES))


def _durations(ax: Axes, edges: Floats) -> Floats:
    largest = float(np.abs(edges).max(initial=0.0))
    unit = max((name for name in _UNITS if largest >= _A_FEW * _UNITS[name]), key=_UNITS.__getitem__, default="µs")
    ax.set_xlabel(unit, fontsize=8)
    return edges / _UNITS[unit]


def _dates(ax: Axes, edges: Floats) -> Floats:
    import matplotlib.dates

    dates: Any = matplotlib.dates  # not typed
    low, high = float(edges[0]), float(edges[-1])
    if high - low <= 1.0:  # one moment, which a calendar shows as its day
        edges = np.linspace(low - _DAY / 2, low + _DAY / 2, len(edges))
    days = edges / _DAY
    margin = 0.1 * (days[-1] - days[0])
    if days[0] - margin < _FIRST_DAY or days[-1] + margin > _LAST_DAY:
        ax.locator_params(axis="x", nbins=_TICKS)
        ax.set_xlabel("year", fontsize=8)
        return 1970.0 + edges / _YEAR
    locator = dates.AutoDateLocator(tz=UTC, minticks=3, maxticks=_TICKS + 1)
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator, tz=UTC))
    since: float = dates.date2num(np.datetime64("1970-01-01"))  # the epoch is a setting of the user's
    return days + since

"""Class proportions, made by hand."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection

from shiftproof import Interval
from shiftproof.counting._assumption import MixtureFit, Unclipped
from shiftproof.quantification import PeriodShares, Quantification
from shiftproof.quantification._result import ShareErrors
from shiftproof.quantification._words import refusal_sentences


def interval(estimate: float, low: float, high: float) -> Interval:
    """Make a 90% interval."""
    return Interval(estimate=estimate, low=low, high=high, level=0.9, method="bootstrap")


def made(**changes: Any) -> Quantification:
    """Make a result by hand."""
    settings: dict[str, Any] = {
        "prevalence": {"no": interval(0.6, 0.5, 0.7), "yes": interval(0.4, 0.3, 0.5)},
        "training": {"no": 0.9, "yes": 0.1},
        "others": {
            "training prevalence": {"no": 0.9, "yes": 0.1},
            "classify and count": {"no": 0.75, "yes": 0.25},
            "adjusted count": {"no": 0.58, "yes": 0.42},
            "threshold x": {"no": 0.65, "yes": 0.35},
        },
        "method": "combined",
        "model": "lr",
        "briers": {"lr": 0.1},
        "unclipped": (Unclipped(method="adjusted count", code=1, value=0.42, low=0.3, high=0.5),),
        "fit": MixtureFit(distance=0.03, p_value=0.4),
        "shift": None,
        "unchecked": "no features",
        "assume": "prior shift",
        "positive": "yes",
        "level": 0.9,
        "n_labelled": 100,
        "n_new": 50,
    }
    given = settings | changes
    given.setdefault("errors", {label: ShareErrors(sampling=0.06) for label in given["prevalence"]})
    return Quantification(**given)


def refused(**changes: Any) -> Quantification:
    """Make a result by hand that says why nothing is estimated."""
    result = made(**changes)
    labelled = [False] * sum(bool(period.prevalence) for period in result.periods)
    return result.without_guesses(labelled).without_figures(refusal_sentences(result), result.positive)


PERIODS = (
    PeriodShares(
        name="2024-01",
        start=date(2024, 1, 1),
        end=date(2024, 1, 31),
        n_rows=20,
        prevalence={"no": interval(0.8, 0.7, 0.9), "yes": interval(0.2, 0.1, 0.3)},
        others={"no": (0.75, 0.85), "yes": (0.15, 0.25)},
        errors={"no": ShareErrors(sampling=0.06), "yes": ShareErrors(sampling=0.03, drift=0.05)},
    ),
    PeriodShares(name="2024-02", start=None, end=None, n_rows=0, prevalence={}, others={}),
)


def drawn_numbers(ax: Axes) -> set[float]:
    """Return all finite coordinates of points and lines."""
    parts = [np.ravel(line.get_xydata()) for line in ax.lines] + [np.ravel(c.get_offsets()) for c in ax.collections]
    # The paths of points are their markers.
    areas = (c for c in ax.collections if not isinstance(c, PathCollection))
    parts += [np.ravel(path.vertices) for area in areas for path in area.get_paths()]
    numbers = np.concatenate([np.ma.filled(np.ma.asarray(part, dtype=float), np.nan) for part in parts])
    return set(np.round(numbers[np.isfinite(numbers)], 6).tolist())

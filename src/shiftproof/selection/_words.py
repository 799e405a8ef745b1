"""Numbers of measures as people read them."""

from __future__ import annotations

import numpy as np

from shiftproof.core import percent, share

# What is written as a number; all others are shares.
_NUMBERS = ("auc", "brier", "profit")
_CALLED = {"auc": "AUC", "brier": "Brier score", "f1": "F1"}


def written(value: float, measure: str) -> str:
    """Write a measure: shares in per cent, areas, losses and profits as numbers; nothing where it is not defined.

    Examples
    --------
    >>> written(0.8768, "accuracy"), written(0.8768, "auc"), written(-12.345, "profit"), written(float("nan"), "f1")
    ('87.7%', '0.877', '-12.3', '')
    """
    if value != value:
        return ""
    if measure in _NUMBERS:
        # What rounding leaves of nothing is nothing.
        return f"{0.0 if abs(value) < 1e-9 else value:.3g}" if measure == "profit" else f"{value:.3f}"
    return percent(value)


def believed(probability: float) -> str:
    """Write a probability in per cent; nothing is ever sure, and NaN is nothing.

    Examples
    --------
    >>> believed(0.624), believed(1.0), believed(0.0), believed(float("nan"))
    ('62%', '>99.9%', '<0.1%', '')
    """
    return share(float(np.clip(probability, 4e-4, 1 - 4e-4)))


def called(measure: str) -> str:
    """Give the name of a measure in a sentence.

    Examples
    --------
    >>> called("brier"), called("accuracy")
    ('Brier score', 'accuracy')
    """
    return _CALLED.get(measure, measure)

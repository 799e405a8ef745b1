"""How an audit writes figures: intervals, a measure with its name, the validated figure and the baseline's class."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from shiftproof.core import shown
from shiftproof.selection import NUMBERS, SOFT_MEASURES, called, written

if TYPE_CHECKING:
    from shiftproof.auditing._result import Audit


def validated_text(audit: Audit, *, unit: str = "") -> str:
    if math.isnan(audit.validated):
        return f"on the labelled data{unit or ' it'} is not defined"
    value = written(audit.validated, audit.measure)
    if audit.deployed:
        return f"on the labelled data its {called(audit.measure)} is {value}"
    return f"cross-validation estimates {value}{unit}"


def interval_text(audit: Audit) -> str:
    interval = audit.interval
    return span(written(interval.low, audit.measure), written(interval.high, audit.measure))


def span(low: str, high: str) -> str:
    # Known labels leave no width, and a narrow interval none that is seen.
    return low if low == high else f"{low} to {high}"


def worst_case_text(audit: Audit) -> str:
    """Return the bad end of the interval, with the name of the measure."""
    interval = audit.interval
    worst = interval.low if SOFT_MEASURES[audit.measure].higher_is_better else interval.high
    return amount_text(written(worst, audit.measure), audit.measure)


def amount_text(figures: str, measure: str) -> str:
    """Return figures with the name of their measure.

    Examples
    --------
    >>> amount_text("71.2% to 80.0%", "accuracy"), amount_text("0.71", "auc"), amount_text("-0.79", "profit")
    ('71.2% to 80.0% accuracy', 'an AUC of 0.71', 'a profit of -0.79 per row')
    """
    if measure not in NUMBERS:
        return f"{figures} {called(measure)}"
    return f"{'an' if measure == 'auc' else 'a'} {called(measure)} of {figures}{' per row' * (measure == 'profit')}"


def majority_text(audit: Audit) -> str:
    return shown(audit.performance.baseline.label)

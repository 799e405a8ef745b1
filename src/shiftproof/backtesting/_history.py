"""From replayed periods to results: each period's interval uses the record of the periods before it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shiftproof.backtesting._plan import PlannedPeriod
from shiftproof.backtesting._replay import Replayed
from shiftproof.backtesting._result import PastEstimate, PastPeriod
from shiftproof.case import DriftRecord, drift_square
from shiftproof.core import Interval, Note


def make_periods(
    planned: Sequence[PlannedPeriod], replayed: Mapping[int, Replayed], *, level: float, noun: str
) -> tuple[tuple[PastPeriod, ...], DriftRecord]:
    """Return all periods in order, and the record of all of them."""
    made: list[PastPeriod] = []
    for period in planned:
        done = replayed.get(period.place)
        made.append(_made(period, done, level))
    return tuple(made), record_of(made, noun)


def _made(period: PlannedPeriod, done: Replayed | None, level: float) -> PastPeriod:
    skipped = period.skipped
    if done is not None and done.failure:
        skipped = Note(code="failed", detail=done.failure, sensitive=True)
    return PastPeriod(
        name=period.name,
        start=period.start,
        end=period.end,
        n_before=len(period.before),
        n_rows=len(period.rows),
        estimates={}
        if done is None
        else {
            model: {measure: _estimate(values, level) for measure, values in measures.items()}
            for model, measures in done.estimates.items()
        },
        baseline=period.baseline,
        shift_kind="" if done is None else done.shift_kind,
        skipped=skipped,
    )


def _estimate(values: Mapping[str, Any], level: float) -> PastEstimate:
    interval = Interval(
        estimate=values["estimate"], low=values["low"], high=values["high"], level=level, method="routed pool"
    )
    return PastEstimate(
        validated=values["validated"], interval=interval, actual=values["actual"], refused=values["refused"]
    )


def record_of(periods: Sequence[PastPeriod], noun: str) -> DriftRecord:
    """Return what periods say about drift, by measure."""
    squares: dict[str, tuple[float, ...]] = {}
    covered: dict[str, dict[str, tuple[int, int]]] = {}
    for period in periods:
        for measure in next(iter(period.estimates.values()), ()):
            ones = {model: measures[measure] for model, measures in period.estimates.items()}
            square = _square(list(ones.values()))
            if not math.isnan(square):
                squares[measure] = (*squares.get(measure, ()), square)
            counts = covered.setdefault(measure, {})
            for model, one in ones.items():
                if one.covered is not None:
                    right, total = counts.get(model, (0, 0))
                    counts[model] = (right + one.covered, total + 1)
    return DriftRecord(squares=squares, covered=covered, noun=noun)


def _square(estimates: Sequence[PastEstimate]) -> float:
    """Return the period's square over the models whose estimate allows for drift; NaN if there is none."""
    used = [one for one in estimates if one.covered is not None and one.allowance > 0]
    if not used:
        return math.nan
    errors, sampling, allowances = (
        np.array([getattr(one, name) for one in used]) for name in ("error", "sampling", "allowance")
    )
    return drift_square(errors, sampling, allowances)

"""From replayed periods to results: each period's interval uses the record of the periods before it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shiftproof.backtesting._plan import PlannedPeriod
from shiftproof.backtesting._replay import Replayed
from shiftproof.backtesting._result import PastEstimate, PastPeriod
from shiftproof.case import SOFT_MEASURES, DriftRecord, drift_square
from shiftproof.core import Interval, Note
from shiftproof.selection import Grounds, NormalMixture


def make_periods(
    planned: Sequence[PlannedPeriod], replayed: Mapping[int, Replayed], *, level: float, noun: str
) -> tuple[tuple[PastPeriod, ...], DriftRecord]:
    """Return all periods in order, and the record of all of them."""
    made: list[PastPeriod] = []
    record = DriftRecord(squares={}, noun=noun)
    for period in planned:
        made.append(_made(period, replayed.get(period.place), record, level))
        record = record_of(made, noun)
    return tuple(made), record


def _made(period: PlannedPeriod, done: Replayed | None, record: DriftRecord, level: float) -> PastPeriod:
    skipped = period.skipped
    if done is not None and done.failure:
        skipped = Note(code="failed", detail=done.failure, sensitive=True)
    return PastPeriod(
        name=period.name,
        start=period.start,
        end=period.end,
        n_before=len(period.before),
        n_rows=len(period.rows),
        estimates={} if done is None else estimates_after(done.estimates, record, level),
        baseline=period.baseline,
        shift_kind="" if done is None else done.shift_kind,
        skipped=skipped,
    )


def estimates_after(
    comparisons: Mapping[str, Mapping[str, Mapping[str, Any]]], record: DriftRecord, level: float
) -> dict[str, dict[str, PastEstimate]]:
    """Make the intervals that a user would have got who knew the record of the periods before."""
    return {
        model: {measure: _estimate(values, record, measure, level) for measure, values in measures.items()}
        for model, measures in comparisons.items()
    }


def _estimate(values: Mapping[str, Any], record: DriftRecord, measure: str, level: float) -> PastEstimate:
    nothing = Interval(estimate=math.nan, low=math.nan, high=math.nan, level=level, method="refused")
    grounds = Grounds(
        values=np.array([values["estimate"]]),
        parts=NormalMixture(
            np.array(values["shares"]),
            np.array(values["centres"])[:, None],
            np.array(values["variances"])[:, None, None],
        ),
        allowance=np.array([values["allowance"]]),
        broken=np.array([values["broken"]]),
    )
    belief = grounds.believed(record, measure)
    limits = SOFT_MEASURES[measure].limits
    return PastEstimate(
        validated=values["validated"],
        interval=nothing
        if values["refused"]
        else belief.mixture.interval(values["estimate"], level, limits, "routed pool"),
        actual=values["actual"],
        refused=values["refused"],
        sampling=float(belief.sampling[0]),
        # Without the factor of the record: each period is compared with what natural drift would add.
        allowance=values["allowance"],
    )


def record_of(periods: Sequence[PastPeriod], noun: str) -> DriftRecord:
    """Return what periods say about drift, by measure."""
    squares: dict[str, tuple[float, ...]] = {}
    weights: dict[str, tuple[float, ...]] = {}
    covered: dict[str, dict[str, tuple[int, int]]] = {}
    for period in periods:
        for measure in next(iter(period.estimates.values()), ()):
            ones = {model: measures[measure] for model, measures in period.estimates.items()}
            used = [one for one in ones.values() if one.covered is not None and one.allowance > 0]
            if used:
                square, weight = _square(used)
                squares[measure] = (*squares.get(measure, ()), square)
                weights[measure] = (*weights.get(measure, ()), weight)
            counts = covered.setdefault(measure, {})
            for model, one in ones.items():
                if one.covered is not None:
                    right, total = counts.get(model, (0, 0))
                    counts[model] = (right + one.covered, total + 1)
    return DriftRecord(squares=squares, weights=weights, covered=covered, noun=noun)


def _square(used: Sequence[PastEstimate]) -> tuple[float, float]:
    """Return the period's square and weight over the models whose estimate allows for drift."""
    errors, sampling, allowances = (
        np.array([getattr(one, name) for one in used]) for name in ("error", "sampling", "allowance")
    )
    return drift_square(errors, sampling, allowances)

"""From replayed periods to results: each period's interval uses the record of the periods before it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from shiftproof.backtesting._plan import PlannedPeriod
from shiftproof.backtesting._replay import Replayed
from shiftproof.backtesting._result import PastEstimate, PastPeriod
from shiftproof.case import (
    FEWEST_PERIODS,
    NO_RECORD,
    SOFT_MEASURES,
    DriftRecord,
    Grounds,
    NormalMixture,
    PeriodDrift,
    PriorGrounds,
    period_drift,
)
from shiftproof.core import Interval, Note


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
        estimates={} if done is None else estimates_after(done.estimates, record, level, done.foreign_by),
        reach={} if done is None else done.reach,
        baseline=period.baseline,
        shift_kind="" if done is None else done.shift_kind,
        skipped=skipped,
    )


def estimates_after(
    comparisons: Mapping[str, Mapping[str, Mapping[str, Any]]],
    record: DriftRecord,
    level: float,
    foreign_by: Mapping[str, float],
) -> dict[str, dict[str, PastEstimate]]:
    """Make the intervals that a user would have got who knew the record of the periods before."""
    familiar = record.familiar(foreign_by)
    return {
        model: {
            measure: _estimate(values, record, measure, level, refused=values["refused"] and not familiar)
            for measure, values in measures.items()
        }
        for model, measures in comparisons.items()
    }


def _estimate(
    values: Mapping[str, Any], record: DriftRecord, measure: str, level: float, *, refused: bool
) -> PastEstimate:
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
        prior=_prior(values["prior"]),
    )
    belief, plain = grounds.believed(record, measure), grounds.believed(NO_RECORD, measure)
    limits = SOFT_MEASURES[measure].limits
    return PastEstimate(
        validated=values["validated"],
        interval=nothing if refused else belief.mixture.interval(float(belief.values[0]), level, limits, "routed pool"),
        actual=values["actual"],
        refused=refused,
        # Without the record: each period is compared with what natural drift would add.
        sampling=float(plain.sampling[0]),
        uncorrected=float(plain.values[0]),
        allowance=float(plain.allowance[0]),
    )


def _prior(kept: Sequence[float] | None) -> PriorGrounds | None:
    if kept is None:
        return None
    chance, value, variance = kept
    return PriorGrounds(chance=chance, values=np.array([value]), covariance=np.array([[variance]]))


def record_of(periods: Sequence[PastPeriod], noun: str) -> DriftRecord:
    """Return what periods say about drift, by measure."""
    squares: dict[str, tuple[float, ...]] = {}
    weights: dict[str, tuple[float, ...]] = {}
    errors: dict[str, tuple[float, ...]] = {}
    covered: dict[str, dict[str, tuple[int, int]]] = {}
    for period in periods:
        for measure in next(iter(period.estimates.values()), ()):
            ones = {model: measures[measure] for model, measures in period.estimates.items()}
            if used := _known(ones.values()):
                drift = _drift(used)
                squares[measure] = (*squares.get(measure, ()), drift.square)
                weights[measure] = (*weights.get(measure, ()), drift.weight)
                errors[measure] = (*errors.get(measure, ()), drift.error)
            counts = covered.setdefault(measure, {})
            for model, one in ones.items():
                if one.covered is not None:
                    right, total = counts.get(model, (0, 0))
                    counts[model] = (right + one.covered, total + 1)
    return DriftRecord(squares=squares, weights=weights, errors=errors, seen=_seen(periods), covered=covered, noun=noun)


def _seen(periods: Sequence[PastPeriod]) -> tuple[Mapping[str, float], ...]:
    """Return how far periods were from the rows before them, but for those in which something broke."""
    replayed = [period for period in periods if period.reach]
    if len(replayed) < FEWEST_PERIODS:
        return ()
    return tuple(period.reach for period in replayed if not _broke(period))


def _broke(period: PastPeriod) -> bool:
    of_measures = zip(*(measures.values() for measures in period.estimates.values()), strict=True)
    known = [used for ones in of_measures if (used := _known(ones))]
    return not known or any(_drift(used).broke for used in known)


def _known(ones: Iterable[PastEstimate]) -> list[PastEstimate]:
    """Return the estimates of one measure that say something about drift."""
    # A refused one counts as well: it shows how far estimates are off when data differ as much again.
    return [one for one in ones if one.allowance > 0 and math.isfinite(one.uncorrected - one.actual)]


def _drift(used: Sequence[PastEstimate]) -> PeriodDrift:
    """Return what a period says about drift over the models whose estimate allows for it."""
    uncorrected, actual, sampling, allowances = (
        np.array([getattr(one, name) for one in used]) for name in ("uncorrected", "actual", "sampling", "allowance")
    )
    return period_drift(uncorrected - actual, sampling, allowances)

"""Estimate the class proportions of all new rows and of each period, by the methods that were asked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shiftproof.case import (
    BY_LABELS,
    ROUTED_POOL,
    Case,
    Known,
    SpreadShares,
    count_with_drift,
    pool_with_drift,
    sampled_shares,
    shares_with_labels,
    unknowable,
)
from shiftproof.core import Floats, Interval, Note, check_count, check_fraction
from shiftproof.counting import (
    MANY_CLASSES,
    METHODS,
    RESAMPLES,
    SPREAD_ONLY,
    Method,
    Samples,
    bootstrap_intervals,
)
from shiftproof.data import PeriodCut
from shiftproof.quantification._result import ShareErrors
from shiftproof.quantification._scored import ScoredTables
from shiftproof.shift import ShiftKind

#: The lowest error over the sets of benchmarks/quantification.py; see docs/quantification.md.
DEFAULT_METHOD = "combined"
# A count that weighs less than this in the pool leaves its own errors below a thousandth of the pool's, which are at
# least those of drift; they are not simulated.
_LITTLE_WEIGHT = 0.001


@dataclass(frozen=True, eq=False, kw_only=True)
class QuantifyOptions:
    """What only `quantify` can be asked; see there.

    `chosen` says whether the caller named the method, `alone` whether the labels of new rows are all that is known.
    """

    method: Method = METHODS[DEFAULT_METHOD]
    chosen: bool = False
    cut: PeriodCut | None = None
    by: str | None = None
    alone: bool = False
    check: bool = True
    level: float = 0.9
    resamples: int = RESAMPLES

    def __post_init__(self) -> None:
        # Also where nothing is resampled.
        check_fraction(self.level, "level", hint="0.9 means 90%")
        check_count(self.resamples, "resamples", least=20, hint="200 is usual")


@dataclass(frozen=True, eq=False, kw_only=True)
class EstimatedShares:
    """The class proportions of s samples: of all new rows, then of each period that has rows.

    Attributes
    ----------
    method : str
        What made the estimates.
    intervals, errors : lists of length s
        For each class its share, and the standard errors.
    others : mapping of str to ndarray of shape (s, k)
        What the other methods estimate.
    labelled : tuple of bool, of length s
        Whether labels of new rows are part of each estimate.
    notes : tuple of str
        Where the method had to fall back.
    either : pair of lists of Interval, optional
        Of all new rows, the shares if nothing else changed, and if more changed; None unless the data leave both open.
    """

    method: str
    intervals: list[list[Interval]]
    errors: list[list[ShareErrors]]
    others: dict[str, Floats]
    labelled: tuple[bool, ...]
    notes: tuple[str, ...]
    either: tuple[list[Interval], list[Interval]] | None = None


def estimate_shares(
    case: Case,
    tables: ScoredTables,
    options: QuantifyOptions,
    *,
    shift: ShiftKind | None,
    known: Known | None,
    rng: np.random.Generator,
    compare: bool = True,
) -> EstimatedShares:
    """Estimate all new rows and each period, with intervals, and to compare by all other methods without."""
    method = options.method
    periods = [] if options.cut is None else [rows for _, _, _, rows in options.cut.periods if len(rows)]
    whole = Samples.of(tables.new)
    rows = [whole.rows, *periods]
    samples = Samples.from_lists(tables.new, rows) if periods else whole
    # Of another kind of data not even natural drift is known.
    known_kind = not (shift is not None and unknowable(shift, case.assume))
    drifting = case.assume == "natural" and known_kind
    pooling = case.assume != "prior shift" and known_kind and _can_pool(case, options)
    shifts = case.shifts_of(periods) if pooling else []
    # Learnt once, for the estimate and for its intervals.
    learned = method.learn(tables.labelled)
    if pooling and max(one.prior for one in shifts) < _LITTLE_WEIGHT:
        shares = [SpreadShares.without_errors(sample) for sample in learned.estimate(samples)]
    else:
        intervals = bootstrap_intervals(
            method,
            tables.labelled,
            samples,
            learned=learned,
            level=options.level,
            resamples=options.resamples,
            rng=rng,
            progress=case.progress,
        )
        shares = [SpreadShares.of_count(sample) for sample in intervals]
    names = [name for name in METHODS if compare and name != method.name]
    others = {name: METHODS[name].learn(tables.labelled).estimate(samples) for name in names}
    if pooling:
        others = {method.name: np.array([sample.values for sample in shares]), **others}
        shares = pool_with_drift(case, shares, rows, shifts)
    elif drifting:
        shares = [count_with_drift(sample, tables.labelled.prevalence, shift) for sample in shares]
    if drifting or pooling:
        intervals = [sample.intervals(float(options.level)) for sample in shares]
    # Where nothing else is known of the new rows, their labels still are.
    alone = options.alone or (shift is not None and unknowable(shift, case.assume))
    sampled = [None if known is None else sampled_shares(case, own, known) for own in rows]
    for place, sample in enumerate(sampled):
        if sample is not None:
            shares[place], intervals[place] = shares_with_labels(
                shares[place], sample, level=float(options.level), alone=alone
            )
    either = shares[0].either(float(options.level)) if drifting and sampled[0] is None else None
    name = ROUTED_POOL if pooling else method.name
    if sampled[0] is not None:
        name = BY_LABELS if alone else f"{name} and labels"
    spread_only = (SPREAD_ONLY,) if tables.labelled.n_classes > MANY_CLASSES else ()
    return EstimatedShares(
        method=name,
        intervals=intervals,
        errors=[_errors(sample) for sample in shares],
        others=others,
        labelled=tuple(sample is not None for sample in sampled),
        notes=(*tables.labelled.notes, *learned.notes, *spread_only),
        either=either,
    )


def _can_pool(case: Case, options: QuantifyOptions) -> bool:
    """Return whether to estimate by the pool: not if a method was chosen, or the type of shift stays unknown."""
    if options.chosen or not options.check or case.scored is None:
        return False
    # Rows that were never tested have no scores which could stand in for features.
    return not isinstance(case.feature_shift, Note) or bool(case.scored.tested.all())


def _errors(shares: SpreadShares) -> list[ShareErrors]:
    pairs = zip(shares.sampling.tolist(), shares.drift.tolist(), strict=True)
    return [ShareErrors(sampling=sampling, drift=drift) for sampling, drift in pairs]

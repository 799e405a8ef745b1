"""Class proportions of new rows of which some have labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shiftproof.case._blocks import RowWise
from shiftproof.case._case import Case
from shiftproof.case._labels import Known, SampledAll, few_labels, sampled_all
from shiftproof.case._mixture import NormalMixture, with_labels
from shiftproof.case._share_drift import SpreadShares
from shiftproof.case._soft import SOFT_MEASURES, Decided
from shiftproof.core import Interval


def always(code: int, rows: int, k: int) -> Decided:
    """Return the decisions of a model that gives every row the same class: its accuracy is the class's share."""
    # Every row is a view of one: with many classes these tables would be large.
    probabilities = np.broadcast_to(np.eye(k)[code], (rows, k))
    return Decided(probabilities=probabilities, decisions=np.full(rows, code), positive=code)


def sampled_shares(case: Case, rows: NDArray[np.intp], known: Known) -> SampledAll | None:
    """Estimate the class proportions of some of the new rows from the labels among them; None if these are too few.

    Labels are weighted by strata, and the posterior stands in for the rows without one. Nothing but the way in which
    the rows were drawn is taken for granted.
    """
    if not len(known):
        return None
    posterior: RowWise = case.prospect.routes.posterior
    strata, k = case.strata, case.prospect.candidates.k
    if case.verdicts is not None:
        # Rows with the same scores differ by nothing else.
        own = [posterior[np.flatnonzero(strata == value)].mean(axis=0) for value in range(strata.max() + 1)]
        posterior = np.array(own)[strata]
    if len(rows) < len(posterior):
        places = np.full(len(posterior), -1)
        places[rows] = np.arange(len(rows))
        inside = places[known.rows] >= 0
        known = Known(places[known.rows][inside], known.codes[inside])
        posterior, strata = posterior[rows], np.unique(strata[rows], return_inverse=True)[1]
    every = [always(code, len(rows), k) for code in range(k)]
    return sampled_all(SOFT_MEASURES["accuracy"], every, posterior, strata, known)


def shares_with_labels(
    shares: SpreadShares, sample: SampledAll, *, level: float, alone: bool
) -> tuple[SpreadShares, list[Interval]]:
    """Join estimated class proportions with what labels show, or take the labels alone.

    Parameters
    ----------
    shares : SpreadShares
        What is believed without the labels.
    sample : SampledAll
        What the labels show.
    level : float
        The nominal coverage of the intervals.
    alone : bool
        Whether to believe the labels only.
    """
    errors = np.diag(sample.covariance)
    # The labels of all rows have no errors, and leave nothing to estimate.
    alone = alone or not errors.any()
    intervals = [
        _with_label(belief, value, few_labels(sample.freedom, level) * error, level=level, alone=alone)
        for belief, value, error in zip(shares.beliefs(), sample.values.tolist(), errors.tolist(), strict=True)
    ]
    values = np.array([interval.estimate for interval in intervals])
    values = values / values.sum()
    # Each class was joined on its own; of more than two the estimates need not add up to 1 before.
    intervals = [
        replace(interval, estimate=value, low=min(interval.low, value), high=max(interval.high, value))
        for interval, value in zip(intervals, values.tolist(), strict=True)
    ]
    # Labels measure what drift did.
    sampling = np.sqrt(errors)
    return SpreadShares.of(values, sampling, sampling, np.zeros_like(sampling)), intervals


def _with_label(belief: NormalMixture, value: float, error: float, *, level: float, alone: bool) -> Interval:
    # Right and wrong are 1 apart in every row.
    joined, estimate, method = with_labels(
        belief, np.array([value]), np.array([[error]]), units=np.ones(1), alone=alone
    )
    return joined.interval(min(max(estimate, 0.0), 1.0), level, (0.0, 1.0), method)

"""The baseline that every accuracy is compared with: always answering the class that is most frequent."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shiftproof.case import (
    SOFT_MEASURES,
    Belief,
    Candidates,
    Known,
    Prospect,
    Sides,
    always,
    chance_above_zero,
    estimate,
    few_labels,
    find_grounds,
    sampled_all,
    with_labels,
)
from shiftproof.core import Codes, Interval, plain_fields
from shiftproof.selection._reach import opposite

# A class with a larger share than this makes accuracy say little: the others are rare.
_UNBALANCED = 0.75


@dataclass(frozen=True, eq=False, kw_only=True)
class MajorityBaseline:
    """The accuracy of always answering the most frequent class of the new data.

    Attributes
    ----------
    label : label
        The most frequent class; if the class proportions of the new data cannot be estimated, that of the labelled
        data.
    validated : float
        The class's share of the labelled rows, which is the baseline's accuracy on them.
    interval : Interval
        The class's share of the new rows, as `quantify` estimates it; NaN if it cannot be estimated.
    beaten_by, validated_beaten_by : mappings of str to float
        The probability that each model is more accurate than the baseline, on the new rows and on rows like the
        labelled ones; NaN if it cannot be estimated.
    other_answers : mapping of str to float
        The share of new rows for which each model's answer differs from the baseline's. The two accuracies cannot
        differ by more than this.
    """

    label: Any
    validated: float
    interval: Interval
    beaten_by: Mapping[str, float]
    validated_beaten_by: Mapping[str, float]
    other_answers: Mapping[str, float]

    @property
    def unbalanced(self) -> bool:
        """Whether the other classes are so rare, in the labelled or the new data, that accuracy alone says little."""
        # NaN, where the share of the new rows is not known, compares false.
        return self.validated > _UNBALANCED or self.interval.estimate > _UNBALANCED

    def interval_of(self, measure: str) -> Interval:
        """Return the baseline's accuracy or error on the new rows."""
        return self.interval if measure == "accuracy" else opposite(self.interval)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return plain_fields(self)


def baseline_of(
    prospect: Prospect,
    labels: list[Any],
    *,
    shares: Mapping[Any, Interval],
    level: float,
    strata: Codes,
    known: Known,
) -> MajorityBaseline:
    """Take the baseline from the class proportions, and compare models with it row by row.

    Parameters
    ----------
    prospect : Prospect
        What the models decide.
    labels : list
        The classes.
    shares : mapping of label to Interval
        The class proportions of the new rows; empty where they cannot be estimated.
    level : float
        The nominal coverage of the interval.
    strata, known : ndarray, Known
        Labels of new rows, by which models and baseline are compared if there are any.
    """
    candidates, accuracy = prospect.candidates, SOFT_MEASURES["accuracy"]
    estimated = [shares[label].estimate for label in labels] if shares else candidates.prevalence.tolist()
    majority = max(range(candidates.k), key=lambda code: (estimated[code], candidates.prevalence[code]))
    sides = [_always(majority, candidates), *prospect.sides.values()]
    sample = sampled_all(accuracy, [side.new for side in sides], prospect.routes.posterior, strata, known)
    nothing = Interval(estimate=math.nan, low=math.nan, high=math.nan, level=level, method="refused")
    beaten = np.full(len(sides), np.nan)
    if sample is not None or not prospect.unknowable:
        believed = _believed(prospect, sides, float(candidates.prevalence[majority]))
        belief = believed.mixture
        if sample is not None:
            errors = few_labels(sample.freedom, level) * sample.covariance
            # The labels of all rows have no variance, and leave nothing to estimate.
            alone = prospect.unknowable or not errors.any()
            # Right and wrong are 1 apart in every row.
            belief, _, _ = with_labels(belief, sample.values, errors, units=np.ones(len(sides)), alone=alone)
        beaten = np.array([belief.chance_above(place, 0) for place in range(len(sides))])
    return MajorityBaseline(
        label=labels[majority],
        validated=float(candidates.prevalence[majority]),
        # The accuracy of one answer to all rows is a class's share: one number, and so one estimate.
        interval=shares[labels[majority]] if shares else nothing,
        beaten_by=dict(zip(prospect.sides, beaten[1:].tolist(), strict=True)),
        validated_beaten_by={
            name: _chance_of_more(side.actual.decisions, majority, candidates) for name, side in prospect.sides.items()
        },
        other_answers={name: float(np.mean(side.new.decisions != majority)) for name, side in prospect.sides.items()},
    )


def _believed(prospect: Prospect, sides: list[Sides], share: float) -> Belief:
    """Return what is believed of the accuracies of the baseline and all models together, before any label."""
    # By number: a model may have any name.
    numbered = {str(place): side for place, side in enumerate(sides)}
    along = estimate(SOFT_MEASURES["accuracy"], numbered, prospect.candidates, prospect.routes)
    validated = np.array([share, *prospect.validated("accuracy").values()])
    grounds = find_grounds(prospect, "accuracy", along, validated=validated, units=np.ones(len(sides)), sides=numbered)
    belief = grounds.believed(prospect.history, "accuracy")
    # Past errors were those of models, and a model that always gives the baseline's answer is the baseline.
    alike = np.array([np.array_equal(side.new.decisions, sides[0].new.decisions) for side in sides])
    centres = belief.mixture.centres + np.where(alike, belief.carried, 0.0)
    return replace(belief, mixture=replace(belief.mixture, centres=centres))


def _always(code: int, candidates: Candidates) -> Sides:
    """Return the decisions of a model that gives every row the same class."""
    old, new = (always(code, rows, candidates.k) for rows in (candidates.n, candidates.m))
    return Sides(actual=old, expected=old, new=new)


def _chance_of_more(decisions: Codes, majority: int, candidates: Candidates) -> float:
    """Return the probability that decisions are right more often than one class is, on rows like the labelled ones."""
    # Row by row: both are right or wrong together in most rows, which makes the difference surer than its parts.
    gain = (decisions == candidates.codes).astype(float) - (candidates.codes == majority)
    mean = float(candidates.base @ gain)
    spread = math.sqrt(float(candidates.base**2 @ (gain - mean) ** 2))
    return chance_above_zero(np.ones(1), np.array([mean]), np.array([spread]))

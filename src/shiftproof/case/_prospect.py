"""What can be expected of the models on the new data: what they decide, and every measure along every route."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from shiftproof.case._along_routes import Estimates, Sides, estimate
from shiftproof.case._blocks import Mixed, RowWise, columns_at, equal_weights, over_classes, range_over_classes
from shiftproof.case._candidates import Candidates
from shiftproof.case._decisions import Rule, profit_sides, sides_of
from shiftproof.case._drift import Assume, ShareShift, prior_weight, unknowable
from shiftproof.case._payoff import Worth
from shiftproof.case._record import NO_RECORD, DriftRecord
from shiftproof.case._routes import FEWEST_NEW, KINDS, Routes, find_routes
from shiftproof.case._soft import SOFT_MEASURES, Decided, Soft
from shiftproof.core import Floats, blocks


@dataclass(frozen=True, eq=False)
class Prospect:
    """Everything that estimates of performance on new data are made from.

    Parameters
    ----------
    candidates : Candidates
        What the models say of labelled and new rows.
    rule : Rule
        How probabilities become decisions.
    assume : {"natural", "no drift", "prior shift"}
        What may have changed.
    history : DriftRecord
        How far estimates were off in the user's own past; by default nothing is known of it.
    """

    candidates: Candidates
    rule: Rule
    assume: Assume = "natural"
    history: DriftRecord = NO_RECORD
    # By measure: ranking and estimating ask for the same ones.
    _estimates: dict[str, Estimates] = field(default_factory=dict, init=False, repr=False)
    _validated: dict[str, dict[str, float]] = field(default_factory=dict, init=False, repr=False)
    _units: dict[tuple[str, str], float] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def routes(self) -> Routes:
        """The routes from labelled to new data, one per type of shift."""
        return find_routes(self.candidates)

    @property
    def ranking_weights(self) -> Floats:
        """What each route counts in a ranking.

        The route for covariate shift counts only without drift: its weights make the order noisier, and on natural
        pairs the route for no shift, whose posterior is that of the new rows as well, orders better.
        """
        if self.assume == "no drift":
            return self.routes.none_ruled_out(self.routes.probabilities)
        prior = 1.0 if self.assume == "prior shift" else prior_weight(self.candidates.shift)
        return np.array([1 - prior, prior, 0.0])

    @cached_property
    def sides(self) -> dict[str, Sides]:
        """What every model decides for the likeliest class or by the threshold."""
        return sides_of(self.candidates, self.rule)

    @cached_property
    def profits(self) -> dict[str, Sides]:
        """What every model decides by expected benefit."""
        return profit_sides(self.candidates, self.rule)

    @cached_property
    def stake(self) -> float:
        """How much the best decision brings more than the worst one, on average over the labelled rows.

        It gives losses of profit a scale: 1 if both errors cost 1, where the profit is the accuracy less 1.
        """
        rule, data = self.rule, self.candidates
        worth = Worth.of(rule.benefit, rule.classes, rule.positive, n=data.n, table=rule.table)
        amounts = np.broadcast_to(worth.amounts, (data.n, *worth.amounts.shape[1:]))
        of_label = amounts[np.arange(data.n), data.codes]
        return float(data.base @ (of_label.max(axis=1) - of_label.min(axis=1)))

    @property
    def unknowable(self) -> bool:
        """Whether nothing can be estimated of the new rows without labels of them."""
        return unknowable(self.candidates.shift, self.assume) or self.candidates.m < FEWEST_NEW

    @property
    def share_shift(self) -> ShareShift:
        """What may have moved the class proportions if the links between features and label did not change."""
        return ShareShift(prior=float(self.routes.probabilities[KINDS.index("prior")]))

    def sides_for(self, measure: str) -> Mapping[str, Sides]:
        """Return the decisions that a measure is about."""
        # Profits are those of decisions by expected benefit; other measures know no benefit.
        return self.profits if measure == "profit" else self.sides

    def estimate(self, measure: str) -> Estimates:
        """Estimate a measure of every model along every route, once."""
        if measure not in self._estimates:
            sides = self.sides_for(measure)
            self._estimates[measure] = estimate(SOFT_MEASURES[measure], sides, self.candidates, self.routes)
        return self._estimates[measure]

    @cached_property
    def calibrated(self) -> Mixed:
        """The mean of the models' own calibrated probabilities of the new rows, weighted as in the pool."""
        shares = {name: self.routes.pool.shares[name] for name in self.candidates.names}
        total = sum(shares.values())
        return Mixed(
            [self.candidates.calibrated[name] for name in shares], [share / total for share in shares.values()]
        )

    def by_calibration(self, measure: str, sides: Mapping[str, Sides] | None = None) -> Floats:
        """Return the measure that each model's own calibrated probabilities lead one to expect on the new rows.

        Other decisions, given by `sides`, are judged by the mean of all models' probabilities.
        """
        function, data = SOFT_MEASURES[measure].function, self.candidates
        equal = equal_weights(data.m)
        pairs = (
            [(side, data.calibrated[name]) for name, side in self.sides_for(measure).items()]
            if sides is None
            else [(side, self.calibrated) for side in sides.values()]
        )
        return np.array([function(side.new, probable, equal).value for side, probable in pairs])

    def validated(self, measure: str) -> dict[str, float]:
        """Return the measure on the labelled rows, by models that never saw them."""
        if measure not in self._validated:
            function, data = SOFT_MEASURES[measure].function, self.candidates
            self._validated[measure] = {
                name: float(function(side.actual, data.labels, data.base).value)
                for name, side in self.sides_for(measure).items()
            }
        return self._validated[measure]

    def open_labels(self, measure: str, name: str) -> OpenLabels:
        """Return how open the labels of the new rows are, in a model's measure."""
        return OpenLabels(measure, self.sides_for(measure)[name].new, self.routes.posterior)

    def units(self, measure: str, names: Sequence[str] | None = None) -> Floats:
        """Return per model how far apart right and wrong are in a row, in the measure's unit: 1 for the accuracy."""
        chosen = self.candidates.names if names is None else names
        for name in chosen:
            if (measure, name) not in self._units:
                self._units[measure, name] = self.open_labels(measure, name).unit
        return np.array([self._units[measure, name] for name in chosen])


@dataclass(frozen=True, eq=False)
class OpenLabels:
    """New rows whose labels are not known.

    Parameters
    ----------
    measure : str
        What the labels are needed for.
    decided : Decided
        What the model decides.
    posterior : Mixed
        The probabilities of the labels, of shape (m, k).
    """

    measure: str
    decided: Decided
    posterior: RowWise

    @property
    def noise(self) -> Floats:
        """How much each row's label is still open, in the measure's unit, of shape (m,)."""
        soft, noise = self._soft(), np.empty(len(self.posterior))
        for rows in blocks(len(noise)):
            probable, influence = columns_at(self.posterior, rows), soft.at(rows)
            # The standard deviation of what the row adds, over its possible labels.
            off = influence - over_classes(probable, influence)[:, None]
            noise[rows] = np.sqrt(over_classes(probable, off**2))
        return noise

    @property
    def unit(self) -> float:
        """How far apart right and wrong are in a row: the root of the mean square."""
        soft, total = self._soft(), 0.0
        for rows in blocks(len(self.posterior)):
            step = range_over_classes(soft.at(rows))
            total += float(step @ step)
        return math.sqrt(total / len(self.posterior))

    def _soft(self) -> Soft:
        return SOFT_MEASURES[self.measure].function(self.decided, self.posterior, equal_weights(len(self.posterior)))

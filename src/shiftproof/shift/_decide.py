"""Choose one of five answers from the evidence. All limits are here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special

from shiftproof.core import Floats

#: The five answers.
Kind = Literal["none", "prior", "covariate", "unclear", "too different"]

#: Why an answer was chosen; `_words` makes a sentence of each.
Reason = Literal[
    "few rows resemble",
    "rows outside",
    "correlations changed",
    "values are new",
    "few new rows",
    "rare class",
    "no difference",
    "shares same",
    "shares invisible",
    "shares unsure",
    "weak signs",
    "tables differ",
    "shares explain",
    "shares hardly changed",
    "shares explain badly",
    "shares cannot explain",
    "weights explain",
    "nothing explains",
    "shares add to weights",
]

#: A p-value below the first is evidence, one from the second on is none; in between the answer is unclear.
SURE, QUIET = 0.01, 0.05
#: Class proportions are the same if a larger change can be ruled out, and have changed if by at least half of it.
SAME = 0.1
#: Where features say little about the classes, nothing rules out a change of their proportions. If nothing differs, the
#: answer is still "none" as long as chance alone moves the proportions by at most this; set on random halves of tables.
BY_CHANCE = 0.05
#: Above these the new rows are too different. Set on 19 tasks of benchmarks/kind_of_shift.py; 13 others confirmed them.
ENTROPY, OUTSIDE, CORRELATION = 1.2, 0.10, 0.14
#: Above these the tables are not even the same kind of data: new rows outside, new values of one column, and new values
#: of all columns on average. Of 143 natural pairs 9 are above one of them; docs/how-right.md has what was tried.
FOREIGN, NEW_VALUES, MEAN_NEW_VALUES = 0.8, 0.85, 0.25
#: With less uneven weights every single column is as before; the natural pair nearest to that has 0.58.
SAME_COLUMNS = 0.2
#: With fewer new rows the type of shift is unclear.
FEWEST = 20
# By figure of `Evidence.reach`.
_FOREIGN_FROM = {
    "new_values": NEW_VALUES,
    "mean_new_values": MEAN_NEW_VALUES,
    "outside": FOREIGN,
    "correlation_change": CORRELATION,
    "shuffled": OUTSIDE,
}
# The normal quantile for a change that is ruled out at 5%.
_ONE_SIDED_95 = 1.645
#: With fewer labelled rows of a class its moments are too noisy.
RAREST = 5
# Rows outside count only if chance explains them with a smaller probability than this.
_NO_CHANCE = 0.001


@dataclass(frozen=True, eq=False, kw_only=True)
class Evidence:
    """All figures that the answer depends on.

    Attributes
    ----------
    p_none, p_prevalence, p_prior, p_covariate : float
        P-values of four hypotheses: no shift; the same class shares; only the class shares changed; weights by features
        explain the shift.
    gain : float
        How much changed class shares add to the log-likelihood of the new rows, beyond weights by features.
    training, shares, errors : arrays of shape (k,)
        The class shares in the reference, the estimated shares in the new rows, and their standard errors.
    entropy, outside, correlation_change : float
        How uneven the weights are; the share of new rows without a similar labelled row; the change of the
        correlations.
    new_values, mean_new_values : float
        The share of new rows whose value in a column is outside the range of the reference or never occurs in it: in
        the worst column, and on average over the columns.
    n_reference, n_current : int
        The numbers of rows that the figures are based on.
    familiar : bool
        Whether the user's own past data differed as much, so that the new rows count as the same kind of data.
    """

    p_none: float
    p_prevalence: float
    p_prior: float
    p_covariate: float
    gain: float
    training: Floats
    shares: Floats
    errors: Floats
    entropy: float
    outside: float
    correlation_change: float
    new_values: float
    mean_new_values: float
    n_reference: int
    n_current: int
    familiar: bool = False

    @property
    def moved(self) -> float:
        """The largest change of a class share."""
        return float(np.abs(self.shares - self.training).max())

    @property
    def rarest(self) -> int:
        """The number of labelled rows of the rarest class."""
        return round(float(self.training.min()) * self.n_reference)

    @property
    def reach_of_shares(self) -> float:
        """The largest change of a class share that cannot be ruled out; no share changes by more than 1."""
        return reach_of_shares(self.shares, self.errors, self.training)

    @property
    def shares_by_chance(self) -> float:
        """How much a class share differs by chance alone between two tables of these sizes."""
        rows = 1 / self.n_reference + 1 / self.n_current
        return float(_ONE_SIDED_95 * np.sqrt(self.training * (1 - self.training) * rows).max())

    @property
    def gain_limit(self) -> float:
        """The gain from which class shares count as changed too; above 0, because weights never fit perfectly."""
        # The misfit of weights adds to the log-likelihood in proportion to the new rows.
        return 3 + 0.01 * self.n_current

    @property
    def resembling(self) -> float:
        """The share of the labelled rows that resemble the new ones: weights of this entropy are worth so many."""
        return math.exp(-self.entropy)

    @property
    def weights_too_uneven(self) -> bool:
        """Whether only a few labelled rows resemble the new data."""
        return self.entropy > ENTROPY

    @property
    def too_many_outside(self) -> bool:
        """Whether too many new rows have no similar labelled row."""
        return self.outside > OUTSIDE

    @property
    def outside_by_chance(self) -> bool:
        """Whether chance could explain the rows without a similar labelled row; a small reference has more of them."""
        # 1% of the reference rows lie beyond their own 99% quantile, which few rows give only to within some rows.
        usual = min(0.01 + 5 / self.n_reference, 1.0)
        count = round(self.outside * self.n_current)
        return not special.bdtrc(count - 1, self.n_current, usual) < _NO_CHANCE

    @property
    def foreign(self) -> bool:
        """Whether the new rows are a different kind of data, beyond what natural drift explains."""
        return bool(self.foreign_by) and not self.familiar

    @property
    def reach(self) -> dict[str, float]:
        """How far the new rows are from the reference, in each figure that can make them a different kind of data."""
        # The range of a few rows says nothing, and neither do a few new rows.
        enough = min(self.n_reference, self.n_current) >= FEWEST
        return {
            "new_values": self.new_values if enough else 0.0,
            "mean_new_values": self.mean_new_values if enough else 0.0,
            "outside": self.outside,
            "correlation_change": self.correlation_change,
            # Every column as before, but rows unlike any labelled one: the columns do not belong together.
            "shuffled": self.outside if self.entropy < SAME_COLUMNS else 0.0,
        }

    @property
    def foreign_by(self) -> dict[str, float]:
        """What makes the new rows a different kind of data: the figures of `reach` that are above their limit."""
        return {name: value for name, value in self.reach.items() if value > _FOREIGN_FROM[name]}

    @property
    def values_are_new(self) -> bool:
        """Whether nearly all values of one column, or many values of all columns, are new."""
        return not self.foreign_by.keys().isdisjoint(("new_values", "mean_new_values"))

    @property
    def correlated_differently(self) -> bool:
        """Whether the features are correlated too differently."""
        return self.correlation_change > CORRELATION


def reach_of_shares(shares: Floats, errors: Floats, training: Floats) -> float:
    """Return the largest change of a class share that cannot be ruled out."""
    return min(float((np.abs(shares - training) + _ONE_SIDED_95 * errors).max()), 1.0)


def decide(evidence: Evidence) -> tuple[Kind, tuple[Reason, ...]]:
    """Choose the type of shift, and the reasons for it."""
    # First, because the tests below compare tables that overlap.
    refusals = _too_different(evidence)
    if refusals:
        return "too different", refusals
    if evidence.n_current < FEWEST:
        return "unclear", ("few new rows",)
    if evidence.rarest < RAREST:
        return "unclear", ("rare class",)
    if evidence.p_none >= QUIET:
        return _nothing_differs(evidence)
    if evidence.p_none >= SURE:
        return "unclear", ("weak signs",)
    if evidence.p_prior >= QUIET:
        hardly = evidence.p_prevalence >= SURE or evidence.moved < SAME / 2
        return ("unclear", ("shares hardly changed",)) if hardly else ("prior", ("tables differ", "shares explain"))
    if evidence.p_prior >= SURE:
        return "unclear", ("shares explain badly",)
    if evidence.p_covariate < SURE:
        return "unclear", ("nothing explains",)
    # Weights by features can imitate a prior shift; the likelihood distinguishes the two.
    if evidence.gain >= evidence.gain_limit:
        return "unclear", ("shares add to weights",)
    return "covariate", ("shares cannot explain", "weights explain")


def _nothing_differs(evidence: Evidence) -> tuple[Kind, tuple[Reason, ...]]:
    if evidence.reach_of_shares <= SAME:
        return "none", ("no difference", "shares same")
    if evidence.shares_by_chance <= BY_CHANCE:
        return "none", ("no difference", "shares invisible")
    return "unclear", ("shares unsure",)


def _too_different(evidence: Evidence) -> tuple[Reason, ...]:
    reasons: dict[Reason, bool] = {
        "few rows resemble": evidence.weights_too_uneven,
        "rows outside": evidence.too_many_outside and not evidence.outside_by_chance,
        "correlations changed": evidence.correlated_differently,
        "values are new": evidence.values_are_new,
    }
    return tuple(reason for reason, applies in reasons.items() if applies)

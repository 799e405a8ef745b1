"""How far estimates may be off because real data drift: what natural shifts have shown.

Estimates assume that the rules linking features to the label stayed the same. Between years, places or groups they
change a little, which no method can see without labels. How much that adds to an error was measured on pairs of real
tables (benchmarks/real_shifts.py), and intervals allow for it unless the caller knows better.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from shiftproof.case._along_routes import Estimates
from shiftproof.case._mixture import SAFETY
from shiftproof.case._routes import KINDS
from shiftproof.core import Floats
from shiftproof.shift import QUIET, SURE, PartShift, ShiftKind
from shiftproof.stats import cauchy_combination

#: What may have changed: the rules linking features to the label, as they naturally drift; everything but these rules;
#: or nothing but the class proportions.
Assume = Literal["natural", "no drift", "prior shift"]
ASSUMPTIONS: tuple[Assume, ...] = get_args(Assume)
# The odds of a purely prior shift are this many times the size of the visible change (-log10 of its p-value) times the
# p-value of prior shift. No test can tell textbook prior shifts and natural pairs apart where the change is small, so
# this number also sets how often one expects a purely prior shift.
_ODDS, _MOST_DIGITS = 6.0, 300.0
# Between these chances both answers are given.
_SURELY_MORE, _SURELY_PRIOR = 0.1, 0.9
# Errors where only the class proportions changed: never below this, in units of one row right or wrong.
_LEAST_ERROR = 0.008
# What drift adds where no shift is visible, as a share of what every shift adds. A third more would leave hardly any
# model that can be trusted.
_QUIET = 0.79
#: The chance that the link between features and label breaks, and how much worse the measure then gets, in units of
#: what every shift adds: 13 points of accuracy.
BREAK_CHANCE, BREAK_SIZE = 0.07, 7.0


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """The standard error that natural drift adds to an estimate of one measure.

    Fitted to natural pairs by maximum likelihood, each data set counting once (`python benchmarks/real_shifts.py`):
    Student's t with 4 degrees of freedom, and a small chance of a break.

    Attributes
    ----------
    constant : float
        What every shift adds, in units of one row right or wrong.
    by_move : float
        More, per difference between the estimate and the validated figure.
    """

    constant: float
    by_move: float


_ACCURACY = Allowance(constant=0.0192, by_move=0.2452)
#: By measure.
ALLOWANCES: Mapping[str, Allowance] = {
    "accuracy": _ACCURACY,
    "error": _ACCURACY,
    "precision": Allowance(constant=0.0616, by_move=0.4697),
    "recall": Allowance(constant=0.0118, by_move=0.1919),
    "f1": Allowance(constant=0.0169, by_move=0.2910),
    "auc": Allowance(constant=0.0110, by_move=0.4328),
    "brier": Allowance(constant=0.0147, by_move=0.2151),
    "profit": Allowance(constant=0.0211, by_move=0.2137),
}


@dataclass(frozen=True, eq=False, kw_only=True)
class Drifted:
    """One measure of l models, as natural shifts have it.

    Attributes
    ----------
    values : ndarray of shape (l,)
        The estimates.
    covariance : ndarray of shape (l, l)
        The errors from the rows at hand.
    allowance : ndarray of shape (l,)
        The standard errors that drift adds; drift is common to the models.
    broken : ndarray of shape (l,)
        What a break adds to the values: a loss.
    """

    values: Floats
    covariance: Floats
    allowance: Floats
    broken: Floats


def unknowable(shift: ShiftKind, assume: Assume) -> bool:
    """Return whether nothing can be estimated without labels.

    The data are another kind of data. Without drift, it is enough that the labelled data hardly cover the new data; if
    only the class proportions may have changed, that something else did.
    """
    if assume == "prior shift" and shift.kind != "none" and shift.p_prior < SURE:
        return True
    return shift.refused and (assume == "no drift" or shift.evidence.foreign)


def prior_weight(shift: ShiftKind) -> float:
    """Return how far the evidence is for a change of nothing but the class proportions, from 0 to 1."""
    return 0.0 if shift.kind == "none" else prior_chance(shift.p_none, shift.p_prior)


def prior_chance(p_none: float, p_prior: float) -> float:
    """Return the chance that nothing but the class proportions changed, by the p-values of no shift and of prior shift.

    Examples
    --------
    >>> [round(prior_chance(p_none, 0.3), 2) for p_none in (0.5, 1e-3, 1e-30)]
    [0.35, 0.84, 0.98]
    >>> round(prior_chance(1e-30, 1e-5), 3)
    0.002
    """
    odds = _ODDS * min(-math.log10(max(p_none, 10**-_MOST_DIGITS)), _MOST_DIGITS) * p_prior
    return odds / (1 + odds)


def undecided(prior: float) -> bool:
    """Return whether the data leave open if nothing but the class proportions changed."""
    return _SURELY_MORE < prior < _SURELY_PRIOR


@dataclass(frozen=True, kw_only=True)
class ShareShift:
    """What may have moved the class proportions of some new rows.

    Attributes
    ----------
    prior : float
        How far the evidence is for a change of nothing but the class proportions, from 0 to 1.
    quiet : bool
        Whether no shift is visible.
    unseen : float
        The largest change of a share that cannot be ruled out.
    """

    prior: float
    quiet: bool = False
    unseen: float = 0.0

    @classmethod
    def of(cls, shift: ShiftKind) -> ShareShift:
        """Return that of all rows of a table."""
        return cls(prior=prior_weight(shift), quiet=shift.kind == "none", unseen=shift.evidence.reach_of_shares)


def share_shifts(whole: ShiftKind, parts: Sequence[PartShift]) -> list[ShareShift]:
    """Return what may have moved the class proportions of parts of the new rows.

    Parts such as months may shift although they average to what the labelled rows are. What a part has too few rows to
    show is borrowed from all parts together: that something changed, and that it was more than the class proportions.
    """
    equal = [1.0] * len(parts)
    changed = cauchy_combination([part.p_none for part in parts], equal)
    beyond = cauchy_combination([part.p_prior for part in parts], equal)
    if changed >= QUIET:
        quiet, prior = whole.kind == "none", prior_weight(whole)
        return [ShareShift(prior=prior, quiet=quiet, unseen=part.reach) for part in parts]
    return [
        ShareShift(prior=prior_chance(min(part.p_none, changed), min(part.p_prior, beyond)), unseen=part.reach)
        for part in parts
    ]


def drifted(
    estimates: Estimates, calibrated: Floats, *, measure: str, validated: Floats, units: Floats, higher_is_better: bool
) -> Drifted:
    """Estimate a measure of every model as natural shifts have shown it, with an allowance for drift.

    The estimate is the mean of three: the route for covariate shift, the posterior of all models without correction,
    and each model's own calibrated probabilities. Each is worse alone: the first is too optimistic on natural shifts,
    the second too pessimistic where little changed, the third blind to what other models see.

    Parameters
    ----------
    estimates : Estimates
        The measure along every route.
    calibrated : ndarray of shape (l,)
        The measure that each model's own calibrated probabilities lead one to expect.
    measure : str
        A key of `ALLOWANCES`.
    validated, units : ndarrays of shape (l,)
        The measure on the labelled rows; what one row right or wrong makes.
    higher_is_better : bool
        Whether the larger value wins.
    """
    rule, covariate = ALLOWANCES[measure], KINDS.index("covariate")
    values = (estimates.values()[covariate] + estimates.said[KINDS.index("none")] + calibrated) / 3
    return Drifted(
        values=values,
        covariance=estimates.covariances()[covariate],
        allowance=rule.constant * units + rule.by_move * abs(values - validated),
        broken=(-BREAK_SIZE if higher_is_better else BREAK_SIZE) * rule.constant * units,
    )


def errors_of_prior(estimates: Estimates, units: Floats) -> Floats:
    """Return the covariance of the errors where only the class proportions changed."""
    return np.asarray(
        SAFETY**2 * estimates.covariances()[KINDS.index("prior")] + _LEAST_ERROR**2 * np.outer(units, units)
    )


def quiet_allowance(measure: str, units: Floats) -> Floats:
    """Return the standard errors that drift adds where no shift is visible."""
    return _QUIET * ALLOWANCES[measure].constant * units

"""One posterior from all models: each at its best temperature, weighted by its log loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from shiftproof.case._candidates import Candidates
from shiftproof.core import Codes, Floats, log_softmax_at, softmax_of_logs

#: The name of the forest behind the type of shift among the pool's members.
FOREST = "a helper forest"
# A model whose log loss is worse by this much counts a third (1/e) of the best.
_LITTLE_WORSE = 0.05
# Probabilities below this are taken for this; logarithms need it.
_RAREST = 1e-3
# Logarithms of the exponent: from a twelfth to four and a half times as sure as the model says.
_COOLEST, _HOTTEST = -2.5, 1.5


@dataclass(frozen=True, eq=False)
class Tempered:
    """Probabilities raised to a power that fits the labels best, and their log loss."""

    old: Floats
    new: tuple[Floats, ...]
    exponent: float
    log_loss: float


@dataclass(frozen=True, eq=False)
class Pool:
    """The models' weighted mean: probabilities of the classes of labelled rows, out of fold, and of new ones.

    Attributes
    ----------
    old, new, comparable : ndarrays of shapes (n, k), (m, k) and (m, k)
        The posterior; the last one is made from scores that compare with the first.
    shares : mapping of str to float
        The weight of each member; they add up to 1.
    """

    old: Floats
    new: Floats
    comparable: Floats
    shares: Mapping[str, float]


def tempered(old: Floats, codes: Codes, *new: Floats) -> Tempered:
    """Set probabilities to the temperature that fits the labels best.

    Examples
    --------
    >>> sure = np.array([[0.99, 0.01], [0.99, 0.01], [0.99, 0.01], [0.01, 0.99]])
    >>> tempered(sure, np.array([0, 0, 1, 1]), sure[:1]).new[0].round(2)
    array([[0.75, 0.25]])
    """
    logs = np.log(np.clip(old, _RAREST, 1.0))

    def log_loss(log_exponent: float) -> float:
        return -float(log_softmax_at(np.exp(log_exponent) * logs, codes).mean())

    best = optimize.minimize_scalar(log_loss, bounds=(_COOLEST, _HOTTEST), method="bounded")
    exponent = float(np.exp(best.x))

    # Powers of probabilities, normalised: a softmax of scaled logarithms.
    def cooled(each: Floats) -> Floats:
        return softmax_of_logs(each, _RAREST, exponent)

    return Tempered(cooled(old), tuple(map(cooled, new)), exponent, float(best.fun))


def pooled(candidates: Candidates) -> Pool:
    """Join all models and the forest behind the type of shift."""
    codes = candidates.codes
    members = {name: _tempered_model(candidates, name) for name in candidates.names}
    if candidates.reference is not None:
        old, new = candidates.reference
        # The forest scores new rows in one way, which serves for both.
        members[FOREST] = tempered(old, codes, new)
    # Proportional to exp(-20 x log loss).
    shares = special.softmax(-np.array([each.log_loss for each in members.values()]) / _LITTLE_WORSE)
    parts = [*members.values()]
    old, new = (_weighted_sum(shares, each) for each in ([one.old for one in parts], [one.new[0] for one in parts]))
    alike = all(len(one.new) == 1 for one in parts)
    comparable = new if alike else _weighted_sum(shares, [one.new[-1] for one in parts])
    return Pool(old, new, comparable, dict(zip(members, shares.tolist(), strict=True)))


def _tempered_model(candidates: Candidates, name: str) -> Tempered:
    """Set one model to its best temperature; scores of new rows that serve for both are tempered once."""
    new, comparable = candidates.new[name], candidates.comparable[name]
    both = (new,) if new is comparable else (new, comparable)
    return tempered(candidates.old[name], candidates.codes, *both)


def _weighted_sum(shares: Floats, parts: Sequence[Floats]) -> Floats:
    if len(parts) == 1:
        return parts[0]
    total = shares[0] * parts[0]
    for share, part in zip(shares[1:], parts[1:], strict=True):
        total += share * part
    return np.asarray(total)

"""How far margins can be believed, found out on the user's own rows.

The labelled rows are split again and again, one half is shifted, and the models are ordered on it as if its labels
were not known. How often a margin was right says how wide differences really scatter. Nothing is fitted for that:
all scores are there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from shiftproof.case import Candidates, Route, Routes, Sides, SoftMeasure, by_shares, estimate, one_hot, pooled
from shiftproof.core import Floats, InputError, Rows
from shiftproof.counting import METHODS, Labelled, Samples
from shiftproof.simulation import at_prevalence, soft_selection

#: How often the ranking is rehearsed, in turn without a shift and with each type.
TIMES = 40
# A rehearsal of more rows is slower, of fewer too noisy to judge a margin.
_MOST_ROWS, _FEWEST_ROWS = 2_000, 40
#: At most so many labelled rows take part.
MOST_LABELLED = 5_000
# A scale beyond these says that the rehearsals were odd, not the margins.
_NARROWEST, _WIDEST = 0.5, 4.0
# So many pairs' worth of belief that errors are what they seem.
_PRIOR_PAIRS = 20.0


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """How well models were ranked on shifted halves of the labelled rows.

    Attributes
    ----------
    scale : float
        How many times more the differences vary than their standard errors say; 1 if the standard errors are right.
    right : float
        The share of pairs that were ordered correctly; NaN if there were no pairs.
    pairs, times : int
        The number of pairs, and of rehearsals.
    """

    scale: float
    right: float
    pairs: int
    times: int


@dataclass(frozen=True, eq=False)
class _Split:
    near: Rows
    far: Rows
    kind: str


def rehearse(
    candidates: Candidates,
    measure: SoftMeasure,
    sides: Mapping[str, Sides],
    columns: Sequence[Sequence[Any]],
    *,
    trust: float,
    rng: np.random.Generator,
    rows: Rows | None = None,
    times: int = TIMES,
) -> Rehearsal:
    """Order the models on shifted halves of the labelled rows, and see how often that is right.

    Parameters
    ----------
    candidates : Candidates
        What the models say.
    measure : SoftMeasure
        What they are ordered by.
    sides : mapping of str to Sides
        What they decide; only labelled rows are looked at.
    columns : sequence of columns
        Features to shift by, each with the values of the rows that take part; without any, scores are used.
    trust : float
        How much of the correction by labelled rows to take.
    rng : Generator
        For splits and shifts.
    rows : ndarray of int, optional
        The labelled rows that take part; by default all.
    times : int
        How many rehearsals.
    """
    margins, hits, done = [], [], 0
    part = np.arange(candidates.n) if rows is None else rows
    # Texts have no columns; a shift by a model's own scores serves as well.
    by = list(columns) or [candidates.old[name][part, -1].tolist() for name in candidates.names]
    for at in range(times):
        split = _split(candidates, part, by, at, rng)
        if split is None:
            continue
        margin, truth = _one(candidates, measure, sides, split, trust)
        pairs = np.triu_indices(len(candidates.names), 1)
        # Comparisons with NaN, of measures that are not defined, are false.
        told = (np.abs(truth[pairs]) > 1e-12) & (np.abs(margin[pairs]) > 1e-12)
        margins.append(np.abs(margin[pairs][told]))
        hits.append(np.sign(margin[pairs][told]) == np.sign(truth[pairs][told]))
        done += 1
    sizes, right = (np.concatenate(each) if each else np.zeros(0) for each in (margins, hits))
    found = float(right.mean()) if len(right) else float("nan")
    return Rehearsal(_fit_scale(sizes, right.astype(bool)), found, len(right), done)


def _split(
    candidates: Candidates, rows: Rows, by: Sequence[Sequence[Any]], at: int, rng: np.random.Generator
) -> _Split | None:
    """Halve the rows, and shift one half: not at all, by a column, or by the class proportions, in turn."""
    order = rng.permutation(len(rows))[:_MOST_ROWS]
    near, far = rows[order[: len(order) // 2]], rows[order[len(order) // 2 :]]
    # In turn, so that every type has its part however many rehearsals there are.
    kind = ("covariate", "prior", "none")[at % 3]
    if kind == "covariate":
        values = by[int(rng.integers(len(by)))]
        try:
            _, kept = soft_selection(
                {"by": [values[place] for place in order[len(order) // 2 :]]}, "by", random_state=rng
            )
        except InputError:  # a column that cannot be put in order
            return None
        far = far[kept]
    elif kind == "prior":
        far = far[_tilted(candidates.codes[far], candidates.k, rng)]
    # A class with a single row teaches nothing.
    known = np.bincount(candidates.codes[near], minlength=candidates.k)
    return _Split(near, far, kind) if len(far) >= _FEWEST_ROWS // 2 and known.min() >= 2 else None


def _tilted(codes: NDArray[np.int64], k: int, rng: np.random.Generator) -> Rows:
    """Keep rows so that the classes' odds change by up to nine times."""
    # Each class by up to three times, so that the odds of two change by up to nine.
    shares = np.bincount(codes, minlength=k) * np.exp(rng.uniform(-np.log(9), np.log(9), size=k) / 2)
    present = np.flatnonzero(shares)
    if len(present) < 2:
        return np.arange(len(codes))
    wanted = {int(code): float(shares[code] / shares.sum()) for code in present}
    try:
        return at_prevalence(codes, wanted, random_state=rng)
    except InputError:  # a class so rare that no row of it would be left
        return np.arange(len(codes))


def _one(
    candidates: Candidates, measure: SoftMeasure, sides: Mapping[str, Sides], split: _Split, trust: float
) -> tuple[Floats, Floats]:
    """Return all pairs' differences by their errors, and the true ones."""
    near, far = split.near, split.far
    new = {name: candidates.old[name][far] for name in candidates.names}
    part = replace(
        candidates,
        codes=candidates.codes[near],
        folds=candidates.folds[:, near],
        # One score per row: `old` has picked its repeat already.
        repeats={name: each[None, near] for name, each in candidates.old.items()},
        new=new,
        comparable=new,
        rows=candidates.among_all(near),
        base=candidates.base[near] / candidates.base[near].sum(),
        groups=None if candidates.groups is None else candidates.groups[near],
        # The forest scored the real new rows, not this half.
        without_forest=True,
    )
    halves = {
        name: Sides(actual=side.actual.take(near), expected=side.expected.take(near), new=side.expected.take(far))
        for name, side in sides.items()
    }
    pool = pooled(part)
    way = Route(split.kind, pool.old, pool.new, part.base)
    if split.kind == "prior":
        labelled = Labelled(pool.old, part.codes).with_weights(part.base)
        # Much cheaper than the default quantifier, which would run in every third rehearsal.
        counted = METHODS["expectation maximization"].learn(labelled).estimate(Samples.of(pool.new))[0]
        way = by_shares(part, pool, counted)
    # The type of shift is known here, so there is one route.
    one = np.ones(1)
    found = estimate(measure, halves, part, Routes((way,), one, 0.0, (), part.prevalence, pool))
    values, errors = found.values(trust)[0], found.covariances(trust)[0]
    apart = values[:, None] - values[None, :]
    spread = np.diag(errors)[:, None] + np.diag(errors)[None, :] - 2 * errors
    labels, equal = one_hot(candidates.codes[far], candidates.k), np.full(len(far), 1 / len(far))
    truth = np.array([measure.function(side.actual.take(far), labels, equal).value for side in sides.values()])
    # Models that decide alike have no spread; 0 / 0 would be NaN.
    return apart / np.sqrt(np.maximum(spread, 1e-12)), truth[:, None] - truth[None, :]


def _fit_scale(margins: Floats, right: NDArray[np.bool_]) -> float:
    """Find the scale under which the margins tell best how often they are right."""

    def unlikely(log_scale: float) -> float:
        scale = float(np.exp(log_scale))
        # Probit: a margin of z standard errors is right with probability Phi(z / scale).
        said = special.log_ndtr(np.where(right, margins, -margins) / scale)
        return -float(said.sum()) + _PRIOR_PAIRS * log_scale**2

    bounds = (float(np.log(_NARROWEST)), float(np.log(_WIDEST)))
    return float(np.exp(optimize.minimize_scalar(unlikely, bounds=bounds, method="bounded").x))

"""Compute all evidence about the type of shift from both tables' functions and the labels of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Floats
from shiftproof.shift._balance import Balance, balance
from shiftproof.shift._battery import battery, pooled
from shiftproof.shift._copies import copies
from shiftproof.shift._covariate import class_gain, unbalanced
from shiftproof.shift._decide import Evidence, reach_of_shares
from shiftproof.shift._features import Feature
from shiftproof.shift._functions import legendre, midranks
from shiftproof.shift._prevalence import ClassMixture, estimate_mixture, leftover
from shiftproof.shift._reach import correlation_change, outside_share
from shiftproof.shift._reference_score import ReferenceScores, calibrated, reference_scores
from shiftproof.stats import cauchy_combination

# The score carries most of the evidence. With more classes there are more scores, so fewer polynomials of each.
_DEGREE_OF_TWO, _DEGREE_OF_MORE = 4, 2
# Divided by the new rows: their means are off by chance, and the weights need not follow that.
_RIDGE = 4.0
# Balancing costs the cube of the number of functions; the reach the square of the number of rows.
_MOST_FUNCTIONS = 300
_MOST_ROWS, _MOST_COORDINATES = 2_000, 200


@dataclass(frozen=True, eq=False)
class Gathered:
    """The evidence, estimates that other packages use, and the share of new rows that are copies."""

    evidence: Evidence
    mixture: ClassMixture
    weights: Floats
    scores: ReferenceScores
    copied: float


def gather(
    features: Sequence[Feature], codes: NDArray[np.int64], rng: np.random.Generator, n_jobs: int | None
) -> Gathered:
    """Compute all evidence.

    Parameters
    ----------
    features : sequence of Feature
        At least one, each with at least one function.
    codes : array of shape (n,)
        The classes of the reference rows.
    rng : Generator
        For the folds, the forest, and rows and functions drawn where there are many.
    n_jobs : int, optional
        Trees grown at a time.
    """
    n, m = len(codes), len(features[0].unseen)
    coordinates = _stacked([f.reference.coordinates for f in features], [f.current.coordinates for f in features])
    copy_of = copies([f.places for f in features])
    scores = reference_scores(coordinates[0], codes, coordinates[1], rng=rng, copy_of=copy_of, n_jobs=n_jobs)
    score = _score_moments(scores)
    counts = np.bincount(codes)
    mixture = estimate_mixture(score[0], codes, score[1])
    p_prevalence = mixture.p_same(counts)
    p_features, p_prior = _moment_tests(features, score, codes, mixture, slice(None))

    functions = _principal(
        *_stacked([f.reference.balanced for f in features], [f.current.balanced for f in features]), rng
    )
    balanced = balance(functions[0], functions[1].mean(axis=0), _RIDGE / m)
    unseen = np.any([f.unseen for f in features], axis=0)
    outside, correlations = _reach(coordinates, unseen, [balanced.weights, (mixture.shares / counts)[codes]], rng)
    evidence = Evidence(
        # Cauchy's combination holds for dependent p-values.
        p_none=cauchy_combination([p_features, p_prevalence], [2.0, 1.0]),
        p_prevalence=p_prevalence,
        p_prior=p_prior,
        p_covariate=unbalanced(score, functions, balanced.weights).quadratic(),
        gain=_gain(scores, codes, functions, balanced, mixture.shares),
        training=counts / n,
        shares=mixture.shares,
        errors=mixture.errors,
        entropy=balanced.entropy,
        outside=outside,
        correlation_change=correlations,
        new_values=max(f.beyond for f in features),
        mean_new_values=float(np.mean([f.beyond for f in features])),
        n_reference=n,
        n_current=m,
    )
    return Gathered(evidence, mixture, balanced.weights, scores, float((copy_of >= 0).mean()))


class PartShift(NamedTuple):
    """What a part of the new rows, such as a month, shows.

    Attributes
    ----------
    p_none, p_prior : float
        The p-values of no shift, and of a change of nothing but the class proportions.
    reach : float
        The largest change of a class share that cannot be ruled out.
    """

    p_none: float
    p_prior: float
    reach: float


def gather_by_part(
    features: Sequence[Feature],
    codes: NDArray[np.int64],
    parts: Sequence[NDArray[np.intp]],
    rng: np.random.Generator,
    n_jobs: int | None,
) -> list[PartShift]:
    """Test parts of the new rows; parameters are those of `gather`."""
    coordinates = _stacked([f.reference.coordinates for f in features], [f.current.coordinates for f in features])
    copy_of = copies([f.places for f in features])
    scores = reference_scores(coordinates[0], codes, coordinates[1], rng=rng, copy_of=copy_of, n_jobs=n_jobs)
    score, found = _score_moments(scores), []
    training = np.bincount(codes) / len(codes)
    for rows in parts:
        mixture = estimate_mixture(score[0], codes, score[1][rows])
        p_features, p_prior = _moment_tests(features, (score[0], score[1][rows]), codes, mixture, rows)
        p_same = mixture.p_same(np.bincount(codes))
        p_none = cauchy_combination([p_features, p_same], [2.0, 1.0])
        found.append(PartShift(p_none, p_prior, reach_of_shares(mixture.shares, mixture.errors, training)))
    return found


def _moment_tests(
    features: Sequence[Feature],
    score: tuple[Floats, Floats],
    codes: NDArray[np.int64],
    mixture: ClassMixture,
    rows: NDArray[np.intp] | slice,
) -> tuple[float, float]:
    """Test all moments for any change, and for a change beyond the mixture of the classes, in some new rows."""
    moments = _stacked(
        [f.reference.functions for f in features] + [score[0]],
        [f.current.functions[rows] for f in features] + [score[1]],
    )
    ends = np.cumsum([f.reference.functions.shape[1] for f in features]).tolist()
    blocks = [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]
    of_score = slice(ends[-1], moments[0].shape[1])
    p_features = battery(pooled(*moments), blocks, of_score)
    return p_features, battery(leftover(moments[0], codes, moments[1], mixture, of_score), blocks, of_score)


def _stacked(reference: list[Floats], current: list[Floats]) -> tuple[Floats, Floats]:
    return np.hstack(reference), np.hstack(current)


def _score_moments(scores: ReferenceScores) -> tuple[Floats, Floats]:
    """Return Legendre polynomials of the scores' ranks; with two classes, of one score."""
    k = scores.reference.shape[1]
    columns, degree = ([1], _DEGREE_OF_TWO) if k == 2 else (list(range(k)), _DEGREE_OF_MORE)
    old = [legendre(midranks(scores.reference[:, c]), degree) for c in columns]
    new = [legendre(midranks(scores.reference[:, c], scores.current[:, c]), degree) for c in columns]
    return np.hstack(old), np.hstack(new)


def _gain(
    scores: ReferenceScores,
    codes: NDArray[np.int64],
    functions: tuple[Floats, Floats],
    balanced: Balance,
    shares: Floats,
) -> float:
    probabilities = calibrated(scores, codes)
    return class_gain(
        (probabilities.reference, probabilities.current),
        functions,
        balanced,
        training=np.bincount(codes) / len(codes),
        shares=shares,
        ridge=_RIDGE / len(functions[1]),
    )


def _principal(reference: Floats, current: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Keep the principal directions where there are too many functions."""
    if reference.shape[1] <= _MOST_FUNCTIONS:
        return reference, current
    from sklearn.utils.extmath import randomized_svd

    centre = reference.mean(axis=0)
    # In place: both were stacked for this call, and copies of thousands of columns take much memory.
    reference -= centre
    current -= centre
    most = min(_MOST_FUNCTIONS, len(reference))
    directions = randomized_svd(reference, most, random_state=int(rng.integers(2**31)))[2].T
    return reference @ directions, current @ directions


def _reach(
    coordinates: tuple[Floats, Floats], unseen: NDArray[np.bool_], weights: list[Floats], rng: np.random.Generator
) -> tuple[float, float]:
    """Return the share of new rows outside, and the change of correlations that no kind of shift explains."""
    old, new = coordinates
    rows, new_rows = _some(len(old), _MOST_ROWS, rng), _some(len(new), _MOST_ROWS, rng)
    columns = _some(old.shape[1], _MOST_COORDINATES, rng)
    outside = outside_share(old[rows], new[new_rows], unseen[new_rows])
    near, far = old[rows][:, columns], new[new_rows][:, columns]
    equal = np.ones(len(old))
    # Either type of shift changes correlations, too; what neither set of weights explains is too different.
    return outside, min(correlation_change(near, far, weight[rows]) for weight in (equal, *weights))


def _some(n: int, most: int, rng: np.random.Generator) -> NDArray[np.int64]:
    return np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))

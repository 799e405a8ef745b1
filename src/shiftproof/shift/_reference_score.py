"""Score both tables by models that separate the classes and never saw the row."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from shiftproof.core import Floats, log_softmax_at, softmax_rows

_FOLDS, _TREES, _LEAF = 5, 50, 2
# Forests give probabilities of exactly 0, whose logarithm is infinite.
_RAREST = 0.01


@dataclass(frozen=True, eq=False)
class ReferenceScores:
    """Probabilities of the classes, out of fold: shapes (n, k) and (n_T, k), one column per class."""

    reference: Floats
    current: Floats


def reference_scores(
    reference: Floats,
    codes: NDArray[np.int64],
    current: Floats,
    *,
    rng: np.random.Generator,
    copy_of: NDArray[np.int64] | None = None,
    n_jobs: int | None = None,
) -> ReferenceScores:
    """Score both tables by a forest (ExtraTrees, 50 trees, leaves of two).

    A reference row is scored by the model of the four folds it is not in, a new row by the model of *one* fold drawn
    at random. The mean of the folds' models, or a model of all rows, is sharper than those behind the out-of-fold
    scores, and the two sides would differ without any shift. A new row that is a copy of a reference row
    (`copy_of`, -1 for none) goes to the model that has not seen it.
    """
    from sklearn.ensemble import ExtraTreesClassifier

    n, m, k = len(reference), len(current), int(codes.max()) + 1
    folds = min(_FOLDS, n)
    fold_of = _dealt(codes, folds, rng)
    fold_of_new = rng.permutation(m) % folds
    if copy_of is not None:
        fold_of_new = np.where(copy_of >= 0, fold_of[copy_of], fold_of_new)
    old, new = np.zeros((n, k)), np.zeros((m, k))
    for fold in range(folds):
        inside = fold_of == fold
        forest = ExtraTreesClassifier(
            _TREES, min_samples_leaf=_LEAF, random_state=int(rng.integers(2**31)), n_jobs=n_jobs
        )
        with warnings.catch_warnings():  # of many classes with few rows each, which the evidence shows
            warnings.simplefilter("ignore", UserWarning)
            forest.fit(reference[~inside], codes[~inside])
        forest.n_jobs = None  # threads add the trees up in any order, and rounding would break ties
        known = forest.classes_
        old[np.ix_(inside, known)] = forest.predict_proba(reference[inside])
        scored = fold_of_new == fold
        if scored.any():
            new[np.ix_(scored, known)] = forest.predict_proba(current[scored])
    return ReferenceScores(old, new)


def calibrated(scores: ReferenceScores, codes: NDArray[np.int64]) -> ReferenceScores:
    """Turn scores into probabilities that fit the reference rows: logistic of two classes, one exponent for more."""
    from sklearn.linear_model import LogisticRegression

    old, new = (np.log(np.clip(side, _RAREST, 1.0)) for side in (scores.reference, scores.current))
    if old.shape[1] == 2:
        model = LogisticRegression(max_iter=200).fit(np.diff(old, axis=1), codes)
        return ReferenceScores(*(model.predict_proba(np.diff(side, axis=1)) for side in (old, new)))

    def log_loss(log_exponent: float) -> float:
        return -float(log_softmax_at(np.exp(log_exponent) * old, codes).mean())

    best = float(np.exp(optimize.minimize_scalar(log_loss, bounds=(-2.0, 2.0), method="bounded").x))
    return ReferenceScores(softmax_rows(best * old), softmax_rows(best * new))


def _dealt(codes: NDArray[np.int64], folds: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Deal the rows out to folds, each class evenly, however rare."""
    order = np.lexsort((rng.random(len(codes)), codes))
    fold_of = np.empty(len(codes), dtype=np.int64)
    fold_of[order] = np.arange(len(codes)) % folds
    return fold_of

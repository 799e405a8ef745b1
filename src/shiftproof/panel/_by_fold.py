"""Score new rows by the folds' models: each row by the models of the folds that some labelled row was tested in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Floats, Phrase, fault, one_thread
from shiftproof.panel._inputs import take
from shiftproof.panel._scoring import Scorer

# For each repeat and row the number of a fold; -1 where no model tested the row.
_Folds = NDArray[np.int64]


def draw_folds(folds: _Folds, size: int, rng: np.random.Generator) -> _Folds:
    """Draw for each of so many new rows the folds of some labelled row, in proportion up to one row.

    Examples
    --------
    >>> draw_folds(np.array([[0, 0, 1, 1]]), 6, np.random.default_rng(0)).sum()
    np.int64(3)
    """
    tested = np.flatnonzero((folds >= 0).any(axis=0))
    # Rows sorted by fold and picked at equal steps give every fold its share of new rows, up to one row.
    order = tested[np.lexsort((rng.random(len(tested)), *folds[::-1, tested]))]
    donors = order[((rng.random() + np.arange(size)) * len(order) / max(size, 1)).astype(np.intp)]
    return folds[:, rng.permutation(donors)]


def check_folds(folds: _Folds, n_rows: int, n_folds: int) -> None:
    """Refuse folds that do not exist, and rows that no fold scores."""
    whole = folds.ndim == 2 and folds.shape[1] == n_rows and folds.dtype.kind in "iu"
    if not whole or not (folds < n_folds).all() or not (folds >= 0).any(axis=0).all():
        rule = f"hold a fold number below {n_folds} for each row, in an array of shape (repeats, {n_rows})"
        got = (
            Phrase(f"shape {folds.shape} with numbers from {folds.min()} to {folds.max()}")
            if whole and folds.size
            else folds
        )
        raise fault("folds", rule, got, "use draw_folds")


def score_by_fold(scorers: Sequence[Sequence[Scorer]], data: Any, folds: _Folds) -> Floats:
    """Score each row by the model of its fold; with repeats, take the mean."""
    total = np.zeros((folds.shape[1], len(scorers[0][0].classes)))
    # One thread: each fold has few rows, and gradient boosting would start its threads anew for every tree.
    with one_thread("openmp"):
        for of_repeat, of_rows in zip(scorers, folds, strict=False):
            for fold, scorer in enumerate(of_repeat):
                rows = np.flatnonzero(of_rows == fold)
                if len(rows):
                    total[rows] += scorer(take(data, rows))
    return np.asarray(total / (folds >= 0).sum(axis=0)[:, None])


def decide_by_fold(scorers: Sequence[Sequence[Scorer]], data: Any, folds: _Folds) -> NDArray[np.int64]:
    """Return the class that the first of a row's models predicts."""
    repeat = (folds >= 0).argmax(axis=0)  # a splitter may leave the row out of the first repeats
    decided = np.empty(folds.shape[1], dtype=np.int64)
    for r, f in set(zip(repeat.tolist(), folds[repeat, np.arange(len(repeat))].tolist(), strict=True)):
        rows = np.flatnonzero((repeat == r) & (folds[r] == f))
        decided[rows] = scorers[r][f].decisions(take(data, rows))
    return decided

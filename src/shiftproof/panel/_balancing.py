"""Training on as many rows of every class, and the way back to the class proportions of all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shiftproof.core import Codes, Floats, Rows, Seed, seed_number


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainingRows:
    """What one fit learns from.

    Parameters
    ----------
    rows : ndarray of int, optional
        Row numbers; None for all rows.
    odds : ndarray of shape (k,), optional
        By how much each class is more frequent among all training rows than among these; None if nothing was balanced.
    """

    rows: Rows | None
    odds: Floats | None = None


def balanced(
    parts: Sequence[Rows | None], codes: Codes, n_classes: int, weights: Floats | None, random_state: Seed
) -> list[TrainingRows]:
    """Draw as many rows of every class from each part, without replacement: as many as the rarest class has.

    Examples
    --------
    >>> codes = np.repeat([0, 1], [90, 10])
    >>> (part,) = balanced([None], codes, 2, None, 0)
    >>> np.bincount(codes[part.rows]).tolist(), part.odds.tolist()
    ([10, 10], [1.8, 0.2])
    """
    rng = np.random.default_rng(seed_number(random_state))
    found = []
    for part in parts:
        rows = np.arange(len(codes)) if part is None else part
        present = np.unique(codes[rows])
        fewest = min(int((codes[rows] == code).sum()) for code in present)
        drawn = [rng.choice(rows[codes[rows] == code], fewest, replace=False) for code in present]
        kept = np.sort(np.concatenate(drawn))
        # A class that the part lacks has no probability anyway.
        odds = np.ones(n_classes)
        odds[present] = (_shares(codes, rows, n_classes, weights) / _shares(codes, kept, n_classes, weights))[present]
        found.append(TrainingRows(rows=kept, odds=odds))
    return found


def with_odds(probabilities: Floats, odds: Floats | None) -> Floats:
    r"""Return the probabilities if classes are so many times as frequent as where they were learnt.

    By Bayes' rule, :math:`p'_k \propto p_k \pi_k / \pi^0_k` (Elkan 2001, theorem 2; Saerens et al. 2002, eq. 2.4).

    Examples
    --------
    >>> with_odds(np.array([[0.5, 0.5], [0.2, 0.8]]), np.array([1.8, 0.2])).round(3).tolist()
    [[0.9, 0.1], [0.692, 0.308]]
    """
    if odds is None:
        return probabilities
    weighted = probabilities * odds
    return np.asarray(weighted / weighted.sum(axis=1, keepdims=True))


def _shares(codes: Codes, rows: Rows, n_classes: int, weights: Floats | None) -> Floats:
    of_rows = None if weights is None else weights[rows]
    counts = np.bincount(codes[rows], weights=of_rows, minlength=n_classes).astype(np.float64)
    # Never 0, so that shares can be divided.
    return np.asarray(np.where(counts > 0, counts, 1.0) / counts.sum())

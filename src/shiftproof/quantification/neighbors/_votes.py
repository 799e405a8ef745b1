"""Votes of neighbours: how classes are weighted, which k and weighting are best, and which class wins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from shiftproof.core import Codes, Floats
from shiftproof.counting._samples import Places, RowScores
from shiftproof.quantification.neighbors._kernels import Mask
from shiftproof.quantification.neighbors._search import Search, reach

# Classes are weighted by eq. 5.4 with this alpha; None is eq. 5.5, and infinity weighs all alike.
Alpha = float | None
Criterion = Literal["g-mean", "max", "x", "t50"]
#: What is best, from recalls of shape (K, A, C): of two classes, those of the negatives and of the positives. The last
#: three are the rules for thresholds (sec. 7.2.1).
CRITERIA: dict[Criterion, Callable[[Floats], Floats]] = {
    "g-mean": lambda recalls: np.asarray(recalls.prod(axis=2) ** (1 / recalls.shape[2])),
    "max": lambda recalls: np.asarray(recalls.mean(axis=2)),
    "x": lambda recalls: np.asarray(-np.ptp(recalls, axis=2)),
    "t50": lambda recalls: np.asarray(-np.abs(recalls[:, :, -1] - 0.5)),
}
# Votes that differ by less, as a share, are tied: no sum of weights is so near to another but by rounding.
_TIED = 1e-12


def class_weights(counts: Codes, alpha: Alpha) -> Floats:
    r"""Weigh each class the less the more rows it has.

    .. math:: w_c^{(\alpha)} = (N_c / M)^{-1/\alpha}, \qquad w_c = 1 - N_c / S

    (eq. 5.4, where M is the size of the smallest class; and eq. 5.5 for `alpha` None, which is given here times S, in
    whole numbers, so that tied votes are equal).

    Parameters
    ----------
    counts : array of shape (C,)
        How many rows each class has, N. One without rows has no votes to weigh.
    alpha : float of at least 1, or None
        Infinity weighs all classes alike.

    Examples
    --------
    >>> class_weights(np.array([80, 20]), 2)
    array([0.5, 1. ])
    >>> class_weights(np.array([80, 20]), None)
    array([20., 80.])
    """
    present = counts > 0
    # The only class wins whatever its weight; eq. 5.5 would give it 0.
    if present.sum() == 1:
        return present.astype(np.float64)
    if alpha is None:
        return np.where(present, counts.sum() - counts, 0.0)
    return np.where(present, (np.maximum(counts, 1) / counts[present].min()) ** (-1 / alpha), 0.0)


@dataclass(frozen=True, eq=False)
class Poll:
    """Rows to vote on, and who votes.

    Parameters
    ----------
    rows : array of shape (m,)
        The rows.
    voters : array of shape (n,)
        Which rows may vote; none on itself.
    counts : array of shape (C,)
        How many rows of each class weigh the votes.
    """

    rows: Places
    voters: Mask
    counts: Codes

    @classmethod
    def leave_one_out(cls, codes: Codes) -> Poll:
        """Let all others vote on each row, with the weights that votes on new rows have.

        Counts without the row would depend on its class, and every vote that is nearly tied would be decided by it.
        """
        return cls(np.arange(len(codes)), np.ones(len(codes), np.bool_), np.bincount(codes))

    @classmethod
    def fold(cls, codes: Codes, train: Places, test: Places) -> Poll:
        """Let training rows vote on test rows."""
        voters = np.zeros(len(codes), np.bool_)
        voters[train] = True
        counts = np.bincount(codes[train], minlength=int(codes.max()) + 1)
        return cls(np.asarray(test, np.intp), voters, counts)

    @property
    def most(self) -> int:
        """How many neighbours a row can have."""
        return int(self.voters.sum() - self.voters[self.rows].any())

    def reach(self, k: int) -> int:
        """Give how many candidates have k voters among them, for nearly all rows."""
        return reach(k, float(self.voters.mean()))

    def shares(self, search: Search, codes: Codes, k: int, alpha: Alpha, *, similarity: bool = False) -> Floats:
        """Give each class's share of the votes on each row, shape (m, C)."""
        nearest = search.among(self.rows, self.voters, k)
        distances = search.distances(search.points[self.rows], nearest) if similarity else None
        return vote_shares(codes[nearest], class_weights(self.counts, alpha), distances)

    def recalls(
        self, search: Search, codes: Codes, ks: Sequence[int], alphas: Sequence[Alpha], *, similarity: bool = False
    ) -> Floats:
        """Give the recall of each class at every k and alpha, shape (K, A, C); a fold may lack a class."""
        nearest, own = search.among(self.rows, self.voters, max(ks)), codes[self.rows]
        weights = np.array([class_weights(self.counts, alpha) for alpha in alphas])
        distances = search.distances(search.points[self.rows], nearest) if similarity else None
        right = right_votes(codes[nearest], own, ks, weights, distances)
        totals = np.bincount(own, minlength=weights.shape[1])
        return np.asarray(right[:, :, totals > 0] / totals[totals > 0])


def best(
    search: Search,
    codes: Codes,
    polls: Sequence[Poll],
    ks: Sequence[int],
    alphas: Sequence[Alpha],
    *,
    similarity: bool = False,
    criterion: Criterion = "g-mean",
) -> tuple[int, Alpha]:
    """Choose the k and alpha with the highest criterion, averaged over the polls; of equal ones the first."""
    rule = CRITERIA[criterion]
    means = np.mean([rule(poll.recalls(search, codes, ks, alphas, similarity=similarity)) for poll in polls], axis=0)
    # Means of the same numbers in another order differ by rounding.
    place, weighting = divmod(int(means.round(12).argmax()), len(alphas))
    return ks[place], alphas[weighting]


def right_votes(
    neighbours: Codes, own: Codes, ks: Sequence[int], weights: Floats, distances: Floats | None = None
) -> Codes:
    """Count in each class the rows that are voted right, at every k and weighting: shape (K, A, C).

    Parameters
    ----------
    neighbours : array of shape (m, max k)
        The classes of each row's neighbours, the nearest first.
    own : array of shape (m,)
        The class of each row.
    ks : sequence of K int
        Numbers of neighbours.
    weights : array of shape (A, C)
        The weights of the classes, A weightings.
    distances : array of shape (m, max k), optional
        Those of the neighbours, to weigh their votes by similarity.
    """
    n_classes = weights.shape[1]
    right = np.empty((len(ks), *weights.shape), np.int64)
    for step, k in enumerate(ks):
        counts = _votes(neighbours[:, :k], n_classes, None if distances is None else distances[:, :k])
        for place, weighting in enumerate(weights):
            right[step, place] = np.bincount(own[_winners(counts * weighting) == own], minlength=n_classes)
    return right


def vote_shares(neighbours: Codes, weights: Floats, distances: Floats | None = None) -> Floats:
    """Give each class's share of the weighted votes, shape (m, C), for neighbours' classes of shape (m, k).

    Examples
    --------
    >>> vote_shares(np.array([[0, 1, 1]]), np.ones(2), np.array([[0.0, 1.0, 1.0]]))
    array([[0.5, 0.5]])
    """
    votes = _votes(neighbours, len(weights), distances) * weights
    return np.asarray(votes / votes.sum(axis=1, keepdims=True))


def voted(shares: Floats) -> RowScores:
    """Give shares of votes with the class that wins; of those that are tied the first.

    Examples
    --------
    >>> voted(np.array([[0.5, 0.5], [0.4, 0.6]])).decisions
    array([0, 1])
    """
    return RowScores(shares, _winners(shares))


def _votes(neighbours: Codes, n_classes: int, distances: Floats | None) -> Floats:
    """Count the neighbours of each class, shape (m, C), or add up their similarities (eq. 5.2)."""
    cells = (neighbours + n_classes * np.arange(len(neighbours))[:, None]).ravel()
    counted = np.bincount(
        cells, None if distances is None else _similarity(distances).ravel(), len(neighbours) * n_classes
    )
    return np.asarray(counted, dtype=np.float64).reshape(-1, n_classes)


def _similarity(distances: Floats) -> Floats:
    """Return 1 for the row itself, 1/2 for the farthest neighbour."""
    farthest = distances[:, -1:]
    return 1 / (1 + np.divide(distances, farthest, out=np.zeros_like(distances), where=farthest > 0))


def _winners(votes: Floats) -> Codes:
    """Give the class with the most votes on each row; sums of weights in another order differ by rounding."""
    return np.asarray((votes >= votes.max(axis=1, keepdims=True) * (1 - _TIED)).argmax(axis=1))

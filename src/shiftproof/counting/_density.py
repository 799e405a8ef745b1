"""Mix the classes' densities of scores until the sample is likeliest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray
from scipy import interpolate

from shiftproof.core import Floats, check_fraction
from shiftproof.counting._counts import Constant
from shiftproof.counting._expectation import NO_SIGN, Ascent, all_equal
from shiftproof.counting._learned import Learned, with_other
from shiftproof.counting._samples import Labelled, Places, RowScores, Samples

# Densities are no smaller than this: no row excludes a class.
_LEAST = 1e-200
# At most 5,000 labelled rows of a class, of more than two classes 200, and 4,000 of all: more rows add little to a
# density, and two classes are quick.
_MOST_OF_TWO, _MOST_OF_MORE, _MOST_CENTRES = 5_000, 200, 4_000
# Points per bandwidth at which two classes' densities are computed; a cubic between them errs by less than 1e-8.
_STEPS = 64
# Points whose distances from all centres are in memory at once.
_CHUNK = 512
_NO_COPIES = (np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp))

_Reals = NDArray[np.floating]


@dataclass(frozen=True, eq=False, kw_only=True)
class Densities(Learned):
    """The likeliest mixture of the classes' kernel densities (KDEy-ML)."""

    labelled: Labelled
    bandwidth: float
    ascent: Ascent

    def _shares(self, samples: Samples) -> Floats:
        logs = self.log_densities(samples.scores)
        logs -= reduce(np.maximum, logs.T)[:, None]
        likelihoods = np.exp(logs, out=logs)
        # Started in the middle: the densities do not depend on the prevalence of the labelled rows.
        return self.ascent(likelihoods, np.full(self.n_classes, 1 / self.n_classes), samples)

    def log_densities(self, scores: RowScores) -> Floats:
        """Give the logarithms of the classes' densities at scored rows, up to a constant, shape (N, k).

        A row that was drawn from the rows which this was learnt from is left out of its own density (`numbered`).
        """
        points, centres = scores.probabilities, self.labelled.probabilities
        if self.n_classes == 2:
            # Of two classes the scores lie on a line, on which a smooth function needs few points.
            line = np.linspace(0.0, 1.0, 1 + math.ceil(_STEPS / self.bandwidth))
            logs = self._logs(with_other(line), with_other(centres[:, 1]), _NO_COPIES)
            return np.asarray(interpolate.CubicSpline(line, logs)(points[:, 1]))
        if scores.numbers is None or self.labelled.scores.numbers is None:
            return self._logs(points, centres, _NO_COPIES)
        # Simulations look at so many points that single precision is worth it.
        copies = _copies(scores.numbers, self.labelled.scores.numbers)
        return self._logs(points.astype(np.float32), centres.astype(np.float32), copies)

    def _logs(self, points: _Reals, centres: _Reals, copies: tuple[Places, Places]) -> Floats:
        """Sum the kernels of each class; those of copies, pairs of a point and a centre, are left out."""
        parts = self.labelled.weights / self.labelled.totals[self.labelled.codes]
        # Minus half the squared distance, x·c - x²/2 - c²/2, is one product of matrices: much faster than pair by pair.
        left, right = (np.column_stack([side, np.einsum("ij,ij->i", side, side) / -2]) for side in (points, centres))
        left, right = np.column_stack([left, np.ones_like(left[:, 0])]), np.insert(right, -1, 1.0, axis=1)
        right /= self.bandwidth**2
        # The logarithm of a row's part of its class makes sums weighted means.
        right[:, -1] += np.log(parts)
        starts = np.cumsum(self.labelled.counts) - self.labelled.counts
        means = np.empty((len(points), self.n_classes))
        for start in range(0, len(points), _CHUNK):
            kernels = left[start : start + _CHUNK] @ right.T
            np.exp(kernels, out=kernels)
            among = slice(*np.searchsorted(copies[0], [start, start + _CHUNK]))
            kernels[copies[0][among] - start, copies[1][among]] = 0.0
            means[start : start + _CHUNK] = np.add.reduceat(kernels, starts, axis=1)
        if len(copies[0]):
            own = np.zeros_like(means)
            np.add.at(own, (copies[0], self.labelled.codes[copies[1]]), parts[copies[1]])
            # What is left of the class is all of it; where nothing is, no row excludes the class.
            means /= np.maximum(1 - own, _LEAST)
        return np.asarray(np.log(np.maximum(means, _LEAST)))


def _copies(numbers: Places, centres: Places) -> tuple[Places, Places]:
    """Give the pairs of a point and a centre that are the same row, in the order of the points.

    Examples
    --------
    >>> _copies(np.array([7, 3, 5]), np.array([3, 3, 7]))
    (array([0, 1, 1]), array([2, 0, 1]))
    """
    order = np.argsort(centres, kind="stable")
    first, last = (np.searchsorted(centres[order], numbers, side) for side in ("left", "right"))
    points = np.repeat(np.arange(len(numbers)), last - first)
    within = np.arange(len(points)) - np.repeat(np.cumsum(last - first) - (last - first), last - first)
    return points, order[first[points] + within]


def learn_kernel_density_matching(labelled: Labelled, *, bandwidth: float = 0.1) -> Learned:
    """Learn each class's density of the probabilities (KDEy-ML; Moreo, González and del Coz 2024).

    Parameters
    ----------
    labelled : Labelled
        The scores to learn from.
    bandwidth : float
        The standard deviation of the Gaussian kernels around the labelled rows' probability vectors.
    """
    width = check_fraction(bandwidth, "bandwidth", hint="0.1 is usual")
    if all_equal(labelled.probabilities):
        return Constant(n_classes=labelled.n_classes, notes=(NO_SIGN,), prevalence=labelled.prevalence)
    return Densities(n_classes=labelled.n_classes, labelled=_centres(labelled), bandwidth=width, ascent=Ascent())


def _centres(labelled: Labelled) -> Labelled:
    """Give the rows to put kernels around, class by class: of large ones some, at random but always the same."""
    k = labelled.n_classes
    most = _MOST_OF_TWO if k == 2 else max(1, min(_MOST_OF_MORE, _MOST_CENTRES // k))
    rng = np.random.default_rng(0)
    by_class = (np.flatnonzero(labelled.codes == code) for code in range(k))
    return labelled.take(np.concatenate([rng.permutation(rows)[:most] for rows in by_class]))

"""Mix the classes' densities of scores until the sample is likeliest."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import interpolate

from shiftproof.core import Floats, check_fraction
from shiftproof.counting._counts import Constant
from shiftproof.counting._expectation import NO_SIGN, Ascent, all_equal
from shiftproof.counting._learned import Learned, with_other
from shiftproof.counting._samples import Labelled, Samples

# Densities are no smaller than this: no row excludes a class.
_LEAST = 1e-200
# More labelled rows of a class than this say little more of its density: of two classes, which are quick, and of more;
# and at most so many of all classes together.
_MOST_OF_TWO, _MOST_OF_MORE, _MOST_CENTRES = 5_000, 200, 4_000
# Points per bandwidth at which two classes' densities are computed; a cubic between them errs by less than 1e-8.
_STEPS = 64
# Points whose distances from all centres are in memory at once.
_CHUNK = 512


@dataclass(frozen=True, eq=False, kw_only=True)
class Densities(Learned):
    """The likeliest mixture of the classes' kernel densities (KDEy-ML)."""

    labelled: Labelled
    bandwidth: float
    ascent: Ascent

    def _shares(self, samples: Samples) -> Floats:
        logs = self.log_densities(samples.probabilities)
        likelihoods = np.exp(logs - logs.max(axis=1, keepdims=True))
        # Started in the middle: the densities do not depend on the prevalence of the labelled rows.
        return self.ascent(likelihoods, np.full(self.n_classes, 1 / self.n_classes), samples)

    def log_densities(self, points: Floats) -> Floats:
        """Give the logarithms of the classes' densities at rows of probabilities, up to a constant, shape (N, k)."""
        if self.n_classes > 2:
            return self._at(points, self.labelled.probabilities)
        # Of two classes the scores lie on a line, on which a smooth function needs few points.
        line = np.linspace(0.0, 1.0, 1 + math.ceil(_STEPS / self.bandwidth))
        logs = self._at(with_other(line), with_other(self.labelled.probabilities[:, 1]))
        return np.asarray(interpolate.CubicSpline(line, logs)(points[:, 1]))

    def _at(self, points: Floats, centres: Floats) -> Floats:
        # Minus half the squared distance, x·c - x²/2 - c²/2, is one product of matrices: much faster than pair by pair.
        left, right = (np.column_stack([side, np.einsum("ij,ij->i", side, side) / -2]) for side in (points, centres))
        left, right = np.column_stack([left, np.ones(len(left))]), np.insert(right, -1, 1.0, axis=1)
        # The logarithm of a row's part of its class makes sums weighted means.
        codes, starts = self.labelled.codes, np.cumsum(self.labelled.counts) - self.labelled.counts
        right[:, -1] += self.bandwidth**2 * np.log(self.labelled.weights / self.labelled.totals[codes])
        means = np.empty((len(points), self.n_classes))
        for start in range(0, len(points), _CHUNK):
            exponents = left[start : start + _CHUNK] @ right.T
            exponents /= self.bandwidth**2
            means[start : start + _CHUNK] = np.add.reduceat(np.exp(exponents, out=exponents), starts, axis=1)
        return np.asarray(np.log(np.maximum(means, _LEAST)))


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

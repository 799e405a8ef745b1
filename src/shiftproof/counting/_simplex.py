"""Which mixture of the classes' mean vectors is nearest to a vector? Exactly, for many vectors at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from shiftproof.core import Codes, Floats
from shiftproof.counting._kernels import simplex_minima
from shiftproof.counting._learned import Learned
from shiftproof.counting._samples import Labelled, Samples

# Where the means do not tell classes apart, of all mixtures equally near the one nearest to the vector itself is meant.
_PULL = 1e-10
_APART = 1e-6
SAME = "the scores do not separate all classes, so the solution nearest to the unadjusted shares is returned"


@dataclass(frozen=True, eq=False)
class Unmixed:
    """The classes' mean vectors.

    Parameters
    ----------
    means : array of shape (k, k)
        Column c is the mean vector of class c.
    """

    means: Floats

    @property
    def _hessian(self) -> Floats:
        return np.asarray(self.means.T @ self.means + _PULL * np.eye(len(self.means)))

    def _linear(self, targets: Floats) -> Floats:
        return np.asarray(targets @ self.means + _PULL * targets)

    def unbounded(self, targets: Floats) -> Floats:
        """Minimise over shares that add up to 1 but may be negative, shape (S, k)."""
        k = len(self.means)
        # The last row makes the shares add up to 1; its unknown is the multiplier.
        system = np.block([[self._hessian, np.ones((k, 1))], [np.ones((1, k)), np.zeros((1, 1))]])
        right = np.vstack([self._linear(targets).T, np.ones((1, len(targets)))])
        return np.asarray(np.linalg.solve(system, right)[:k].T)

    def nearest(self, targets: Floats) -> Floats:
        """Minimise ``|means @ q - target|`` over shares q for each target, shape (S, k)."""
        shares = self.unbounded(targets)
        # Most mixtures lie inside the simplex, where the plain solution is the answer.
        outside = np.flatnonzero((shares < 0).any(axis=1))
        if len(outside):
            shares[outside] = simplex_minima(self._hessian, self._linear(targets[outside]), 1e-14)
        return shares


@dataclass(frozen=True, eq=False, kw_only=True)
class Unmixing(Learned):
    """The mixture of the classes' mean statistics that is nearest to the sample's, in least squares."""

    statistic: Callable[[Samples], Floats]
    unmixed: Unmixed

    def _shares(self, samples: Samples) -> Floats:
        return self.unmixed.nearest(self.statistic(samples))

    def _raw(self, samples: Samples) -> Floats:
        return self.unmixed.unbounded(self.statistic(samples))


def learn_unmixing(
    labelled: Labelled, vectors: Floats, folds: Codes, statistic: Callable[[Samples], Floats]
) -> Unmixing:
    """Learn the classes' means of what `statistic` averages over a sample."""
    unmixed, notes = learn_unmixed(vectors, labelled.codes, folds, labelled.weights)
    return Unmixing(n_classes=labelled.n_classes, notes=notes, statistic=statistic, unmixed=unmixed)


def learn_unmixed(vectors: Floats, codes: Codes, folds: Codes, weights: Floats) -> tuple[Unmixed, tuple[str, ...]]:
    """Average the vectors of each class, over the folds that have it, and say where that tells little.

    Examples
    --------
    >>> vectors, codes = np.array([[0.8, 0.2], [0.3, 0.7]]), np.array([0, 1])
    >>> unmixed, notes = learn_unmixed(vectors, codes, np.zeros(2, dtype=int), np.ones(2))
    >>> unmixed.nearest(np.array([[0.55, 0.45], [0.9, 0.1]])).round(6)
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    k = vectors.shape[1]
    # Each row's weight in the mean over folds of a fold's mean.
    groups = codes * (folds.max() + 1) + folds
    member = np.eye(k)[codes] * (weights / np.bincount(groups, weights)[groups])[:, None]
    means = vectors.T @ (member / member.sum(axis=0))
    singular = np.linalg.svd(means, compute_uv=False)
    return Unmixed(np.asarray(means)), (SAME,) if singular[-1] < _APART * singular[0] else ()

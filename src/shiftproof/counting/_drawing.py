"""Draw labelled rows class by class, with replacement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shiftproof.counting._samples import Codes, Labelled, Places


@dataclass(frozen=True, eq=False)
class ByClass:
    """Row numbers sorted by class.

    Parameters
    ----------
    rows : array of shape (n,)
        Those of the first class, then those of the second, and so on.
    counts : array of shape (k,)
        How many each class has.

    Examples
    --------
    >>> rows = ByClass.of(Labelled([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]], [1, 0, 1]))
    >>> rows.rows
    array([1, 0, 2])
    >>> rows.draw(np.array([2, 0]), np.random.default_rng(0))
    array([1, 1])
    """

    rows: Places
    counts: Codes

    @classmethod
    def of(cls, labelled: Labelled) -> ByClass:
        """Sort the rows by class."""
        return cls(np.argsort(labelled.codes, kind="stable"), labelled.counts)

    def draw(self, counts: NDArray[np.integer], rng: np.random.Generator) -> Places:
        """Draw so many rows of each class, in the order of counts of shape (…, k)."""
        return self._of(self._codes(counts), rng)

    def draw_with_strays(
        self, counts: NDArray[np.integer], spotless: NDArray[np.bool_], rng: np.random.Generator
    ) -> Places:
        """Draw rows in the same way; of spotless classes, none of whose n rows looks like another, some do.

        That no labelled row does is no proof that no other will. The share that does is drawn from Jeffreys' posterior
        of none in n, Beta(1/2, n + 1/2): next to nothing where there are many rows.
        """
        codes, k = self._codes(counts), len(self.counts)
        if spotless.any():
            shares = np.where(spotless, rng.beta(0.5, self.counts + 0.5), 0.0)
            stray = rng.random(len(codes)) < shares[codes]
            others = 1 + (rng.random(int(stray.sum())) * (k - 1)).astype(np.intp)
            codes[stray] = (codes[stray] + others) % k
        return self._of(codes, rng)

    def _codes(self, counts: NDArray[np.integer]) -> Places:
        k = len(self.counts)
        return np.repeat(np.tile(np.arange(k), counts.size // k), counts.ravel())

    def _of(self, codes: Places, rng: np.random.Generator) -> Places:
        starts = np.cumsum(self.counts) - self.counts
        return np.asarray(self.rows[starts[codes] + (rng.random(len(codes)) * self.counts[codes]).astype(np.intp)])

"""Draw labelled rows class by class, with replacement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shiftproof.quantification._samples import Codes, Labelled, Places


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
        k = len(self.counts)
        codes = np.repeat(np.tile(np.arange(k), counts.size // k), counts.ravel())
        starts = np.cumsum(self.counts) - self.counts
        return np.asarray(self.rows[starts[codes] + (rng.random(len(codes)) * self.counts[codes]).astype(np.intp)])

"""Draw labelled rows class by class: to learn from anew, and as samples of known class proportions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Codes, Floats
from shiftproof.counting._kernels import Places
from shiftproof.counting._samples import Labelled


@dataclass(frozen=True, eq=False)
class ByClass:
    """Row numbers sorted by class.

    Parameters
    ----------
    rows : array of shape (n,)
        Those of the first class, then those of the second, and so on.
    counts : array of shape (k,)
        How many each class has.
    weights : array of shape (n,), optional
        How much each of these rows counts.

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
    weights: Floats | None = None

    @classmethod
    def of(cls, labelled: Labelled) -> ByClass:
        """Sort the rows by class."""
        rows = np.argsort(labelled.codes, kind="stable")
        return cls(rows, labelled.counts, labelled.weights[rows] if labelled.weighted else None)

    def draw(self, counts: NDArray[np.integer], rng: np.random.Generator) -> Places:
        """Draw the given number of rows of each class, in the order of counts of shape (…, k), to learn from.

        All rows of a class are equally likely: their weights enter when they are learnt from.
        """
        return self._of(self._codes(counts), rng, None)

    def sample(
        self, counts: NDArray[np.integer], rng: np.random.Generator, never_mistaken: NDArray[np.bool_] | None = None
    ) -> Places:
        """Draw the given number of rows of each class as new ones could be: each as likely as its weight says.

        Some rows of a class that is never mistaken for another are drawn from the others: that none of its n rows was
        mistaken does not prove that no other will be. Their share is drawn from Jeffreys' posterior of
        none in n, Beta(1/2, n + 1/2): next to nothing where there are many rows.
        """
        codes, k = self._codes(counts), len(self.counts)
        if never_mistaken is not None and never_mistaken.any():
            shares = np.where(never_mistaken, rng.beta(0.5, self.counts + 0.5), 0.0)
            stray = rng.random(len(codes)) < shares[codes]
            others = 1 + (rng.random(int(stray.sum())) * (k - 1)).astype(np.intp)
            codes[stray] = (codes[stray] + others) % k
        return self._of(codes, rng, self.weights)

    def samples(
        self, counts: NDArray[np.integer], rng: np.random.Generator, never_mistaken: NDArray[np.bool_] | None = None
    ) -> tuple[Places, Places]:
        """Draw a sample for each row of counts, shape (S, k): the rows drawn, and each sample's places among them.

        With more than two classes, samples share the rows drawn: each takes the first ones of every class. A method
        that looks at all of them once then has few to look at, and samples differ by their counts alone.
        """
        if len(self.counts) == 2:
            rows = self.sample(counts, rng, never_mistaken)
            return rows, np.arange(len(rows))
        most, lengths = counts.max(axis=0), counts.ravel()
        begins = np.tile(np.cumsum(most) - most, len(counts)) - (np.cumsum(lengths) - lengths)
        return self.sample(most, rng, never_mistaken), np.repeat(begins, lengths) + np.arange(lengths.sum())

    def _codes(self, counts: NDArray[np.integer]) -> Places:
        k = len(self.counts)
        return np.repeat(np.tile(np.arange(k), counts.size // k), counts.ravel())

    def _of(self, codes: Places, rng: np.random.Generator, weights: Floats | None) -> Places:
        starts, drawn = np.cumsum(self.counts) - self.counts, rng.random(len(codes))
        if weights is None:
            return np.asarray(self.rows[starts[codes] + (drawn * self.counts[codes]).astype(np.intp)])
        ends = np.cumsum(weights)
        totals = np.add.reduceat(weights, starts)
        places = np.searchsorted(ends, (ends[starts] - weights[starts])[codes] + drawn * totals[codes], side="right")
        # Rounding must not lead into the next class.
        return np.asarray(self.rows[np.clip(places, starts[codes], starts[codes] + self.counts[codes] - 1)])

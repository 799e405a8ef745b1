"""Rows in blocks: what is computed for every row is made for some rows at a time, and never held for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Codes, Floats, blocks
from shiftproof.counting import Calibration


class RowWise(Protocol):
    """Numbers for each row: an array, or something that makes those of some rows when they are asked for."""

    def __len__(self) -> int:
        """Return the number of rows."""
        ...

    def __getitem__(self, rows: slice | NDArray[np.intp], /) -> Floats:
        """Return the numbers of some rows."""
        ...


def equal_weights(n: int) -> Floats:
    """Return the weight 1/n for each of n rows, without an array of that length."""
    return np.broadcast_to(np.float64(1 / max(n, 1)), (n,))


def weights_at(weights: RowWise, rows: slice) -> Floats:
    """Return the weights of a block as an array that sums quickly."""
    return np.ascontiguousarray(weights[rows])


def columns_at(values: RowWise, rows: slice) -> Floats:
    """Return a block of shape (b, k), column by column in memory: loops then run over rows, not over few classes."""
    return np.asarray(np.asfortranarray(values[rows]))


def one_hot(codes: Codes, k: int) -> Floats:
    """Return labels as probabilities.

    Examples
    --------
    >>> one_hot(np.array([1, 0]), 2)
    array([[0., 1.],
           [1., 0.]])
    """
    return np.asarray((codes == np.arange(k)[:, None]).astype(float).T)


def over_classes(first: Floats, second: Floats) -> Floats:
    """Return the sum of products over the classes, row by row; NumPy's own sum over a short axis is slow.

    Examples
    --------
    >>> over_classes(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[2.0, 4.0], [3.0, 9.0]]))
    array([3., 3.])
    """
    total = first[:, 0] * second[:, 0]
    for code in range(1, first.shape[1]):
        total += first[:, code] * second[:, code]
    return total


def range_over_classes(influence: Floats) -> Floats:
    """Return the largest minus the smallest entry of each row; column by column, which is fast for few classes."""
    columns = influence.T
    return np.asarray(reduce(np.maximum, columns) - reduce(np.minimum, columns))


@dataclass(frozen=True, eq=False)
class OneHot:
    """Labels as probabilities, of shape (n, k)."""

    codes: Codes
    k: int

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.codes)

    def __getitem__(self, rows: slice | NDArray[np.intp]) -> Floats:
        """Return the probabilities of some rows."""
        return one_hot(self.codes[rows], self.k)


@dataclass(frozen=True, eq=False)
class Tilted:
    """Probabilities under other class proportions, by Bayes' rule (Saerens et al. 2002), of shape (n, k).

    Examples
    --------
    >>> Tilted(np.array([[0.5, 0.5], [0.8, 0.2]]), np.array([0.5, 2.0]))[:].round(2)
    array([[0.2, 0.8],
           [0.5, 0.5]])
    """

    posterior: Floats
    ratio: Floats

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.posterior)

    def __getitem__(self, rows: slice | NDArray[np.intp]) -> Floats:
        """Return the probabilities of some rows."""
        tilted = np.asfortranarray(self.posterior[rows]) * self.ratio
        tilted /= reduce(np.add, tilted.T)[:, None]
        return tilted


@dataclass(frozen=True, eq=False)
class Calibrated:
    """Probabilities that a model's calibration corrects, of shape (m, k)."""

    probabilities: Floats
    calibration: Calibration

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.probabilities)

    def __getitem__(self, rows: slice | NDArray[np.intp]) -> Floats:
        """Return the corrected probabilities of some rows."""
        return self.calibration(self.probabilities[rows])


@dataclass(frozen=True, eq=False)
class ClassWeights:
    """Weights of rows times the factor of their class, of shape (n,); they add up to 1."""

    base: Floats
    codes: Codes
    ratio: Floats
    total: float

    @classmethod
    def of(cls, base: Floats, codes: Codes, ratio: Floats) -> ClassWeights:
        """Add up the weights once."""
        total = sum(float((base[rows] * ratio[codes[rows]]).sum()) for rows in blocks(len(codes)))
        return cls(base, codes, ratio, total)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.codes)

    def __getitem__(self, rows: slice | NDArray[np.intp]) -> Floats:
        """Return the weights of some rows."""
        return np.asarray(self.base[rows] * self.ratio[self.codes[rows]] / self.total)


@dataclass(frozen=True, eq=False)
class Mixed:
    """The weighted mean of several probabilities, of shape (n, k)."""

    parts: Sequence[RowWise]
    shares: Sequence[float]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.parts[0])

    def __getitem__(self, rows: slice | NDArray[np.intp]) -> Floats:
        """Return the mean of some rows."""
        mixed = self.shares[0] * np.asfortranarray(self.parts[0][rows])
        for share, part in zip(self.shares[1:], self.parts[1:], strict=True):
            mixed += share * part[rows]
        return np.asarray(mixed)

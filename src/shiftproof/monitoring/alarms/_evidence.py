"""Evidence that may be looked at after every batch: how it grows, and when it is enough.

An expert's bet on a batch has an expected value of at most 1 if nothing is wrong. Evidence is the wealth of many
experts, each of whom starts a little of it with every batch, because a change may begin with any of them.

*ever*: the evidence reaches 1 / alpha with probability at most alpha, however long the stream (Ville).
*run length*: the mean number of batches to a false alarm is at least the limit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shiftproof.monitoring.alarms._kernels import grow, mix

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Level = Literal["changed", "material", "harm"]
Mode = Literal["ever", "run length"]

#: The three alarms: the first informs, the others page.
LEVELS: tuple[Level, ...] = ("changed", "material", "harm")


def start_weight(batch: int) -> float:
    """Return how much of the wealth starts to bet with a batch, counted from 1; over all batches it adds up to 1."""
    return 1 / math.log2(batch + 1) - 1 / math.log2(batch + 2)


def kept_weight(batch: int) -> float:
    """Return how much of the wealth is still kept for starts after a batch."""
    return 1 / math.log2(batch + 2)


@dataclass(frozen=True, eq=False)
class Experts:
    """The experts of all columns, one column after another.

    Attributes
    ----------
    log_weights : array, shape (E,)
        Logarithms of the weights, which add up to 1 within a column.
    starts : array of int, shape (J + 1,)
        Where each column's experts begin.
    """

    log_weights: Floats
    starts: Ints

    @classmethod
    def of(cls, weights: Sequence[Floats]) -> Experts:
        """Join the weights of all columns."""
        starts = np.concatenate([[0], np.cumsum([len(column) for column in weights])])
        return cls(np.log(np.concatenate(weights)), starts.astype(np.int64))

    def grow(self, log_s: Floats, log_e: Floats, batch: int, mode: Mode) -> Floats:
        """Return the experts' wealth after a batch.

        Parameters
        ----------
        log_s, log_e : array, shape (E,)
            The wealth before the batch, and the bets on it.
        batch : int
            The number of this batch, from 1.
        mode : {"ever", "run length"}
            Whether each batch starts a shrinking part of one unit, or a unit of its own.
        """
        grown = log_s.copy()
        grow(grown, log_e, math.log(start_weight(batch)) if mode == "ever" else 0.0)
        return grown

    def evidence(self, log_s: Floats, batch: int, mode: Mode) -> Floats:
        """Return the logarithm of each column's evidence after a batch, shape (J,)."""
        return np.asarray(mix(log_s, self.log_weights, self.starts, kept_weight(batch) if mode == "ever" else 0.0))

    def none(self) -> Floats:
        """Return the wealth before the first batch."""
        return np.full(len(self.log_weights), -np.inf)


def log_mean(log_evidence: Floats) -> float:
    """Return the logarithm of the mean of evidence given by its logarithms."""
    highest = float(np.max(log_evidence))
    return highest + math.log(float(np.mean(np.exp(log_evidence - highest)))) if math.isfinite(highest) else highest


def blame(log_evidence: Floats, log_limit: float) -> Ints:
    """Return the columns to blame, strongest first.

    The r columns with the most evidence are blamed if each of them has J / r times the limit, for the largest such r
    (e-BH, Wang and Ramdas 2022): at most alpha of the columns blamed are blamed wrongly, on average.
    """
    order = np.argsort(-log_evidence, kind="stable")
    needed = log_limit + math.log(len(order)) - np.log(np.arange(1, len(order) + 1))
    enough = np.flatnonzero(log_evidence[order] >= needed)
    return order[: enough[-1] + 1] if len(enough) else order[:0]

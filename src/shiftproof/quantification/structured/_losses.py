"""Losses of whole contingency tables, and the table that is worst for given scores."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from shiftproof.core import Floats, Phrase, check_choice, fault, is_number
from shiftproof.quantification.structured import _kernels as kernels

LossName = Literal["arithmetic", "error", "f1", "nas", "q"]
LossFunction = Callable[..., Any]

NAMES = ("arithmetic", "error", "f1", "nas", "q")
# A loss of one's own is asked for so many tables at a time, and kept if all tables are no more than these.
_BLOCK, _KEPT = 2**16, 2**22


@dataclass(frozen=True, eq=False)
class Worst:
    """The contingency table with the largest sum of loss and margins lost.

    Parameters
    ----------
    value : float
        The sum.
    loss : float
        The loss alone.
    missed, false : pairs (count, margin)
        How many positives and negatives are on the wrong side, and up to which margin.
    """

    value: float
    loss: float
    missed: tuple[int, float]
    false: tuple[int, float]


@dataclass(eq=False)
class TableLoss(ABC):
    r"""A loss :math:`\Delta(p, q)` of p positives and q negatives on the wrong side.

    `worst` finds, exactly, the table that maximises :math:`\Delta(p, q) - (M^+_p + M^-_q)/n`, where :math:`M^\pm_i` is
    the sum of the i smallest margins of a class: the scores of the positives, those of the negatives with the sign
    changed.

    Parameters
    ----------
    positives, negatives : int
        The rows of each class.
    """

    search: ClassVar[str]
    positives: int
    negatives: int

    @property
    def n(self) -> int:
        """The rows of both classes."""
        return self.positives + self.negatives

    @abstractmethod
    def __call__(self, p: Any, q: Any) -> Any:
        """Return the loss for arrays of counts."""

    @abstractmethod
    def worst(self, positive: Floats, negative: Floats) -> Worst:
        """Find the worst table for the margins of the positives and of the negatives."""


@dataclass(eq=False)
class LinearLoss(TableLoss):
    """The larger of two linear functions of p and q: the error rate, NAS, the arithmetic mean of recall and NAS.

    For each of the two the worst table has every row on the wrong side whose margin is below n times its slope, so
    that nothing is sorted: O(n).
    """

    search = "two separable sides, O(n)"
    sides: list[tuple[float, float]]

    def __call__(self, p: Any, q: Any) -> Any:
        """Return the loss for arrays of counts."""
        return np.maximum.reduce([a * p + b * q for a, b in self.sides])

    def worst(self, positive: Floats, negative: Floats) -> Worst:
        """Find the worst table for the margins of the positives and of the negatives."""
        return max((self._on_side(side, positive, negative) for side in self.sides), key=lambda table: table.value)

    def _on_side(self, side: tuple[float, float], positive: Floats, negative: Floats) -> Worst:
        missed, false = (slope * self.n for slope in side)
        # A row on the wrong side adds its slope and takes away its margin over n: below n times the slope it pays.
        p, lost = kernels.below(positive, missed)
        q, more = kernels.below(negative, false)
        loss = side[0] * p + side[1] * q
        return Worst(loss - (lost + more) / self.n, loss, (p, missed), (q, false))


class SortedLoss(TableLoss):
    """A loss whose worst table is found among the sums of the lowest margins, which takes sorting."""

    def worst(self, positive: Floats, negative: Floats) -> Worst:
        """Find the worst table for the margins of the positives and of the negatives."""
        ordered = np.sort(positive), np.sort(negative)
        gains = _gains(ordered[0], self.n), _gains(ordered[1], self.n)
        value, p, q = self._largest(*gains)
        ends = [float(side[count - 1]) if count else -math.inf for side, count in zip(ordered, (p, q), strict=True)]
        return Worst(float(value), float(value - gains[0][p] - gains[1][q]), (p, ends[0]), (q, ends[1]))

    @abstractmethod
    def _largest(self, positive: Floats, negative: Floats) -> tuple[float, int, int]:
        """Return the largest ``loss(p, q) + positive[p] + negative[q]``, with its p and q."""


@dataclass(eq=False)
class MongeLoss(SortedLoss):
    r"""1 - F1, or :math:`1 - Q_\beta` (eq. 6.2): the best q moves one way when p grows, so that halving finds it.

    F1 has a second difference of one sign: that of :math:`-2 (p + q)/(2P - p + q)^3`. :math:`Q_\beta` has one on each
    side of p = q once :math:`|q - p|` is replaced by q - p or by p - q; either loss is nowhere above the true one, and
    equal to it on its own side. O(n log n).
    """

    search = "divide and conquer, O(n log n)"
    kinds: tuple[int, ...]
    share: float = 0.0

    def __call__(self, p: Any, q: Any) -> Any:
        """Return the loss for arrays of counts."""
        sizes = (float(self.positives), float(max(self.positives, self.negatives)), self.share)
        # Compiled code may divide 0 by 0 ahead of the check that discards the quotient.
        with np.errstate(invalid="ignore"):
            sides = [np.vectorize(kernels.table_loss, excluded=[3])(kind, p, q, sizes) for kind in self.kinds]
        return np.maximum.reduce(sides)

    def _largest(self, positive: Floats, negative: Floats) -> tuple[float, int, int]:
        most = float(max(self.positives, self.negatives))
        tables = [kernels.steepest(kind, positive, negative, most, self.share) for kind in self.kinds]
        largest: tuple[float, int, int] = max(tables, key=lambda table: table[0])
        return largest


@dataclass(eq=False)
class ScannedLoss(SortedLoss):
    """Any loss: every table is looked at, O(P N) in time, block by block so that memory is linear."""

    search = "all tables, O(P N)"

    function: LossFunction

    def __post_init__(self) -> None:
        # Cutting planes start from the table without errors, whose loss is the zero plane.
        perfect = float(self(np.zeros(1), np.zeros(1))[0])
        if perfect != 0:
            raise fault("loss", "be 0 for a table without errors", Phrase(f"{perfect:g}"), "subtract that value")
        tables = (self.positives + 1) * (self.negatives + 1)
        self._kept = list(self._blocks()) if tables <= _KEPT else None

    def __call__(self, p: Any, q: Any) -> Any:
        """Return the loss for arrays of counts."""
        p, q = np.broadcast_arrays(np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64))
        given = self.function(self.positives - p, q, p, self.negatives - q)
        try:
            values = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise fault("loss", "give numbers", given, "return one loss per table") from None
        if values.shape != p.shape:
            got = Phrase(f"shape {values.shape} for {p.size} tables")
            raise fault("loss", "give one value per table", got, "write loss(tp, fp, fn, tn) for arrays")
        bad = ~(np.isfinite(values) & (values >= 0))
        if bad.any():
            i = int(bad.argmax())
            cells = f"tp={self.positives - p[i]:g}, fp={q[i]:g}, fn={p[i]:g}, tn={self.negatives - q[i]:g}"
            got = Phrase(f"{float(values[i])} at {cells}")
            raise fault("loss", "be finite and at least 0", got, "define it for every table")
        return values

    def _largest(self, positive: Floats, negative: Floats) -> tuple[float, int, int]:
        best = (-math.inf, 0, 0)
        for first, losses in self._blocks() if self._kept is None else self._kept:
            value, row, column = kernels.scan(losses, positive[first : first + len(losses)], negative)
            # The first of equal tables, whatever the size of the blocks.
            if value > best[0]:
                best = (value, first + row, column)
        return best

    def _blocks(self) -> Iterator[tuple[int, Floats]]:
        """Give the losses of all tables, one row per p, in blocks: the first p of each block and its rows."""
        p, q = np.arange(self.positives + 1.0), np.arange(self.negatives + 1.0)
        step = max(1, _BLOCK // len(q))
        for first in range(0, len(p), step):
            part = p[first : first + step]
            yield first, self(np.repeat(part, len(q)), np.tile(q, len(part))).reshape(len(part), len(q))


def make_loss(loss: LossName | LossFunction, beta: float, positives: int, negatives: int) -> TableLoss:
    """Give a loss by its name, or a function of TP, FP, FN and TN, for classes of these sizes.

    Examples
    --------
    >>> loss = make_loss("nas", 2, positives=3, negatives=4)
    >>> float(loss(2, 0))
    0.5
    >>> loss.search
    'two separable sides, O(n)'
    """
    check_loss(loss, beta)
    if not isinstance(loss, str):
        return ScannedLoss(positives, negatives, loss)
    if loss == "error":
        return LinearLoss(positives, negatives, [(1 / (positives + negatives), 1 / (positives + negatives))])
    if loss == "f1":
        return MongeLoss(positives, negatives, (kernels.F1,))
    # The squares of a large beta overflow, those of its shares do not.
    share = 1.0 if loss == "nas" or math.isinf(beta) else (beta / math.hypot(1.0, beta)) ** 2
    if loss == "q" and 0 < share < 1:
        return MongeLoss(positives, negatives, (kernels.OVER, kernels.UNDER), share)
    # At its ends the Q-measure is recall or NAS, and so is the arithmetic mean.
    recall, nas = (1 - share) / positives, share / max(positives, negatives)
    return LinearLoss(positives, negatives, [(recall - nas, nas), (recall + nas, -nas)])


def check_loss(loss: object, beta: float) -> None:
    """Refuse what is not a loss, and a beta that is not a weight."""
    if isinstance(loss, type) or not (isinstance(loss, str) or callable(loss)):
        raise fault("loss", "be the name of a loss or a function of tp, fp, fn and tn", loss, "'arithmetic' is usual")
    if isinstance(loss, str):
        check_choice(loss, "loss", NAMES)
    if not is_number(beta) or not beta >= 0:
        raise fault("beta", "be a number of at least 0", beta, "2 favours quantification, 0.5 favours classification")


def _gains(ordered: Floats, n: int) -> Floats:
    """Return what is gained by the i lowest margins on the wrong side, i = 0, 1, ..."""
    gains = np.zeros(len(ordered) + 1)
    np.cumsum(ordered, out=gains[1:])
    gains /= -n
    return gains

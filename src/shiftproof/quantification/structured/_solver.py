"""The structural support vector machine: cutting planes with a line search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Floats
from shiftproof.quantification.structured._kernels import mark
from shiftproof.quantification.structured._losses import TableLoss, Worst

# How far from the best point to the planes' minimum the next plane is cut (Franc and Sonnenburg 2009).
_AHEAD = 0.1
_SEARCHES = 8
# What makes dependent planes solvable, and what is rounding.
_RIDGE, _ROUNDING = 1e-14, 1e-14


@dataclass(frozen=True, eq=False)
class Planes:
    """Linear functions that are nowhere above the risk: ``offsets + slopes @ w``."""

    slopes: Floats
    offsets: Floats


@dataclass(frozen=True, eq=False)
class Solution:
    """What was found.

    Parameters
    ----------
    weights : array of shape (d,)
        The best point met.
    objective, bound : float
        The objective there, and a lower bound of its minimum, by the dual of the planes.
    at_zero : float
        The objective at 0.
    planes : Planes
        Those of the last round, to start from.
    converged : bool
        Whether the two are as near as asked.
    """

    weights: Floats
    objective: float
    bound: float
    at_zero: float
    planes: Planes
    converged: bool


@dataclass(frozen=True, eq=False)
class _Point:
    """A point, its margins, its worst table, and the objective (in units of C n)."""

    weights: Floats
    margins: Floats
    worst: Worst
    value: float


class _Risk:
    """The risk and its planes, for rows of which the positives come first, each with its sign."""

    def __init__(self, signed: Floats, loss: TableLoss, penalty: float) -> None:
        self.signed = signed
        self.loss = loss
        self.penalty = penalty
        self._marks = np.empty(len(signed))

    def at(self, weights: Floats, margins: Floats | None = None) -> _Point:
        margins = self.signed @ weights if margins is None else margins
        worst = self.loss.worst(margins[: self.loss.positives], margins[self.loss.positives :])
        return _Point(weights, margins, worst, self.penalty / 2 * float(weights @ weights) + worst.value)

    def marks(self, point: _Point) -> Floats:
        """Return 1 for the rows that are on the wrong side in the worst table."""
        positives = self.loss.positives
        mark(point.margins[:positives], *point.worst.missed, self._marks[:positives])
        mark(point.margins[positives:], *point.worst.false, self._marks[positives:])
        return self._marks

    def plane(self, point: _Point) -> tuple[Floats, float]:
        """Return the slope and the offset of the risk's plane at a point."""
        return -(self.marks(point) @ self.signed) / self.loss.n, point.worst.loss

    def slope(self, point: _Point, along: Floats) -> float:
        """Return how the risk rises when margins move along a direction."""
        return -float(self.marks(point) @ along) / self.loss.n


def solve(
    signed: Floats,
    loss: TableLoss,
    *,
    C: float,
    tolerance: float,
    most_planes: int,
    planes: Planes | None = None,
) -> Solution:
    r"""Minimise :math:`\frac{1}{2} |w|^2 + C n R(w)`, R being the value of the worst table at w (eq. 6.6).

    Every round minimises the maximum of the planes met so far, which bounds the minimum from below, searches the line
    from the best point to there, and cuts a new plane a little beyond the best point on it (OCAS; Franc and Sonnenburg
    2009). With the error rate this is the usual support vector machine: :math:`C \sum_i \max(0, 1 - m_i)`.

    Parameters
    ----------
    signed : array of shape (n, d)
        The rows, positives first, negatives with the sign changed.
    loss : TableLoss
        The loss.
    C : float
        How much the risk weighs.
    tolerance : float
        How far the objective may be above its bound, relative to it.
    most_planes : int
        How many to cut before giving up.
    planes : Planes, optional
        Planes of the same risk, such as those of another C.
    """
    n, d = signed.shape
    risk = _Risk(signed, loss, 1 / (C * n))
    cut = _Cut(d, risk.penalty)
    if planes is not None:
        # The first plane, the table without errors, is always there.
        for slope, offset in zip(planes.slopes[1:], planes.offsets[1:], strict=True):
            cut.add(slope, float(offset))
    # Planes of an earlier fit do not count.
    limit = len(cut) + most_planes
    zero = best = risk.at(np.zeros(d), np.zeros(n))
    cut.add(*risk.plane(zero))
    while True:
        target, bound = cut.minimum()
        converged = best.value - bound <= tolerance * best.value
        if converged or len(cut) >= limit:
            break
        goal = risk.at(target)
        best = _search(risk, best, goal, enough=(best.value - bound) / 10)
        ahead = best.weights + _AHEAD * (target - best.weights)
        cut.add(*risk.plane(risk.at(ahead, best.margins + _AHEAD * (goal.margins - best.margins))))
    scale = C * n
    # Margins were added up along the way; once more without their rounding.
    exact = risk.at(best.weights)
    return Solution(best.weights, scale * exact.value, scale * bound, scale * zero.value, cut.planes, converged)


def _search(risk: _Risk, start: _Point, goal: _Point, *, enough: float) -> _Point:
    """Give the best point met on the line: between two points two lines bound the risk from below."""
    way, along = goal.weights - start.weights, goal.margins - start.margins
    square, product = risk.penalty * float(way @ way), risk.penalty * float(start.weights @ way)
    # The planes' minimum is the best point itself.
    if square == 0:
        return start
    low, high = (0.0, start, risk.slope(start, along)), (1.0, goal, risk.slope(goal, along))
    # The objective rises from the start on.
    if low[2] + product >= 0:
        return start
    best = min(low, high, key=lambda end: end[1].value)
    # The objective still falls at the goal, which is as far as the planes say anything.
    if high[2] + product + square <= 0:
        return best[1]
    for _ in range(_SEARCHES):
        lines = [(point.worst.value - slope * t, slope) for t, point, slope in (low, high)]
        t = _lowest_of_two(lines, square, product)
        model = max(offset + slope * t for offset, slope in lines) + t * product + t * t * square / 2
        model += risk.penalty / 2 * float(start.weights @ start.weights)
        if best[1].value - model <= enough or not low[0] < t < high[0]:
            break
        point = risk.at(start.weights + t * way, start.margins + t * along)
        middle = (t, point, risk.slope(point, along))
        best = min(best, middle, key=lambda end: end[1].value)
        if middle[2] + product + t * square < 0:
            low = middle
        else:
            high = middle
    return best[1]


def _lowest_of_two(lines: list[tuple[float, float]], square: float, product: float) -> float:
    """Return where the larger of a falling and a rising line plus ``product t + square t^2 / 2`` is lowest."""
    (offset, slope), (other, steeper) = lines
    if steeper <= slope:
        return -(product + slope) / square
    left, right = -(product + slope) / square, -(product + steeper) / square
    return max(right, min(left, (offset - other) / (steeper - slope)))


class _Cut:
    """The maximum of planes plus a penalty, and its minimum."""

    def __init__(self, d: int, penalty: float) -> None:
        self.penalty = penalty
        # The first plane is 0: the table without errors.
        self._slopes = np.zeros((16, d))
        self._offsets = np.zeros(16)
        self._products = np.zeros((16, 16))
        self._shares = np.zeros(16)
        self._shares[0] = 1.0
        self._size = 1

    def __len__(self) -> int:
        return self._size

    @property
    def planes(self) -> Planes:
        return Planes(self._slopes[: self._size].copy(), self._offsets[: self._size].copy())

    def add(self, slope: Floats, offset: float) -> None:
        k = self._size
        if k == len(self._offsets):
            self._slopes = np.concatenate([self._slopes, np.zeros_like(self._slopes)])
            self._offsets, self._shares = (np.concatenate([a, np.zeros(k)]) for a in (self._offsets, self._shares))
            self._products = np.pad(self._products, (0, k))
        self._slopes[k], self._offsets[k] = slope, offset
        self._products[k, : k + 1] = self._products[: k + 1, k] = self._slopes[: k + 1] @ slope / self.penalty
        self._size = k + 1

    def minimum(self) -> tuple[Floats, float]:
        """Return the point where the planes' maximum and the penalty are lowest, and their value there."""
        k = self._size
        products, offsets = self._products[:k, :k], self._offsets[:k]
        shares = mix(products, offsets, self._shares[:k])
        self._shares[:k] = shares
        total = shares @ self._slopes[:k]
        return -total / self.penalty, float(shares @ offsets - total @ total / (2 * self.penalty))


def mix(products: Floats, offsets: Floats, start: Floats) -> Floats:
    """Minimise ``x' products x / 2 - offsets' x`` over the simplex, by active sets from a feasible start.

    Examples
    --------
    >>> mix(np.diag([1.0, 3.0]), np.zeros(2), np.array([1.0, 0.0]))
    array([0.75, 0.25])
    """
    x = start.copy()
    # In units of each plane's own size, whatever the scales of the columns; the first plane has none.
    sizes = np.sqrt(np.diag(products))
    sizes[sizes == 0] = 1.0
    free = np.flatnonzero(x > 0)
    for _ in range(20 * len(x) + 100):
        free = _settle(products, offsets, sizes, x, free)
        rising = products[:, free] @ x[free]
        gradient = rising - offsets
        level = float(gradient[free] @ x[free])
        gradient[free] = level
        entering = int(gradient.argmin())
        unsure = _ROUNDING * (np.abs(products[entering, free]) @ x[free] + abs(level) + abs(offsets[entering]))
        if gradient[entering] >= level - unsure:
            break
        free = np.append(free, entering)
    return x


def _settle(products: Floats, offsets: Floats, sizes: Floats, x: Floats, free: NDArray[np.intp]) -> NDArray[np.intp]:
    """Go to the minimum over the free entries, giving up those that would become negative on the way."""
    while True:
        k = len(free)
        scales = sizes[free]
        border = scales.min() / scales
        system = np.zeros((k + 1, k + 1))
        system[:k, :k] = products[np.ix_(free, free)] / np.outer(scales, scales)
        system[range(k), range(k)] += _RIDGE
        system[k, :k] = system[:k, k] = border
        wanted = np.linalg.solve(system, np.append(offsets[free] / scales, scales.min()))[:k] / scales
        now = x[free]
        negative = wanted < 0
        if not negative.any():
            x[free] = wanted / wanted.sum()
            return free
        steps = now[negative] / (now[negative] - wanted[negative])
        now = np.maximum(now + steps.min() * (wanted - now), 0.0)
        now[np.flatnonzero(negative)[steps == steps.min()]] = 0.0
        x[free] = now / now.sum()
        free = free[now > 0]

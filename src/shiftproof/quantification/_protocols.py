"""Which samples test a quantifier: of every prevalence there is, drawn from labelled rows."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Codes, Floats, InputError, Phrase, check_count, fault
from shiftproof.counting._samples import Places

# Row numbers of more samples than this take gigabytes.
_MOST_SAMPLES = 1_000_000
# Shares of a vector add up to 1 up to this.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Drawn:
    """Samples as row numbers.

    Parameters
    ----------
    wanted : array of shape (S, k)
        The prevalences that each sample was to have; what it has may differ by rounding.
    rows : array of shape (R,)
        The row numbers of all samples, one sample after the other.
    offsets : array of shape (S + 1,)
        Sample s has the rows ``rows[offsets[s] : offsets[s + 1]]``.
    """

    wanted: Floats
    rows: Places
    offsets: Places

    def prevalences(self, codes: Codes) -> Floats:
        """Give the prevalences that each sample really has, shape (S, k)."""
        k = self.wanted.shape[1]
        sizes = np.diff(self.offsets)
        sample = np.repeat(np.arange(len(sizes)), sizes)
        counts = np.bincount(sample * k + codes[self.rows], minlength=len(sizes) * k)
        return np.asarray(counts.reshape(-1, k) / sizes[:, None])


class SampleProtocol(ABC):
    """Base class for how samples are drawn from labelled rows; your own needs a `name` and a `draw`."""

    name: ClassVar[str]

    @abstractmethod
    def draw(self, codes: Codes, n_classes: int, rng: np.random.Generator) -> Drawn:
        """Draw samples from rows with these class codes, 0 … k-1."""


@dataclass(frozen=True)
class ThesisProtocol(SampleProtocol):
    """Undersample every test fold, without replacement, to 0, 10, … 100% positives (section 4.1.1 of the thesis).

    Each sample is as large as its prevalence allows: it has all positives or all negatives of the fold.

    Parameters
    ----------
    prevalences : int, or sequence of float
        The number of prevalences, at equal steps from 0 to 1; or the shares of positives themselves. They need not be
        at equal steps (section 4.3 of the thesis): pass the shares that you expect.

    Examples
    --------
    >>> drawn = ThesisProtocol(3).draw(np.array([0, 0, 0, 1]), 2, np.random.default_rng(0))
    >>> np.diff(drawn.offsets), drawn.prevalences(np.array([0, 0, 0, 1]))[:, 1]
    (array([3, 2, 1]), array([0. , 0.5, 1. ]))
    >>> ThesisProtocol([0.25, 0.5]).draw(np.array([0, 0, 0, 1]), 2, np.random.default_rng(0)).wanted[:, 1]
    array([0.25, 0.5 ])
    """

    prevalences: int | Sequence[float] = 11
    name: ClassVar[str] = "thesis"

    def draw(self, codes: Codes, n_classes: int, rng: np.random.Generator) -> Drawn:
        """Draw one sample for each prevalence."""
        if n_classes != 2:
            raise InputError(
                f"the thesis protocol needs exactly two classes, got {n_classes}; use UniformSimplex() for more"
            )
        shares = _points(self.prevalences, 2)[:, 1]
        negatives, positives = (np.flatnonzero(codes == code) for code in (0, 1))
        # Section 4.1.1: under-sampling keeps as many rows of the fold as the prevalence allows.
        counts = np.array([_largest(share, len(positives), len(negatives)) for share in shares])
        # A prevalence that needs a class without rows is left out.
        kept = counts.any(axis=1)
        rows = [
            np.concatenate([rng.permutation(positives)[:p], rng.permutation(negatives)[:n]]) for p, n in counts[kept]
        ]
        if not rows:
            raise InputError("every fold of the thesis protocol needs at least one row; use fewer folds")
        wanted = np.column_stack([1 - shares, shares])[kept]
        return Drawn(wanted, np.concatenate(rows), _offsets([len(sample) for sample in rows]))


@dataclass(frozen=True)
class ArtificialPrevalence(SampleProtocol):
    """Draw samples of one size with prevalences on a grid, for two classes at equal steps from 0 to 1.

    With more classes, the grid has all vectors of such shares that add up to 1. Rows of a class are drawn without
    replacement if there are enough, otherwise with replacement.

    Parameters
    ----------
    size : int
        The number of rows in a sample.
    prevalences : int, or sequence
        The number of shares from 0 to 1; or the points themselves: shares of the second of two classes, or one share
        per class for each point.
    repeats : int
        The number of samples at each point of the grid.

    Examples
    --------
    >>> codes = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    >>> drawn = ArtificialPrevalence(size=4, prevalences=3, repeats=1).draw(codes, 2, np.random.default_rng(0))
    >>> drawn.prevalences(codes)[:, 1]
    array([0. , 0.5, 1. ])
    """

    size: int = 100
    prevalences: int | Sequence[float] | Sequence[Sequence[float]] = 21
    repeats: int = 100
    name: ClassVar[str] = "artificial"

    def __post_init__(self) -> None:
        check_count(self.size, "size", least=1)
        check_count(self.repeats, "repeats", least=1)

    def draw(self, codes: Codes, n_classes: int, rng: np.random.Generator) -> Drawn:
        """Draw the samples for all points of the grid."""
        grid = _points(self.prevalences, n_classes, self.repeats)
        return _draw_shares(np.repeat(grid, self.repeats, axis=0), self.size, codes, rng)


@dataclass(frozen=True)
class UniformSimplex(SampleProtocol):
    """Draw samples of one size with prevalences that are uniform over all class proportions, for any number of classes.

    Parameters
    ----------
    size : int
        The number of rows in a sample.
    samples : int
        The number of samples.
    """

    size: int = 100
    samples: int = 1000
    name: ClassVar[str] = "simplex"

    def __post_init__(self) -> None:
        check_count(self.size, "size", least=1)
        check_count(self.samples, "samples", least=1)

    def draw(self, codes: Codes, n_classes: int, rng: np.random.Generator) -> Drawn:
        """Draw prevalences, then rows."""
        return _draw_shares(rng.dirichlet(np.ones(n_classes), self.samples), self.size, codes, rng)


@dataclass(frozen=True)
class NaturalPrevalence(SampleProtocol):
    """Draw random samples of one size; their prevalence differs from that of the rows only by chance.

    Parameters
    ----------
    size : int
        The number of rows in a sample.
    samples : int
        The number of samples.
    """

    size: int = 100
    samples: int = 1000
    name: ClassVar[str] = "natural"

    def __post_init__(self) -> None:
        check_count(self.size, "size", least=1)
        check_count(self.samples, "samples", least=1)

    def draw(self, codes: Codes, n_classes: int, rng: np.random.Generator) -> Drawn:
        """Draw rows without replacement if there are enough, otherwise with replacement."""
        size, samples = self.size, self.samples
        natural = np.bincount(codes, minlength=n_classes) / len(codes)
        rows = np.concatenate([_some(np.arange(len(codes)), size, rng) for _ in range(samples)])
        return Drawn(np.tile(natural, (samples, 1)), rows, _offsets([size] * samples))


PROTOCOLS: dict[str, SampleProtocol] = {
    protocol.name: protocol
    for protocol in (ThesisProtocol(), ArtificialPrevalence(), UniformSimplex(), NaturalPrevalence())
}


def _points(prevalences: object, n_classes: int, repeats: int = 1) -> Floats:
    """Return the prevalences to draw samples at, shape (points, k).

    Examples
    --------
    >>> _points(3, 2).tolist(), _points([0.1, 0.4], 2).tolist()
    ([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]], [[0.9, 0.1], [0.6, 0.4]])
    """
    if not isinstance(prevalences, Sequence | np.ndarray) or isinstance(prevalences, str):
        return _grid(prevalences, n_classes, repeats)
    try:
        given = np.asarray(prevalences, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.ndim == 1 and n_classes == 2:
        given = np.column_stack([1 - given, given])
    shape = "shares of the positive class" if n_classes == 2 else f"vectors of {n_classes} shares, one per class"
    if given.ndim != 2 or not given.size or given.shape[1] != n_classes:
        raise fault("prevalences", f"be a number of steps, or {shape}", prevalences, "11 are 0, 0.1, … 1")
    wrong = ~((given >= 0) & (given <= 1)).all(axis=1) | (np.abs(given.sum(axis=1) - 1) > _ROUNDING)
    if wrong.any():
        first = given[wrong][0].tolist()
        got = first[1] if n_classes == 2 else first
        raise fault("prevalences", "be shares from 0 to 1 that add up to 1", got, "0.2 means 20%")
    return given


def _grid(prevalences: object, n_classes: int, repeats: int) -> Floats:
    """Return all vectors of shares at equal steps."""
    steps = check_count(prevalences, "prevalences", least=2, hint="11 are 0, 0.1, … 1") - 1
    n = math.comb(steps + n_classes - 1, n_classes - 1) * repeats
    if n > _MOST_SAMPLES:
        got, hint = Phrase(f"{n:,} for {n_classes} classes"), "use fewer prevalences, or UniformSimplex()"
        raise fault("the artificial protocol", f"give at most {_MOST_SAMPLES:,} samples", got, hint)
    # Rising shares of the last class, as a chart over prevalences reads.
    return np.array(list(_compositions(steps, n_classes)), dtype=np.float64)[::-1] / steps


def _largest(share: float, positives: int, negatives: int) -> tuple[int, int]:
    """Give how many rows of each side make the largest sample with this share of positives.

    Examples
    --------
    >>> _largest(0.1, 5, 50), _largest(0.9, 5, 50), _largest(0.5, 5, 50)
    ((5, 45), (5, 1), (5, 5))
    """
    # At the ends one class alone makes the sample.
    if share in (0.0, 1.0):
        return (positives, 0) if share else (0, negatives)
    if not positives or not negatives:
        return (0, 0)
    # Either all positives are in it or all negatives; the nearest of these, of equally near ones the larger.
    # Positives per negative.
    odds = share / (1 - share)
    sides = [(positives, n) for n in _around(positives / odds, negatives)]
    sides += [(p, negatives) for p in _around(negatives * odds, positives)]
    return min(sides, key=lambda counts: (round(abs(counts[0] / sum(counts) - share), 12), -sum(counts)))


def _around(value: float, most: int) -> list[int]:
    """Give the whole numbers on both sides, none above the most there are."""
    return [min(whole, most) for whole in (math.floor(value), math.ceil(value))]


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Give all ways to write a total as a sum of whole parts, in order."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)


def _draw_shares(wanted: Floats, size: int, codes: Codes, rng: np.random.Generator) -> Drawn:
    """Draw samples of one size at these prevalences, rounded to whole rows that add up to it."""
    # Rounding must not turn 0.3 * 10 into 2.
    whole = np.floor(wanted * size + 1e-9)
    # The largest remainders get the rows that are left.
    left = size - whole.sum(axis=1).astype(int)
    order = np.argsort(-(wanted * size - whole), axis=1, kind="stable")
    ranks = np.argsort(order, axis=1, kind="stable")
    counts = (whole + (ranks < left[:, None])).astype(np.intp)
    by_class = [np.flatnonzero(codes == code) for code in range(wanted.shape[1])]
    for code, rows in enumerate(by_class):
        if not len(rows) and counts[:, code].any():
            got, hint = Phrase(f"none of class number {code} (from 0)"), "use fewer folds, or NaturalPrevalence()"
            raise fault("samples of all prevalences", "have rows of every class to draw from", got, hint)
    rows = np.concatenate(
        [
            _some(members, n, rng)
            for of_sample in counts.tolist()
            for members, n in zip(by_class, of_sample, strict=True)
        ]
    )
    return Drawn(wanted, rows, _offsets([size] * len(wanted)))


def _some(rows: Places, n: int, rng: np.random.Generator) -> Places:
    # Too few rows for a sample without repetition.
    if n > len(rows):
        return rows[rng.integers(0, len(rows), n)]
    # Which of the two is faster; both draw without replacement.
    if 4 * n > len(rows):
        return rng.permutation(rows)[:n]
    return rows[rng.choice(len(rows), n, replace=False, shuffle=False)]


def _offsets(sizes: list[int]) -> NDArray[np.intp]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)

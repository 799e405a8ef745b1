"""Scored rows: labelled ones to learn from, and many samples of unlabelled ones as one pool and row numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shiftproof.core import Codes, Floats, InputError, Phrase, check_matrix, check_probabilities, fault
from shiftproof.counting._kernels import sums

Places = NDArray[np.intp]
T = TypeVar("T")


@dataclass(frozen=True, eq=False, init=False)
class RowScores:
    """Scores of rows, one column per class, and the classes that the model predicts.

    Parameters
    ----------
    probabilities : array of shape (n, k)
        One column per class.
    decisions : array of shape (n,), optional
        The class that the model itself predicts, 0 … k-1, such as by the sign of a support vector machine's decision
        function. By default the most probable class.

    Examples
    --------
    >>> RowScores([[0.9, 0.1], [0.4, 0.6]]).decisions
    array([0, 1])
    >>> RowScores([[0.9, 0.1], [0.4, 0.6]], [1, 1]).take([0]).decisions
    array([1])
    """

    probabilities: Floats
    _decisions: Codes | None
    #: Where each row stood among the rows that it was drawn from, if known (`numbered`).
    numbers: Places | None

    def __init__(self, probabilities: ArrayLike, decisions: ArrayLike | None = None) -> None:
        checked = _check_probabilities(probabilities)
        codes = None if decisions is None else _check_codes(decisions, "decisions", *checked.shape)
        _keep(self, probabilities=checked, _decisions=codes, numbers=None)

    @classmethod
    def of(cls, scores: ArrayLike | RowScores) -> RowScores:
        """Return RowScores as they are; turn probabilities into RowScores that decide for the most probable classes."""
        return scores if isinstance(scores, RowScores) else cls(scores)

    def __len__(self) -> int:
        return len(self.probabilities)

    @cached_property
    def decisions(self) -> Codes:
        """The predicted class of each row, shape (n,)."""
        return predicted(self.probabilities) if self._decisions is None else self._decisions

    @cached_property
    def rising(self) -> list[Floats]:
        """The scores of each class in rising order; with two classes, only those of the second."""
        k = self.probabilities.shape[1]
        return [np.sort(self.probabilities[:, code]) for code in (range(1, 2) if k == 2 else range(k))]

    def take(self, rows: ArrayLike) -> RowScores:
        """Return some of the rows, by number (a row may occur more than once) or by a mask."""
        chosen: NDArray[Any] = np.asarray(rows)
        chosen = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
        # Rows that were checked once need no second look; resampling takes rows thousands of times.
        part = object.__new__(RowScores)
        decisions, numbers = (None if of is None else of[chosen] for of in (self._decisions, self.numbers))
        # `take` copies whole rows, where indexing by row numbers is many times slower.
        _keep(part, probabilities=self.probabilities.take(chosen, axis=0), _decisions=decisions, numbers=numbers)
        return part

    def numbered(self) -> RowScores:
        """Return the same rows with numbers, which identify copies of a row in resamples; methods must not use them."""
        numbers = np.arange(len(self))
        rows = self.take(numbers)
        _keep(rows, numbers=numbers)
        return rows


@dataclass(frozen=True, eq=False, init=False)
class Labelled:
    """Scores of labelled rows, made by models that never saw the row.

    Parameters
    ----------
    scores : RowScores, or array of shape (n, k)
        Probabilities, one column per class. Pass RowScores if the model's decisions are not the most probable classes.
    codes : array of shape (n,)
        The class of each row, 0 … k-1.
    folds : array of shape (n,), optional
        The fold whose model scored the row; by default, there is one fold.
    weights : array of shape (n,), optional
        The weight of each row, above 0; by default 1. A row with weight 2 counts like two equal rows.
    names : sequence of str, optional
        The names of the classes in texts; by default their numbers.
    notes : sequence of str, optional
        What the user should know about these scores.

    Examples
    --------
    >>> labelled = Labelled([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]], [0, 0, 1])
    >>> labelled.prevalence.round(2)
    array([0.67, 0.33])
    >>> labelled.take([0, 2, 2]).codes
    array([0, 1, 1])
    """

    scores: RowScores
    codes: Codes
    folds: Codes
    weights: Floats
    names: tuple[str, ...]
    notes: tuple[str, ...]
    #: What was learnt from these rows, by what learnt it.
    lessons: dict[object, Any] = field(init=False, repr=False)

    def __init__(
        self,
        scores: ArrayLike | RowScores,
        codes: ArrayLike,
        folds: ArrayLike | None = None,
        names: Sequence[str] | None = None,
        notes: Sequence[str] = (),
        *,
        weights: ArrayLike | None = None,
    ) -> None:
        checked = RowScores.of(scores)
        n, k = checked.probabilities.shape
        labels = _check_codes(codes, "codes", n, k)
        parts = np.zeros(n, dtype=np.int64) if folds is None else _check_whole(folds, "folds", n)
        class_names = tuple(map(str, range(k) if names is None else names))
        if len(class_names) != k:
            raise fault("names", f"have one name for each of {k} classes", len(class_names), "leave it out")
        row_weights = np.ones(n) if weights is None else _check_weights(weights, n)
        named = {"names": class_names, "notes": tuple(notes), "lessons": {}}
        _keep(self, scores=checked, codes=labels, folds=parts, weights=row_weights, **named)

    @property
    def probabilities(self) -> Floats:
        """The probabilities of the classes, shape (n, k)."""
        return self.scores.probabilities

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.probabilities.shape[1])

    @property
    def counts(self) -> Codes:
        """The number of rows of each class, shape (k,)."""
        return np.bincount(self.codes, minlength=self.n_classes)

    @property
    def totals(self) -> Floats:
        """The total weight of each class, shape (k,); its number of rows if all weights are 1."""
        return np.bincount(self.codes, weights=self.weights, minlength=self.n_classes).astype(np.float64)

    @property
    def prevalence(self) -> Floats:
        """The share of each class in the total weight, shape (k,)."""
        return np.asarray(self.totals / self.totals.sum())

    @property
    def weighted(self) -> bool:
        """Whether the weights differ."""
        return bool(np.ptp(self.weights) > 0)

    def once(self, key: object, learn: Callable[[], T]) -> T:
        """Return the result of `learn()`, which is called only once for each key."""
        if key not in self.lessons:
            self.lessons[key] = learn()
        lesson: T = self.lessons[key]
        return lesson

    def take(self, rows: ArrayLike) -> Labelled:
        """Return some of the rows, by number (a row may occur more than once) or by a mask."""
        chosen: NDArray[Any] = np.asarray(rows)
        parts = self.scores.take(chosen), self.codes[chosen], self.folds[chosen]
        return Labelled(*parts, self.names, self.notes, weights=self.weights[chosen])

    def with_weights(self, weights: ArrayLike | None) -> Labelled:
        """Return the rows whose weight is above 0, with these weights; all rows if `weights` is None.

        Whole numbers count as repeated rows. Others say how much rows count beside each other: their mean becomes 1.
        """
        if weights is None:
            return self
        values = np.asarray(weights, dtype=np.float64)
        if not np.array_equal(values, np.rint(values)):
            if np.ptp(values) == 0:
                return self
            values = values / values[values > 0].mean()
        part = self.take(values > 0)
        return Labelled(part.scores, part.codes, part.folds, part.names, part.notes, weights=values[values > 0])

    def with_notes(self, notes: Sequence[str]) -> Labelled:
        """Return the same rows with these notes."""
        return Labelled(self.scores, self.codes, self.folds, self.names, notes, weights=self.weights)


@dataclass(frozen=True, eq=False, init=False)
class Samples:
    """Samples of any sizes from a pool of scored rows, stored as row numbers.

    Parameters
    ----------
    scores : RowScores, or array of shape (N, k)
        The pool of scored rows.
    rows : array of shape (R,)
        The row numbers of all samples, one sample after the other; a row may occur in several samples.
    offsets : array of shape (S + 1,)
        Sample s has the rows ``rows[offsets[s] : offsets[s + 1]]``; no sample may be empty.

    Examples
    --------
    >>> pool = [[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]]
    >>> samples = Samples.from_lists(pool, [[0], [1, 2]])
    >>> samples.sizes
    array([1, 2])
    >>> samples.means(samples.probabilities[:, 1])
    array([0.1, 0.7])
    """

    scores: RowScores
    rows: Places
    offsets: Places
    #: Whether this is one sample of all rows, each once.
    whole: bool

    def __init__(
        self, scores: ArrayLike | RowScores, rows: ArrayLike, offsets: ArrayLike, *, whole: bool = False
    ) -> None:
        pool = RowScores.of(scores)
        numbers = _check_rows(np.asarray(rows), len(pool))
        bounds = np.asarray(offsets).astype(np.intp)
        if bounds.ndim != 1 or len(bounds) < 2 or bounds[0] != 0 or bounds[-1] != len(numbers):
            hint = "Samples.from_lists creates them"
            raise fault("offsets", "rise from 0 to the number of rows", bounds.tolist(), hint)
        # The mean of no rows is undefined.
        empty = np.flatnonzero(np.diff(bounds) <= 0)
        if len(empty):
            raise InputError(
                f"every sample must have at least one row, but sample {int(empty[0])} has none; leave it out"
            )
        _keep(self, scores=pool, rows=numbers, offsets=bounds, whole=whole)

    @classmethod
    def of(cls, scores: ArrayLike | RowScores) -> Samples:
        """Create one sample of all rows."""
        pool = RowScores.of(scores)
        return cls(pool, np.arange(len(pool)), [0, len(pool)], whole=True)

    @classmethod
    def from_matrix(cls, scores: ArrayLike | RowScores, index_matrix: ArrayLike) -> Samples:
        """Create samples of one size from row numbers of shape (S, m)."""
        matrix = np.asarray(index_matrix)
        if matrix.ndim != 2 or matrix.size == 0:
            rule = "have one row per sample and one column per row of it"
            raise fault(
                "index_matrix", rule, Phrase(f"shape {matrix.shape}"), "Samples.from_lists accepts samples of any size"
            )
        return cls(scores, matrix.ravel(), np.arange(len(matrix) + 1) * matrix.shape[1])

    @classmethod
    def from_lists(cls, scores: ArrayLike | RowScores, lists: Sequence[ArrayLike]) -> Samples:
        """Create samples of any sizes from lists of row numbers."""
        arrays = [np.asarray(rows) for rows in lists]
        if not arrays:
            raise fault("lists", "hold at least one sample", 0, "give the row numbers of each sample")
        flat = np.concatenate([rows for rows in arrays if len(rows)] or [np.zeros(0, dtype=np.intp)])
        return cls(scores, flat, np.cumsum([0, *map(len, arrays)]))

    @property
    def probabilities(self) -> Floats:
        """The probabilities of the pool's rows, shape (N, k)."""
        return self.scores.probabilities

    @property
    def n_samples(self) -> int:
        """The number of samples."""
        return len(self.offsets) - 1

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.probabilities.shape[1])

    @property
    def sizes(self) -> Places:
        """The number of rows of each sample, shape (S,)."""
        return np.diff(self.offsets)

    def column(self, code: int) -> Floats:
        """Return the pool's scores of a class; sorted if one sample has all rows, as their order then does not matter.

        A search for thresholds then goes from front to back, which is several times faster.
        """
        if self.whole:
            return self.scores.rising[0 if self.n_classes == 2 else code]
        return np.ascontiguousarray(self.probabilities[:, code])

    def take(self, chosen: ArrayLike) -> Samples:
        """Return some of the samples, by number."""
        numbers = np.asarray(chosen)
        if self.whole:
            return self
        rows = [self.rows[self.offsets[s] : self.offsets[s + 1]] for s in numbers]
        return Samples.from_lists(self.scores, rows)

    def means(self, values: NDArray[Any]) -> Floats:
        """Average values of the pool's rows over each sample.

        Parameters
        ----------
        values : array of shape (N,) or (N, d)
            One number, boolean or row of d values per row of the pool.

        Returns
        -------
        array of shape (S,) or (S, d)
            The means.
        """
        # The kernel runs over rows of memory.
        table = np.ascontiguousarray(values, dtype=np.float64)
        means = sums(table.reshape(len(table), -1), self.rows, self.offsets) / self.sizes[:, None]
        return np.asarray(means if table.ndim == 2 else means[:, 0])


def predicted(probabilities: Floats) -> Codes:
    """Give the class of each row: the second of two from 1/2 on, the likeliest of more (the last of equal ones).

    Examples
    --------
    >>> predicted(np.array([[0.5, 0.5], [0.6, 0.4]]))
    array([1, 0])
    >>> predicted(np.array([[0.4, 0.4, 0.2]]))
    array([1])
    """
    k = probabilities.shape[1]
    # At least 1/2, as at every other threshold.
    if k == 2:
        return (probabilities[:, 1] >= 0.5).astype(np.int64)
    return np.asarray(k - 1 - probabilities[:, ::-1].argmax(axis=1))


def indicators(codes: Codes, n_classes: int) -> Floats:
    """Write codes as rows of zeros with a one, shape (n, k)."""
    return np.eye(n_classes).take(codes, axis=0)


def plain_count(samples: Samples) -> Floats:
    """Count the model's decisions in each sample, as shares of shape (S, k)."""
    if samples.n_classes == 2:
        second = samples.means(samples.scores.decisions == 1)
        return np.column_stack([1.0 - second, second])
    return samples.means(indicators(samples.scores.decisions, samples.n_classes))


def _keep(target: object, **values: object) -> None:
    """Store values of a frozen object, arrays as read-only views; the caller's arrays stay as they are."""
    for name, value in values.items():
        stored = value.view() if isinstance(value, np.ndarray) else value
        if isinstance(stored, np.ndarray):
            stored.flags.writeable = False
        object.__setattr__(target, name, stored)


def _check_probabilities(values: ArrayLike) -> Floats:
    array = np.asarray(values)
    if array.ndim != 2 or array.shape[0] < 1 or array.shape[1] < 2:
        hint = "give 1 - p and p for two classes"
        raise fault(
            "probabilities", "have one row per case and a column per class", Phrase(f"shape {array.shape}"), hint
        )
    scores = np.ascontiguousarray(
        check_matrix(array, "probabilities", hint="give one row per case, one column per class")
    )
    return check_probabilities(scores, "probabilities")


def _check_whole(values: ArrayLike, name: str, length: int) -> Codes:
    array = np.asarray(values)
    if array.ndim != 1 or len(array) != length:
        raise fault(
            name, f"have one entry for each of {length:,} rows", Phrase(f"shape {array.shape}"), "align the two"
        )
    if not np.issubdtype(array.dtype, np.integer):
        raise fault(
            name, "be whole numbers", Phrase(f"values of type {array.dtype}"), "convert the labels to numbers first"
        )
    return array.astype(np.int64, copy=False)


def _check_codes(values: ArrayLike, name: str, length: int, n_classes: int) -> Codes:
    codes = _check_whole(values, name, length)
    wrong = codes[(codes < 0) | (codes >= n_classes)]
    if len(wrong):
        raise fault(
            name, f"lie in 0 … {n_classes - 1}", int(wrong[0]), "number the classes in the order of the columns"
        )
    return codes


def _check_weights(values: ArrayLike, length: int) -> Floats:
    weights = np.asarray(values, dtype=np.float64)
    if weights.shape != (length,) or not np.isfinite(weights).all() or weights.min() <= 0:
        got = float(weights.min()) if weights.shape == (length,) else Phrase(f"shape {weights.shape}")
        raise fault("weights", f"be {length:,} numbers above 0", got, "leave out the rest")
    return weights


def _check_rows(rows: NDArray[Any], length: int) -> Places:
    if rows.size == 0:
        raise fault("rows", "hold at least one row number", 0, "leave out empty samples")
    if rows.ndim != 1 or not np.issubdtype(rows.dtype, np.integer):
        raise fault(
            "rows", "be a flat array of whole numbers", Phrase(f"{rows.dtype} of shape {rows.shape}"), "use row numbers"
        )
    low, high = int(rows.min()), int(rows.max())
    if low < 0 or high >= length:
        raise fault("rows", f"lie in 0 … {length - 1}", low if low < 0 else high, "the pool has no other rows")
    return rows.astype(np.intp, copy=False)

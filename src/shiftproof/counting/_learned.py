"""What a method has learnt: from samples to prevalences."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Codes, Floats, Phrase, fault
from shiftproof.counting._samples import Labelled, Samples, plain_count

# From so many rows on, scores do not fit into a processor's cache.
_MANY_ROWS = 50_000


@dataclass(frozen=True, eq=False, kw_only=True)
class Learned(ABC):
    """A method that has learnt from labelled rows.

    Attributes
    ----------
    n_classes : int
        The number of classes of the labelled rows.
    notes : tuple of str
        What the user should know, such as that a fallback was used.
    """

    n_classes: int
    notes: tuple[str, ...] = ()

    @property
    def fixed_options(self) -> Mapping[str, Any]:
        """Options that were chosen from these rows, and that are kept when the method learns from resamples."""
        return {}

    def estimate(self, samples: Samples) -> Floats:
        """Estimate the prevalences in each sample, shape (S, k); they are at least 0 and add up to 1."""
        self._check(samples)
        shares = np.maximum(self._shares(samples), 0.0)
        wanted = (samples.n_samples, self.n_classes)
        if shares.shape != wanted or not np.isfinite(shares).all() or not shares.any(axis=1).all():
            got = Phrase(f"shape {shares.shape}" if shares.shape != wanted else "NaN, infinity or no share above 0")
            raise fault(type(self).__name__, f"give finite shares of shape {wanted}", got, "a row for each sample")
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def raw(self, samples: Samples) -> Floats:
        """Return the values before clipping, shape (S, k); the same as `estimate` if the method does not clip."""
        self._check(samples)
        return self._raw(samples)

    def _check(self, samples: Samples) -> None:
        # Scores by a model that knows other classes would be counted in the wrong columns.
        if samples.n_classes != self.n_classes:
            rule = f"have a column for each of {self.n_classes} classes"
            raise fault("probabilities", rule, samples.n_classes, "score both tables with the same model")

    @abstractmethod
    def _shares(self, samples: Samples) -> Floats: ...

    def _raw(self, samples: Samples) -> Floats:
        return self._shares(samples)


@dataclass(frozen=True, eq=False, kw_only=True)
class Unadjusted(Learned):
    """A statistic of each sample as it is: the plain count, or the mean probabilities."""

    statistic: Callable[[Samples], Floats]

    def _shares(self, samples: Samples) -> Floats:
        return self.statistic(samples)


@dataclass(frozen=True, eq=False)
class Binary:
    """Labelled rows as one class against the others.

    Parameters
    ----------
    scores : array of shape (n,)
        The probability of the class.
    positive : array of shape (n,)
        Whether the row is of the class; some are, some are not.
    folds : array of shape (n,)
        Which fold's model scored the row.
    weights : array of shape (n,)
        How much the row counts, above 0.
    """

    scores: Floats
    positive: NDArray[np.bool_]
    folds: Codes
    weights: Floats

    @classmethod
    def of(cls, labelled: Labelled, code: int) -> Binary:
        """Take one class of labelled rows; many rows are sorted by score, so that searches go from front to back."""
        # Contiguous, because thresholds are searched in the column thousands of times.
        column, positive = np.ascontiguousarray(labelled.probabilities[:, code]), labelled.codes == code
        if len(column) < _MANY_ROWS:
            return cls(column, positive, labelled.folds, labelled.weights)
        order = np.argsort(column)
        # Where all are alike, their order says nothing, and a copy would only take memory.
        folds = labelled.folds if labelled.folds.min() == labelled.folds.max() else labelled.folds[order]
        weights = labelled.weights[order] if labelled.weighted else labelled.weights
        return cls(column[order], positive[order], folds, weights)


class ClassShare(Protocol):
    """What was learnt of one class against the others."""

    def share(self, scores: Floats, samples: Samples) -> Floats:
        """Estimate the share of the class in each sample, shape (S,), from its scores of the pool, shape (N,)."""
        ...


# What is learnt of a class: None stands for its plain count; and what to say about it, if anything.
Lesson = tuple[ClassShare | None, str]


@dataclass(frozen=True, eq=False, kw_only=True)
class OneVsRest(Learned):
    """The share of each class against the others, clipped and then normalised; of two classes the second decides."""

    parts: tuple[ClassShare | None, ...]

    def _raw(self, samples: Samples) -> Floats:
        columns = [
            plain_count(samples)[:, code] if part is None else part.share(samples.column(code), samples)
            for code, part in zip(self._codes, self.parts, strict=True)
        ]
        # Of two classes the first's share follows, so that both add up to 1 before clipping, too.
        return with_other(columns[0]) if self.n_classes == 2 else np.column_stack(columns)

    def _shares(self, samples: Samples) -> Floats:
        shares = np.clip(self._raw(samples), 0.0, 1.0)
        nothing = shares.sum(axis=1) == 0
        if nothing.any():
            # Where every class is said to be absent, the plain count has to do.
            shares[nothing] = plain_count(samples)[nothing]
        return shares

    @property
    def _codes(self) -> range:
        return range(1, 2) if self.n_classes == 2 else range(self.n_classes)


def learn_parts(labelled: Labelled, learn: Callable[[Binary], Lesson]) -> OneVsRest:
    """Learn each class against the others; of two classes only the second."""
    k = labelled.n_classes
    parts, notes = [], []
    for code in [1] if k == 2 else range(k):
        part, note = learn(labelled.once(("binary", code), partial(Binary.of, labelled, code)))
        parts.append(part)
        if note:
            notes.append(note if k == 2 else f"class {labelled.names[code]}: {note}")
    return OneVsRest(n_classes=k, notes=tuple(notes), parts=tuple(parts))


def with_other(share: Floats) -> Floats:
    """Put beside the share of the second class that of the first, shape (S, 2)."""
    return np.column_stack([1.0 - share, share])

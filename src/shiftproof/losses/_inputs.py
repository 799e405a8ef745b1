"""Inputs of the losses, checked: pairs of prevalences, sample sizes, contingency tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from shiftproof.core import Floats, InputError, Phrase, check_vector, fault

#: A float if numbers were given, an array if arrays were, as NumPy's own functions return.
Values = Any

# Shares computed in single precision miss 0, 1 and their sum by about a tenth of this.
_SLACK = 1e-6
# A sum of four cells in double precision misses a whole number by less than this share of it.
_ROUNDING = 1e-14
_FORMS = "pass one prevalence per sample, or one row of prevalences per sample"


@dataclass(frozen=True, eq=False, kw_only=True)
class PrevalencePair:
    """True and estimated prevalences of all classes, one row per sample.

    Parameters
    ----------
    true, estimated, difference : ndarray of shape (n_samples, n_classes)
        The vectors and the second minus the first.
    shape : tuple of int
        ``()`` for one sample given as numbers, else ``(n_samples,)``.
    vectors : bool
        Whether all classes were given, or the positive one alone.
    """

    true: Floats
    estimated: Floats
    difference: Floats
    shape: tuple[int, ...]
    vectors: bool

    def in_form(self, values: Floats) -> Values:
        """Return one value per sample in the form of the input: a float, or an array."""
        return values if self.shape else float(values[0])


@dataclass(frozen=True, eq=False, kw_only=True)
class ContingencyTables:
    """Contingency tables as flat arrays, and the shape of the input."""

    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats
    shape: tuple[int, ...]

    @property
    def rows(self) -> Floats:
        """How many rows each table counts; fractions of a row that add up to a whole number give just that."""
        total = self.tp + self.fp + self.fn + self.tn
        whole = np.round(total)
        return np.where(np.abs(total - whole) <= _ROUNDING * total, whole, total)

    @property
    def true(self) -> Floats:
        """The prevalence of the positive class (eq. 2.1)."""
        return (self.tp + self.fn) / self.rows

    @property
    def estimated(self) -> Floats:
        """The share called positive (eq. 2.2)."""
        return (self.tp + self.fp) / self.rows

    def without_errors(self) -> ContingencyTables:
        """Return the first table as a perfect classifier would have it."""
        right = self.tp + self.fn, self.fp + self.tn
        none = np.zeros(1)
        return ContingencyTables(tp=right[0][:1], fp=none, fn=none, tn=right[1][:1], shape=(1,))

    def in_form(self, values: Floats) -> Values:
        """Return one value per table in the form of the input: a float, or an array."""
        return values.reshape(self.shape) if self.shape else float(values[0])


def finite(values: ArrayLike, name: str) -> Floats:
    """Return finite numbers in the shape of the input."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        raise fault(name, "have rows of the same length", values, "give every sample the same classes") from None
    return check_vector(array.reshape(-1), name).reshape(array.shape)


def answer(values: Floats) -> Values:
    """Return an array without dimensions as a float, else the array."""
    return values if values.ndim else float(values)


def check_pair(true: ArrayLike, estimated: ArrayLike) -> PrevalencePair:
    """Check two prevalences, or two arrays of them; a number next to a 1-D array applies to all samples."""
    actual, estimates = finite(true, "true"), finite(estimated, "estimated")
    _same_form(actual, estimates)
    if actual.ndim == 2:
        vectors = _prevalence_vectors(actual, "true"), _prevalence_vectors(estimates, "estimated")
        difference = vectors[1] - vectors[0]
        return PrevalencePair(
            true=vectors[0], estimated=vectors[1], difference=difference, shape=actual.shape[:1], vectors=True
        )
    shares = np.broadcast_arrays(_clipped_prevalences(actual, "true"), _clipped_prevalences(estimates, "estimated"))
    one, other = np.atleast_1d(*shares)
    # Not from the complements, which are rounded.
    difference = np.column_stack([one - other, other - one])
    first, second = (np.column_stack([1.0 - share, share]) for share in (one, other))
    return PrevalencePair(true=first, estimated=second, difference=difference, shape=shares[0].shape, vectors=False)


def check_sizes(sample_size: ArrayLike, shape: tuple[int, ...]) -> Floats:
    """Return how many rows each sample has, as a column beside its prevalences."""
    sizes = finite(sample_size, "sample_size")
    bad = (sizes < 1) | (sizes != np.floor(sizes))
    if bad.any():
        raise fault("sample_size", "be whole numbers of at least 1", float(sizes[bad][0]), "count the sample's rows")
    if sizes.shape not in ((), shape):
        rule = "be one number or one per sample"
        raise fault("sample_size", rule, Phrase(f"shape {sizes.shape}"), f"the prevalences have shape {shape}")
    return sizes.reshape(-1, 1)


def check_tables(tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, tn: ArrayLike) -> ContingencyTables:
    """Check counts of one shape; a number next to arrays applies to all tables."""
    cells = {name: finite(cell, name) for name, cell in zip(("tp", "fp", "fn", "tn"), (tp, fp, fn, tn), strict=True)}
    for name, cell in cells.items():
        if (cell < 0).any():
            raise fault(name, "be counts of at least 0", float(cell.min()), "give the four cells of the table")
    shapes = {cell.shape for cell in cells.values() if cell.ndim}
    if len(shapes) > 1:
        got = " and ".join(str(shape) for shape in sorted(shapes))
        raise InputError(
            f"tp, fp, fn and tn must have the same shape, got {got}; give one value per table or one number"
        )
    shape = shapes.pop() if shapes else ()
    flat = {name: np.broadcast_to(cell, shape).reshape(-1) for name, cell in cells.items()}
    tables = ContingencyTables(**flat, shape=shape)
    if not tables.rows.all():
        raise InputError("tp + fp + fn + tn must be above 0, got 0; leave empty tables out")
    return tables


def _same_form(true: Floats, estimated: Floats) -> None:
    # Two-dimensional arrays must agree: broadcasting a vector of classes over samples would hide mistakes.
    if true.shape == estimated.shape or (max(true.ndim, estimated.ndim) == 1 and 0 in (true.ndim, estimated.ndim)):
        if true.ndim > 2:
            raise fault("true and estimated", "have at most two dimensions", Phrase(f"shape {true.shape}"), _FORMS)
        return
    got = f"{true.shape} and {estimated.shape}"
    hint = "pass one prevalence per sample, or one row per sample such as [[0.2, 0.8]]"
    raise InputError(f"true and estimated must have the same shape, got {got}; {hint}")


def _clipped_prevalences(shares: Floats, name: str) -> Floats:
    outside = (shares < -_SLACK) | (shares > 1 + _SLACK)
    if outside.any():
        raise fault(name, "be prevalences from 0 to 1", float(shares[outside][0]), "divide percentages by 100")
    return shares.clip(0.0, 1.0)


def _prevalence_vectors(vectors: Floats, name: str) -> Floats:
    if vectors.shape[1] < 2:
        hint = "a 2-D array has one row per sample and one column per class; flatten prevalences of the positive class"
        raise fault(name, "have at least two classes", Phrase(f"shape {vectors.shape}"), hint)
    shares = _clipped_prevalences(vectors, name)
    sums = shares.sum(axis=1, keepdims=True)
    off = np.abs(sums - 1) > _SLACK * vectors.shape[1]
    if off.any():
        row = int(np.flatnonzero(off)[0])
        hint = "a 2-D array has one row per sample and one column per class"
        raise fault(name, "sum to 1 in every row", Phrase(f"{sums[row, 0]:.6g} in row {row}"), hint)
    # Exactly 1: equal vectors must have a divergence of 0.
    return np.asarray(shares / sums)

"""From columns of any type to functions whose means are compared."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Column, Floats, is_missing
from shiftproof.shift._functions import legendre, midranks, place_ranks

# Location, scale and skewness of a feature's ranks. Balancing leaves out the third: it costs the cube of the functions.
_DEGREE = 3
_BALANCED_DEGREE = 2
_SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")
# More indicators cost power and time, and the rare ones have few rows.
_MOST_CATEGORIES = 8
# Rarer categories are joined: those expected in fewer new rows than this, but no larger ones than that share.
_FEWEST, _RAREST = 5, 0.2
# Where this share of the reference rows has a category of its own, unseen ones among the new rows are expected.
_OPEN = 0.01


@dataclass(frozen=True, eq=False)
class Side:
    """The column of one table as functions (n, b), those to balance (n, c), and plain coordinates (n, e)."""

    functions: Floats
    balanced: Floats
    coordinates: Floats


@dataclass(frozen=True, eq=False)
class Feature:
    """One column of both tables as functions with mean about 0 and variance about 1 on the reference rows.

    Parameters
    ----------
    name : str
        The column.
    reference, current : Side
        The two tables.
    unseen : bool array of shape (n_T,)
        New rows with a value that the reference cannot stand in for: a category it never had, or any other value
        than that of a constant column.
    places : two int arrays of shapes (n,) and (n_T,)
        The same number for the same value, -1 for a value that the reference does not have.
    beyond : float
        The share of new rows with a number outside the reference's range, or with a value that is unseen.
    """

    name: str
    reference: Side
    current: Side
    unseen: NDArray[np.bool_]
    places: tuple[NDArray[np.int64], NDArray[np.int64]]
    beyond: float


def number_feature(reference: Column, current: Column) -> Feature:
    """Turn numbers or dates into Legendre polynomials of their ranks among the reference rows.

    A missing value counts as 0 in each, so that present values alone decide them, and has an indicator of its own.
    """
    (old, old_gap), (new, new_gap) = aligned_numbers(reference), aligned_numbers(current)
    gaps = _indicators(old_gap[:, None], new_gap[:, None])
    known, fresh = old[~old_gap], new[~new_gap]
    places = _number_places(known, old, old_gap), _number_places(known, new, new_gap)
    # No reference row can stand in for a missing value if none has one.
    strange = new_gap & (not old_gap.any())
    if not len(known):
        return _joined(reference.name, [gaps], ~new_gap, places)
    outside = ~new_gap & ((new < known.min()) | (new > known.max()))
    if known.min() == known.max():
        strange = strange | (~new_gap & (new != known[0]))
        if (fresh == known[0]).all():
            return _joined(reference.name, [gaps], strange, places)
    sides = [
        Side(functions, functions[:, :_BALANCED_DEGREE], _with_gaps(legendre(place_ranks(known, values), 1), gap))
        for functions, values, gap in (
            (_with_gaps(legendre(midranks(known), _DEGREE), old_gap), known, old_gap),
            (_with_gaps(legendre(midranks(known, fresh), _DEGREE), new_gap), fresh, new_gap),
        )
    ]
    return _joined(reference.name, [(sides[0], sides[1]), gaps], strange, places, outside)


def nominal_feature(reference: Column, current: Column) -> Feature:
    """Turn categories into indicators of the eight most frequent ones, of all rarer ones together and of missing.

    Chosen by their frequency among the reference rows alone: neither labels nor the new rows have a say, so no test
    is biased by the choice. The most frequent one is left out, because it follows from the others.
    """
    old, new = reference.cells(), current.cells()
    gaps = [np.array([is_missing(cell) for cell in cells], dtype=bool) for cells in (old, new)]
    counts = Counter(cell for cell, gap in zip(old, gaps[0].tolist(), strict=True) if not gap)
    order = {cell: rank for rank, (cell, _) in enumerate(counts.most_common())}
    places, new_places = (
        np.where(gap, len(order), np.array([order.get(cell, -1) for cell in cells], dtype=np.int64))
        for cells, gap in zip((old, new), gaps, strict=True)
    )
    fewest = len(old) * min(_FEWEST / len(new), _RAREST)
    kept = min(sum(times >= fewest for times in counts.values()), _MOST_CATEGORIES)
    # The kept ones by frequency, then all rarer ones together, then missing.
    groups = [
        np.where(place == len(order), kept + 1, np.where((place >= 0) & (place < kept), place, kept))
        for place in (places, new_places)
    ]
    sizes = np.bincount(groups[0], minlength=kept + 2)
    # All indicators add up to one; without the largest group they are independent.
    used = np.delete(np.arange(kept + 2), sizes.argmax())
    indicators = _indicators(*(group[:, None] == used for group in groups))
    closed = sum(times == 1 for times in counts.values()) < _OPEN * len(old)
    unseen = np.where(gaps[1], not gaps[0].any(), (new_places < 0) & closed)
    return _joined(reference.name, [indicators], unseen, (places, new_places))


def aligned_numbers(column: Column) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return one number per row, and which of them are missing (and stand for nothing)."""
    values, missing = column.numbers()
    if len(values) == len(column):
        gap = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)
        return values, gap
    if missing == len(column):
        return np.zeros(len(column)), np.ones(len(column), dtype=bool)
    # The numbers come without the missing ones here; put them back at their rows.
    gap = np.asarray(column.values.is_null().to_numpy(), dtype=bool)
    full = np.zeros(len(column), dtype=values.dtype)
    full[~gap] = values
    return full, gap


def _number_places(known: NDArray[Any], values: NDArray[Any], gap: NDArray[np.bool_]) -> NDArray[np.int64]:
    ordered = np.sort(known)
    below, up_to = (np.searchsorted(ordered, values, side=side) for side in _SIDES)
    return np.where(gap, len(ordered), np.where(up_to > below, below, -1))


def _with_gaps(functions: Floats, gap: NDArray[np.bool_]) -> Floats:
    full = np.zeros((len(gap), functions.shape[1]))
    full[~gap] = functions
    return full


def _indicators(old: NDArray[np.bool_], new: NDArray[np.bool_]) -> tuple[Side, Side]:
    """Scale 0/1 columns by their share in both tables; those that never vary are left out."""
    share = (old.sum(axis=0) + new.sum(axis=0)) / (len(old) + len(new))
    varies = (share > 0) & (share < 1)
    share = share[varies]
    sides = []
    for member in (old[:, varies], new[:, varies]):
        scaled = (member - share) / np.sqrt(share * (1 - share))
        sides.append(Side(scaled, scaled, member.astype(np.float64)))
    return sides[0], sides[1]


def _joined(
    name: str,
    pairs: list[tuple[Side, Side]],
    unseen: NDArray[np.bool_],
    places: tuple[NDArray[np.int64], NDArray[np.int64]],
    outside: NDArray[np.bool_] | None = None,
) -> Feature:
    reference, current = (
        Side(
            np.hstack([side.functions for side in sides]),
            np.hstack([side.balanced for side in sides]),
            np.hstack([side.coordinates for side in sides]),
        )
        for sides in zip(*pairs, strict=True)
    )
    beyond = unseen if outside is None else unseen | outside
    return Feature(name, reference, current, unseen, places, float(np.mean(beyond)))

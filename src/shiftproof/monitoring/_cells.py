"""The fixed cells of a column, learnt once from the reference, and how many rows of any table lie in each.

A number is coded by rising edges, a category by the hash of its value. Counts on the same cells add up exactly, whoever
counted them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Column, is_missing
from shiftproof.monitoring.alarms import N_CUTS

IntArray = NDArray[np.int64]
Flags = NDArray[np.bool_]
Hashes = NDArray[np.uint64]

#: Numbers are cut at this many quantiles of part A; a value that holds so large a share of A is a cell of its own.
PARTS = 16
# The distance itself is measured at up to 255 quantiles, as long as four reference rows lie between two of them.
_FINEST, _ROWS_APART = 256, 4
# How many rows of part A make a category a cell, and how many cells there may be; the rarest are left out.
_OFTEN, _MOST_LEVELS = 5, 62
#: Names of the cells of categories that are not levels.
RARE, NOT_IN_PART = "rare", "not in part A"


class OrderedValues(Protocol):
    """What the edges of cells follow from: order statistics of all values of a column, and of those in part A."""

    @property
    def n(self) -> int:
        """How many values there are."""

    @property
    def n_part(self) -> int:
        """How many of them are in part A."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Their type."""

    @property
    def ends(self) -> tuple[Any, ...]:
        """The first and the last finite value; empty without any."""

    @property
    def frequent(self) -> list[Any]:
        """The values that hold at least a sixteenth of part A."""

    def at(self, places: IntArray) -> list[Any]:
        """Return order statistics of all values."""

    def part_at(self, places: IntArray) -> list[Any]:
        """Return order statistics of part A."""

    def part_below(self, bound: Any, *, inclusive: bool) -> int:
        """Return how many values of part A are less than a bound, or at most equal to it."""


@dataclass(frozen=True, eq=False)
class SortedValues:
    """The order of values that are in memory, sorted: of all, and of part A."""

    values: NDArray[Any]
    part: NDArray[Any]

    @property
    def n(self) -> int:
        """How many values there are."""
        return len(self.values)

    @property
    def n_part(self) -> int:
        """How many of them are in part A."""
        return len(self.part)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Their type."""
        return self.values.dtype

    @property
    def ends(self) -> tuple[Any, ...]:
        """The first and the last finite value; empty without any."""
        finite = self.values[np.isfinite(self.values)]
        return (finite[0].item(), finite[-1].item()) if len(finite) else ()

    @property
    def frequent(self) -> list[Any]:
        """The values that hold at least a sixteenth of part A."""
        distinct, times = np.unique(self.part, return_counts=True)
        return list(distinct[times * PARTS >= len(self.part)].tolist())

    def at(self, places: IntArray) -> list[Any]:
        """Return order statistics of all values."""
        return list(self.values[places].tolist())

    def part_at(self, places: IntArray) -> list[Any]:
        """Return order statistics of part A."""
        return list(self.part[places].tolist())

    def part_below(self, bound: Any, *, inclusive: bool) -> int:
        """Return how many values of part A are less than a bound, or at most equal to it."""
        return int(np.searchsorted(self.part, bound, side="right" if inclusive else "left"))


@dataclass(frozen=True, eq=False, kw_only=True)
class NumberCells:
    """Cells of numbers, dates or durations.

    Attributes
    ----------
    bounds : ndarray of shape (e,)
        The edges, rising; float64, int64 or uint64, so that integers beyond 2^53 stay exact.
    inclusive : ndarray of bool, shape (e,)
        Whether an edge has its bound below it ("at most") or above it ("less than").
    closing : ndarray of bool, shape (e,)
        The edges between the cells that the alarms count.
    cuts : ndarray of int, shape (e,)
        How many of the 31 cuts lie at the edge; several where a value is frequent.
    ends : ndarray of bool, shape (e,)
        The two edges around the finite values of the reference; none if it has no finite value.
    """

    bounds: NDArray[Any]
    inclusive: Flags
    closing: Flags
    cuts: IntArray
    ends: Flags

    @classmethod
    def of(cls, values: NDArray[Any], part: Flags) -> NumberCells:
        """Place the edges, given the present values of the reference and which of them are in part A."""
        return cls.by_order(SortedValues(np.sort(values), np.sort(values[part])))

    @classmethod
    def by_order(cls, values: OrderedValues) -> NumberCells:
        """Place the edges, given the order of the present values and of those in part A."""
        closing = _cell_edges(values)
        fine = _finest(values.n)
        cuts = [(value, True) for value in values.at(fine_places(values.n))]
        at_cuts = cuts[fine // (N_CUTS + 1) - 1 :: fine // (N_CUTS + 1)]
        # Values outside the reference's range are counted, too.
        ends = [(values.ends[0], False), (values.ends[1], True)] if values.ends else []
        edges = sorted({*closing, *cuts, *ends})
        return cls(
            bounds=np.array([bound for bound, _ in edges], dtype=values.dtype),
            inclusive=np.array([inclusive for _, inclusive in edges], dtype=np.bool_),
            closing=np.array([edge in closing for edge in edges], dtype=np.bool_),
            cuts=np.array([at_cuts.count(edge) for edge in edges], dtype=np.int64),
            ends=np.array([edge in ends for edge in edges], dtype=np.bool_),
        )

    @property
    def n_fine(self) -> int:
        """How many cells all edges make, the one of missing values included."""
        return len(self.bounds) + 2

    @cached_property
    def cell_of(self) -> IntArray:
        """The alarms' cell of each fine cell: missing first, then by value."""
        return np.concatenate([[0, 1], 1 + np.cumsum(self.closing)]).astype(np.int64)

    @property
    def n_cells(self) -> int:
        """How many cells the alarms count."""
        return int(self.cell_of[-1]) + 1

    def codes(self, column: Column) -> IntArray:
        """Return the fine cell of each row, shape (n,)."""
        values, missing = column.numbers()
        if not missing:
            return self.places(values)
        codes = np.zeros(len(column), dtype=np.int64)
        if missing < len(column):
            codes[~np.asarray(column.values.is_null().to_numpy(), dtype=np.bool_)] = self.places(values)
        return codes

    def places(self, values: NDArray[Any]) -> IntArray:
        """Return the fine cell of each value; NaN is missing."""
        lower, upper = self._upper(values.dtype)
        places = 1 + lower + np.searchsorted(upper, values, side="left")
        if values.dtype.kind == "f":
            places[np.isnan(values)] = 0
        return np.asarray(places, dtype=np.int64)

    def count(self, column: Column) -> IntArray:
        """Return how many rows lie in each fine cell."""
        values, missing = column.numbers()
        fine = np.bincount(self.places(values), minlength=self.n_fine)
        fine[0] += missing
        return fine

    def below(self, fine: IntArray) -> IntArray:
        """Return how many rows with a value lie below each edge, from the counts of the fine cells."""
        return np.cumsum(fine[1:-1])

    def at_cuts(self, fine: IntArray) -> IntArray:
        """Return how many rows with a value are at most each of the 31 cuts."""
        return np.repeat(self.below(fine), self.cuts)

    def outside(self, fine: IntArray) -> int:
        """Return how many rows lie outside the reference's range, infinite ones among them."""
        if not self.ends.any():
            return 0
        low, high = self.below(fine)[self.ends].tolist()
        return int(fine[1:].sum()) - int(high) + int(low)

    def coarse(self, fine: IntArray) -> IntArray:
        """Return how many rows lie in each cell of the alarms."""
        return np.bincount(self.cell_of, weights=fine, minlength=self.n_cells).astype(np.int64)

    def unsalted(self) -> NumberCells:
        """Return the same: numbers are not hashed."""
        return self

    def _upper(self, dtype: np.dtype[Any]) -> tuple[int, NDArray[Any]]:
        """Return the largest value of a type that lies below each edge, after so many edges that have none.

        The edges are converted, not the values: those might be rounded.
        """
        if dtype.kind == "f" and self.bounds.dtype.kind == "f":
            return 0, np.where(self.inclusive, self.bounds, np.nextafter(self.bounds, -np.inf))
        edges = zip(self.bounds.tolist(), self.inclusive.tolist(), strict=True)
        if dtype.kind == "f":
            return 0, np.array([_float_below(bound, inclusive) for bound, inclusive in edges])
        limits = np.iinfo(dtype)
        # Python's integers compare exactly with floats, and do not overflow.
        whole = [_whole_below(bound, inclusive) for bound, inclusive in edges]
        possible = [min(bound, limits.max) for bound in whole if bound >= limits.min]
        return len(whole) - len(possible), np.array(possible, dtype=dtype)


@dataclass(frozen=True, eq=False, kw_only=True)
class CategoryCells:
    """Cells of categories: frequent levels, the rare ones of part A, all others, and missing values.

    Attributes
    ----------
    salt : bytes
        What values are hashed with.
    hashes : ndarray of uint64, shape (cells,)
        The level of each cell; 0 for missing, rare and not in part A.
    names : tuple of str
        The level of each cell as text; where category names are hidden, the hash.
    rare, known : ndarrays of uint64
        Sorted hashes of the rare levels of part A, and of all levels of the reference.
    """

    salt: bytes
    hashes: Hashes
    names: tuple[str, ...]
    rare: Hashes
    known: Hashes

    @classmethod
    def of(cls, part: Mapping[str, int], *, salt: bytes, redact: bool) -> CategoryCells:
        """Choose the levels, given how often part A has each level of the reference, by its key."""
        often = sorted((key for key, n in part.items() if n >= _OFTEN), key=lambda key: (-part[key], key))
        chosen = {key: key_hash(key, salt) for key in often[:_MOST_LEVELS]}
        rare = {key_hash(key, salt): n for key, n in part.items() if n and key not in chosen}
        # By rising share of part A, so that no cell depends on what the pool holds.
        cells = [(0, "", 0, NOT_IN_PART), (sum(rare.values()), "", 0, RARE)]
        for key, number in chosen.items():
            cells.append((part[key], key, number, f"hidden {number:016x}" if redact else key[2:]))
        ordered = sorted(cells, key=lambda cell: cell[:2])
        return cls(
            salt=salt,
            hashes=np.array([0, *(number for _, _, number, _ in ordered)], dtype=np.uint64),
            names=("missing", *(name for *_, name in ordered)),
            rare=np.sort(np.array(list(rare), dtype=np.uint64)),
            known=np.unique(np.array([key_hash(key, salt) for key in part], dtype=np.uint64)),
        )

    @property
    def n_cells(self) -> int:
        """How many cells there are."""
        return len(self.names)

    @property
    def n_fine(self) -> int:
        """The same: categories have no finer cells."""
        return self.n_cells

    @cached_property
    def _place_of(self) -> dict[int, int]:
        places = {number: place for place, number in enumerate(self.hashes.tolist()) if number}
        return dict.fromkeys(self.rare.tolist(), self.names.index(RARE)) | places

    @cached_property
    def _known(self) -> frozenset[int]:
        return frozenset(self.known.tolist())

    def unsalted(self) -> CategoryCells:
        """Return the cells without names and hashes; which are levels, and how many levels there are, stays."""
        kept = {"hashes": np.sign(self.hashes), "rare": np.sign(self.rare), "known": np.sign(self.known)}
        names = tuple("hidden" if level else name for name, level in zip(self.names, self.hashes, strict=True))
        return replace(self, salt=b"", names=names, **kept)

    def place(self, key: str) -> int:
        """Return the cell of a level, given by its key."""
        return self._place_of.get(key_hash(key, self.salt), self.names.index(NOT_IN_PART))

    def knowing(self, column: Column) -> CategoryCells:
        """Return the same cells, with the levels of other reference rows among those that are known."""
        hashes = [key_hash(key, self.salt) for key in coded_levels(column)[0]]
        return replace(self, known=np.union1d(self.known, np.array(hashes, dtype=np.uint64)))

    def codes(self, column: Column) -> IntArray:
        """Return the cell of each row, shape (n,)."""
        levels, codes = coded_levels(column)
        unknown = self.names.index(NOT_IN_PART)
        # The last place is that of missing values, whose code is -1.
        places = [*(self._place_of.get(key_hash(key, self.salt), unknown) for key in levels), 0]
        return np.array(places, dtype=np.int64)[codes]

    def count(self, column: Column) -> tuple[IntArray, dict[Any, int]]:
        """Return how many rows lie in each cell, and how often each value occurs that the reference never had."""
        counts, missing = column.counts()
        totals = np.zeros(self.n_cells, dtype=np.int64)
        totals[0] = missing
        unseen: dict[Any, int] = {}
        for value, n in counts.items():
            number = key_hash(level_key(value), self.salt)
            totals[self._place_of.get(number, self.names.index(NOT_IN_PART))] += n
            if number not in self._known:
                unseen[value] = n
        return totals, unseen


Cells = NumberCells | CategoryCells


def level_key(value: object) -> str:
    """Write a category so that equal values are equal texts: True, 1 and 1.0 are one category, "1" is another.

    Examples
    --------
    >>> level_key(True), level_key(1.0), level_key("1"), level_key(2.5)
    ('n:1', 'n:1', 's:1', 'n:2.5')
    """
    if isinstance(value, str):
        return f"s:{value}"
    if isinstance(value, (bool, np.bool_, int, np.integer)):
        return f"n:{int(value)}"
    if isinstance(value, (float, np.floating)):
        whole = math.isfinite(value) and float(value).is_integer()
        return f"n:{int(value)}" if whole else f"n:{float(value)!r}"
    return f"o:{value}"


def key_hash(key: str, salt: bytes) -> int:
    """Hash the key of a category to 64 bits; 0 is left to cells that are not levels."""
    digest = blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8, key=salt).digest()
    return int.from_bytes(digest, "little") or 1


def coded_levels(column: Column) -> tuple[list[str], IntArray]:
    """Return the keys of the levels as they first occur, and the place of each row's level; -1 is missing.

    Examples
    --------
    >>> from shiftproof.core import as_table
    >>> coded_levels(as_table({"x": ["b", None, "a", "b"]}).column("x"))
    (['s:b', 's:a'], array([ 0, -1,  1,  0]))
    """
    if column.family == "text":
        import pyarrow as pa

        # In one piece: chunks would have dictionaries of their own.
        whole = pa.chunked_array([column.values.to_arrow()]).cast(pa.large_string()).combine_chunks()
        encoded = whole.dictionary_encode()
        codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return [level_key(level) for level in encoded.dictionary.to_pylist()], codes.astype(np.int64)
    places: dict[str, int] = {}
    keys = ("" if is_missing(cell) else level_key(cell) for cell in column.cells())
    codes = np.array([places.setdefault(key, len(places)) if key else -1 for key in keys], dtype=np.int64)
    return list(places), codes


def _finest(n: int) -> int:
    """Return into how many parts n values are cut: 32, doubled while enough of them lie in each."""
    fine = N_CUTS + 1
    while 2 * fine <= min(_FINEST, n // _ROWS_APART):
        fine *= 2
    return fine


def fine_places(n: int) -> IntArray:
    """Return which order statistics of n values the distance is measured at.

    Examples
    --------
    >>> fine_places(40)[:3], len(fine_places(40)), len(fine_places(10_000))
    (array([1, 2, 3]), 31, 255)
    """
    fine = _finest(n)
    return -(-np.arange(1, fine) * n // fine) - 1


def part_places(n: int) -> IntArray:
    """Return which order statistics of the n values of part A are edges between the alarms' cells."""
    return np.unique(-(-np.arange(1, PARTS) * n // PARTS) - 1)


def _cell_edges(values: OrderedValues) -> set[tuple[Any, bool]]:
    """Return the edges between the alarms' cells, from the order of part A, as pairs (bound, inclusive)."""
    n = values.n_part
    if not n:
        return set()
    quantiles, frequent = values.part_at(part_places(n)), values.frequent
    edges: list[tuple[Any, bool]] = []
    counted = 0
    both = {(value, inclusive) for value in frequent for inclusive in (False, True)}
    for bound, inclusive in sorted({(value, True) for value in quantiles} | both):
        below = values.part_below(bound, inclusive=inclusive)
        # An empty cell is of use only beyond a frequent value at either end: values that part A never had.
        if counted < below or not edges:
            edges.append((bound, inclusive))
        counted = below
    last = values.part_at(np.array([n - 1]))[0]
    if edges and edges[-1] == (last, True) and last not in frequent:
        edges.pop()
    # Nothing is less than minus infinity, nor more than infinity.
    return {edge for edge in edges if edge not in ((-math.inf, False), (math.inf, True))}


def _float_below(bound: Any, inclusive: bool) -> float:
    try:
        near = float(bound)
    except OverflowError:
        near = math.inf if bound > 0 else -math.inf
    fits = near <= bound if inclusive else near < bound
    return near if fits else float(np.nextafter(near, -np.inf))


def _whole_below(bound: Any, inclusive: bool) -> int:
    if isinstance(bound, float) and math.isinf(bound):
        return 2**65 if bound > 0 else -(2**65)
    return int(math.floor(bound) if inclusive else math.ceil(bound) - 1)

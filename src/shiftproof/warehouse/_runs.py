"""What the workers of a cluster do: cut columns into ranges, join the ranges of both tables, measure them.

A *run* is a value with the number of its rows in either table. The runs of a range are sorted, and no value is in two
ranges, so that sums over ranges are sums over the whole column. This module is sent to the workers by value and imports
nothing of shiftproof: NumPy and pyarrow are all that a worker needs.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

#: The rows that `cut` returns: a sorted piece of one column of one table.
PIECES = "place int, range int, side int, missing long, body binary"
#: The rows that `join` returns: the runs of one range of a column, and what the driver must know of them.
RUNS = "place int, range int, body binary, facts string"
#: The rows that `measure` and `recount` return.
FACTS = "place int, range int, facts string"

# So many rows of a partition are cut together: sorting more at a time saves nothing.
_ROWS_AT_A_TIME = 500_000
# From here on a product of counts needs more than 64 bits.
_LARGE = 2**62


@dataclass(frozen=True)
class ColumnPlan:
    """How one column is cut.

    Attributes
    ----------
    dtype : str
        "f8" or "i8" for numbers, "" for categories.
    edges : ndarray
        Where ranges of numbers begin, but for the first.
    n_ranges : int
        How many ranges there are; categories are divided by a hash.
    """

    dtype: str
    edges: Any
    n_ranges: int


@dataclass(frozen=True)
class Bins:
    """Equal-width bins from low to high: ``floor((x - low) / width)``, the last one closed.

    `width` is 0 if all rows belong into the first bin; `scale` is 1 unless the range itself overflows.
    """

    low: Any
    high: Any
    width: float
    scale: float
    n: int


@dataclass(frozen=True)
class ColumnFacts:
    """What all ranges of a column must know to be measured.

    Attributes
    ----------
    totals : pair of int
        Rows of either table that have a value.
    negative, finite : pair of int
        Rows with minus infinity, and with a finite value.
    below : mapping of int to pair of int
        By range: the rows of either table with smaller values.
    origins : pair of int or float
        What distances are measured from in either table, so that sums of squares do not cancel.
    ranks : pair of tuple of int
        The order statistics of either table to be returned, infinite values included.
    bins : Bins or None
        Equal-width bins over all finite values; None if there are none.
    """

    totals: tuple[int, int]
    negative: tuple[int, int]
    finite: tuple[int, int]
    below: Mapping[int, tuple[int, int]]
    origins: tuple[Any, Any]
    ranks: tuple[tuple[int, ...], tuple[int, ...]]
    bins: Bins | None


def cut(batches: Iterator[Any], plans: Sequence[ColumnPlan], side: int) -> Iterator[Any]:
    """Cut the rows of a partition, one column after the other, into sorted pieces."""
    for table in tables_of(batches):
        for place, plan in enumerate(plans):
            yield pieces_of(table.column(place), place, plan, side)


def tables_of(batches: Iterator[Any]) -> Iterator[Any]:
    """Join the small batches that Spark sends into tables of half a million rows."""
    held: list[Any] = []
    rows = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        if rows >= _ROWS_AT_A_TIME:
            yield pa.Table.from_batches(held)
            held, rows = [], 0
    if rows:
        yield pa.Table.from_batches(held)


def pieces_of(column: Any, place: int, plan: ColumnPlan, side: int) -> Any:
    """Cut one column into its sorted pieces."""
    missing, bodies = _split_numbers(column, plan) if plan.dtype else _split_categories(column, plan)
    # Missing rows are counted once, also where there is no value at all.
    bodies = bodies or {0: b""}
    counted = [missing, *[0] * (len(bodies) - 1)]
    return pa.RecordBatch.from_arrays(
        [
            pa.array([place] * len(bodies), pa.int32()),
            pa.array(list(bodies), pa.int32()),
            pa.array([side] * len(bodies), pa.int32()),
            pa.array(counted, pa.int64()),
            pa.array(list(bodies.values()), pa.binary()),
        ],
        names=["place", "range", "side", "missing", "body"],
    )


def _split_numbers(column: Any, plan: ColumnPlan) -> tuple[int, dict[int, bytes]]:
    missing = column.null_count
    values = numbers(column.drop_null()).astype(plan.dtype, copy=False)
    if plan.dtype == "f8":
        nan = np.isnan(values)
        if nan.any():
            missing, values = missing + int(nan.sum()), values[~nan]
    values = np.sort(values)
    ends = np.concatenate([[0], np.searchsorted(values, plan.edges, side="left"), [len(values)]])
    pieces = enumerate(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True))
    return missing, {number: _written(values[start:end]) for number, (start, end) in pieces if end > start}


def numbers(column: Any) -> Any:
    """Return the cells of an Arrow column as floats or integers; moments and durations as microseconds."""
    kind = column.type
    if pa.types.is_decimal(kind):
        # By way of text: Arrow's own conversion rounds twice.
        column = column.cast(pa.string()).cast(pa.float64())
    elif pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        column = column.cast(pa.timestamp("us", getattr(kind, "tz", None)), safe=False).cast(pa.int64())
    elif pa.types.is_duration(kind):
        column = column.cast(pa.duration("us"), safe=False).cast(pa.int64())
    return column.to_numpy()


def _written(values: Any) -> bytes:
    """Write sorted numbers: plain, or as values and counts where that is shorter."""
    starts = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    if 2 * len(starts) > len(values):
        return bytes(b"p" + values.tobytes())
    counts = np.diff(np.append(starts, len(values))).astype("<i8")
    return bytes(b"c" + values[starts].tobytes() + counts.tobytes())


def _read(body: bytes, dtype: str) -> tuple[Any, Any]:
    numbers = body[1:]
    if body[:1] == b"p":
        values = np.frombuffer(numbers, dtype)
        return values, np.ones(len(values), dtype=np.int64)
    half = len(numbers) // 2
    return np.frombuffer(numbers[:half], dtype), np.frombuffer(numbers[half:], "<i8")


def _split_categories(column: Any, plan: ColumnPlan) -> tuple[int, dict[int, bytes]]:
    counted = pc.value_counts(column.combine_chunks() if column.num_chunks else column)
    values, counts = counted.field("values"), counted.field("counts")
    absent = pc.is_null(values, nan_is_null=True)
    missing = int(pc.sum(counts.filter(absent)).as_py() or 0)
    present = pc.invert(absent)
    values, counts = values.filter(present), counts.filter(present)
    if not len(values):
        return missing, {}
    ranges = np.array([zlib.crc32(str(value).encode("utf-8", "surrogatepass")) for value in values.to_pylist()])
    ranges %= plan.n_ranges
    bodies = {}
    for number in np.unique(ranges).tolist():
        chosen = pa.array(ranges == number)
        bodies[number] = _packed(values.filter(chosen), counts.filter(chosen))
    return missing, bodies


def _packed(values: Any, *counts: Any) -> bytes:
    names = ["value", *(f"n{number}" for number in range(len(counts)))]
    batch = pa.RecordBatch.from_arrays([values, *counts], names=names)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue())


def unpacked(body: bytes) -> Any:
    """Read a table that `_packed` wrote."""
    return pa.ipc.open_stream(body).read_all()


def join(pieces: Any, plans: Sequence[ColumnPlan]) -> Any:
    """Join all pieces of one range of a column, of both tables, into runs."""
    place, number = pieces.column("place")[0].as_py(), pieces.column("range")[0].as_py()
    plan = plans[place]
    sides, bodies = pieces.column("side").to_pylist(), pieces.column("body").to_pylist()
    missing = np.bincount(sides, weights=pieces.column("missing").to_numpy(), minlength=2).astype(np.int64)
    full = [(side, body) for side, body in zip(sides, bodies, strict=True) if body]
    facts: dict[str, Any] = {"missing": missing.tolist()}
    if plan.dtype:
        values, counts = _joined_numbers(full, plan.dtype)
        body = values.tobytes() + counts.tobytes()
        facts |= _ends(values, counts)
    else:
        body = _joined_categories(full)
        facts["distinct"] = unpacked(body).num_rows if body else 0
    return pa.table(
        {
            "place": pa.array([place], pa.int32()),
            "range": pa.array([number], pa.int32()),
            "body": pa.array([body], pa.binary()),
            "facts": pa.array([json.dumps(facts)], pa.string()),
        }
    )


def _joined_numbers(pieces: list[tuple[int, bytes]], dtype: str) -> tuple[Any, Any]:
    """Return sorted distinct values, and how many rows of each table have them, shape (2, values)."""
    if not pieces:
        return np.empty(0, dtype), np.empty((2, 0), dtype=np.int64)
    read = [_read(body, dtype) for _, body in pieces]
    values = np.concatenate([values for values, _ in read])
    counts = np.zeros((2, len(values)), dtype=np.int64)
    start = 0
    for (side, _), (own, times) in zip(pieces, read, strict=True):
        counts[side, start : start + len(own)] = times
        start += len(own)
    # Pieces are sorted already, which a stable sort makes use of.
    order = np.argsort(values, kind="stable")
    values, counts = values[order], counts[:, order]
    starts = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    return values[starts], np.add.reduceat(counts, starts, axis=1)


def _joined_categories(pieces: list[tuple[int, bytes]]) -> bytes:
    tables = []
    for side, body in pieces:
        table = unpacked(body)
        zeros, counts = pa.array(np.zeros(table.num_rows, np.int64)), table.column("n0")
        both = [counts, zeros] if side == 0 else [zeros, counts]
        tables.append(pa.table([table.column("value"), *both], names=["value", "n0", "n1"]))
    if not tables:
        return b""
    joined = (
        pa.concat_tables(tables, promote_options="default").group_by("value").aggregate([("n0", "sum"), ("n1", "sum")])
    )
    return _packed(*(joined.column(name).combine_chunks() for name in ("value", "n0_sum", "n1_sum")))


def _ends(values: Any, counts: Any) -> dict[str, Any]:
    """Return the rows of either table, the infinite ones among them, and the first and last finite value."""
    inner = values[np.isfinite(values)]
    return {
        "rows": counts.sum(axis=1).tolist(),
        "negative": counts[:, values == -np.inf].sum(axis=1).tolist(),
        "positive": counts[:, values == np.inf].sum(axis=1).tolist(),
        "ends": inner[[0, -1]].tolist() if len(inner) else [],
    }


def measure(batches: Iterator[Any], plans: Sequence[ColumnPlan], columns: Mapping[int, ColumnFacts]) -> Iterator[Any]:
    """Return the part of each range in every statistic of its column."""

    def part(place: int, number: int, values: Any, counts: Any) -> dict[str, Any]:
        column = columns[place]
        below = column.below[number]
        return {
            **_gaps(values, counts, below, column.totals),
            **_area(values, counts, below, column),
            **_moments(values, counts, column.origins),
            "at": [
                _order(values, own, before, wanted)
                for own, before, wanted in zip(counts, below, column.ranks, strict=True)
            ],
            "bins": [] if column.bins is None else in_bins(values, counts, column.bins),
        }

    return each_range(batches, plans, columns, part)


def recount(
    batches: Iterator[Any], plans: Sequence[ColumnPlan], columns: Mapping[int, tuple[Any, Bins | None]]
) -> Iterator[Any]:
    """Return how many rows of each range are at most each of some values, and how many lie in some bins."""

    def part(place: int, number: int, values: Any, counts: Any) -> dict[str, Any]:  # noqa: ARG001 - as `measure`
        cuts, bins = columns[place]
        through = np.concatenate([np.zeros((2, 1), np.int64), np.cumsum(counts, axis=1)], axis=1)
        at_most = through[:, np.searchsorted(values, np.asarray(cuts, dtype=values.dtype), side="right")]
        return {"through": at_most.tolist(), "bins": [] if bins is None else in_bins(values, counts, bins)}

    return each_range(batches, plans, columns, part)


def each_range(
    batches: Iterator[Any], plans: Sequence[ColumnPlan], columns: Mapping[int, Any], part: Any
) -> Iterator[Any]:
    for batch in batches:
        rows = zip(
            batch.column("place").to_pylist(), batch.column("range").to_pylist(), batch.column("body"), strict=True
        )
        facts = []
        for place, number, body in rows:
            if place in columns:
                values, counts = runs_of(body.as_py(), plans[place].dtype)
                # Distances that overflow are infinite, as those of arrays are.
                with np.errstate(over="ignore", invalid="ignore"):
                    facts.append((place, number, json.dumps(part(place, number, values, counts))))
        places, numbers, texts = zip(*facts, strict=True) if facts else ((), (), ())
        yield pa.RecordBatch.from_arrays(
            [pa.array(places, pa.int32()), pa.array(numbers, pa.int32()), pa.array(texts, pa.string())],
            names=["place", "range", "facts"],
        )


def runs_of(body: bytes, dtype: str) -> tuple[Any, Any]:
    """Read the runs that `join` wrote: distinct values, and the rows of both tables, shape (2, values)."""
    size = len(body) // 3
    return np.frombuffer(body[:size], dtype), np.frombuffer(body[size:], np.int64).reshape(2, -1)


def _gaps(values: Any, counts: Any, below: tuple[int, int], totals: tuple[int, int]) -> dict[str, Any]:
    """Return the largest and smallest difference of the distribution functions, ranks, ties, and sums of squares.

    The difference, times both numbers of rows, is a whole number, as in the kernel of arrays.
    """
    n, m = totals
    if not len(values) or not n or not m:
        return {}
    # Beyond two billion rows on either side products need more than 64 bits; floats are exact enough.
    kind = np.int64 if max(n, m) * (n + m) < _LARGE else np.float64
    a, b = counts.astype(kind)
    i, j = below[0] + np.cumsum(a), below[1] + np.cumsum(b)
    together, start = a + b, i + j - a - b
    after = i * m - j * n
    before = np.concatenate([[below[0] * m - below[1] * n], after[:-1]]).astype(np.float64)
    high, low = int(after.argmax()), int(after.argmin())
    after_float, several = after.astype(np.float64), together > 1
    sizes, times = np.unique(together[several].astype(np.int64), return_counts=True)
    return {
        "highest": [int(after[high]), float(values[high])],
        "lowest": [int(after[low]), float(values[low])],
        "rank_sum": int((b * (2 * start + together - n - m)).sum()),
        # Python's integers: a cube overflows 64 bits from two million equal values on.
        "ties": sum((size**3 - size) * count for size, count in zip(sizes.tolist(), times.tolist(), strict=True)),
        "squares": float((together * (before**2 + after_float**2)).sum()),
        "bends": float(((together[several].astype(np.float64) ** 2 - 1) * (after_float - before)[several]).sum()),
    }


def _area(values: Any, counts: Any, below: tuple[int, int], column: ColumnFacts) -> dict[str, Any]:
    """Return the area between the distribution functions of the finite values, up to the last of this range."""
    finite = np.isfinite(values)
    n, m = column.finite
    if not finite.any() or not n or not m:
        return {}
    inner, own = values[finite], counts[:, finite].astype(np.float64)
    # Infinite values are not counted: those below are all minus infinity, or there is none.
    first = [max(before - minus, 0) for before, minus in zip(below, column.negative, strict=True)]
    gaps = (first[0] + np.cumsum(own[0])) * m - (first[1] + np.cumsum(own[1])) * n
    inside = float((np.abs(gaps[:-1]) * distances(inner[1:], inner[:-1])).sum())
    return {"area": inside, "gap_before": float(first[0] * m - first[1] * n), "ends": inner[[0, -1]].tolist()}


def distances(high: Any, low: Any) -> Any:
    """Return how far values are above others; integers further apart than 2^63 do not overflow."""
    high, low = np.asarray(high), np.asarray(low)
    if high.dtype.kind == "f":
        return high - low
    return (high.astype(np.uint64) - low.astype(np.uint64)).astype(np.float64)


def _moments(values: Any, counts: Any, origins: Sequence[Any]) -> dict[str, Any]:
    """Return sums of the distances of finite values from an origin, and of their squares, of either table."""
    finite = np.isfinite(values)
    sums, squares = [], []
    for own, origin in zip(counts[:, finite].astype(np.float64), origins, strict=True):
        apart = _apart(values[finite], origin)
        sums.append(float(own @ apart))
        squares.append(float(own @ (apart * apart)))
    return {"sums": sums, "sums_of_squares": squares}


def _apart(values: Any, origin: Any) -> Any:
    """Return the signed distance of values from an origin; integers do not overflow."""
    if values.dtype.kind == "f":
        return values - origin
    away = distances(np.maximum(values, origin), np.minimum(values, origin))
    return np.where(values >= origin, away, -away)


def _order(values: Any, counts: Any, before: int, wanted: tuple[int, ...]) -> dict[int, Any]:
    """Return the order statistics of one table that lie in this range, by their rank."""
    through = before + np.cumsum(counts)
    if not len(values):
        return {}
    inside = [rank for rank in wanted if before <= rank < through[-1]]
    places = np.searchsorted(through, inside, side="right")
    return dict(zip(inside, values[places].tolist(), strict=True))


def in_bins(values: Any, counts: Any, bins: Bins) -> list[list[int]]:
    """Count the rows of either table in equal-width bins; values outside of them are not counted."""
    inside = (values >= bins.low) & (values <= bins.high)
    inner, own = values[inside], counts[:, inside]
    if not bins.width:
        return [[int(total), *[0] * (bins.n - 1)] for total in own.sum(axis=1)]
    apart = (
        distances(inner, np.asarray(bins.low, dtype=values.dtype))
        if bins.scale == 1
        else (inner * bins.scale - bins.low * bins.scale)
    )
    places = np.minimum(np.floor(apart / bins.width), bins.n - 1).astype(np.int64)
    return [np.bincount(places, weights=side, minlength=bins.n).astype(np.int64).tolist() for side in own]

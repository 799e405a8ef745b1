"""From the facts of all ranges of a column to its record, on the driver."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from shiftproof.stats import N_BINS, N_CELLS, ContinuousRecord, NominalRecord, Ordered, compare_counts, step_places
from shiftproof.warehouse._runs import Bins, ColumnFacts, distances, unpacked

#: The facts of the ranges of one column, in the order of the ranges.
Ranges = Mapping[int, Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Whole:
    """What the counts of all ranges say about a column of numbers.

    Attributes
    ----------
    dtype : str
        "f8" or "i8".
    missing : pair of int
        Rows of either table without a value.
    facts : ColumnFacts
        What workers need to know to measure the ranges.
    """

    dtype: str
    missing: tuple[int, int]
    facts: ColumnFacts

    @classmethod
    def of(cls, ranges: Ranges, dtype: str, origins: tuple[Any, Any]) -> Whole:
        """Add up the ranges."""
        missing, totals, negative, positive = (
            added(ranges, name) for name in ("missing", "rows", "negative", "positive")
        )
        finite = (totals[0] - negative[0] - positive[0], totals[1] - negative[1] - positive[1])
        below, so_far = {}, (0, 0)
        for number, facts in sorted(ranges.items()):
            below[number] = so_far
            so_far = (so_far[0] + facts["rows"][0], so_far[1] + facts["rows"][1])
        ends = [facts["ends"] for _, facts in sorted(ranges.items()) if facts["ends"]]
        ranks = tuple(_wanted(totals[side], negative[side], finite[side]) for side in (0, 1))
        return cls(
            dtype=dtype,
            missing=missing,
            facts=ColumnFacts(
                totals=totals,
                negative=negative,
                finite=finite,
                below=below,
                origins=origins,
                ranks=(ranks[0], ranks[1]),
                bins=equal_bins(ends[0][0], ends[-1][1]) if ends else None,
            ),
        )


@dataclass(frozen=True, kw_only=True)
class Orders:
    """The order statistics of both tables, and what follows from them."""

    whole: Whole
    at: tuple[Mapping[int, Any], Mapping[int, Any]]

    @classmethod
    def of(cls, whole: Whole, ranges: Ranges) -> Orders:
        """Collect the order statistics that the ranges returned."""
        at: tuple[dict[int, Any], dict[int, Any]] = ({}, {})
        for facts in ranges.values():
            for side in (0, 1):
                at[side].update({int(rank): value for rank, value in facts["at"][side].items()})
        return cls(whole=whole, at=at)

    @property
    def cuts(self) -> list[Any]:
        """The deciles of the reference, repeats taken once."""
        return sorted({self.at[0][rank] for rank in _deciles(self.whole.facts.totals[0])})

    @property
    def view(self) -> Bins | None:
        """Bins over the middle of both tables, from the lower to the higher of their outer percentiles."""
        facts = self.whole.facts
        inner = [
            (self.at[side][low], self.at[side][high])
            for side in (0, 1)
            if facts.finite[side]
            for low, high in [_percentiles(facts.negative[side], facts.finite[side])]
        ]
        return equal_bins(min(low for low, _ in inner), max(high for _, high in inner)) if inner else None

    def steps(self, side: int) -> Any:
        """Return the order statistics at even steps."""
        ranks = step_places(self.whole.facts.totals[side]).tolist()
        return np.array([self.at[side][rank] for rank in ranks], dtype=np.float64)


def equal_bins(low: Any, high: Any) -> Bins:
    """Divide a range into bins, as arrays are.

    Examples
    --------
    >>> equal_bins(0, 60).width, equal_bins(-1.7e308, 1.7e308).scale, equal_bins(2.0, 2.0).width
    (2.0, 0.5, 0.0)
    """
    # Python's integers do not overflow.
    spread, scale = float(high - low), 1.0
    if math.isinf(spread):
        scale, spread = 0.5, float(high) * 0.5 - float(low) * 0.5
    return Bins(low, high, spread / N_BINS, scale, N_BINS)


def continuous_record(
    orders: Orders, measured: Ranges, counted: Ranges, family: Ordered, note: str
) -> ContinuousRecord:
    """Join the parts of all ranges into the record of a column."""
    whole, facts = orders.whole, orders.whole.facts
    n, m = facts.totals
    view, through = orders.view, _added_arrays(counted, "through")
    bins, in_view = _added_arrays(measured, "bins"), _added_arrays(counted, "bins")
    moments = [_mean_and_sd(measured, facts, side) for side in (0, 1)]
    # The order in which arrays and workers see the values is the same, so that sums differ by rounding only.
    return ContinuousRecord(
        n=n,
        m=m,
        missing_reference=whole.missing[0],
        missing_current=whole.missing[1],
        **_ranks_and_distances(measured, facts),
        low=math.nan if facts.bins is None else float(facts.bins.low),
        high=math.nan if facts.bins is None else float(facts.bins.high),
        bins_reference=bins[0],
        bins_current=bins[1],
        view_low=math.nan if view is None else float(view.low),
        view_high=math.nan if view is None else float(view.high),
        view_reference=in_view[0],
        view_current=in_view[1],
        cells_reference=_between(through[0], n),
        cells_current=_between(through[1], m),
        steps_reference=orders.steps(0),
        steps_current=orders.steps(1),
        infinite_reference=n - facts.finite[0],
        infinite_current=m - facts.finite[1],
        mean_reference=moments[0][0],
        mean_current=moments[1][0],
        sd_reference=moments[0][1],
        sd_current=moments[1][1],
        family=family,
        note=note,
    )


def nominal_record(bodies: Sequence[bytes], missing: tuple[int, int]) -> NominalRecord:
    """Join the categories of all ranges of a column, which have none in common."""
    counts: tuple[dict[Any, int], dict[Any, int]] = ({}, {})
    for body in bodies:
        table = unpacked(body)
        values = table.column("value").to_pylist()
        for side, own in enumerate(counts):
            times = table.column(f"n{side}").to_pylist()
            own.update({value: count for value, count in zip(values, times, strict=True) if count})
    return compare_counts(*counts, missing)


def _ranks_and_distances(measured: Ranges, facts: ColumnFacts) -> dict[str, Any]:
    n, m = facts.totals
    parts = [part for _, part in sorted(measured.items()) if "highest" in part]
    if not parts:
        nothing = dict.fromkeys(("d_plus", "d_minus", "d_at", "cvm", "cvm_midrank", "w1"), math.nan)
        return {**nothing, "rank_sum": 0, "ties": 0}
    # The first of several equal ones, as in the kernel of arrays.
    highest, highest_at = max((part["highest"] for part in parts), key=lambda pair: pair[0])
    lowest, lowest_at = min((part["lowest"] for part in parts), key=lambda pair: pair[0])
    highest, lowest = max(highest, 0), min(lowest, 0)
    squares, bends = (math.fsum(part[name] for part in parts) for name in ("squares", "bends"))
    ties = sum(part["ties"] for part in parts)
    scale = 12.0 * n * m * float(n + m) ** 2
    extra = 3.0 * (n - m) * bends + float((n - m) ** 2) * float(ties)
    return {
        "d_plus": highest / (n * m),
        "d_minus": -lowest / (n * m),
        "d_at": highest_at if highest >= -lowest else lowest_at,
        "rank_sum": sum(part["rank_sum"] for part in parts),
        "ties": ties,
        "cvm": 6.0 * squares / scale,
        "cvm_midrank": (6.0 * squares + extra) / scale,
        "w1": _wasserstein(measured, facts),
    }


def _wasserstein(measured: Ranges, facts: ColumnFacts) -> float:
    n, m = facts.finite
    if not n or not m:
        return math.nan
    parts = [part for _, part in sorted(measured.items()) if "area" in part]
    # Between two ranges the difference stays as it was at the end of the first.
    gaps = [
        abs(later["gap_before"]) * float(distances(later["ends"][0], earlier["ends"][1]))
        for earlier, later in pairwise(parts)
    ]
    return math.fsum([*(part["area"] for part in parts), *gaps]) / (n * m)


def _mean_and_sd(measured: Ranges, facts: ColumnFacts, side: int) -> tuple[float, float]:
    n = facts.finite[side]
    if not n:
        return math.nan, math.nan
    total = math.fsum(part["sums"][side] for part in measured.values())
    squares = math.fsum(part["sums_of_squares"][side] for part in measured.values())
    spread = max(squares - total * total / n, 0.0)
    return facts.origins[side] + total / n, math.sqrt(spread / (n - 1)) if n > 1 else math.nan


def added(ranges: Ranges, name: str) -> tuple[int, int]:
    """Add up a pair of numbers over all ranges."""
    return sum(facts[name][0] for facts in ranges.values()), sum(facts[name][1] for facts in ranges.values())


def _added_arrays(ranges: Ranges, name: str) -> Any:
    arrays = [np.array(facts[name], dtype=np.int64) for facts in ranges.values() if facts[name]]
    return sum(arrays[1:], arrays[0]) if arrays else np.zeros((2, N_BINS if name == "bins" else 0), dtype=np.int64)


def _between(through: Any, total: int) -> Any:
    return np.diff(np.concatenate([[0], through, [total]])).astype(np.int64)


def _deciles(n: int) -> list[int]:
    return [-(-part * n // N_CELLS) - 1 for part in range(1, N_CELLS)] if n else []


def _percentiles(negative: int, finite: int) -> tuple[int, int]:
    return negative + finite // 100, negative + finite - 1 - finite // 100


def _wanted(total: int, negative: int, finite: int) -> tuple[int, ...]:
    """Return the ranks of all order statistics that a record needs of one table."""
    outer = _percentiles(negative, finite) if finite else ()
    return tuple(sorted({*_deciles(total), *step_places(total).tolist(), *outer}))

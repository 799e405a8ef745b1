"""The records of all columns of two tables in an engine: three rounds over ranges of values, whatever the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from shiftproof.core import Argument, InputError, Table, shown
from shiftproof.stats import Ordered, Record, Scale
from shiftproof.warehouse._assemble import Orders, Ranges, Whole, continuous_record, nominal_record
from shiftproof.warehouse._runs import Bins, ColumnFacts, ColumnPlan

#: A range has about so many values of both tables: few megabytes for a worker.
VALUES_PER_RANGE = 1_000_000
# A record holds every category, and so does the driver's memory.
_MOST_CATEGORIES = 1_000_000
# Floats hold every integer up to here.
_EXACT_FLOAT = 2**53

#: Facts by column, then by range.
Facts = Mapping[int, Ranges]


@dataclass(frozen=True, kw_only=True)
class PlannedColumn:
    """A column of both tables, and how it is compared.

    Attributes
    ----------
    name : str
        Its name.
    plan : ColumnPlan
        How it is cut.
    family : {"number", "date", "duration"}
        The type of its values.
    origins : pair of int or float
        A value in the middle of the column, of either table.
    mixed : bool
        Whether one table has integers and the other one fractions.
    """

    name: str
    plan: ColumnPlan
    family: Ordered
    origins: tuple[Any, Any]
    mixed: bool


class Rounds(Protocol):
    """What an engine has to do; all columns at once."""

    def join(self) -> Facts:
        """Cut both tables into ranges, keep their runs, and return what is in each range."""

    def measure(self, columns: Mapping[int, ColumnFacts]) -> Facts:
        """Measure the ranges of columns of numbers."""

    def recount(self, columns: Mapping[int, tuple[Sequence[Any], Bins | None]]) -> Facts:
        """Count again, on cells and bins that follow from the first measurement."""

    def categories(self, places: Sequence[int]) -> Mapping[int, Sequence[bytes]]:
        """Return the counted categories of some columns."""


def plan_columns(old: Table, new: Table, scales: Mapping[str, Scale], n_rows: int) -> list[PlannedColumn]:
    """Decide from samples of both tables where the ranges of each column begin.

    Parameters
    ----------
    old, new : Table
        Random samples.
    scales : mapping of column to scale
        The columns that are compared.
    n_rows : int
        Rows of both tables together.
    """
    n_ranges = max(1, -(-n_rows // VALUES_PER_RANGE))
    return [_planned(name, old, new, scale, n_ranges) for name, scale in scales.items()]


def _planned(name: str, old: Table, new: Table, scale: Scale, n_ranges: int) -> PlannedColumn:
    before, after = old.column(name), new.column(name)
    if scale == "nominal":
        # As many ranges as numbers would have, if nearly all values of the sample differ.
        counts, missing = before.counts()
        share = len(counts) / max(len(before) - missing, 1)
        return PlannedColumn(
            name=name,
            plan=ColumnPlan("", (), max(1, round(n_ranges * share))),
            family="number",
            origins=(0, 0),
            mixed=False,
        )
    sides = [column.numbers()[0] for column in (before, after)]
    known = [values for values in sides if len(values)]
    kinds = {values.dtype.kind for values in known}
    dtype = "i8" if kinds <= {"i"} and kinds else "f8"
    pooled = np.sort(np.concatenate([values.astype(dtype) for values in known])) if known else np.empty(0)
    pooled = pooled[np.isfinite(pooled)]
    places = np.arange(1, n_ranges) * len(pooled) // n_ranges
    families = {before.family, after.family}
    return PlannedColumn(
        name=name,
        plan=ColumnPlan(dtype, np.unique(pooled[places]) if len(pooled) else (), n_ranges),
        family="date" if "date" in families else "duration" if "duration" in families else "number",
        origins=(_middle(sides[0], dtype), _middle(sides[1], dtype)),
        mixed=len(kinds) > 1,
    )


def _middle(values: Any, dtype: str) -> Any:
    finite = np.sort(values[np.isfinite(values)]).astype(dtype)
    return finite[len(finite) // 2].item() if len(finite) else 0


def compare_in_engine(columns: Sequence[PlannedColumn], rounds: Rounds) -> dict[str, Record]:
    """Make the records of all columns; jobs and scans do not grow with rows or columns."""
    joined = rounds.join()
    numbers = {
        place: Whole.of(joined[place], column.plan.dtype, column.origins)
        for place, column in enumerate(columns)
        if column.plan.dtype
    }
    measured = rounds.measure({place: whole.facts for place, whole in numbers.items()})
    orders = {place: Orders.of(whole, measured[place]) for place, whole in numbers.items()}
    counted_again = rounds.recount({place: (order.cuts, order.view) for place, order in orders.items()})
    nominal = [place for place, column in enumerate(columns) if not column.plan.dtype]
    _refuse_too_many(columns, joined, nominal)
    bodies = rounds.categories(nominal) if nominal else {}
    records: dict[str, Record] = {}
    for place, column in enumerate(columns):
        if place in orders:
            note = _ROUNDED if column.mixed and _beyond(orders[place].whole) else ""
            records[column.name] = continuous_record(
                orders[place], measured[place], counted_again[place], column.family, note
            )
        else:
            missing = [sum(facts["missing"][side] for facts in joined[place].values()) for side in (0, 1)]
            records[column.name] = nominal_record(bodies.get(place, ()), (missing[0], missing[1]))
    return records


_ROUNDED = "integers beyond 2^53 were rounded so that they could be compared with fractions or negative numbers"


def _beyond(whole: Whole) -> bool:
    bins = whole.facts.bins
    return bins is not None and max(abs(bins.low), abs(bins.high)) > _EXACT_FLOAT


def _refuse_too_many(columns: Sequence[PlannedColumn], joined: Facts, nominal: Sequence[int]) -> None:
    for place in nominal:
        distinct = sum(facts["distinct"] for facts in joined[place].values())
        if distinct > _MOST_CATEGORIES:
            limit = f"at most {_MOST_CATEGORIES:,} categories can be compared"
            name = columns[place].name
            exclude = Argument("exclude", [name])
            raise InputError(f"column {shown(name)} has {distinct:,} categories; {limit}. Pass ", exclude)

"""What the workers of a cluster do for baselines and batches; they need shiftproof, in the version of the driver."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from shiftproof._version import __version__
from shiftproof.core import as_table
from shiftproof.monitoring._cells import PARTS, NumberCells
from shiftproof.monitoring._content import uniform_of_keys
from shiftproof.monitoring._reference import ReferenceColumn
from shiftproof.warehouse import ColumnPlan, each_range, pieces_of, tables_of

#: The rows that workers return: a text or some files for each part of the rows.
TEXTS = "facts string"
FILES = "name string, content binary"


@dataclass(frozen=True)
class Wanted:
    """What the driver wants to know of the order of a column.

    Attributes
    ----------
    below : mapping of int to pair of int
        By range: rows of part A and of all with smaller values.
    places, part_places : tuple of int
        The order statistics of all values, and of part A.
    n_part, n : int
        The rows of part A, and all rows, that have a value.
    """

    below: Mapping[int, tuple[int, int]]
    places: tuple[int, ...]
    part_places: tuple[int, ...]
    n_part: int
    n: int


def check_version(version: str) -> None:
    """Refuse to work for a driver of another version: counts on its cells might differ."""
    if version != __version__:
        raise ValueError(
            f"a worker has shiftproof {__version__} and this process has {version}; install the same version on both"
        )


def cut_parts(
    batches: Iterator[Any], plans: Sequence[ColumnPlan], shares: Sequence[float], version: str
) -> Iterator[Any]:
    """Cut the columns of a partition into sorted pieces, part A (side 0) apart from the other rows.

    The last column is the key that part A is drawn by.
    """
    check_version(version)
    for table in tables_of(batches):
        draws = uniform_of_keys(as_table(table).column(table.column_names[-1]))
        masks = {share: draws < share for share in set(shares)}
        for place, (plan, share) in enumerate(zip(plans, shares, strict=True)):
            for side, rows in enumerate((masks[share], ~masks[share])):
                yield pieces_of(table.column(place).filter(pa.array(rows)), place, plan, side)


def order_facts(batches: Iterator[Any], plans: Sequence[ColumnPlan], columns: Mapping[int, Wanted]) -> Iterator[Any]:
    """Return the order statistics that lie in each range, and the frequent values of part A."""

    def part(place: int, number: int, values: Any, counts: Any) -> dict[str, Any]:
        wanted, own, both = columns[place], counts[0], counts.sum(axis=0)
        before, below = wanted.below[number]
        through, of_part = below + np.cumsum(both), before + np.cumsum(own)
        quantiles = _at(values, of_part, before, wanted.part_places)
        frequent = values[(own > 0) & (own * PARTS >= wanted.n_part)].tolist()
        known = np.searchsorted(values, sorted({*quantiles.values(), *frequent}))
        return {
            "at": _at(values, through, below, wanted.places),
            "part_at": quantiles,
            "frequent": frequent,
            # Each bound with the rows of part A below it, and up to it.
            "below": [(values[k].item(), int(of_part[k] - own[k]), int(of_part[k])) for k in known.tolist()],
        }

    return each_range(batches, plans, columns, part)


def _at(values: Any, through: Any, before: int, places: Sequence[int]) -> dict[int, Any]:
    inside = [place for place in places if len(through) and before <= place < through[-1]]
    return dict(zip(inside, values[np.searchsorted(through, inside, side="right")].tolist(), strict=True))


def cell_counts(
    batches: Iterator[Any], plans: Sequence[ColumnPlan], columns: Mapping[int, NumberCells]
) -> Iterator[Any]:
    """Count the values of each range in the cells of its column: of part A, and of all rows."""

    def part(place: int, number: int, values: Any, counts: Any) -> dict[str, Any]:  # noqa: ARG001 - as `order_facts`
        cells = columns[place]
        places = cells.places(values)
        totals = (counts[0], counts.sum(axis=0))
        both = (np.bincount(places, weights=total, minlength=cells.n_fine).astype(np.int64) for total in totals)
        return dict(zip(("part", "total"), (counted.tolist() for counted in both), strict=True))

    return each_range(batches, plans, columns, part)


def add_up(
    batches: Iterator[Any], files: Mapping[str, bytes], names: Sequence[str], options: Mapping[str, Any], version: str
) -> Iterator[Any]:
    """Count the rows of a partition by class, and add up what estimates and the type of shift need."""
    from shiftproof.monitoring._baseline import Baseline
    from shiftproof.monitoring._folder import read_fields, write_files

    check_version(version)
    cells = Baseline.from_fields(read_fields(files, "the baseline"))
    whole = None
    for table in tables_of(batches):
        part = Baseline.of(table.rename_columns(list(names)), cells=cells, **options)
        whole = part if whole is None else whole + part
    if whole is not None:
        written = write_files(whole)
        yield pa.RecordBatch.from_pydict({"name": list(written), "content": list(written.values())})


def count_rows(
    batches: Iterator[Any], reference: Mapping[str, ReferenceColumn], names: Sequence[str], version: str
) -> Iterator[Any]:
    """Count the rows of a partition on the cells of a reference."""
    from shiftproof.monitoring._summary import count_columns

    check_version(version)
    for table in tables_of(batches):
        counted = count_columns(reference, as_table(table.rename_columns(list(names))))
        plain = {
            name: [fine.tolist(), [[str(value), n] for value, n in unseen.items()]]
            for name, (fine, unseen) in counted.items()
        }
        yield pa.RecordBatch.from_pydict({"facts": [json.dumps(plain)]})

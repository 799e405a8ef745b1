"""An engine that does in this process what a cluster does: pieces, ranges, and three rounds."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from shiftproof.warehouse import _runs
from shiftproof.warehouse._records import Facts
from shiftproof.warehouse._runs import Bins, ColumnFacts, ColumnPlan


class LocalRounds:
    """The rounds of two Arrow tables, cut into batches of a few rows as if each were a partition."""

    def __init__(self, old: pa.Table, new: pa.Table, plans: Sequence[ColumnPlan], *, rows: int = 70) -> None:
        self._sides, self._plans = (old, new), plans
        self._rows = rows
        self._runs: pa.Table = pa.table({})

    def join(self) -> Facts:
        plans = self._plans
        groups: defaultdict[tuple[int, int], list[Any]] = defaultdict(list)
        for side, table in enumerate(self._sides):
            for batch in table.to_batches(max_chunksize=self._rows):
                for piece in _runs.cut(iter([batch]), plans, side):
                    for row in range(piece.num_rows):
                        key = piece.column("place")[row].as_py(), piece.column("range")[row].as_py()
                        groups[key].append(pa.Table.from_batches([piece.slice(row, 1)]))
        joined = [_runs.join(pa.concat_tables(pieces), plans) for pieces in groups.values()]
        self._runs = pa.concat_tables(joined)
        return _by_place(self._runs)

    def measure(self, columns: Mapping[int, ColumnFacts]) -> Facts:
        return self._mapped(partial(_runs.measure, plans=self._plans, columns=columns))

    def recount(self, columns: Mapping[int, tuple[Sequence[Any], Bins | None]]) -> Facts:
        return self._mapped(partial(_runs.recount, plans=self._plans, columns=columns))

    def categories(self, places: Sequence[int]) -> Mapping[int, Sequence[bytes]]:
        bodies: defaultdict[int, list[bytes]] = defaultdict(list)
        for row in self._runs.select(["place", "body"]).to_pylist():
            if row["place"] in places and row["body"]:
                bodies[row["place"]].append(row["body"])
        return bodies

    def _mapped(self, work: Any) -> Facts:
        batches = list(work(iter(self._runs.to_batches())))
        return _by_place(pa.Table.from_batches(batches))


def _by_place(table: pa.Table) -> Facts:
    facts: defaultdict[int, dict[int, Any]] = defaultdict(dict)
    for row in table.select(["place", "range", "facts"]).to_pylist():
        facts[row["place"]][row["range"]] = json.loads(row["facts"])
    return facts

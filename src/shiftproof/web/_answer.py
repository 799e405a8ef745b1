"""One answer in three forms: a page, JSON, and CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shiftproof.core import plain
from shiftproof.reporting import inert_cell

# Rows that are written at once.
_CHUNK = 500


@dataclass(frozen=True, eq=False, kw_only=True)
class PageAnswer:
    """What a page says.

    Parameters
    ----------
    template : str
        The file of the template.
    title : str
        The title of the page.
    values : mapping
        What the template shows.
    data : callable
        Returns the same for programs, if one asks.
    columns : sequence of str
        The header of the table.
    rows : iterable of sequences
        The table; it may be long, and is read only if somebody asks for it.
    crumbs : sequence of pairs
        The pages above it: address and name.
    """

    template: str
    title: str
    values: Mapping[str, object]
    data: Callable[[], Mapping[str, Any]]
    columns: Sequence[str]
    rows: Iterable[Sequence[object]]
    crumbs: Sequence[tuple[str, str]] = field(default=())

    def json(self) -> bytes:
        """Write the answer as JSON."""
        # Names may hold half of a surrogate pair, which no file can; a question mark is better than no answer.
        return json.dumps(plain(dict(self.data())), allow_nan=False, ensure_ascii=False).encode("utf-8", "replace")

    def csv(self) -> Iterator[bytes]:
        """Write the table as CSV, in parts."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\r\n")
        writer.writerow(map(inert_cell, self.columns))
        for number, row in enumerate(self.rows, start=1):
            writer.writerow([inert_cell(value) for value in row])
            # A long history goes out while it is read, so that it never is in memory as a whole.
            if number % _CHUNK == 0:
                yield text.getvalue().encode("utf-8", "replace")
                text.seek(0)
                text.truncate()
        yield text.getvalue().encode("utf-8", "replace")

"""Segments: the rows of each value of a column, watched on their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shiftproof.core import Argument, Column, Note, Phrase, Table, counted, fault, listed, shown
from shiftproof.monitoring._cells import IntArray, coded_levels, key_hash
from shiftproof.monitoring._reference import ReferenceDraw

#: So many values, those with most reference rows, are watched on their own; all others together.
MOST_SEGMENTS = 20
#: A value with fewer reference rows is watched with the others.
FEWEST_OF_SEGMENT = 200
#: The same with seasons, for each of them.
ROWS_PER_SEASON = 100
# More values come from a column that identifies rows.
_MOST_VALUES = 10_000
# Half of what alarms may spend is for all rows together, so that segments hardly delay their alarms.
_WHOLE_SHARE = 0.5
# Values that a note names.
_NAMED = 3
_NONE = -1


@dataclass(frozen=True, kw_only=True)
class Segments:
    """Which rows belong to which segment.

    Attributes
    ----------
    column : str
        The column whose values make the segments.
    names : tuple of str
        The segments, those with most reference rows first.
    places : mapping of int to int
        By the hash of each value of the reference, the segment of its rows; -1 if they are watched among all rows only.
    salt : bytes
        What values are hashed with.
    redacted : bool
        Whether values are hidden.
    """

    column: str
    names: tuple[str, ...]
    places: Mapping[int, int]
    salt: bytes
    redacted: bool

    @classmethod
    def of(
        cls, table: Table, column: str, drawing: ReferenceDraw, fewest: int = FEWEST_OF_SEGMENT
    ) -> tuple[Segments, IntArray, list[Note]]:
        """Choose the segments of a reference; return also the segment of each row, and what was left out.

        Parameters
        ----------
        table : Table
            The reference.
        column : str
            Whose values make the segments.
        drawing : ReferenceDraw
            With what values are hashed, and whether they are hidden.
        fewest : int
            How many reference rows a segment needs.
        """
        salt, redact = drawing.salt, drawing.redact
        levels, codes = coded_levels(_grouping(table.column(column)))
        rows = np.bincount(codes + 1, minlength=len(levels) + 1)[1:]
        if len(levels) > _MOST_VALUES:
            got = Phrase(f"{len(levels):,} in {column!r}")
            raise fault("by", f"name a column of at most {_MOST_VALUES:,} values", got, "group the values first")
        order = np.argsort(-rows, kind="stable")
        alone = [int(place) for place in order[:MOST_SEGMENTS] if rows[place] >= fewest]
        hashes = [key_hash(key, salt) for key in levels]
        names = [_named(column, levels[place], hashes[place], redact=redact) for place in alone]
        of_level = np.full(len(levels) + 1, _NONE)
        of_level[alone] = np.arange(len(alone))
        n_rest = int((codes == _NONE).sum() + np.delete(rows, alone).sum())
        if n_rest >= fewest:
            of_level[of_level == _NONE] = len(alone)
            names.append(f"{column}: other values")
        if len(names) < 2:
            got = Phrase(f"{column!r}, which has {len(names) or 'none'}")
            hint = Phrase("use a larger reference, or leave ", Argument("by"), " out")
            rule = f"name a column with at least two values that have {fewest:,} reference rows each"
            raise fault("by", rule, got, hint)
        segments = cls(
            column=column,
            names=tuple(names),
            places=dict(zip(hashes, of_level[:-1].tolist(), strict=True)),
            salt=salt,
            redacted=redact,
        )
        return segments, of_level[codes], segments.left_out(len(levels) - len(alone), n_rest)

    def left_out(self, n_values: int, n_rows: int) -> list[Note]:
        """Say which values of the reference are not watched on their own."""
        if not n_values:
            return []
        code = "other values" if self.rest is not None else "unwatched values"
        detail = f"{counted(n_values, 'value')} ({counted(n_rows, 'baseline row')})"
        return [Note(code=code, subject=self.column, detail=detail)]

    @property
    def rest(self) -> int | None:
        """The segment of all other values; None if they are watched among all rows only."""
        return len(self.names) - 1 if self.names[-1] == f"{self.column}: other values" else None

    @property
    def shares(self) -> dict[str, float]:
        """Which part of what alarms may spend each segment has; "" stands for all rows."""
        return {"": _WHOLE_SHARE} | dict.fromkeys(self.names, (1 - _WHOLE_SHARE) / len(self.names))

    def codes(self, table: Table) -> tuple[IntArray, list[Note]]:
        """Return the segment of each row of a batch, -1 for none, and a note of values that the reference never had."""
        if self.column not in table.names:
            hint = f"segments are the values of this column; it has {listed(table.names, most=_NAMED)}"
            raise fault("batch", f"have a column {shown(self.column)}", hint=hint)
        levels, codes = coded_levels(_grouping(table.column(self.column)))
        hashes = [key_hash(key, self.salt) for key in levels]
        missing = _NONE if self.rest is None else self.rest
        of_level = np.array([*(self.places.get(number, _NONE) for number in hashes), missing], dtype=np.int64)
        fresh = [place for place, number in enumerate(hashes) if number not in self.places]
        if not fresh:
            return of_level[codes], []
        n_rows = int(np.isin(codes, fresh).sum())
        values = listed([levels[place][2:] for place in fresh], most=_NAMED)
        named = counted(len(fresh), "value") if self.redacted else values
        detail = f"{named} ({counted(n_rows, 'row')})"
        note = Note(code="new segments", subject=self.column, detail=detail, sensitive=not self.redacted)
        return of_level[codes], [note]


def _grouping(column: Column) -> Column:
    """Refuse a column whose values cannot be groups."""
    kinds = {"date": "dates", "duration": "durations", "unsupported": "values of a type that cannot be compared"}
    if column.family in kinds:
        raise fault("by", "name a column of categories", Phrase(f"{kinds[column.family]} in {column.name!r}"))
    if column.family == "number":
        values = column.floats()
        if np.any(values[np.isfinite(values)] % 1):
            hint = "bin them into ranges first"
            raise fault("by", "name a column of categories", Phrase(f"numbers with decimals in {column.name!r}"), hint)
    return column


def _named(column: str, key: str, number: int, *, redact: bool) -> str:
    """Name a segment as people would write it."""
    value = f"hidden {number:016x}" if redact else shown(key[2:]) if key.startswith("s:") else key[2:]
    return f"{column} = {value}"

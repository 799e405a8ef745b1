"""Figures over time for charts, thinned out by the database to what a screen can show.

A long history is cut into as many spans of time as a chart has room for. Of each span the first, the smallest, the
largest and the last value are read, so that no outlier is lost and the lines of neighbours meet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal

from sqlalchemy import (
    CTE,
    BindParameter,
    ColumnElement,
    Connection,
    FromClause,
    Result,
    Select,
    and_,
    bindparam,
    func,
    select,
)

from shiftproof.monitoring.store import _schema as schema
from shiftproof.monitoring.store._records import from_micros, to_micros
from shiftproof.monitoring.store._types import Integer, Text

# Before and after every time that a batch can have.
_FIRST, _LAST = -(2**62), 2**62


ColumnField = Literal["distance", "missing", "unseen", "changed", "material"]


@dataclass(frozen=True)
class FigureLine:
    """A quantity of every batch, such as the accuracy, or the share of a class.

    Parameters
    ----------
    quantity, subject : str
        As in `FigureRecord`.
    """

    quantity: str
    subject: str = ""


@dataclass(frozen=True)
class ColumnLine:
    """What is known of one column of every batch.

    Parameters
    ----------
    name : str
        The column.
    field : str
        One of the figures of `ColumnRecord`.
    """

    name: str
    field: ColumnField = "distance"


CourseLine = FigureLine | ColumnLine


@dataclass(frozen=True, kw_only=True)
class CoursePoint:
    """A line within one span of time.

    Parameters
    ----------
    first, least, most, last : float or None
        The values of the first and the last batch, and the smallest and the largest of all; None if unknown.
    low, high : float or None
        The ends of all intervals together; None without intervals.
    """

    first: float | None
    least: float | None
    most: float | None
    last: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class CourseSpan:
    """Some batches that follow each other in time, or a single one.

    Parameters
    ----------
    start, end : datetime
        The times of the first and of the last batch.
    first_number, last_number : int
        Their numbers.
    n_batches, n_rows : int
        How many batches, and how many rows they have together.
    n_labels, n_right : int
        Of the batches with labels: labels that are a random sample, and how many of these rows the model got right.
    n_labelled_rows : int
        How many rows the batches with labels have.
    points : tuple of CoursePoint
        One per line, in the order in which they were requested.
    """

    start: datetime
    end: datetime
    first_number: int
    last_number: int
    n_batches: int
    n_rows: int
    n_labels: int
    n_right: int
    n_labelled_rows: int
    points: tuple[CoursePoint, ...]


def read_course(
    connection: Connection,
    key: int,
    lines: Sequence[CourseLine],
    *,
    segment: str = "",
    since: datetime | None = None,
    until: datetime | None = None,
    most: int = 160,
) -> list[CourseSpan]:
    """Return the course of some figures of a monitor, in the order of time.

    Parameters
    ----------
    connection : Connection
        In a transaction.
    key : int
        The monitor.
    lines : sequence of FigureLine or ColumnLine
        What to read.
    segment : str
        Of which rows; empty for all.
    since, until : datetime, optional
        The first and the last time.
    most : int
        How many spans there may be. If there are no more batches than that, each is a span of its own.
    """
    table = schema.batches
    ends = {
        "since": _FIRST if since is None else to_micros(since),
        "until": _LAST if until is None else to_micros(until),
    }
    own = (table.c.monitor_id == key, table.c.at.between(ends["since"], ends["until"]))
    totals = select(func.count(), func.min(table.c.at), func.max(table.c.at)).where(*own)
    n_batches, first, last = connection.execute(totals).one()
    if not n_batches:
        return []
    # By width, because a product of microseconds and spans may be too large for a database.
    width = (last - first) // most + 1
    query = _query(tuple(lines), n_batches <= most)
    rows = connection.execute(query, {"key": key, "segment": segment, "first": first, "width": width, **ends})
    return _spans(rows, len(lines))


# Building and compiling a query takes a third of the time that the database takes to answer it.
@lru_cache(maxsize=256)
def _query(lines: tuple[CourseLine, ...], single: bool) -> Select[Any]:
    """Return the query for some lines; `single` makes every batch a span of its own."""
    table = schema.batches
    place = table.c.number if single else (table.c.at - _bound("first")) // _bound("width")
    own = (table.c.monitor_id == _bound("key"), table.c.at.between(_bound("since"), _bound("until")))
    batches = select(table.c.number, table.c.at, table.c.n_rows, place.label("place")).where(*own).cte("ranged")
    spans = _grouped(batches, lines).subquery("spans")
    ends = (spans.c.place, spans.c.place) if single else _ends(spans)
    return _with_ends(spans, ends, lines)


def _bound(name: str) -> BindParameter[int]:
    return bindparam(name, type_=Integer)


def _joined(
    source: FromClause, lines: Sequence[CourseLine], number: ColumnElement[int]
) -> tuple[FromClause, list[FromClause]]:
    """Join the tables of lines to the number of a batch; lines of the same column share one."""
    tables: dict[FigureLine | str, FromClause] = {}
    for line in lines:
        key = line if isinstance(line, FigureLine) else line.name
        if key not in tables:
            tables[key] = (schema.figures if isinstance(line, FigureLine) else schema.column_figures).alias()
            source = source.outerjoin(tables[key], and_(*_of_line(line, tables[key], number)))
    return source, [tables[line if isinstance(line, FigureLine) else line.name] for line in lines]


def _of_line(line: CourseLine, table: FromClause, number: ColumnElement[int]) -> list[ColumnElement[bool]]:
    """Return what joins a table to the number of a batch."""
    named = {"name": line.name} if isinstance(line, ColumnLine) else vars(line)
    own = [table.c[column] == value for column, value in named.items()]
    return [table.c.batch_number == number, table.c.segment == bindparam("segment", type_=Text), *own]


def _value(line: CourseLine, table: FromClause) -> ColumnElement[float]:
    return table.c.estimate if isinstance(line, FigureLine) else table.c[line.field]


def _grouped(batches: CTE, lines: Sequence[CourseLine]) -> Select[Any]:
    """Return one row per span: its ends and totals, and per line the extremes.

    All lines are joined to the same pass over the batches: one pass per line would take three times as long.
    """
    compared = schema.comparisons
    source: FromClause = batches.outerjoin(compared, compared.c.batch_number == batches.c.number)
    extremes: list[ColumnElement[Any]] = []
    source, tables = _joined(source, lines, batches.c.number)
    for place, (line, table) in enumerate(zip(lines, tables, strict=True)):
        value = _value(line, table)
        extremes += [func.min(value).label(f"least_{place}"), func.max(value).label(f"most_{place}")]
        # Evidence is a number without an interval; every column that is left out makes the sorting shorter.
        if isinstance(line, FigureLine) and line.quantity != "evidence":
            extremes += [func.min(table.c.low).label(f"low_{place}"), func.max(table.c.high).label(f"high_{place}")]
    labelled_rows = func.sum(batches.c.n_rows).filter(compared.c.n_used > 0)
    return (
        select(
            batches.c.place,
            func.min(batches.c.at).label("start"),
            func.max(batches.c.at).label("end"),
            func.count().label("n_batches"),
            func.sum(batches.c.n_rows).label("n_rows"),
            func.coalesce(func.sum(compared.c.n_used), 0).label("n_labels"),
            func.coalesce(func.sum(compared.c.n_right), 0).label("n_right"),
            func.coalesce(labelled_rows, 0).label("n_labelled_rows"),
            *extremes,
        )
        .select_from(source)
        .group_by(batches.c.place)
    )


def _ends(spans: FromClause) -> tuple[ColumnElement[int], ColumnElement[int]]:
    """Return the numbers of the first and of the last batch of a span; of one time, the order of arrival decides."""
    table = schema.batches
    own = table.c.monitor_id == _bound("key")
    first = select(func.min(table.c.number)).where(own, table.c.at == spans.c.start)
    last = select(func.max(table.c.number)).where(own, table.c.at == spans.c.end)
    return first.scalar_subquery(), last.scalar_subquery()


def _with_ends(
    spans: FromClause, ends: tuple[ColumnElement[int], ColumnElement[int]], lines: Sequence[CourseLine]
) -> Select[Any]:
    """Return the spans with their first and last batch, and the values of these two."""
    named = select(spans, ends[0].label("first_number"), ends[1].label("last_number")).subquery("named")
    source: FromClause = named
    values: list[ColumnElement[Any]] = []
    for end in ("first", "last"):
        source, tables = _joined(source, lines, named.c[f"{end}_number"])
        pairs = enumerate(zip(lines, tables, strict=True))
        values += [_value(line, table).label(f"{end}_{place}") for place, (line, table) in pairs]
    return select(named, *values).select_from(source).order_by(named.c.start, named.c.first_number)


_VALUES = ("first", "least", "most", "last", "low", "high")
_TOTALS = ("first_number", "last_number", "n_batches", "n_rows", "n_labels", "n_right", "n_labelled_rows")


def _spans(rows: Result[Any], n_lines: int) -> list[CourseSpan]:
    """Return the rows of the query as spans."""
    # Places are looked up once, and not for each of thousands of values.
    places = {name: place for place, name in enumerate(rows.keys())}
    totals = [(name, places[name]) for name in _TOTALS]
    # What the query leaves out is the None behind the values of a row.
    points = [[(name, places.get(f"{name}_{line}", -1)) for name in _VALUES] for line in range(n_lines)]
    full: Iterator[tuple[Any, ...]] = ((*values, None) for values in rows)
    return [
        CourseSpan(
            start=from_micros(row[places["start"]]),
            end=from_micros(row[places["end"]]),
            points=tuple(CoursePoint(**{name: row[place] for name, place in point}) for point in points),
            **{name: int(row[place]) for name, place in totals},
        )
        for row in full
    ]

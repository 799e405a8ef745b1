"""Comparison of whole tables: the reference is sorted once, columns run in parallel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from shiftproof.core import (
    Argument,
    Column,
    Nature,
    Phrase,
    Table,
    as_table,
    check_choice,
    check_comparable,
    fault,
    in_threads,
    listed,
    nature,
    shown,
    unknown_name,
)
from shiftproof.stats._records import (
    Record,
    Sorted,
    compare_counts,
    compare_sorted,
    ordered_family,
    sort_numbers,
)

#: How a column is compared: by order or by category.
Scale = Literal["continuous", "nominal"]

_Prepared = Sorted | tuple[dict[Any, int], int]


class Reference:
    """A reference table that is sorted once and can be compared with any number of batches.

    Parameters
    ----------
    columns : table of any library, array, dict of columns or list of dicts
        The reference rows. Sorted copies of its columns are kept, the table itself is not.
    scales : mapping of column name to "continuous" or "nominal", optional
        Scales that override the defaults; by default, numbers and dates are continuous and everything else is nominal.
    n_jobs : int, optional
        Number of threads; by default one per core.

    Examples
    --------
    >>> reference = Reference({"age": [20, 30, 40, 50], "job": ["a", "b", "a", "b"]})
    >>> records = reference.compare({"age": [45, 55, 65], "job": ["b", "b", "c"]})
    >>> records["age"].d, records["job"].categories
    (0.75, ('a', 'b', 'c'))
    """

    def __init__(
        self, columns: object, *, scales: Mapping[str, Scale] | None = None, n_jobs: int | None = None
    ) -> None:
        table = as_table(columns, "columns")
        self.n_rows = table.n_rows
        self.scales = _scales(table, scales)
        self.n_jobs = n_jobs

        # The nature of a column is kept as well: a batch of text must not be compared with numbers.
        def prepare(name: str) -> tuple[_Prepared, Nature]:
            column = table.column(name)
            return _prepare(column, self.scales[name]), nature(column)

        self._prepared: dict[str, tuple[_Prepared, Nature]] = dict(in_threads(prepare, table.names, n_jobs))

    @property
    def names(self) -> tuple[str, ...]:
        """The reference's columns."""
        return tuple(self._prepared)

    def compare(self, batch: object) -> dict[str, Record]:
        """Compare a batch with the reference, column by column.

        Parameters
        ----------
        batch : table with at least the reference's columns
            Further columns are ignored.

        Returns
        -------
        dict of str to Record
            In the reference's column order.
        """
        table = as_table(batch, "batch")
        _require(self.names, table, "batch")

        def compare_column(name: str) -> Record:
            return _compare(*self._prepared[name], table.column(name))

        return dict(in_threads(compare_column, self.names, self.n_jobs))


def compare_tables(
    reference: object, current: object, *, scales: Mapping[str, Scale] | None = None, n_jobs: int | None = None
) -> dict[str, Record]:
    """Compare two tables column by column, with at most two sorted columns per thread in memory.

    Parameters
    ----------
    reference, current : tables
        The current one must have the reference's columns.
    scales : mapping of column name to "continuous" or "nominal", optional
        Scales that override the defaults; by default, numbers and dates are continuous and everything else is nominal.
    n_jobs : int, optional
        Number of threads; by default one per core.

    Returns
    -------
    dict of str to ContinuousRecord or NominalRecord
        One record for each column of the reference, in its order.

    Examples
    --------
    >>> records = compare_tables({"age": [20, 30, 40]}, {"age": [30, 40, None]})
    >>> records["age"].n, records["age"].m, records["age"].missing_current
    (3, 2, 1)
    """
    left, right = as_table(reference, "reference"), as_table(current, "current")
    chosen = _scales(left, scales)
    _require(left.names, right, "current")

    def compare_column(name: str) -> Record:
        # Sorted here, not all columns before: at most two sorted columns per thread are in memory.
        return compare_columns([left.column(name), right.column(name)], chosen[name])

    return dict(in_threads(compare_column, left.names, n_jobs))


def compare_columns(columns: list[Column], scale: Scale) -> Record:
    """Make the record of one column of two tables, which it takes out of the list: a sorted copy is enough to keep."""
    before = columns.pop(0)
    prepared, own = _prepare(before, scale), nature(before)
    del before
    return _compare(prepared, own, columns.pop())


def _scales(table: Table, given: Mapping[str, Scale] | None) -> dict[str, Scale]:
    given = given or {}
    unknown = [name for name in given if name not in table.names]
    if unknown:
        raise unknown_name("scales", "name columns of the table", unknown[0], table.names)
    for name, scale in given.items():
        check_choice(scale, Argument("scales", key=name), ("continuous", "nominal"))
    return {name: given.get(name) or _natural_scale(table.column(name)) for name in table.names}


def _natural_scale(column: Column) -> Scale:
    if column.family == "unsupported":
        got = Phrase("nested or complex values")
        rule = "hold numbers, dates, booleans or text"
        raise fault(f"column {shown(column.name)}", rule, got, "drop or flatten it")
    # A column without values or type has no categories either; a batch decides.
    return "continuous" if column.ordered or column.family == "empty" else "nominal"


def _require(names: Sequence[str], table: Table, what: str) -> None:
    absent = [name for name in names if name not in table.names]
    if absent:
        raise fault(what, "have every column of the reference", Phrase(f"none of {listed(absent)}"), "add them")


def _prepare(column: Column, scale: Scale) -> _Prepared:
    return sort_numbers(*column.numbers()) if scale == "continuous" else column.counts()


def _compare(prepared: _Prepared, before: Nature, column: Column) -> Record:
    nominal = not isinstance(prepared, Sorted)
    check_comparable(f"column {shown(column.name)}", before, column, nominal=nominal)
    if isinstance(prepared, Sorted):
        family, (numbers, missing) = ordered_family(before, column), column.numbers()
        # Of a table that is not in memory, nobody else has the column.
        del column
        return compare_sorted(prepared, sort_numbers(numbers, missing), family)
    counts, missing = column.counts()
    return compare_counts(prepared[0], counts, (prepared[1], missing))

"""The tables of a case: checked, with the columns hidden that neither models nor comparisons may see."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from scipy import sparse

from shiftproof.core import (
    Argument,
    Column,
    Phrase,
    Table,
    as_table,
    fault,
    is_missing,
    is_texts,
    release_unused,
    unknown_name,
    without_columns,
)
from shiftproof.data import LEFT_OUT, Kind, joint_kinds
from shiftproof.stats import NominalRecord, Record, Scale, compare_columns, compare_tables
from shiftproof.warehouse import on_spark

#: Why a column is set aside.
Aside = Literal["identifier", "text", "later in the new data"]

# Columns that are compared at a time have so many bytes together. Each thread has both sides, sorted copies and room to
# sort: about so many columns.
_MOST_BYTES, _COPIES = 600 * 2**20, 6
# Texts and sparse matrices have scores, but no columns that could be compared one by one.
_NOT_COMPARED = "texts and sparse matrices are not compared feature by feature"


@dataclass(frozen=True, eq=False, kw_only=True)
class Tables:
    """Labelled and new data, either of which may be absent.

    Parameters
    ----------
    labelled, new : table of any library, optional
        As the caller gave them.
    hidden : frozenset of str
        Columns that neither models nor comparisons may see.
    aside : mapping of str to str
        Columns that would only mislead comparisons, such as identifiers, each with the reason. Models that are fitted
        on these tables do not see them either: then they are hidden, too.
    kinds_given : mapping of column to kind
        What the caller knows better about columns.
    modelled : bool
        Whether models are fitted on these columns.
    n_jobs : int, optional
        Threads that compare columns.
    names : pair of str
        What error messages call the two tables.
    whole : pair of Table, optional
        Where the tables are not in memory, all of their rows; `labelled` and `new` are then random samples.
    """

    labelled: object = None
    new: object = None
    hidden: frozenset[str] = frozenset()
    aside: Mapping[str, Aside] = field(default_factory=dict)
    kinds_given: Mapping[object, str] | None = None
    modelled: bool = False
    n_jobs: int | None = None
    names: tuple[str, str] = ("X", "X_new")
    whole: tuple[Table, Table] | None = None

    @cached_property
    def all_rows(self) -> tuple[Table, Table]:
        """Both tables with all of their rows and columns, of which each column is read when it is needed."""
        return self.whole or (as_table(self.labelled, self.names[0]), as_table(self.new, self.names[1]))

    @property
    def not_tested(self) -> frozenset[str]:
        """The columns that comparisons may not see."""
        return self.hidden | {*self.aside}

    @cached_property
    def not_compared(self) -> str:
        """Why features cannot be compared; empty if they can."""
        if self.labelled is None or self.new is None:
            some = "" if self.labelled is self.new else f" of the {'new' if self.new is None else 'labelled'} data"
            return f"only scores{some} were given, no features to compare"
        if any(not is_table(table) for table in (self.labelled, self.new)):
            return _NOT_COMPARED
        alone = bool(self.hidden) and not self.old.names
        return "the tables have no columns besides scores and labels" if alone else ""

    @cached_property
    def X(self) -> object:
        """The labelled rows in the form that estimators know; None if they are not in memory."""
        return None if self.whole is not None else _for_models(hide(self.labelled, self.hidden), self.names[0])

    @cached_property
    def X_new(self) -> object:
        """The new rows in the form that estimators know; None if they are not in memory."""
        return None if self.whole is not None else _for_models(hide(self.new, self.hidden), self.names[1])

    @cached_property
    def old(self) -> Table:
        """The labelled rows, column by column."""
        return as_table(self.labelled, self.names[0]).without(self.not_tested)

    @cached_property
    def current(self) -> Table:
        """The new rows, column by column."""
        return as_table(self.new, self.names[1]).without(self.not_tested)

    @cached_property
    def kinds(self) -> dict[str, Kind]:
        """What each shared column is to the statistics; warns once of columns that no test can use."""
        return self._kinds() if self.whole is None else self._read_once[0]

    @cached_property
    def _read_once(self) -> tuple[dict[str, Kind], dict[str, Record]]:
        """Kinds and records of tables that are not in memory, of which each column is read once for both."""
        spark = on_spark(self.whole)
        if spark is not None:
            kinds = self._kinds(tables=tuple(table.drawn() for table in self.all_rows), correct=spark.correct_kinds)
            tested = {name: _scale(kind) for name, kind in kinds.items() if kind not in LEFT_OUT}
            return kinds, spark.compare(tested)
        records: dict[str, Record] = {}

        def compare(kind: Kind, columns: list[Column]) -> None:
            name = columns[0].name
            if kind not in LEFT_OUT:
                records[name] = compare_columns(columns, _scale(kind))

        kinds = self._kinds(use=compare)
        release_unused()
        # Threads finish in any order.
        return kinds, {name: records[name] for name in kinds if name in records}

    def _kinds(self, tables: tuple[Table, ...] = (), **by_column: Any) -> dict[str, Kind]:
        """Decide what columns are, of all rows or of samples."""
        present = {name for table in self.all_rows for name in table.names}
        return joint_kinds(
            *(tables or self.all_rows),
            kinds=self.kinds_given,
            # Names that no table has are refused; columns to hide need not exist.
            exclude=sorted(self.not_tested & present),
            adjustable=self.kinds_given is not None,
            modelled=self.modelled,
            called=self.names,
            n_jobs=self._threads,
            **by_column,
        )

    @property
    def _threads(self) -> int | None:
        """How many columns are compared at a time: few of long tables that are not in memory, or as the caller says."""
        if not all(table.in_any_thread for table in self.all_rows):
            return 1
        if self.n_jobs is not None or self.whole is None:
            return self.n_jobs
        column = 8 * max(1, *(table.n_rows for table in self.all_rows))
        return min(os.cpu_count() or 1, max(_MOST_BYTES // (_COPIES * column), 1))

    @cached_property
    def infinite(self) -> tuple[str, ...]:
        """The columns with infinite values in either table."""
        tables = [*([self.old] if is_table(self.labelled) else []), *([self.current] if is_table(self.new) else [])]
        names = (name for table in tables for name in table.names if _any_infinite(table.column(name)))
        return tuple(dict.fromkeys(names))

    @cached_property
    def tested(self) -> dict[str, Kind]:
        """The shared columns that can be tested."""
        return {name: kind for name, kind in self.kinds.items() if kind not in LEFT_OUT}

    @cached_property
    def same_rows(self) -> bool:
        """Whether both tables have the same rows in the same order, as far as they are compared."""
        if self.labelled is self.new:
            return True
        old, new = (table.without(self.not_tested) for table in self.all_rows)
        if old.n_rows != new.n_rows or {*old.names} != {*new.names}:
            return False
        # Most tables differ in the values of their first column; the order of the rows is looked at only if none does.
        same_values = all(_same_values(record) for record in self.records.values())
        if on_spark(self.whole) is not None:
            # Rows have no order there.
            return same_values and bool(self.tested)
        pairs = ((old.column(name), new.column(name)) for name in self.tested)
        return same_values and bool(self.tested) and all(_same_cells(old, new) for old, new in pairs)

    @cached_property
    def records(self) -> dict[str, Record]:
        """One sufficient record per tested column."""
        if self.whole is not None:
            return self._read_once[1]
        scales = {name: _scale(kind) for name, kind in self.tested.items()}
        old, new = self.all_rows
        return compare_tables(old.only(scales), new.without(self.not_tested), scales=scales, n_jobs=self.n_jobs)


def _scale(kind: Kind) -> Scale:
    return "nominal" if kind == "nominal" else "continuous"


def _any_infinite(column: Column) -> bool:
    return column.family == "number" and bool(np.isinf(column.numbers()[0]).any())


def _same_values(record: Record) -> bool:
    if record.missing_reference != record.missing_current:
        return False
    if isinstance(record, NominalRecord):
        return np.array_equal(record.counts_reference, record.counts_current)
    return record.n == record.m and record.d_plus == record.d_minus == 0


def _same_cells(old: Column, new: Column) -> bool:
    if old.family == new.family == "number":
        # Missing cells were counted before.
        return np.array_equal(old.numbers()[0], new.numbers()[0], equal_nan=True)
    # NaN differs from itself, and one library's gap from another's.
    cells = ([None if is_missing(cell) else cell for cell in column.cells()] for column in (old, new))
    return next(cells) == next(cells)


def _for_models(table: object, name: str) -> object:
    if table is None:
        return None
    # Imported where models need it: comparing two tables takes no scikit-learn.
    from shiftproof.panel import as_features

    return as_features(table, name).data


def is_table(table: object) -> bool:
    """Return whether this has columns, unlike texts and sparse matrices."""
    return table is not None and not sparse.issparse(table) and not is_texts(table)


def check_excluded(exclude: Sequence[object] | None, tables: Iterable[object]) -> frozenset[str]:
    """Return the names of columns to leave out; each must be a column of some table."""
    if isinstance(exclude, str):
        raise fault("exclude", "be a list of column names", exclude, Phrase("write ", Argument("exclude", [exclude])))
    if exclude is not None and not isinstance(exclude, Iterable):
        raise fault("exclude", "be a list of column names", exclude, "leave it out to keep all columns")
    if not exclude:
        return frozenset()
    known = dict.fromkeys(name for table in tables if is_table(table) for name in as_table(table).names)
    for name in map(str, exclude):
        if name not in known:
            raise unknown_name("exclude", "name columns of the tables", name, known)
    return frozenset(map(str, exclude))


def column_of(X: object, given: object, argument: str) -> tuple[object, frozenset[str]]:
    """Resolve what may be named as a column of X, such as groups: the values, and the column to hide."""
    if not isinstance(given, str) or X is None:
        return given, frozenset()
    table = as_table(X)
    if given not in table.names:
        raise unknown_name(argument, "name a column of X, or have one entry per row", given, table.names)
    return list(table.column(given).cells()), frozenset([given])


def hide(table: object, columns: frozenset[str]) -> object:
    """Leave columns out of a table, which stays of its library."""
    return table if table is None or not columns else without_columns(table, columns)

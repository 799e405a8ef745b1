"""Tables that are somewhere else: in Parquet files, in DuckDB, or in a query of polars or Ibis.

A column is read when it is needed, as an Arrow array, and released afterwards: two columns at a time have to fit into
memory, not two tables. What looks at several columns of a row together works on a random sample of the rows.
"""

from __future__ import annotations

import os
import sys
import threading
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from shiftproof.core._checks import fault
from shiftproof.core._columns import library_of
from shiftproof.core._errors import InputError
from shiftproof.core._format import listed
from shiftproof.core._phrases import Phrase

#: So many rows of a table are looked at together; the checks that do so draw at most a tenth of them.
SAMPLE = 20_000
# What queries of DuckDB call the user's rows: a name that no table of theirs has.
_ROWS = "__shiftproof_rows"
_COUNT, _ALL = f"SELECT count(*) FROM {_ROWS}", f"SELECT * FROM {_ROWS}"  # noqa: S608 - our own name
# A name that no column has.
_ROW = "__shiftproof_row"
# Rows of DuckDB come in batches of so many.
_BATCH = 1_000_000
# A connection of DuckDB answers one question at a time, and both tables may share one.
_ONE_AT_A_TIME = threading.Lock()


class RemoteTable(ABC):
    """A table whose columns are read one at a time.

    Attributes
    ----------
    names : tuple of str
        The columns.
    n_rows : int
        The rows.
    in_any_thread : bool
        Whether columns can be read in several threads.
    keeps_order : bool
        Whether the rows are in the same order whenever they are read.
    """

    names: tuple[str, ...]
    n_rows: int
    in_any_thread = True
    keeps_order = False

    @property
    @abstractmethod
    def place(self) -> str:
        """Where the table is, for errors."""

    @abstractmethod
    def read(self, name: str) -> Any:
        """Return a column as a chunked array of Arrow."""

    def read_together(self, names: Sequence[str]) -> Any:
        """Return several columns, whose rows belong together, as a table of Arrow."""
        what = f"columns {listed(names)} cannot be read row by row"
        raise InputError(f"{self.place}: {what}; write the table to Parquet files first")

    @cached_property
    def sample(self) -> Any:
        """At most 20,000 rows, drawn at random and always the same ones, as a table of Arrow."""
        return self._sample(self.sampled_rows)

    @abstractmethod
    def _sample(self, rows: NDArray[np.int64]) -> Any:
        """Return these rows, in their order."""

    @cached_property
    def sampled_rows(self) -> NDArray[np.int64]:
        """The numbers of the rows of the sample."""
        if self.n_rows <= SAMPLE:
            return np.arange(self.n_rows)
        return np.sort(np.random.default_rng(0).choice(self.n_rows, SAMPLE, replace=False))

    def _failed(self, error: BaseException, doing: str) -> InputError:
        reason = str(error).strip().splitlines()
        said = reason[0].rstrip(".:; ") if reason else type(error).__name__
        return InputError(f"{self.place}: {doing} failed ({said}); nothing was compared")


class QueriedColumns(RemoteTable):
    """A table that is asked for columns, each time by a query that gives all of its rows."""

    def read(self, name: str) -> Any:
        """Ask for one column."""
        return self.read_together([name]).column(0)

    def read_together(self, names: Sequence[str]) -> Any:
        """Ask for several columns at once: rows of two answers may be in different orders."""
        answer = self._ask(names, f"reading column{'s' * (len(names) > 1)} {listed(names)}")
        if answer.num_rows != self.n_rows:
            got = f"it had {self.n_rows:,} rows and now has {answer.num_rows:,}"
            raise InputError(f"{self.place}: the table changed while it was read: {got}; start again")
        return answer

    @abstractmethod
    def _ask(self, names: Sequence[str], doing: str) -> Any:
        """Return these columns as a table of Arrow."""

    def batches(self) -> AbstractContextManager[Iterator[Any]]:
        """Open all columns as batches of rows, by one query."""
        raise InputError(f"{self.place}: rows cannot be read in batches; write the table to Parquet files first")


class FileColumns(QueriedColumns):
    """Parquet files that are one table together.

    Parameters
    ----------
    dataset : pyarrow.dataset.Dataset
        The files.
    place : str
        What errors call them.
    """

    keeps_order = True

    def __init__(self, dataset: Any, place: str) -> None:
        self._dataset, self._place = dataset, place
        self.names = check_folded(dataset.schema.names, place, folds=False)
        with self._errors("counting rows"):
            self.n_rows = int(dataset.count_rows())
            self._stamps = self._stamped()
        self._remembered: dict[str, Any] = {}

    @property
    def place(self) -> str:
        """Where the files are."""
        return self._place

    @contextmanager
    def _errors(self, doing: str) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError, KeyError, NotImplementedError) as error:  # Arrow's errors are among these
            raise self._failed(error, doing) from None

    def _ask(self, names: Sequence[str], doing: str) -> Any:
        with self._errors(doing):
            # Columns are read in several threads already.
            answer = self._dataset.to_table(columns=list(names), use_threads=False)
            changed = self._stamped() != self._stamps
        if changed:
            raise InputError(f"{self.place}: a file was replaced while the table was read; start again")
        return answer

    def _stamped(self) -> list[tuple[int, int, int]]:
        """Return what a file that takes the place of another has not in common with it, for files of this machine."""
        from pyarrow.fs import LocalFileSystem

        if not isinstance(getattr(self._dataset, "filesystem", None), LocalFileSystem):
            return []
        return [(facts.st_size, facts.st_mtime_ns, facts.st_ino) for facts in map(os.stat, self._dataset.files)]

    def read_together(self, names: Sequence[str]) -> Any:
        """Read columns of all files; their rows of the sample are remembered."""
        answer = super().read_together(names)
        for place, name in enumerate(names):
            if name not in self._remembered:
                self._remembered[name] = _text(answer.column(place)).take(self.sampled_rows)
        return answer

    def _sample(self, rows: NDArray[np.int64]) -> Any:  # noqa: ARG002 - `read_together` remembers them
        import pyarrow as pa

        # What is compared has been read before.
        for name in self.names:
            if name not in self._remembered:
                self.read(name)
        return pa.table({name: self._remembered[name] for name in self.names})


class PolarsColumns(QueriedColumns):
    """A query of polars that has not run yet.

    Parameters
    ----------
    frame : polars.LazyFrame
        The query; it runs once for every column.
    """

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        with self._errors("counting rows"):
            self.names = check_folded(frame.collect_schema().names(), self.place, folds=False)
            counted = nw.from_native(frame).select(nw.len()).collect(engine="streaming")
        self.n_rows = int(counted.item())

    @property
    def place(self) -> str:
        """What errors call the query."""
        return "the LazyFrame"

    @contextmanager
    def _errors(self, doing: str) -> Iterator[None]:
        from pyarrow import ArrowException

        # The library is loaded, because the query comes from it. It panics where a file becomes shorter.
        own = sys.modules["polars"].exceptions
        known = (own.PolarsError, own.PanicException, nw.exceptions.NarwhalsError, ArrowException, OSError)
        try:
            yield
        except known as error:
            raise self._failed(error, doing) from None

    def _ask(self, names: Sequence[str], doing: str) -> Any:
        with self._errors(doing):
            return nw.from_native(self._frame).select(nw.col(*names)).collect(engine="streaming").to_arrow()

    @contextmanager
    def batches(self) -> Iterator[Iterator[Any]]:
        """Run the query once, and pass its rows on in batches."""
        with self._errors("reading rows"):
            yield (batch for part in self._frame.collect_batches() for batch in part.to_arrow().to_batches())

    def _sample(self, rows: NDArray[np.int64]) -> Any:
        # One query for all columns: a query may give its rows in another order each time.
        numbered = nw.from_native(self._frame.with_row_index(_ROW))
        chosen = numbered.filter(nw.col(_ROW).is_in(rows.tolist())).drop(_ROW)
        with self._errors("sampling rows"):
            return chosen.collect(engine="streaming").to_arrow()


class DuckColumns(QueriedColumns):
    """A table, view or query in DuckDB.

    Parameters
    ----------
    relation : duckdb.DuckDBPyRelation
        The rows; a query runs once for every column.
    place : str
        What errors call it.
    """

    def __init__(self, relation: Any, place: str = "the DuckDB relation") -> None:
        self._relation, self._place = relation, place
        self.names = check_folded(relation.columns, place, folds=True)
        self.n_rows = int(self._answer(_COUNT, "counting rows").column(0)[0].as_py())

    @property
    def place(self) -> str:
        """The name of the table in error messages."""
        return self._place

    @contextmanager
    def _asked(self, question: str, doing: str) -> Iterator[Any]:
        import duckdb

        try:
            with _ONE_AT_A_TIME:
                yield self._relation.query(_ROWS, question).to_arrow_reader(_BATCH)
        except (duckdb.Error, OSError, ValueError) as error:  # Arrow's errors are among these
            raise self._failed(error, doing) from None

    def _answer(self, question: str, doing: str) -> Any:
        with self._asked(question, doing) as reader:
            return reader.read_all()

    def batches(self) -> AbstractContextManager[Iterator[Any]]:
        """Run the query once, and pass its rows on in batches."""
        return self._asked(_ALL, "reading rows")

    def _ask(self, names: Sequence[str], doing: str) -> Any:
        return self._answer(f"SELECT {', '.join(map(_quoted, names))} FROM {_ROWS}", doing)  # noqa: S608 - quoted

    def _sample(self, rows: NDArray[np.int64]) -> Any:
        if len(rows) == self.n_rows:
            return self.read_together(self.names)
        # One question for all columns: a query may give its rows in another order each time.
        return self._answer(f"{_ALL} USING SAMPLE reservoir({len(rows)} ROWS) REPEATABLE (0)", "sampling rows")


class IbisColumns(QueriedColumns):
    """A table or query of Ibis, in whichever engine it is.

    Parameters
    ----------
    table : ibis.Table
        The rows; a query runs once for every column.
    """

    # A connection of SQLite, for one, belongs to the thread that opened it.
    in_any_thread = False

    def __init__(self, table: Any) -> None:
        self._table = table
        self.names = check_folded(table.columns, self.place, folds=False)
        with self._errors("counting rows"):
            self.n_rows = int(table.count().to_pyarrow().as_py())

    @property
    def place(self) -> str:
        """The name of the table in error messages."""
        return "the Ibis table"

    @contextmanager
    def _errors(self, doing: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            raise self._failed(error, doing) from None

    def _ask(self, names: Sequence[str], doing: str) -> Any:
        with self._errors(doing):
            return self._table.select(*names).to_pyarrow()

    @contextmanager
    def batches(self) -> Iterator[Iterator[Any]]:
        """Run the query once, and pass its rows on in batches."""
        with self._errors("reading rows"):
            yield self._table.to_pyarrow_batches()

    def _sample(self, rows: NDArray[np.int64]) -> Any:
        if len(rows) == self.n_rows:
            return self.read_together(self.names)
        numbered = self._table.mutate(**{_ROW: sys.modules["ibis"].row_number()})
        with self._errors("sampling rows"):
            # Not a join with a table of numbers: some engines would compare each with each.
            return numbered.filter(numbered[_ROW].isin(rows.tolist())).order_by(_ROW).drop(_ROW).to_pyarrow()


class SampledColumns(RemoteTable):
    """The sample of a table, which is drawn when its first column is needed.

    Parameters
    ----------
    source : RemoteTable
        The table.
    """

    def __init__(self, source: RemoteTable) -> None:
        self._source = source
        self.names, self.n_rows = source.names, len(source.sampled_rows)

    @property
    def place(self) -> str:
        """Where the table is."""
        return self._source.place

    def read(self, name: str) -> Any:
        """Return the rows of a column that were drawn."""
        return self._source.sample.column(name)

    def read_together(self, names: Sequence[str]) -> Any:
        """Return the rows of several columns that were drawn."""
        return self._source.sample.select(list(names))

    def _sample(self, rows: NDArray[np.int64]) -> Any:
        return self._source.sample.take(rows)


def as_remote(obj: object, name: str = "table") -> RemoteTable | None:
    """Return the columns of a table that is not in memory; None for all others.

    Parameters
    ----------
    obj : polars.LazyFrame, duckdb relation, ibis Table, pyarrow Dataset, RemoteTable, or anything else
        What the user gave.
    name : str
        What errors call it.
    """
    if isinstance(obj, RemoteTable):
        return obj
    kind = _kind_of_query(obj)
    if kind is None:
        return None
    return FileColumns(obj, name) if kind is FileColumns else kind(obj)


def release_unused() -> None:
    """Give back memory that Arrow keeps for columns to come."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()


def is_remote(obj: object) -> bool:
    """Return whether a table is not in memory, without asking it anything.

    Examples
    --------
    >>> is_remote({"a": [1]})
    False
    """
    return isinstance(obj, RemoteTable) or _kind_of_query(obj) is not None


def _kind_of_query(obj: object) -> Any:
    """Return the class that reads a library's tables, by name: no library is imported for this."""
    library, kind = type(obj).__module__.split(".")[0].strip("_"), type(obj).__name__
    if library == "pyarrow":
        return FileColumns if kind.endswith("Dataset") else None
    known = {
        ("polars", "LazyFrame"): PolarsColumns,
        ("duckdb", "DuckDBPyRelation"): DuckColumns,
        ("ibis", "Table"): IbisColumns,
    }
    return known.get((library, kind))


def in_memory(obj: Any) -> Any:
    """Run a query that has not run yet, such as a LazyFrame of polars; return everything else as it is.

    Examples
    --------
    >>> in_memory([1, 2])
    [1, 2]
    """
    # Only tables may repeat a name, which narwhals refuses in other words than ours.
    if library_of(obj) in ("pandas", "pyarrow"):
        return obj
    frame = nw.from_native(obj, pass_through=True)
    return frame.collect().to_native() if isinstance(frame, nw.LazyFrame) else obj


def check_folded(names: Any, place: str, *, folds: bool) -> tuple[str, ...]:
    """Refuse names that repeat, or that differ only in case in an engine that takes them for one.

    Examples
    --------
    >>> check_folded(["Age", "job"], "the table", folds=True)
    ('Age', 'job')
    """
    texts = [str(name) for name in names]
    counts = Counter(name.casefold() if folds else name for name in texts)
    repeated = [name for name in texts if counts[name.casefold() if folds else name] > 1]
    if repeated:
        got = Phrase(" and ".join(map(repr, repeated[:2])))
        rule = "have names that differ in more than case" if folds and repeated[0] not in repeated[1:] else None
        raise fault(f"the columns of {place}", rule or "have different names", got, "rename one of them")
    return tuple(texts)


def _text(column: Any) -> Any:
    """Return text that is stored as views as plain text: Arrow cannot take rows of views."""
    import pyarrow as pa

    return column.cast(pa.large_string()) if pa.types.is_string_view(column.type) else column


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'

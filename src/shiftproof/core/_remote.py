"""Tables that are somewhere else: in Parquet files, in DuckDB, or in a query of polars or Ibis.

A column is read when it is needed, as an Arrow array, and released afterwards: two columns at a time have to fit into
memory, not two tables. What looks at several columns of a row together works on a random sample of the rows.
"""

from __future__ import annotations

import sys
import threading
from abc import ABC, abstractmethod
from collections import Counter
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from shiftproof.core._checks import fault
from shiftproof.core._columns import library_of
from shiftproof.core._errors import InputError
from shiftproof.core._format import shown
from shiftproof.core._phrases import Phrase

#: So many rows of a table are looked at together; the checks that do so draw at most a tenth of them.
SAMPLE = 20_000
_DRAWN = f"SELECT * FROM rows USING SAMPLE reservoir({SAMPLE} ROWS) REPEATABLE (0)"  # noqa: S608 - our own number
# A name that no column has.
_ROW = "__shiftproof_row"
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
    """

    names: tuple[str, ...]
    n_rows: int

    @property
    @abstractmethod
    def place(self) -> str:
        """Where the table is, for errors."""

    @abstractmethod
    def read(self, name: str) -> Any:
        """Return a column as a chunked array of Arrow."""

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

    def _failed(self, error: Exception, doing: str) -> InputError:
        reason = str(error).strip().splitlines()
        said = reason[0].rstrip(".") if reason else type(error).__name__
        return InputError(f"{self.place}: {doing} failed ({said}); nothing was compared")


class FileColumns(RemoteTable):
    """Parquet files that are one table together.

    Parameters
    ----------
    dataset : pyarrow.dataset.Dataset
        The files.
    place : str
        What errors call them.
    """

    def __init__(self, dataset: Any, place: str) -> None:
        self._dataset, self._place = dataset, place
        self.names = check_folded(dataset.schema.names, place, folds=False)
        self.n_rows = self._counted()
        self._remembered: dict[str, Any] = {}

    @property
    def place(self) -> str:
        """Where the files are."""
        return self._place

    def _counted(self) -> int:
        try:
            return int(self._dataset.count_rows())
        except (OSError, ValueError) as error:  # Arrow's errors are among these
            raise self._failed(error, "counting rows") from None

    def read(self, name: str) -> Any:
        """Read a column of all files; its rows of the sample are remembered."""
        try:
            column = self._dataset.to_table(columns=[name]).column(0)
        except (OSError, ValueError, KeyError, NotImplementedError) as error:
            raise self._failed(error, f"reading column {shown(name)}") from None
        if len(column) != self.n_rows:
            raise InputError(f"{self.place}: the files changed while they were read; start again")
        if name not in self._remembered:
            self._remembered[name] = column.take(self.sampled_rows)
        return column

    def _sample(self, rows: NDArray[np.int64]) -> Any:  # noqa: ARG002 - `read` remembers them
        import pyarrow as pa

        # What is compared has been read before.
        for name in self.names:
            if name not in self._remembered:
                self.read(name)
        return pa.table({name: self._remembered[name] for name in self.names})


class PolarsColumns(RemoteTable):
    """A query of polars that has not run yet.

    Parameters
    ----------
    frame : polars.LazyFrame
        The query; it runs once for every column.
    """

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        # The library is loaded, because the query comes from it.
        self._errors = (sys.modules["polars"].exceptions.PolarsError, nw.exceptions.NarwhalsError, OSError)
        try:
            self.names = check_folded(frame.collect_schema().names(), self.place, folds=False)
        except self._errors as error:
            raise self._failed(error, "counting rows") from None
        counted = self._collected(nw.from_native(frame).select(nw.len()), "counting rows")
        self.n_rows = int(counted.column(0)[0].as_py())

    @property
    def place(self) -> str:
        """What errors call the query."""
        return "the LazyFrame"

    def _collected(self, query: Any, doing: str) -> Any:
        try:
            return query.collect(engine="streaming").to_arrow()
        except self._errors as error:
            raise self._failed(error, doing) from None

    def read(self, name: str) -> Any:
        """Run the query for one column."""
        query = nw.from_native(self._frame).select(nw.col(name))
        return self._collected(query, f"reading column {shown(name)}").column(0)

    def _sample(self, rows: NDArray[np.int64]) -> Any:
        # One query for all columns: a query may give its rows in another order each time.
        numbered = nw.from_native(self._frame.with_row_index(_ROW))
        return self._collected(numbered.filter(nw.col(_ROW).is_in(rows.tolist())).drop(_ROW), "drawing rows")


class DuckColumns(RemoteTable):
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
        self.n_rows = int(self._answer("SELECT count(*) FROM rows", "counting rows").column(0)[0].as_py())

    @property
    def place(self) -> str:
        """What errors call the table."""
        return self._place

    def _answer(self, question: str, doing: str) -> Any:
        import duckdb

        try:
            with _ONE_AT_A_TIME:
                return self._relation.query("rows", question).to_arrow_table()
        except (duckdb.Error, OSError, ValueError) as error:
            raise self._failed(error, doing) from None

    def read(self, name: str) -> Any:
        """Ask for one column."""
        question = f"SELECT {_quoted(name)} FROM rows"  # noqa: S608 - quoted
        return self._answer(question, f"reading column {shown(name)}").column(0)

    def _sample(self, rows: NDArray[np.int64]) -> Any:
        if len(rows) == self.n_rows:
            return self._answer("SELECT * FROM rows", "reading rows")
        # One question for all columns: a query may give its rows in another order each time.
        return self._answer(_DRAWN, "drawing rows")


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

    def _sample(self, rows: NDArray[np.int64]) -> Any:
        return self._source.sample.take(rows)


def as_remote(obj: object, name: str = "table") -> RemoteTable | None:
    """Return the columns of a table that is not in memory; None for all others.

    Parameters
    ----------
    obj : polars.LazyFrame, duckdb relation, pyarrow Dataset, RemoteTable, or anything else
        What the user gave.
    name : str
        What errors call it.
    """
    if isinstance(obj, RemoteTable):
        return obj
    library, kind = type(obj).__module__.split(".")[0].strip("_"), type(obj).__name__
    if library == "polars" and kind == "LazyFrame":
        return PolarsColumns(obj)
    if library in ("duckdb", "duckdb._duckdb") and kind == "DuckDBPyRelation":
        return DuckColumns(obj)
    if library == "pyarrow" and kind.endswith("Dataset"):
        return FileColumns(obj, name)
    return None


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


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'

"""Tables in Spark: rows stay on the cluster, counts and sums come back.

Numbers are cut into ranges of values on the workers, all columns in one pass over each table; equal ranges of both
tables meet in a shuffle of compact pieces, and are kept there until their record is made. What looks at several columns
of a row together sees a random sample, as for all tables that are not in memory.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shiftproof.core import SAMPLE, InputError, Phrase, RemoteTable, Table, as_table, check_folded, fault, shown
from shiftproof.data import Kind, is_called_identifier
from shiftproof.stats import Record, Scale
from shiftproof.warehouse import _runs
from shiftproof.warehouse._records import Facts, PlannedColumn, compare_in_engine, plan_columns
from shiftproof.warehouse._runs import Bins, ColumnFacts, ColumnPlan

_INTEGERS = ("tinyint", "smallint", "int", "bigint")
#: Tests and estimates use the scores of at most so many rows: their sampling error is below a thousandth.
SCORED = 1_000_000
# A sample of a known share has this many rows, give or take four standard deviations.
_SPARE = 4
# Of a column whose sample looks like identifiers, so large a share must differ in the whole table as well.
_NEARLY_ALL = 0.95
# How far the number of different values may be off; it decides only whether a column is tested.
_COUNTING_ERROR = 0.02


class SparkColumns(RemoteTable):
    """A DataFrame of Spark.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        The rows; a query runs three times: to count, to draw a sample, and to be compared.
    """

    keeps_order = True

    def __init__(self, frame: Any) -> None:
        self.frame = frame
        self.names = check_folded(frame.columns, self.place, folds=True)
        self.n_rows = int(self.profile["rows"])

    @property
    def place(self) -> str:
        """The name of the table in error messages."""
        return "the Spark DataFrame"

    @cached_property
    def types(self) -> dict[str, str]:
        """The type of each column, as Spark writes it."""
        return dict(self.frame.dtypes)

    @cached_property
    def profile(self) -> dict[str, Any]:
        """What one pass says about all rows: how many there are, and what shows whether columns identify them."""
        from pyspark.sql import functions as sql

        asked = [sql.count(sql.lit(1)).alias("rows")]
        for place, (name, kind) in enumerate(self.types.items()):
            column = sql.col(quoted(name))
            if kind == "string":
                asked += [
                    sql.count(column).alias(f"present {place}"),
                    sql.approx_count_distinct(column, _COUNTING_ERROR).alias(f"distinct {place}"),
                ]
            elif kind in _INTEGERS:
                asked += [
                    sql.count(column).alias(f"present {place}"),
                    sql.min(column).alias(f"low {place}"),
                    sql.max(column).alias(f"high {place}"),
                ]
                if is_called_identifier(name):
                    asked.append(sql.approx_count_distinct(column, _COUNTING_ERROR).alias(f"distinct {place}"))
        with spark_errors(self, "counting rows"):
            return dict(self.frame.agg(*asked).collect()[0].asDict())

    def read(self, name: str) -> Any:
        """Refuse to bring a whole column to this process."""
        raise InputError(f"{self.place}: column {shown(name)} stays on the cluster and can only be compared there")

    @cached_property
    def sampled_rows(self) -> NDArray[np.int64]:
        """Numbers of the rows of the sample, which has an order of its own."""
        return np.arange(self.sample.num_rows)

    @cached_property
    def sample(self) -> Any:
        """At most 20,000 rows, drawn at random in the cluster, as a table of Arrow."""
        return self.drawn_rows(SAMPLE)

    def drawn_rows(self, most: int, columns: Sequence[str] | None = None, *, after: int = 0) -> Any:
        """Return at most so many rows, drawn at random: always the same of the same partitions.

        Parameters
        ----------
        most : int
            All rows are returned if there are no more than this.
        columns : sequence of str, optional
            The columns; by default all.
        after : int
            Leave out the rows that a call with so many returns.
        """
        names = list(columns or self.names)
        chosen = self.frame.select(*map(quoted, names))
        if self.n_rows > most or after:
            first, last = _share_of(after, self.n_rows), _share_of(most, self.n_rows)
            draws = renamed(self.frame, names, rand(0))
            chosen = draws.where(f"draw >= {first!r} and draw < {last!r}").drop("draw")
        with spark_errors(self, "sampling rows"):
            return chosen.toArrow().rename_columns(names)

    def read_together(self, names: Sequence[str]) -> Any:
        """Return some columns of at most a million rows, those of the sample first."""
        own = self.sample.select(list(names))
        if own.num_rows == self.n_rows:
            return own
        return pa.concat_tables([own, self.drawn_rows(SCORED, names, after=SAMPLE)])

    def _sample(self, rows: NDArray[np.int64]) -> Any:
        return self.sample.take(rows)

    def kinds_of_all_rows(self, kinds: Mapping[str, Kind]) -> dict[str, Kind]:
        """Correct what a sample says about columns by what all rows say.

        Parameters
        ----------
        kinds : mapping of column to kind
            As guessed from the sample.

        Returns
        -------
        dict of column to kind
            The columns that are something else: values that differ in the sample only, or numbers that count rows.
        """
        corrected: dict[str, Kind] = {}
        if self.n_rows <= SAMPLE:
            return corrected
        for place, (name, kind) in enumerate(self.types.items()):
            present = self.profile.get(f"present {place}")
            if f"distinct {place}" in self.profile and kinds.get(name) == "identifier" and self._repeats(place):
                corrected[name] = "nominal" if kind == "string" else "continuous"
            if kind in _INTEGERS and present == self.n_rows and kinds.get(name) == "continuous":
                low, high = (self.profile[f"{end} {place}"] for end in ("low", "high"))
                values = self.sample.column(name)
                if high - low == self.n_rows - 1 and len(values.unique()) == len(values):
                    corrected[name] = "identifier"
        return corrected

    def _repeats(self, place: int) -> bool:
        return bool(self.profile[f"distinct {place}"] < _NEARLY_ALL * self.profile[f"present {place}"])


def scored_rows(table: Table, column: object) -> Table:
    """Return the rows whose scores are tested: of a Spark table at most a million, drawn at random, else all."""
    source = table.remote
    if not isinstance(source, SparkColumns) or not isinstance(column, str) or column not in table.names:
        return table
    return as_table(source.drawn_rows(SCORED, [column]))


class SparkRanges:
    """Ranges of values of some columns, joined on the cluster and kept on its disks until all is known of them.

    Parameters
    ----------
    table : SparkColumns
        What errors name.
    pieces : pyspark.sql.DataFrame
        The sorted pieces of all columns, as `cut` returns them.
    plans : sequence of ColumnPlan
        How columns are cut.
    """

    def __init__(self, table: SparkColumns, pieces: Any, plans: Sequence[ColumnPlan]) -> None:
        self._table, self._plans = table, plans
        self.joined = pieces.groupBy("place", "range").applyInArrow(sent(partial(_runs.join, plans=plans)), _runs.RUNS)

    def __enter__(self) -> SparkRanges:
        from pyspark import StorageLevel

        self.joined = self.joined.persist(StorageLevel.DISK_ONLY)
        return self

    def __exit__(self, *error: object) -> None:
        # A cluster that died has nothing left to release.
        with suppress(*spark_error_types()):
            self.joined.unpersist()

    def facts(self) -> Facts:
        """Return what is in each range."""
        with spark_errors(self._table, "comparing columns"):
            return _by_place(self.joined.select("place", "range", "facts"))

    def mapped(self, work: Callable[..., Iterator[Any]], columns: Mapping[int, Any]) -> Facts:
        """Let workers look at the ranges of some columns."""
        if not columns:
            return {}
        with spark_errors(self._table, "comparing columns"):
            chosen = self.joined.select("place", "range", "body")
            on_worker = sent(partial(work, plans=self._plans, columns=columns))
            return _by_place(chosen.mapInArrow(on_worker, _runs.FACTS))

    def categories(self, places: Sequence[int]) -> Mapping[int, Sequence[bytes]]:
        """Return the counted categories of some columns."""
        from pyspark.sql import functions as sql

        bodies: defaultdict[int, list[bytes]] = defaultdict(list)
        with spark_errors(self._table, "counting categories"):
            rows = self.joined.where(sql.col("place").isin(list(places))).select("place", "body").toArrow()
        for place, body in zip(rows.column("place").to_pylist(), rows.column("body").to_pylist(), strict=True):
            if body:
                bodies[place].append(body)
        return bodies


class SparkRounds:
    """The rounds over ranges of values of two tables, as jobs of Spark.

    Parameters
    ----------
    ranges : SparkRanges
        The ranges of both tables.
    """

    def __init__(self, ranges: SparkRanges) -> None:
        self._ranges = ranges

    def join(self) -> Facts:
        """Cut both tables, let equal ranges meet, and return what is in each."""
        return self._ranges.facts()

    def measure(self, columns: Mapping[int, ColumnFacts]) -> Facts:
        """Measure the ranges of columns of numbers."""
        return self._ranges.mapped(_runs.measure, columns)

    def recount(self, columns: Mapping[int, tuple[Sequence[Any], Bins | None]]) -> Facts:
        """Count on cells and bins that follow from the first measurement."""
        return self._ranges.mapped(_runs.recount, columns)

    def categories(self, places: Sequence[int]) -> Mapping[int, Sequence[bytes]]:
        """Return the counted categories of some columns."""
        return self._ranges.categories(places)


@dataclass(frozen=True)
class SparkPair:
    """Two tables of Spark that are compared with each other."""

    old: SparkColumns
    new: SparkColumns

    def correct_kinds(self, kinds: Mapping[str, Kind]) -> dict[str, Kind]:
        """Correct what samples say about columns by what all rows say; the reference decides."""
        return self.old.kinds_of_all_rows(kinds)

    def compare(self, scales: Mapping[str, Scale]) -> dict[str, Record]:
        """Make the records of some columns on the cluster."""
        samples = [Table(table.names, table.n_rows, table).drawn() for table in (self.old, self.new)]
        columns = plan_columns(samples[0], samples[1], scales, self.old.n_rows + self.new.n_rows)
        with self.ranges(columns) as ranges:
            return compare_in_engine(columns, SparkRounds(ranges))

    def ranges(self, columns: Sequence[PlannedColumn]) -> SparkRanges:
        """Plan the only pass over the rows of both tables that compares them."""
        plans, names = [column.plan for column in columns], [column.name for column in columns]
        old, new = (
            renamed(table.frame, names).mapInArrow(sent(partial(_runs.cut, plans=plans, side=side)), _runs.PIECES)
            for side, table in enumerate((self.old, self.new))
        )
        return SparkRanges(self.old, old.union(new), plans)


def on_spark(tables: tuple[Table, Table] | None) -> SparkPair | None:
    """Return both tables if they are in Spark, else None."""
    sources = [table.remote for table in tables or ()]
    old, new = sources if sources else (None, None)
    return SparkPair(old, new) if isinstance(old, SparkColumns) and isinstance(new, SparkColumns) else None


def open_frame(obj: object) -> object:
    """Wrap a DataFrame of Spark, and return everything else as it is."""
    return SparkColumns(obj) if is_spark(obj) else obj


def check_one_engine(old: Table, new: Table, names: tuple[str, str]) -> None:
    """Refuse two tables of which only one is in Spark: no rows move to or from a cluster."""
    one, other = (isinstance(table.remote, SparkColumns) for table in (old, new))
    if one != other:
        there, here = names if one else names[::-1]
        hint = "write it with spark.createDataFrame(...) or read it with spark.read first"
        raise fault(here, f"be a Spark DataFrame, as {there} is", Phrase("a table that is not one"), hint)


def is_spark(obj: object) -> bool:
    """Return whether this is a DataFrame of Spark, of a session in this process or of a server (Spark Connect)."""
    return type(obj).__module__.startswith("pyspark.sql") and type(obj).__name__ == "DataFrame"


def quoted(name: str) -> str:
    """Quote a name for Spark, in which a dot would mean a field of a struct.

    Examples
    --------
    >>> quoted("a.b`c")
    '`a.b``c`'
    """
    return "`" + name.replace("`", "``") + "`"


def renamed(frame: Any, names: Sequence[str], *more: Any) -> Any:
    """Choose columns and call them by their places: Spark cannot pass every name on to a worker."""
    from pyspark.sql import functions as sql

    return frame.select(*(sql.col(quoted(name)).alias(f"c{place}") for place, name in enumerate(names)), *more)


def rand(seed: int) -> Any:
    """Return a column of random numbers, called draw: the same ones for the same partitions."""
    from pyspark.sql import functions as sql

    return sql.rand(seed).alias("draw")


def _share_of(rows: int, n_rows: int) -> float:
    """Return the share of rows to draw, so that hardly ever more than `rows` are drawn."""
    return max(rows - _SPARE * math.sqrt(rows), 0.0) / n_rows


def sent(work: Any) -> Any:
    """Let a function go to the workers with its code: they need NumPy and pyarrow, but not shiftproof."""
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(_runs)

    # Spark looks at the parameters of a function, which a partial one hides.
    def on_worker(rows: Any) -> Any:
        return work(rows)

    on_worker.__module__ = "__main__"
    return on_worker


def spark_error_types() -> tuple[type[Exception], ...]:
    """Return what Spark raises: for a query, and for a connection or a cluster that is gone."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    return PySparkException, Py4JError, OSError, EOFError, AttributeError, ValueError


@contextmanager
def spark_errors(table: RemoteTable, doing: str) -> Iterator[None]:
    """Turn whatever Spark reports into one sentence."""
    try:
        yield
    except InputError:
        raise
    except spark_error_types() as error:
        raise InputError(f"{table.place}: {doing} failed ({_reason(error)}); nothing was compared") from None


def _reason(error: Exception) -> str:
    """Return what went wrong: of an error on a worker its last line, else the first line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    missing = next((line for line in lines if line.startswith("ModuleNotFoundError")), None)
    if missing is not None:
        needed = "shiftproof" if "shiftproof" in missing else "NumPy and pyarrow"
        return f"a worker has {missing.split(': ')[-1].lower()}; install {needed} on all workers"
    # An error of ours on a worker, behind lines of a traceback.
    own = next((line for line in lines if line.startswith("ValueError: a worker has shiftproof")), None)
    return lines[0].rstrip(".") if own is None else own.removeprefix("ValueError: ")


def _by_place(frame: Any) -> Facts:
    facts: defaultdict[int, dict[int, Any]] = defaultdict(dict)
    rows = frame.toArrow()
    for place, number, text in zip(*(rows.column(name).to_pylist() for name in rows.column_names), strict=True):
        facts[place][number] = json.loads(text)
    return facts

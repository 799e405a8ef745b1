"""The file that a monitor compares with, and the options about it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from shiftproof.cli._cut import check_columns, gaps
from shiftproof.cli._elsewhere import read_one
from shiftproof.cli._job import Job
from shiftproof.cli._options import Every, kinds_by_column
from shiftproof.cli._tables import known_label
from shiftproof.core import InputError, counted

if TYPE_CHECKING:
    from shiftproof.core import Table
    from shiftproof.monitoring import Baseline

Season = Literal["weekday", "hour-of-week"]
# The arguments of a baseline whose options have other names than in all other commands.
_OPTIONS = {"key": "--key", "labels": "--target", "reference": "--reference", "scores": "--score-column"}


@dataclass(frozen=True, kw_only=True)
class ReferenceFile:
    """Options about the rows that a model was validated on.

    Parameters
    ----------
    reference : FILE
        The rows that the model was validated on: CSV, CSV.gz or Parquet; a folder or a quoted pattern of Parquet files,
        read as one table; or duckdb://FILE?table=NAME.
    score_column : COL
        The column with the model's probabilities of the positive class; every batch must have it too. The model must
        not have been trained on these rows. Can be repeated: one column per class.
    target : COL
        The label column of this file. Without it, accuracy and class proportions are not estimated, and there is no
        harm alarm.
    key : COL
        A column that identifies rows, such as a customer number. It makes sure that the same rows always give the same
        baseline. The column is not compared.
    time : COL
        A column of dates or periods. With at least 10 periods, alarms account for the fact that rows of the same period
        resemble each other. The column is not compared.
    every : LENGTH
        The length of each --time period: day, week, month, quarter or year; ideally the length of a batch.
    season : weekday|hour-of-week
        Compare rows with baseline rows from the same weekday or the same hour of the week, according to the --time
        column. If a batch lacks this column, its --at time is used.
    exclude : COL
        A column to leave out of the comparison; can be repeated.
    by : COL
        A column of categories, such as the country. The rows of each value are also monitored separately; the overall
        probability of a false alarm stays the same. This covers the 20 most frequent values with at least 200 rows
        each; all other values form one more group.
    hash_categories
        Store category names only as salted hashes.
    """

    reference: Path
    score_column: list[str] | None = None
    target: str | None = None
    positive: str | None = None
    key: str | None = None
    time: str | None = None
    every: Every | None = None
    season: Season | None = None
    by: str | None = None
    exclude: list[str] | None = None
    missing: list[str] | None = None
    kind: list[str] | None = None
    hash_categories: bool = False
    seed: int = 0

    def baseline(self, job: Job) -> Baseline:
        """Read the file and make a baseline of it."""
        from shiftproof.monitoring import Baseline

        if self.every is not None and self.time is None:
            raise InputError("--every needs --time; name the column of dates")
        if self.season is not None and self.time is None:
            raise InputError("--season needs --time; name the column of dates")
        with job.stage("reading"):
            rows = read_one(self.reference, self.missing)
        columns = {"--target": self.target, "--key": self.key, "--time": self.time, "--by": self.by}
        for option, names in (columns | {"--score-column": self.score_column, "--exclude": self.exclude}).items():
            check_columns(option, names, rows.names)
        scores, labels = self.score_column or [], self._labels(rows)
        with job.stage(f"counting {counted(rows.n_rows, 'row')}"), _named_as_options():
            return Baseline.of(
                rows,
                # One column has the probabilities of one class, several have those of all classes.
                scores=scores[0] if len(scores) == 1 else scores or None,
                labels=self.target,
                key=self.key,
                time=self.time,
                every=self.every,
                season=self.season,
                by=self.by,
                exclude=self.exclude,
                kinds=kinds_by_column(self.kind),
                pos_label=None if self.target is None else known_label(self.positive, labels),
                redact=self.hash_categories,
                random_state=self.seed,
            )

    def _labels(self, rows: Table) -> list[Any]:
        """Return the classes; every row must have one."""
        if self.target is None:
            return []
        counts, missing = rows.column(self.target).counts()
        if missing:
            raise gaps("--target", self.target, missing, rows.n_rows, "drop or label these rows first")
        return list(counts)


@contextmanager
def _named_as_options() -> Iterator[None]:
    """Call the arguments of a baseline by their options."""
    try:
        yield
    except InputError as error:
        if error.name in _OPTIONS:
            raise error.renamed(error.name, _OPTIONS[error.name]) from None
        raise

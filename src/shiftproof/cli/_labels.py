"""Labels of new rows: those that have arrived, and which rows to label next."""

from __future__ import annotations

import math
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shiftproof.cli._tables import FileTables, read_file
from shiftproof.core import InputError, Phrase, Sensitive, fault, listed, shown

if TYPE_CHECKING:
    import pandas as pd

    from shiftproof.cli._job import Job
    from shiftproof.selection import LabelPlan, Performance

#: Labels by the number of the new row, counted from 0.
Labels = dict[int, Any]

# What a plan says of each row; its last column is for the labels.
_COLUMNS = ("row", "line", "stratum")


@dataclass(frozen=True, kw_only=True)
class Labelling:
    """Options about labels of new rows.

    Parameters
    ----------
    labels : FILE
        Labels of some new rows, for better estimates: the file of --plan with its label column filled in; a table with
        the columns row (counted from 0) and --target; or NEW, if some of its rows have labels.
    plan : FILE
        Write to this file which new rows to label next: CSV, with an empty column for the labels.
    plan_rows : N
        How many rows to label; default: as many as an interval of plus or minus the tolerance (0.05 by default)
        needs.
    """

    labels: Path | None = None
    plan: Path | None = None
    plan_rows: int | None = None

    def read(self, job: Job, tables: FileTables, missing: list[str] | None) -> Labels | None:
        """Return labels of new rows by row number; None without --labels, or while the file has none."""
        self._check_count(len(tables.pair.new))
        if self.labels is None:
            return None
        if self.is_new(tables):
            known = tables.new_labels("--labels", "add it, empty where the label is unknown").dropna()
        else:
            labels = _by_row(read_file(self.labels, missing), self.labels.name, tables)
            known = labels.dropna()
            if 0 < len(known) < len(labels):
                job.note(
                    f"{self.labels.name} has labels in {len(known):,} of {len(labels):,} rows; the rest is unused."
                )
        if not len(known):
            job.note(f"{self.labels.name} has no labels yet, so --labels changes nothing.")
        return dict(zip(known.index.tolist(), known.tolist(), strict=True)) or None

    def _check_count(self, new_rows: int) -> None:
        """Refuse a number of rows that no plan can have; the plan itself is drawn after minutes."""
        from shiftproof.selection import FEWEST

        if self.plan_rows is not None and not min(FEWEST, new_rows) <= self.plan_rows <= new_rows:
            rule = f"be from {min(FEWEST, new_rows):,} to {new_rows:,}, the number of new rows"
            raise fault("--plan-rows", rule, self.plan_rows, "100 is a good start")

    def is_new(self, tables: FileTables) -> bool:
        """Return whether --labels names the file of the new rows."""
        new = tables.pair.file
        if self.labels is None or self.labels == new:
            return self.labels == new
        return self.labels.is_file() and new.is_file() and os.path.samefile(self.labels, new)

    def draw(
        self, job: Job, performance: Performance, model: str, *, seed: int, tolerance: float = 0.05
    ) -> LabelPlan | None:
        """Draw the rows to label next; if there is nothing to plan though --plan is given, say why."""
        if performance.all_labelled:
            if self.plan is not None:
                job.note("nothing was planned: every new row has a label already.")
            return None
        try:
            return performance.plan(self.plan_rows, model=model, tolerance=tolerance, random_state=seed)
        except InputError as error:
            raise error.renamed("count", "--plan-rows") from None

    def write(self, job: Job, drawn: LabelPlan | None, strata: Any, known: Labels | None, tables: FileTables) -> None:
        """Write the rows to label, after those whose labels are known, so that one file serves --labels again."""
        if self.plan is None or drawn is None:
            return
        import pandas as pd

        from shiftproof.reporting import write_whole

        labels, lines = known or {}, tables.pair.new_lines()
        rows = [*labels, *drawn.rows.tolist()]
        columns = {
            "row": rows,
            "line": ["" if lines is None else str(lines[row]) for row in rows],
            "stratum": [int(strata[row]) for row in rows],
            _label_column(tables.target): [labels.get(row, "") for row in rows],
        }
        write_whole(self.plan, pd.DataFrame(columns).to_csv(index=False, lineterminator="\n"))
        job.wrote("rows to label", self.plan)

    def how_to(self, tables: FileTables) -> str:
        """Say how to get from the plan to better estimates."""
        column = shown(_label_column(tables.target))
        if self.plan is None:
            # The file that holds the labels so far is not written over.
            file = "rows.csv" if self.labels is None or self.labels.name != "rows.csv" else "more-rows.csv"
            use = f"add --labels {file}"
            if self.labels is not None:
                use = f"pass --labels {file} instead of {self.labels.name}"
            return f"Add --plan {file} to list them, fill in column {column} there, then {use}."
        return f"They are in {self.plan}: fill in column {column}, then pass that file to --labels."


def _label_column(target: str) -> str:
    """Return the name of the column of labels in a plan: as in LABELLED, unless the plan has such a column already."""
    return "label" if target in _COLUMNS else target


def _by_row(frame: pd.DataFrame, file: str, tables: FileTables) -> pd.Series[Any]:
    """Return the labels of a file by the number of the new row."""
    column = _label_column(tables.target)
    if column not in frame.columns:
        raise fault("--labels", f"find labels in {file}", Phrase(f"no column {shown(column)}"), "add it")
    labels = tables.known_labels(frame[column], "--labels", file)
    # A feature of NEW called "row" does not hold row numbers, except in a plan, which has columns of its own.
    is_plan = {*_COLUMNS} <= {*frame.columns}
    if is_plan or ("row" in frame.columns and "row" not in tables.pair.new.columns):
        return labels.set_axis(_row_numbers(frame["row"], file, len(tables.pair.new)))
    if len(frame) != len(tables.pair.new):
        got = Phrase(f"{len(frame):,} for {len(tables.pair.new):,} new rows")
        # Where "row" is a feature, it does not say which row is meant.
        columns = f"the columns {listed(_COLUMNS)}" if "row" in frame.columns else "a column 'row'"
        raise fault("--labels", f"have {columns}, or one row per new row", got, "--plan writes such a file")
    return labels


def _row_numbers(column: pd.Series[Any], file: str, count: int) -> list[int]:
    """Return the row numbers of a file of labels, each of them once."""
    rows: list[int] = []
    for row in column.tolist():
        if not isinstance(row, (int, float)) or not math.isfinite(row) or row != int(row) or not 0 <= row < count:
            got = Phrase(Sensitive(shown(row)), f" in {file}")
            raise fault("--labels", f"name new rows by numbers from 0 to {count - 1:,}", got, "they are counted from 0")
        rows.append(int(row))
    repeated = next((row for row, times in Counter(rows).items() if times > 1), None)
    if repeated is not None:
        raise fault("--labels", "name every row once", Phrase(f"{repeated} twice in {file}"), "keep one of them")
    return rows

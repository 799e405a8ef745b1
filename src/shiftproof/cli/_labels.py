"""Labels of new rows: those that have arrived, and which rows to label next."""

from __future__ import annotations

import math
import os
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shiftproof.cli._cut import read_file, refuse_gaps
from shiftproof.cli._elsewhere import ScoredElsewhere, refuse_elsewhere
from shiftproof.cli._tables import FileTables, cell_text
from shiftproof.core import (
    InputError,
    Phrase,
    Sensitive,
    available_names,
    counted,
    fault,
    is_missing,
    is_number,
    listed,
    shown,
    similar,
)

if TYPE_CHECKING:
    import pandas as pd

    from shiftproof.cli._job import Job
    from shiftproof.selection import LabelPlan, Performance

#: Labels by the number of the new row, counted from 0.
Labels = dict[int, Any]

# What a plan says of each row; its last column is for the labels.
_COLUMNS = ("row", "line", "stratum")
# Numbers that differ by less are the same, written with fewer digits.
_ROUNDED = 1e-6
# Labels that narrow the interval by less than this share of its width are not worth the work.
_LEAST_GAIN = 0.2


@dataclass(frozen=True, kw_only=True)
class KnownLabels:
    """Options about labels of new rows that are known."""

    labels: Path | None = None
    id: str | None = None

    def read(self, job: Job, tables: FileTables | ScoredElsewhere, missing: list[str] | None) -> Labels | None:
        """Return labels of new rows by row number; None without --labels, or while the file has none."""
        if isinstance(tables, ScoredElsewhere):
            # Rows of a query have no numbers.
            refuse_elsewhere({"--labels": self.labels})
            return None
        from shiftproof.reporting import written_frame

        rows_by_id = self._rows_by_id(tables)
        if self.labels is None:
            return None
        if self.is_new(tables):
            known = tables.new_labels("--labels", "add it, and leave it empty where the label is unknown").dropna()
        else:
            frame, file = written_frame(read_file(self.labels, missing)), self.labels.name
            column = _column_of(frame, _label_column(tables.target), file, "which should hold the labels")
            labels = tables.known_labels(column, file)
            if self.id is None or rows_by_id is None:
                labels = _by_row(labels, frame, file, tables)
            else:
                labels = _by_id(labels, _column_of(frame, self.id, file, "which --id names"), rows_by_id, file, job)
            known = labels.dropna()
            if 0 < len(known) < len(labels):
                job.note_now(
                    f"{file} has labels for {len(known):,} of {len(labels):,} rows; the other rows are ignored."
                )
        self._note_few(job, len(known), len(tables.pair.new))
        return dict(zip(known.index.tolist(), known.tolist(), strict=True)) or None

    def _note_few(self, job: Job, n_labels: int, n_new: int) -> None:
        """Say at once that labels are too few to be used: the answer comes after minutes."""
        from shiftproof.case import FEWEST_LABELS

        file = "" if self.labels is None else self.labels.name
        if not n_labels:
            job.note_now(f"{file} has no labels yet, so --labels changes nothing.")
        elif n_labels < min(FEWEST_LABELS, n_new):
            job.note_now(
                f"{file} has {counted(n_labels, 'label')}, which is too few to use; provide at least {FEWEST_LABELS}."
            )

    def _rows_by_id(self, tables: FileTables) -> dict[str, int] | None:
        """Return the number of each new row by the value in the column --id; refuse values that occur twice."""
        if self.id is None:
            return None
        if self.id in (*_COLUMNS, tables.target):
            raise InputError(
                f"--id {self.id} cannot be used, because --plan writes a column with this name; rename the column "
                "in NEW"
            )
        column = tables.pair.new[self.id]
        refuse_gaps("--id", column, of="NEW")
        rows: dict[str, int] = {}
        for row, cell in enumerate(column.tolist()):
            if (text := cell_text(cell)) in rows:
                where = f" in rows {rows[text] + 1:,} and {row + 1:,}"
                got = Phrase(f"{shown(self.id)} with ", Sensitive(shown(cell)), where)
                hint = "choose a column such as a customer number"
                raise fault("--id", "name a column with a different value in every row of NEW", got, hint)
            rows[text] = row
        return rows

    def is_new(self, tables: FileTables | ScoredElsewhere) -> bool:
        """Return whether --labels names the file of the new rows."""
        return isinstance(tables, FileTables) and self.is_file(tables.pair.file)

    def is_file(self, file: Path) -> bool:
        """Return whether --labels names this file."""
        if self.labels is None or self.labels == file:
            return self.labels is not None
        return self.labels.is_file() and file.is_file() and os.path.samefile(self.labels, file)


@dataclass(frozen=True, kw_only=True)
class Labelling(KnownLabels):
    """Options about labels of new rows: those that are known, and which rows to label next.

    Parameters
    ----------
    plan : FILE
        Write the rows that should be labelled to this CSV file, with an empty column for the labels.
    plan_rows : N
        Number of rows to label. Default: enough for an interval of plus or minus the tolerance (0.05 by default).
    """

    plan: Path | None = None
    plan_rows: int | None = None

    def read(self, job: Job, tables: FileTables | ScoredElsewhere, missing: list[str] | None) -> Labels | None:
        """Return the labels, after checking the plan."""
        if isinstance(tables, ScoredElsewhere):
            # A plan for millions of rows is of no use.
            refuse_elsewhere({"--labels": self.labels, "--plan": self.plan, "--plan-rows": self.plan_rows})
            return None
        self._check_count(len(tables.pair.new))
        self._refuse_to_lose_labels(_label_column(tables.target), missing)
        return KnownLabels.read(self, job, tables, missing)

    def _check_count(self, new_rows: int) -> None:
        """Refuse a number of rows that no plan can have; the plan itself is drawn after minutes."""
        from shiftproof.case import FEWEST_LABELS

        if self.plan_rows is not None and not min(FEWEST_LABELS, new_rows) <= self.plan_rows <= new_rows:
            rule = f"be from {min(FEWEST_LABELS, new_rows):,} to {new_rows:,} (the number of new rows)"
            raise fault("--plan-rows", rule, self.plan_rows, "100 is a good start")

    def _refuse_to_lose_labels(self, column: str, missing: list[str] | None) -> None:
        """Refuse to write over an earlier plan that somebody has filled in."""
        from shiftproof.reporting import written_frame

        if self.plan is None or not self.plan.is_file():
            return
        try:
            earlier = written_frame(read_file(self.plan, missing))
        except InputError:
            return  # not a plan
        known = int(earlier[column].notna().sum()) if column in earlier else 0
        if known:
            got = Phrase(f"{self.plan.name} with {counted(known, 'label')}")
            raise fault("--plan", "not write over labels", got, "pass that file to --labels, and another to --plan")

    def draw(
        self, job: Job, performance: Performance, model: str, *, seed: int, tolerance: float = 0.05
    ) -> LabelPlan | None:
        """Draw the rows to label next; if there is nothing to plan though --plan is given, say why."""
        if performance.all_labelled:
            if self.plan is not None:
                job.note("there is nothing to label: every new row already has a label.")
            return None
        try:
            return performance.plan(self.plan_rows, model=model, tolerance=tolerance, random_state=seed)
        except InputError as error:
            raise error.renamed("count", "--plan-rows") from None

    def advised(self, drawn: LabelPlan | None) -> LabelPlan | None:
        """Return the rows to label if a plan was requested, or if their labels would narrow the interval noticeably."""
        # NaN, where there is no interval yet, compares false.
        little = drawn is not None and drawn.expected_width > (1 - _LEAST_GAIN) * drawn.width
        return None if little and self.plan is None and self.plan_rows is None else drawn

    def write(
        self,
        job: Job,
        drawn: LabelPlan | None,
        strata: Any,
        known: Labels | None,
        tables: FileTables | ScoredElsewhere,
    ) -> None:
        """Write the rows to label, after those whose labels are known, so that one file serves --labels again."""
        if self.plan is None or drawn is None or isinstance(tables, ScoredElsewhere):
            return
        import pandas as pd

        from shiftproof.reporting import write_csv

        labels, lines = known or {}, tables.pair.new_lines()
        rows = [*labels, *drawn.rows.tolist()]
        columns = {} if self.id is None else {self.id: tables.pair.new[self.id].iloc[rows].tolist()}
        columns |= {
            "row": rows,
            "line": ["" if lines is None else str(lines[row]) for row in rows],
            "stratum": [int(strata[row]) for row in rows],
            _label_column(tables.target): [labels.get(row, "") for row in rows],
        }
        write_csv(self.plan, pd.DataFrame(columns))
        job.wrote("rows to label", self.plan)

    def how_to(self, tables: FileTables | ScoredElsewhere) -> str:
        """Say how to get from the plan to better estimates."""
        column = shown(_label_column(tables.target))
        # Without --id, the same rows would be found by their numbers, which change with the order of NEW.
        key = "" if self.id is None else f" --id {shlex.quote(self.id)}"
        if self.plan is None:
            # The file that holds the labels so far is not written over.
            file = "rows.csv" if self.labels is None or self.labels.name != "rows.csv" else "more-rows.csv"
            use = f"add --labels {file}{key}"
            if self.labels is not None:
                use = f"pass --labels {file}{key} instead of {self.labels.name}"
            return f"To list these rows, add --plan {file}. Fill in column {column} in that file, then {use}."
        file = shlex.quote(str(self.plan))
        # A second run with --plan would refuse to write over the labels.
        earlier = "" if self.labels is None or self.labels == self.plan else f" and --labels {self.labels.name}"
        return (
            f"They are listed in {self.plan}. Fill in column {column}, then pass --labels {file}{key} "
            f"instead of --plan{earlier}."
        )


def _label_column(target: str) -> str:
    """Return the name of the column of labels in a plan: as in LABELLED, unless the plan has such a column already."""
    return "label" if target in _COLUMNS else target


def _column_of(frame: pd.DataFrame, column: str, file: str, why: str) -> pd.Series[Any]:
    """Return a column of a file of labels, or refuse the file with the name that was probably meant."""
    if column in frame.columns:
        return frame[column]
    near = similar(column, frame.columns)
    hint = "" if near else f"; {available_names(frame.columns)}"
    raise InputError(f"{file} has no column {shown(column)}, {why}{hint}", near=near)


def _by_id(
    labels: pd.Series[Any], ids: pd.Series[Any], rows_by_id: Mapping[str, int], file: str, job: Job
) -> pd.Series[Any]:
    """Return the labels of rows that NEW has, by the number of the row; say how many it lacks."""
    texts = [cell_text(cell) for cell in ids.tolist()]
    _refuse_repeated(texts, str(ids.name), file)
    rows = [rows_by_id.get(text, -1) for text in texts]
    strange = rows.count(-1)
    if strange == len(rows):
        raise InputError(f"no value of {shown(ids.name)} in {file} occurs in NEW; check that both are the right files")
    if strange:
        verb = "is" if strange == 1 else "are"
        job.note_now(f"{counted(strange, 'row')} of {file} {verb} not in NEW and {verb} ignored.")
    by_row = labels.set_axis(rows)
    return by_row[by_row.index >= 0]


def _by_row(labels: pd.Series[Any], frame: pd.DataFrame, file: str, tables: FileTables) -> pd.Series[Any]:
    """Return the labels of a file by the number of the new row."""
    # A feature of NEW called "row" does not hold row numbers, except in a plan, which has columns of its own.
    is_plan = {*_COLUMNS} <= {*frame.columns}
    if is_plan or ("row" in frame.columns and "row" not in tables.pair.new.columns):
        rows = _row_numbers(frame["row"], file, len(tables.pair.new))
        _refuse_other_rows(frame, rows, file, tables)
        return labels.set_axis(rows)
    if len(frame) != len(tables.pair.new):
        # Where "row" is a feature, it does not say which row is meant.
        columns = (
            f"the columns {listed(_COLUMNS)} of a plan"
            if "row" in frame.columns
            else "a column 'row' that counts from 0"
        )
        raise InputError(
            f"{file} has {counted(len(frame), 'row')} and NEW has {len(tables.pair.new):,}, so rows cannot be matched; "
            f"pass --id COL if a column identifies them, or add {columns}"
        )
    _refuse_other_rows(frame, range(len(frame)), file, tables)
    return labels


def _refuse_other_rows(frame: pd.DataFrame, rows: Sequence[int], file: str, tables: FileTables) -> None:
    """Refuse labels by row number if a column that NEW has too shows that they belong to other rows."""
    new, contradictions = tables.pair.new, []
    for name in frame.columns:
        if name in (*_COLUMNS, tables.target, _label_column(tables.target)) or name not in new.columns:
            continue
        pairs = zip(frame[name].tolist(), new[name].iloc[list(rows)].tolist(), strict=True)
        place = next((at for at, (ours, theirs) in enumerate(pairs) if not _alike(ours, theirs)), None)
        if place is not None:
            identifies = bool(new[name].is_unique and new[name].notna().all())
            contradictions.append((not identifies, name, place))
    if not contradictions:
        return
    # A column that identifies the rows is also the way out.
    unclear, name, place = min(contradictions, key=lambda contradiction: contradiction[0])
    hint = f"pass --id {shlex.quote(str(name))} to match rows by this column"
    if unclear:
        hint = f"pass --id COL if a column identifies the rows; if the order is right, remove {shown(name)} from {file}"
    row = rows[place]
    raise InputError(
        f"{shown(name)} is ",
        Sensitive(shown(frame[name].iloc[place])),
        f" in row {place + 1:,} of {file}, but ",
        Sensitive(shown(new[name].iloc[row])),
        f" in row {row + 1:,} of NEW, where its label would go; {hint}",
    )


def _alike(ours: object, theirs: object) -> bool:
    """Return whether two cells may be the same value, as two programs write it.

    Examples
    --------
    >>> _alike("00123", 123), _alike("a7 ", "a7"), _alike(0.3333333, 1 / 3)
    (True, True, True)
    >>> _alike("a7", "b2"), _alike(20240131, 20240132.0)
    (False, False)
    """
    if is_missing(ours) or is_missing(theirs):
        return True
    if is_number(ours) or is_number(theirs):
        try:
            numbers = float(ours), float(theirs)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            pass  # a number and a word
        else:
            # Customer numbers are integers, and may be long.
            whole = all(number.is_integer() for number in numbers)
            return numbers[0] == numbers[1] if whole else math.isclose(*numbers, rel_tol=_ROUNDED)
    # Spreadsheets write dates and truth values in their own ways.
    elif not (isinstance(ours, str) and isinstance(theirs, str)):
        return type(ours) is not type(theirs) or ours == theirs
    return cell_text(ours).strip() == cell_text(theirs).strip()


def _row_numbers(column: pd.Series[Any], file: str, count: int) -> list[int]:
    """Return the row numbers of a file of labels, each of them once."""
    rows: list[int] = []
    for row in column.tolist():
        if not isinstance(row, (int, float)) or not math.isfinite(row) or row != int(row) or not 0 <= row < count:
            got = Phrase(Sensitive(shown(row)), f" in {file}")
            raise fault("--labels", f"give row numbers from 0 to {count - 1:,}", got, "the first row is number 0")
        rows.append(int(row))
    _refuse_repeated(rows, "row", file)
    return rows


def _refuse_repeated(values: Sequence[object], column: str, file: str) -> None:
    """Refuse labels that are given twice for the same row."""
    repeated = next((value for value, times in Counter(values).items() if times > 1), None)
    if repeated is not None:
        parts = f"{column} ", Sensitive(str(repeated)), f" occurs more than once in {file}; keep one of these rows"
        raise InputError(*parts)

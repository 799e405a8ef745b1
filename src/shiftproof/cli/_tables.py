"""The tables that a command reads: one file or two, labels, and columns of scores."""

from __future__ import annotations

import gzip
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shiftproof.cli._completion import GZIP, PARQUET
from shiftproof.core import (
    InputError,
    Phrase,
    Sensitive,
    ShiftproofWarning,
    Text,
    available_names,
    fault,
    is_missing,
    listed,
    refuse_identifiers,
    shown,
    similar,
    unknown_name,
    warn,
)

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from shiftproof.cli._job import Job
    from shiftproof.panel import Panel

# Years, months, days and times as ISO 8601 writes them.
_MOMENT = re.compile(r"\d{4}(-\d\d(-\d\d([T ]\d\d(:\d\d(:\d\d(\.\d+)?)?)?)?)?)?Z?")

# At most five columns that NEW lacks are listed, each with the option that leaves it out.
_MOST_EXCLUDED = 5
# A column of NEW that is this similar to one that it lacks is probably the same, misspelt.
_MISSPELT = 0.8
# Stands for a label that no labelled row has.
_STRANGE = object()


def check_columns(
    option: str, wanted: str | Iterable[str] | None, columns: Iterable[object], *, target: str | None = None
) -> None:
    """Refuse names that no column has; if several were joined by commas, say how to give them.

    Examples
    --------
    >>> check_columns("--exclude", ["day,label"], ["day", "label"])
    Traceback (most recent call last):
    ...
    shiftproof.core._errors.InputError: --exclude must name one column, got 'day,label'; repeat --exclude for each
    column.
    """
    names = [str(name) for name in columns]
    for name in [wanted] if isinstance(wanted, str) else wanted or ():
        if name in names:
            continue
        if name == target:
            raise fault(option, "name another column than --target", name, available_names(names))
        parts = [part.strip() for part in name.split(",")]
        if len(parts) > 1 and {*parts} <= {*names}:
            hint = "repeat --exclude for each column" if option == "--exclude" else "choose one of them"
            raise fault(option, "name one column", name, hint)
        raise unknown_name(option, "name a column", name, names)


def read_file(path: Path, missing: Sequence[str] | None = None) -> pd.DataFrame:
    """Read a table from a file, or from standard input for ``-``; these texts mean that a value is missing."""
    from shiftproof.data import read_rows

    return read_rows("/dev/stdin" if path == Path("-") else path, missing=missing)


def refuse_gaps(option: str, rule: str, column: pd.Series[Any], hint: str = "drop these rows first") -> None:
    """Refuse a column that has missing values."""
    if missing := int(column.isna().sum()):
        raise fault(option, rule, Phrase(f"{missing:,} of {len(column):,} without"), hint)


@dataclass(frozen=True, eq=False, kw_only=True)
class Pair:
    """Labelled rows and new rows.

    Parameters
    ----------
    old, new : DataFrame
        The tables.
    file : Path
        The file that holds the new rows.
    places : ndarray of int, optional
        The positions of the new rows in a file that was split; None if they have a file of their own.
    sources : pair of text
        Where the rows of both come from: the names of the files, and dates if one was split by them.
    moments : Series, optional
        When each labelled row was observed, if --time says so.
    """

    old: pd.DataFrame
    new: pd.DataFrame
    file: Path
    places: NDArray[np.intp] | None = None
    sources: tuple[Text, Text] = ("", "")
    moments: pd.Series[Any] | None = None

    def new_lines(self) -> list[int] | None:
        """Return the line of the file at which each new row begins; None if rows are not lines."""
        if self.places is None:
            return line_numbers(self.file, len(self.new))
        lines = line_numbers(self.file, len(self.old) + len(self.new))
        return None if lines is None else [lines[row] for row in self.places.tolist()]


def line_numbers(file: Path, rows: int) -> list[int] | None:
    """Return the line of a file, counted from 1, at which each row begins; None if rows are not lines."""
    if not file.is_file():  # a pipe cannot be read again
        return None
    data = file.read_bytes()
    if data.startswith(GZIP):
        data = gzip.decompress(data)
    if data.startswith(PARQUET):
        return None
    begins, quoted = [], False
    for number, line in enumerate(data.splitlines(), 1):
        if line.strip() and not quoted:
            begins.append(number)
        # A cell in quotation marks may go on in the next line.
        quoted ^= line.count(b'"') % 2 == 1
    return begins[1:] if len(begins) == rows + 1 else None


class ColumnsUnused(ShiftproofWarning):
    """Columns that only one of the two tables has were not used."""

    def __init__(self, file: str, columns: Sequence[str]) -> None:
        self.file, self.columns = file, tuple(columns)
        super().__init__(f"columns that only {file} has were not used: {listed(columns)}.")


@dataclass(frozen=True, kw_only=True)
class Cut:
    """Options that split one file into two tables, and leave columns out.

    Parameters
    ----------
    time : COL
        With --split and one file: the column of dates or numbers to split by. It is not used as a feature.
    split : DATE
        Split one file by --time: rows from this date or number on are the new data.
    """

    time: str | None = None
    split: str | None = None
    exclude: list[str] | None = None
    missing: list[str] | None = None

    @property
    def excluded(self) -> list[str]:
        """The columns to leave out, without the one to split by, which is not in the tables any more."""
        return [name for name in self.exclude or () if name != self.time]

    def read(
        self,
        first: Path,
        second: Path | None,
        *,
        keep: str | None = None,
        target: str | None = None,
        replay: bool = False,
    ) -> Pair:
        """Read two files, or one that is split; the column it is split by is removed unless it is to be kept.

        If the past is replayed, two files may have a time as well.
        """
        self._check(second, target, replay=replay)
        if second is not None:
            if first == second == Path("-"):
                raise fault("NEW", "be another file than LABELLED", Phrase("'-' twice"), "standard input is read once")
            old, new = (read_file(path, self.missing) for path in (first, second))
            check_columns("--time", self.time, old.columns)
            moments = None if self.time is None else old[self.time]
            if self.time is not None:
                old, new = (table.drop(columns=self.time, errors="ignore") for table in (old, new))
            return Pair(old=old, new=new, file=second, sources=(_named(first), _named(second)), moments=moments)
        whole = read_file(first, self.missing)
        check_columns("--time", self.time, whole.columns)
        # Rows keep their order, so that line numbers of the file can be found for a plan.
        later = _later(whole[self.time], str(self.split))
        left = whole if self.time == keep else whole.drop(columns=str(self.time))
        old, new = (left[rows].reset_index(drop=True) for rows in (~later, later))
        ends = (Sensitive(" to ".join(_ends(whole[self.time][rows]))) for rows in (~later, later))
        before, after = (Phrase(_named(first), ", ", dates) for dates in ends)
        moments = whole[self.time][~later].reset_index(drop=True)
        return Pair(old=old, new=new, file=first, places=later.nonzero()[0], sources=(before, after), moments=moments)

    def _check(self, second: Path | None, target: str | None, *, replay: bool) -> None:
        """Refuse options that contradict each other, before anything is read."""
        if self.split is not None and self.time is None:
            raise InputError("--split needs --time; name the column to split by")
        if self.time is not None and self.split is None and not (replay and second is not None):
            raise InputError("--time needs --split; give the date or number to split at")
        if self.time is not None and self.time == target:
            raise fault("--time", "be another column than --target", self.time, "name the column of dates")
        if second is None and self.split is None:
            raise InputError("NEW is missing; name the file of new rows, or split one file by --time and --split")
        if second is not None and self.split is not None:
            got = Phrase(f"{str(second)!r}")
            raise fault("NEW", "be left out with --split", got, "split one file, or give two without it")


def _later(column: pd.Series[Any], split: str) -> NDArray[np.bool_]:
    """Return which rows are at the split or after it."""
    refuse_gaps("--time", "name a column with a value in every row", column)
    kind = column.dtype.kind
    if kind not in "Mifu":
        got = Phrase(shown(column.name), ", such as ", Sensitive(shown(column.iloc[0])))
        raise fault("--time", "name a column of dates or numbers", got, "write dates as 2010-01-31")
    start = _moment(split, column) if kind == "M" else _number(split, column)
    later: NDArray[np.bool_] = (column >= start).to_numpy()
    if later.all() or not later.any():
        side = "labelled rows: all are from then on" if later.all() else "new rows: all are earlier"
        raise InputError(f"--split {split} leaves no {side}; {_reach(column)}")
    return later


def _moment(split: str, column: pd.Series[Any]) -> Any:
    import pandas as pd

    try:
        # pandas would also read "1" or "March" as a date.
        if not _MOMENT.fullmatch(split):
            raise ValueError(split)
        moment = pd.Timestamp(split)
    except ValueError:
        raise fault("--split", "be a date such as 2010-01-31", split, _reach(column)) from None
    # Dates with and without a time zone cannot be compared.
    zone = getattr(column.dtype, "tz", None)
    if zone is None:
        return moment.tz_localize(None)
    return moment if moment.tz is not None else moment.tz_localize(zone)


def _number(split: str, column: pd.Series[Any]) -> float:
    try:
        return float(split)
    except ValueError:
        raise fault("--split", "be a number, as --time holds numbers", split, _reach(column)) from None


def _reach(column: pd.Series[Any]) -> str:
    """Say which range the values of a column have, for hints about --split."""
    low, high = _ends(column)
    return f"{shown(column.name)} runs from {low} to {high}"


def _ends(column: pd.Series[Any]) -> tuple[str, str]:
    """Return the lowest and the highest value of a column; of dates without the time where that is midnight."""
    low, high = (str(end).removesuffix(" 00:00:00") for end in (column.min(), column.max()))
    return low, high


def _named(file: Path) -> Text:
    return "standard input" if file == Path("-") else Sensitive(file.name)


@dataclass(frozen=True, kw_only=True)
class LabelledFile:
    """Options about a file of labelled rows.

    Parameters
    ----------
    labelled : LABELLED
        Labelled rows: CSV, CSV.gz or Parquet.
    """

    labelled: Path
    target: str
    positive: str | None = None
    missing: list[str] | None = None

    def read(
        self, job: Job, exclude: Sequence[str] | None, columns: Mapping[str, Sequence[str] | str | None]
    ) -> tuple[pd.DataFrame, pd.Series[Any]]:
        """Read features and labels; refuse options that name a column that is not a feature."""
        with job.stage("reading"):
            X, y = _features_and_labels(read_file(self.labelled, self.missing), self.target, exclude or [])
        for option, names in columns.items():
            check_columns(option, names, X.columns, target=self.target)
        return X, y


def _features_and_labels(
    frame: pd.DataFrame, target: str, exclude: Sequence[str]
) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Take the label column out of a table, and the columns to leave out."""
    check_columns("--target", [target], frame.columns)
    check_columns("--exclude", exclude, frame.columns)
    refuse_gaps("--target", "have a label in every row", frame[target], "drop or label them first")
    # A wrong column is refused before others are missed because of it.
    refuse_identifiers(frame[target].nunique(), len(frame), "--target")
    return frame.drop(columns=[target, *exclude]), frame[target]


def known_label(positive: str | None, y: pd.Series[Any]) -> Any:
    """Return the label that --positive names; on a command line everything is text."""
    if positive is None:
        return None
    labels = _by_text(y)
    if positive not in labels:
        raise unknown_name("--positive", "be a label", positive, sorted(labels))
    return labels[positive]


def _by_text(y: pd.Series[Any]) -> dict[str, Any]:
    """Return the labels by how they are written."""
    return {cell_text(label): label for label in y.unique().tolist()}


def cell_text(cell: object) -> str:
    """Write a label or an identifier in the same way, whatever its type in the file.

    Examples
    --------
    >>> cell_text(1.0), cell_text(1), cell_text("1"), cell_text(20240131.0)
    ('1', '1', '1', '20240131')
    """
    # A column of 0 and 1 that has gaps holds 0.0 and 1.0, but users write 1.
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def check_scored(columns: Iterable[str], labelled: pd.DataFrame, new: pd.DataFrame) -> None:
    """Refuse columns of scores that only one of two tables has, or none."""
    for column in columns:
        lacking = [name for name, table in (("LABELLED", labelled), ("NEW", new)) if column not in table.columns]
        if len(lacking) == 2:  # a name that nobody has is probably misspelled: list the others
            check_columns("--score-column", [column], dict.fromkeys([*labelled.columns, *new.columns]))
        if lacking:
            no_column = f"{lacking[0]} has no column {shown(column)}, which --score-column names"
            raise InputError(f"{no_column}; score both files with the same model")


@dataclass(frozen=True, eq=False, kw_only=True)
class FileTables:
    """Features, labels and scores of labelled and new rows.

    Parameters
    ----------
    X, X_new : DataFrame or None
        The features that both have; None if there are only scores.
    y, y_new : Series
        The labels; None for new rows without a label column.
    pos_label : label or None
        The positive class, if --positive names it.
    scores : sequence of str
        The columns of scores.
    pair : Pair
        The tables as they were read.
    """

    X: pd.DataFrame | None
    y: pd.Series[Any]
    X_new: pd.DataFrame | None
    y_new: pd.Series[Any] | None
    pos_label: Any
    scores: Sequence[str]
    pair: Pair

    def scored(self) -> Panel:
        """Return a panel of the scores of deployed models."""
        from shiftproof.panel import Panel

        old, new = ({name: table[name] for name in self.scores} for table in (self.pair.old, self.pair.new))
        return Panel.from_scores(self.y, old, new=new, pos_label=self.pos_label)

    @property
    def target(self) -> str:
        """The name of the label column."""
        return str(self.y.name)

    def new_labels(self, option: str, hint: str) -> pd.Series[Any]:
        """Return the labels that NEW has, empty where nobody knows; refuse those that no labelled row has."""
        if self.y_new is None:
            raise InputError(f"NEW has no column {shown(self.target)}, where {option} looks for labels; {hint}")
        return self.known_labels(self.y_new, "NEW")

    def known_labels(self, column: pd.Series[Any], file: str) -> pd.Series[Any]:
        """Return labels as LABELLED writes them, None where nobody knows; refuse those that LABELLED lacks."""
        import pandas as pd

        known, texts = {*self.y.unique().tolist()}, _by_text(self.y)
        labels: list[Any] = []
        for cell in column.tolist():
            # Two files may hold a label as a number and as text.
            label = None if is_missing(cell) else cell if cell in known else texts.get(cell_text(cell), _STRANGE)
            if label is _STRANGE:
                raise _unknown_label(cell, f"row {len(labels) + 1:,} of {file}", sorted(known, key=str))
            labels.append(label)
        return pd.Series(labels, dtype=object)


def _unknown_label(cell: object, place: str, known: Sequence[object]) -> InputError:
    """Name a label that LABELLED lacks with its row, counted from 1, and the label that was probably meant."""
    near = similar(cell, known)
    hint = "" if near else f"; {available_names(known)}"
    return InputError("the label ", Sensitive(shown(cell)), f" in {place} does not occur in LABELLED{hint}", near=near)


@dataclass(frozen=True, kw_only=True)
class TwoFiles:
    """Options about the files of labelled and of new rows.

    Parameters
    ----------
    labelled : LABELLED
        Labelled rows: CSV, CSV.gz or Parquet; with --split also the new rows.
    new : NEW
        New rows, with the same columns; labels among them are ignored unless an option asks for them. Leave NEW out
        with --split.
    """

    labelled: Path
    target: str
    new: Path | None = None
    positive: str | None = None

    def read(
        self,
        job: Job,
        cut: Cut,
        scores: Sequence[str] | None,
        *,
        by: str | None = None,
        key: str | None = None,
        replay: bool = False,
    ) -> FileTables:
        """Separate features, labels and scores; the new rows keep the column `by`, which is not used as a feature.

        Neither is the column `key`, which identifies the new rows.
        """
        with job.stage("reading"):
            pair = cut.read(self.labelled, self.new, keep=by, target=self.target, replay=replay)
        new = pair.new
        check_columns("--id", key, new.columns)
        exclude = [*cut.excluded, *(() if key is None else (key,))]
        check_columns("--exclude", exclude, dict.fromkeys([*pair.old.columns, *new.columns]))
        check_columns("--by", by, new.columns)
        X, y = _features_and_labels(pair.old, self.target, [name for name in exclude if name in pair.old.columns])
        check_scored(scores or (), X, new)
        # Labels of new rows must not become a feature, whether anybody uses them or not.
        features = new.drop(columns=[name for name in [self.target, *exclude] if name in new.columns])
        both = _common_features(X, features, scores or (), by)
        new_features = both if by is None else [*both, by]
        return FileTables(
            X=X[both] if both else None,
            y=y,
            X_new=new[new_features] if new_features else None,
            y_new=new.get(self.target),
            pos_label=known_label(self.positive, y),
            scores=scores or (),
            pair=pair,
        )


def _lacking(columns: Sequence[str], extra: Sequence[str]) -> str:
    """Say which columns NEW lacks, and which of its own is probably meant, or how to leave all of them out."""
    one = len(columns) == 1
    lacks = f"NEW has no column{'s' * (not one)} {listed(columns, last='or')}, which LABELLED has"
    # Of several, the first that has a misspelt twin.
    for name in columns:
        for near in similar(name, extra, cutoff=_MISSPELT):
            return f"{lacks}; it has {shown(near)}: rename it to {shown(name)}"
    # Somebody who has to leave out more than that has probably named the wrong file.
    if len(columns) > _MOST_EXCLUDED:
        return f"{lacks}; check that both files are the right ones"
    options = " ".join(f"--exclude {shlex.quote(name)}" for name in columns)
    return f"{lacks}; add {'it' if one else 'them'}, or leave {'it' if one else 'them'} out with {options}"


def _common_features(X: pd.DataFrame, new: pd.DataFrame, scores: Sequence[str], by: str | None) -> list[str]:
    """Return the features of both tables; refuse those that models lack, and name those that are not used."""
    used = [name for name in X.columns if name not in scores and name != by]
    both = [name for name in used if name in new.columns]
    lacking = [name for name in used if name not in new.columns]
    if lacking and not scores:  # models need every column that they learn from; scores need none
        raise InputError(_lacking(lacking, [str(name) for name in new.columns if name not in used]))
    if not (both or scores):
        raise fault("LABELLED", "have columns beside the label", Phrase("none"), "add features, or give --score-column")
    # A column that is silently ignored surprises more than a note does.
    extra = [name for name in new.columns if name not in (*both, *scores, by)]
    for file, names in (("NEW", extra), ("LABELLED", lacking)):
        if names:
            warn(ColumnsUnused(file, names))
    return both

"""The tables that a command reads: two files, or one that is split at a date."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shiftproof.cli._completion import GZIP, PARQUET
from shiftproof.core import FileError, InputError, Phrase, Sensitive, Text, available_names, fault, shown, unknown_name

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

# Years, months, days and times as ISO 8601 writes them.
_MOMENT = re.compile(r"\d{4}(-\d\d(-\d\d([T ]\d\d(:\d\d(:\d\d(\.\d+)?)?)?)?)?)?Z?")


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
            raise fault(option, "name a different column from --target", name, available_names(names))
        parts = [part.strip() for part in name.split(",")]
        if len(parts) > 1 and {*parts} <= {*names}:
            hint = "repeat --exclude for each column" if option == "--exclude" else "choose one of them"
            raise fault(option, "name one column", name, hint)
        raise unknown_name(option, "name a column", name, names)


def refuse_excluded_target(target: str | None, exclude: Iterable[str]) -> None:
    """Refuse --exclude for the column of labels, which is never used as a feature."""
    if target is not None and target in exclude:
        labels = shown(target)
        raise InputError(f"--exclude {labels} names the --target column, which is never a feature; leave it out")


def refuse_scored_labels(scores: Iterable[str], target: str) -> None:
    """Refuse the column of labels as a column of scores."""
    if target in scores:
        raise fault("--score-column", "name a different column from --target", target, "name the model's scores")


def read_file(path: Path, missing: Sequence[str] | None = None, *, most_columns: int | None = None) -> pd.DataFrame:
    """Read a table from a file, or from standard input for ``-``; these texts mean that a value is missing."""
    from shiftproof.data import read_rows

    if path != Path("-"):
        return read_rows(path, missing=missing, most_columns=most_columns)
    try:
        return read_rows("/dev/stdin", missing=missing, most_columns=most_columns)
    except FileError as error:
        raise FileError("standard input", error.problem, near=error.near) from None


def refuse_gaps(option: str, column: pd.Series[Any], hint: str = "drop these rows first", *, of: str = "") -> None:
    """Refuse a column that has missing values; `of` names its table where a command reads two."""
    if missing := int(column.isna().sum()):
        raise gaps(option, str(column.name), missing, len(column), hint, of=of)


def gaps(option: str, column: str, missing: int, n_rows: int, hint: str, *, of: str = "") -> InputError:
    """Make the error for missing values in a column that an option names.

    Examples
    --------
    >>> print(gaps("--target", "label", 10, 2000, "drop or label these rows first"))
    column 'label', which --target names, is empty in 10 of 2,000 rows; drop or label these rows first.
    """
    where = f"column {shown(column)}, which {option} names, is empty in {missing:,} of {n_rows:,} rows"
    return InputError(f"{where}{of and f' of {of}'}; {hint}", argument=option)


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


@dataclass(frozen=True, kw_only=True)
class Cut:
    """Options that split one file into two tables, and leave columns out.

    Parameters
    ----------
    time : COL
        With --split and one file: the column of dates or numbers to split by. It is not used as a feature.
    split : DATE
        Split one file by the --time column: rows at or after this date or number are the new data.
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
        called: str = "LABELLED",
    ) -> Pair:
        """Read two files, or one that is split; the column it is split by is removed unless it is to be kept.

        If the past is replayed, two files may have a time as well. The help calls the first file `called`.
        """
        self._check(second, target, replay=replay)
        if second is not None:
            if first == second == Path("-"):
                raise fault(
                    "NEW",
                    f"be a different file from {called}",
                    Phrase("'-' twice"),
                    "standard input can be read only once",
                )
            old, new = (read_file(path, self.missing) for path in (first, second))
            check_columns("--time", self.time, old.columns)
            moments = None if self.time is None else old[self.time]
            if self.time is not None:
                old, new = (table.drop(columns=self.time, errors="ignore") for table in (old, new))
            return Pair(old=old, new=new, file=second, sources=(named_file(first), named_file(second)), moments=moments)
        whole = read_file(first, self.missing)
        check_columns("--time", self.time, whole.columns)
        # Rows keep their order, so that line numbers of the file can be found for a plan.
        later = _later(whole[self.time], str(self.split))
        left = whole if self.time == keep else whole.drop(columns=str(self.time))
        old, new = (left[rows].reset_index(drop=True) for rows in (~later, later))
        ends = (Sensitive(" to ".join(_ends(whole[self.time][rows]))) for rows in (~later, later))
        before, after = (Phrase(named_file(first), ", ", dates) for dates in ends)
        moments = whole[self.time][~later].reset_index(drop=True)
        return Pair(old=old, new=new, file=first, places=later.nonzero()[0], sources=(before, after), moments=moments)

    def _check(self, second: Path | None, target: str | None, *, replay: bool) -> None:
        """Refuse options that contradict each other, before anything is read."""
        if self.split is not None and self.time is None:
            raise InputError("--split needs --time; name the column to split by")
        if self.time is not None and self.split is None and not (replay and second is not None):
            raise InputError("--time needs --split; give the date or number to split at")
        if self.time is not None and self.time == target:
            raise fault("--time", "be a different column from --target", self.time, "name the column of dates")
        if second is None and self.split is None:
            raise InputError("NEW is missing; name the file of new rows, or split one file with --time and --split")
        if second is not None and self.split is not None:
            got = Phrase(f"{str(second)!r}")
            raise fault("NEW", "be left out with --split", got, "give one file with --split, or two files without it")


def _later(column: pd.Series[Any], split: str) -> NDArray[np.bool_]:
    """Return which rows are at the split or after it."""
    refuse_gaps("--time", column)
    kind = column.dtype.kind
    if kind not in "Mifu":
        holds = f"--time must name a column of dates or numbers, but {shown(column.name)} holds values such as "
        raise InputError(holds, Sensitive(shown(column.iloc[0])), "; write dates as 2010-01-31", argument="--time")
    start = _moment(split, column) if kind == "M" else _number(split, column)
    later: NDArray[np.bool_] = (column >= start).to_numpy()
    if later.all() or not later.any():
        side = (
            "labelled rows, because no row is before it" if later.all() else "new rows, because all rows are before it"
        )
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
        raise fault("--split", "be a number, because --time holds numbers", split, _reach(column)) from None


def _reach(column: pd.Series[Any]) -> str:
    """Say which range the values of a column have, for hints about --split."""
    low, high = _ends(column)
    return f"{shown(column.name)} runs from {low} to {high}"


def _ends(column: pd.Series[Any]) -> tuple[str, str]:
    """Return the lowest and the highest value of a column; of dates without the time where that is midnight."""
    low, high = (str(end).removesuffix(" 00:00:00") for end in (column.min(), column.max()))
    return low, high


def named_file(file: Path) -> Text:
    """Return how a page names a file."""
    return "standard input" if file == Path("-") else Sensitive(file.name)

"""The tables that a command line names: one file or two, the label, and the columns of scores."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shiftproof.core import Phrase, Sensitive, available_names, fault, listed, shown, unknown_name

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from shiftproof.panel import Panel

# Years, months, days and times as ISO 8601 writes them.
_MOMENT = re.compile(r"\d{4}(-\d\d(-\d\d([T ]\d\d(:\d\d(:\d\d(\.\d+)?)?)?)?)?)?Z?")


def check_columns(option: str, wanted: str | Iterable[str] | None, columns: Iterable[object]) -> None:
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
        parts = [part.strip() for part in name.split(",")]
        if len(parts) > 1 and {*parts} <= {*names}:
            hint = "repeat --exclude for each column" if option == "--exclude" else "choose one of them"
            raise fault(option, "name one column", name, hint)
        raise unknown_name(option, "name a column", name, names)


@dataclass(frozen=True, eq=False, kw_only=True)
class Pair:
    """Labelled rows and new ones.

    Parameters
    ----------
    old, new : DataFrame
        The tables.
    file : Path
        The file that holds the new rows.
    places : ndarray of int, optional
        The positions of the new rows in a file that was split; None if they have a file of their own.
    """

    old: pd.DataFrame
    new: pd.DataFrame
    file: Path
    places: NDArray[np.intp] | None = None


@dataclass(frozen=True)
class Cut:
    """How one file is split into two tables: by which column, and where."""

    time: str | None
    split: str | None

    def check(self, second: Path | None, called: str, target: str | None = None) -> None:
        """Refuse what does not go together, before anything is read."""
        if self.split is not None and self.time is None:
            raise fault("--split", "come with --time", Phrase(f"{self.split!r} alone"), "name the column to split by")
        if self.time is not None and self.split is None:
            raise fault("--time", "come with --split", Phrase(f"{self.time!r} alone"), "say from when on rows are new")
        if self.time is not None and self.time == target:
            raise fault("--time", "be another column than --target", self.time, "name that of the dates")
        if second is None and self.split is None:
            hint = "name the file of new rows, or split one file by --time and --split"
            raise fault(called, "be given", Phrase("nothing"), hint)
        if second is not None and self.split is not None:
            got = Phrase(f"{str(second)!r}")
            raise fault(called, "be left out with --split", got, "split one file, or give two without it")

    def others(self, columns: Iterable[str] | None) -> list[str]:
        """Return columns without the one to split by, which is removed already."""
        return [name for name in columns or () if name != self.time]


def read_pair(
    first: Path,
    second: Path | None,
    cut: Cut,
    *,
    keep: str | None = None,
    called: str = "NEW",
    target: str | None = None,
) -> Pair:
    """Read two files, or one that is split in time; the column it is split by is removed unless it is to be kept."""
    from shiftproof.data import read

    cut.check(second, called, target)
    if second is not None:
        return Pair(old=read(first), new=read(second), file=second)
    whole = read(first)
    check_columns("--time", cut.time, whole.columns)
    later = _later(whole[cut.time], str(cut.split))
    left = whole if cut.time == keep else whole.drop(columns=str(cut.time))
    return Pair(
        old=left[~later].reset_index(drop=True),
        new=left[later].reset_index(drop=True),
        file=first,
        places=later.nonzero()[0],
    )


def _later(column: pd.Series[Any], split: str) -> NDArray[np.bool_]:
    """Return which rows are at the split or after it."""
    missing = int(column.isna().sum())
    if missing:
        got = Phrase(f"{missing:,} of {len(column):,} without")
        raise fault("--time", "name a column with a value in every row", got, "drop these rows first")
    kind = column.dtype.kind
    if kind not in "Mifu":
        example = Phrase(", such as ", Sensitive(shown(column.iloc[0]))) if len(column) else Phrase()
        got = Phrase(shown(column.name), example)
        raise fault("--time", "name a column of dates or numbers", got, "write dates as 2010-01-31")
    start = _moment(split, column) if kind == "M" else _number(split, column)
    later: NDArray[np.bool_] = (column >= start).to_numpy()
    if later.all() or not later.any():
        side = "before it" if later.all() else "from it on"
        raise fault("--split", "leave rows on both sides", Phrase(f"{split!r} with none {side}"), _reach(column))
    return later


def _moment(split: str, column: pd.Series[Any]) -> Any:
    import pandas as pd

    try:
        # pandas would also read "1" or "March" as a moment.
        if not _MOMENT.fullmatch(split):
            raise ValueError(split)
        moment = pd.Timestamp(split)
    except ValueError:
        raise fault("--split", "be a date such as 2010-01-31", split, _reach(column)) from None
    # Moments with and without a time zone cannot be compared.
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
    """Say from where to where a column goes."""
    if not len(column):
        return "the file has no rows"
    low, high = (str(end).removesuffix(" 00:00:00") for end in (column.min(), column.max()))
    return f"{shown(column.name)} runs from {low} to {high}"


def features_and_labels(
    frame: pd.DataFrame, target: str, exclude: Sequence[str]
) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Take the label column out of a table, and the columns to leave out."""
    check_columns("--target", [target], frame.columns)
    check_columns("--exclude", exclude, frame.columns)
    y = frame[target]
    if y.isna().any():
        got = Phrase(f"{int(y.isna().sum()):,} without")
        raise fault("--target", "have a label in every row", got, "drop or label them first")
    return frame.drop(columns=[target, *exclude]), y


def known_label(positive: str | None, y: pd.Series[Any]) -> Any:
    """Return the label that is written as --positive; on a command line everything is text."""
    if positive is None:
        return None
    labels = {written(label): label for label in y.unique().tolist()}
    if positive not in labels:
        raise unknown_name("--positive", "be a label", positive, sorted(labels))
    return labels[positive]


def written(label: object) -> str:
    """Write a label as on a command line: a column of 0 and 1 with holes is read as floats.

    Examples
    --------
    >>> written(1.0), written("yes")
    ('1', 'yes')
    """
    return f"{label:g}" if isinstance(label, float) else str(label)


def check_scored(columns: Iterable[str], first: pd.DataFrame, second: pd.DataFrame, called: tuple[str, str]) -> None:
    """Refuse columns of scores that only one of two tables has, or none."""
    for column in columns:
        lacking = [name for name, table in zip(called, (first, second), strict=True) if column not in table.columns]
        if len(lacking) == 2:
            check_columns("--score-column", [column], dict.fromkeys([*first.columns, *second.columns]))
        if lacking:
            got = f"{shown(column)}, which {lacking[0]} lacks"
            raise fault("--score-column", "name a column of both files", Phrase(got), "score both by the same model")


@dataclass(frozen=True, eq=False, kw_only=True)
class Tables:
    """Features, labels and scores of labelled and new rows.

    Parameters
    ----------
    X, X_new : DataFrame or None
        The features that both have; None if there are only scores.
    y, y_new : Series
        The labels; None for new rows without a label column.
    scores : dict of str to pair
        The columns of scores, of the labelled rows and of the new ones.
    notes : tuple of str
        Which columns were left out.
    """

    X: pd.DataFrame | None
    y: pd.Series[Any]
    X_new: pd.DataFrame | None
    y_new: pd.Series[Any] | None
    scores: dict[str, tuple[Any, Any]]
    notes: tuple[str, ...]

    def scored(self) -> Panel:
        """Return a panel of the scores of deployed models."""
        from shiftproof.panel import Panel

        labelled, new = ({name: sides[side] for name, sides in self.scores.items()} for side in (0, 1))
        return Panel.from_scores(self.y, labelled, new=new)


def take_apart(
    pair: Pair, target: str, exclude: Sequence[str], scores: Sequence[str], *, by: str | None = None
) -> Tables:
    """Separate features, labels and scores; the new rows keep the column `by`, which is not used as a feature."""
    new = pair.new
    check_columns("--exclude", exclude, dict.fromkeys([*pair.old.columns, *new.columns]))
    check_columns("--by", by, new.columns)
    X, y = features_and_labels(pair.old, target, [name for name in exclude if name in pair.old.columns])
    if not len(new):
        raise fault("X_new", "hold at least one row", 0, "check the file")
    check_scored(scores, X, new, ("TRAIN", "NEW"))
    y_new = new[target] if target in new.columns else None
    new = new.drop(columns=[name for name in [target, *exclude] if name in new.columns])
    used = [name for name in X.columns if name not in scores and name != by]
    both = [name for name in used if name in new.columns]
    lacking = [name for name in used if name not in new.columns]
    if lacking and not scores:  # models need every column that they learn from; scores need none
        hint = f"add it, or leave it out by --exclude {lacking[0]!r}"
        raise fault("NEW", "have all columns of TRAIN", Phrase(f"none called {listed(lacking, last='or')}"), hint)
    if not (both or scores):
        raise fault("TRAIN", "have columns beside the label", Phrase("none"), "add features, or give --score-column")
    extra = [name for name in new.columns if name not in (*both, *scores, by)]
    new_features = both if by is None else [*both, by]
    return Tables(
        X=X[both] if both else None,
        y=y,
        X_new=new[new_features] if new_features else None,
        y_new=y_new,
        scores={name: (X[name], new[name]) for name in scores},
        notes=tuple(
            f"columns that only {file} has were not used: {listed(names)}."
            for file, names in (("NEW", extra), ("TRAIN", lacking))
            if names
        ),
    )


def refuse_fitting(scores: Sequence[str] | None, models: str | None, folds: int | None) -> None:
    """Refuse options about fitting if the models were fitted elsewhere and only their scores are given."""
    if scores and (models is not None or folds is not None):
        option, value = ("--models", models) if models is not None else ("--folds", folds)
        raise fault(option, "be left out with --score-column", value, "nothing is fitted")


def check_labels(labels: Iterable[tuple[int, object]], y: pd.Series[Any], option: str) -> None:
    """Refuse labels of new rows that no labelled row has."""
    known = set(y.unique().tolist())
    for row, label in labels:
        if label not in known:
            got = Phrase(f"{shown(label)} in row {row + 1:,}")
            raise fault(option, "find labels of TRAIN in NEW", got, available_names(sorted(known, key=str)))

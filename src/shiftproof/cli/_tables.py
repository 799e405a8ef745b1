"""What a command takes from its tables: features, labels, and columns of scores."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shiftproof.cli._cut import (
    Cut,
    Pair,
    check_columns,
    read_file,
    refuse_excluded_target,
    refuse_gaps,
    refuse_scored_labels,
)
from shiftproof.cli._elsewhere import ScoredElsewhere, TablesElsewhere, refuse_elsewhere
from shiftproof.core import (
    InputError,
    Phrase,
    Sensitive,
    ShiftproofWarning,
    Text,
    available_names,
    fault,
    is_missing,
    is_number,
    listed,
    refuse_identifiers,
    shown,
    similar,
    unknown_name,
    warn,
)

if TYPE_CHECKING:
    import pandas as pd

    from shiftproof.cli._job import Job
    from shiftproof.measures import Benefit
    from shiftproof.panel import Panel

# At most five columns that NEW lacks are listed, each with the option that leaves it out.
_MOST_EXCLUDED = 5
# A column of NEW that is this similar to one that it lacks is probably the same, misspelt.
_MISSPELT = 0.8
# Stands for a label that no labelled row has.
_STRANGE = object()


class ColumnsUnused(ShiftproofWarning):
    """Columns that only the new table has were not used."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = tuple(columns)
        super().__init__(f"columns that only NEW has were not used: {listed(columns)}.")


class ColumnsLost(ShiftproofWarning):
    """The new table lacks columns of the labelled one, which counts as a change."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = tuple(columns)
        super().__init__(
            f"NEW has no column{'s' * (len(columns) > 1)} {listed(columns, last='or')}, which LABELLED has."
        )


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
    refuse_excluded_target(target, exclude)
    refuse_gaps("--target", frame[target], "drop or label these rows first")
    # A wrong column is refused before others are missed because of it.
    refuse_identifiers(frame[target].nunique(), len(frame), "--target")
    return frame.drop(columns=[target, *exclude]), frame[target]


def known_label(positive: str | None, labels: Iterable[Any]) -> Any:
    """Return the label that --positive names; on a command line everything is text."""
    if positive is None:
        return None
    labels = _by_text(labels)
    if positive not in labels:
        raise unknown_name("--positive", "name one of the labels", positive, sorted(labels))
    return labels[positive]


def _by_text(labels: Iterable[Any]) -> dict[str, Any]:
    """Return the labels by how they are written."""
    return {cell_text(label): label for label in labels}


def check_positive(tables: FileTables | ScoredElsewhere, measure: str, benefit: Benefit | None) -> None:
    """Refuse measures of one class if it is unknown which, before anything is fitted."""
    from shiftproof.case import needs_positive

    needed = benefit is not None or needs_positive(measure)
    if needed and tables.pos_label is None and len(tables.labels) > 2:
        option = f"--measure {measure}" if benefit is None else "--cost"
        hint = available_names(sorted(tables.labels, key=str))
        raise InputError(f"{option} with more than two classes needs --positive LABEL; {hint}")


def cell_text(cell: object) -> str:
    """Write a label or an identifier in the same way, whatever its type in the file.

    Examples
    --------
    >>> cell_text(1.0), cell_text(1), cell_text("1"), cell_text(20240131.0)
    ('1', '1', '1', '20240131')
    """
    # A column of 0 and 1 that has gaps holds 0.0 and 1.0, but users write 1.
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def check_scored(
    columns: Iterable[str], labelled: pd.DataFrame, new: pd.DataFrame, *, called: str = "LABELLED"
) -> None:
    """Refuse columns of scores that only one of two tables has, or none."""
    for column in columns:
        lacking = [name for name, table in ((called, labelled), ("NEW", new)) if column not in table.columns]
        if len(lacking) == 2:  # a name that nobody has is probably misspelled: list the others
            check_columns("--score-column", [column], dict.fromkeys([*labelled.columns, *new.columns]))
        if lacking:
            no_column = f"{lacking[0]} has no column {shown(column)}, which --score-column names"
            raise InputError(f"{no_column}; score both files with the same model")


def check_two_classes(scores: Sequence[str], target: str, labels: Sequence[object], hint: str) -> None:
    """Refuse columns of scores if there are more than two classes: one column cannot hold all probabilities."""
    if scores and len(labels) > 2:
        classes = f"{shown(target)} has {len(labels):,} ({listed(sorted(labels, key=str))})"
        raise InputError(f"--score-column works with two classes only, and {classes}; {hint}")


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

    def check_groups(self, groups: str | None) -> None:
        """Refuse --groups if it does not name a feature; without features there is no column to group by."""
        check_columns("--groups", groups, () if self.X is None else self.X.columns, target=self.target)

    def without(self, column: str | None) -> FileTables:
        """Return the tables without a column that is not used as a feature."""
        if column is None or self.X is None or self.X_new is None:
            return self
        return replace(self, X=self.X.drop(columns=column), X_new=self.X_new.drop(columns=column))

    @property
    def target(self) -> str:
        """The name of the label column."""
        return str(self.y.name)

    @property
    def labels(self) -> list[Any]:
        """The classes."""
        return list(self.y.unique().tolist())

    @property
    def sources(self) -> tuple[Text, Text]:
        """Where the rows of both tables come from."""
        return self.pair.sources

    @property
    def moments(self) -> pd.Series[Any] | None:
        """When each labelled row was observed, if --time says so."""
        return self.pair.moments

    def new_labels(self, option: str, hint: str) -> pd.Series[Any]:
        """Return the labels that NEW has, empty where nobody knows; refuse those that no labelled row has."""
        if self.y_new is None:
            raise InputError(f"NEW has no column {shown(self.target)}, which {option} needs for the labels; {hint}")
        return self.known_labels(self.y_new, "NEW")

    def known_labels(self, column: pd.Series[Any], file: str) -> pd.Series[Any]:
        """Return labels as LABELLED writes them, None where nobody knows; refuse those that LABELLED lacks."""
        import pandas as pd

        known, texts = {*self.labels}, _by_text(self.labels)
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
    # Numbers in one file and words in the other are one label written in two ways.
    recode = "recode the labels; " if is_number(cell) != any(map(is_number, known)) else ""
    hint = "" if near else f"; {recode}{available_names(known)}"
    return InputError("the label ", Sensitive(shown(cell)), f" in {place} does not occur in LABELLED{hint}", near=near)


@dataclass(frozen=True, kw_only=True)
class TwoFiles:
    """Options about the files of labelled and of new rows.

    Parameters
    ----------
    labelled : LABELLED
        Labelled rows: CSV, CSV.gz or Parquet. With --split, the file also holds the new rows. With --score-column, it
        can also be a folder or a quoted pattern of Parquet files, or duckdb://FILE?table=NAME; large tables are not
        loaded in full.
    new : NEW
        New rows, with the same columns; labels are not needed. Leave this out with --split.
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
    ) -> FileTables | ScoredElsewhere:
        """Separate features, labels and scores; the new rows keep the column `by`, which is not used as a feature.

        Neither is the column `key`, which identifies the new rows.
        """
        with job.stage("reading"):
            elsewhere = TablesElsewhere.of(self.labelled, self.new, cut, by)
            if elsewhere is not None:
                refuse_elsewhere({"--id": key})
                return self._elsewhere(ScoredElsewhere.of(elsewhere, self.target, scores or (), cut.excluded))
        with job.stage("reading"):
            pair = cut.read(self.labelled, self.new, keep=by, target=self.target, replay=replay)
        new = pair.new
        check_columns("--id", key, new.columns)
        exclude = [*cut.excluded, *(() if key is None else (key,))]
        check_columns("--exclude", exclude, dict.fromkeys([*pair.old.columns, *new.columns]))
        check_columns("--by", by, new.columns)
        X, y = _features_and_labels(pair.old, self.target, [name for name in exclude if name in pair.old.columns])
        refuse_scored_labels(scores or (), self.target)
        check_scored(scores or (), X, new)
        check_two_classes(scores or (), self.target, y.unique().tolist(), "pass --models instead")
        # Labels of new rows must not become a feature, whether anybody uses them or not.
        features = new.drop(columns=[name for name in [self.target, *exclude] if name in new.columns])
        both, lost = _common_features(X, features, scores or (), by)
        new_features = both if by is None else [*both, by]
        return FileTables(
            # A lost column is a change, which the verbs report.
            X=X[both + lost] if both else None,
            y=y,
            X_new=new[new_features] if new_features else None,
            y_new=new.get(self.target),
            pos_label=known_label(self.positive, y.unique().tolist()),
            scores=scores or (),
            pair=pair,
        )

    def _elsewhere(self, tables: ScoredElsewhere) -> ScoredElsewhere:
        """Name the columns that only one of two tables has, and the positive class."""
        check_two_classes(tables.scores, self.target, tables.labels, "use files that fit into memory and --models")
        features = [name for name in tables.X.names if name != self.target]
        lost = [name for name in features if name not in tables.X_new.names]
        extra = [name for name in tables.X_new.names if name not in features]
        _warn_of_columns(extra, lost)
        pos_label = known_label(self.positive, tables.labels)
        return replace(tables, X_new=tables.X_new.without(extra), pos_label=pos_label)


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
    options, them = " ".join(f"--exclude {shlex.quote(name)}" for name in columns), "it" if one else "them"
    return f"{lacks}; add {them}, or pass {options} if the models do not need {them}"


def _warn_of_columns(extra: Sequence[str], lost: Sequence[str]) -> None:
    """Name the columns that only one of the two tables has."""
    if extra:
        warn(ColumnsUnused(extra))
    if lost:
        warn(ColumnsLost(lost))


def _common_features(
    X: pd.DataFrame, new: pd.DataFrame, scores: Sequence[str], by: str | None
) -> tuple[list[str], list[str]]:
    """Return the features of both tables and those that only the old one has; refuse the latter for models."""
    used = [name for name in X.columns if name not in scores and name != by]
    both = [name for name in used if name in new.columns]
    lacking = [name for name in used if name not in new.columns]
    if lacking and not scores:  # models need every column that they learn from; scores need none
        raise InputError(_lacking(lacking, [str(name) for name in new.columns if name not in used]))
    if not (both or scores):
        raise fault(
            "LABELLED", "have columns other than the label", Phrase("none"), "add features, or give --score-column"
        )
    # A column that is silently ignored surprises more than a note does.
    extra = [name for name in new.columns if name not in (*both, *scores, by)]
    _warn_of_columns(extra, lacking)
    return both, lacking

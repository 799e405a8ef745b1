"""Tables that need not fit into memory, as commands name them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shiftproof.cli._cut import (
    Cut,
    check_columns,
    gaps,
    named_file,
    read_file,
    refuse_excluded_target,
    refuse_scored_labels,
)
from shiftproof.core import InputError, Text, refuse_identifiers

if TYPE_CHECKING:
    from shiftproof.core import Table


def needs_memory(option: str) -> InputError:
    """Return the error of an option that tables elsewhere cannot have."""
    return InputError(f"{option} needs tables that fit into memory; leave it out, or use two smaller files")


def refuse_elsewhere(given: Mapping[str, object]) -> None:
    """Refuse options that tables elsewhere cannot have."""
    for option, value in given.items():
        if value:
            raise needs_memory(option)


def read_one(path: Path, missing: Sequence[str] | None = None) -> Table:
    """Read one table from a file or from standard input; leave what may not fit into memory where it is."""
    from shiftproof.core import as_table, open_in_order
    from shiftproof.data import is_elsewhere, open_rows

    if path == Path("-") or not is_elsewhere(path):
        return as_table(read_file(path, missing))
    refuse_elsewhere({"--missing": missing})
    return open_in_order(open_rows(path), str(path))


@dataclass(frozen=True, eq=False, kw_only=True)
class TablesElsewhere:
    """Two tables of which at least one is not in memory.

    Parameters
    ----------
    old, new : Table
        Whose columns are read when they are needed.
    sources : pair of text
        The names of both.
    """

    old: Table
    new: Table
    sources: tuple[Text, Text]

    @classmethod
    def of(cls, reference: Path, new: Path | None, cut: Cut, by: str | None) -> TablesElsewhere | None:
        """Open what is not a small file; None if both are, or if one file is split."""
        from shiftproof.core import open_table
        from shiftproof.data import is_elsewhere, open_rows

        if new is None or not (is_elsewhere(reference) or is_elsewhere(new)):
            return None
        refuse_elsewhere({"--by": by, "--missing": cut.missing, "--time": cut.time})
        return cls(
            old=open_table(open_rows(reference), "REFERENCE"),
            new=open_table(open_rows(new), "NEW"),
            sources=(named_file(reference), named_file(new)),
        )

    def inputs(self, exclude: list[str], *, scores: list[str], target: str | None) -> dict[str, Any]:
        """Return tables, scores and labels as `detect` takes them; scores and labels are not compared as features."""
        columns = [*dict.fromkeys([*self.old.names, *self.new.names])]
        check_columns("--exclude", exclude, columns)
        check_columns("--target", target, columns)
        refuse_excluded_target(target, exclude)
        for table in (self.old, self.new):
            check_columns("--score-column", scores, table.names)
        labels = target if target in self.old.names else None
        # A column of scores leaves the tables below, so that the verb would not find it.
        left_out = [name for name in exclude if name not in scores]
        left_out += [target] if target is not None and labels is None else []
        given: dict[str, Any] = {"reference": self.old.without(scores), "current": self.new.without(scores)}
        if scores:
            sides = {"reference_scores": self.old, "current_scores": self.new}
            given |= {side: {name: table.column(name).floats() for name in scores} for side, table in sides.items()}
        return given | {"reference_labels": labels, "exclude": left_out}


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoredElsewhere:
    """Two tables with labels and scores as columns, of which at least one is not in memory.

    Parameters
    ----------
    X, X_new : Table
        Features, scores, and in the first the labels.
    y : str
        The column of labels.
    labels : sequence of labels
        The classes.
    scores : sequence of str
        The columns of scores.
    sources : pair of text
        The names of both tables.
    pos_label : label, optional
        The positive class.
    """

    X: Table
    y: str
    X_new: Table
    labels: Sequence[Any]
    scores: Sequence[str]
    sources: tuple[Text, Text]
    pos_label: Any = None
    # Labels of the new rows, when the labelled rows were observed, and what only tables in memory have.
    y_new = moments = None

    @classmethod
    def of(cls, tables: TablesElsewhere, target: str, scores: Sequence[str], exclude: Sequence[str]) -> ScoredElsewhere:
        """Check the columns that options name, and leave those out that are not to be seen."""
        if not scores:
            needs = "models can be fitted only to tables in memory"
            hint = "pass a deployed model's scores with --score-column, or sample some rows into a smaller file"
            raise InputError(f"{needs}; {hint}")
        old, new = tables.old, tables.new
        check_columns("--target", [target], old.names)
        check_columns("--exclude", exclude, dict.fromkeys([*old.names, *new.names]))
        refuse_excluded_target(target, exclude)
        refuse_scored_labels(scores, target)
        for table, called in ((old, "LABELLED"), (new, "NEW")):
            for name in scores:
                if name not in table.names:
                    no_column = f"{called} has no column {name!r}, which --score-column names"
                    raise InputError(f"{no_column}; score both tables with the same model")
        counts, missing = old.column(target).counts()
        if missing:
            raise gaps("--target", target, missing, old.n_rows, "drop or label these rows first")
        refuse_identifiers(len(counts), old.n_rows, "--target")
        # Labels of new rows must not become a feature.
        return cls(
            X=old.without(exclude),
            y=target,
            X_new=new.without([target, *exclude]),
            labels=list(counts),
            scores=scores,
            sources=tables.sources,
        )

    @property
    def target(self) -> str:
        """The name of the label column."""
        return self.y

    def scored(self) -> dict[str, str]:
        """Return the models by the columns of their scores."""
        return {name: name for name in self.scores}

    def check_groups(self, groups: str | None) -> None:
        """Refuse --groups, which belongs to a fit."""
        refuse_elsewhere({"--groups": groups})

    def without(self, column: str | None) -> ScoredElsewhere:
        """Return the tables; there are no groups to leave out."""
        self.check_groups(column)
        return self

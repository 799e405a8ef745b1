"""The columns of scores that the reference and every batch have, and whose probabilities they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof.core import (
    Argument,
    Codes,
    Floats,
    InputError,
    Phrase,
    Table,
    as_floats,
    available_names,
    check_complete,
    check_label,
    check_row_order,
    fault,
    listed,
    match_classes,
    score_columns,
    shown,
    similar,
    unknown_name,
)
from shiftproof.monitoring._score_order import ordered_by_class

if TYPE_CHECKING:
    from shiftproof.panel import Panel

#: What a column of scores is called that came without a name.
SCORE = "score"


@dataclass(frozen=True, kw_only=True)
class ScoreColumns:
    """Which columns hold the scores.

    Attributes
    ----------
    names : tuple of str
        One column with the probability of one class of two, or one column per class.
    classes : tuple
        The labels, sorted; empty without labels.
    positive : int
        Of one column, the place of its class.
    """

    names: tuple[str, ...]
    classes: tuple[Any, ...] = ()
    positive: int = 1

    def read(self, table: Table, called: str) -> Floats:
        """Read the scores from a table's columns: one per class, or as many as there are without labels."""
        absent = [name for name in self.names if name not in table.names]
        if absent:
            near = similar(absent[0], table.names)
            hint = "" if near else f"; {available_names(table.names)}"
            raise InputError(f"the {called} has no score column {shown(absent[0])}{hint}", near=near)
        columns = [_numbers(table, name, called) for name in self.names]
        return self.of_both(check_complete(np.column_stack(columns), f"the scores of the {called}"))

    def of_both(self, values: Floats) -> Floats:
        """Give a single column of probabilities that of the other class beside it, where classes are known."""
        if values.shape[1] > 1 or not self.classes:
            return values
        both = np.column_stack([1 - values[:, 0], values[:, 0]])
        return both if self.positive == 1 else both[:, ::-1]

    def columns_of(self, probabilities: Floats) -> dict[str, Floats]:
        """Return the columns as a table would hold them."""
        if len(self.names) == 1:
            return {self.names[0]: probabilities[:, self.positive if self.classes else 0]}
        return dict(zip(self.names, probabilities.T, strict=True))


def panel_scores(panel: Panel, model: object, n_rows: int) -> tuple[ScoreColumns, Floats, Codes]:
    """Return the out-of-fold scores of one model of a panel, and the labels; NaN where no model tested the row."""
    names = panel.names
    if model is None and len(names) > 1:
        raise fault("scores", "name one model of the panel", None, f"choose one of {listed(names)}")
    name = names[0] if model is None else model
    if not isinstance(name, str) or name not in names:
        raise unknown_name("scores", "name one model of the panel", name, names)
    if len(panel.y) != n_rows:
        got = Phrase(f"{n_rows:,} for {len(panel.y):,}")
        raise fault(
            "reference", "have the rows that the panel was made from", got, "pass the table that was given to cross_fit"
        )
    classes = tuple(panel.classes_.tolist())
    columns = (name,) if len(classes) == 2 else tuple(f"{name} {label}" for label in classes)
    values = np.where(panel.tested[:, None], panel.out_of_fold[name], np.nan)
    return ScoreColumns(names=columns, classes=classes), values, panel.y


def given_scores(
    scores: object, table: Table, classes: tuple[Any, ...], pos_label: object
) -> tuple[ScoreColumns, Floats]:
    """Return scores that the caller gave: names of columns, an array, a series or a table."""
    positive = check_label_given(pos_label, classes)
    if isinstance(scores, str) or (isinstance(scores, Sequence) and all(isinstance(name, str) for name in scores)):
        names = (scores,) if isinstance(scores, str) else ordered_by_class(scores, classes) or tuple(scores)
        for name in names:
            if name not in table.names:
                raise unknown_name("scores", "name columns of the reference", name, table.names)
        values = np.column_stack([_numbers(table, name, "reference") for name in names])
    else:
        values, columns = score_columns(scores, "scores")
        check_row_order(table, scores, "scores", of="reference")
        if columns is not None and len(columns) > 1 and classes:
            values = values[:, match_classes(columns, classes, "scores")]
        names = _names(values.shape[1], columns, classes)
        _refuse_other_column(names, values, table)
    if len(values) != table.n_rows:
        got = Phrase(f"{len(values):,} for {table.n_rows:,}")
        raise fault("scores", "have one row per row of the reference", got, "pass the scores of the same rows")
    if classes and values.shape[1] != len(classes) and (len(classes) > 2 or values.shape[1] != 1):
        hint = f"one for each of {listed(classes)}"
        raise fault("scores", f"have {len(classes)} columns", values.shape[1], hint)
    reading = ScoreColumns(names=names, classes=classes, positive=positive)
    return reading, reading.of_both(check_complete(values, "scores"))


def _names(k: int, columns: tuple[object, ...] | None, classes: tuple[Any, ...]) -> tuple[str, ...]:
    if k == 1:
        return (str(columns[0]) if columns else SCORE,)
    labels = classes if len(classes) == k else columns or range(k)
    return tuple(f"{SCORE} {label}" for label in labels)


def _refuse_other_column(names: tuple[str, ...], values: Floats, table: Table) -> None:
    """Refuse scores that would take the place of a column with other values."""
    for name, own in zip(names, values.T, strict=True):
        if name in table.names and not np.array_equal(_numbers(table, name, "reference"), own, equal_nan=True):
            hint = "rename that column, or name the scores in a series"
            raise fault("scores", f"have a different name from the column {shown(name)} of the reference", hint=hint)


def check_label_given(pos_label: object, classes: tuple[Any, ...]) -> int:
    """Return the place of the class whose probability a single column is: by default the second."""
    if pos_label is None:
        return 1
    if not classes:
        raise fault("pos_label", "be left out without labels", pos_label, "pass labels, or leave it out")
    return check_label(pos_label, list(classes))


def _numbers(table: Table, name: str, called: str) -> Floats:
    column = table.column(name)
    if column.family == "number":
        return column.floats()
    return as_floats(column.cells(), Argument(called, key=name), rule="hold probabilities")

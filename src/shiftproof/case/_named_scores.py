"""Labels and scores that are columns of the tables, of which all rows are read together."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Column, Rows, Table, fault, open_table, read_aligned, release_unused, unknown_name
from shiftproof.data import open_rows
from shiftproof.warehouse import SCORED, check_one_engine

if TYPE_CHECKING:
    from shiftproof.panel import Panel


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoredColumns:
    """Scores and labels of all rows, and tables to compare.

    Parameters
    ----------
    panel : Panel
        The scores and labels.
    tables : pair of Table
        The labelled and the new rows; random samples of tables that are not in memory. Nothing is compared without new
        rows, so that a sample is not needed then.
    whole : pair of Table, optional
        All rows of both, if one of them is not in memory.
    sampled : pair of arrays of row numbers, optional
        Which rows of the panel the tables hold; None if they hold all.
    hidden : frozenset of str
        The columns of scores and labels, which are not features.
    """

    panel: Panel
    tables: tuple[Table | None, Table | None]
    whole: tuple[Table, Table] | None
    sampled: tuple[Rows, Rows] | None
    hidden: frozenset[str]


def names_scores(models: object) -> TypeGuard[Mapping[str, str]]:
    """Return whether models are given by the columns of their scores, as ``{"model": "column"}``."""
    return isinstance(models, Mapping) and bool(models) and all(isinstance(name, str) for name in models.values())


def read_scored(
    columns: Mapping[str, str], X: object, y: object, X_new: object, *, pos_label: object, names: tuple[str, str, str]
) -> ScoredColumns:
    """Read the columns of scores and labels, each table's by one query.

    Parameters
    ----------
    columns : mapping of model to column
        Probabilities, in both tables.
    X, X_new : tables, or paths of files
        In memory or not.
    y : str or sequence of labels
        The column of labels; labels themselves only for a table in memory.
    pos_label : label, optional
        The class whose probabilities the scores are.
    names : three str
        What errors call X, y and X_new.
    """
    from shiftproof.panel import Panel

    if X is None:
        raise fault(names[0], "be a table with the columns of scores", hint="pass the rows that have the scores")
    old, new = _opened(X, names[0]), None if X_new is None else _opened(X_new, names[2])
    if new is not None:
        check_one_engine(old, new, (names[0], names[2]))
    scores = _score_columns(columns, {names[0]: old} | ({} if new is None else {names[2]: new}))
    labels = _label_columns(y, old, names)
    known, rows = _at_most_a_million(*read_aligned(old, [*labels, *scores]))
    unknown, new_rows = (None, None) if new is None else _at_most_a_million(*read_aligned(new, scores))
    panel = Panel.from_scores(
        _labels(known.column(labels[0])) if labels else y,
        {model: _scores(known.column(name)) for model, name in columns.items()},
        new=None if unknown is None else {model: _scores(unknown.column(name)) for model, name in columns.items()},
        pos_label=pos_label,
    )
    hidden = frozenset([*labels, *scores])
    del known, unknown
    release_unused()
    if new is None:
        alone = None if old.is_remote else old
        return ScoredColumns(panel=panel, tables=(alone, None), whole=None, sampled=None, hidden=hidden)
    return ScoredColumns(
        panel=panel,
        tables=(old.drawn(), new.drawn()),
        whole=(old, new) if old.is_remote or new.is_remote else None,
        sampled=_sampled((old, rows), (new, new_rows)),
        hidden=hidden,
    )


def _opened(table: object, name: str) -> Table:
    return open_table(open_rows(table) if isinstance(table, (str, os.PathLike)) else table, name)


def _at_most_a_million(columns: Table, sample: Rows | None) -> tuple[Table, Rows | None]:
    """Draw a million rows of a longer table that is not in memory, those of its sample first."""
    if sample is None or columns.n_rows <= SCORED:
        return columns, sample
    others = np.ones(columns.n_rows, dtype=bool)
    others[sample] = False
    more = np.random.default_rng(0).choice(np.flatnonzero(others), SCORED - len(sample), replace=False)
    return columns.take(np.concatenate([sample, np.sort(more)])), np.arange(len(sample))


def _score_columns(columns: Mapping[str, str], tables: Mapping[str, Table]) -> list[str]:
    for name in columns.values():
        for called, table in tables.items():
            if name not in table.names:
                raise unknown_name("models", f"name columns of {called} with scores", name, table.names)
    return [*dict.fromkeys(columns.values())]


def _sampled(*sides: tuple[Table, Rows | None]) -> tuple[Rows, Rows] | None:
    """Return the rows of both samples; None if both are the whole tables."""
    if all(rows is None for _, rows in sides):
        return None
    old, new = (np.arange(table.n_rows) if rows is None else rows for table, rows in sides)
    return old, new


def _label_columns(y: object, old: Table, names: tuple[str, str, str]) -> list[str]:
    """Return the column of labels, if it is named; a table that is not in memory must have one."""
    if isinstance(y, str):
        if y not in old.names:
            raise unknown_name(names[1], f"name a column of {names[0]}", y, old.names)
        return [y]
    if old.is_remote:
        raise fault(names[1], f"name a column of {names[0]}, which is not in memory", hint="add the labels to it")
    return []


def _labels(column: Column) -> NDArray[Any] | list[Any]:
    # Millions of Python's own numbers would not fit into memory.
    if column.family == "number":
        values, missing = column.numbers()
        return column.floats() if missing else values
    distinct, codes = column.coded()
    # A missing label is refused by whoever counts them.
    if distinct and codes.min(initial=0) >= 0:
        return np.asarray(distinct)[codes]
    return column.cells()


def _scores(column: Column) -> NDArray[Any] | list[Any]:
    return column.floats() if column.family == "number" else column.cells()

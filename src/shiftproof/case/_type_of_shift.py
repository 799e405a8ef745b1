"""The type of shift between labelled and new data: from the features, or from the scores where there are none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from shiftproof.case._record import DriftRecord
from shiftproof.case._tables import Tables
from shiftproof.core import Floats, InputError, Note, Rows
from shiftproof.shift import PartShift, ShiftKind, kind_of_shift, shifts_of_parts

if TYPE_CHECKING:
    from shiftproof.panel import Panel

#: Why the features say nothing about the type of shift.
NO_FEATURES = "features not compared"


def by_features(tables: Tables, labels: object, *, seed: int, n_jobs: int | None) -> ShiftKind | Note:
    """Determine the type of shift from the columns that both tables share, or say why that is impossible."""
    if tables.not_compared:
        return Note(code=NO_FEATURES, detail=tables.not_compared)
    if labels is None:
        return Note(code=NO_FEATURES, detail="no labels of the reference rows were given")
    try:
        return kind_of_shift(*_of_features(tables, labels), kinds=tables.tested, random_state=seed, n_jobs=n_jobs)
    except InputError as error:
        # The caller may know the table by another name.
        clause = error.renamed("X", tables.names[0]).clause
        return Note(code=NO_FEATURES, detail=str(clause), sensitive=True)


def by_scores(panel: Panel, comparable: Mapping[str, Floats], *, why: Note, seed: int, n_jobs: int | None) -> ShiftKind:
    """Determine the type of shift from the scores: both sides were scored alike, so they compare as features do."""
    # Rows that were never tested have no scores to compare.
    if not panel.tested.all():
        hint = "pass X and X_new as tables, or models that were tested on every row"
        raise InputError(f"the type of shift needs features that can be compared: {why.detail}; {hint}")
    return kind_of_shift(*_of_scores(panel, comparable), random_state=seed, n_jobs=n_jobs)


def parts_by_features(
    tables: Tables, labels: object, parts: Sequence[Rows], *, seed: int, n_jobs: int | None
) -> list[PartShift]:
    """Test parts of the new rows, such as months, by the columns that both tables share."""
    inputs = _of_features(tables, labels)
    return shifts_of_parts(*inputs, parts, kinds=tables.tested, random_state=seed, n_jobs=n_jobs)


def parts_by_scores(
    panel: Panel, comparable: Mapping[str, Floats], parts: Sequence[Rows], *, seed: int, n_jobs: int | None
) -> list[PartShift]:
    """Test them by the scores."""
    return shifts_of_parts(*_of_scores(panel, comparable), parts, random_state=seed, n_jobs=n_jobs)


def _of_features(tables: Tables, labels: object) -> tuple[object, object, object]:
    return tables.old.only(tables.tested), labels, tables.current.only(tables.tested)


def _of_scores(panel: Panel, comparable: Mapping[str, Floats]) -> tuple[object, object, object]:
    labelled = {name: panel.out_of_fold[name] for name in comparable}
    old, new = (_columns(scores, len(panel.classes_)) for scores in (labelled, comparable))
    return old, panel.classes_[panel.y], new


def by_past(shift: ShiftKind, history: DriftRecord) -> ShiftKind:
    """Mark a shift as familiar if the user's own past has differed as much."""
    if not history.familiar(shift.evidence.foreign_by):
        return shift
    return replace(shift, evidence=replace(shift.evidence, familiar=True))


def _columns(scores: Mapping[str, Floats], k: int) -> dict[str, Floats]:
    """Return scores as columns; the first class's follow from the others'."""
    return {f"{name}, {code}": values[:, code] for name, values in scores.items() for code in range(1, k)}

"""The scores that stage one compares: those given, or those of a panel, made alike for both tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import (
    Argument,
    Floats,
    InputError,
    Note,
    Phrase,
    Table,
    check_complete,
    check_row_order,
    fault,
    listed,
    match_classes,
    score_columns,
    shown,
    unknown_name,
)
from shiftproof.detection._scores import ScorePair

if TYPE_CHECKING:
    from shiftproof.case import Case
    from shiftproof.panel import Panel, PreparedRows

# Out-of-fold scores of models that share training rows vary more than independent ones: measured without any shift on
# mammography, phoneme and page, by 0 to 20% for trees, forests, neighbours and naive Bayes.
_FOLD_INFLATION = 1.25
_ONLY = "score"
# One side's scores, and the names of their columns where they have any.
_Named = tuple[Floats, tuple[object, ...] | None]


def given_scores(
    reference: object, current: object, old: Table, new: Table, labels: object = None
) -> tuple[ScorePair, ...]:
    """Check scores that the caller gave and bring them together; none if none were given."""
    if reference is None and current is None:
        return ()
    if reference is None or current is None:
        absent, given = ("reference", "current") if reference is None else ("current", "reference")
        raise fault(
            f"{absent}_scores", f"be given with {given}_scores", Phrase("none"), "score both tables with the same model"
        )
    before, after = _named(reference, old, "reference_scores"), _named(current, new, "current_scores")
    if set(before) != set(after):
        got = f"{listed(after)} for {listed(before)}"
        raise fault(
            "current_scores",
            "be for the same models as reference_scores",
            Phrase(got),
            "score both tables with each model",
        )
    classes = None
    if labels is not None:
        from shiftproof.panel import encode_labels

        classes = encode_labels(labels, "reference_labels")[0]
    return tuple(_pair(model, before[model], after[model], classes) for model in before)


def panel_scores(case: Case) -> tuple[tuple[ScorePair, ...], tuple[Note, ...]]:
    """Pair each model's scores of both tables, both by models that never saw the row.

    Returns the pairs, and a note for each model that cannot score the new rows. Its cause, such as a new category or
    a missing value, shows in the features.
    """
    panel = case.panel
    if panel.origin == "scores":
        # Scores that are columns of tables elsewhere were read there, of all rows or of a million drawn ones.
        m = None if case.tables.whole is not None else case.tables.all_rows[1].n_rows
        return score_only_pairs(panel, m), ()
    try:
        new = case.comparable
    except InputError as error:
        # A column that the new table lost stops every model, but not the comparison of the others.
        detail = str(error.clause)
        return (), tuple(
            Note(code="model cannot score", subject=name, detail=detail, sensitive=True) for name in panel.names
        )
    blocks = None if panel.n_folds == 1 else (panel.folds[0, panel.tested], case.folds[0])
    pairs = [_of_panel(panel, model, _reference_scores(case, model), new.values[model], blocks) for model in new.values]
    return tuple(pairs), tuple(new.failures.values())


def _reference_scores(case: Case, model: str) -> Floats:
    """Return a model's scores of the reference rows, made as those of the new rows are."""
    panel = case.panel
    if panel.origin == "prefit" and panel.scorers[model].calibrator is not None:
        # The reference was calibrated out of fold, new rows are not; like is compared with like.
        return panel.apply(case.once(_prepared_reference), models=[model])[model]
    return np.asarray(panel.fold_probabilities[model][0, panel.tested])


def _prepared_reference(case: Case) -> PreparedRows:
    return case.panel.prepare(case.tables.X, case.tables.names[0])


def score_only_pairs(panel: Panel, m: int | None) -> tuple[ScorePair, ...]:
    """Pair the scores of a panel without models, which must have some of each of the m new rows, if m is given."""
    absent = [model for model in panel.names if model not in panel.new_scores]
    if absent:
        hint = "make it with Panel.from_scores(y, scores, new={...}) or cross_fit"
        raise fault("panel", "include scores for the new rows", Phrase(f"none for {listed(absent)}"), hint)
    for model, scores in panel.new_scores.items():
        if m is not None and len(scores) != m:
            got = f"{len(scores):,} of {shown(model)} for {m:,} rows"
            raise fault(
                "panel", "have one score per row of the new data", Phrase(got), "pass the scores of the same rows"
            )
    return tuple(_of_panel(panel, model, panel.out_of_fold[model], panel.new_scores[model]) for model in panel.names)


def _of_panel(
    panel: Panel,
    model: str,
    before: Floats,
    after: Floats,
    blocks: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None,
) -> ScorePair:
    # With two classes, the columns add up to 1.
    labels = tuple(panel.classes_.tolist())
    first = 1 if len(labels) == 2 else 0
    return ScorePair(
        model=model,
        labels=labels[first:],
        reference=before[:, first:],
        current=after[:, first:],
        blocks=blocks,
        inflation=_FOLD_INFLATION if blocks is not None else 1.0,
    )


def _named(scores: object, table: Table, name: str) -> dict[str, _Named]:
    """Return the scores by model, one row per row of the table; a text names a column of it."""
    of = name.removesuffix("_scores")
    if isinstance(scores, str):
        if scores not in table.names:
            raise unknown_name(name, "name a column of the table", scores, table.names)
        column = table.column(scores)
        # A list of millions of Python's own numbers would not fit into memory.
        values = column.floats() if column.family == "number" else column.cells()
        return {_ONLY: _checked(values, table, name, of)}
    if isinstance(scores, Mapping):
        if not scores:
            raise fault(name, "hold at least one model's scores", dict(scores), "write {'name': probabilities}")
        return {str(model): _checked(array, table, Argument(name, key=model), of) for model, array in scores.items()}
    return {_ONLY: _checked(scores, table, name, of)}


def _checked(scores: object, table: Table, name: str | Argument, of: str) -> _Named:
    array, columns = score_columns(scores, name)
    if len(array) != table.n_rows:
        got = Phrase(f"{len(array):,} for {table.n_rows:,}")
        raise fault(name, "have one row per row of the table", got, "align them")
    check_row_order(table, scores, name, of=of)
    hint = "columns are classes; pass {'model': scores, ...} for several models"
    return check_complete(array, name, hint=hint), columns


def _pair(model: str, before: _Named, after: _Named, classes: NDArray[Any] | None) -> ScorePair:
    k = before[0].shape[1]
    if after[0].shape[1] != k:
        hint = "pass one column per class on both sides"
        raise fault("current_scores", f"have as many columns as reference_scores, {k}", after[0].shape[1], hint)
    known = [f"class {number}" for number in range(k)] if classes is None else classes.tolist()
    if k == 1 and len(known) > 2:
        raise fault(
            "reference_scores",
            f"have {len(known)} columns, one for each of {listed(known)} in reference_labels",
            Phrase("1"),
            "pass the probabilities of all classes",
        )
    if k > 1 and len(known) != k:
        raise fault(
            "reference_labels",
            f"contain only the {k} classes that the scores have columns for",
            Phrase(f"{len(known)}: {listed(known)}"),
            "give one column per class in sorted order",
        )
    reference, current = _aligned(before, after, None if classes is None else known)
    if k == 1:
        known = _class_of_column(before[1], after[1], known)
    elif k == 2:  # the columns add up to 1
        reference, current, known = reference[:, -1:], current[:, -1:], known[-1:]
    labels = ("",) if classes is None and k <= 2 else tuple(known)
    return ScorePair(model=model, labels=labels, reference=reference, current=current)


def _aligned(before: _Named, after: _Named, classes: list[Any] | None) -> tuple[Floats, Floats]:
    """Put the columns of both sides in one order, by their names where they have any."""
    if before[0].shape[1] == 1:
        return before[0], after[0]
    if classes is None and before[1] is not None and after[1] is not None:
        # Without labels the two sides only have to agree.
        places = match_classes(after[1], before[1], "current_scores", called="columns of reference_scores")
        return before[0], after[0][:, places]
    reference, current = (
        # Columns without names are in the sorted order of the classes, so named ones are put in that order.
        values if columns is None else values[:, match_classes(columns, classes or _in_order(columns), name)]
        for (values, columns), name in ((before, "reference_scores"), (after, "current_scores"))
    )
    return reference, current


def _in_order(columns: tuple[Any, ...]) -> list[Any]:
    """Sort names of columns as scikit-learn sorts classes: 2 before 10; as text if they are of several types."""
    try:
        return sorted(columns)
    except TypeError:
        return sorted(columns, key=str)


def _class_of_column(
    before: tuple[object, ...] | None, after: tuple[object, ...] | None, classes: list[Any]
) -> list[Any]:
    """Return the class that a single column on each side is named after; by default the last one."""
    named = [label for columns in (before, after) for label in classes if columns == (label,)]
    if len(set(named)) > 1:
        got = Phrase(f"{shown(named[0])} in reference_scores and {shown(named[1])} in current_scores")
        raise fault("current_scores", "be for the same class as reference_scores", got, "score both for the same class")
    return named[:1] or classes[-1:]

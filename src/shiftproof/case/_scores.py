"""Scores of the new data: by the models that will be used, and made as those of the labelled data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Argument, Failure, Floats, InputError, Note, Phrase, fault

if TYPE_CHECKING:
    from shiftproof.panel import Panel, PreparedRows


@dataclass(frozen=True, eq=False)
class NewScores:
    """Probabilities of the new rows, each of shape (m, k), by model.

    Attributes
    ----------
    values : mapping of str to ndarray
        Models that could score the rows.
    errors : mapping of str to Failure
        Models that could not, with their error.
    """

    values: Mapping[str, Floats]
    errors: Mapping[str, Failure]

    @property
    def failures(self) -> dict[str, Note]:
        """What to say of the models that could not score the rows."""
        return {
            name: Note(code="model cannot score", subject=name, detail=error.message or error.kind, sensitive=True)
            for name, error in self.errors.items()
        }


def given_new_scores(panel: Panel, X_new: object) -> dict[str, Floats]:
    """Return the scores of new rows that came with the panel; every model must have some, of equally many rows."""
    absent = [name for name in panel.names if name not in panel.new_scores]
    if absent:
        lacking = Phrase(f"none of {absent[0]!r}")
        raise fault("new", "have scores of every model", lacking, "give it to Panel.from_scores")
    scores = {name: panel.new_scores[name] for name in panel.names}
    sizes = {len(values) for values in scores.values()}
    if X_new is not None:
        from shiftproof.panel import as_features

        sizes.add(as_features(X_new, "X_new").n_rows)
    if len(sizes) > 1:
        got = " and ".join(f"{size:,}" for size in sorted(sizes))
        raise InputError(f"new scores and X_new must have the same number of rows, got {got}; align them")
    return scores


def prepared_new(panel: Panel, X_new: object, purpose: str) -> PreparedRows:
    """Bring the new rows into the form that the models know, once."""
    if panel.origin == "scores":
        hint = "pass them to Panel.from_scores(y, scores, new={...})"
        raise InputError(f"{purpose} needs scores of the new data, and this panel has none; {hint}")
    if X_new is None:
        raise InputError(Argument("X_new"), " is missing; pass the new rows")
    panel.require_models(purpose)
    return panel.prepare(X_new, "X_new")


def applied_scores(panel: Panel, rows: PreparedRows) -> NewScores:
    """Score new rows by the models that were fitted on all labelled rows."""
    return _by_model(panel, lambda name: panel.apply(rows, models=[name])[name])


def comparable_scores(panel: Panel, rows: PreparedRows, folds: NDArray[np.int64]) -> NewScores:
    """Score new rows as the labelled rows were scored: each by the model of one fold."""
    return _by_model(panel, lambda name: panel.apply_by_fold(rows, models=[name], folds=folds)[name])


def _by_model(panel: Panel, score: Callable[[str], Floats]) -> NewScores:
    """Score by every model; one that raises is left out by name, and the others go on."""
    values: dict[str, Floats] = {}
    errors: dict[str, Failure] = {}
    for name in panel.names:
        try:
            values[name] = score(name)
        except Exception as error:
            errors[name] = Failure.of(error)
    return NewScores(values, errors)

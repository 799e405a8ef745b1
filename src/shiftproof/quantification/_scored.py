"""RowScores of labelled and of new rows: from a panel, or as `run_protocol` and `quantify` hand them on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Codes, Failure, Phrase, Seed, fault, shown, unknown_name
from shiftproof.counting import Labelled, RowScores
from shiftproof.counting._samples import Places
from shiftproof.panel import Panel, as_features, encode_labels, scoring, take

#: What to learn from, and the scores of the rows to count.
Scored = tuple[Labelled, RowScores]


@dataclass(frozen=True, eq=False, kw_only=True)
class ProtocolRows:
    """Labelled rows of one run of `run_protocol`, and how to score them.

    Parameters
    ----------
    X : table
        The features.
    codes : array of shape (n,)
        The class of each row, as its place in `classes`.
    classes : array of shape (k,)
        The labels.
    cv : int, splitter or list of pairs
        The folds of a cross-fit.
    seed : int
        The seed of folds.
    n_jobs : int, optional
        Fits at a time.
    progress : bool, optional
        Whether to show a bar.
    """

    X: Any
    codes: Codes
    classes: NDArray[Any]
    cv: Any
    seed: int
    n_jobs: int | None
    progress: bool | None

    @property
    def labels(self) -> NDArray[Any]:
        """The label of each row."""
        return np.asarray(self.classes[self.codes])

    def take(self, rows: Places) -> ProtocolRows:
        """Give some of the rows."""
        return replace(self, X=take(self.X, rows), codes=self.codes[rows])


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoredTables:
    """The scores that `quantify` counts by.

    Parameters
    ----------
    labels : array of shape (n,)
        The label of each labelled row, tested or not.
    classes : array of shape (k,)
        The sorted labels.
    labelled : Labelled
        RowScores of labelled rows by what never saw them.
    new : RowScores
        RowScores of the new rows, to count by.
    comparable : RowScores
        RowScores of the new rows by models like those that scored the labelled rows, to compare the two.
    model : str
        Whose scores these are.
    briers : mapping of str to float
        Brier scores of all models on rows that they never saw, the lowest first.
    failures : mapping of str to Failure
        Models that could not be fitted, and how they failed.
    """

    labels: NDArray[Any]
    classes: NDArray[Any]
    labelled: Labelled
    new: RowScores
    comparable: RowScores
    model: str
    briers: Mapping[str, float]
    failures: Mapping[str, Failure] = field(default_factory=dict)

    @classmethod
    def of_panel(cls, panel: Panel, X_new: Any, *, model: str | None = None, random_state: Seed = 0) -> ScoredTables:
        """Score new rows by one model of a panel: the one named, or the one with the lowest Brier score."""
        briers = _briers(panel)
        if model is not None and model not in briers:
            raise unknown_name("model", "be a model of the panel", model, list(briers))
        chosen = next(iter(briers)) if model is None else model
        new, comparable = _new_scores(panel, chosen, X_new, random_state)
        return cls(
            labels=panel.classes_[panel.y],
            classes=panel.classes_,
            labelled=labelled_rows(panel, chosen),
            new=new,
            comparable=comparable,
            model=chosen,
            briers=briers,
            failures=panel.failures,
        )


def labelled_rows(panel: Panel, name: str) -> Labelled:
    """Give the scores of the tested rows by models that never saw them, with the fold that tested each first."""
    tested = np.flatnonzero(panel.tested)
    # A splitter that repeats itself may test a row in a later repeat only.
    first = (panel.folds[:, tested] >= 0).argmax(axis=0)
    places = np.column_stack([first, panel.folds[first, tested]])
    folds = np.unique(places, axis=0, return_inverse=True)[1].ravel()
    names = [shown(label) for label in panel.classes_.tolist()]
    decisions = panel.decisions[name][tested] if name in panel.decisions else None
    return Labelled(RowScores(panel.out_of_fold[name][tested], decisions), panel.y[tested], folds, names)


def applied_scores(panel: Panel, name: str, X: Any) -> RowScores:
    """Score new rows by the model that was fitted on all rows, with its own decisions where it has no probabilities."""
    return RowScores(panel.apply(X, models=[name])[name], panel.decide(X, name))


def fewer_folds(y: Any, cv: int) -> tuple[int, list[str]]:
    """Give the number of folds: as asked, or as many as the rarest class has rows; and a note where it is fewer."""
    classes, codes = encode_labels(y)
    counts = np.bincount(codes)
    rarest = int(counts.argmin())
    if not 2 <= counts[rarest] < cv:
        return cv, []
    label = shown(classes.tolist()[rarest])
    return int(counts[rarest]), [
        f"class {label} has {counts[rarest]} rows, so that there are as many folds instead of {cv}"
    ]


def brier(labelled: Labelled) -> float:
    """Give the Brier score of labelled rows' scores."""
    from shiftproof.measures import measure

    return float(measure("brier", labelled.codes, labelled.probabilities).estimate)


def _briers(panel: Panel) -> dict[str, float]:
    """Give each model's Brier score on rows that it never saw, the lowest first."""
    briers = {name: brier(labelled_rows(panel, name)) for name in panel.names}
    return dict(sorted(briers.items(), key=lambda pair: pair[1]))


def _new_scores(panel: Panel, model: str, X_new: Any, random_state: Seed) -> tuple[RowScores, RowScores]:
    """Give the scores to count by, and those that are made as the labelled rows' were."""
    if model in panel.new_scores:
        scores = RowScores(panel.new_scores[model])
        if X_new is not None and as_features(X_new, "X_new").n_rows != len(scores):
            got = f"{as_features(X_new, 'X_new').n_rows:,} for {len(scores):,} scores"
            raise fault("X_new", "have the rows that the panel has scores of", Phrase(got), "align the two")
        return scores, scores
    if X_new is None:
        hint = "pass the rows to count"
        raise fault("X_new", "be given, or the panel have scores of new rows", None, hint)
    panel.require_models("counting new rows")
    with scoring("X_new"):
        comparable = RowScores(
            panel.apply_by_fold(X_new, models=[model], random_state=random_state)[model],
            panel.decide_by_fold(X_new, model, random_state=random_state),
        )
        return (applied_scores(panel, model, X_new) if panel.scorers else comparable), comparable

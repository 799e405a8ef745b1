"""RowScores of labelled and of new rows: from a panel, or as `run_protocol` and `quantify` hand them on."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.case import Case
from shiftproof.core import Codes, Floats, fault, shown, unknown_name
from shiftproof.counting import Labelled, RowScores
from shiftproof.counting._samples import Places
from shiftproof.panel import Panel, encode_labels, take

WEIGHTED = "class proportions of the labelled data, and the rates behind the estimate, are weighted by sample_weight"
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
        Number of fits to run in parallel.
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
    classes : array of shape (k,)
        The sorted labels.
    labelled : Labelled
        Scores of labelled rows by models that never saw them.
    new : RowScores
        Scores of the new rows, to count by.
    comparable : RowScores
        Scores of the new rows by models like those that scored the labelled rows, to compare the two.
    model : str
        Whose scores these are.
    briers : mapping of str to float
        Brier scores of all models on rows that they never saw, the lowest first.
    """

    classes: NDArray[Any]
    labelled: Labelled
    new: RowScores
    comparable: RowScores
    model: str
    briers: Mapping[str, float]

    @classmethod
    def of_case(cls, case: Case, model: str | None = None) -> ScoredTables:
        """Take the scores of one model of a case: the one named, or the one with the lowest Brier score."""
        panel = case.panel
        labelled = {name: labelled_rows(panel, name) for name in case.scored_by}
        briers = dict(sorted(((name, brier(rows)) for name, rows in labelled.items()), key=itemgetter(1)))
        if model is not None and model not in briers:
            raise unknown_name("model", "be a model of the panel", model, list(briers))
        chosen = next(iter(briers)) if model is None else model
        new, comparable = _new_scores(case, chosen)
        return cls(
            classes=panel.classes_,
            labelled=labelled[chosen],
            new=new,
            comparable=comparable,
            model=chosen,
            briers=briers,
        )


def labelled_rows(panel: Panel, name: str) -> Labelled:
    """Return the scores of the tested rows by models that never saw them, with the fold that tested each first."""
    names = [shown(label) for label in panel.classes_.tolist()]
    decisions = panel.decisions.get(name)
    # One split that tested every row, as of deployed models: nothing has to be copied.
    if panel.n_repeats == 1 and panel.tested.all():
        scores = RowScores(panel.fold_probabilities[name][0], decisions)
        return _with_weights(Labelled(scores, panel.y, panel.folds[0], names), panel.sample_weight)
    tested = np.flatnonzero(panel.tested)
    # A splitter that repeats itself may test a row in a later repeat only. The first repeat counts, not the mean over
    # repeats: that would be the scores of a better model than the one that scores new rows.
    first = (panel.folds[:, tested] >= 0).argmax(axis=0)
    # Folds of different repeats with the same number are different folds.
    of_row = panel.folds[first, tested]
    folds = np.unique(first * (of_row.max() + 1) + of_row, return_inverse=True)[1]
    scores = RowScores(panel.fold_probabilities[name][first, tested], None if decisions is None else decisions[tested])
    weights = None if panel.sample_weight is None else panel.sample_weight[tested]
    return _with_weights(Labelled(scores, panel.y[tested], folds, names), weights)


def _with_weights(labelled: Labelled, weights: Floats | None) -> Labelled:
    return labelled if weights is None else labelled.with_weights(weights).with_notes([WEIGHTED])


def applied_scores(panel: Panel, name: str, X: object) -> RowScores:
    """Score new rows by the model that was fitted on all rows, with its own decisions where it has no probabilities."""
    rows = panel.prepare(X)
    return RowScores(panel.apply(rows, models=[name])[name], panel.decide(rows, name))


def _new_scores(case: Case, model: str) -> tuple[RowScores, RowScores]:
    """Return the scores to count by, and those that are made as the labelled rows' were."""
    panel, applied, comparable = case.panel, case.applied.values[model], case.comparable.values[model]
    # Probabilities say what the model decides; only decision values need its own word.
    if panel.new_scores or model not in panel.decisions:
        new = RowScores(applied)
        return new, new if applied is comparable else RowScores(comparable)
    if panel.scorers and case.comparable is case.applied:
        new = RowScores(applied, panel.decide(case.prepared, model))
        return new, new
    # The draw of `case.folds`, with the repeats that test rows which the first does not.
    folds = panel.draw_folds(case.prepared.n_rows, random_state=case.seed)
    by_fold = RowScores(comparable, panel.decide_by_fold(case.prepared, model, folds=folds))
    return RowScores(applied, panel.decide(case.prepared, model)) if panel.scorers else by_fold, by_fold


def check_folds(cv: object, hint: str = "10 is usual") -> None:
    """Refuse cv='prefit' and other text where everything is fitted anew."""
    if cv is None or isinstance(cv, str):
        raise fault("cv", "be a whole number or a scikit-learn splitter", cv, hint)


def fewer_folds(y: object, cv: Any) -> tuple[Any, list[str]]:
    """Give the folds: as asked, or as many as the rarest class has rows; and a note where they are fewer."""
    # Splitters and lists of folds are taken as they are; cross_fit refuses True.
    if not isinstance(cv, numbers.Integral) or isinstance(cv, bool):
        return cv, []
    classes, codes = encode_labels(y)
    counts = np.bincount(codes)
    rarest = int(counts.argmin())
    # A class with one row cannot be folded at all: cross_fit says so itself.
    if not 2 <= counts[rarest] < cv:
        return cv, []
    label = shown(classes.tolist()[rarest])
    return int(counts[rarest]), [
        f"class {label} has {counts[rarest]} rows, so there are that many folds instead of {cv}"
    ]


def brier(labelled: Labelled) -> float:
    """Return the Brier score of labelled rows' scores."""
    from shiftproof.measures import measure

    weights = labelled.weights if labelled.weighted else None
    return float(measure("brier", labelled.codes, labelled.probabilities, sample_weight=weights).estimate)

"""The panel: candidate models and their scores of rows that they never saw."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import (
    Failure,
    Floats,
    InputError,
    Seed,
    check_count,
    check_fraction,
    fault,
    generator,
    listed,
    shown,
    unknown_name,
)
from shiftproof.data import ColumnTypes
from shiftproof.panel._by_fold import check_folds, decide_by_fold, draw_folds, score_by_fold
from shiftproof.panel._fingerprint import fingerprint_labels
from shiftproof.panel._given_scores import positive_place, read_scores
from shiftproof.panel._inputs import (
    Features,
    PreparedRows,
    as_features,
    fingerprint_features,
    match_columns,
)
from shiftproof.panel._matching import check_made_from
from shiftproof.panel._score_cache import ScoreCache
from shiftproof.panel._scoring import Scorer
from shiftproof.panel._words import panel_summary, plan_text

# How the scores of the labelled rows came about.
Origin = Literal["cross-fitted", "prefit", "scores"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Panel:
    """Candidate models, with scores of each row from models that have not seen it.

    Made by `cross_fit`, or by `Panel.from_scores` from probabilities alone. All functions accept a panel instead of
    models, so nothing is fitted twice.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The sorted labels.
    y : ndarray of shape (n,)
        For each row, the index of its label in `classes_`.
    out_of_fold : mapping of str to ndarray of shape (n, k)
        Probabilities per model, columns in the order of `classes_`, averaged over the repeats; NaN in rows that were
        never tested.
    fold_probabilities : mapping of str to ndarray of shape (repeats, n, k)
        The same before averaging.
    folds : ndarray of shape (repeats, n)
        The fold in which each row was tested; -1 if none.
    origin : {"cross-fitted", "prefit", "scores"}
        Where the scores come from: models that were fitted for them (`cross_fit`), deployed models (``cv="prefit"``),
        or scores without models (`Panel.from_scores`).
    time_ordered : bool
        Whether each fold was tested by a model that was fitted on earlier rows only.
    balanced : bool
        Whether the models were fitted on the same number of rows from each class; probabilities are then converted back
        to the class proportions of all training rows.
    n_fits : int
        How many models were fitted to make the panel, including those fitted on all rows; 0 if none.
    fold_sizes : tuple of (int, int)
        The number of training and of test rows of each fold, repeat after repeat; empty if nothing was fitted.
    n_copied : int
        How many rows were tested by a model that was trained on an exact copy of them; see `CopiedRows`.
    failures : mapping of str to Failure
        Models left out, with the first line of their error.
    sample_weight, groups : ndarray of shape (n,) or None
        The weights and groups as given; groups are converted to numbers.
    feature_names : tuple of str
        The columns that the models learnt from.
    named : bool
        Whether these are names of a table's columns, not of an array's.
    column_types : ColumnTypes
        The types of these columns; new rows with other types are refused.
    new_scores : mapping of str to ndarray of shape (m, k)
        Probabilities for new rows that were passed to `from_scores`.
    class_assumed : bool
        Whether some scores of `from_scores` were a single column without a named class: they count as probabilities of
        the second class.
    decisions : mapping of str to ndarray of shape (n,)
        For models without probabilities, the class that they predicted when the row was first tested; -1 if it never
        was.
    scorers, fold_scorers : mapping
        The refitted models, and the models of each repeat and fold, with their calibration if they need one.
    fingerprint : str
        Hashes of X and of y.

    Examples
    --------
    >>> panel = Panel.from_scores(["no", "yes", "no", "yes"], {"old": [0.1, 0.8, 0.3, 0.4]})
    >>> panel
    Panel(old; 4 rows, 2 classes, scores only)
    >>> panel.out_of_fold["old"][0].tolist()
    [0.9, 0.1]
    >>> panel.classes_[panel.predictions("old")].tolist()
    ['no', 'yes', 'no', 'no']
    """

    classes_: NDArray[Any]
    y: NDArray[np.int64]
    out_of_fold: Mapping[str, Floats]
    fold_probabilities: Mapping[str, Floats]
    folds: NDArray[np.int64]
    fingerprint: str
    origin: Origin
    time_ordered: bool = False
    balanced: bool = False
    n_fits: int = 0
    fold_sizes: tuple[tuple[int, int], ...] = ()
    n_copied: int = 0
    feature_names: tuple[str, ...] = ()
    named: bool = False
    column_types: ColumnTypes = field(default_factory=lambda: ColumnTypes({}), repr=False)
    failures: Mapping[str, Failure] = field(default_factory=dict)
    sample_weight: Floats | None = None
    groups: NDArray[np.int64] | None = None
    new_scores: Mapping[str, Floats] = field(default_factory=dict)
    class_assumed: bool = False
    decisions: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    scorers: Mapping[str, Scorer] = field(default_factory=dict)
    fold_scorers: Mapping[str, Sequence[Sequence[Scorer]]] = field(default_factory=dict)
    _cache: ScoreCache = field(default_factory=ScoreCache, init=False, repr=False)

    def __post_init__(self) -> None:
        for attribute in fields(self):
            value = getattr(self, attribute.name)
            for array in value.values() if isinstance(value, dict) else [value]:
                # Panels are shared by all verbs, and their scores are cached by hash.
                if isinstance(array, np.ndarray):
                    array.flags.writeable = False

    @classmethod
    def from_scores(
        cls,
        y: object,
        scores: Mapping[str, Any],
        *,
        new: Mapping[str, Any] | None = None,
        sample_weight: object = None,
        pos_label: object = None,
    ) -> Panel:
        """Make a panel from probabilities alone; no model is needed.

        Parameters
        ----------
        y : sequence of labels of length n
            The labels of the scored rows.
        scores : dict of str to array-like of shape (n,) or (n, k), or to a table
            For each model, the probability of `pos_label`, or one column per class. Columns of an array must be in the
            order of the sorted labels; columns of a table or a dict must be named after the classes, in any order. The
            models must not have been fitted on these rows.
        new : dict of str to array-like of shape (m,) or (m, k), optional
            The same models' probabilities for new rows without labels.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows.
        pos_label : label, optional
            The class that a single column is about; by default the second of two in sorted order. Functions that get
            the panel refuse another `pos_label` unless the class is named here. Only for two classes: with more, pass
            `pos_label` to those functions.

        Returns
        -------
        Panel
            A panel without models: functions that refit models or score rows raise an error.

        Examples
        --------
        >>> panel = Panel.from_scores([0, 1], {"old": [0.2, 0.9]}, new={"old": [0.5]})
        >>> panel.new_scores["old"].tolist()
        [[0.5, 0.5]]
        """
        given = read_scores(y, scores, new=new, sample_weight=sample_weight, pos_label=pos_label)
        return cls(
            classes_=given.classes,
            y=given.codes,
            out_of_fold=given.labelled,
            fold_probabilities={name: values[None] for name, values in given.labelled.items()},
            folds=np.broadcast_to(np.int64(0), (1, len(given.codes))),
            fingerprint=f"-{fingerprint_labels(given.classes, given.codes)}",
            origin="scores",
            sample_weight=given.sample_weight,
            new_scores=given.new,
            class_assumed=given.class_assumed,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the models that have scores."""
        return tuple(self.out_of_fold)

    @property
    def models(self) -> dict[str, Any]:
        """The models fitted on all rows, or the deployed ones."""
        return {name: scorer.estimator for name, scorer in self.scorers.items()}

    @property
    def fold_models(self) -> dict[str, list[list[Any]]]:
        """The fitted models by name, repeat and fold."""
        scorers = self.fold_scorers.items()
        return {name: [[scorer.estimator for scorer in repeat] for repeat in repeats] for name, repeats in scorers}

    @property
    def tested(self) -> NDArray[np.bool_]:
        """Which rows have scores; for example, the first block in time has none."""
        return np.asarray((self.folds >= 0).any(axis=0))

    @property
    def n_repeats(self) -> int:
        """The number of repeats of the split."""
        return len(self.folds)

    @property
    def n_folds(self) -> int:
        """The number of folds of a repeat; 1 if the panel is from a single split, deployed models or given scores."""
        return int(self.folds.max()) + 1

    @property
    def deployed(self) -> bool:
        """Whether the models were fitted elsewhere, so they are never refitted here."""
        return self.origin != "cross-fitted"

    def positive(self, pos_label: object = None) -> int:
        """Return the index of the positive class in `classes_`: by default the second of two.

        Refuses another class than the second if the scores have one column and nobody said whose probabilities they
        are: they may be meant for that class, and would be read the wrong way round.

        Examples
        --------
        >>> Panel.from_scores(["no", "yes"], {"old": [0.2, 0.9]}, pos_label="yes").positive("no")
        0
        """
        place = positive_place(self.classes_, pos_label)
        if self.class_assumed and place != 1:
            rule = f"be {shown(self.classes_.tolist()[1])}, the class that the scores are assumed to be for"
            hint = "name the class of the scores in Panel.from_scores(..., pos_label=...)"
            raise fault("pos_label", rule, pos_label, hint)
        return place

    def predictions(self, name: str, *, threshold: float | None = None, pos_label: object = None) -> NDArray[np.int64]:
        """Return the predicted class of each row as an index into `classes_`; -1 if the row was never tested.

        Parameters
        ----------
        name : str
            The model.
        threshold : float, optional
            Predict the positive class at this probability or above; by default, predict the most likely class.
        pos_label : label, optional
            The positive class; needed only with a threshold.
        """
        probabilities = self._of(name)
        if threshold is None:
            predicted = probabilities.argmax(axis=1)
        else:
            threshold = check_fraction(threshold, "threshold", hint="0.5 is usual")
            if len(self.classes_) > 2:
                hint = "leave it out to predict the most likely class"
                raise fault("threshold", "be left out for more than two classes", threshold, hint)
            positive = self.positive(pos_label)
            predicted = np.where(probabilities[:, positive] >= threshold, positive, 1 - positive)
        return np.where(self.tested, predicted, -1).astype(np.int64)

    def prepare(self, X_new: object, name: str = "X_new") -> PreparedRows:
        """Convert and hash new rows once, for several calls of `apply` and `apply_by_fold`.

        Parameters
        ----------
        X_new : table
            New rows with the columns of X; other columns are ignored. Do not change the table afterwards: scores are
            cached by the hash that is computed here.
        name : str
            The name of the table in error messages.

        Returns
        -------
        PreparedRows
            The rows in the form that the models were fitted on.

        Examples
        --------
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from shiftproof.panel import cross_fit
        >>> panel = cross_fit({"nb": GaussianNB()}, {"a": [1, 2, 8, 9]}, [0, 0, 1, 1], cv=2)
        >>> rows = panel.prepare({"a": [1, 9], "note": ["x", "y"]})
        >>> rows.n_rows, list(rows.data.columns)
        (2, ['a'])
        """
        table = as_features(X_new, name)
        # Scores alone come without columns; then all of the table's are used.
        names = self.feature_names or table.names
        data = match_columns(names, self.named if self.feature_names else table.named, table, name)
        # Models would answer for columns of another type all the same: True is 1 to them.
        self.column_types.check(data)
        return PreparedRows(data, names, fingerprint_features(Features(data, names)), table)

    def _prepared(self, X_new: object) -> PreparedRows:
        if not isinstance(X_new, PreparedRows):
            return self.prepare(X_new)
        if X_new.names != self.feature_names:
            columns = f"the columns {listed(self.feature_names)}, got {listed(X_new.names)}"
            raise fault("X_new", f"be prepared with {columns}", hint="use this panel's prepare")
        return X_new

    def apply(self, X_new: object, *, models: Sequence[str] | None = None) -> dict[str, Floats]:
        """Score new rows with the models that were fitted on all rows.

        Do not compare these scores with the out-of-fold scores to look for shifts: the refitted models differ from the
        models of the folds, which alone looks like a shift. Use `apply_by_fold` for that.

        Parameters
        ----------
        X_new : table or PreparedRows
            New rows with the columns of X; other columns are ignored. Use `prepare` to convert the rows only once.
        models : sequence of str, optional
            The models; by default all.

        Returns
        -------
        dict of str to ndarray of shape (m, k)
            Probabilities, columns in the order of `classes_`; read-only, because they are cached.
        """
        self.require_models("scoring new rows")
        if not self.scorers:
            raise InputError("scoring new rows needs the refitted models; call cross_fit with refit=True")
        rows = self._prepared(X_new)
        cached = self._cache.table(rows.cache_key)
        return self._score_each(models, lambda name: cached(name, partial(self.scorers[name], rows.data)))

    def draw_folds(self, size: int, *, random_state: Seed = 0) -> NDArray[np.int64]:
        """Draw the folds whose models score each of `size` new rows.

        Folds are drawn in proportion to their numbers of labelled rows, up to one row.

        Parameters
        ----------
        size : int
            Number of new rows.
        random_state : int, Generator, RandomState, SeedSequence or None
            The seed of the draw.

        Returns
        -------
        ndarray of shape (repeats, size)
            One fold per repeat and row, copied from some labelled row; -1 if no model tested that labelled row.
        """
        return draw_folds(self.folds, check_count(size, "size"), generator(random_state))

    def apply_by_fold(
        self,
        X_new: object,
        *,
        models: Sequence[str] | None = None,
        folds: NDArray[np.int64] | None = None,
        random_state: Seed = 0,
    ) -> dict[str, Floats]:
        """Score new rows as the labelled rows were scored, so that both can be compared.

        Each new row is scored by the same folds' models as some labelled row: by one model or, with repeats, by the
        mean of one model per repeat. Averaging over the folds instead would change the distribution of the scores
        without any shift.

        Parameters
        ----------
        X_new : table or PreparedRows
            New rows with the columns of X; other columns are ignored. Use `prepare` to convert the rows only once.
        models : sequence of str, optional
            The models; by default all.
        folds : ndarray of shape (repeats or fewer, m), optional
            The fold that scores each row, per repeat; by default drawn by `draw_folds`.
        random_state : int, Generator, RandomState, SeedSequence or None
            The seed of the draw; all models use the same draw.

        Returns
        -------
        dict of str to ndarray of shape (m, k)
            Probabilities, columns in the order of `classes_`.
        """
        self.require_models("scoring new rows fold by fold")
        if not self.fold_scorers:
            raise InputError("scoring new rows fold by fold needs the models of the folds; use cross_fit")
        rows = self._prepared(X_new)
        if folds is None:
            folds = self.draw_folds(rows.n_rows, random_state=random_state)
        check_folds(folds, rows.n_rows, self.n_folds)
        # The draw is part of the key: other folds give other scores.
        cached, draw = self._cache.table(rows.cache_key), folds.tobytes()
        return self._score_each(
            models,
            lambda name: cached((name, draw), partial(score_by_fold, self.fold_scorers[name], rows.data, folds)),
        )

    def _score_each(self, models: Sequence[str] | None, score: Callable[[str], Floats]) -> dict[str, Floats]:
        """Score by the models that are named, by default by all; then an error says which one failed."""
        if models is not None:
            models = [models] if isinstance(models, str) else models
            for name in models:
                self._of(name, "models")
            return {name: score(name) for name in models}
        scores = {}
        for name in self.names:
            try:
                scores[name] = score(name)
            except Exception as error:
                raise InputError(f"{shown(name)} cannot score X_new: ", Failure.of(error).detail) from error
        return scores

    def decide(self, X_new: object, name: str) -> NDArray[np.int64] | None:
        """Return the classes that a refitted model predicts, shape (m,); None if the model has probabilities."""
        # Only then are rows converted and scored: likeliest classes follow from probabilities.
        return self.scorers[name].decisions(self._prepared(X_new).data) if name in self.decisions else None

    def decide_by_fold(self, X_new: object, name: str, *, folds: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """Return what `decide` does, by the model of one fold per row: the first of `folds`, as for `apply_by_fold`."""
        if name not in self.decisions:
            return None
        return decide_by_fold(self.fold_scorers[name], self._prepared(X_new).data, folds)

    def features_of(self, X: object, name: str = "X_new") -> Any:
        """Return a table's rows in the form that the models were fitted on, without columns that they do not know."""
        return match_columns(self.feature_names, self.named, as_features(X, name), name)

    def require_models(self, purpose: str) -> None:
        """Raise an error if the panel has scores only, without models."""
        if not self.scorers and not self.fold_scorers:
            raise InputError(f"{purpose} needs the models, but the panel has only scores; make it with cross_fit")

    def matches(self, X: object = None, y: object = None, *, called: tuple[str, str] = ("X", "y")) -> None:
        """Refuse X or y if the panel was not made from them; None is not checked.

        `called` are the names that errors use for them.
        """
        check_made_from(self, X, y, called=called)

    def summary(self) -> str:
        """Describe the panel in words."""
        return panel_summary(self)

    def __repr__(self) -> str:
        names = ", ".join(self.names[:8]) + ("…" if len(self.names) > 8 else "")
        return f"Panel({names}; {len(self.y):,} rows, {len(self.classes_)} classes, {plan_text(self)})"

    def _of(self, name: str, argument: str = "name") -> Floats:
        if name not in self.out_of_fold:
            raise unknown_name(argument, "be a model of the panel", name, self.names)
        return self.out_of_fold[name]

"""The protocol that all quantifiers follow, and the base of those that count by a classifier."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from shiftproof.case import Case
from shiftproof.core import (
    Failure,
    Floats,
    InputError,
    Interval,
    MethodCaution,
    Phrase,
    Seed,
    available_names,
    check_row_order,
    check_scored_rows,
    fault,
    generator,
    is_texts,
    unknown_name,
    warn,
)
from shiftproof.counting import METHODS, RESAMPLES, Labelled, Learned, Method, RowScores, Samples, bootstrap_intervals
from shiftproof.counting._samples import Places
from shiftproof.data import ColumnTypes
from shiftproof.panel import Panel, as_features, cross_fit, default_models, scoring, take, warn_refitted
from shiftproof.quantification._scored import (
    ProtocolRows,
    Scored,
    ScoredTables,
    applied_scores,
    brier,
    fewer_folds,
    labelled_rows,
)

# The default of `cross_fit`.
_FOLDS = 10


class Quantifier(BaseEstimator, ABC):  # type: ignore[misc]
    """Base class of all quantifiers, which estimate the class proportions of unlabelled rows.

    `fit` scores each labelled row without having seen that row, and learns from these scores and labels how to count
    new rows from their scores. Most quantifiers use the scores of a classifier (`ClassifierQuantifier`).

    To write your own, define three members; it then works in `quantify` and `run_protocol`:

    - `method`: the `Method` that turns scores into class proportions, one of `METHODS` or your own;
    - `score_labelled`: scores the labelled rows, and sets ``classes_`` and what `score_new` needs;
    - `score_new`: scores new rows.

    `share_key` can say which quantifiers have the same scores. If only the counting is new, and the scores come from a
    classifier, inherit from `ClassifierQuantifier` and define `method` only.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The sorted labels.
    labelled_ : Labelled
        The scores of the labelled rows.
    learned_ : Learned
        What the method learnt.
    prevalence_ : ndarray of shape (k,)
        The class proportions of the labelled rows.
    notes_ : tuple of str
        What the user should know, such as that a fallback was used.

    Examples
    --------
    Score a row by the rank of its first column among the labelled rows, and use the adjusted count:

    >>> class FirstColumn(Quantifier):
    ...     @property
    ...     def method(self):
    ...         return METHODS["adjusted count"]
    ...
    ...     def score_labelled(self, X, y):
    ...         self.classes_, codes = np.unique(y, return_inverse=True)
    ...         self.column_ = np.sort(np.asarray(X)[:, 0])
    ...         return Labelled(self.score_new(X), codes)
    ...
    ...     def score_new(self, X):
    ...         rank = np.searchsorted(self.column_, np.asarray(X)[:, 0]) / len(self.column_)
    ...         return np.column_stack([1 - rank, rank])
    >>> rng = np.random.default_rng(0)
    >>> y, y_new = np.repeat([0, 1], [300, 300]), np.repeat([0, 1], [50, 150])
    >>> X, X_new = (rng.normal(size=(len(labels), 2)) + 2 * labels[:, None] for labels in (y, y_new))
    >>> FirstColumn().fit(X, y).predict(X_new).round(2)
    array([0.24, 0.76])
    """

    random_state: Seed = 0
    _labelled: Labelled
    learned_: Learned
    # What to do with a sparse matrix.
    _way_to_dense: ClassVar[str] = "call toarray() on it"

    @property
    @abstractmethod
    def method(self) -> Method:
        """The method with its options."""

    @abstractmethod
    def score_labelled(self, X: object, y: object) -> Labelled:
        """Score each labelled row without having seen it; set ``classes_`` and what `score_new` needs.

        Parameters
        ----------
        X : table
            The features, n rows.
        y : sequence of labels of length n
            Two classes or more.

        Returns
        -------
        Labelled
            Scores with one column per class, in the order of ``classes_``, and notes if there are any.
        """

    @abstractmethod
    def score_new(self, X: object) -> ArrayLike | RowScores:
        """Score new rows, shape (m, k); return `RowScores` if decisions are not the most probable classes.

        It is not called ``score``, by which scikit-learn means the accuracy of predictions.
        """

    def share_key(self) -> Hashable:
        """Return a key that quantifiers with the same scores share; `run_protocol` scores rows once for each key.

        By default a quantifier shares its scores with no other.
        """
        return id(self)

    @property
    def labelled_(self) -> Labelled:
        """The scores of the labelled rows."""
        check_is_fitted(self, "learned_")
        return self._labelled

    def fit(self, X: object = None, y: object = None) -> Self:
        """Learn from labelled rows.

        Parameters
        ----------
        X : table of any library, 2-D array, or list of texts
            The features, n rows.
        y : sequence of labels of length n
            Text, numbers, booleans or categories; two classes or more.

        Returns
        -------
        Quantifier
            Itself.
        """
        # Wrong options are refused before rows are scored.
        method = self.method
        if not isinstance(method, Method):
            raise fault(f"{type(self).__name__}.method", "be a Method", method, "use one of METHODS, or write your own")
        check_row_order(X, y, "y")
        self._labelled = self._checked_labelled(self.score_labelled(X, y))
        self.learned_ = method.learn(self._labelled)
        self.prevalence_ = self._labelled.prevalence
        self.notes_ = (*self._labelled.notes, *self.learned_.notes)
        self._warn(self.notes_)
        return self

    def predict(self, X: object) -> Floats:
        """Estimate the class proportions of these rows.

        Parameters
        ----------
        X : table
            Unlabelled rows, one or more.

        Returns
        -------
        ndarray of shape (k,)
            The shares in the order of `classes_`, at least 0 and adding up to 1.
        """
        check_is_fitted(self, "learned_")
        return self.predict_scores(self.checked_scores(X))

    def predict_interval(self, X: object, *, level: float = 0.9, resamples: int = RESAMPLES) -> list[Interval]:
        """Estimate the class proportions with intervals.

        Parameters
        ----------
        X : table
            Unlabelled rows, one or more.
        level : float
            The nominal coverage.
        resamples : int
            Number of resamples.

        Returns
        -------
        list of k Intervals
            In the order of `classes_`. An interval contains the proportions that could have produced the estimate,
            found by resampling. The intervals are valid only if nothing but the class proportions changed.
        """
        labelled, samples, rng = self.labelled_, Samples.of(self.checked_scores(X)), generator(self.random_state)
        return bootstrap_intervals(self.method, labelled, samples, level=level, resamples=resamples, rng=rng)[0]

    def predict_scores(self, scores: ArrayLike | RowScores) -> Floats:
        """Estimate the class proportions from the rows' scores, such as a model's probabilities, of shape (m, k)."""
        check_is_fitted(self, "learned_")
        return np.asarray(self.learned_.estimate(Samples.of(scores))[0])

    def panel_for(self, X: object, y: object, *, n_jobs: int | None = None) -> Panel | None:  # noqa: ARG002
        """Return a classifier's scores of these labelled rows, for `quantify`; None if scores come from elsewhere."""
        return None

    def score_case(self, case: Case) -> ScoredTables:
        """Score both tables for `quantify` with a copy of this quantifier, which is fitted here."""
        X, X_new = case.tables.X, case.tables.X_new
        require_tables(X=X, y=case.labels, X_new=X_new)
        name = type(self).__name__
        with naming(name):
            # A verb never changes the caller's estimator.
            fitted = self.copied(n_jobs=case.n_jobs).fit(X, case.labels)
            labelled, new = fitted.labelled_, fitted.checked_scores(X_new)
        classes, briers = np.asarray(fitted.classes_), {name: brier(labelled)}
        return ScoredTables(classes=classes, labelled=labelled, new=new, comparable=new, model=name, briers=briers)

    def score_apart(self, members: Mapping[str, Quantifier], rows: ProtocolRows, X_new: object) -> dict[str, Scored]:
        """Learn from some rows and score others, once for all quantifiers with this quantifier's `share_key`.

        By default all members have the same scores: those of a copy of this quantifier that is fitted here.
        """
        with naming(type(self).__name__):
            fitted = self.copied(n_jobs=rows.n_jobs, random_state=rows.seed).fit(rows.X, rows.labels)
            return dict.fromkeys(members, (fitted.labelled_, fitted.checked_scores(X_new)))

    def score_in_turn(
        self, members: Mapping[str, Quantifier], rows: ProtocolRows, folds: Places
    ) -> list[dict[str, Scored]]:
        """Score each fold's rows by learning from the other folds; rows in no fold have the fold number -1.

        By default every fold is a fit of its own.
        """
        parts = [((folds >= 0) & (folds != number), folds == number) for number in np.unique(folds[folds >= 0])]
        return [
            self.score_apart(members, rows.take(np.flatnonzero(train)), take(rows.X, np.flatnonzero(test)))
            for train, test in parts
        ]

    def checked_scores(self, X: object) -> RowScores:
        """Score new rows with `score_new`, and check that each row has one row of probabilities."""
        given, name = self.score_new(X), f"{type(self).__name__}.score_new"
        try:
            scores = RowScores.of(given)
        except InputError as error:
            raise InputError(f"{name} gave wrong scores: ", error.clause) from error
        check_scored_rows(len(scores), X, name)
        return scores

    def _checked_labelled(self, labelled: object) -> Labelled:
        """Refuse what a quantifier of one's own may have forgotten."""
        name = f"{type(self).__name__}.score_labelled"
        if not isinstance(labelled, Labelled):
            raise fault(name, "return a Labelled", labelled, "write Labelled(scores, codes)")
        n_classes = np.size(getattr(self, "classes_", ()))
        if n_classes != labelled.n_classes:
            rule = f"set classes_ to one label for each of {labelled.n_classes} columns"
            raise fault(name, rule, Phrase(f"{n_classes} labels"), "np.unique(y) gives them")
        return labelled

    def check_refits(self, name: str) -> None:
        """Refuse a quantifier that cannot be refitted, for `run_protocol`; errors call it `name`."""

    def copied(self, **settings: object) -> Self:
        """Return an unfitted copy with these settings; those that are None or that it does not have are ignored.

        A classifier in it is cloned when it is fitted, or used as it is where it is fitted already.
        """
        params = self.get_params(deep=False)
        params |= {name: value for name, value in settings.items() if name in params and value is not None}
        return type(self)(**params)

    def _warn(self, notes: Sequence[str]) -> None:
        # The built-in classes have a name of their own beside that of the method they may be given.
        name = getattr(self, "_method", self.method.name)
        for words in notes:
            warn(MethodCaution(name, words))

    def _require_labels(self, y: object) -> None:
        if y is None:
            rule = f"hold the labels: {type(self).__name__} requires y to be passed, but the target y is None"
            raise fault("y", rule)

    def _check_columns(self, X: object, *, first: bool) -> None:
        """Learn the number and the names of the columns, or compare them with those of the labelled rows."""
        if sparse.issparse(X):
            # scikit-learn's checks of what takes sparse matrices want a prediction per row.
            raise fault("X", "be a table or a dense array", Phrase("a sparse matrix"), self._way_to_dense)
        if isinstance(X, np.ndarray | list) and not is_texts(X):
            dtype = None if self.__sklearn_tags__().input_tags.string else "numeric"
            # Missing and infinite values are refused by the code that makes the scores.
            validate_data(self, X, reset=first, dtype=dtype, ensure_all_finite=False)
        else:
            data = as_features(X).data
            # Texts on their own are one column.
            validate_data(self, data if data.ndim == 2 else data[:, None], reset=first, skip_check_array=True)
        if first:
            self._column_types = ColumnTypes.of(X)
        else:
            self._column_types.check(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


class PanelQuantifier(Quantifier):
    """Count by the scores of a classifier that is cross-fitted: what `ClassifierQuantifier` and others share."""

    cv: Any
    n_jobs: int | None
    _panel: Panel
    # None where folds are fitted only when somebody needs them.
    _folds: Panel | None

    @abstractmethod
    def classifier_to_fit(self) -> Any:
        """Return the classifier to cross-fit; it is cloned."""

    @property
    def panel_(self) -> Panel:
        """The scores of the labelled rows, and the classifier fitted on all of them."""
        check_is_fitted(self, "learned_")
        return self._panel

    def share_key(self) -> Hashable:
        """Return a hash of the classifier; equal classifiers have the same scores."""
        return "classifier", _identity(clone(self.classifier_to_fit(), safe=False), self)

    def panel_for(self, X: object, y: object, *, n_jobs: int | None = None) -> Panel:
        """Return the scores if there are any; otherwise cross-fit a copy of the classifier."""
        given = getattr(self, "classifier", None)
        panel: Panel | None = given if isinstance(given, Panel) else getattr(self, "panel_", None)
        if panel is None:
            require_tables(X=X, y=y)
            panel, notes = self.copied(n_jobs=n_jobs)._cross_fitted(X, y)
            self._warn(notes)
        return panel

    def score_case(self, case: Case) -> ScoredTables:
        """Return the scores of the case, which has the panel of this quantifier."""
        return ScoredTables.of_case(case, getattr(self, "model", None))

    def score_apart(self, members: Mapping[str, Quantifier], rows: ProtocolRows, X_new: object) -> dict[str, Scored]:
        """Cross-fit the classifier once for all members, and score other rows with the model fitted on all rows."""
        name = next(iter(members))
        panel = self._protocol_panel(name, rows, refit=True)
        with scoring("the X of test"):
            new = applied_scores(panel, name, X_new)
        return dict.fromkeys(members, (labelled_rows(panel, name), new))

    def score_in_turn(
        self, members: Mapping[str, Quantifier], rows: ProtocolRows, folds: Places
    ) -> list[dict[str, Scored]]:
        """Read every fold's scores from one cross-fit."""
        name = next(iter(members))
        labelled = labelled_rows(self._protocol_panel(name, rows, refit=False), name)
        # `labelled_rows` has the tested rows only.
        tested = folds[folds >= 0]
        parts = [tested == number for number in np.unique(tested)]
        return [dict.fromkeys(members, (labelled.take(~part), labelled.scores.take(part))) for part in parts]

    def score_new(self, X: object) -> RowScores:
        """Score new rows with the classifier that was fitted on all labelled rows."""
        check_is_fitted(self, "learned_")
        self._check_columns(X, first=False)
        with scoring("X"):
            return applied_scores(self._panel, self._model(), X)

    def _model(self) -> str:
        """Return the name of the model in the panel."""
        return self._panel.names[0]

    def _protocol_panel(self, name: str, rows: ProtocolRows, *, refit: bool) -> Panel:
        how: dict[str, Any] = {"cv": rows.cv, "n_jobs": rows.n_jobs, "progress": rows.progress, "refit": refit}
        return cross_fit({name: self.classifier_to_fit()}, rows.X, rows.labels, random_state=rows.seed, **how)

    def _cross_fitted(self, X: object, y: object) -> tuple[Panel, list[str]]:
        """Cross-fit the classifier, and note where there are fewer folds than asked for."""
        self._require_labels(y)
        classifier = self.classifier_to_fit()
        self._check_columns(X, first=True)
        if self.cv is None:
            warn_refitted({"classifier": classifier})
        cv, notes = fewer_folds(y, _FOLDS if self.cv is None else self.cv)
        how: dict[str, Any] = {"cv": cv, "random_state": self.random_state, "n_jobs": self.n_jobs}
        return cross_fit({"classifier": classifier}, X, y, **how), notes


# The constructor only stores, so that a dataclass writes it: scikit-learn reads the parameters from its signature.
@dataclass(eq=False, repr=False)
class ClassifierQuantifier(PanelQuantifier):
    """Base class for quantifiers that use the scores of a classifier.

    To write your own, inherit from this class and define `method`.

    `fit` scores every row with models that never saw it, learns from these scores and labels, and fits the classifier
    on all rows. All subclasses have these parameters; some have options of their own.

    Parameters
    ----------
    classifier : estimator, Panel or None
        A scikit-learn classifier with ``predict_proba`` or ``decision_function``; it is cloned. With ``cv="prefit"``,
        the classifier must be fitted already, and `fit` needs rows that the classifier never saw. The scores of a
        `Panel` are used as they are, and nothing is fitted; X may then be left out or sparse. By default, a logistic
        regression that accepts any table.
    model : str, optional
        The model to use if a Panel has several.
    cv : int, splitter or "prefit", optional
        Folds, as for `cross_fit`, by default 10; fewer if the rarest class has fewer rows. A classifier that is already
        fitted is fitted again, with a warning unless `cv` is given.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of folds and intervals.
    n_jobs : int, optional
        Number of fits to run in parallel.

    Attributes
    ----------
    panel_ : Panel
        The scores of the labelled rows, and the classifier fitted on all of them.
    classes_, labelled_, learned_, prevalence_, notes_
        As for every `Quantifier`.
    """

    classifier: Any = None
    _: KW_ONLY
    model: str | None = None
    cv: Any = None
    random_state: Seed = 0
    n_jobs: int | None = None
    _method: ClassVar[str]
    _way_to_dense = "pass it to cross_fit, and use the resulting Panel in place of the classifier"
    # Parameters that make scores; all others are options of the method.
    _scoring: ClassVar[frozenset[str]] = frozenset({"classifier", "model", "cv", "random_state", "n_jobs"})

    @property
    def method(self) -> Method:
        """The method with its options."""
        if not hasattr(self, "_method"):
            name = type(self).__name__
            raise InputError(f"{name} is a base class; use Combined() or another quantifier")
        options = {name: value for name, value in self.get_params(deep=False).items() if name not in self._scoring}
        return METHODS[self._method].having(**options)

    def classifier_to_fit(self) -> Any:
        """Return the classifier; by default, a logistic regression that accepts any table."""
        if isinstance(self.classifier, type):
            name = self.classifier.__name__
            raise fault("classifier", "be an estimator", name, f"write {name}(), with parentheses")
        return default_models(only="lr")["lr"] if self.classifier is None else self.classifier

    def check_refits(self, name: str) -> None:
        """Refuse ``cv="prefit"`` and a Panel, which cannot be refitted."""
        rule = "have a classifier to fit"
        if isinstance(self.cv, str) and self.cv == "prefit":
            raise fault(name, rule, Phrase("cv='prefit'"), "be refitted in every fold; leave out cv")
        if isinstance(self.classifier, Panel):
            raise fault(name, rule, Phrase("a Panel"), "give the classifier itself")

    def score_labelled(self, X: object, y: object) -> Labelled:
        """Return the panel's scores, or cross-fit the classifier."""
        notes: list[str] = []
        if isinstance(self.classifier, Panel):
            self.classifier.matches(X, y)
            self._panel = self.classifier
            # scikit-learn's checks ask for it after every fit.
            self.n_features_in_ = len(self._panel.feature_names)
        else:
            self._panel, notes = self._cross_fitted(X, y)
        self.classes_ = self._panel.classes_
        return labelled_rows(self._panel, self._model()).with_notes(notes)

    def _model(self) -> str:
        names = self._panel.names
        if self.model is None:
            if len(names) > 1:
                raise fault("model", "name one of the panel's models", None, available_names(names))
            return names[0]
        if self.model not in names:
            raise unknown_name("model", "be a model of the panel", self.model, names)
        return self.model

    def _check_columns(self, X: object, *, first: bool) -> None:
        # A panel compares columns itself, and also takes sparse ones.
        if not isinstance(self.classifier, Panel):
            super()._check_columns(X, first=first)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if hasattr(self.classifier, "__sklearn_tags__") and not isinstance(self.classifier, type):
            tags.input_tags = get_tags(self.classifier).input_tags
            tags.input_tags.sparse = False
            # Tags do not tell what a pipeline takes.
            tags.input_tags.string = tags.input_tags.string or _is_composed(self.classifier)
        elif self.classifier is None:
            tags.input_tags.allow_nan = tags.input_tags.string = True
        return tags


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Turn an error in a quantifier of the user's own into one sentence that names it."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{name} failed with ", Failure.of(error).phrase) from error


def given_quantifier(models: object) -> Quantifier | None:
    """Return what `quantify` is given if it is a quantifier; refuse several."""
    several = list(models.values()) if isinstance(models, Mapping) else models
    # Several quantifiers would need several results.
    if isinstance(several, (list, tuple)) and any(isinstance(model, Quantifier) for model in several):
        hint = "run_protocol compares quantifiers, and the result's `others` has the estimates of all methods"
        raise fault("models", "be classifiers, or one quantifier", Phrase(f"{len(several)} quantifiers"), hint)
    return models if isinstance(models, Quantifier) else None


def check_quantifier(value: object, name: str) -> Quantifier:
    """Return a quantifier that can be fitted anew; `name` is its place in errors."""
    if isinstance(value, type):
        raise fault(name, "be a quantifier", value, f"write {value.__name__}()")
    if not isinstance(value, Quantifier):
        hint = "pass AdjustedCount(), Combined() or another from shiftproof.quantification"
        raise fault(name, "be a quantifier", value, hint)
    value.check_refits(name)
    return value


def require_tables(**tables: object) -> None:
    """Refuse a quantifier without its tables, before anything is fitted."""
    for name, table in tables.items():
        if table is None:
            raise fault(name, "be given with a quantifier", hint="pass quantify(quantifier, X, y, X_new)")


def _is_composed(classifier: object) -> bool:
    """Tell whether there are estimators inside, as in a pipeline or a search."""
    return hasattr(classifier, "get_params") and any("__" in name for name in classifier.get_params())


def _identity(classifier: object, owner: PanelQuantifier) -> Hashable:
    """Return a hash that equal classifiers share; one that cannot be pickled equals itself alone."""
    from pickle import PicklingError

    from joblib import hash as hashed

    try:
        return str(hashed(classifier))
    except (PicklingError, AttributeError, TypeError):
        return id(getattr(owner, "classifier", owner))

"""The base of all quantifiers, and of those that count by a classifier: from scores to prevalences."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from shiftproof.core import (
    InputError,
    Interval,
    MethodCaution,
    Seed,
    available_names,
    fault,
    generator,
    shown,
    unknown_name,
    warn,
)
from shiftproof.counting._bootstrap import RESAMPLES, bootstrap_intervals
from shiftproof.counting._method import METHODS, Method
from shiftproof.counting._samples import Floats, Labelled, Samples
from shiftproof.panel import Panel, as_features, cross_fit, default_models, encode_labels, is_texts, scoring


class Quantifier(BaseEstimator, ABC):  # type: ignore[misc]
    """Say how many rows of each class there are: what all quantifiers have in common.

    Fitting scores the labelled rows, each by what never saw it, and learns from these scores and labels how to count
    new rows by theirs. Most take the scores of a classifier (`ClassifierQuantifier`).

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The sorted labels.
    labelled_ : Labelled
        The scores that were learnt from.
    learned_ : Learned
        What the method learnt.
    prevalence_ : ndarray of shape (k,)
        The shares of the classes among the labelled rows.
    notes_ : tuple of str
        What was not as the method would have it, such as a fallback.
    """

    _method: ClassVar[str]
    random_state: Seed

    @property
    @abstractmethod
    def method(self) -> Method:
        """The method with its options, as the shared-score engine runs it."""

    @abstractmethod
    def _score_labelled(self, X: Any, y: Any, notes: list[str]) -> Labelled:
        """Give scores of the labelled rows by what never saw them; set `classes_` and what new rows are scored by."""

    @abstractmethod
    def _scores(self, X: Any) -> Floats:
        """Score new rows, shape (m, k)."""

    def fit(self, X: Any = None, y: Any = None) -> Self:
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
        method = self.method
        notes: list[str] = []
        self.labelled_ = self._score_labelled(X, y, notes)
        self.learned_ = method.learn(self.labelled_)
        self.prevalence_ = self.labelled_.prevalence
        self.notes_ = (*notes, *self.learned_.notes)
        for words in self.notes_:
            warn(MethodCaution(self._method, words))
        return self

    def predict(self, X: Any) -> Floats:
        """Estimate the prevalences of the classes in these rows.

        Parameters
        ----------
        X : table
            Unlabelled rows, one or more.

        Returns
        -------
        ndarray of shape (k,)
            In the order of `classes_`; nonnegative, and they add up to 1.
        """
        return self.predict_scores(self._scores(X))

    def predict_interval(self, X: Any, *, level: float = 0.9, resamples: int = RESAMPLES) -> list[Interval]:
        """Estimate the prevalences with intervals: those that could have given the estimate, by resampling.

        Parameters
        ----------
        X : table
            Unlabelled rows, one or more.
        level : float
            The nominal coverage.
        resamples : int
            How often to learn and to estimate anew.

        Returns
        -------
        list of k Intervals
            In the order of `classes_`. They hold if nothing but the classes' shares differs from the labelled rows.
        """
        samples = Samples.of(self._scores(X))
        rng = generator(self.random_state)
        return bootstrap_intervals(self.method, self.labelled_, samples, level=level, resamples=resamples, rng=rng)[0]

    def predict_scores(self, probabilities: Any) -> Floats:
        """Estimate the prevalences from scores of the rows, shape (m, k), such as the classifier's probabilities."""
        check_is_fitted(self, "learned_")
        return np.asarray(self.learned_.estimate(Samples.of(probabilities))[0])

    def _require_labels(self, y: Any) -> None:
        if y is None:
            raise fault(
                "y", f"hold the labels: {type(self).__name__} requires y to be passed, but the target y is None"
            )

    def _check_columns(self, X: Any, *, first: bool, text: bool, dense: str) -> None:
        """Learn the number and the names of the columns, or compare them; `dense` is the way out of a sparse matrix."""
        if sparse.issparse(X):
            # scikit-learn's checks of what takes sparse matrices want a prediction per row.
            raise fault("X", "be a table or a dense array", "a sparse matrix", dense)
        if isinstance(X, np.ndarray | list) and not is_texts(X):
            # What is missing or infinite is for the scores' maker to refuse.
            validate_data(self, X, reset=first, dtype=None if text else "numeric", ensure_all_finite=False)
        else:
            data = as_features(X).data
            # Texts on their own are one column.
            validate_data(self, data if data.ndim == 2 else data[:, None], reset=first, skip_check_array=True)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


class ClassifierQuantifier(Quantifier):
    """Count by the scores of a classifier: what most quantifiers have in common.

    Fitting scores every row by models that never saw it, learns from these scores and labels, and fits the classifier
    on all rows. All of these quantifiers have these parameters; some have options of their own.

    Parameters
    ----------
    classifier : estimator, Panel or None
        Follows scikit-learn: ``fit`` and ``predict_proba`` or ``decision_function``; it is cloned. Fitted with
        ``cv="prefit"``: `fit` then takes rows that the classifier never saw. Of a `Panel` the scores are used as
        they are, and nothing is fitted; `fit` then needs no X, or takes a sparse one. By default a logistic regression
        that takes tables as they are.
    model : str, optional
        Which model of a Panel with several.
    cv : int, splitter or "prefit"
        Folds, as for `cross_fit`; a class with fewer rows makes them fewer.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of folds and intervals.
    n_jobs : int, optional
        Fits at a time.

    Attributes
    ----------
    panel_ : Panel
        The scores that were learnt from, and the classifier fitted on all rows.
    classes_, labelled_, learned_, prevalence_, notes_
        As for every `Quantifier`.
    """

    # Parameters that make scores; all others are options of the method.
    _scoring: ClassVar[frozenset[str]] = frozenset({"classifier", "model", "cv", "random_state", "n_jobs"})

    def __init__(
        self,
        classifier: Any = None,
        *,
        model: str | None = None,
        cv: Any = 10,
        random_state: Seed = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.classifier = classifier
        self.model = model
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def method(self) -> Method:
        """The method with its options, as the shared-score engine runs it."""
        if not hasattr(self, "_method"):
            name = type(self).__name__
            raise InputError(f"{name} is what many quantifiers have in common; use Combined(), or another of them")
        options = {name: value for name, value in self.get_params(deep=False).items() if name not in self._scoring}
        return METHODS[self._method].having(**options)

    def cross_fit(self, X: Any, y: Any) -> Panel:
        """Score every labelled row by models that never saw it; what fitting learns from."""
        notes: list[str] = []
        panel = self._cross_fitted(X, y, notes)
        for words in notes:
            warn(MethodCaution(self._method, words))
        return panel

    def unseen(self) -> Panel | None:
        """Give the scores that the labelled rows have by models that never saw them, where there are any yet."""
        if isinstance(self.classifier, Panel):
            return self.classifier
        fitted: Panel | None = getattr(self, "panel_", None)
        return fitted

    def _classifier(self) -> Any:
        """Give the classifier to cross-fit."""
        return default_models(only="lr")["lr"] if self.classifier is None else self.classifier

    def _score_labelled(self, X: Any, y: Any, notes: list[str]) -> Labelled:
        if isinstance(self.classifier, Panel):
            self.classifier.matches(X, y)
            self.panel_ = self.classifier
            self.n_features_in_ = len(self.panel_.feature_names)
        else:
            self.panel_ = self._cross_fitted(X, y, notes)
        self.classes_ = self.panel_.classes_
        return labelled_rows(self.panel_, self._model())

    def _cross_fitted(self, X: Any, y: Any, notes: list[str]) -> Panel:
        self._require_labels(y)
        if isinstance(self.classifier, type):
            name = self.classifier.__name__
            raise fault("classifier", "be an estimator", name, f"write {name}(), with brackets")
        self._check(X, first=True)
        cv = self.cv
        if isinstance(cv, (int, np.integer)) and not isinstance(cv, bool):
            cv = fewer_folds(y, int(cv), notes)
        named = {"classifier": self._classifier()}
        return cross_fit(named, X, y, cv=cv, random_state=self.random_state, n_jobs=self.n_jobs)

    def _model(self) -> str:
        names = self.panel_.names
        if self.model is None:
            if len(names) > 1:
                raise fault("model", "name one of the panel's models", None, available_names(names))
            return names[0]
        if self.model not in names:
            raise unknown_name("model", "be a model of the panel", self.model, names)
        return self.model

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self, "learned_")
        if not isinstance(self.classifier, Panel):
            self._check(X, first=False)
        name = self._model()
        with scoring("X"):
            return self.panel_.apply(X, models=[name])[name]

    def _check(self, X: Any, *, first: bool) -> None:
        # Tags do not tell what a pipeline takes.
        text = self.__sklearn_tags__().input_tags.string or _is_composed(self.classifier)
        dense = "cross_fit takes it, and the Panel it gives can stand for the classifier"
        self._check_columns(X, first=first, text=text, dense=dense)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if hasattr(self.classifier, "__sklearn_tags__") and not isinstance(self.classifier, type):
            tags.input_tags = get_tags(self.classifier).input_tags
            tags.input_tags.sparse = False
        elif self.classifier is None:
            tags.input_tags.allow_nan = tags.input_tags.string = True
        return tags


def labelled_rows(panel: Panel, name: str) -> Labelled:
    """Give the scores of the rows that were tested, by models that never saw them, with the folds of the first time."""
    tested = np.flatnonzero(panel.tested)
    # A splitter that repeats itself may test a row in a later repeat only.
    first = (panel.folds[:, tested] >= 0).argmax(axis=0)
    places = np.column_stack([first, panel.folds[first, tested]])
    folds = np.unique(places, axis=0, return_inverse=True)[1].ravel()
    names = [shown(label) for label in panel.classes_.tolist()]
    return Labelled(panel.out_of_fold[name][tested], panel.y[tested], folds, names)


def _is_composed(classifier: Any) -> bool:
    """Tell whether there are estimators inside, as in a pipeline or a search."""
    return hasattr(classifier, "get_params") and any("__" in name for name in classifier.get_params())


def fewer_folds(y: Any, cv: int, notes: list[str]) -> int:
    """Give the number of folds: as asked, or as many as the rarest class has rows."""
    classes, codes = encode_labels(y)
    counts = np.bincount(codes)
    rarest = int(counts.argmin())
    if not 2 <= counts[rarest] < cv:
        return cv
    label = shown(classes.tolist()[rarest])
    notes.append(f"class {label} has {counts[rarest]} rows, so that there are as many folds instead of {cv}")
    return int(counts[rarest])

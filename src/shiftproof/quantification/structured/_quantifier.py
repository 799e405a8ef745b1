"""The quantifier whose classifier is made for counting."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from shiftproof.core import Failure, InputError, Phrase, Seed, ShiftproofWarning, check_choice, check_flag, fault
from shiftproof.counting import METHODS, Labelled, Method
from shiftproof.panel import Panel, TablePreparer, as_features, check_lengths, cross_fit, encode_labels
from shiftproof.quantification._quantifier import PanelQuantifier
from shiftproof.quantification._scored import check_folds, labelled_rows
from shiftproof.quantification.structured._classifier import MOST_PLANES, TOLERANCE, StructuredClassifier
from shiftproof.quantification.structured._losses import LossFunction, LossName


@dataclass(eq=False, repr=False)
class StructuredSVM(PanelQuantifier):
    r"""Count the predictions of a linear classifier that is optimised for counting (SVM-multi; eq. 6.6).

    The classifier minimises a loss of its whole contingency table, such as 1 - NAS (eq. 6.4) or :math:`1 - Q_\beta`
    (eq. 6.2), instead of the sum of its errors over the rows. The second of two classes is the positive one. With more
    classes, each class is separated from all others, and the class with the largest decision value is predicted.

    Parameters
    ----------
    loss : {"arithmetic", "nas", "q", "f1", "error"} or callable
        The loss. "arithmetic", "nas", "q" and "f1" mean 1 minus the weighted arithmetic mean of recall and NAS, NAS,
        the Q-measure of the thesis, or F1. "error" is the error rate, which gives the usual support vector machine. A
        function ``loss(tp, fp, fn, tn)`` of arrays must be at least 0, and 0 without errors.
    beta : float
        The weight of NAS in "q" and "arithmetic" is :math:`\beta^2/(1 + \beta^2)`; recall has the rest of the weight.
    C : float
        The loss is multiplied by C times the number of rows n; the larger C, the weaker the penalty on large weights.
        Equation 6.6 with the constant C' is solved by C = 4 n C', and SVM-perf with its constant c by C = 100 c/n.
    tolerance : float
        Stop when the objective is above its lower bound by at most this share of its value.
    most_planes : int
        Stop with a warning after this many cutting planes.
    correction : str, optional
        A method of `METHODS` that corrects the count, such as "adjusted count" or "median sweep". It needs scores of
        rows that the classifier never saw, so one fit per fold. By default, predictions are only counted, as in the
        thesis.
    scale : bool
        Whether to prepare rows with `TablePreparer`, which accepts any table and scales numbers to mean 0 and standard
        deviation 1. Otherwise X must have finite numbers only, and columns with large numbers are penalised less.
    cv : int or splitter
        Folds for corrections and intervals, as for `cross_fit`; fewer if the rarest class has fewer rows.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of folds and intervals; fitting the classifier is not random.
    n_jobs : int, optional
        Number of fits to run in parallel.

    Attributes
    ----------
    classifier_ : StructuredClassifier
        The classifier fitted on all rows, with `coef_`, `intercept_`, `objective_`, `bound_` and `n_planes_`.
    collapsed_ : bool
        Whether zero weights were optimal (see the notes).
    search_ : str
        How the contingency table with the worst loss was searched for.
    panel_, classes_, labelled_, learned_, prevalence_, notes_
        As for every `ClassifierQuantifier`. Without a correction, the folds of `panel_` and `labelled_` are fitted only
        when these attributes are used, for example by intervals; until then, the labelled rows are kept in memory.

    Notes
    -----
    The worst contingency table for given scores is found exactly: in O(n) for "nas", "arithmetic" and "error", in O(n
    log n) for "q" and "f1", and among all O(n^2) tables for a function.

    1 - Q and 1 - F1 are 1 for every table without true positives. At zero weights, these are the worst tables. If every
    step away from zero makes one of them worse, zero weights are optimal for any C and beta, and no row is predicted
    positive. A warning says so. The arithmetic mean and NAS do not collapse like this. SVM-perf, the program of
    Joachims (2005), has the same optimum, but stops before it and so still returns some weights.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["no", "yes"], [300, 100])
    >>> X = rng.normal(size=(400, 2)) + 2 * (y == "yes")[:, None]
    >>> y_new = np.repeat(["no", "yes"], [50, 150])
    >>> X_new = rng.normal(size=(200, 2)) + 2 * (y_new == "yes")[:, None]
    >>> StructuredSVM().fit(X, y).predict(X_new).round(3)
    array([0.315, 0.685])
    >>> StructuredSVM(correction="adjusted count").fit(X, y).predict(X_new).round(2)
    array([0.24, 0.76])
    """

    _method: ClassVar[str] = "structured svm"
    loss: LossName | LossFunction = "arithmetic"
    _: KW_ONLY
    beta: float = 2.0
    C: float = 1.0
    tolerance: float = TOLERANCE
    most_planes: int = MOST_PLANES
    correction: str | None = None
    scale: bool = True
    cv: Any = 10
    random_state: Seed = 0
    n_jobs: int | None = None

    @property
    def method(self) -> Method:
        """The correction; without one, the count of the classifier's predictions."""
        if self.correction is None:
            return replace(METHODS["classify and count"], name=self._method)
        return METHODS[check_choice(self.correction, "correction", list(METHODS))]

    @property
    def panel_(self) -> Panel:
        """Scores by classifiers that never saw the row; without a correction, the folds are fitted at first access."""
        check_is_fitted(self, "learned_")
        if self._folds is None:
            with _quiet():
                self._folds, _ = self._cross_fitted(*self._rows)
        return self._folds

    @property
    def labelled_(self) -> Labelled:
        """The scores of `panel_` as a `Labelled`; intervals need them even without a correction."""
        return labelled_rows(self.panel_, "classifier")

    def classifier_to_fit(self) -> Any:
        """Return the linear classifier; with `scale`, in a pipeline after a `TablePreparer`."""
        model = StructuredClassifier(
            self.loss, beta=self.beta, C=self.C, tolerance=self.tolerance, most_planes=self.most_planes
        )
        # Wrong parameters are refused before tables are prepared.
        model.check()
        return Pipeline([("table", TablePreparer()), ("model", model)]) if check_flag(self.scale, "scale") else model

    def score_labelled(self, X: object, y: object) -> Labelled:
        """Fit the classifier; only a correction needs folds, because plain counting does not learn from scores."""
        self._require_labels(y)
        check_folds(self.cv)
        notes: list[str] = []
        self._folds = None
        with _quiet():
            if self.correction is None:
                self._panel = self._fitted_once(X, y)
                self._rows: tuple[Any, Any] = X, y
            else:
                self._panel, notes = self._cross_fitted(X, y)
                self._folds = self._panel
        self.classes_ = self._panel.classes_
        self.classifier_ = _bare(self._panel.models["classifier"])
        self.collapsed_ = bool(self.classifier_.collapsed_.any())
        self.search_ = self.classifier_.search_
        notes = [*notes, *self.classifier_.notes_, *_collapsed_folds(self._panel, self.classifier_)]
        return labelled_rows(self._panel, "classifier").with_notes(notes)

    def _fitted_once(self, X: object, y: object) -> Panel:
        """Fit on all rows, which counting alone needs."""
        classifier = self.classifier_to_fit()
        self._check_columns(X, first=True)
        features = as_features(X)
        classes, codes = encode_labels(y)
        check_lengths(features.n_rows, "label", "y", len(codes))
        try:
            classifier.fit(features.data, classes[codes])
        except InputError:
            raise
        # scikit-learn writes paragraphs; the first line has the reason.
        except ValueError as error:
            rule = Phrase("hold finite numbers that the classifier can learn from: ", Failure.of(error).detail)
            raise fault("X", rule, hint="" if self.scale else "leave out scale=False") from error
        return cross_fit({"classifier": classifier}, X, y, cv="prefit")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = bool(self.scale)
        return tags


def _bare(model: Any) -> StructuredClassifier:
    """Take the classifier out of its pipeline."""
    bare: StructuredClassifier = model[-1] if isinstance(model, Pipeline) else model
    return bare


def _collapsed_folds(panel: Panel, whole: StructuredClassifier) -> list[str]:
    """Say how many folds' classifiers have no weights, where that of all rows has some."""
    fitted = [_bare(model) for repeat in panel.fold_models["classifier"] for model in repeat]
    collapsed = sum(bool(model.collapsed_.any()) for model in fitted)
    # Where all rows' classifier has no weights, its own note says it.
    if not collapsed or whole.collapsed_.any():
        return []
    hint = "give loss='arithmetic' or loss='nas'"
    return [f"in {collapsed} of {len(fitted)} folds no weights are better than none; {hint}"]


@contextmanager
def _quiet() -> Iterator[None]:
    """Leave out what the folds' classifiers say; that of all rows has it in its notes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShiftproofWarning)
        yield

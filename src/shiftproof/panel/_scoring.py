"""From a fitted classifier to probabilities in one order of classes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from shiftproof.core import (
    Failure,
    Floats,
    InputError,
    Phrase,
    check_probabilities,
    check_scored_rows,
    fault,
    listed,
    match_classes,
    score_array,
)
from shiftproof.panel._balancing import with_odds
from shiftproof.panel._columns import chosen
from shiftproof.panel._inputs import encode_known

# A class that the classifier never saw gets a decision value this far below all others.
_UNSEEN_MARGIN = 1.0
_LARGEST = 1e100
# A convex problem in two unknowns needs about ten steps; the rest is for separated classes.
_NEWTON_STEPS = 100
# Newton's predicted gain below this share of the loss is rounding.
_RELATIVE_GAIN = 1e-10


@dataclass(frozen=True, eq=False)
class Raw:
    """A classifier's raw output: probabilities of shape (m, k), or decision values of shape (m, 1) or (m, k)."""

    values: Floats
    decision: bool


@dataclass(frozen=True, eq=False)
class Calibrator:
    """A logistic regression from decision values to probabilities: Platt's sigmoid for two classes."""

    centre: Floats
    spread: Floats
    weights: Floats
    intercepts: Floats

    def __call__(self, decisions: Floats) -> Floats:
        """Return probabilities of shape (m, k)."""
        linear = ((decisions - self.centre) / self.spread) @ self.weights + self.intercepts
        return np.asarray(special.softmax(linear, axis=1))


@dataclass(frozen=True, eq=False)
class Scorer:
    """A fitted classifier, with the calibration of its decision values where it has no probabilities."""

    estimator: Any
    classes: NDArray[Any]
    calibrator: Calibrator | None = None
    # By how much classes are more frequent than where a model of balanced rows learnt.
    odds: Floats | None = None
    # The columns that a deployed model gets, if it refuses tables with others.
    columns: tuple[str, ...] | None = None

    def __call__(self, X: object) -> Floats:
        """Return probabilities of shape (m, k), columns in the order of the classes."""
        raw = raw_scores(self.estimator, chosen(X, self.columns), self.classes)
        return with_odds(raw.values, self.odds) if self.calibrator is None else self.calibrator(raw.values)

    def decisions(self, X: object) -> NDArray[np.int64] | None:
        """Return the classes that the classifier itself predicts, as for `own_decisions`."""
        return own_decisions(self.estimator, chosen(X, self.columns), self.classes)


def raw_scores(estimator: object, X: object, classes: NDArray[Any]) -> Raw:
    """Return a fitted classifier's probabilities, or else its decision values, in the order of the classes."""
    if hasattr(estimator, "predict_proba"):
        values = _output(estimator, "predict_proba", X, classes)
        values = check_probabilities(values, "predict_proba")
        return Raw(_aligned(values, estimator, classes, 0.0), decision=False)
    if not hasattr(estimator, "decision_function"):
        kind = type(estimator).__name__
        raise InputError(f"{kind} gives no scores: it has neither predict_proba nor decision_function")
    values = _output(estimator, "decision_function", X, classes)
    if values.shape[1] == 1:
        # One value for each row is that of the second of the two classes that the estimator knows.
        values = np.hstack([-values, values])
    values = _aligned(values, estimator, classes, values.min() - _UNSEEN_MARGIN)
    # The calibration of two classes is a sigmoid of one value.
    return Raw((values[:, 1:] - values[:, :1]) / 2 if len(classes) == 2 else values, decision=True)


def _output(estimator: object, method: str, X: Any, classes: NDArray[Any]) -> Floats:
    """Call a method that scores rows; one finite row of numbers per row of X, columns as in the estimator's classes."""
    # Some models change their input, which is the caller's table.
    values, names = score_array(getattr(estimator, method)(X.copy()), method)
    if names is not None and values.ndim == 2:
        values = values[:, match_classes(names, _known_classes(estimator, classes), method)]
    if values.ndim not in (1, 2):
        raise fault(method, "give one row per row of X", Phrase(f"an array of shape {values.shape}"))
    check_scored_rows(len(values), X, method)
    if not np.isfinite(values).all():
        raise InputError(f"{method} gave values that are not finite")
    # Squares of larger values overflow where they are calibrated.
    if np.abs(values).max(initial=0.0) > _LARGEST:
        raise fault(method, f"give values below {_LARGEST:g}", Phrase(f"{np.abs(values).max():.4g}"))
    return values.reshape(len(values), -1)


def own_decisions(estimator: object, X: Any, classes: NDArray[Any]) -> NDArray[np.int64] | None:
    """Return the codes of the classes that a classifier without probabilities predicts; None for all others.

    Calibrated decision values do not cross one half where the classifier's decision changes, so its decisions cannot
    be read from them. Where there are probabilities, the likeliest class is the decision.
    """
    if hasattr(estimator, "predict_proba") or not hasattr(estimator, "predict"):
        return None
    decided = encode_known(np.asarray(estimator.predict(X.copy())), classes, "what predict returns")
    check_scored_rows(len(decided), X, "predict")
    return decided


def _known_classes(estimator: object, classes: NDArray[Any]) -> list[Any]:
    """Return the classes that an estimator knows, in its own order; it may have seen fewer than there are."""
    own = getattr(estimator, "classes_", None)
    known: list[Any] = np.asarray(classes if own is None else own).tolist()
    return known


def _aligned(values: Floats, estimator: object, classes: NDArray[Any], fill: float) -> Floats:
    """Put the columns in the order of all classes; the estimator may have seen fewer."""
    wanted, known = classes.tolist(), _known_classes(estimator, classes)
    if values.shape[1] != len(known):
        raise InputError(f"scores of shape {values.shape} do not have one column for each of {len(known)} classes")
    if known == wanted:
        return values
    if any(label in known[:place] for place, label in enumerate(known)):
        raise InputError(f"classes_ of the model must differ, got {listed(known)}")
    unknown = [label for label in known if label not in wanted]
    if unknown:
        raise InputError(f"the model has a class {unknown[0]!r} that does not occur in the labels")
    aligned = np.full((len(values), len(wanted)), fill)
    aligned[:, [wanted.index(label) for label in known]] = values
    return aligned


def fit_calibrator(decisions: Floats, codes: NDArray[np.int64], n_classes: int, weights: Floats | None) -> Calibrator:
    r"""Fit probabilities to decision values by (multinomial) logistic regression.

    The targets are smoothed as by Platt (1999): a row of a class with :math:`n_c` rows counts
    :math:`(n_c + 1)/(n_c + k)` for its own class and :math:`1/(n_c + k)` for every other, so that classes which
    the decision values separate do not get probabilities of 0 and 1.
    """
    centre, spread = decisions.mean(axis=0), decisions.std(axis=0)
    spread[spread == 0] = 1.0
    standard = (decisions - centre) / spread
    k = n_classes
    counts = np.bincount(codes, minlength=k)[codes]
    targets = np.repeat((1 / (counts + k))[:, None], k, axis=1)
    targets[np.arange(len(codes)), codes] *= counts + 1
    weight = np.ones(len(codes)) if weights is None else weights
    if k == 2:
        slope, intercept = _sigmoid(standard[:, 0], targets[:, 1], weight)
        if slope < 0:
            # Models that learnt nothing rank held-out rows slightly in reverse. A higher decision value must not mean
            # a smaller probability, so the probability is then the same for all rows.
            slope, intercept = 0.0, float(np.log(weight @ targets[:, 1] / (weight @ targets[:, 0])))
        return Calibrator(centre, spread, np.array([[0.0, slope]]), np.array([0.0, intercept]))
    return Calibrator(centre, spread, *_multinomial(standard, targets * weight[:, None]))


def _sigmoid(values: Floats, targets: Floats, weights: Floats) -> tuple[float, float]:
    """Minimise the cross-entropy by Newton's steps, halved where one goes too far."""
    design = np.column_stack([values, np.ones_like(values)])

    def loss(line: Floats) -> float:
        linear = design @ line
        return float(weights @ (np.logaddexp(0, linear) - targets * linear))

    share = float(weights @ targets / weights.sum())
    coefficients = np.array([0.0, special.logit(share)])
    best = loss(coefficients)
    for _ in range(_NEWTON_STEPS):
        p = special.expit(design @ coefficients)
        gradient = design.T @ (weights * (p - targets))
        curvature = (design * (weights * p * (1 - p))[:, None]).T @ design
        step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        # The gain is smaller than the loss's rounding error, so the loss cannot judge this last step: take it whole.
        if gradient @ step <= _RELATIVE_GAIN * best:
            coefficients = coefficients - step
            break
        while loss(coefficients - step) > best:
            step = step / 2
        coefficients = coefficients - step
        best = loss(coefficients)
    return float(coefficients[0]), float(coefficients[1])


def _multinomial(standard: Floats, targets: Floats) -> tuple[Floats, Floats]:
    """Fit by scikit-learn: one row per class, weighted by its target, is the cross-entropy with soft targets."""
    from sklearn.linear_model import LogisticRegression

    n, k = targets.shape
    # k times k weights would overfit the fold without scikit-learn's default penalty.
    regression = LogisticRegression(max_iter=1000)
    regression.fit(np.repeat(standard, k, axis=0), np.tile(np.arange(k), n), sample_weight=targets.ravel())
    return regression.coef_.T, regression.intercept_


@contextmanager
def scoring(name: str) -> Iterator[None]:
    """Turn a classifier's ValueError about its rows into one sentence: scikit-learn writes paragraphs."""
    try:
        yield
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"the classifier cannot score {name}: ", Failure.of(error).detail) from error

"""Ways to split: holdout, folds, leave-one-out, bootstrap, three parts, balanced samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import LeaveOneOut, RepeatedStratifiedKFold, StratifiedKFold, StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier

from shiftproof.core import (
    Failure,
    Floats,
    InputError,
    Interval,
    Phrase,
    Rows,
    Seed,
    all_failed,
    check_count,
    check_fraction,
    fault,
    generator,
    shown,
)
from shiftproof.panel._cross_fit import cross_fit
from shiftproof.panel._fingerprint import fingerprint_labels
from shiftproof.panel._inputs import (
    as_features,
    check_lengths,
    check_order,
    encode_labels,
    fingerprint_features,
    take,
)
from shiftproof.panel._named_models import named_models
from shiftproof.panel._panel import Panel
from shiftproof.panel._progress import run_all
from shiftproof.panel._scoring import Scorer
from shiftproof.stats import wilson

Loss = Callable[[NDArray[Any], NDArray[Any]], Any]

# The expected share of distinct rows in a bootstrap sample, 1 - 1/e, as the method's name rounds it.
_DISTINCT_SHARE = 0.632


def holdout(*, test_size: float = 1 / 3, random_state: int | None = 0) -> StratifiedShuffleSplit:
    """Train on two thirds, test on the rest, stratified by class.

    Examples
    --------
    >>> train, test = next(holdout().split(np.zeros(9), [0, 0, 0, 1, 1, 1, 1, 1, 1]))
    >>> len(train), len(test)
    (6, 3)
    """
    return repeated_holdout(repeats=1, test_size=test_size, random_state=random_state)


def repeated_holdout(
    *, repeats: int = 10, test_size: float = 1 / 3, random_state: int | None = 0
) -> StratifiedShuffleSplit:
    """Hold out another stratified sample each time.

    Examples
    --------
    >>> repeated_holdout(repeats=5).get_n_splits()
    5
    """
    size = check_fraction(test_size, "test_size", hint="1/3 is usual")
    return StratifiedShuffleSplit(
        n_splits=check_count(repeats, "repeats", least=1), test_size=size, random_state=random_state
    )


def k_fold(k: int = 10, *, random_state: int | None = 0) -> StratifiedKFold:
    """Split into k shuffled, stratified folds.

    Examples
    --------
    >>> k_fold(5)
    StratifiedKFold(n_splits=5, random_state=0, shuffle=True)
    """
    return StratifiedKFold(check_count(k, "k", least=2, hint="10 is usual"), shuffle=True, random_state=random_state)


def repeated_k_fold(k: int = 10, *, repeats: int = 10, random_state: int | None = 0) -> RepeatedStratifiedKFold:
    """Split into k stratified folds, several times anew.

    Examples
    --------
    >>> repeated_k_fold(5, repeats=3).get_n_splits()
    15
    """
    return RepeatedStratifiedKFold(
        n_splits=check_count(k, "k", least=2, hint="10 is usual"),
        n_repeats=check_count(repeats, "repeats", least=1),
        random_state=random_state,
    )


class Bootstrap:
    """A splitter as in scikit-learn: train on n draws with replacement, test on the rows not drawn.

    Parameters
    ----------
    n_resamples : int
        Number of splits.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed; an integer gives the same splits each time.

    Examples
    --------
    >>> train, test = next(Bootstrap(random_state=0).split(np.zeros(1000)))
    >>> len(train), len(np.unique(train)) + len(test)
    (1000, 1000)
    """

    def __init__(self, n_resamples: int = 100, *, random_state: Seed = 0) -> None:
        self.n_resamples = n_resamples
        self.random_state = random_state

    def split(self, X: Any, y: object = None, groups: object = None) -> Iterator[tuple[Rows, Rows]]:  # noqa: ARG002
        """Yield training rows, with repeats, and test rows."""
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        rng = generator(self.random_state)
        for _ in range(self.get_n_splits()):
            train = rng.integers(n, size=n)
            yield train, np.setdiff1d(np.arange(n), train)

    def get_n_splits(self, X: object = None, y: object = None, groups: object = None) -> int:  # noqa: ARG002
        """Return the number of splits."""
        return check_count(self.n_resamples, "n_resamples", least=1)

    def __repr__(self) -> str:
        return f"Bootstrap(n_resamples={self.n_resamples}, random_state={self.random_state!r})"


def leave_one_out(model: object, X: object, y: object, *, n_jobs: int | None = None) -> Panel:
    """Score each row with a model fitted on all other rows.

    Parameters
    ----------
    model : estimator
        A classifier. ``KNeighborsClassifier`` is fitted once: its neighbours are looked up without the row itself.
    X, y : table and labels
        As in `cross_fit`.
    n_jobs : int, optional
        Number of fits to run in parallel.

    Returns
    -------
    Panel
        With one fold per row.

    Notes
    -----
    A model that predicts the majority class is wrong on every row of a balanced sample: leaving a row out makes its
    class the minority. Leave-one-out cannot be stratified.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> panel = leave_one_out(DummyClassifier(), np.zeros((10, 1)), [0, 1] * 5)
    >>> float((panel.predictions("DummyClassifier") != panel.y).mean())
    1.0
    """
    if type(model) is KNeighborsClassifier:
        return _neighbours_without_self(model, X, y)
    return cross_fit(model, X, y, cv=LeaveOneOut(), n_jobs=n_jobs)


def _neighbours_without_self(model: KNeighborsClassifier, X: object, y: object) -> Panel:
    features = as_features(X)
    classes, codes = encode_labels(y)
    check_lengths(features.n_rows, "label", "y", len(codes))
    check_order(X, y=y)
    fitted = clone(model).fit(features.data, classes[codes])
    if fitted.n_neighbors >= len(codes):
        hint = "only other rows can be neighbours"
        raise fault("n_neighbors", f"be below {len(codes)}, the number of rows", fitted.n_neighbors, hint)
    # Without an argument scikit-learn leaves each training row out of its own neighbours.
    distances, neighbours = fitted.kneighbors()
    votes = _neighbour_weights(fitted.weights, distances)
    probabilities = np.zeros((len(codes), len(classes)))
    np.add.at(probabilities, (np.arange(len(codes))[:, None], codes[neighbours]), votes)
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    name = type(model).__name__
    return Panel(
        classes_=classes,
        y=codes,
        out_of_fold={name: probabilities},
        fold_probabilities={name: probabilities[None]},
        folds=np.arange(len(codes))[None],
        fingerprint=f"{fingerprint_features(features)}-{fingerprint_labels(classes, codes)}",
        origin="cross-fitted",
        n_fits=1,
        fold_sizes=((len(codes) - 1, 1),) * len(codes),
        feature_names=features.names,
        named=features.named,
        scorers={name: Scorer(fitted, classes)},
    )


def _neighbour_weights(weights: object, distances: Floats) -> Floats:
    if callable(weights):
        return np.asarray(weights(distances), dtype=np.float64)
    if weights != "distance":
        return np.ones_like(distances)
    zero = distances == 0
    with np.errstate(divide="ignore"):
        votes = 1 / distances
    # As in scikit-learn: neighbours at the very same place outvote all others.
    return np.where(zero.any(axis=1, keepdims=True), zero.astype(np.float64), votes)


def zero_one(y: NDArray[Any], predicted: NDArray[Any]) -> NDArray[np.float64]:
    """Return 1 where the prediction is wrong, else 0."""
    return np.asarray(y != predicted, dtype=np.float64)


def bootstrap_632(
    estimator: object,
    X: object,
    y: object,
    *,
    n_resamples: int = 100,
    plus: bool = False,
    random_state: Seed = 0,
    loss: Loss = zero_one,
    level: float = 0.95,
    n_jobs: int | None = None,
) -> Interval:
    r"""Estimate a classifier's error by the .632 or the .632+ bootstrap.

    Let :math:`\overline{err}` be the error on the training rows, :math:`\widehat{Err}^{(1)}` the error of each row
    averaged over the resamples without it, and :math:`\hat\gamma` the error if predictions had nothing to do with
    labels (Efron and Tibshirani 1997). Then

    .. math:: \widehat{Err}^{(.632)} = .368\,\overline{err} + .632\,\widehat{Err}^{(1)}, \qquad
       \widehat{Err}^{(.632+)} = (1 - \hat w)\,\overline{err} + \hat w \min(\widehat{Err}^{(1)}, \hat\gamma),

    .. math:: \hat w = \frac{.632}{1 - .368 \hat R}, \qquad
       \hat R = \frac{\widehat{Err}^{(1)} - \overline{err}}{\hat\gamma - \overline{err}} \in [0, 1].

    Parameters
    ----------
    estimator : classifier
        Cloned and fitted `n_resamples` + 1 times.
    X, y : table and labels
        As in `cross_fit`.
    n_resamples : int
        Number of bootstrap samples; 50 to 200 are usual.
    plus : bool
        Whether to use .632+, which corrects for models that memorise.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of the resamples.
    loss : callable
        ``loss(y, predicted)`` gives one number per row; by default 1 for an error.
    level : float
        The nominal coverage of the interval.
    n_jobs : int, optional
        Number of fits to run in parallel.

    Returns
    -------
    Interval
        The estimate, with Wilson's interval for n rows (a normal interval for a loss of your own). Efron and
        Tibshirani's own standard error needs thousands of resamples before its simulation noise is negligible.

    Notes
    -----
    For a model that memorises rows with random labels of two equally frequent classes, .632 gives 0.316. The true error
    is 0.5, which .632+ gives.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(200, 5)), np.tile([0, 1], 100)
    >>> memoriser = KNeighborsClassifier(1)
    >>> round(bootstrap_632(memoriser, X, y).estimate, 1), round(bootstrap_632(memoriser, X, y, plus=True).estimate, 1)
    (0.3, 0.5)
    """
    ((name, model),) = named_models([estimator]).items()
    features = as_features(X)
    classes, codes = encode_labels(y)
    n = features.n_rows
    check_lengths(n, "label", "y", len(codes))
    check_order(X, y=y)
    level = check_fraction(level, "level", hint="0.95 means 95%")
    labels = classes[codes]
    draws = _two_class_draws(codes, check_count(n_resamples, "n_resamples", least=2), generator(random_state))
    everything = np.arange(n)
    parts = [(draw, np.setdiff1d(everything, draw)) for draw in draws] + [(everything, everything)]
    tasks = [(name, model, features.data, labels, part) for part in parts]
    predicted = run_all(_predict, tasks, n_jobs=n_jobs, progress=None)
    apparent = float(np.mean(loss(labels, predicted[-1])))
    fresh, variance = _leave_one_out_bootstrap(labels, [test for _, test in parts[:-1]], predicted[:-1], loss)
    estimate = (1 - _DISTINCT_SHARE) * apparent + _DISTINCT_SHARE * fresh
    if plus:
        estimate = _632_plus(apparent, fresh, _no_information(labels, predicted[-1], loss))
    name = f"{'.632+' if plus else '.632'} bootstrap"
    if loss is zero_one:
        return replace(wilson(estimate * n, n, level=level), method=f"{name}, wilson")
    margin = float(special.ndtri((1 + level) / 2)) * math.sqrt(variance / n)
    return Interval(
        estimate=estimate, low=estimate - margin, high=estimate + margin, level=level, method=f"{name}, normal"
    )


def _two_class_draws(codes: NDArray[np.int64], n_resamples: int, rng: np.random.Generator) -> list[Rows]:
    """Draw resamples that hold at least two classes and leave out at least one row."""
    n = len(codes)
    draws: list[Rows] = []
    # Draws of one class are drawn again; 100 tries each fail only where one class has almost all rows.
    for _ in range(100 * n_resamples):
        draw = rng.integers(n, size=n)
        if len(np.unique(codes[draw])) > 1 and len(np.unique(draw)) < n:
            draws.append(draw)
        if len(draws) == n_resamples:
            return draws
    raise fault(
        "y", "give resamples with two classes", Phrase("almost only one class"), "add rows of the other classes"
    )


def _predict(
    name: str, model: BaseEstimator, data: object, labels: NDArray[Any], part: tuple[Rows, Rows]
) -> NDArray[Any]:
    train, test = part
    # A model of the user may raise anything; it is named as by `cross_fit`.
    try:
        fresh = clone(model, safe=False)
        fresh.fit(take(data, train), labels[train])
        return np.asarray(fresh.predict(take(data, test)))
    except Exception as error:
        raise InputError(all_failed({name: Failure.of(error)})) from error


def _leave_one_out_bootstrap(
    labels: NDArray[Any], tests: Sequence[Rows], predicted: Sequence[NDArray[Any]], loss: Loss
) -> tuple[float, float]:
    """Return the error of rows outside their resamples, averaged row by row, and the variance of single losses."""
    total, squares, times = np.zeros(len(labels)), 0.0, np.zeros(len(labels))
    for test, guesses in zip(tests, predicted, strict=True):
        losses = np.asarray(loss(labels[test], guesses), dtype=np.float64)
        total[test] += losses
        squares += float((losses**2).sum())
        times[test] += 1
    always = int((times == 0).sum())
    if always:
        hint = f"{always} rows were drawn every time; use more resamples"
        raise fault("n_resamples", "leave each row out at least once", len(tests), hint)
    error = float((total / times).mean())
    return error, max(squares / float(times.sum()) - error**2, 0.0)


def _no_information(labels: NDArray[Any], predicted: NDArray[Any], loss: Loss) -> float:
    """Return the error if each prediction met a label at random."""
    classes, how_often = np.unique(labels, return_counts=True)
    guesses, how_likely = np.unique(predicted, return_counts=True)
    total = 0.0
    for label, share in zip(classes, how_often / len(labels), strict=True):
        pairs = np.asarray(loss(np.full(len(guesses), label), guesses), dtype=np.float64)
        total += share * float(pairs @ how_likely) / len(predicted)
    return float(total)


def _632_plus(apparent: float, fresh: float, uninformed: float) -> float:
    """Weigh the two errors by the relative rate of overfitting."""
    capped = min(fresh, uninformed)
    # The rate R of Efron and Tibshirani, 0 where the model does not overfit.
    rate = (capped - apparent) / (uninformed - apparent) if capped > apparent else 0.0
    weight = _DISTINCT_SHARE / (1 - (1 - _DISTINCT_SHARE) * rate)
    return (1 - weight) * apparent + weight * capped


def three_way_split(
    y: object, *, shares: tuple[float, float, float] = (0.5, 0.2, 0.3), random_state: Seed = 0
) -> tuple[Rows, Rows, Rows]:
    """Split the rows into a training, a validation and a test part, classes in equal shares.

    Parameters
    ----------
    y : sequence of labels
        The labels.
    shares : tuple of three floats
        The parts' shares, which sum to 1.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed.

    Returns
    -------
    train, validation, test : ndarray of int
        Row numbers in rising order; each row is in exactly one part.

    Examples
    --------
    >>> parts = three_way_split([0] * 50 + [1] * 50)
    >>> [len(part) for part in parts]
    [50, 20, 30]
    """
    given = np.asarray(shares, dtype=np.float64)
    if given.shape != (3,) or not (given > 0).all() or abs(given.sum() - 1) > 1e-9:
        raise fault("shares", "be three shares above 0 that sum to 1", shares, "(0.5, 0.2, 0.3) is usual")
    _, codes = encode_labels(y)
    rng = generator(random_state)
    parts: list[list[Rows]] = [[], [], []]
    for code in range(codes.max() + 1):
        rows = rng.permutation(np.flatnonzero(codes == code))
        cuts = np.rint(np.cumsum(given)[:2] * len(rows)).astype(int)
        for part, chosen in zip(parts, np.split(rows, cuts), strict=True):
            part.append(chosen)
    train, validation, test = (np.sort(np.concatenate(part)) for part in parts)
    return train, validation, test


def balanced_sample(y: object, *, size: int | None = None, random_state: Seed = 0) -> Rows:
    """Draw rows so that all classes are equally frequent, without drawing a row twice.

    Parameters
    ----------
    y : sequence of labels
        The labels.
    size : int, optional
        How many rows in all; by default as many as possible. Rows that do not divide evenly go to the first classes.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed.

    Returns
    -------
    ndarray of int
        Row numbers in rising order.

    Examples
    --------
    >>> y = np.array(["a"] * 90 + ["b"] * 10)
    >>> rows = balanced_sample(y)
    >>> (y[rows] == "b").mean().item(), len(rows)
    (0.5, 20)
    """
    classes, codes = encode_labels(y)
    k = len(classes)
    counts = np.bincount(codes, minlength=k)
    most = int(counts.min()) * k
    wanted = most if size is None else check_count(size, "size", least=k, hint="give each class a row")
    per_class = np.full(k, wanted // k) + (np.arange(k) < wanted % k)
    short = np.flatnonzero(per_class > counts)
    if len(short):
        label, count = shown(classes.tolist()[short[0]]), counts[short[0]]
        hint = f"at most {most} rows can be balanced"
        raise fault("size", f"not need more rows than the {count} of class {label}", wanted, hint)
    rng = generator(random_state)
    drawn = [rng.choice(np.flatnonzero(codes == code), per_class[code], replace=False) for code in range(k)]
    return np.sort(np.concatenate(drawn))

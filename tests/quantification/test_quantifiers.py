"""What holds for every quantifier: scikit-learn's contract, and the numbers of its method on scores made by hand."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import check_estimator

from shiftproof import InputError, ShiftproofWarning
from shiftproof.panel import Panel, cross_fit
from shiftproof.quantification import (
    METHODS,
    QUANTIFIERS,
    AdjustedCount,
    ClassifierQuantifier,
    ClassifyAndCount,
    Combined,
    DistributionMatching,
    EnergyMatching,
    ExpectationMaximization,
    HellingerMatching,
    KernelDensityMatching,
    Labelled,
    MedianSweep,
    ProbabilityAverage,
    Quantifier,
    Samples,
    ScaledProbabilityAverage,
    StructuredSVM,
    Threshold50,
    ThresholdMax,
    ThresholdX,
    TrainingPrevalence,
)

Array = np.ndarray[Any, Any]

# Those that are given a classifier.
CLASSES = [
    each for each in QUANTIFIERS.values() if issubclass(each, ClassifierQuantifier) and each is not StructuredSVM
]
PER_ROW = "a prevalence has one entry per class, not per row"
EXPECTED = {"check_methods_sample_order_invariance": PER_ROW, "check_methods_subset_invariance": PER_ROW}
OPTIONS: list[tuple[Quantifier, dict[str, Any]]] = [
    (AdjustedCount(rates="pooled"), {"rates": "pooled"}),
    (ThresholdX(rates="pooled"), {"rates": "pooled"}),
    (Threshold50(rates="pooled", reverse="always"), {"rates": "pooled", "reverse": "always"}),
    (ThresholdMax(rates="pooled"), {"rates": "pooled"}),
    (MedianSweep(rates="pooled", grid=True), {"rates": "pooled", "grid": True}),
    (ExpectationMaximization(calibrate=False, tolerance=0.01, most_rounds=3), {"calibrate": False, "tolerance": 0.01}),
    (HellingerMatching(bins=[3, 5]), {"bins": [3, 5]}),
    (DistributionMatching(bins=[3]), {"bins": [3]}),
    (KernelDensityMatching(bandwidth=0.3), {"bandwidth": 0.3}),
]


def task(n: int, k: int = 2, seed: int = 0, shift: float = 1.5) -> tuple[Array, Array]:
    """Rows of k classes in three columns, the rarer classes last."""
    rng = np.random.default_rng(seed)
    y = rng.choice(k, n, p=np.arange(k, 0, -1) / np.arange(k, 0, -1).sum())
    means = np.random.default_rng(99).normal(size=(k, 3))
    return rng.normal(size=(n, 3)) + shift * means[y], y


def by_hand(X: Array, y: Array, X_new: Array, cv: int = 5) -> tuple[Labelled, Array]:
    """Out-of-fold scores of naive Bayes by scikit-learn alone, and its scores of new rows."""
    splitter = StratifiedKFold(cv, shuffle=True, random_state=0)
    scores = cross_val_predict(GaussianNB(), X, y, cv=splitter, method="predict_proba")
    folds = np.empty(len(y), dtype=int)
    for number, (_, test) in enumerate(splitter.split(X, y)):
        folds[test] = number
    return Labelled(scores, y, folds), GaussianNB().fit(X, y).predict_proba(X_new)


SOAKING = int(os.environ.get("SIMULATIONS", "1")) > 1
# Those with a classifier share what the contract is about and differ in the method alone; `make soak` tries all.
ONE_OF_EACH_SORT = [
    kind
    for kind in QUANTIFIERS.values()
    if not issubclass(kind, ClassifierQuantifier) or kind in (AdjustedCount, Combined, EnergyMatching, StructuredSVM)
]


def assess(quantifier: Quantifier) -> None:
    results = check_estimator(quantifier, expected_failed_checks=EXPECTED, on_skip=None, on_fail=None)
    assert {each["check_name"] for each in results if each["status"] == "xfail"} == set(EXPECTED)
    failed = {each["check_name"]: each["exception"] for each in results if each["status"] == "failed"}
    assert failed == {}
    assert {each["check_name"] for each in results if each["status"] == "skipped"} <= {"check_array_api_input"}
    assert len(results) > 35


@pytest.mark.filterwarnings("ignore::shiftproof.ShiftproofWarning")
@pytest.mark.parametrize("kind", QUANTIFIERS.values() if SOAKING else ONE_OF_EACH_SORT)
def test_the_contract_of_scikit_learn_holds_with_two_exceptions(kind: type[Quantifier]) -> None:
    # Those with a classifier share one `fit`, which takes nearly all the time: one of them shows the default folds.
    few_folds = issubclass(kind, ClassifierQuantifier) and kind not in (AdjustedCount, StructuredSVM)
    assess(kind(cv=2) if few_folds else kind())


@pytest.mark.filterwarnings("ignore::shiftproof.ShiftproofWarning")
@pytest.mark.parametrize("classifier", [LogisticRegression(), HistGradientBoostingClassifier(max_iter=3)])
def test_the_contract_holds_around_other_classifiers(classifier: Any) -> None:
    assess(AdjustedCount(classifier))


@pytest.mark.filterwarnings("ignore::shiftproof.ShiftproofWarning")
def test_the_contract_holds_on_numbers_as_they_are() -> None:
    assess(StructuredSVM(scale=False))


def test_every_method_but_the_grid_has_a_class() -> None:
    assert len(CLASSES) == 15
    assert {kind().method.name for kind in CLASSES} == set(METHODS) - {"median sweep grid"}
    assert set(QUANTIFIERS) - set(METHODS) == {"nearest neighbors", "proportion-weighted neighbors", "structured svm"}
    for name, kind in QUANTIFIERS.items():
        assert kind().method.name == name
    assert MedianSweep(grid=True).method.options["grid"] is True


@pytest.mark.parametrize("kind", CLASSES)
def test_defaults_are_those_of_the_method(kind: type[ClassifierQuantifier]) -> None:
    """A class that says nothing of an option must not change it."""
    labelled, scores = by_hand(*task(150), task(60, seed=1)[0])
    quantifier = kind()
    found = quantifier.method.learn(labelled).estimate(Samples.of(scores))
    plain = METHODS[quantifier.method.name].learn(labelled).estimate(Samples.of(scores))
    np.testing.assert_array_equal(found, plain)


@pytest.mark.parametrize(("quantifier", "options"), OPTIONS, ids=lambda each: type(each).__name__)
def test_options_reach_the_method(quantifier: Quantifier, options: dict[str, Any]) -> None:
    X, y = task(200)
    X_new = task(90, seed=1)[0]
    labelled, scores = by_hand(X, y, X_new)
    if isinstance(quantifier, ExpectationMaximization):
        options = {**options, "most_rounds": 3}
    method = METHODS[quantifier.method.name]
    wanted = method.having(**options).learn(labelled).estimate(Samples.of(scores))[0]
    usual = method.learn(labelled).estimate(Samples.of(scores))[0]
    found = quantifier.set_params(classifier=GaussianNB(), cv=5).fit(X, y).predict(X_new)
    np.testing.assert_allclose(found, wanted, atol=1e-9)
    assert np.abs(wanted - usual).max() > 1e-6


@pytest.mark.parametrize("k", [2, 3, 10])
@pytest.mark.parametrize("kind", CLASSES)
def test_all_ways_to_a_classifier_give_the_method_on_its_scores(kind: type[ClassifierQuantifier], k: int) -> None:
    X, y = task(300 * k, k)
    X_new, _ = task(130, k, seed=1)
    labelled, scores = by_hand(X, y, X_new)
    wanted = kind().method.learn(labelled).estimate(Samples.of(scores))[0]
    assert wanted.shape == (k,)

    unfitted = kind(GaussianNB(), cv=5).fit(X, y)
    np.testing.assert_allclose(unfitted.predict(X_new), wanted, atol=1e-9)
    np.testing.assert_allclose(unfitted.predict_scores(scores), wanted, atol=1e-9)
    np.testing.assert_array_equal(unfitted.labelled_.folds, labelled.folds)
    assert unfitted.prevalence_.tolist() == (np.bincount(y) / len(y)).tolist()

    models = {"other": GaussianNB(var_smoothing=1.0), "mine": GaussianNB()}
    panel = cross_fit(models, X, y, cv=5)
    of_panel = kind(panel, model="mine").fit(X, y)
    np.testing.assert_allclose(of_panel.predict(X_new), wanted, atol=1e-9)
    np.testing.assert_allclose(kind(panel, model="mine").fit().predict(X_new), wanted, atol=1e-9)

    # RowScores alone come without folds.
    alone = kind(Panel.from_scores(y, {"mine": labelled.probabilities})).fit()
    pooled = kind().method.learn(Labelled(labelled.probabilities, y)).estimate(Samples.of(scores))[0]
    np.testing.assert_allclose(alone.predict_scores(scores), pooled, atol=1e-9)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("kind", CLASSES)
def test_a_deployed_classifier_is_used_as_it_is(kind: type[ClassifierQuantifier], k: int) -> None:
    X, y = task(300, k)
    classifier = LogisticRegression().fit(*task(300, k, seed=2))
    before = classifier.coef_.copy()
    quantifier = kind(classifier, cv="prefit").fit(X, y)
    X_new, _ = task(100, k, seed=1)
    learned = kind().method.learn(Labelled(classifier.predict_proba(X), y))
    wanted = learned.estimate(Samples.of(classifier.predict_proba(X_new)))[0]
    np.testing.assert_array_equal(quantifier.predict(X_new), wanted)
    np.testing.assert_array_equal(classifier.coef_, before)
    assert quantifier.panel_.models["classifier"] is classifier


LABELS: dict[str, Callable[[Array], Any]] = {
    "0/1": lambda y: y,
    "-1/1": lambda y: 2 * y - 1,
    "1/2": lambda y: y + 1,
    "floats": lambda y: y.astype(float),
    "text": lambda y: np.array(["no", "yes"])[y],
    "objects": lambda y: np.array(["no", "yes"], dtype=object)[y],
    "booleans": lambda y: y == 1,
    "list": lambda y: y.tolist(),
    "list of text": lambda y: np.array(["a", "b"])[y].tolist(),
    "series": lambda y: pd.Series(y, index=np.arange(len(y))[::-1]),
    "nullable": lambda y: pd.Series(y, dtype="Int64"),
    "categories": lambda y: pd.Categorical(np.array(["no", "yes"])[y]),
    "categories the other way round": lambda y: pd.Series(
        pd.Categorical(np.array(["no", "yes"])[y], categories=["yes", "maybe", "no"], ordered=True)
    ),
    "polars": lambda y: pl.Series(np.array(["no", "yes"])[y]),
    "polars categories": lambda y: pl.Series(np.array(["no", "yes"])[y], dtype=pl.Categorical),
    "polars booleans": lambda y: pl.Series(y == 1),
}


@pytest.mark.parametrize("labels", LABELS)
def test_what_the_classes_are_called_changes_nothing(labels: str) -> None:
    X, y = task(160)
    X_new, _ = task(70, seed=1)
    panel = cross_fit(LogisticRegression(), X, y, cv=3)
    renamed = LABELS[labels](y)
    for kind in CLASSES:
        wanted = kind(panel).fit().predict(X_new)
        quantifier = kind(LogisticRegression(), cv=3).fit(X, renamed)
        np.testing.assert_allclose(quantifier.predict(X_new), wanted, rtol=0, atol=1e-12)
    assert quantifier.classes_.tolist() == sorted(set(np.asarray(renamed).tolist()))


@pytest.mark.parametrize("kind", CLASSES)
def test_quantifiers_can_be_cloned_and_pickled(kind: type[ClassifierQuantifier]) -> None:
    X, y = task(80)
    quantifier = kind(LogisticRegression(C=2.0), cv=3, random_state=7)
    parameters = quantifier.get_params()
    assert {"classifier", "classifier__C", "model", "cv", "random_state", "n_jobs"} <= set(parameters)
    with_options = {name for name in parameters if "__" not in name}
    assert with_options - {"classifier", "model", "cv", "random_state", "n_jobs"} == set(quantifier.method.options)
    quantifier.fit(X, y)
    copy = clone(quantifier)
    assert not hasattr(copy, "learned_")
    assert copy.classifier is not quantifier.classifier
    assert {name: value for name, value in copy.get_params().items() if name != "classifier"} == {
        name: value for name, value in parameters.items() if name != "classifier"
    }
    again = pickle.loads(pickle.dumps(quantifier))  # noqa: S301 - our own
    np.testing.assert_array_equal(again.predict(X), quantifier.predict(X))
    np.testing.assert_array_equal(copy.fit(X, y).predict(X), quantifier.predict(X))


@pytest.mark.parametrize("kind", CLASSES)
def test_the_callers_classifier_is_never_changed(kind: type[ClassifierQuantifier]) -> None:
    X, y = task(80)
    classifier = LogisticRegression()
    quantifier = kind(classifier, cv=3).fit(X, y)
    quantifier.predict(X)
    assert quantifier.classifier is classifier
    assert not hasattr(classifier, "coef_")
    assert sorted(vars(classifier)) == sorted(vars(LogisticRegression()))


@pytest.mark.parametrize("kind", CLASSES)
def test_samples_of_any_prevalence_and_size_give_prevalences(kind: type[ClassifierQuantifier]) -> None:
    X, y = task(200, shift=3.0)
    quantifier = kind(LogisticRegression(), cv=5).fit(X, y)
    for rows in (y == 0, y == 1, np.arange(200) == 17):
        shares = quantifier.predict(X[rows])
        assert shares.shape == (2,)
        assert shares.min() >= 0
        assert shares.sum() == pytest.approx(1, abs=1e-12)
    if kind is TrainingPrevalence:
        assert quantifier.predict(X[y == 0]).tolist() == [np.mean(y == 0), np.mean(y == 1)]
    else:
        assert quantifier.predict(X[y == 0])[1] < 0.15
        assert quantifier.predict(X[y == 1])[1] > 0.85


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("kind", CLASSES)
def test_scores_that_are_all_equal_are_told(kind: type[ClassifierQuantifier], k: int) -> None:
    y = np.arange(90) % k
    silent = kind in (TrainingPrevalence, ClassifyAndCount, ProbabilityAverage)
    if silent:
        quantifier = kind(cv=3).fit(np.ones((90, 2)), y)
    else:
        with pytest.warns(ShiftproofWarning, match=f"^{kind().method.name}: "):
            quantifier = kind(cv=3).fit(np.ones((90, 2)), y)
    assert bool(quantifier.notes_) is not silent
    shares = quantifier.predict(np.ones((5, 2)))
    assert shares.shape == (k,)
    assert shares.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("quantifier", "message"),
    [
        (
            AdjustedCount().set_params(rates="mean"),
            "rates must be one of 'folds', 'pooled'; got 'mean'.",
        ),
        (
            HellingerMatching(bins=[]),
            "bins must name at least one number of bins, got 0; leave it out to use the usual ones.",
        ),
        (DistributionMatching(bins=[1]), "bins must be a whole number of at least 2; got 1."),
        (
            KernelDensityMatching(bandwidth=0),
            "bandwidth must be a number strictly between 0 and 1, got 0; 0.1 is usual.",
        ),
        (
            ExpectationMaximization(tolerance=-1),
            "tolerance must be at least 0 and below 1, got -1; 1e-8 is usual.",
        ),
        (
            ExpectationMaximization(most_rounds=0),
            "most_rounds must be a whole number of at least 1; got 0.",
        ),
    ],
    ids=lambda each: type(each).__name__,
)
def test_bad_options_get_one_sentence(quantifier: Quantifier, message: str) -> None:
    X, y = task(60)
    with pytest.raises(InputError) as caught:
        quantifier.set_params(classifier=LogisticRegression(), cv=3).fit(X, y)
    assert str(caught.value) == message


def test_unknown_options_are_no_parameters() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'rates'"):
        ClassifyAndCount(rates="pooled")
    with pytest.raises(ValueError, match=r"^Invalid parameter 'rate' for estimator AdjustedCount"):
        AdjustedCount().set_params(rate="pooled")


@pytest.mark.parametrize("kind", [ScaledProbabilityAverage, Combined])
def test_it_finds_the_prevalence_where_counting_does_not(kind: type[ClassifierQuantifier]) -> None:
    """A simulation: trained at a third of positives, asked at nine tenths."""
    X, y = task(1500, seed=3, shift=0.7)
    X_new, y_new = task(6000, seed=4, shift=0.7)
    positive, negative = np.flatnonzero(y_new == 1)[:900], np.flatnonzero(y_new == 0)[:100]
    rows = np.concatenate([positive, negative])
    assert len(rows) == 1000
    counted = ClassifyAndCount(LogisticRegression()).fit(X, y).predict(X_new[rows])[1]
    found = kind(LogisticRegression()).fit(X, y).predict(X_new[rows])[1]
    assert abs(found - 0.9) < 0.06
    assert counted < 0.8

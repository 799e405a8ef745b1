"""What the base does for all quantifiers: inputs of every kind, folds, notes, and a sentence where it cannot."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, ShuffleSplit, StratifiedKFold, TimeSeriesSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
from sklearn.svm import SVC, LinearSVC

import shiftproof as sp
from shiftproof import InputError, ShiftproofWarning
from shiftproof.core import RefittedModel
from shiftproof.panel import Panel, cross_fit
from shiftproof.quantification import (
    METHODS,
    AdjustedCount,
    ClassifierQuantifier,
    ClassifyAndCount,
    Combined,
    Labelled,
    MedianSweep,
    Samples,
)
from shiftproof.quantification._scored import labelled_rows

Array = np.ndarray[Any, Any]

RNG = np.random.default_rng(0)
Y = np.arange(120) % 2
X = RNG.normal(size=(120, 3)) + Y[:, None] * [1.0, 0.5, 0.0]
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
GAPS = X.copy()
GAPS[::7, 1] = np.nan
WORDS = np.array(["u", "v", "w"], dtype=object)[(Y + RNG.integers(0, 2, 120))][:, None]
TEXTS = [
    f"{'fine' if y else 'poor'} {'well' if noisy else 'ill'}" for y, noisy in zip(Y, RNG.random(120) < 0.5, strict=True)
]


def said(call: Callable[[], Any]) -> str:
    with pytest.raises(InputError) as caught:
        call()
    return str(caught.value)


# Inputs


@pytest.mark.parametrize(
    "form",
    [
        pl.DataFrame,
        pa.Table.from_pandas,
        lambda frame: frame.to_dict("list"),
        lambda frame: pl.DataFrame(frame).lazy(),
        lambda frame: frame.set_axis(frame.index[::-1], axis=0),
    ],
    ids=["polars", "pyarrow", "dict", "lazy", "pandas with an index of its own"],
)
def test_tables_of_every_library_give_the_same(form: Callable[[pd.DataFrame], Any]) -> None:
    wanted = AdjustedCount(GaussianNB(), cv=4).fit(FRAME, Y).predict(FRAME[:50])
    quantifier = AdjustedCount(GaussianNB(), cv=4).fit(form(FRAME), Y)
    np.testing.assert_array_equal(quantifier.predict(form(FRAME[:50])), wanted)
    np.testing.assert_array_equal(quantifier.predict(FRAME[:50]), wanted)
    assert quantifier.n_features_in_ == 3
    assert quantifier.feature_names_in_.tolist() == ["a", "b", "c"]


def test_lists_and_arrays_give_the_same_as_tables() -> None:
    wanted = AdjustedCount(GaussianNB(), cv=4).fit(FRAME, Y).predict(FRAME[:50])
    for form in (X, X.tolist(), np.asfortranarray(X)):
        np.testing.assert_array_equal(AdjustedCount(GaussianNB(), cv=4).fit(form, Y).predict(X[:50].tolist()), wanted)


def test_a_table_with_text_dates_and_gaps_works_by_default() -> None:
    table = {
        "word": WORDS[:, 0].tolist(),
        "number": [None if at % 9 == 0 else float(value) for at, value in enumerate(X[:, 0])],
        "day": pd.date_range("2024-01-01", periods=120).to_list(),
    }
    shares = Combined(cv=4).fit(table, Y).predict(table)
    np.testing.assert_allclose(shares, [0.5, 0.5], atol=0.12)


def test_texts_are_taken_by_a_pipeline() -> None:
    pipeline = make_pipeline(TfidfVectorizer(), GaussianNBOfDense())
    quantifier = ClassifyAndCount(pipeline, cv=3).fit(TEXTS, Y)
    fine, poor = [text for text in TEXTS if "fine" in text], [text for text in TEXTS if "poor" in text]
    for form in (list, np.array, pd.Series, lambda texts: np.array(texts, dtype=object)):
        assert quantifier.predict(form(fine)).tolist() == [0.0, 1.0]
        assert quantifier.predict(form(poor)).tolist() == [1.0, 0.0]
    assert quantifier.n_features_in_ == 1


def GaussianNBOfDense() -> Any:
    return make_pipeline(FunctionTransformer(sparse.csr_matrix.toarray, accept_sparse=True), GaussianNB())


@pytest.mark.parametrize(
    "classifier",
    [
        None,
        HistGradientBoostingClassifier(max_iter=3),
        make_pipeline(SimpleImputer(), GaussianNB()),
        CalibratedClassifierCV(HistGradientBoostingClassifier(max_iter=3), cv=2),
    ],
    ids=["default", "trees", "imputing pipeline", "calibrated trees"],
)
def test_missing_cells_are_taken_where_the_classifier_takes_them(classifier: Any) -> None:
    found = [ClassifyAndCount(classifier, cv=3).fit(form, Y).predict(form) for form in (GAPS, pd.DataFrame(GAPS))]
    np.testing.assert_array_equal(found[0], found[1])


def test_missing_cells_get_a_sentence_where_the_classifier_takes_none() -> None:
    full, gaps = (X, FRAME), (GAPS, pd.DataFrame(GAPS, columns=["a", "b", "c"]))
    for rows, with_gaps in zip(full, gaps, strict=True):
        assert said(partial(AdjustedCount(LogisticRegression()).fit, with_gaps, Y)) == (
            "'classifier' failed with ValueError: Input X contains NaN; fill in missing "
            "values, for example with SimpleImputer in a pipeline."
        )
        assert said(partial(AdjustedCount(LogisticRegression()).fit(rows, Y).predict, with_gaps)) == (
            "the classifier cannot score X: Input X contains NaN."
        )


@pytest.mark.parametrize("kind", [object, str])
def test_arrays_of_words_are_taken_where_the_classifier_takes_them(kind: type) -> None:
    words = WORDS.astype(kind)
    pipeline = make_pipeline(OneHotEncoder(), LogisticRegression())
    found = ClassifyAndCount(pipeline, cv=3).fit(words, Y).predict(words)
    table = pd.DataFrame(words, columns=["word"])
    wanted = ClassifyAndCount(pipeline, cv=3).fit(table, Y).predict(table)
    np.testing.assert_array_equal(found, wanted)
    with pytest.raises(ValueError, match="string"):
        ClassifyAndCount(LogisticRegression(), cv=3).fit(words, Y)


def test_columns_must_be_those_of_fit() -> None:
    """In scikit-learn's words, which its checks ask for."""
    quantifier = AdjustedCount(GaussianNB(), cv=3).fit(FRAME, Y)
    names = "The feature names should match those that were passed during fit.\n"
    for table, words in [
        (FRAME[["c", "a", "b"]], "Feature names must be in the same order as they were in fit.\n"),
        (FRAME[["a", "b"]], "Feature names seen at fit time, yet now missing:\n- c\n"),
        (FRAME.assign(z=1), "Feature names unseen at fit time:\n- z\n"),
    ]:
        with pytest.raises(ValueError, match="feature names") as caught:
            quantifier.predict(table)
        assert str(caught.value) == names + words
        # A Panel takes columns by name, whatever their order, and leaves others out.
    panel = cross_fit(GaussianNB(), FRAME, Y, cv=3)
    of_panel = AdjustedCount(panel).fit()
    for table in (FRAME[["c", "a", "b"]], FRAME.assign(z=1)):
        np.testing.assert_array_equal(of_panel.predict(table), quantifier.predict(FRAME))
    assert said(lambda: of_panel.predict(FRAME[["a", "b"]])) == (
        "X_new has no column 'c', which X has; add it, or leave it out of both tables."
    )


def test_arrays_must_have_the_columns_of_fit() -> None:
    quantifier = AdjustedCount(GaussianNB(), cv=3).fit(X, Y)
    with pytest.raises(ValueError, match=r"^X has 2 features, but AdjustedCount is expecting 3 features as input\.$"):
        quantifier.predict(X[:, :2])
    with pytest.raises(ValueError, match=r"^Found array with 0 sample"):
        quantifier.predict(X[:0])
    with pytest.raises(ValueError, match=r"^Expected 2D array, got 1D array instead"):
        quantifier.predict(X[0])


# Bad input


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: AdjustedCount(GaussianNB()).fit(X, np.zeros(120)),
            "y must contain at least two classes, got one class, 0.0; add rows of another class, or use another "
            "column.",
        ),
        (
            lambda: AdjustedCount(GaussianNB()).fit(X, np.arange(120) == 3),
            "class True must have at least 2 rows for cross-validation, got 1; drop the class, or merge it with "
            "another.",
        ),
        (
            lambda: AdjustedCount(GaussianNB()).fit(X, Y[:-1]),
            "y must have one label per row of X, got 119 for 120 rows; pass the labels of the same rows.",
        ),
        (
            lambda: AdjustedCount(GaussianNB()).fit(X, np.where(Y, 1.0, np.nan)),
            "y must have no missing labels, got 60; drop those rows first.",
        ),
        (
            lambda: AdjustedCount(GaussianNB()).fit(X, Y + 0.5),
            "y must contain class labels, got 0.5; bin the numbers into classes first.",
        ),
        (
            lambda: AdjustedCount(GaussianNB()).fit(X),
            "y must hold the labels: AdjustedCount requires y to be passed, but the target y is None.",
        ),
        (
            lambda: AdjustedCount(GaussianNB()).fit(FRAME[:0], Y[:0]),
            "X must hold at least one row, got 0; check the filter or the file it came from.",
        ),
        (
            lambda: AdjustedCount(GaussianNB()).fit(None, Y),
            "X must be a table, got None; pass a pandas, polars or pyarrow table, a 2-D array, a dict of columns "
            "or a list of dicts.",
        ),
        (
            lambda: AdjustedCount(GaussianNB()).fit(sparse.csr_matrix(X), Y),
            "X must be a table or a dense array, got a sparse matrix; pass it to cross_fit, and use the "
            "resulting Panel in place of the classifier.",
        ),
        (
            lambda: AdjustedCount(GaussianNB(), cv=3).fit(X, Y).predict(sparse.csr_matrix(X)),
            "X must be a table or a dense array, got a sparse matrix; pass it to cross_fit, and use the "
            "resulting Panel in place of the classifier.",
        ),
        (
            lambda: AdjustedCount(GaussianNB).fit(X, Y),
            "classifier must be an estimator, got 'GaussianNB'; write GaussianNB(), with parentheses.",
        ),
        (
            lambda: AdjustedCount("nb").fit(X, Y),
            "models must be classifiers, got 'nb'; write sp.default_models(only=['nb']).",
        ),
        (
            lambda: AdjustedCount(LinearRegression()).fit(X, Y),
            "models['classifier'] (LinearRegression) is not a classifier: it predicts numbers; pass a classifier.",
        ),
        (
            lambda: AdjustedCount(GaussianNB(), cv=1).fit(X, Y),
            "cv must be a whole number of at least 2, got 1; 10 is usual.",
        ),
        (
            lambda: AdjustedCount(GaussianNB(), cv=True).fit(X, Y),
            "cv must be a whole number of at least 2, got True; 10 is usual.",
        ),
        (
            lambda: AdjustedCount(GaussianNB(), cv="fit").fit(X, Y),
            "cv must be a whole number, a scikit-learn splitter or 'prefit'; got 'fit'. Did you mean 'prefit'?",
        ),
        (
            lambda: AdjustedCount(GaussianNB(), random_state=-1).fit(X, Y),
            "random_state must be None, a whole number of at least 0, or a NumPy generator, got -1; use 0.",
        ),
        (
            lambda: AdjustedCount(GaussianNB(), cv="prefit").fit(X, Y),
            "'classifier' is not fitted, but cv='prefit' uses models as is; fit it first, or leave out cv.",
        ),
        (
            lambda: AdjustedCount(GaussianNB().fit(X, np.arange(120) % 3), cv="prefit").fit(X, Y),
            "labelled must hold rows of every class, got none of class 2; label some, or leave out its column.",
        ),
        (
            lambda: AdjustedCount(GaussianNB().fit(X, Y), cv="prefit").fit(X, np.arange(120) % 3),
            "y must hold only the classes 0 and 1, got 2; drop those rows, or add rows of that class to the "
            "labelled data.",
        ),
        (
            lambda: ClassifierQuantifier(GaussianNB()).fit(X, Y),
            "ClassifierQuantifier is a base class; use Combined() or another quantifier.",
        ),
        (
            lambda: AdjustedCount(GaussianNB(), model="nb", cv=3).fit(X, Y),
            "model must be a model of the panel, got 'nb'; available: 'classifier'.",
        ),
    ],
)
def test_bad_input_gets_one_sentence(call: Callable[[], Any], message: str) -> None:
    assert said(call) == message


def test_an_empty_array_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^Found array with 0 sample"):
        AdjustedCount(GaussianNB()).fit(X[:0], Y[:0])


@pytest.mark.parametrize("what", ["predict", "predict_scores", "predict_interval"])
def test_predicting_before_fitting_is_refused(what: str) -> None:
    message = "^This AdjustedCount instance is not fitted yet. Call 'fit' with appropriate arguments before using"
    with pytest.raises(NotFittedError, match=message):
        getattr(AdjustedCount(), what)(X)


# A Panel in place of a classifier


def test_a_panel_is_used_as_it_is_and_nothing_is_fitted() -> None:
    panel = cross_fit({"a": GaussianNB(), "b": DummyClassifier()}, X, Y, cv=4)
    quantifier = AdjustedCount(panel, model="a").fit(X, Y)
    assert quantifier.panel_ is panel
    assert quantifier.classes_ is panel.classes_
    assert quantifier.n_features_in_ == 3
    learned = METHODS["adjusted count"].learn(Labelled(panel.out_of_fold["a"], Y, panel.folds[0]))
    wanted = learned.estimate(Samples.of(panel.models["a"].predict_proba(X[:40])))[0]
    np.testing.assert_array_equal(quantifier.predict(X[:40]), wanted)


def test_a_panel_takes_sparse_matrices() -> None:
    panel = cross_fit(LogisticRegression(), sparse.csr_matrix(X), Y, cv=4)
    dense = AdjustedCount(LogisticRegression(), cv=4).fit(X, Y)
    found = AdjustedCount(panel).fit(sparse.csr_matrix(X), Y).predict(sparse.csr_matrix(X[:70]))
    np.testing.assert_allclose(found, dense.predict(X[:70]), atol=1e-9)


def test_a_panel_that_does_not_fit_gets_one_sentence() -> None:
    panel = cross_fit({"a": GaussianNB(), "b": DummyClassifier()}, X, Y, cv=4)
    assert said(AdjustedCount(panel).fit) == "model must name one of the panel's models, got None; available: 'a', 'b'."
    assert (
        said(AdjustedCount(panel, model="c").fit) == "model must be a model of the panel, got 'c'; available: 'a', 'b'."
    )
    assert said(lambda: AdjustedCount(panel, model="a").fit(X + 1, Y)) == (
        "X must be the table that the panel was made from, got one with other values or columns; "
        "pass the same rows in the same order."
    )
    assert said(lambda: AdjustedCount(panel, model="a").fit(X, 1 - Y)) == (
        "y must match the panel's labels, got other labels in 120 of 120 rows; pass the same rows in the same order."
    )
    assert said(lambda: AdjustedCount(panel, model="a").fit(X, Y).predict(X[:, :2])) == (
        "X_new must have 3 columns, got 2; give the columns of X, in the same order."
    )


def test_a_panel_of_scores_has_no_model_to_score_with() -> None:
    quantifier = AdjustedCount(Panel.from_scores(Y, {"s": np.where(Y, 0.7, 0.3)})).fit()
    message = "scoring new rows needs the models, but the panel has only scores; make it with cross_fit."
    assert said(lambda: quantifier.predict(X)) == message
    assert said(lambda: quantifier.predict_interval(X)) == message
    assert quantifier.predict_scores([[0.4, 0.6], [0.8, 0.2], [0.9, 0.1], [0.6, 0.4]]).tolist() == [0.75, 0.25]
    assert said(lambda: quantifier.predict_scores([0.2, 0.4])) == (
        "probabilities must have one row per case and a column per class, got shape (2,); "
        "give 1 - p and p for two classes."
    )
    assert said(lambda: quantifier.predict_scores(np.full((4, 3), 1 / 3))) == (
        "probabilities must have a column for each of 2 classes, got 3; score both tables with the same model."
    )


# Folds and notes


def test_a_class_with_few_rows_makes_fewer_folds_and_that_is_told() -> None:
    y = np.array(["often"] * 117 + ["rare"] * 3)
    with pytest.warns(ShiftproofWarning) as caught:
        quantifier = ClassifyAndCount(GaussianNB()).fit(X, y)
    words = "class 'rare' has 3 rows, so there are that many folds instead of 10"
    assert [str(each.message) for each in caught] == [f"classify and count: {words}."]
    assert caught[0].filename == __file__
    assert quantifier.notes_ == (words,)
    assert np.bincount(quantifier.labelled_.folds[y == "rare"]).tolist() == [1, 1, 1]


def test_rates_that_do_not_tell_the_classes_apart_are_told() -> None:
    """tpr = fpr: the classifier says the same of all rows; of equal scores one half counts as positive."""
    with pytest.warns(ShiftproofWarning) as caught:
        quantifier = AdjustedCount(DummyClassifier(strategy="prior")).fit(X, Y)
    assert [str(each.message) for each in caught] == ["adjusted count: tpr <= fpr, so the plain count is returned."]
    assert quantifier.predict(X).tolist() == [0.0, 1.0]
    # Three quarters of the first class are below one half.
    with pytest.warns(ShiftproofWarning, match="^median sweep: tpr <= fpr, so the plain count is returned[.]$"):
        sweep = MedianSweep(DummyClassifier(strategy="prior")).fit(X, np.arange(120) % 4 == 0)
    assert sweep.predict(X).tolist() == [1.0, 0.0]


def test_any_splitter_will_do() -> None:
    splitter = StratifiedKFold(3, shuffle=True, random_state=5)
    found = AdjustedCount(GaussianNB(), cv=splitter).fit(X, Y)
    panel = cross_fit(GaussianNB(), X, Y, cv=list(splitter.split(X, Y)))
    np.testing.assert_array_equal(found.labelled_.probabilities, panel.out_of_fold["GaussianNB"])


def test_rows_that_were_never_tested_are_not_learnt_from() -> None:
    quantifier = AdjustedCount(GaussianNB(), cv=TimeSeriesSplit(4)).fit(X, Y)
    assert len(quantifier.labelled_.codes) == 96
    np.testing.assert_array_equal(quantifier.labelled_.codes, Y[24:])
    assert np.bincount(quantifier.labelled_.folds).tolist() == [24] * 4


def test_folds_are_those_that_tested_a_row_first() -> None:
    repeated = cross_fit(GaussianNB(), X, Y, cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0))
    np.testing.assert_array_equal(labelled_rows(repeated, "GaussianNB").folds, repeated.folds[0])
    # Some rows are tested by the first split, more by the second only, some never.
    splits = list(ShuffleSplit(2, test_size=0.3, random_state=0).split(X))
    panel = cross_fit(GaussianNB(), X, Y, cv=splits)
    labelled = labelled_rows(panel, "GaussianNB")
    first, second = (np.isin(np.arange(120), test) for _, test in splits)
    assert (first & second).any()
    np.testing.assert_array_equal(labelled.folds, np.where(first, 0, 1)[first | second])
    np.testing.assert_array_equal(labelled.codes, Y[first | second])


def test_decision_values_are_calibrated() -> None:
    scores = AdjustedCount(LinearSVC(), cv=5).fit(X, Y).labelled_.probabilities
    assert 0 < scores.min() < scores.max() < 1


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("svm", [LinearSVC(), SVC()])
def test_classify_and_count_counts_what_an_svm_predicts(svm: Any, classes: int) -> None:
    """Few positives: calibrated scores hardly ever reach one half, where the machine's own plane is elsewhere."""
    rng = np.random.default_rng(3)
    codes = np.repeat(np.arange(classes), [160, 40, 40][:classes])
    points = rng.normal(size=(len(codes), 2)) + np.eye(3)[codes][:, :2] * 1.5
    new = rng.normal(size=(150, 2)) + np.eye(3)[rng.integers(classes, size=150)][:, :2] * 1.5
    labels = np.array(["a", "b", "c"])[codes]
    svm = clone(svm)
    predicted = svm.fit(points, labels).predict(new)
    quantifier = ClassifyAndCount(svm, cv=4).fit(points, labels)
    wanted = [np.mean(predicted == label) for label in quantifier.classes_]
    np.testing.assert_allclose(quantifier.predict(new), wanted)
    found = sp.quantify(clone(svm), points, labels, new, method="classify and count", check=False, resamples=20)
    np.testing.assert_allclose(list(found.estimate.values()), wanted)
    folds = StratifiedKFold(4, shuffle=True, random_state=0).split(points, labels)
    for train, test in folds:
        inside = clone(svm).fit(points[train], labels[train]).predict(points[test])
        np.testing.assert_array_equal(quantifier.classes_[quantifier.labelled_.scores.decisions[test]], inside)


def test_adjusted_count_of_an_svm_corrects_its_own_decisions() -> None:
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], [150, 50])
    points, new = rng.normal(size=(200, 2)) + y[:, None], rng.normal(size=(100, 2)) + 0.5
    quantifier = AdjustedCount(LinearSVC(), rates="pooled", cv=5).fit(points, y)
    out_of_fold = np.empty(200)
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(points, y):
        out_of_fold[test] = LinearSVC().fit(points[train], y[train]).predict(points[test])
    tpr, fpr = out_of_fold[y == 1].mean(), out_of_fold[y == 0].mean()
    count = LinearSVC().fit(points, y).predict(new).mean()
    assert quantifier.predict(new)[1] == pytest.approx(np.clip((count - fpr) / (tpr - fpr), 0, 1))


# Intervals and seeds


def test_intervals_are_those_of_the_estimate_and_the_same_for_a_seed() -> None:
    quantifier = AdjustedCount(GaussianNB(), cv=5).fit(X, Y)
    intervals = quantifier.predict_interval(X[:60], resamples=40)
    np.testing.assert_allclose([each.estimate for each in intervals], quantifier.predict(X[:60]))
    assert all(each.low <= each.estimate <= each.high for each in intervals)
    assert [str(each) for each in quantifier.predict_interval(X[:60], resamples=40)] == [
        str(each) for each in intervals
    ]
    narrow = quantifier.predict_interval(X[:60], resamples=40, level=0.5)
    assert narrow[1].high - narrow[1].low < intervals[1].high - intervals[1].low
    other = AdjustedCount(GaussianNB(), cv=5, random_state=1).fit(X, Y)
    assert not np.array_equal(other.labelled_.folds, quantifier.labelled_.folds)


def test_bad_levels_and_resamples_get_one_sentence() -> None:
    quantifier = ClassifyAndCount(GaussianNB(), cv=3).fit(X, Y)
    assert said(lambda: quantifier.predict_interval(X, level=90)) == (
        "level must be a number strictly between 0 and 1, got 90; 0.9 means 90%."
    )
    assert said(lambda: quantifier.predict_interval(X, resamples=1)) == (
        "resamples must be a whole number of at least 20, got 1; 200 is usual."
    )


def test_parallel_fits_change_nothing() -> None:
    alone = AdjustedCount(GaussianNB(), cv=4).fit(X, Y)
    together = AdjustedCount(GaussianNB(), cv=4, n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(alone.labelled_.probabilities, together.labelled_.probabilities)


def test_fitting_again_forgets() -> None:
    quantifier = AdjustedCount(GaussianNB(), cv=3)
    assert quantifier.fit(X[:, :2], Y) is quantifier
    quantifier.fit(FRAME, np.array(["a", "b", "c"])[np.arange(120) % 3])
    assert quantifier.classes_.tolist() == ["a", "b", "c"]
    assert quantifier.predict(FRAME).shape == (3,)
    assert quantifier.n_features_in_ == 3


def test_a_fitted_classifier_is_refitted_with_a_warning_unless_folds_are_given() -> None:
    fitted = GaussianNB().fit(X, Y)
    with pytest.warns(RefittedModel, match="'classifier'"):
        again = AdjustedCount(fitted).fit(X, Y)
    np.testing.assert_array_equal(again.prevalence_, AdjustedCount(fitted, cv=10).fit(X, Y).prevalence_)


def test_labels_in_another_order_are_refused_by_every_quantifier() -> None:
    with pytest.raises(InputError, match=r"^y must have its rows in the same order as X, got the same index"):
        AdjustedCount().fit(pd.DataFrame(X), pd.Series(Y).iloc[::-1])

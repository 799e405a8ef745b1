"""The verb: agreement with scikit-learn, folds that keep their promises, failures by name, sentences."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import (
    GridSearchCV,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from shiftproof.core import CopiedRows, Failure, InputError, LabelsAlike, ModelsLeftOut, ShiftproofWarning
from shiftproof.panel import Panel, cross_fit, default_models

Array = np.ndarray[Any, Any]


def task(n: int = 120, k: int = 2, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % k)
    return rng.normal(size=(n, 3)) + y[:, None] * [1.0, 0.5, 0.0], y


class Counting(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Writes a line per fit into a file, so that fits in other processes count too."""

    def __init__(self, log: str = "") -> None:
        self.log = log

    def fit(self, X: Any, y: Any) -> Counting:
        self.classes_ = np.unique(y)
        with Path(self.log).open("a") as log:
            log.write(f"{float(np.sum(X))!r}\n")
        return self

    def predict_proba(self, X: Any) -> Array:
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))


class Sick(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fails if it meets a row that begins with `allergy`."""

    def __init__(self, allergy: float = 0.0) -> None:
        self.allergy = allergy

    def fit(self, X: Any, y: Any) -> Sick:
        if (np.asarray(X)[:, 0] == self.allergy).any():
            raise ValueError("cannot bear it.\nmore lines")
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: Any) -> Array:
        return np.full((len(X), 2), 0.5)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        GaussianNB(),
        make_pipeline(StandardScaler(), KNeighborsClassifier()),
        RandomForestClassifier(10, random_state=0),
        # Parameters are tuned within the training rows of each fold.
        GridSearchCV(LogisticRegression(), {"C": [0.001, 1.0]}, cv=3),
    ],
)
def test_agrees_with_scikit_learn(model: Any, k: int) -> None:
    X, y = task(k=k)
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    expected = cross_val_predict(model, X, y, cv=cv, method="predict_proba")
    for given in (cv, 5, list(cv.split(X, y))):
        panel = cross_fit({"m": model}, X, y, cv=given)
        np.testing.assert_allclose(panel.out_of_fold["m"], expected, atol=1e-12, rtol=0)
    np.testing.assert_allclose(panel.apply(X)["m"], model.fit(X, y).predict_proba(X), atol=1e-12, rtol=0)


@pytest.mark.parametrize(("repeats", "refit", "fits"), [(1, True, 5), (1, False, 4), (3, True, 13)])
def test_no_model_is_fitted_twice(tmp_path: Path, repeats: int, refit: bool, fits: int) -> None:
    X, y = task(40)
    logs = [tmp_path / "a", tmp_path / "b"]
    models = {path.name: Counting(str(path)) for path in logs}
    panel = cross_fit(models, X, y, cv=4, repeats=repeats, refit=refit)
    for log in logs:
        lines = log.read_text().split()
        assert len(lines) == len(set(lines)) == fits
    panel.matches(X, y)
    panel.predictions("a")
    if refit:
        panel.apply(X)
    panel.apply_by_fold(X)
    assert len(logs[0].read_text().split()) == fits


def labels_of(y: Array) -> dict[str, Any]:
    text = np.where(y == 1, "yes", "no")
    return {
        "numbers": y,
        "signs": 2 * y - 1,
        "text": text,
        "list": text.tolist(),
        "booleans": y == 1,
        "floats": y.astype(float),
        "categories": pd.Series(text, dtype="category"),
        "objects": text.astype(object),
        "nullable": pd.Series(y, dtype="Int64"),
        "nullable booleans": pd.Series(y == 1, dtype="boolean"),
        "polars": pl.Series(text, dtype=pl.Categorical),
        "pyarrow": pa.array(text.tolist()),
        "pyarrow chunks": pa.chunked_array([pa.array(y == 1)]),
    }


@pytest.mark.parametrize("kind", list(labels_of(np.array([0, 1]))))
def test_labels_of_any_type_give_the_same_probabilities(kind: str) -> None:
    X, y = task(60)
    models = {
        "lr": LogisticRegression(),
        "svm": LinearSVC(dual=False),
        "boost": HistGradientBoostingClassifier(max_iter=5),
    }
    expected = cross_fit(models, X, y, cv=3)
    panel = cross_fit(models, X, labels_of(y)[kind], cv=3)
    assert panel.y.tolist() == y.tolist()
    assert len(panel.classes_) == 2
    for name in models:
        np.testing.assert_allclose(panel.out_of_fold[name], expected.out_of_fold[name], atol=1e-12, rtol=0)
        assert panel.models[name].classes_.tolist() == panel.classes_.tolist()


def test_tables_of_any_library_give_the_same_probabilities() -> None:
    X, y = task(60)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    tables = [
        frame,
        pl.from_pandas(frame),
        pl.from_pandas(frame).lazy(),
        pa.Table.from_pandas(frame),
        frame.to_dict("list"),
        frame.to_dict("records"),
        X.tolist(),
        sparse.csr_matrix(X),
    ]
    expected = cross_fit({"m": LogisticRegression()}, X, y, cv=3)
    for table in tables:
        panel = cross_fit({"m": LogisticRegression()}, table, y, cv=3)
        np.testing.assert_allclose(panel.out_of_fold["m"], expected.out_of_fold["m"], atol=1e-12, rtol=0)
        np.testing.assert_allclose(panel.apply(table)["m"], expected.apply(X)["m"], atol=1e-12, rtol=0)
        panel.matches(table, y)


def test_cross_fit_takes_a_list_of_texts() -> None:
    texts = ["good wine", "bad beer", "good bread", "bad wine"] * 5
    panel = cross_fit(make_pipeline(TfidfVectorizer(), LogisticRegression()), texts, ["+", "-"] * 10, cv=2)
    assert (panel.predictions("LogisticRegression") == panel.y).all()
    assert panel.apply(pd.Series(["good"]))["LogisticRegression"][0, 0] > 0.5


def test_the_callers_estimator_and_data_stay_as_they_are() -> None:
    X, y = task(40)
    frame, model = pd.DataFrame(X), LogisticRegression(C=2)
    weights = np.ones(40)
    panel = cross_fit(model, frame, y, cv=2, sample_weight=weights)
    assert not hasattr(model, "coef_")
    pd.testing.assert_frame_equal(frame, pd.DataFrame(X))
    assert y.flags.writeable
    assert weights.flags.writeable
    assert not panel.y.flags.writeable


def test_weights_reach_the_models() -> None:
    X, y = task(80)
    weights = np.random.default_rng(0).uniform(0, 2, 80)
    models = {"lr": LogisticRegression(), "pipe": make_pipeline(StandardScaler(), make_pipeline(GaussianNB()))}
    panel = cross_fit(models, X, y, cv=4, sample_weight=weights)
    for train, test in StratifiedKFold(4, shuffle=True, random_state=0).split(X, y):
        model = LogisticRegression().fit(X[train], y[train], weights[train])
        np.testing.assert_allclose(panel.out_of_fold["lr"][test], model.predict_proba(X[test]), atol=1e-12, rtol=0)
        scaler = StandardScaler().fit(X[train])
        bayes = GaussianNB().fit(scaler.transform(X[train]), y[train], weights[train])
        expected = bayes.predict_proba(scaler.transform(X[test]))
        np.testing.assert_allclose(panel.out_of_fold["pipe"][test], expected, atol=1e-12, rtol=0)
    assert panel.sample_weight is not None


def test_models_that_take_no_weights_are_named() -> None:
    X, y = task(40)
    words = r"^'knn' does not accept sample_weight and was fitted without it\.$"
    with pytest.warns(ShiftproofWarning, match=words):
        cross_fit({"knn": KNeighborsClassifier(), "lr": LogisticRegression()}, X, y, cv=2, sample_weight=np.ones(40))


def test_groups_are_never_split() -> None:
    X, y = task(90)
    groups = np.random.default_rng(1).integers(0, 15, 90)
    panel = cross_fit(GaussianNB(), X, y, cv=3, repeats=2, groups=groups)
    assert panel.n_repeats == 2
    for folds in panel.folds:
        for group in np.unique(groups):
            assert len(np.unique(folds[groups == group])) == 1
    named = cross_fit(
        GaussianNB(), pd.DataFrame(X).assign(who=groups.astype(str)).rename(columns=str), y, cv=3, groups="who"
    )
    assert named.feature_names == ("0", "1", "2")


def test_time_never_looks_ahead(tmp_path: Path) -> None:
    X, y = task(110)
    moments = np.random.default_rng(2).permutation(110) // 3  # ties
    panel = cross_fit({"nb": GaussianNB(), "svm": LinearSVC(dual=False)}, X, y, cv=4, time=moments)
    assert panel.folds.max() == 3
    assert 10 <= (~panel.tested).sum() <= 40
    for fold in range(4):
        test = panel.folds[0] == fold
        before = moments < moments[test].min()
        assert (panel.folds[0][before] < fold).all()
        assert not (moments[~test & ~before] < moments[test].min()).any()
        model = GaussianNB().fit(X[before], y[before])
        np.testing.assert_allclose(panel.out_of_fold["nb"][test], model.predict_proba(X[test]), atol=1e-12, rtol=0)
    # The labels of the last block change no score of the blocks before it, calibration included.
    last = panel.folds[0] == 3
    other = cross_fit({"svm": LinearSVC(dual=False)}, X, np.where(last, 1 - y, y), cv=4, time=moments)
    earlier = panel.tested & ~last
    np.testing.assert_allclose(other.out_of_fold["svm"][earlier], panel.out_of_fold["svm"][earlier], atol=1e-12)
    assert panel.predictions("nb")[~panel.tested].tolist() == [-1] * int((~panel.tested).sum())


def test_dates_and_a_named_column_order_the_rows() -> None:
    X, y = task(60)
    days = pd.date_range("2024-01-01", periods=60)
    frame = pd.DataFrame(X, columns=list("abc"))
    expected = cross_fit(GaussianNB(), frame, y, cv=5, time=np.arange(60))
    panel = cross_fit(GaussianNB(), frame.assign(day=days), y, cv=5, time="day")
    assert panel.feature_names == ("a", "b", "c")
    np.testing.assert_array_equal(panel.folds, expected.folds)
    by_sklearn = np.full(60, -1)
    for fold, (_, test) in enumerate(TimeSeriesSplit(5).split(X)):
        by_sklearn[test] = fold
    np.testing.assert_array_equal(panel.folds[0], by_sklearn)
    panel.apply(frame.assign(day=days))


def test_repeats_are_averaged() -> None:
    X, y = task(60)
    panel = cross_fit(GaussianNB(), X, y, cv=3, repeats=4)
    assert panel.fold_probabilities["GaussianNB"].shape == (4, 60, 2)
    np.testing.assert_allclose(panel.out_of_fold["GaussianNB"], panel.fold_probabilities["GaussianNB"].mean(axis=0))
    assert [len(repeat) for repeat in panel.fold_models["GaussianNB"]] == [3] * 4
    own = cross_fit(GaussianNB(), X, y, cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=4, random_state=0))
    assert own.folds.shape == (4, 60)
    assert own.tested.all()


def test_rows_that_a_splitter_never_tests_have_no_scores() -> None:
    X, y = task(60)
    panel = cross_fit(GaussianNB(), X, y, cv=ShuffleSplit(2, test_size=0.2, random_state=0))
    assert panel.folds.shape == (2, 60)
    assert 12 <= panel.tested.sum() <= 24
    np.testing.assert_array_equal(np.isnan(panel.out_of_fold["GaussianNB"][:, 0]), ~panel.tested)
    svm = cross_fit(LinearSVC(dual=False), X, y, cv=ShuffleSplit(2, test_size=0.2, random_state=0))
    np.testing.assert_array_equal(svm.tested, panel.tested)


@pytest.mark.parametrize(
    ("how", "ordered"),
    [
        ({"cv": 3}, False),
        ({"cv": 3, "time": np.arange(120)}, True),
        ({"cv": TimeSeriesSplit(3)}, True),
        # Rows that a splitter never tests do not make it one in time.
        ({"cv": ShuffleSplit(1, test_size=0.2, random_state=0)}, False),
        ({"cv": [(np.arange(60, 120), np.arange(20)), (np.arange(60, 120), np.arange(20, 40))]}, False),
    ],
)
def test_cross_fit_says_whether_folds_follow_time(how: dict[str, Any], ordered: bool) -> None:
    panel = cross_fit(GaussianNB(), *task(), **how)
    assert panel.time_ordered is ordered
    assert panel.origin == "cross-fitted"
    assert not panel.deployed


def test_cross_fit_counts_fits_and_the_rows_of_each_fold() -> None:
    X, y = task()
    panel = cross_fit([GaussianNB(), LogisticRegression()], X, y, cv=4, repeats=2)
    assert (panel.n_fits, panel.n_folds, panel.n_repeats) == (2 * (4 * 2 + 1), 4, 2)
    assert panel.fold_sizes == ((90, 30),) * 8
    assert cross_fit(GaussianNB(), X, y, cv=4, refit=False).n_fits == 4
    # The splitter trains each fold on half the rows, not on all that it does not test.
    own = cross_fit(GaussianNB(), X, y, cv=ShuffleSplit(2, train_size=60, test_size=20, random_state=0))
    assert own.fold_sizes == ((60, 20), (60, 20))


def test_panels_that_fitted_nothing_say_so() -> None:
    X, y = task()
    prefit = cross_fit(GaussianNB().fit(X, y), X, y, cv="prefit")
    scores = Panel.from_scores(y, {"old": np.full(len(y), 0.5)})
    assert (prefit.origin, scores.origin) == ("prefit", "scores")
    for panel in (prefit, scores):
        assert (panel.deployed, panel.n_fits, panel.fold_sizes, panel.time_ordered) == (True, 0, (), False)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_the_number_of_jobs_changes_nothing(backend: str) -> None:
    X, y = task(80)
    models = {
        "lr": LogisticRegression(),
        "boost": HistGradientBoostingClassifier(max_iter=5),
        "forest": RandomForestClassifier(5, random_state=0),
        "svm": LinearSVC(dual=False),
    }
    alone = cross_fit(models, X, y, cv=3, n_jobs=1)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        two = cross_fit(models, X, y, cv=3)
    for name in models:
        np.testing.assert_array_equal(alone.out_of_fold[name], two.out_of_fold[name])
        np.testing.assert_array_equal(alone.apply(X)[name], two.apply(X)[name])


def test_the_seed_decides_the_folds() -> None:
    X, y = task(60)
    first, same, other = (cross_fit(GaussianNB(), X, y, cv=3, random_state=seed).folds for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, same)
    assert (first != other).any()
    generator = cross_fit(GaussianNB(), X, y, cv=3, random_state=np.random.default_rng(0)).folds
    assert set(generator[0].tolist()) == {0, 1, 2}


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("model", [LinearSVC(dual=False), SVC(), RidgeClassifier()])
def test_decision_values_become_probabilities(model: Any, k: int) -> None:
    X, y = task(300, k)
    panel = cross_fit({"m": model}, X, y, cv=5)
    held = panel.out_of_fold["m"]
    np.testing.assert_allclose(held.sum(axis=1), 1)
    for at in range(k):
        assert held[:, at].mean() == pytest.approx((y == at).mean(), abs=0.02)
    # Calibrated on others: the most and the least sure third are right about as often as they say.
    sure = held.max(axis=1)
    right = panel.predictions("m") == y
    for part in np.array_split(np.argsort(sure), 3):
        assert right[part].mean() == pytest.approx(sure[part].mean(), abs=0.12)
    # With three classes on a line, one-against-rest never predicts the middle; calibration mends that.
    own = (model.fit(X, y).predict(X) == y).mean()
    assert (panel.apply(X)["m"].argmax(axis=1) == y).mean() > own - 0.02


def test_the_sigmoid_is_platts() -> None:
    X, y = task(400)
    model = LinearSVC(dual=False)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    expected = CalibratedClassifierCV(model, cv=folds, method="sigmoid", ensemble=False).fit(X, y).predict_proba(X)
    panel = cross_fit({"m": model}, X, y, cv=5)
    np.testing.assert_allclose(panel.apply(X)["m"], expected, atol=2e-3)


def test_a_fold_may_lack_a_class() -> None:
    X, y = task(60, 3)
    order = np.argsort(y == 2, kind="stable")  # class 2 comes last in time
    X, y = X[order], y[order]
    panel = cross_fit({"nb": GaussianNB(), "svm": LinearSVC(dual=False)}, X, y, cv=3, time=np.arange(60))
    assert (panel.out_of_fold["nb"][panel.folds[0] == 0, 2] == 0).all()
    np.testing.assert_allclose(panel.out_of_fold["svm"][panel.tested].sum(axis=1), 1)


def test_a_failing_model_is_named_and_left_out() -> None:
    X, y = task(40)
    words = r"^left out: 'sick' failed with ValueError: cannot bear it; 'line' failed: .*\.$"
    models = {"sick": Sick(X[3, 0]), "nb": GaussianNB(), "line": LinearRegression()}
    with pytest.warns(ShiftproofWarning, match=words):
        panel = cross_fit(models, X, y, cv=2)
    assert panel.names == ("nb",)
    assert panel.failures == {
        "sick": Failure("ValueError", "cannot bear it"),
        "line": Failure(
            "InputError", "LinearRegression gives no scores: it has neither predict_proba nor decision_function"
        ),
    }
    assert "'sick' was left out: ValueError: cannot bear it." in panel.summary()
    with pytest.raises(InputError) as error:
        cross_fit({"sick": Sick(X[3, 0])}, X, y, cv=2)
    assert str(error.value) == "'sick' failed with ValueError: cannot bear it."


def test_cross_fit_says_what_to_do_about_text_that_no_model_takes() -> None:
    table = pd.DataFrame({"job": ["a", "b"] * 30, "age": range(60)})
    with pytest.raises(InputError) as error:
        cross_fit(LogisticRegression(), table, [0, 1] * 30, cv=2)
    assert str(error.value) == (
        "'LogisticRegression' failed with ValueError: could not convert string to float: 'a'; "
        "turn text columns into numbers, for example with OneHotEncoder in a pipeline, or leave them out."
    )


class Refusing(BaseEstimator):  # type: ignore[misc]
    """Fails as a model of another library does."""

    def __init__(self, message: str = "") -> None:
        self.message = message

    def fit(self, *_: Any) -> Refusing:
        raise ValueError(self.message)


class Changing(Sick):
    """Changes what it is made with, as CatBoost does with `cat_features`."""

    def __init__(self, cat_features: Any = None) -> None:
        self.cat_features = list(cat_features)


# The messages of xgboost 3.2, CatBoost 1.2, LightGBM 4.7 and scikit-learn; tests/engines has the libraries.
@pytest.mark.parametrize(
    ("model", "hint"),
    [
        (
            Refusing("Invalid classes inferred from unique values of `y`.  Expected: [0 1], got ['no' 'yes']"),
            "encode the labels of all tables",
        ),
        (
            Refusing(
                "DataFrame.dtypes for data must be int, float, bool or category. When categorical type is supplied, "
                "the experimental DMatrix parameter`enable_categorical` must be set to `True`.  Invalid columns:job"
            ),
            "enable_categorical=True",
        ),
        (
            Refusing(
                "Bad value for num_feature[non_default_doc_idx=0,feature_idx=1]=\"nurse\": Cannot convert 'nurse' to "
                "float."
            ),
            "OneHotEncoder",
        ),
        (Refusing("pandas dtypes must be int, float or bool.\nFields with bad pandas dtypes: job: str"), "'category'"),
        (Changing(cat_features=["job"]), "cv='prefit'"),
        (SimpleNamespace(predict_proba=None), "cv='prefit'"),
    ],
    ids=["xgboost labels", "xgboost text", "catboost text", "lightgbm text", "catboost clone", "no fit"],
)
def test_errors_that_users_of_other_libraries_meet_end_in_a_hint(model: Any, hint: str) -> None:
    X, y = task(40)
    with pytest.raises(InputError) as error:
        cross_fit({"theirs": model}, X, y, cv=2)
    assert hint in str(error.value).partition("; ")[2]
    with pytest.warns(ModelsLeftOut, match=re.escape(hint)):
        cross_fit({"theirs": model, "nb": GaussianNB()}, X, y, cv=2)


def test_deployed_models_are_used_as_they_are() -> None:
    X, y = task(200)
    labels = np.where(y == 1, "yes", "no")
    models = {"nb": GaussianNB().fit(X[:100], labels[:100]), "svm": LinearSVC(dual=False).fit(X[:100], labels[:100])}
    panel = cross_fit(models, X[100:], labels[100:], cv="prefit")
    assert panel.models["nb"] is models["nb"]
    assert panel.fold_models["svm"] == [[models["svm"]]]
    np.testing.assert_array_equal(panel.out_of_fold["nb"], models["nb"].predict_proba(X[100:]))
    np.testing.assert_array_equal(panel.apply(X)["nb"], panel.apply_by_fold(X)["nb"])
    assert ((panel.out_of_fold["svm"] >= 0) & (panel.out_of_fold["svm"] <= 1)).all()
    assert repr(panel) == "Panel(nb, svm; 100 rows, 2 classes, deployed models)"
    panel.matches(X[100:], labels[100:])


def test_deployed_models_may_know_more_classes_than_the_rows_show() -> None:
    X, y = task(90, 3)
    model = GaussianNB().fit(X, y)
    panel = cross_fit(model, X[y < 2], y[y < 2], cv="prefit")
    assert panel.classes_.tolist() == [0, 1, 2]
    panel.matches(X[y < 2], y[y < 2])
    with pytest.raises(InputError) as error:
        cross_fit(model, X, y + 1, cv="prefit")
    assert str(error.value) == (
        "y must hold only the classes 0, 1 and 2, got 3; drop those rows, or add rows of that class to the labelled "
        "data."
    )
    with pytest.raises(InputError) as error:
        cross_fit({"a": model, "b": GaussianNB().fit(X[y < 2], y[y < 2])}, X, y, cv="prefit")
    words = "models must know the same classes, got 0, 1 and 2 in 'a' and 0 and 1 in 'b'; make one panel for each."
    assert str(error.value) == words
    with pytest.raises(InputError) as error:
        cross_fit(GaussianNB(), X, y, cv="prefit")
    words = "'GaussianNB' is not fitted, but cv='prefit' uses models as is; fit it first, or leave out cv."
    assert str(error.value) == words


def test_labels_that_differ_in_case_only_are_warned_of() -> None:
    X, _ = task(20)
    with pytest.warns(LabelsAlike) as caught:
        cross_fit(GaussianNB(), X, ["no"] * 8 + ["yes"] * 6 + ["Yes "] * 6, cv=2)
    assert [warning.message.labels for warning in caught] == [("Yes ", "yes")]  # type: ignore[union-attr]


X0, Y0 = task(20)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"y": [1] * 20},
            "y must contain at least two classes, got one class, 1; add rows of another class, or use another column.",
        ),
        (
            {"y": [None, *["a", "b"] * 9, None]},
            "y must have no missing labels, got 2; drop those rows first.",
        ),
        ({"y": [np.nan, *[0.0, 1.0] * 9, 1]}, "y must have no missing labels, got 1; drop those rows first."),
        ({"y": [0, 1]}, "y must have one label per row of X, got 2 for 20 rows; pass the labels of the same rows."),
        (
            {"y": np.linspace(0, 1, 20)},
            "y must contain class labels, got 0.0526316; bin the numbers into classes first.",
        ),
        ({"y": [1, "a"] * 10}, "y must hold labels of one type, got int and str; convert all of them to text."),
        ({"y": "label"}, "y must be labels, one per row, got 'label'; pass a list, an array or a series."),
        ({"y": []}, "y must hold at least one label, got 0; check the filter or the file it came from."),
        ({"y": np.zeros((20, 2))}, "y must have one dimension, got shape (20, 2); pass one column or a flat list."),
        ({"X": np.empty((0, 3))}, "X must hold at least one row, got 0; check the filter or the file it came from."),
        (
            {"X": pd.DataFrame(index=range(20))},
            "X must have at least one column, got none; pass the features as columns.",
        ),
        ({"cv": 1}, "cv must be a whole number of at least 2, got 1; 10 is usual."),
        ({"cv": 50}, "class 0 has only 10 rows, too few for 50 folds; pass cv=10, or add rows of that class."),
        (
            {"cv": "prefitt"},
            "cv must be a whole number, a scikit-learn splitter or 'prefit'; got 'prefitt'. Did you mean 'prefit'?",
        ),
        ({"cv": "ten"}, "cv must be a whole number, a scikit-learn splitter or 'prefit', got 'ten'; 10 is usual."),
        ({"cv": ...}, "cv must be a whole number, a scikit-learn splitter or 'prefit', got Ellipsis; 10 is usual."),
        ({"cv": []}, "cv must make at least one split, got []; give pairs of training and test rows."),
        (
            {"cv": [([0, 1], [1, 2])]},
            "cv must keep the test rows out of the training rows, got row 1 in both; "
            "scores on rows that a model was trained on are too optimistic.",
        ),
        ({"cv": [([0, 1], [20])]}, "cv must give rows from 0 to 19, got 20; it seems to be made for another table."),
        ({"repeats": 0}, "repeats must be a whole number of at least 1; got 0."),
        (
            {"repeats": 2, "cv": StratifiedKFold(2)},
            "repeats must be 1 with a splitter of your own, got 2; let the splitter do the repeating.",
        ),
        (
            {"repeats": 2, "time": np.arange(20)},
            "repeats must be 1 with time-ordered folds, got 2; time can be split in only one way.",
        ),
        (
            {"y": ["a"] * 17 + ["b"] * 3},
            "class 'b' has only 3 rows, too few for 4 folds; pass cv=3, or add rows of that class.",
        ),
        (
            {"y": ["a"] * 19 + ["b"]},
            "class 'b' must have at least 2 rows for cross-validation, got 1; drop the class, or merge it with "
            "another.",
        ),
        (
            {"y": [f"C{number}" for number in range(20)]},
            "y must contain class labels, got 20 different values in 20 rows; group the values into classes first, or "
            "use another column.",
        ),
        ({"groups": [0, 1] * 10}, "there are only 2 groups, too few for 4 folds; pass cv=2."),
        (
            {"groups": np.where(Y0 == 1, 5, np.arange(20) % 5)},
            "class 1 must occur in at least 2 groups, got 1; otherwise a fold that tests it leaves none to train on.",
        ),
        (
            {"groups": [1, 2]},
            "groups must have one entry per row of X, got 2 for 20 rows; pass the entries of the same rows.",
        ),
        (
            {"time": [0, 1] * 10},
            "time has only 2 different moments, too few for 4 folds, which need at least 5; check that it is the right "
            "column.",
        ),
        (
            {"time": [0, 1, 2, 3] * 5},
            "time has only 4 different moments, too few for 4 folds, which need at least 5; pass cv=3.",
        ),
        ({"time": ["a"] * 20}, "time must hold numbers or dates, got text such as 'a'; write dates as 2010-01-31."),
        (
            {"time": [np.nan, *range(19)]},
            "time must be known for every row, got 1 missing; drop those rows first.",
        ),
        (
            {"time": np.arange(20), "groups": np.arange(20)},
            "groups and time cannot be used together; leave out groups.",
        ),
        (
            {"time": np.argsort(np.argsort(Y0, kind="stable"))},
            "the first 4 rows in time must hold two classes, got only 0; "
            "give fewer folds, so that the first block is longer.",
        ),
        (
            {"time": np.arange(20), "cv": StratifiedKFold(2)},
            "cv must be a number of blocks if time is given, got a StratifiedKFold; "
            "leave time out to use your own splitter.",
        ),
        (
            {"time": "when"},
            "time must name a column of X, or have one entry per row, got 'when'; available: 'x0', 'x1', 'x2'.",
        ),
        (
            {"sample_weight": [1]},
            "sample_weight must have one weight per row of X, got 1 for 20 rows; pass the weights of the same rows.",
        ),
        (
            {"sample_weight": [-1] * 20},
            "sample_weight must be finite and not negative, got -1.0; 0 leaves a row out.",
        ),
        (
            {"sample_weight": np.zeros(20)},
            "sample_weight must not be zero for every row, got 0; leave it out to weight all rows equally.",
        ),
        (
            {"random_state": -1},
            "random_state must be None, a whole number of at least 0, or a NumPy generator, got -1; use 0.",
        ),
    ],
)
def test_cross_fit_refuses_bad_arguments(changes: dict[str, Any], words: str) -> None:
    arguments: dict[str, Any] = {"models": GaussianNB(), "X": X0, "y": Y0, "cv": 4} | changes
    with pytest.raises(InputError) as error:
        cross_fit(**arguments)
    assert str(error.value) == words


def test_progress_is_shown_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    cross_fit(GaussianNB(), X0, Y0, cv=2, progress=True)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "fitting models" in shown.err
    cross_fit(GaussianNB(), X0, Y0, cv=2)
    assert capsys.readouterr().err == ""


def test_progress_appears_after_a_second(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("shiftproof.panel._progress._PATIENCE", -1)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    cross_fit(GaussianNB(), X0, Y0, cv=2)
    assert "fitting models" in capsys.readouterr().err


def test_a_panel_can_be_stored(tmp_path: Path) -> None:
    panel = cross_fit(GaussianNB(), X0, Y0, cv=2)
    joblib.dump(panel, tmp_path / "panel")
    again: Panel = joblib.load(tmp_path / "panel")
    np.testing.assert_array_equal(again.apply(X0)["GaussianNB"], panel.apply(X0)["GaussianNB"])


def test_nothing_warns_with_grouped_folds_of_rare_classes() -> None:
    X, y = task(60)
    y[:] = 0
    y[::7] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cross_fit(GaussianNB(), X, y, cv=5, groups=np.arange(60) // 2)


def test_a_splitter_of_your_own_must_keep_groups_together() -> None:
    from sklearn.model_selection import GroupKFold, KFold

    X, y, groups = np.arange(40.0).reshape(-1, 1), np.tile([0, 1], 20), np.repeat(np.arange(10), 4)
    with pytest.raises(InputError, match=r"^cv must keep the rows of a group together, got 7 groups on both sides; "):
        cross_fit(GaussianNB(), X, y, cv=list(KFold(4, shuffle=True, random_state=0).split(X)), groups=groups)
    assert cross_fit(GaussianNB(), X, y, cv=GroupKFold(4), groups=groups).n_repeats == 1
    with pytest.raises(InputError) as error:
        cross_fit(GaussianNB(), X, y, cv=[(np.arange(20.0), np.arange(20, 40))])
    assert str(error.value) == (
        "cv must give row numbers, got values of type float64; each split is a pair of arrays of whole numbers."
    )


@pytest.mark.parametrize("argument", ["y", "sample_weight", "groups", "time"])
@pytest.mark.parametrize("cv", [2, "prefit"])
def test_cross_fit_refuses_vectors_whose_index_contradicts_that_of_X(argument: str, cv: Any) -> None:
    X, y = task(60)
    table = pd.DataFrame(X)
    if cv == "prefit" and argument == "time":
        return
    values = pd.Series(y if argument == "y" else np.arange(60) // 2).sample(frac=1, random_state=0)
    arguments: dict[str, Any] = {"y": y, argument: values}
    with pytest.raises(InputError) as error:
        cross_fit(GaussianNB().fit(table, y), table, **arguments, cv=cv)
    assert str(error.value) == (
        f"{argument} must have its rows in the same order as X, got the same index in a different order; pass "
        f"{argument}.loc[X.index], or {argument}.to_numpy() if the rows already correspond by position."
    )


def test_cross_fit_takes_indexes_with_other_labels_by_position() -> None:
    X, y = task(60)
    filtered = pd.DataFrame(X, index=np.arange(60) * 2)
    panel = cross_fit(GaussianNB(), filtered, pd.Series(y), cv=2)
    assert np.array_equal(panel.y, y)


def test_the_answer_does_not_depend_on_where_the_missing_cells_of_an_object_column_are() -> None:
    _, y = task(300)
    cells = pd.Series([None] * 150 + (y[150:] + 0.25).tolist(), dtype=object)
    model = default_models(only=["nb"])
    of_objects, of_floats = (
        cross_fit(model, pd.DataFrame({"z": column}), y, cv=2) for column in (cells, cells.astype(float))
    )
    assert np.array_equal(of_objects.out_of_fold["nb"], of_floats.out_of_fold["nb"])


class Logistic(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A logistic regression whose output is changed before it is returned."""

    def __init__(self, change: Any = None) -> None:
        self.change = change

    def fit(self, X: Any, y: Any) -> Logistic:
        self.model_ = LogisticRegression().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X: Any) -> Any:
        return self.change(self.model_.predict_proba(X))


BUFFER = np.zeros((1000, 2))


def in_buffer(values: Array) -> Array:
    BUFFER[: len(values)] = values
    return BUFFER[: len(values)]


def test_cross_fit_copies_the_output_of_a_model_that_reuses_its_array() -> None:
    X, y = task()
    panel = cross_fit({"usual": Logistic(np.copy), "buffer": Logistic(in_buffer)}, X, y, cv=3)
    np.testing.assert_array_equal(panel.out_of_fold["usual"], panel.out_of_fold["buffer"])
    deployed = {"m": Logistic(in_buffer).fit(X, y), "n": Logistic(in_buffer).fit(X, 1 - y)}
    prefit = cross_fit(deployed, X, y, cv="prefit")
    np.testing.assert_allclose(prefit.out_of_fold["m"], 1 - prefit.out_of_fold["n"], atol=1e-6)


@pytest.mark.parametrize(
    "change",
    [
        lambda p: 100 * p,
        lambda p: p / 2,
        np.log,
        lambda p: p[:1],
        lambda p: p[:-1],
        lambda p: np.vstack([p, p[:1]]),
        lambda p: p[:, :, None],
        lambda p: np.where(p > 0, np.nan, p),
        lambda p: np.full(p.shape, "high"),
        lambda p: pd.DataFrame(p, columns=["p0", "p1"]),
    ],
)
@pytest.mark.parametrize("cv", [3, "prefit"])
def test_cross_fit_leaves_a_model_without_probabilities_out_by_name(change: Any, cv: Any) -> None:
    X, y = task()
    models = {"good": Logistic(np.copy), "bad": Logistic(change)}
    if cv == "prefit":
        models = {name: model.fit(X, y) for name, model in models.items()}
    with pytest.warns(ModelsLeftOut, match="left out: 'bad' failed: predict_proba "):
        panel = cross_fit(models, X, y, cv=cv)
    assert panel.names == ("good",)
    with pytest.raises(InputError, match=r"^'bad' failed: predict_proba "):
        cross_fit({"bad": models["bad"]}, X, y, cv=cv)


@pytest.mark.parametrize("change", [list, np.float32, pd.DataFrame, sparse.csr_matrix, pl.DataFrame])
def test_cross_fit_takes_probabilities_of_any_type(change: Any) -> None:
    X, y = task()
    panel = cross_fit({"usual": Logistic(np.copy), "other": Logistic(change)}, X, y, cv=2)
    np.testing.assert_allclose(panel.out_of_fold["other"], panel.out_of_fold["usual"], atol=1e-6)


def test_prefit_sorts_the_classes_of_a_model_that_does_not() -> None:
    X, y = task()
    labels = np.where(y, "yes", "no")
    usual = LogisticRegression().fit(X, labels)
    reversed_model = Logistic(lambda p: p[:, ::-1]).fit(X, labels)
    reversed_model.classes_ = reversed_model.classes_[::-1]
    panel = cross_fit({"usual": usual, "reversed": reversed_model}, X, labels, cv="prefit")
    assert panel.classes_.tolist() == ["no", "yes"]
    np.testing.assert_allclose(panel.out_of_fold["reversed"], panel.out_of_fold["usual"])


def test_cross_fit_leaves_x_alone_whatever_a_model_does_to_it() -> None:
    X, y = task()
    before = X.copy()
    models = {"scaled": make_pipeline(StandardScaler(copy=False), LogisticRegression()), "usual": LogisticRegression()}
    panel = cross_fit(models, X, y, cv=2)
    panel.apply(X)
    cross_fit(panel.models, X, y, cv="prefit")
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("seed", [2**32, np.int64(3), np.random.default_rng(0)])
def test_cross_fit_takes_any_seed(seed: Any) -> None:
    X, y = task()
    assert cross_fit(GaussianNB(), X, y, cv=2, random_state=seed).n_folds == 2


def test_cross_fit_refuses_no_jobs() -> None:
    with pytest.raises(InputError, match="n_jobs must be a whole number other than 0, got 0; "):
        cross_fit(GaussianNB(), *task(), cv=2, n_jobs=0)


def test_cross_fit_warns_about_copied_rows() -> None:
    X, y = task(60)
    with pytest.warns(CopiedRows, match=r"^100% of the labelled rows have an exact copy in another fold"):
        panel = cross_fit(GaussianNB(), np.tile(X, (3, 1)), np.tile(y, 3), cv=10)
    assert panel.n_copied == 180
    assert panel.summary().endswith(
        "100% of the rows were scored by models trained on exact copies of them (10 folds)."
    )
    together = cross_fit(GaussianNB(), np.tile(X, (3, 1)), np.tile(y, 3), cv=3, groups=np.tile(np.arange(60), 3))
    assert together.n_copied == 0


@pytest.mark.parametrize(
    ("cv", "words"),
    [
        ([1, 2], "cv must make pairs of training and test rows, got 1; as a scikit-learn splitter does."),
        ([(range(60), [])], "cv must test at least one row, got 1 split; give training and test rows."),
        (
            [(np.flatnonzero(task(60)[1]), np.flatnonzero(task(60)[1] == 0))],
            "cv must train on at least two classes in every split, got only 1; use stratified folds.",
        ),
    ],
)
def test_cross_fit_refuses_splits_that_cannot_be_used(cv: Any, words: str) -> None:
    X, y = task(60)
    with pytest.raises(InputError) as error:
        cross_fit(GaussianNB(), X, y, cv=cv)
    assert str(error.value) == words


def test_prefit_names_the_columns_that_the_table_lacks() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, 4)), columns=list("abcd"))
    labels = table["a"] > 0
    model = LogisticRegression().fit(table, labels)
    way_out = "'LogisticRegression' was fitted with column 'd', which the table lacks"
    with pytest.raises(InputError, match=way_out):
        cross_fit(model, table[["a", "b", "c"]], labels, cv="prefit")


@pytest.mark.parametrize("learner", [LogisticRegression(), LinearSVC()])
def test_prefit_gives_a_model_the_columns_that_it_was_fitted_with(learner: Any) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, 4)), columns=list("abcd"))
    labels = table["a"] > 0
    model = learner.fit(table[["c", "a"]], labels)
    panel = cross_fit(model, table, labels, cv="prefit")
    alone = cross_fit(model, table[["c", "a"]], labels, cv="prefit")
    name = type(learner).__name__
    assert np.array_equal(panel.out_of_fold[name], alone.out_of_fold[name])
    assert np.array_equal(panel.apply(table)[name], alone.apply(table[["c", "a"]])[name])

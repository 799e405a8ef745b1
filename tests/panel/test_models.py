"""The default models and their parts: they take any table, and each part is what it says."""

from __future__ import annotations

import datetime as dt
import os
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

import shiftproof as sp
from shiftproof.core import InputError
from shiftproof.panel import LaplaceTree, MixedNaiveBayes, TablePreparer, cross_fit, default_models

Array = np.ndarray[Any, Any]
NAMES = ["lr", "nb", "tree", "knn", "svm", "forest", "boost"]


def small(random_state: int = 0, only: Any = None) -> dict[str, Any]:
    """Give the default models, the slow ones with fewer trees."""
    models = default_models(random_state=random_state, only=only)
    for name, size in (("forest", {"n_estimators": 5}), ("boost", {"max_iter": 5})):
        if name in models:
            models[name]["model"].set_params(**size)
    return models


def all_types(n: int = 80) -> tuple[pd.DataFrame, Array]:
    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(n) % 2)
    gaps = rng.uniform(size=n) < 0.2
    signal = rng.normal(size=n) + 2 * y
    table = pd.DataFrame(
        {
            "float": np.where(gaps, np.nan, signal),
            "infinite": np.where(gaps, np.inf, np.where(rng.uniform(size=n) < 0.1, -np.inf, signal)),
            "int64": rng.integers(2**60, 2**62, n),
            "uint8": rng.integers(0, 9, n).astype("uint8"),
            "huge": np.where(gaps, 1e300, -1e300),
            "tiny": signal * 1e-300,
            "bool": rng.uniform(size=n) < 0.5,
            "nullable": pd.Series(np.where(gaps, np.nan, rng.integers(0, 5, n))).astype("Int64"),
            "nullable bool": pd.Series(np.where(gaps, np.nan, y)).astype("boolean"),
            "arrow": pd.Series(rng.integers(0, 5, n)).astype("int64[pyarrow]"),
            "text": pd.Series(rng.choice(["red", "green", "blue"], n)).where(~gaps),
            "names": [f"person {at}" for at in range(n)],
            "many": [f"street {at // 2}" for at in range(n)],
            "category": pd.Categorical(rng.choice(["low", "high"], n)),
            "ordered": pd.Categorical(rng.integers(0, 3, n), ordered=True),
            "mixed": [1, "one", None, 2.5] * (n // 4),
            "date": pd.date_range("2020-01-01", periods=n).where(~gaps),
            "zone": pd.date_range("2020-01-01", periods=n, tz="Europe/Berlin"),
            "day": [dt.date(2020, 1, 1 + at % 28) for at in range(n)],
            "duration": pd.to_timedelta(rng.integers(0, 99, n), unit="h"),
            "decimal": [Decimal(at) / 7 for at in range(n)],
            "constant": 1,
            "same text": "x",
            "empty": np.nan,
            "none": [None] * n,
            "lists": [[at] for at in range(n)],
            3: rng.normal(size=n),
        }
    )
    return table.rename(columns=str), y


@pytest.mark.parametrize("name", NAMES)
def test_a_frame_of_all_types(name: str) -> None:
    table, y = all_types()
    panel = cross_fit(small(only=[name]), table, y, cv=3)
    assert roc_auc_score(y, panel.out_of_fold[name][:, 1]) > 0.7
    new = table.copy()
    new["text"] = "violet"
    new["category"] = "unheard of"
    new["float"] = np.nan
    new["bool"] = pd.array([None] * len(new), dtype="boolean")
    new["uint8"] = None
    assert np.isfinite(panel.apply(new)[name]).all()


@pytest.mark.parametrize("name", NAMES)
def test_one_percent_positives(name: str) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(500) % 100 == 0
    X = rng.normal(size=(500, 3)) + 3 * y[:, None]
    panel = cross_fit(small(only=[name]), X, y, cv=2)
    assert np.isfinite(panel.out_of_fold[name]).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_table_that_says_nothing(name: str) -> None:
    table = pd.DataFrame({"a": [1] * 40, "b": [None] * 40, "id": [f"p{at}" for at in range(40)]})
    held = cross_fit(small(only=[name]), table, np.arange(40) % 2, cv=2).out_of_fold[name]
    assert held[:, 1] == pytest.approx(0.5, abs=0.11)


def test_text_of_many_values_in_arrays() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(160) % 2
    X = np.column_stack([rng.normal(size=160).astype(object), np.where(y, "a", "b").astype(object)])
    X[3, 0], X[4, 1] = None, None
    panel = cross_fit(small(), X, y, cv=2)
    assert not panel.failures
    for name in NAMES:
        assert (panel.predictions(name) == y).mean() > 0.85, name


@pytest.mark.filterwarnings("ignore::shiftproof.core.CopiedRows")  # one of these tables has copies
def test_default_models_fit_real_tables(shared_data: Path) -> None:
    """Every fourth file (`make soak`: every file), at most 120 rows of it; the whole suite must stay quick."""
    files = sorted(path for path in shared_data.glob("*.csv*") if "news6pairs" not in path.name)
    assert len(files) > 30
    for path in files[:: 4 if os.environ.get("SIMULATIONS", "1") == "1" else 1]:
        table = sp.read(path)
        y = table.pop("label")
        rows = pd.Series(range(len(y))).groupby(y.to_numpy()).head(120 // y.nunique()).to_numpy()
        panel = cross_fit(small(), table.iloc[rows], y.iloc[rows], cv=2, refit=False)
        assert panel.names == tuple(NAMES), path.name
        for name in NAMES:
            assert np.isfinite(panel.out_of_fold[name]).all(), (path.name, name)


def test_tables_of_any_library_are_the_same() -> None:
    table, y = all_types()
    table = table[["float", "uint8", "bool", "text", "date", "names", "many"]]
    models = small(only=["lr", "nb", "tree"])
    expected = cross_fit(models, table, y, cv=2).out_of_fold
    polars = cross_fit(models, pl.from_pandas(table), y, cv=2).out_of_fold
    arrow = cross_fit(models, pl.from_pandas(table).to_arrow(), y, cv=2).out_of_fold
    for name in models:
        np.testing.assert_allclose(polars[name], expected[name], atol=1e-9)
        np.testing.assert_allclose(arrow[name], expected[name], atol=1e-9)


def test_default_models_only_chooses_and_orders_models() -> None:
    assert list(default_models()) == NAMES
    assert list(default_models(only=["svm", "lr"])) == ["svm", "lr"]
    assert list(default_models(only="nb")) == ["nb"]
    with pytest.raises(InputError, match="Did you mean 'forest'"):
        default_models(only=["forrest"])
    with pytest.raises(InputError, match="only must name at least one model"):
        default_models(only=[])


# Preparing a table


@pytest.mark.parametrize("name", ["lr", "nb", "tree", "boost"])
def test_categories_are_known_again_whatever_their_type(name: str) -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(1, 4, size=200)
    y = (values == 2) ^ (rng.random(200) < 0.1)
    model = default_models(only=[name])[name].fit(pd.DataFrame({"kind": pd.Categorical(values)}), y)
    known = model.predict_proba(pd.DataFrame({"kind": pd.Categorical(values)}))
    floats = pd.Categorical(np.append(values.astype(float), np.nan))  # one missing cell makes 1 into 1.0
    for other in (floats, pd.Categorical(values.astype(str)), pd.Series(values, dtype=object)):
        np.testing.assert_allclose(model.predict_proba(pd.DataFrame({"kind": other}))[:200], known)


@pytest.mark.parametrize("name", ["lr", "nb", "tree", "boost"])
def test_values_that_are_written_alike_are_one(name: str) -> None:
    values = np.array([1, "1", 2, "2", "rare"] * 20, dtype=object)
    y = np.array([str(value) == "1" for value in values])
    mixed = default_models(only=[name])[name].fit(pd.DataFrame({"kind": values}), y)
    texts = pd.DataFrame({"kind": [str(value) for value in values]})
    plain = default_models(only=[name])[name].fit(texts, y)
    np.testing.assert_allclose(mixed.predict_proba(pd.DataFrame({"kind": values})), plain.predict_proba(texts))


def test_models_are_the_same_after_a_file() -> None:
    skops = pytest.importorskip("skops.io", reason="skops is not there; pip install '.[skops]'")
    table = sp.load_demo(year=2009)[:300]
    X = table.drop(columns="label")
    for name, model in default_models(only=["lr", "nb", "tree"]).items():
        held = skops.dumps(model.fit(X, table["label"]))
        again = skops.loads(held, trusted=skops.get_untrusted_types(data=held))
        np.testing.assert_allclose(again.predict_proba(X), model.predict_proba(X), err_msg=name)


def test_table_preparer_names_the_columns_it_drops() -> None:
    table, _ = all_types()
    preparer = TablePreparer().fit(table)
    assert preparer.dropped_ == {
        "lists": "cells are not single values",
        "names": "no value occurs twice",
        "same text": "constant",
        "constant": "constant",
        "empty": "all cells are missing",
        "none": "all cells are missing",
    }
    assert preparer.transform(table).shape == (80, len(preparer.get_feature_names_out()))


def test_frames_with_categories_come_out() -> None:
    table, _ = all_types()
    frame = TablePreparer(output="categories", impute=False).fit_transform(table)
    assert frame["text"].dtype == "category"
    assert frame["float"].isna().any()
    assert frame["mixed"].dtype.kind == "f"
    assert frame.columns.tolist()[-1] == "ordered"


# Laplace's leaves


def test_the_tree_is_an_estimator() -> None:
    check_estimator(LaplaceTree(), on_skip=None)


def test_leaves_are_smoothed() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), rng.integers(0, 3, 200)
    tree = LaplaceTree(max_depth=3, min_samples_leaf=2, random_state=0).fit(X, y)
    plain = DecisionTreeClassifier(criterion="entropy", max_depth=3, min_samples_leaf=2, random_state=0).fit(X, y)
    leaves = plain.apply(X)
    for leaf in np.unique(leaves):
        counts = np.bincount(y[leaves == leaf], minlength=3)
        found = tree.predict_proba(X[leaves == leaf])[0]
        np.testing.assert_allclose(found, (counts + 1) / (counts.sum() + 3), atol=1e-12)
    unsmoothed = LaplaceTree(max_depth=3, min_samples_leaf=2, random_state=0, smoothing=0).fit(X, y)
    np.testing.assert_allclose(unsmoothed.predict_proba(X), plain.predict_proba(X), atol=1e-12)
    assert (tree.predict(X) == plain.predict(X)).mean() > 0.99


# Naive Bayes


def test_numbers_alone_are_gaussian() -> None:
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(60, 3)), rng.integers(0, 3, 60), rng.uniform(size=60)
    for weight in (None, weights):
        expected = GaussianNB().fit(X, y, weight).predict_proba(X)
        found = MixedNaiveBayes().fit(X, y, weight).predict_proba(X)
        np.testing.assert_allclose(found, expected, atol=1e-6)


def test_categories_alone_are_categorical() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, size=(60, 3)), rng.integers(0, 2, 60)
    expected = CategoricalNB().fit(X, y).predict_proba(X)
    table = pd.DataFrame(X, columns=list("abc")).astype("category")
    np.testing.assert_allclose(MixedNaiveBayes().fit(table, y).predict_proba(table), expected, atol=1e-12)


def test_missing_cells_are_left_out_of_the_product() -> None:
    table = pd.DataFrame({"n": [1.0, 2, 5, 6], "c": pd.Categorical(["a", "a", "b", "b"])})
    y = [0, 0, 1, 1]
    model = MixedNaiveBayes().fit(table, y)
    blank = pd.DataFrame({"n": [np.nan], "c": pd.Categorical([None], categories=["a", "b"])})
    assert model.predict_proba(blank).tolist() == [[0.5, 0.5]]
    unseen = pd.DataFrame({"n": [1.5], "c": pd.Categorical(["z"])})
    only_n = MixedNaiveBayes().fit(table[["n"]], y).predict_proba(unseen[["n"]])
    np.testing.assert_allclose(model.predict_proba(unseen), only_n)
    with pytest.raises(InputError, match="X must have 2 columns"):
        model.predict(table[["n"]])


def test_a_class_without_a_known_value_takes_the_columns_own() -> None:
    table = pd.DataFrame({"n": [1.0, 3.0, np.nan, np.nan]})
    held = MixedNaiveBayes().fit(table, [0, 0, 1, 1]).predict_proba(table)
    np.testing.assert_allclose(held, 0.5)


def test_models_are_named_in_a_list() -> None:
    number: Any = 5
    with pytest.raises(InputError, match=r"^only must be a list of names, got 5; write only=\['lr', 'nb'\]\.$"):
        default_models(only=number)

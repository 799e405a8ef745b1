"""Models of xgboost, CatBoost, LightGBM and onnxruntime: what works, and the hint where it does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import shiftproof as sp

xgboost: Any = pytest.importorskip("xgboost", reason="needs xgboost; make engines installs it")
catboost: Any = pytest.importorskip("catboost")
lightgbm: Any = pytest.importorskip("lightgbm")
onnxruntime: Any = pytest.importorskip("onnxruntime")
skl2onnx: Any = pytest.importorskip("skl2onnx")

_RNG = np.random.default_rng(0)
X = pd.DataFrame({"x": _RNG.normal(size=200), "job": _RNG.choice(["clerk", "nurse", "pilot"], 200)})
Y = (X["x"] + _RNG.normal(size=200) > 0).to_numpy().astype(int)
WORDS = np.where(Y == 1, "yes", "no")
NUMBERS, CATEGORIES = X[["x"]], X.astype({"job": "category"})


def xgb(**options: Any) -> Any:
    return xgboost.XGBClassifier(n_estimators=5, **options)


def cat(**options: Any) -> Any:
    return catboost.CatBoostClassifier(iterations=5, verbose=0, allow_writing_files=False, **options)


def lgb() -> Any:
    return lightgbm.LGBMClassifier(n_estimators=5, verbose=-1)


def session() -> Any:
    from sklearn.linear_model import LogisticRegression

    rows = NUMBERS.to_numpy(np.float32)
    made = skl2onnx.to_onnx(LogisticRegression().fit(rows, Y), rows[:1])
    return onnxruntime.InferenceSession(made.SerializeToString())


@pytest.mark.parametrize(
    ("model", "table", "labels", "hint"),
    [
        (xgb(), NUMBERS, WORDS, "LabelEncoder"),
        (xgb(), X, Y, "enable_categorical=True"),
        (cat(cat_features=["job"]), X, Y, "cv='prefit'"),
        (cat(), X, Y, "OneHotEncoder"),
        (lgb(), X, Y, "'category'"),
    ],
    ids=["xgboost labels", "xgboost text", "catboost clone", "catboost text", "lightgbm text"],
)
def test_error_of_a_library_ends_in_a_hint(model: Any, table: Any, labels: Any, hint: str) -> None:
    with pytest.raises(sp.InputError) as error:
        sp.cross_fit(model, table, labels, cv=3)
    assert hint in str(error.value).rpartition("; ")[2]


@pytest.mark.parametrize("cv", [3, "prefit"])
def test_raw_models_are_refused_with_both_ways_out(cv: Any) -> None:
    for model in (xgb().fit(NUMBERS, Y).get_booster(), lgb().fit(NUMBERS, Y).booster_, session()):
        with pytest.raises(sp.InputError) as error:
            sp.cross_fit(model, NUMBERS, Y, cv=cv)
        assert "predict_proba and classes_" in str(error.value)
        assert "sp.Panel.from_scores" in str(error.value)


@pytest.mark.parametrize(
    ("model", "table", "labels"),
    [
        (xgb(enable_categorical=True), CATEGORIES, Y),
        (lgb(), CATEGORIES, WORDS),
        (cat(), NUMBERS, WORDS),
    ],
    ids=["xgboost", "lightgbm", "catboost"],
)
def test_what_the_hints_say_works(model: Any, table: Any, labels: Any) -> None:
    assert sp.cross_fit(model, table, labels, cv=3).names == (type(model).__name__,)


def test_catboost_with_cat_features_is_used_as_it_is() -> None:
    half = len(X) // 2
    model = cat(cat_features=["job"]).fit(X[:half], WORDS[:half])
    panel = sp.cross_fit(model, X[half:], WORDS[half:], cv="prefit")
    np.testing.assert_array_equal(panel.out_of_fold["CatBoostClassifier"], model.predict_proba(X[half:]))


def test_object_around_a_raw_model_is_used_as_it_is() -> None:
    onnx = session()

    class Wrapped:
        classes_ = np.array([0, 1])

        def predict_proba(self, table: Any) -> Any:
            scores = onnx.run(None, {"X": table.to_numpy(np.float32)})[1]
            return np.array([[row[0], row[1]] for row in scores])

    assert sp.cross_fit(Wrapped(), NUMBERS, Y, cv="prefit").origin == "prefit"

"""How much a model relies on a feature."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import shiftproof as sp
from shiftproof.case import Case, feature_importance
from shiftproof.case import _importance as importance_module

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(200, 3)), columns=["used", "little", "noise"])
Y = (2 * X["used"] + 0.4 * X["little"] + 0.3 * RNG.normal(size=200) > 0).to_numpy()
MODELS = {"lr": LogisticRegression(), "nb": GaussianNB()}


def case_of(models: object = MODELS, labelled: object = X, y: object = Y, new: object = X, **more: Any) -> Case:
    return Case.of(
        models, labelled, y, new, purpose="a test", random_state=0, n_jobs=None, progress=False, **({"cv": 3} | more)
    )


def test_feature_importance_orders_features_by_how_much_the_model_relies_on_them() -> None:
    found = feature_importance(case_of(), "lr", ["noise", "little", "used", "unknown"])
    assert list(found) == ["noise", "little", "used"]
    assert 0 <= found["noise"] < 0.05 < found["little"] < found["used"] < 1


def test_feature_importance_is_the_same_for_arrays_in_parts_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = feature_importance(case_of(), "lr", ["used", "noise"])
    as_array = feature_importance(case_of(labelled=X.to_numpy(), new=X.to_numpy()), "lr", ["x0", "x2"])
    assert list(as_array.values()) == pytest.approx(list(whole.values()))
    assert feature_importance(case_of(), "lr", ["used", "noise"]) == whole
    # One feature at a time, as in a wide table, changes nothing.
    monkeypatch.setattr(importance_module, "_CELLS", 1)
    assert feature_importance(case_of(), "lr", ["used", "noise"]) == pytest.approx(whole)


def test_feature_importance_scores_all_features_of_a_fold_at_once_and_keeps_types() -> None:
    calls: list[tuple[int, set[str]]] = []

    class Counting(LogisticRegression):  # type: ignore[misc]
        def fit(self, rows: Any, y: Any) -> Any:
            return super().fit(rows.to_numpy(dtype=float), y)

        def predict_proba(self, rows: Any) -> Any:
            calls.append((len(rows), {str(dtype) for dtype in rows.dtypes}))
            return super().predict_proba(rows.to_numpy(dtype=float))

    mixed = X.assign(little=X["little"].round().astype("Int64"), noise=(X["noise"] > 0).astype("category"))
    case = case_of({"lr": Counting()}, mixed, new=mixed)
    calls.clear()
    importances = feature_importance(case, "lr", ["used", "little", "noise"])
    assert importances["used"] > importances["little"] > 0
    # Each of three folds is scored once: its rows as they are, and with each of three features shuffled.
    assert [rows for rows, _ in calls] == [4 * 67, 4 * 67, 4 * 66]
    assert all(types == {"float64", "Int64", "category"} for _, types in calls)


def test_feature_importance_of_a_deployed_model_and_of_scores_alone() -> None:
    deployed = case_of({"lr": LogisticRegression().fit(X, Y)}, cv="prefit")
    assert feature_importance(deployed, "lr", ["used"])["used"] > 0.1
    panel = sp.Panel.from_scores(Y, {"p": np.where(Y, 0.9, 0.1)}, new={"p": np.where(Y, 0.9, 0.1)})
    assert feature_importance(case_of(panel, cv=None), "p", ["used"]) == {}


def test_feature_importance_is_empty_if_the_model_refuses_shuffled_rows() -> None:
    class Picky(GaussianNB):  # type: ignore[misc]
        calls = 0

        def predict_proba(self, rows: Any) -> Any:
            if len(rows) not in (66, 67):
                raise ValueError("only folds")
            return super().predict_proba(rows)

    assert feature_importance(case_of({"nb": Picky()}), "nb", ["used", "little"]) == {}


def test_feature_importance_hides_no_error_but_those_of_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(importance_module, "_copies", broken)
    with pytest.raises(ZeroDivisionError):
        feature_importance(case_of(), "lr", ["used"])

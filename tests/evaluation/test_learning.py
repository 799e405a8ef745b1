"""Models with fewer training rows: the same tests, nested parts, and no row that a model saw."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import shiftproof as sp
from shiftproof.evaluation._learning import nested_orders
from shiftproof.stats import corrected_resampled_t

Array = np.ndarray[Any, Any]


def rows(n: int = 400, noise: float = 1.0, seed: int = 0) -> tuple[pd.DataFrame, Array]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 5)), columns=list("abcde"))
    return X, np.where(X["a"] + X["b"] + noise * rng.normal(size=n) > 0.3, "yes", "no")


X, Y = rows()
MODELS = {"lr": LogisticRegression(), "nb": GaussianNB()}


def test_the_largest_size_is_the_cross_validation_itself() -> None:
    curve = sp.learning_curve(MODELS, X, Y, cv=5)
    whole = sp.evaluate(MODELS, X, Y, cv=5)
    assert curve.sizes == (20, 40, 80, 160, 320)
    assert curve.names == whole.ranking
    for name in MODELS:
        assert curve.estimates[name][320] == whole.estimates[name]["accuracy"]
    assert (curve.n_tested, curve.n_fits, curve.measure, curve.level) == (400, 50, "accuracy", 0.9)


def test_each_size_is_fitted_on_a_part_and_tested_on_all_rows() -> None:
    seen: list[tuple[frozenset[int], frozenset[int]]] = []

    class Watched(GaussianNB):  # type: ignore[misc]
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Watched:
            super().fit(X[["a"]], y, sample_weight)
            self.rows = frozenset(X["row"])
            return self

        def predict_proba(self, X: Any) -> Any:
            seen.append((self.rows, frozenset(X["row"])))
            return super().predict_proba(X[["a"]])

    numbered = X.assign(row=np.arange(len(X), dtype=float))
    sp.learning_curve({"nb": Watched()}, numbered, Y, cv=4, sizes=[50, 100, 300], n_jobs=1)
    assert [len(train) for train, _ in seen] == [50] * 4 + [100] * 4 + [300] * 4
    for fold in range(4):
        small, middle, large = (seen[fold + 4 * size] for size in range(3))
        assert small[0] < middle[0] < large[0]
        assert small[1] == middle[1] == large[1] == set(range(400)) - large[0]
    assert set().union(*(test for _, test in seen[:4])) == set(range(400))


def test_parts_have_the_classes_in_proportion_and_never_miss_one() -> None:
    codes = np.repeat([0, 1, 2], [880, 110, 10])
    (order,) = nested_orders([np.arange(1000)], codes, np.random.default_rng(0))
    assert sorted(order.tolist()) == list(range(1000))
    assert sorted(codes[order[:3]].tolist()) == [0, 1, 2]
    for size in (50, 100, 500):
        expected = np.array([880, 110, 10]) * size / 1000
        assert np.abs(np.bincount(codes[order[:size]]) - expected).max() <= 1.5


def test_the_gain_is_the_test_of_the_folds() -> None:
    curve = sp.learning_curve(MODELS, X, Y, cv=5, sizes=[20, 320])
    gain = curve.gains["lr"]
    assert gain is not None
    panels = []
    for size in (20, 320):
        pairs = sp.learning_curve({"lr": MODELS["lr"]}, X, Y, cv=5, sizes=[size, 319 if size == 320 else 21])
        panels.append(pairs.estimates["lr"][size].estimate)
    assert gain.difference.estimate == pytest.approx(panels[1] - panels[0], abs=1e-9)
    assert gain.method == corrected_resampled_t([0.1, 0.2], n_train=320, n_test=80).method


def test_more_rows_help_where_there_is_more_to_learn() -> None:
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(600, 40))
    y = (wide @ rng.normal(size=40) > 0).astype(int)
    curve = sp.learning_curve({"lr": LogisticRegression()}, wide, y, cv=5)
    assert curve.improving == ("lr",)
    estimates = [interval.estimate for interval in curve.estimates["lr"].values()]
    assert estimates == sorted(estimates)
    noise = sp.learning_curve({"lr": LogisticRegression()}, wide, rng.integers(0, 2, 600), cv=5)
    assert noise.improving == ()


def test_measures_benefits_and_groups() -> None:
    frame = X.assign(gift=np.where(Y == "yes", 3.0, np.nan), likely=2.5, who=np.arange(400) // 2)
    loss = sp.learning_curve(MODELS, X, Y, cv=3, sizes=[0.2, 1.0], measure="log_loss")
    assert not loss.higher_is_better
    assert loss.sizes == (53, 266)
    benefit = sp.Benefit(tp=sp.Amount(expected="likely", actual="gift", less=1), fp=-1)
    paid = sp.learning_curve(MODELS, frame, Y, cv=3, sizes=[0.2, 1.0], benefit=benefit, groups="who")
    whole = sp.evaluate(MODELS, frame, Y, cv=3, benefit=benefit, groups="who")
    assert paid.measure == "profit"
    assert paid.estimates["lr"][paid.sizes[-1]].estimate == pytest.approx(
        whole.estimates["lr"]["profit"].estimate, abs=0.01
    )


def test_a_model_that_needs_more_rows_has_no_value_there() -> None:
    models = {"near": KNeighborsClassifier(60), "nb": GaussianNB()}
    with pytest.warns(sp.ModelsLeftOut, match="'near' failed with ValueError"):
        curve = sp.learning_curve(models, X, Y, cv=4, sizes=[50, 100, 300])
    assert list(curve.estimates["near"]) == [100, 300]
    with pytest.warns(sp.ModelsLeftOut) as caught:
        short = sp.learning_curve(models, X, Y, cv=4, sizes=[50, 300])
    assert short.gains["near"] is None
    assert len(caught) == 1
    # What every size would say is said once.
    weights = np.ones(len(X))
    with pytest.warns(sp.WeightsIgnored) as caught:
        sp.learning_curve({"near": KNeighborsClassifier(3)}, X, Y, cv=3, sizes=[50, 100, 200], sample_weight=weights)
    assert len(caught) == 1
    assert "near" not in short.improving


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: sp.learning_curve(sp.cross_fit(MODELS, X, Y, cv=2), X, Y),
            "models must be estimators, which can be fitted on parts of the rows, got a Panel; pass the models.",
        ),
        (
            lambda: sp.learning_curve(MODELS, X, Y, cv=4, sizes=[0.5]),
            "sizes must name at least two sizes, got [0.5]; write [0.25, 0.5, 1.0].",
        ),
        (
            lambda: sp.learning_curve(MODELS, X, Y, cv=4, sizes=[100, 301]),
            "sizes must be at most 300 (the number of training rows in a fold), got 301; 1.0 uses all of them.",
        ),
        (
            lambda: sp.learning_curve(MODELS, X, Y, cv=4, sizes=[1, 100]),
            "sizes must be at least 2, one row per class, got 1; give larger ones.",
        ),
        (
            lambda: sp.learning_curve(MODELS, X, Y, cv=4, sizes=[-0.5, 1.0]),
            "sizes must hold numbers of rows, or shares of them, got -0.5; write [100, 200, 400] or [0.5, 1.0].",
        ),
        (
            lambda: sp.learning_curve(MODELS, X, Y, cv=4, sizes="many"),  # type: ignore[arg-type]
            "sizes must hold numbers of rows, or shares of them, got 'many'; write [100, 200, 400] or [0.5, 1.0].",
        ),
        (
            lambda: sp.learning_curve(MODELS, X[:30], Y[:30], cv=3),
            "X must have enough rows for two sizes, got 20 training rows; 40 training rows in each fold are enough.",
        ),
        (
            lambda: sp.learning_curve(MODELS, X, Y, cv=4, measure="accurate"),
            f"measure must be one of {', '.join(map(repr, [*sp.measures.MEASURES, 'profit']))}; got 'accurate'. "
            "Did you mean 'accuracy'?",
        ),
    ],
)
def test_bad_input_gets_one_sentence(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(sp.InputError) as error:
        call()
    assert str(error.value) == words


def test_default_models_never_see_identifiers() -> None:
    y = np.arange(120) % 2
    X = pd.DataFrame({"a": np.random.default_rng(0).normal(size=120) + y, "row": np.arange(120)})
    models = sp.default_models(only=["nb"])
    with pytest.warns(sp.ColumnsLeftOut, match="'row'"):
        curve = sp.learning_curve(models, X, y, cv=3)
    assert curve.to_frame().equals(sp.learning_curve(models, X[["a"]], y, cv=3).to_frame())

"""The verb and its result: measures, ranking, noise, curves, words, page, and no fit too many."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, brier_score_loss, roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import shiftproof as sp
from shiftproof.evaluation._compare import compare_with_best
from shiftproof.evaluation._setup import Setup
from shiftproof.measures import MEASURES, Amount, Benefit
from shiftproof.panel import repeated_holdout

FITS: list[str] = []


class Counted(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that counts how often it is fitted."""

    def fit(self, X: Any, y: Any) -> Counted:
        FITS.append("fit")
        self.classes_ = np.unique(y)
        self.inner_ = GaussianNB().fit(X, y)
        return self

    def predict_proba(self, X: Any) -> Any:
        return self.inner_.predict_proba(X)


@pytest.fixture(scope="module")
def data() -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(600, 4)), columns=list("abcd"))
    y = np.where(X["a"] + 0.5 * X["b"] + rng.normal(size=600) > 0.4, "yes", "no")
    return X, y


@pytest.fixture(scope="module")
def found(data: tuple[pd.DataFrame, Any]) -> sp.Evaluation:
    models = {
        "lr": LogisticRegression(),
        "nb": GaussianNB(),
        "stump": DecisionTreeClassifier(max_depth=1, max_features=1, random_state=0),
    }
    return sp.evaluate(models, *data, cv=5)


def test_estimates_are_those_of_the_out_of_fold_scores(found: sp.Evaluation) -> None:
    panel = found.panel
    truth = panel.y
    for name in panel.names:
        p = panel.out_of_fold[name][:, 1]
        assert found.estimates[name]["accuracy"].estimate == pytest.approx(accuracy_score(truth, p >= 0.5), abs=1e-12)
        assert found.estimates[name]["auc"].estimate == pytest.approx(roc_auc_score(truth, p), abs=1e-12)
        assert found.estimates[name]["brier"].estimate == pytest.approx(brier_score_loss(truth, p), abs=1e-12)


def test_frame(found: sp.Evaluation) -> None:
    frame = found.to_frame()
    assert list(frame.columns) == ["model", "measure", "estimate", "low", "high", "level", "method"]
    assert len(frame) == 3 * len(MEASURES)
    defined = frame.dropna()
    assert (defined["low"] <= defined["estimate"]).all()
    assert (defined["estimate"] <= defined["high"]).all()
    # the stump never says yes, so it has no precision
    undefined = frame[frame["estimate"].isna()]
    assert set(undefined["measure"]) <= {"precision", "f1"}
    assert undefined["method"].str.startswith("undefined").all()
    assert frame["method"].str.contains("over 5 folds").any()


def test_ranking_and_noise(found: sp.Evaluation) -> None:
    assert set(found.within_noise) == {"lr", "nb"}
    assert found.ranking[-1] == "stump"
    assert found.best in ("lr", "nb")
    words = found.summary()
    assert words.startswith(f"'{found.best}' has the best accuracy: ")
    assert f"The difference from '{found.within_noise[1]}', " in words
    assert "'stump' is worse by " in words
    assert "the positive class is 'yes'." in words
    assert words.endswith("These figures apply to new data from the same source as these rows.")


def test_losses_rank_from_below(found: sp.Evaluation) -> None:
    by_loss = sp.evaluate(found.panel, measure="log_loss", measures=["accuracy"])
    losses = [by_loss.estimates[name]["log_loss"].estimate for name in by_loss.ranking]
    assert losses == sorted(losses)
    assert "points" not in by_loss.summary()


def test_a_panel_is_not_fitted_again(data: tuple[pd.DataFrame, Any]) -> None:
    FITS.clear()
    first = sp.evaluate({"counted": Counted()}, *data, cv=4, n_jobs=1, measures=["accuracy"])
    assert len(FITS) == 4
    again = sp.evaluate(first.panel, *data, measures=["accuracy"])
    assert len(FITS) == 4
    assert again.estimates["counted"]["accuracy"] == first.estimates["counted"]["accuracy"]


def test_scores_alone_are_enough() -> None:
    rng = np.random.default_rng(1)
    y = rng.uniform(size=400) < 0.4
    good, poor = np.clip(0.4 * y + rng.uniform(0, 0.6, 400), 0, 1), rng.uniform(size=400)
    panel = sp.Panel.from_scores(y, {"good": good, "poor": poor})
    result = sp.evaluate(panel)
    assert result.comparisons["poor"].method == "mcnemar, exact"  # type: ignore[union-attr]
    assert result.within_noise == ("good",)
    assert sp.evaluate(panel, measure="auc").comparisons["poor"].p_value < 1e-6  # type: ignore[union-attr]
    no_test = sp.evaluate(panel, measure="brier")
    assert no_test.comparisons["poor"] is None
    assert "No test of Brier score is available for 'poor'." in no_test.summary()
    assert "folds" not in result.estimates["good"]["accuracy"].method


def test_the_same_model_twice_is_noise(found: sp.Evaluation) -> None:
    same = compare_with_best(Setup(panel=found.panel), ["lr", "lr"], "accuracy")["lr"]
    assert same is not None
    assert (same.difference.estimate, same.p_value) == (0.0, 1.0)


def test_profit_by_expected_benefit(data: tuple[pd.DataFrame, Any]) -> None:
    X, y = data
    table = X.assign(gift=np.where(y == "yes", 10.0, 0.0), predicted=8.0)
    benefit = Benefit(tp=Amount(expected="predicted", actual="gift", less=0.68), fp=-0.68)
    result = sp.evaluate({"lr": LogisticRegression()}, table, y, benefit=benefit, measure="profit", cv=3)
    assert "gift" not in result.panel.feature_names
    p = result.panel.out_of_fold["lr"][:, 1]
    mailed = p * 8.0 > 0.68
    by_hand = np.where(mailed, np.where(y == "yes", 10.0 - 0.68, -0.68), 0.0).mean()
    assert result.estimates["lr"]["profit"].estimate == pytest.approx(by_hand, abs=1e-12)
    assert result.profit().profit[0] == 0.0
    assert result.best_list_size().profit.estimate <= result.best_list_size().apparent + 1e-9
    assert result.best_threshold().share > 0
    with pytest.raises(sp.InputError) as error:
        sp.evaluate(result.panel).profit("lr")
    assert str(error.value) == "profit needs a Benefit; pass evaluate(..., benefit=Benefit(tp=..., fp=...))."


def test_models_never_learn_from_what_came() -> None:
    rng = np.random.default_rng(0)
    y = (rng.uniform(size=400) < 0.3).astype(int)
    X = pd.DataFrame({"x": rng.normal(size=400), "gift": np.where(y == 1, 9.0, 0.0), "guess": 8.0})
    benefit = Benefit(tp=Amount(expected="guess", actual="gift", less=0.68), fp=-0.68)
    for table in (X, X.to_dict("list")):
        found = sp.evaluate({"nb": GaussianNB()}, table, y, benefit=benefit, measures=["auc"], cv=5)
        assert found.estimates["nb"]["auc"].estimate < 0.65
    leaky = sp.cross_fit({"nb": GaussianNB()}, X, y, cv=3)
    with pytest.raises(sp.InputError) as error:
        sp.evaluate(leaky, benefit=benefit, table=X)
    assert str(error.value) == (
        "models must not be trained on actual amounts, but 'gift' is a feature; leave it out of X and pass it with "
        "table=."
    )
    clean = sp.cross_fit({"nb": GaussianNB()}, X[["x"]], y, cv=3)
    assert "profit" in sp.evaluate(clean, benefit=benefit, table=X).estimates["nb"]


def test_repeats_measure_the_model_and_not_an_ensemble(data: tuple[pd.DataFrame, Any]) -> None:
    X, y = data
    tree = {"tree": DecisionTreeClassifier(random_state=0)}
    result = sp.evaluate(tree, X, y, repeats=4, cv=3, measures=["auc"])
    panel = result.panel
    each = [roc_auc_score(panel.y, panel.fold_probabilities["tree"][repeat][:, 1]) for repeat in range(4)]
    assert result.estimates["tree"]["auc"].estimate == pytest.approx(np.mean(each), abs=1e-12)
    assert result.estimates["tree"]["auc"].method.endswith("mean of 4 repeats")


def test_rows_of_one_group_count_once(data: tuple[pd.DataFrame, Any]) -> None:
    X, y = data
    alone = sp.evaluate({"nb": GaussianNB()}, X, y, cv=5, measures=["accuracy", "auc"])
    many = pd.concat([X] * 8, ignore_index=True)
    labels, groups = np.tile(y, 8), np.tile(np.arange(len(y)), 8)
    grouped = sp.evaluate({"nb": GaussianNB()}, many, labels, groups=groups, cv=5, measures=["accuracy", "auc"])
    for name in ("accuracy", "auc"):
        one, two = alone.estimates["nb"][name], grouped.estimates["nb"][name]
        assert two.width == pytest.approx(one.width, rel=0.15)
        assert "a group counts as one row" in two.method


def test_weights_rank_and_compare_alike(data: tuple[pd.DataFrame, Any]) -> None:
    X, y = data
    models = {"lr": LogisticRegression(), "stump": DecisionTreeClassifier(max_depth=1, max_features=1, random_state=0)}
    weight = np.where(y == "yes", 5.0, 1.0)
    result = sp.evaluate(models, X, y, sample_weight=weight, measures=["accuracy"], cv=5)
    found = result.comparisons[result.ranking[1]]
    assert found is not None
    gap = result.estimates[result.best]["accuracy"].estimate - result.estimates[result.ranking[1]]["accuracy"].estimate
    assert found.difference.estimate == pytest.approx(gap, abs=0.02)
    scores = sp.Panel.from_scores(y, {"a": np.linspace(0, 1, 600), "b": np.full(600, 0.4)}, sample_weight=weight)
    assert list(sp.evaluate(scores, measures=["accuracy"]).comparisons.values()) == [None]


def test_profit_is_as_uncertain_as_the_error_it_is_made_of(data: tuple[pd.DataFrame, Any]) -> None:
    X, y = data
    result = sp.evaluate({"nb": GaussianNB()}, X, y, benefit=Benefit(fp=-1.0, fn=-1.0), measures=["error"], cv=5)
    cost, error = result.estimates["nb"]["profit"], result.estimates["nb"]["error"]
    assert cost.estimate == pytest.approx(-error.estimate, abs=1e-12)
    assert cost.width == pytest.approx(error.width, rel=0.1)


def test_any_splitter_can_be_compared(data: tuple[pd.DataFrame, Any]) -> None:
    X, y = data
    models = {"lr": LogisticRegression(), "nb": GaussianNB()}
    for splitter in (repeated_holdout(repeats=3), sp.Bootstrap(3)):
        result = sp.evaluate(models, X, y, cv=splitter, measures=["accuracy"])
        assert result.comparisons[result.ranking[1]] is not None


def test_several_classes() -> None:
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 300)
    X = rng.normal(size=(300, 3)) + np.eye(3)[y]
    result = sp.evaluate({"nb": GaussianNB()}, X, y, cv=3)
    assert "3 classes; measures of one class, such as F1, are means over the classes." in result.summary()
    assert result.to_dict()["positive"] is None
    assert 0.5 < result.estimates["nb"]["auc"].estimate < 1
    with pytest.raises(sp.InputError) as error:
        result.roc("nb")
    assert str(error.value) == "curves need two classes, got 3 classes; evaluate one class against the rest."
    matrix = Benefit.matrix(np.eye(3))
    paid = sp.evaluate(result.panel, benefit=matrix, measures=["accuracy"])
    assert paid.estimates["nb"]["profit"].estimate == pytest.approx(paid.estimates["nb"]["accuracy"].estimate)
    costs = np.array([[0.0, -1, -2], [-5, 0, -1], [-3, -4, 0]])
    turned = [2, 0, 1]
    orders = [Benefit.matrix(costs), Benefit.matrix(costs[np.ix_(turned, turned)], classes=turned)]
    totals = [sp.evaluate(result.panel, benefit=each).estimates["nb"]["profit"].estimate for each in orders]
    assert totals[0] == pytest.approx(totals[1])
    named = sp.evaluate(
        {"nb": GaussianNB()}, X, np.array(["a", "b", "c"])[y], cv=3, benefit=Benefit.matrix(costs, ["a", "b", "c"])
    )
    assert named.estimates["nb"]["profit"].estimate == pytest.approx(totals[0])
    for options, sentence in (
        ({"benefit": Benefit(tp=1.0)}, "benefit must say which of several classes it is about"),
        ({"pos_label": 1}, "pos_label must be left out for more than two classes, got 1"),
        (
            {"threshold": 0.9},
            "threshold must be left out for more than two classes, got 0.9; the most likely class is predicted.",
        ),
    ):
        with pytest.raises(sp.InputError, match=sentence):
            sp.evaluate(result.panel, **options)


def test_curves_and_plots(found: sp.Evaluation) -> None:
    assert found.roc("lr").auc.estimate == pytest.approx(found.estimates["lr"]["auc"].estimate, abs=1e-12)
    assert found.roc("lr", average="per fold").auc.estimate == pytest.approx(found.roc("lr").auc.estimate, abs=0.05)
    assert len(found.roc_hull().fpr) >= 2
    for curve in (found.precision_recall, found.lift, found.calibration, found.net_benefit):
        figure, ax = plt.subplots()
        assert curve("lr").plot(ax=ax) is ax
        plt.close(figure)
    figure, ax = plt.subplots()
    assert found.plot(ax=ax) is ax
    assert [text.get_text() for text in ax.get_yticklabels()] == list(found.ranking)
    plt.close(figure)


def test_dict_and_page(found: sp.Evaluation, tmp_path: Path) -> None:
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["ranking"] == list(found.ranking)
    assert told["positive"] == "yes"
    text = found.save(tmp_path / "page.html").read_text()
    assert text.count("<svg") == 6  # the ranking, and five curves
    for name in found.ranking:
        assert f"{found.estimates[name]['auc'].estimate:.3f}" in text


def test_rows_in_time_order(data: tuple[pd.DataFrame, Any]) -> None:
    X, y = data
    result = sp.evaluate({"nb": GaussianNB()}, X.assign(t=np.arange(600)), y, time="t", cv=4, measures=["accuracy"])
    assert result.to_dict()["n_tested"] < 600
    paid = sp.evaluate(result.panel, benefit=Benefit(tp=1.0, fp=-1.0))
    assert -1 <= paid.estimates["nb"]["profit"].estimate <= 1
    assert "more were never tested" in result.summary()
    assert paid.profit().share[-1] == 1.0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"measure": "acuracy"}, "; got 'acuracy'. Did you mean 'accuracy'?"),
        ({"measures": "auc"}, "measures must be a list of names, got 'auc'; write measures=['auc']."),
        ({"measures": ["acu"]}, "measures must be one of 'accuracy', "),
        ({"cv": 3}, "cv must be left out with a Panel, got 3; give it to cross_fit, which makes the panel."),
        ({"measure": "profit"}, "measure='profit' needs a benefit; pass benefit=sp.Benefit(...)."),
        ({"level": 95}, "level must be a number strictly between 0 and 1, got 95; 0.9 means 90%."),
        (
            {"pos_label": "maybe"},
            "pos_label must be one of 'no' and 'yes', got 'maybe'; labels must match exactly.",
        ),
    ],
)
def test_error_sentences(found: sp.Evaluation, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(sp.InputError) as error:
        sp.evaluate(found.panel, **options)
    assert sentence in str(error.value)


def test_what_must_be_given(found: sp.Evaluation) -> None:
    with pytest.raises(sp.InputError) as error:
        sp.evaluate({"nb": GaussianNB()}, [[1.0]])
    assert str(error.value) == "y is missing; pass models, X, y, or a Panel."
    for call in (found.roc, found.lift):
        with pytest.raises(
            sp.InputError, match="model must be a model that was evaluated, got 'forest'; available: 'lr'"
        ):
            call("forest")
    with pytest.raises(sp.InputError, match="measure must be a measure that was computed, got 'profit'"):
        found.plot(measure="profit")


def test_evaluate_reads_one_column_of_scores_as_those_of_the_class_that_the_panel_names() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    of_churned = np.clip(0.5 + 0.2 * (y == 1) + 0.2 * rng.normal(size=80), 0, 1)
    labels = np.where(y == 1, "churned", "stayed")
    panel = sp.Panel.from_scores(labels, {"m": of_churned}, pos_label="churned")
    auc = roc_auc_score(y, of_churned)
    for pos_label in (None, "churned", "stayed"):
        result = sp.evaluate(panel, measures=["auc"], pos_label=pos_label)
        assert result.estimates["m"]["auc"].estimate == pytest.approx(auc)
    # Without a word about the class they are taken for those of 'stayed', and that is questioned.
    with pytest.warns(sp.ScoresReversed, match="are these the probabilities of class 'stayed'"):
        result = sp.evaluate(sp.Panel.from_scores(labels, {"m": of_churned}), measures=["auc"])
    assert result.estimates["m"]["auc"].estimate == pytest.approx(1 - auc)


def test_evaluate_refuses_measures_that_are_no_list() -> None:
    measures: Any = 5
    with pytest.raises(sp.InputError) as error:
        sp.evaluate(GaussianNB(), [[0.0]], [0], measures=measures)
    assert str(error.value) == "measures must be a list of names, got 5; write measures=['auc']."


def test_evaluate_warns_of_a_feature_that_is_the_label() -> None:
    y = np.arange(60) % 2
    X = pd.DataFrame({"a": np.random.default_rng(0).normal(size=60), "paid": np.where(y, "yes", "no")})
    with pytest.warns(sp.LabelRevealed, match="'paid' determines every label"):
        sp.evaluate(sp.default_models(only=["nb"]), X, y, cv=3)


def with_row_numbers() -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    y = np.arange(60) % 2
    return pd.DataFrame({"a": np.random.default_rng(0).normal(size=60), "row": np.arange(60)}), y


def test_evaluate_warns_of_identifiers_that_models_can_use() -> None:
    X, y = with_row_numbers()
    with pytest.warns(sp.IdentifierUsed, match=r"^'row' looks like an identifier.* To leave it out: drop it from X\.$"):
        sp.evaluate(GaussianNB(), X, y, cv=3)


def test_default_models_never_see_identifiers() -> None:
    X, y = with_row_numbers()
    models = sp.default_models(only=["nb"])
    with pytest.warns(sp.ColumnsLeftOut, match=r"^left out of tests and models: 'row' \(identifier\)\.$"):
        result = sp.evaluate(models, X, y, cv=3)
    assert result.to_frame().equals(sp.evaluate(models, X[["a"]], y, cv=3).to_frame())


def test_copies_are_found_whatever_their_row_number() -> None:
    X, y = with_row_numbers()
    twice = pd.concat([X, X]).assign(row=np.arange(120))
    with pytest.warns(sp.ColumnsLeftOut), pytest.warns(sp.CopiedRows):
        sp.evaluate(sp.default_models(only=["nb"]), twice, np.tile(y, 2), cv=3)


def test_evaluate_warns_of_infinite_values_before_models_are_fitted() -> None:
    X = pd.DataFrame({"a": np.random.default_rng(0).normal(size=60), "ratio": np.where(np.arange(60) == 7, np.inf, 1)})
    with pytest.warns(sp.InfiniteValues, match=r"^'ratio' has infinite values\."):
        sp.evaluate(sp.default_models(only=["nb"]), X, np.arange(60) % 2, cv=3)

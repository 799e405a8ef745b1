"""The noun: scores without models, new rows fold by fold, fingerprints, words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from shiftproof.core import InputError
from shiftproof.panel import Panel, cross_fit

Array = np.ndarray[Any, Any]


def task(n: int = 60, k: int = 2, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % k)
    return rng.normal(size=(n, 3)) + y[:, None], y


def said(call: Any) -> str:
    with pytest.raises(InputError) as error:
        call()
    return str(error.value)


def test_scores_of_two_classes_are_those_of_the_second() -> None:
    panel = Panel.from_scores(["b", "a", "b"], {"m": [0.9, 0.2, 0.6], "n": np.full((3, 2), 0.5)}, new={"m": [0.25]})
    assert panel.names == ("m", "n")
    np.testing.assert_allclose(panel.out_of_fold["m"], [[0.1, 0.9], [0.8, 0.2], [0.4, 0.6]])
    assert panel.new_scores["m"].tolist() == [[0.75, 0.25]]
    assert panel.models == panel.fold_models == {}
    assert panel.tested.all()
    assert panel.summary() == "2 models (m, n) on 3 rows: 'a' 1, 'b' 2."
    assert not panel.out_of_fold["m"].flags.writeable


def test_scores_of_more_classes_have_a_column_each() -> None:
    scores = np.array([[0.2, 0.3, 0.5], [1, 0, 0], [0, 1, 0]])
    panel = Panel.from_scores(["x", "y", "z"], {"m": scores})
    np.testing.assert_array_equal(panel.out_of_fold["m"], scores)
    assert scores.flags.writeable
    assert panel.predictions("m").tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        (
            {"m": [0.5, 1.5]},
            "scores['m'] must lie between 0 and 1, got 1.5; "
            "turn decision values into probabilities first, or divide percentages by 100.",
        ),
        (
            {"m": [0.5, np.nan]},
            "scores['m'] must have no missing values, got 1; drop those rows and their labels first.",
        ),
        ({"m": ["a", "b"]}, "scores['m'] must be probabilities, got ['a', 'b']; pass numbers from 0 to 1."),
        ({"m": [0.5]}, "scores['m'] must have one row per label, got 1 for 2 labels; align the two."),
        (
            {"m": [[0.5, 0.4], [0.5, 0.5]]},
            "scores['m'] must have rows that sum to 1, got 0.9; divide each row by its sum, if they are meant to.",
        ),
        (
            {"m": [[0.5, 0.4, 0.1], [0.5, 0.5, 0]]},
            "scores['m'] must have 2 columns, got shape (2, 3); one for each of 'a' and 'b'.",
        ),
        (
            {},
            "scores must be a dict from name to probabilities, with at least one entry, got {}; "
            "write {'name': probabilities}.",
        ),
    ],
)
def test_sentences_about_scores(scores: Any, words: str) -> None:
    assert said(lambda: Panel.from_scores(["a", "b"], scores)) == words


def test_panel_refuses_bad_scores_names_and_thresholds() -> None:
    panel = Panel.from_scores(["a", "b"], {"m": [0.1, 0.9]})
    three = Panel.from_scores(["a", "b", "c"], {"m": np.eye(3)})
    words = "new must name models that scores has, got 'n'; available: 'm'."
    assert said(lambda: Panel.from_scores(["a", "b"], {"m": [0.1, 0.9]}, new={"n": [0.5]})) == words
    assert said(lambda: three.out_of_fold and Panel.from_scores(["a", "b", "c"], {"m": [0.1, 0.9, 0.2]})) == (
        "scores['m'] must have 3 columns, got shape (3,); one for each of 'a', 'b' and 'c'."
    )
    assert said(lambda: panel.apply([[1]])) == "scoring new rows needs models, got scores only; use cross_fit instead."
    words = "scoring new rows fold by fold needs models, got scores only; use cross_fit instead."
    assert said(lambda: panel.apply_by_fold([[1]])) == words
    assert said(lambda: panel.predictions("x")) == "name must be a model of the panel, got 'x'; available: 'm'."
    words = (
        "threshold must be left out for more than two classes, got 0.3; leave it out to predict the likeliest class."
    )
    assert said(lambda: three.predictions("m", threshold=0.3)) == words
    words = "pos_label must be one of 'a' and 'b', got 'c'; labels are compared as they are."
    assert said(lambda: panel.positive("c")) == words
    words = "pos_label must be given for 3 classes, got None; choose one of 'a', 'b' and 'c'."
    assert said(three.positive) == words


def test_the_positive_class_and_the_threshold() -> None:
    panel = Panel.from_scores(["a", "b", "b"], {"m": [0.1, 0.4, 0.6]})
    assert (panel.positive(), panel.positive("b"), panel.positive("a")) == (1, 1, 0)
    assert panel.predictions("m").tolist() == [0, 0, 1]
    assert panel.predictions("m", threshold=0.4).tolist() == [0, 1, 1]
    assert panel.predictions("m", threshold=0.7, pos_label="a").tolist() == [0, 1, 1]


def test_fingerprints() -> None:
    X, y = task()
    numbers = pd.DataFrame(X, columns=list("abc"))
    panel = cross_fit(GaussianNB(), numbers, y, cv=2)
    panel.matches(numbers, y)
    panel.matches(pl.from_pandas(numbers), y.tolist())
    panel.matches()
    hint = "pass the same rows in the same order."
    words = f"X must be the table that the panel was made from, got another of 60 rows and 3 columns; {hint}"
    for other in (numbers[::-1], numbers.rename(columns={"a": "z"}), numbers + 1, numbers[["b", "a", "c"]], X):
        assert said(lambda other=other: panel.matches(other)) == words
    words = f"y must be the labels that the panel was made from, got 60 others; {hint}"
    assert said(lambda: panel.matches(numbers, 1 - y)) == words
    scores = Panel.from_scores(y, {"m": y.astype(float)})
    scores.matches(X, y)
    assert "got another of 3 rows" in said(lambda: scores.matches(X[:3]))


def test_new_rows_are_taken_by_name() -> None:
    X, y = task()
    frame = pd.DataFrame(X, columns=list("abc"))
    panel = cross_fit(LogisticRegression(), frame, y, cv=2)
    expected = panel.apply(frame)["LogisticRegression"]
    other = pl.from_pandas(frame[["c", "a", "b"]].assign(more=1))
    np.testing.assert_allclose(panel.apply(other)["LogisticRegression"], expected, atol=1e-12)
    words = "X_new must have all columns of X, got none called 'b'; give them as they were when fitted."
    assert said(lambda: panel.apply(frame[["a", "c"]])) == words
    words = "X_new must have named columns, as X had, got 'ndarray'; pass a table with 'a', 'b' and 'c'."
    assert said(lambda: panel.apply(X)) == words
    assert said(lambda: panel.apply(X[:, :2])) == (
        "X_new must have 3 columns, got 2; give the columns of X, in the same order."
    )
    of_array = cross_fit(LogisticRegression(), X, y, cv=2)
    np.testing.assert_allclose(of_array.apply(frame)["LogisticRegression"], expected, atol=1e-12)


def test_without_refitted_models_only_the_folds_can_score() -> None:
    X, y = task()
    panel = cross_fit(GaussianNB(), X, y, cv=2, refit=False)
    words = "scoring new rows needs the refitted models, got none; call cross_fit with refit=True."
    assert said(lambda: panel.apply(X)) == words
    assert panel.apply_by_fold(X)["GaussianNB"].shape == (60, 2)


def test_each_new_row_is_scored_by_one_fold() -> None:
    X, y = task()
    panel = cross_fit(DecisionTreeClassifier(random_state=0), X, y, cv=3)
    new, _ = task(200, seed=1)
    scores = panel.apply_by_fold(new, random_state=1)["DecisionTreeClassifier"]
    each = [model.predict_proba(new) for model in panel.fold_models["DecisionTreeClassifier"][0]]
    assert np.any([(scores == of_fold).all(axis=1) for of_fold in each], axis=0).all()
    assert set(np.unique(scores)) == {0.0, 1.0}  # averages of trees would lie between
    np.testing.assert_array_equal(scores, panel.apply_by_fold(new, random_state=1)["DecisionTreeClassifier"])
    assert (scores != panel.apply_by_fold(new, random_state=2)["DecisionTreeClassifier"]).any()


def test_with_repeats_new_rows_are_averaged_as_the_labelled_ones_are() -> None:
    X, y = task()
    panel = cross_fit(DecisionTreeClassifier(random_state=0), X, y, cv=3, repeats=4)
    scores = panel.apply_by_fold(task(100, seed=1)[0])["DecisionTreeClassifier"]
    assert set((4 * scores).ravel().tolist()) <= {0.0, 1.0, 2.0, 3.0, 4.0}


def test_scores_by_fold_are_distributed_like_out_of_fold_ones() -> None:
    moments: dict[str, list[tuple[float, float]]] = {}
    for seed in range(12):
        X, y = task(150, seed=seed)
        new, _ = task(150, seed=100 + seed)
        panel = cross_fit({"tree": DecisionTreeClassifier(random_state=0, max_depth=3)}, X, y, cv=5)
        scores = {
            "held": panel.out_of_fold["tree"],
            "by fold": panel.apply_by_fold(new, random_state=seed)["tree"],
            "averaged": np.mean([model.predict_proba(new) for model in panel.fold_models["tree"][0]], axis=0),
        }
        for name, held in scores.items():
            moments.setdefault(name, []).append((float(held[:, 1].mean()), float(held[:, 1].std())))
    mean = {name: np.mean(found, axis=0) for name, found in moments.items()}
    np.testing.assert_allclose(mean["by fold"], mean["held"], atol=0.015)
    assert mean["averaged"][1] < mean["held"][1] - 0.02  # the folds' average is another distribution


def test_panel_repr_and_summary() -> None:
    X, y = task(60, 3)
    panel = cross_fit({"nb": GaussianNB()}, X, y, cv=3, repeats=2)
    assert repr(panel) == "Panel(nb; 60 rows, 3 classes, 3 folds, 2 times)"
    assert panel.summary() == (
        "1 model (nb) on 60 rows: 0 20, 1 20, 2 20. Each row was scored by models that never saw it (3 folds, 2 times)."
    )
    late = cross_fit({"nb": GaussianNB()}, X, y, cv=2, time=np.arange(60))
    assert late.summary().endswith("20 rows were never tested.")


def test_folds_are_drawn_in_the_proportions_of_the_labelled_rows() -> None:
    X, y = task(90)
    panel = cross_fit(DecisionTreeClassifier(), X, y, cv=4, repeats=2)
    drawn = panel.draw_folds(41, random_state=3)
    assert drawn.shape == (2, 41)
    expected = np.bincount(panel.folds[0]) * 41 / 90
    assert np.abs(np.bincount(drawn[0]) - expected).max() <= 1
    pairs = {tuple(pair) for pair in panel.folds.T.tolist()}
    assert {tuple(pair) for pair in drawn.T.tolist()} <= pairs
    assert panel.draw_folds(0).shape == (2, 0)


def test_from_scores_refuses_scores_and_weights_whose_index_contradicts_that_of_y() -> None:
    y, other = pd.Series([0, 1, 0, 1]), pd.Series([0.1, 0.9, 0.2, 0.8], index=[3, 2, 1, 0])
    way_out = "if the rows already correspond by position."
    for name, scores, weights in (("scores['m']", other, None), ("sample_weight", other.to_numpy(), other)):
        with pytest.raises(InputError) as error:
            Panel.from_scores(y, {"m": scores}, sample_weight=weights)
        assert str(error.value) == (
            f"{name} must have its rows in the order of y, got the same index in another order; "
            f"pass {name}.loc[y.index], or {name}.to_numpy() {way_out}"
        )


def test_from_scores_refuses_new_scores_whose_indexes_contradict_each_other() -> None:
    first, second = pd.Series([0.1, 0.9]), pd.Series([0.1, 0.9], index=[1, 0])
    with pytest.raises(
        InputError, match=r"^new\['b'\] must have its rows in the order of new\['a'\], got the same index"
    ):
        Panel.from_scores([0, 1], {"a": [0.1, 0.9], "b": [0.1, 0.9]}, new={"a": first, "b": second})
    with pytest.raises(
        InputError, match=r"^sample_weight must have its rows in the order of scores\['a'\], got the same"
    ):
        Panel.from_scores([0, 1], {"a": first}, sample_weight=second)


def test_from_scores_refuses_masked_scores() -> None:
    with pytest.raises(InputError) as error:
        Panel.from_scores([0, 1], {"m": np.ma.array([0.1, 0.9], mask=[False, True])})
    assert str(error.value) == "scores['m'] must have no missing values, got 1; drop those rows and their labels first."


CHURN = ["churned", "stayed", "churned", "stayed"]


def test_one_column_of_scores_belongs_to_pos_label() -> None:
    of_churned = {"m": [0.9, 0.2, 0.7, 0.4]}
    expected = [[0.9, 0.1], [0.2, 0.8], [0.7, 0.3], [0.4, 0.6]]
    panel = Panel.from_scores(CHURN, of_churned, new={"m": [0.9]}, pos_label="churned")
    np.testing.assert_allclose(panel.out_of_fold["m"], expected)
    assert panel.new_scores["m"][0, 0] == 0.9
    undecided = Panel.from_scores(CHURN, of_churned, new={"m": [[0.9, 0.1]]})
    np.testing.assert_allclose(undecided.out_of_fold["m"][:, 1], of_churned["m"])
    read = undecided.with_positive("churned")
    np.testing.assert_allclose(read.out_of_fold["m"], expected)
    # The new scores had a column for each class.
    assert read.new_scores["m"].tolist() == [[0.9, 0.1]]
    assert panel.with_positive("stayed") is panel
    assert said(lambda: Panel.from_scores(CHURN, of_churned, pos_label="left")) == (
        "pos_label must be one of 'churned' and 'stayed', got 'left'; labels are compared as they are."
    )


def test_scores_named_after_a_class_are_of_that_class() -> None:
    by_class = {"stayed": [0.1, 0.8, 0.3, 0.6], "churned": [0.9, 0.2, 0.7, 0.4]}
    expected = Panel.from_scores(CHURN, {"m": by_class["churned"]}, pos_label="churned").out_of_fold["m"]
    for scores in (by_class, pd.DataFrame(by_class), pd.Series(by_class["churned"], name="churned")):
        np.testing.assert_allclose(Panel.from_scores(CHURN, {"m": scores}).out_of_fold["m"], expected)
    wrong = pd.Series(by_class["churned"], name="churned")
    assert said(lambda: Panel.from_scores(CHURN, {"m": wrong}, pos_label="stayed")) == (
        "scores['m'] must be the probability of 'stayed', got a column named 'churned'; "
        "rename it, or pass its own class."
    )


def test_apply_names_the_model_that_cannot_score() -> None:
    class Percent(GaussianNB):  # type: ignore[misc]
        def predict_proba(self, X: Any) -> Any:
            return super().predict_proba(X) * (100 if len(X) == 1 else 1)

    X, y = np.arange(12.0)[:, None], np.arange(12) % 2
    panel = cross_fit({"good": GaussianNB(), "bad": Percent()}, X, y, cv=2)
    assert said(lambda: panel.apply([[1.0]])).startswith("'bad' cannot score X_new: predict_proba must lie between 0")
    assert said(lambda: panel.apply([[1.0]], models=["god"])) == (
        "models must be a model of the panel; got 'god'. Did you mean 'good'?"
    )
    assert list(panel.apply([[1.0]], models=["good"])) == ["good"]


def test_from_scores_refuses_scores_without_rows_and_new_that_is_no_dict() -> None:
    new: Any = 5
    assert said(lambda: Panel.from_scores([0, 1], {"m": [0.1, 0.9]}, new=new)) == (
        "new must be a dict from name to probabilities, got 5; write {'name': probabilities}."
    )
    assert said(lambda: Panel.from_scores([0, 1], {"m": [0.1, 0.9]}, new={"m": []})) == (
        "new['m'] must hold at least one row, got shape (0,); check the filter or the file."
    )
    ragged = {0: [0.1, 0.2], 1: [0.9]}
    assert said(lambda: Panel.from_scores([0, 1], {"m": ragged})) == (
        "scores['m'] must have columns of one length, one for each class, got {0: [0.1, 0.2], 1: [0.9]}; "
        "write {label: column, ...}."
    )
    same: Any = {1: [0.1, 0.9], "1": [0.1, 0.9]}
    assert said(lambda: Panel.from_scores([0, 1], same)) == (
        "scores must have names that differ as text, got 1 and '1'; rename one of them."
    )


def test_apply_by_fold_refuses_folds_that_do_not_exist() -> None:
    panel = cross_fit({"nb": GaussianNB()}, np.arange(12.0)[:, None], np.arange(12) % 2, cv=2)
    words = "folds must hold a number below 2 for each row, in an array of shape (repeats, 3), got array([[9, 9, 9]]); "
    assert said(lambda: panel.apply_by_fold([[1.0]] * 3, folds=np.full((1, 3), 9))) == words + "use draw_folds."
    assert said(lambda: panel.draw_folds(-1)) == "size must be a whole number of at least 0, got -1; give 0 or more."
    assert list(panel.apply([[1.0]], models="nb")) == ["nb"]

"""The verb `select`: the right model, how sure, at what cost."""

from __future__ import annotations

import copy
import json
import math
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import shiftproof as sp
from shiftproof.case import Case
from shiftproof.core import Note
from shiftproof.selection import RIVALS, Selection, SelectOptions, select_case
from shiftproof.shift import kind_of_shift

Arrays = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]


def xor(n: int = 400, m: int = 300, *, seed: int = 0, share: float | None = None) -> Arrays:
    """Two features whose product decides: naive Bayes with a curved border can tell, a line cannot."""
    rng = np.random.default_rng(seed)
    X, X_new = rng.normal(size=(n, 2)), rng.normal(size=(4 * m, 2))
    y, y_new = ((each[:, 0] * each[:, 1] > 0).astype(int) for each in (X, X_new))
    if share is None:
        return X, y, X_new[:m], y_new[:m]
    ones = round(m * share)
    rows = np.concatenate([np.flatnonzero(y_new == 1)[:ones], np.flatnonzero(y_new == 0)[: m - ones]])
    return X, y, X_new[rows], y_new[rows]


def models() -> dict[str, Any]:
    return {
        "line": LogisticRegression(),
        "tree": DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
        "prior": DummyClassifier(),
    }


@pytest.fixture(scope="module")
def found() -> Selection:
    X, y, X_new, _ = xor()
    return sp.select(models(), X, y, X_new, cv=5)


def test_the_better_model_is_chosen(found: Selection) -> None:
    X, y, X_new, y_new = xor()
    true = {name: model.fit(X, y).score(X_new, y_new) for name, model in models().items()}
    assert found.best == max(true, key=lambda name: true[name]) == "tree"
    assert abs(found.scores["tree"] - true["tree"]) < 0.08
    assert found.headline.startswith("Use tree (")
    assert "likely to beat" in found.headline


def test_frame_has_the_columns_of_the_contract(found: Selection) -> None:
    frame = found.to_frame()
    assert list(frame.columns[:4]) == ["model", "rank", "score", "probability_best"]
    assert frame["rank"].tolist() == [1, 2, 3]
    assert frame["model"].tolist() == list(found.ranking)
    assert frame["score"].is_monotonic_decreasing


def test_probabilities_are_probabilities(found: Selection) -> None:
    assert sum(found.probabilities.values()) == pytest.approx(1)
    order = found.order_probability
    assert np.allclose(order.to_numpy() + order.to_numpy().T, 1)
    assert found.beats[1, 0] > 0.95
    assert found.probabilities["tree"] > 0.9


def test_dict_is_json_and_result_pickles(found: Selection) -> None:
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["best"] == "tree"
    assert told["reverse_testing"]["names"] == ["line", "tree", "prior"]
    assert copy.deepcopy(found).ranking == found.ranking


class Counting(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Counts its fits."""

    fits = 0

    def fit(self, X: Any, y: Any) -> Counting:
        type(self).fits += 1
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares_ = counts / counts.sum()
        self.cut_ = float(np.asarray(X)[np.asarray(y) == self.classes_[-1], 0].mean())
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        p = 1 / (1 + np.exp(-(np.asarray(X)[:, 0] - self.cut_)))
        return np.column_stack([1 - p, p]) if len(self.classes_) == 2 else np.ones((len(p), 1))

    def predict(self, X: Any) -> NDArray[Any]:
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


def test_fits_are_those_of_the_panel_and_of_reverse_testing() -> None:
    X, y, X_new, _ = xor()
    Counting.fits = 0
    three = {str(at): Counting() for at in range(3)}
    panel = sp.cross_fit(three, X, y, cv=5)
    assert Counting.fits == 3 * 6
    Counting.fits = 0
    found = sp.select(panel, X, y, X_new)
    assert Counting.fits == 9 == found.fits == found.reverse_fits
    Counting.fits = 0
    sp.select(panel, X, y, X_new, reverse=False)
    sp.estimate_performance(panel, X, y, X_new)
    assert Counting.fits == 0
    found = sp.select(three, X, y, X_new, cv=5)
    assert Counting.fits == 3 * 6 + 9 == found.fits


def test_a_panel_gives_the_same_as_models() -> None:
    X, y, X_new, _ = xor()
    panel = sp.cross_fit(models(), X, y, cv=5)
    ours = sp.select(panel, X, y, X_new)
    theirs = sp.select(models(), X, y, X_new, cv=5)
    assert ours.scores == theirs.scores
    assert ours.probabilities == theirs.probabilities


def test_the_kind_of_shift_may_be_given() -> None:
    X, y, X_new, _ = xor()
    shift = kind_of_shift(X, y, X_new)
    panel = sp.cross_fit(models(), X, y, cv=5)
    options = SelectOptions(measure="accuracy", reverse=False)
    given = select_case(Case.of(panel, X, y, X_new, purpose="testing", shift=shift), options)
    assert given.shift is shift
    assert given.scores == sp.select(panel, X, y, X_new, reverse=False).scores
    with pytest.raises(sp.InputError, match="shift must be about these tables, got one of 400 and 300 rows"):
        select_case(Case.of(panel, X, y, X_new[:100], purpose="testing", shift=shift), options)


def test_prior_shift_can_turn_the_order() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [900, 100])
    X = rng.normal(size=(1000, 2)) + y[:, None]
    y_new = np.repeat([0, 1], [100, 900])
    X_new = rng.normal(size=(1000, 2)) + y_new[:, None]
    both = {"shy": LogisticRegression(), "bold": LogisticRegression(class_weight="balanced")}
    found = sp.select(both, X, y, X_new, cv=5, reverse=False)
    assert found.validated["shy"] > found.validated["bold"]
    true = {name: model.fit(X, y).score(X_new, y_new) for name, model in both.items()}
    assert true["bold"] > true["shy"] + 0.2
    assert found.best == "bold"
    assert found.beats[1, 0] > 0.95


def test_amounts_rank_by_profit() -> None:
    rng = np.random.default_rng(0)
    n = 1500
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n)})
    gift = np.exp(1.5 * X["b"]) * 5
    y = (rng.random(n) < 1 / (1 + np.exp(2.5 - X["a"]))).astype(int)
    table = X.assign(expected=gift, gift=np.where(y == 1, gift, 0.0))
    benefit = sp.Benefit(tp=sp.Amount(expected="expected", actual="gift", less=0.68), fp=-0.68)
    old, new = slice(None, n // 2), slice(n // 2, None)
    both = {"informed": LogisticRegression(), "blind": DummyClassifier()}
    found = sp.select(
        both, X[old], y[old], X[new], benefit=benefit, table=table[old], new_table=table[new].drop(columns="gift"), cv=5
    )
    assert found.measure == "profit"
    assert found.best == "informed"
    true = {}
    for name, model in both.items():
        p = model.fit(X[old], y[old]).predict_proba(X[new])[:, 1]
        true[name] = benefit.mean(y[new], benefit.decide(p, table[new]), table[new]).estimate
    assert true["informed"] > true["blind"]
    assert found.scores["informed"] > found.scores["blind"]
    assert found.reverse is not None
    assert found.reverse.score == "benefit"


@pytest.mark.parametrize("measure", ["error", "f1", "auc", "brier", "precision", "recall"])
def test_every_measure_ranks(measure: str) -> None:
    X, y, X_new, _ = xor()
    found = sp.select(models(), X, y, X_new, measure=measure, reverse=False, cv=5)
    assert found.best == "tree"
    assert found.measure == measure


@pytest.mark.parametrize("name", ["cross-validation", "posterior pool", "calibrated confidence"])
def test_rivals_rank_and_do_not_say_how_sure(name: str) -> None:
    X, y, X_new, _ = xor()
    found = sp.select(models(), X, y, X_new, method=name, reverse=False, cv=5)
    assert found.best == "tree"
    assert found.method == name
    assert not found.method_says
    assert "likely" not in found.headline
    json.dumps(found.to_dict(), allow_nan=False)


def test_rivals_with_a_plan_fit_by_it() -> None:
    X, y, X_new, _ = xor(n=60)
    found = sp.select({"line": LogisticRegression(), "nb": GaussianNB()}, X, y, X_new, method="leave-one-out")
    assert found.fits == 2 * 61 + 4
    repeated = sp.select({"nb": GaussianNB()}, X, y, X_new, method="repeated cross-validation")
    assert repeated.fits == 51


def test_reverse_testing_is_left_out_by_name() -> None:
    X, y, X_new, _ = xor()
    one = sp.select({"line": LogisticRegression()}, X, y, X_new, cv=5)
    assert one.reverse is None
    assert one.reverse_skipped == Note(code="ReverseTesting skipped", detail="one model")
    assert one.headline == "line is the only model."
    assert one.probabilities == {"line": 1.0}
    fitted = {name: model.fit(*xor(seed=1)[:2]) for name, model in models().items()}
    said, new = ({name: model.predict_proba(each) for name, model in fitted.items()} for each in (X, X_new))
    scores = sp.Panel.from_scores(y, said, new=new)
    told = sp.select(scores)
    assert told.reverse is None
    assert told.reverse_skipped == Note(code="ReverseTesting skipped", detail="deployed models")
    assert told.best == "tree"
    assert "type of shift from scores" in [note.code for note in told.notes]
    assert sp.select(scores, X, y, X_new).notes == ()


def test_rows_out_of_reach_are_not_ranked_silently() -> None:
    X, y, X_new, _ = xor()
    with pytest.warns(sp.ShiftproofWarning, match="do not rely on the ranking"):
        found = sp.select(models(), X, y, X_new + 50, reverse=False, cv=5)
    assert found.tone == "bad"
    assert found.headline.startswith("Best guess: ")
    assert found.concerns


def test_deployed_models_are_not_fitted_for_scores() -> None:
    X, y, X_new, _ = xor(n=800)
    fitted = {name: model.fit(X[:400], y[:400]) for name, model in models().items()}
    found = sp.select(fitted, X[400:], y[400:], X_new, cv="prefit", reverse=False)
    assert found.best == "tree"
    assert found.fits == 0


def test_text_labels_mixed_tables_and_three_classes() -> None:
    rng = np.random.default_rng(0)
    n = 600
    kind = rng.integers(3, size=n)
    X = pd.DataFrame(
        {
            "a": kind + rng.normal(size=n),
            "b": rng.choice(np.array(["x", "y", None], dtype=object), n),
            "c": rng.normal(size=n),
        }
    )
    X.loc[::7, "c"] = np.nan
    y = np.array(["low", "mid", "top"])[kind]
    found = sp.select(sp.default_models(only=["nb", "tree"]), X[:400], y[:400], X[400:], cv=5)
    assert set(found.ranking) == {"nb", "tree"}
    assert found.reverse is not None
    with pytest.raises(sp.InputError, match=r"^f1 with more than two classes needs pos_label; name the class\.$"):
        sp.select(sp.default_models(only=["nb", "tree"]), X[:400], y[:400], X[400:], cv=5, measure="f1")
    assert (
        sp.select(
            sp.default_models(only=["nb", "tree"]), X[:400], y[:400], X[400:], cv=5, measure="f1", pos_label="top"
        ).measure
        == "f1"
    )


def test_equal_models_share() -> None:
    X, y, X_new, _ = xor()
    found = sp.select({"one": GaussianNB(), "two": GaussianNB()}, X, y, X_new, cv=5)
    assert found.probabilities == {"one": 0.5, "two": 0.5}
    assert found.order_probability.loc["one", "two"] == 0.5
    assert found.contenders == ("two",)


def test_time_blocks_leave_rows_untested() -> None:
    X, y, X_new, _ = xor()
    panel = sp.cross_fit(models(), X, y, cv=4, time=np.arange(len(y)))
    found = sp.select(panel, X, y, X_new, reverse=False)
    assert found.best == "tree"
    assert found.n_labelled < len(y)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"method": "magic"},
            "method must name a ranking method, got 'magic'; available: 'cross-validation'",
        ),
        ({"measure": "beauty"}, "measure must be one of"),
        ({"measure": "profit"}, "measure='profit' needs a benefit; pass benefit=sp.Benefit(...)"),
        ({"method": "cross-validation", "measure": "f1"}, "measure must be accuracy for the method 'cross-validation'"),
        (
            {"method": "cross-validation", "benefit": sp.Benefit(tp=1)},
            "benefit must be left out for the method 'cross-validation', got Benefit(tp=1",
        ),
        (
            {"method": "cross-validation", "threshold": 0.2},
            "threshold must be left out for the method 'cross-validation', got 0.2",
        ),
        ({"benefit": 5}, "benefit must be a Benefit or a BenefitMatrix, got 5"),
        ({"threshold": 2}, "threshold must be"),
        ({"reverse_rows": 3}, "reverse_rows must be"),
        ({"X_new": None}, "X_new is missing"),
        ({"X_new": np.zeros((0, 2))}, "X_new must hold at least one row"),
        ({"y": None}, "y is missing"),
        ({"pos_label": "maybe"}, "pos_label must be one of"),
    ],
)
def test_bad_arguments_get_one_sentence(change: dict[str, Any], message: str) -> None:
    X, y, X_new, _ = xor(n=60, m=40)
    given = {"X": X, "y": y, "X_new": X_new} | change
    with pytest.raises(sp.InputError, match=re.escape(message)):
        sp.select(models(), **given, cv=3)


def test_with_a_panel_folds_are_fixed() -> None:
    X, y, X_new, _ = xor(n=60, m=40)
    panel = sp.cross_fit({"nb": GaussianNB()}, X, y, cv=3)
    with pytest.raises(sp.InputError, match="cv must be left out with a Panel, got 5"):
        sp.select(panel, X, y, X_new, cv=5)
    with pytest.raises(sp.InputError, match="'leave-one-out' needs models fitted with one fold per row"):
        sp.select(panel, X, y, X_new, method="leave-one-out")


def test_every_rival_can_be_asked() -> None:
    X, y, X_new, _ = xor(n=80, m=60)
    for name in RIVALS:
        found = sp.select({"line": LogisticRegression(), "nb": GaussianNB()}, X, y, X_new, method=name, reverse=False)
        assert math.isfinite(found.scores["nb"]), name


def test_labels_of_new_rows_move_the_ranking() -> None:
    X, y, X_new, y_new = xor(m=600)
    panel = sp.cross_fit(models(), X, y, cv=5)
    rows = sp.estimate_performance(panel, X, y, X_new, measures="accuracy").plan(200).rows
    turned = 1 - y_new  # the tree is now wrong wherever it was right
    labels = {int(row): int(turned[row]) for row in rows}
    found = sp.select(panel, X, y, X_new, labels=labels, reverse=False)
    assert found.ranking[-1] == "tree"
    assert found.n_labels == 200
    assert found.probabilities["tree"] < 0.01
    same = sp.select(panel, X, y, X_new, labels={int(row): int(y_new[row]) for row in rows}, reverse=False)
    assert same.best == "tree"
    with pytest.raises(sp.InputError, match="labels must be left out for the method 'cross-validation'"):
        sp.select(panel, X, y, X_new, method="cross-validation", labels=labels)


def test_labels_lift_the_concern_about_rows_out_of_reach() -> None:
    X, y, X_new, y_new = xor(m=300)
    labels = dict(enumerate(y_new[:100].tolist()))
    found = sp.select(models(), X, y, X_new + 50, labels=labels, reverse=False, cv=5)
    assert found.concerns == ()
    assert np.isfinite(list(found.scores.values())).all()


def test_labels_reach_models_beside_one_whose_measure_is_undefined() -> None:
    X, y, X_new, y_new = xor(m=600)
    three = {**models(), "never": DummyClassifier(strategy="constant", constant=0)}
    panel = sp.cross_fit({name: three[name] for name in ("line", "tree", "never")}, X, y, cv=5)
    labels = dict(enumerate((1 - y_new[:200]).tolist()))
    found = sp.select(panel, X, y, X_new, labels=labels, measure="precision", reverse=False)
    assert found.n_labels == 200
    assert found.ranking[-1] == "never"
    assert found.scores["tree"] < 0.4
    assert "never" not in found.contenders


def test_labels_of_one_class_say_nothing_of_a_ranking_by_area() -> None:
    X, y, X_new, _ = xor(m=300)
    with pytest.warns(sp.ShiftproofWarning, match="do not rely on the ranking"):
        found = sp.select(models(), X, y, X_new + 50, labels=dict.fromkeys(range(40), 1), measure="auc", cv=5)
    assert found.n_labels == 0
    assert "too few labels" in [note.code for note in found.notes]


def test_repeats_are_not_taken_for_an_ensemble() -> None:
    X, y, X_new, _ = xor(n=200)
    tree = {"tree": DecisionTreeClassifier(random_state=0), "nb": GaussianNB()}
    panel = sp.cross_fit(tree, X, y, cv=5, repeats=6)
    found = sp.select(panel, X, y, X_new, reverse=False)
    alone = np.mean(panel.fold_probabilities["tree"].argmax(axis=2) == panel.y, axis=1)
    assert alone.min() <= found.validated["tree"] <= alone.max()


def test_few_new_rows_are_a_concern() -> None:
    X, y, X_new, _ = xor()
    with pytest.warns(sp.ShiftproofWarning, match="at least 20 are needed"):
        found = sp.select(models(), X, y, X_new[:5], reverse=False, cv=5)
    assert found.tone == "bad"


def test_texts_are_compared_by_their_scores() -> None:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import make_pipeline

    rng = np.random.default_rng(0)
    y = rng.integers(2, size=300)
    words = np.array([["good", "fine", "day"], ["bad", "poor", "day"]])
    texts = [" ".join(rng.choice(words[label], 4)) for label in y]
    two = {"line": make_pipeline(CountVectorizer(), LogisticRegression()), "prior": DummyClassifier()}
    found = sp.select(two, texts[:200], y[:200], texts[200:], cv=5)
    assert found.best == "line"
    assert "type of shift from scores" in [note.code for note in found.notes]

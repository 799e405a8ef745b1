"""ReverseTesting: the matrix by hand, the rule, the number of fits, and what is said where something is missing."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.tree import DecisionTreeClassifier

from shiftproof import InputError, ModelsLeftOut
from shiftproof.core import Note
from shiftproof.measures import Amount, Benefit
from shiftproof.panel import Panel, cross_fit
from shiftproof.selection import note_text
from shiftproof.selection.rivals._learners import cost_sensitive_models
from shiftproof.selection.rivals._reverse import _draw_by_class, reverse_test
from shiftproof.selection.rivals._reverse_result import ReverseTest, beaten

Array = np.ndarray[Any, Any]


class Counted(GaussianNB):  # type: ignore[misc]
    """Naive Bayes that counts how often it is fitted, and on how many rows."""

    rows: ClassVar[list[int]] = []

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Counted:
        Counted.rows.append(len(y))
        super().fit(X, y, sample_weight)
        return self


class OneClass(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Says the first class of everything, with and without rows to learn from."""

    def fit(self, X: Any, y: Any) -> OneClass:  # noqa: ARG002 - scikit-learn passes X
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Array:
        return np.repeat(self.classes_[:1], len(X))

    def predict_proba(self, X: Any) -> Array:
        return np.tile(np.eye(len(self.classes_))[0], (len(X), 1))


class Picky(GaussianNB):  # type: ignore[misc]
    """Refuses to learn from fewer or more than so many rows of the second class."""

    def __init__(self, refused: int = -1) -> None:
        super().__init__()
        self.refused = refused

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Picky:
        if self.refused in (int(np.sum(np.asarray(y) == 1)), -2):
            raise RuntimeError("these labels are not mine.\nA second line.")
        super().fit(X, y, sample_weight)
        return self


class Deployed:
    """A model that cannot learn."""

    classes_ = np.array([0, 1])

    def predict_proba(self, X: Any) -> Array:
        p = 1 / (1 + np.exp(-np.asarray(X)[:, 0]))
        return np.column_stack([1 - p, p])


def texts(found: ReverseTest) -> tuple[str, ...]:
    return tuple(str(note_text(note)) for note in found.notes)


def task(n: int = 160, m: int = 120, k: int = 2, seed: int = 0) -> tuple[Array, Array, Array]:
    """Labelled rows that were chosen by their first value, and new rows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(4 * n, 3))
    X = X[rng.random(len(X)) < 1 / (1 + np.exp(X[:, 0]))][:n]
    y = np.digitize(X[:, 0] + X[:, 1] ** 2 + 0.7 * rng.normal(size=n), np.linspace(0, 2, k + 1)[1:-1])
    return X, y, rng.normal(size=(m, 3))


def learners() -> dict[str, Any]:
    return {
        "bayes": GaussianNB(),
        "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
        "near": KNeighborsClassifier(5),
    }


def by_hand(models: dict[str, Any], X: Array, y: Array, X_new: Array) -> Array:
    """Figure 3 of the paper: the accuracy on D of every learner on T as labelled by every classifier."""
    found = np.zeros((len(models), len(models)))
    for i, labeller in enumerate(models.values()):
        given = clone(labeller).fit(X, y).predict(X_new)
        for j, judge in enumerate(models.values()):
            found[i, j] = clone(judge).fit(X_new, given).score(X, y)
    return found


def result(matrix: Any, judges: Literal["pair", "all"] = "pair", names: str = "abcdefg", **more: Any) -> ReverseTest:
    values = np.asarray(matrix, dtype=float)
    facts: dict[str, Any] = {"confidence": None, "fits": 4, "seconds": 0.26, "n_labelled": 10, "n_new": 20}
    facts |= {"names": tuple(names[: len(values)]), "score": "accuracy"}
    return ReverseTest(**{**facts, "matrix": values, "judges": judges, **more})


# The matrix


@pytest.mark.parametrize("k", [2, 3])
def test_the_matrix_is_that_of_the_paper(k: int) -> None:
    X, y, X_new = task(k=k)
    found = reverse_test(learners(), X, y, X_new)
    np.testing.assert_array_equal(found.matrix, by_hand(learners(), X, y, X_new))
    assert (found.names, found.score, found.judges) == (("bayes", "tree", "near"), "accuracy", "pair")
    assert (found.n_labelled, found.n_new, found.fits, found.notes) == (160, 120, 12, ())
    assert found.confidence is None
    assert found.seconds > 0


def test_a_panel_gives_the_same_matrix() -> None:
    X, y, X_new = task()
    panel = cross_fit(learners(), X, y, cv=3)
    expected = by_hand(learners(), X, y, X_new)
    found = reverse_test(panel, X, None, X_new)
    np.testing.assert_array_equal(found.matrix, expected)
    assert found.fits == 9
    np.testing.assert_array_equal(reverse_test(panel, X, y, X_new).matrix, expected)


def test_the_rule_is_that_of_the_paper() -> None:
    X, y, X_new = task()
    found = reverse_test(learners(), X, y, X_new)
    R = found.matrix
    for a in range(3):
        for b in range(3):
            if a == b:
                continue
            # AccTrain of learner l on T labelled by classifier c is R[c, l]: step 5 of Figure 3
            first = R[b, b] > R[a, b] and R[b, a] > R[a, a]
            second = R[a, a] > R[b, a] and R[a, b] > R[b, b]
            winner = found.names[b] if first else found.names[a] if second else None
            assert found.verdict(found.names[a], found.names[b]) == winner


def test_so_many_models_are_fitted_and_no_more() -> None:
    X, y, X_new = task()
    models = {"a": Counted(), "b": Counted(var_smoothing=0.1), "c": Counted(var_smoothing=1.0)}
    Counted.rows.clear()
    found = reverse_test(models, X, y, X_new)
    assert sorted(Counted.rows) == [120] * 9 + [160] * 3
    assert found.fits == 12
    panel = cross_fit(models, X, y, cv=2)
    Counted.rows.clear()
    assert reverse_test(panel, X, y, X_new).fits == 9
    assert Counted.rows == [120] * 9
    Counted.rows.clear()
    assert reverse_test(panel, X, y, X_new, resamples=4).fits == 36
    assert Counted.rows == [120] * 36


def test_models_are_not_changed() -> None:
    X, y, X_new = task()
    models = learners()
    reverse_test(models, X, y, X_new)
    assert not any(hasattr(model, "classes_") for model in models.values())


def test_the_number_of_jobs_changes_nothing() -> None:
    X, y, X_new = task()
    frame, new = pd.DataFrame(X, columns=list("abc")), pd.DataFrame(X_new, columns=list("abc"))
    alone = reverse_test(learners(), frame, y, new, resamples=3, most_rows=90, n_jobs=1)
    both = reverse_test(learners(), frame, y, new, resamples=3, most_rows=90, n_jobs=2)
    assert {**alone.to_dict(), "seconds": 0, "summary": ""} == {**both.to_dict(), "seconds": 0, "summary": ""}


@pytest.mark.parametrize(
    "labels", [("no", "yes"), (False, True), (-1, 1), (pd.Timestamp("2020-01-01"), pd.Timestamp("2021-01-01"))]
)
def test_labels_of_any_kind_give_the_same(labels: tuple[Any, Any]) -> None:
    X, y, X_new = task()
    named = [labels[code] for code in y]
    models: dict[str, Any] = {"bayes": GaussianNB(), "near": KNeighborsClassifier(5)}
    if isinstance(labels[0], pd.Timestamp):
        named = [str(label) for label in named]
    expected = reverse_test(models, X, y, X_new)
    np.testing.assert_array_equal(reverse_test(models, X, named, X_new).matrix, expected.matrix)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, dict])
def test_tables_of_any_library_give_the_same(library: Callable[[Any], Any]) -> None:
    X, y, X_new = task()
    columns = {name: X[:, at] for at, name in enumerate("abc")}
    # another order, and a column that the models do not know
    new = {"id": np.arange(len(X_new)), **{name: X_new[:, at] for at, name in reversed([*enumerate("abc")])}}
    found = reverse_test(learners(), library(columns), y, library(new))
    np.testing.assert_array_equal(found.matrix, by_hand(learners(), X, y, X_new))
    panel = cross_fit(learners(), library(columns), y, cv=2)
    np.testing.assert_array_equal(reverse_test(panel, library(columns), None, library(new)).matrix, found.matrix)


def test_sparse_matrices_and_texts_are_taken() -> None:
    rng = np.random.default_rng(0)
    words = np.array(["good", "fine", "bad", "poor", "and", "the", "a"])
    y = rng.integers(0, 2, 80)
    rows = [rng.choice(words[:4], 3, p=[[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4]][c]) for c in y]
    texts = [" ".join([*row, *rng.choice(words[4:], 3)]) for row in rows]
    new = [" ".join(rng.choice(words, 6)) for _ in range(60)]
    counts = CountVectorizer().fit(texts)
    plain: list[Any] = [MultinomialNB(), BernoulliNB(), LogisticRegression()]
    by_text = reverse_test([make_pipeline(clone(counts), model) for model in plain], texts, y, new)
    assert by_text.names == ("MultinomialNB", "BernoulliNB", "LogisticRegression")
    assert np.isfinite(by_text.matrix).all()
    matrix, matrix_new = sparse.csr_matrix(counts.transform(texts)), sparse.csr_matrix(counts.transform(new))
    by_matrix = reverse_test(plain, matrix, y, matrix_new, most_rows=50, resamples=2)
    assert np.isfinite(by_matrix.matrix).all()
    assert (by_matrix.n_labelled, by_matrix.n_new) == (50, 50)


def test_models_without_probabilities_are_taken() -> None:
    X, y, X_new = task()
    models: dict[str, Any] = {"ridge": RidgeClassifier(), "bayes": GaussianNB()}
    np.testing.assert_array_equal(reverse_test(models, X, y, X_new).matrix, by_hand(models, X, y, X_new))
    found = reverse_test(cross_fit(models, X, y, cv=3), X, y, X_new)
    assert np.isfinite(found.matrix).all()


def test_deployed_models_are_fitted_anew() -> None:
    X, y, X_new = task()
    fitted = {name: model.fit(X[:80], y[:80]) for name, model in learners().items()}
    panel = cross_fit(fitted, X[80:], y[80:], cv="prefit")
    found = reverse_test(panel, X[80:], None, X_new)
    given = fitted["tree"].predict(X_new)
    assert found.matrix[1, 0] == GaussianNB().fit(X_new, given).score(X[80:], y[80:])
    with_fixed = cross_fit({"fixed": Deployed(), "tree": fitted["tree"]}, X[80:], y[80:], cv="prefit")
    found = reverse_test(with_fixed, X[80:], None, X_new)
    assert np.isnan(found.matrix[:, 0]).all()
    assert np.isfinite(found.matrix[:, 1]).all()
    assert found.undecided == (("fixed", "tree"),)
    words = (
        "'fixed' could not learn from the labels of 'fixed' and 'tree': InputError: it has no fit method, so it cannot"
    )
    assert texts(found)[0] == f"{words} be refitted"


# Who beats whom


def test_both_learners_must_agree() -> None:
    wins = result([[0.9, 0.8], [0.8, 0.7]])
    assert wins.verdict("a", "b") == wins.verdict("b", "a") == "a"
    assert result([[0.7, 0.7], [0.8, 0.8]]).verdict("a", "b") == "b"
    assert result([[0.9, 0.7], [0.8, 0.8]]).verdict("a", "b") is None
    assert result([[0.9, 0.8], [0.8, 0.8]]).verdict("a", "b") is None
    assert result([[0.9, 0.8], [np.nan, np.nan]]).verdict("a", "b") is None
    assert wins.verdict("a", "a") is None


def test_all_judges_decide_by_their_mean() -> None:
    matrix = [[0.9, 0.5, 0.9], [0.8, 0.8, 0.5], [0.9, 0.9, 0.5]]
    pairs, means = result(matrix), result(matrix, "all")
    assert pairs.verdict("a", "b") is None
    assert means.verdict("a", "b") == "a"
    # the same scores in another order are a tie, whatever rounding makes of their sum
    assert means.verdict("a", "c") is None
    assert means.undecided == (("a", "c"),)
    assert means.order == (("a", "c"), ("b",))
    # who judged only one of two does not count
    matrix[0][2] = np.nan
    assert result(matrix, "all").verdict("a", "b") == "b"
    assert not beaten(np.full((2, 2), np.nan), "all").any()


def test_the_order_goes_by_wins_less_losses() -> None:
    cycle = [[0.5, 0.9, 0.0, 0.9], [0.0, 0.5, 0.9, 0.9], [0.9, 0.0, 0.5, 0.9], [0.0, 0.0, 0.0, 0.5]]
    confidence = np.where(np.array(cycle) > 0.5, 0.9, 0.05)
    np.fill_diagonal(confidence, 0.0)
    found = result(np.full((4, 4), 0.5), confidence=confidence, resamples=20)
    assert found.wins == {"a": 2, "b": 2, "c": 2, "d": 0}
    assert found.order == (("a", "b", "c"), ("d",))
    assert found.undecided == ()
    assert result([[0.9, 0.7], [0.8, 0.8]]).order == (("a", "b"),)


def test_resamples_decide_by_majority() -> None:
    X, y, X_new = task()
    found = reverse_test(learners(), X, y, X_new, resamples=9, random_state=3)
    assert found.confidence is not None
    assert found.fits == 3 + 81
    assert found.resamples == 9
    np.testing.assert_allclose(found.confidence * 9, np.round(found.confidence * 9))
    assert (found.confidence + found.confidence.T <= 1 + 1e-12).all()
    np.testing.assert_array_equal(found.beats, found.confidence > found.confidence.T)
    frame = found.to_frame()
    decided = frame["winner"].notna()
    assert frame["confidence"].notna().tolist() == decided.tolist()
    assert "Each verdict is the majority of 9 resamples of the new rows." in found.summary()
    # the same draws by hand
    rng = np.random.default_rng(3)
    seeds = rng.integers(2**62, size=9).tolist()
    matrices = []
    given = {name: model.fit(X, y).predict(X_new) for name, model in learners().items()}
    for seed in seeds:
        rows = np.random.default_rng(seed).integers(0, 120, 120)
        matrices.append(
            [[clone(j).fit(X_new[rows], given[i][rows]).score(X, y) for j in learners().values()] for i in given]
        )
    np.testing.assert_allclose(found.matrix, np.mean(matrices, axis=0))
    np.testing.assert_allclose(found.confidence, np.mean([beaten(np.array(each), "pair") for each in matrices], axis=0))


def test_a_classifier_that_says_one_class_is_undecided() -> None:
    X, y, X_new = task()
    models = {**learners(), "one": OneClass()}
    for found in (
        reverse_test(models, X, y, X_new),
        reverse_test(cross_fit(models, X, y, cv=2), X, y, X_new),
        reverse_test(models, X, y, X_new, resamples=2),
    ):
        assert np.isnan(found.matrix[3]).all()
        assert np.isfinite(found.matrix[:3]).all()
        assert {("bayes", "one"), ("tree", "one"), ("near", "one")} <= set(found.undecided)
        assert texts(found) == (
            "'one' assigns every new row to 0, so nothing can be learned from it; its pairs are undecided",
        )
        assert found.summary().endswith(
            "'one' assigns every new row to 0, so nothing can be learned from it; its pairs are undecided."
        )
    assert reverse_test(models, X, y, X_new).fits == 4 + 3 * 4
    nothing = reverse_test({"one": OneClass(), "other": OneClass()}, X, y, X_new)
    assert np.isnan(nothing.matrix).all()
    assert nothing.order == (("one", "other"),)
    assert nothing.fits == 2


def test_a_resample_of_one_class_is_undecided() -> None:
    X, y, X_new = task()
    models = {"tree": DecisionTreeClassifier(max_depth=2, random_state=0), "bayes": GaussianNB()}
    # one new row only is of the second class for both, and is not drawn in every resample
    fitted = [clone(model).fit(X, y) for model in models.values()]
    ones = np.flatnonzero(fitted[0].predict(X_new) & fitted[1].predict(X_new))[:1]
    zeros = np.flatnonzero((fitted[0].predict(X_new) == 0) & (fitted[1].predict(X_new) == 0))[:20]
    found = reverse_test(models, X, y, X_new[[*ones, *zeros]], resamples=10)
    assert "'tree' and 'bayes' give all new rows the same labels, so they cannot be compared" in texts(found)[0]
    times = int(texts(found)[1].split()[1])
    assert 0 < times < 10
    undecided = f"in {times} of 10 resamples, 'tree' gave all rows the same label; its pairs are undecided there"
    assert texts(found)[1] == undecided
    assert found.fits == 2 + 4 * (10 - times)
    assert found.verdict("tree", "bayes") is None


def test_a_learner_that_fails_is_told() -> None:
    X, y, X_new = task()
    given = int(GaussianNB().fit(X, y).predict(X_new).sum())
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2, random_state=0)}
    found = reverse_test({**models, "picky": Picky(given)}, X, y, X_new)
    # the picky one is naive Bayes itself, and gives the same labels
    assert np.isnan(found.matrix[[0, 2], 2]).all()
    assert np.isfinite(found.matrix[:, :2]).all()
    assert np.isfinite(found.matrix[1, 2])
    words = "'picky' could not learn from the labels of 'bayes' and 'picky': RuntimeError: these labels are not mine"
    assert words in texts(found)
    assert found.verdict("bayes", "picky") is None
    assert found.fits == 12


def test_model_that_cannot_be_fitted_is_left_out_by_name() -> None:
    X, y, X_new = task()
    with pytest.warns(ModelsLeftOut) as caught:
        result = reverse_test({**learners(), "picky": Picky(-2)}, X, y, X_new)
    why = "RuntimeError: these labels are not mine"
    assert [str(warning.message) for warning in caught] == [f"left out: 'picky' failed with {why}."]
    assert texts(result) == (f"'picky' was left out: {why}",)
    np.testing.assert_array_equal(result.matrix, by_hand(learners(), X, y, X_new))
    # The fit that failed took its time, too.
    assert result.fits == 4 + 3 * 3


def test_reverse_test_refuses_models_of_which_fewer_than_two_can_be_fitted() -> None:
    X, y, X_new = task()
    with pytest.raises(InputError) as one_left:
        reverse_test({"bayes": GaussianNB(), "a": Picky(-2)}, X, y, X_new)
    assert str(one_left.value) == (
        "ReverseTesting needs two models, and only one is left: 'a' failed with RuntimeError: these labels are not "
        "mine."
    )
    with pytest.raises(InputError) as error:
        reverse_test({"a": Picky(-2), "b": Picky(-2)}, X, y, X_new)
    assert str(error.value) == (
        "every model failed: 'a' failed with RuntimeError: these labels are not mine; "
        "'b' failed with RuntimeError: these labels are not mine."
    )
    given = int(GaussianNB().fit(X, y).predict(X_new).sum())
    with pytest.raises(InputError, match=r"^every learner failed: 'a' failed with RuntimeError: these labels are not"):
        reverse_test({"a": Picky(given), "b": Picky(given)}, X, y, X_new)


def test_rows_are_drawn_by_class() -> None:
    X, y, X_new = task(n=400, m=300)
    Counted.rows.clear()
    found = reverse_test([Counted(), Counted(var_smoothing=1.0)], X, y, X_new, most_rows=100)
    assert (found.n_labelled, found.n_new) == (100, 100)
    assert Counted.rows == [100] * 6
    assert texts(found) == ("100 of 400 labelled rows were sampled", "100 of 300 new rows were sampled")
    assert found.names == ("Counted", "Counted 2")
    again = reverse_test([Counted(), Counted(var_smoothing=1.0)], X, y, X_new, most_rows=100)
    other = reverse_test([Counted(), Counted(var_smoothing=1.0)], X, y, X_new, most_rows=100, random_state=1)
    np.testing.assert_array_equal(found.matrix, again.matrix)
    assert not np.array_equal(found.matrix, other.matrix)
    few = reverse_test([Counted(), Counted(var_smoothing=1.0)], X, y, X_new, most_rows=1000)
    assert (few.n_labelled, few.n_new, few.notes) == (400, 300, ())


# Benefits


def donations(n: int, seed: int) -> pd.DataFrame:
    """Four of five donors give less than a letter costs to be sure of; the others give much."""
    rng = np.random.default_rng(seed)
    generous = rng.random(n) < 0.2
    x0, x1 = rng.normal(size=n), rng.normal(size=n)
    gives = np.where(generous, x1 > 0, x0 > 0.12)
    size = np.where(generous, 50.0, 0.7)
    came = np.where(gives, size * rng.uniform(0.9, 1.1, n), 0.0)
    return pd.DataFrame(
        {"x0": x0, "x1": x1, "generous": generous.astype(float), "likely": size, "gift": came, "gives": gives}
    )


def chooser(columns: list[str]) -> Pipeline:
    pick = ColumnTransformer([("pick", "passthrough", columns)])
    return make_pipeline(pick, DecisionTreeClassifier(min_samples_leaf=20, max_depth=3, random_state=0))


GIFTS = Benefit(tp=Amount(expected="likely", actual="gift", less=0.68), fp=-0.68)


def test_the_matrix_of_a_benefit_by_hand() -> None:
    old, new = donations(300, 5), donations(250, 6)
    # with the table in X the actual amounts are no features
    columns = ["x0", "x1", "generous", "likely", "gift"]
    models = {"a": chooser(["x0"]), "b": chooser(["x1", "generous"])}
    found = reverse_test(models, old[columns], old["gives"], new[columns[:-1]], benefit=GIFTS)
    for i, labeller in enumerate(models.values()):
        p = clone(labeller).fit(old, old["gives"]).predict_proba(new)[:, 1]
        given = p * new["likely"] > 0.68
        for j, judge in enumerate(models.values()):
            mailed = clone(judge).fit(new, given).predict(old)
            assert found.matrix[i, j] == pytest.approx((old["gift"] - 0.68)[mailed].sum())
    drawn = reverse_test(models, old[columns], old["gives"], new[columns[:-1]], benefit=GIFTS, most_rows=200)
    assert np.isfinite(drawn.matrix).all()
    panel = cross_fit(models, old[columns[:-1]], old["gives"], cv=2)
    by_panel = reverse_test(panel, old[columns[:-1]], None, new, benefit=GIFTS, table=old)
    np.testing.assert_allclose(by_panel.matrix, found.matrix)
    # the new rows that are drawn keep their own amounts
    some = reverse_test(panel, old[columns[:-1]], None, new, benefit=GIFTS, table=old, most_rows=200, random_state=1)
    rng = np.random.default_rng(1)
    kept, rows = _draw_by_class(panel.y, 200, rng), np.sort(rng.choice(250, 200, replace=False))
    p = clone(models["a"]).fit(old, old["gives"]).predict_proba(new)[rows, 1]
    mailed = clone(models["b"]).fit(new.iloc[rows], p * new["likely"].iloc[rows] > 0.68).predict(old.iloc[kept])
    assert some.matrix[0, 1] == pytest.approx((old["gift"] - 0.68).iloc[kept][mailed].sum())


def appeal(n: int, rng: np.random.Generator, *, later: bool) -> pd.DataFrame:
    """Draw people of whom about 4% give, as in the KDD Cup of 1998; later appeals reach other people."""
    table = pd.DataFrame(
        {
            "age": rng.normal(64 if later else 60, 15, n),
            "months": rng.exponential(10 if later else 12, n),
            "gifts": rng.poisson(3, n).astype(float),
            "income": rng.integers(1, 8, n).astype(float),
            "last": rng.gamma(4, 4, n),
        }
    )
    link = 0.25 * (table["gifts"] - 3) - 0.06 * (table["months"] - 12) + 0.02 * (table["age"] - 60)
    link += 0.5 * np.sin(table["age"] / 8) - 0.04 * (table["last"] - 16) - 3.7
    gives = rng.random(n) < 1 / (1 + np.exp(-link))
    amount = np.maximum(1, 0.7 * table["last"] + 1.2 * table["income"] + rng.normal(0, 4, n))
    return table.assign(
        likely=0.7 * table["last"] + 1.2 * table["income"], gift=np.where(gives, amount, 0), gives=gives
    )


def test_pairs_are_decided_where_few_give() -> None:
    decided = right = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        old, new = appeal(2000, rng, later=False), appeal(2000, rng, later=True)
        assert 0.03 < old["gives"].mean() < 0.05
        models, features = cost_sensitive_models(), ["age", "months", "gifts", "income", "last"]
        found = reverse_test(
            models, old[features], old["gives"], new[features], benefit=GIFTS, table=old, new_table=new, n_jobs=1
        )
        fitted = {name: model.fit(old[features], old["gives"]) for name, model in models.items()}
        mailed = {
            name: model.predict_proba(new[features])[:, 1] * new["likely"] > 0.68 for name, model in fitted.items()
        }
        profit = {name: float((new["gift"] - 0.68)[yes].sum()) for name, yes in mailed.items()}
        # By the likeliest class at most one classifier labels anybody as a donor, so that no pair would be decided.
        assert sum(bool(model.predict(new[features]).any()) for model in fitted.values()) <= 1
        pairs = found.to_frame().dropna(subset="winner")
        decided += len(pairs)
        right += sum(profit[w] == max(profit[a], profit[b]) for a, b, w, _ in pairs.itertuples(index=False))
    # Of 24 pairs.
    assert decided >= 12
    assert right / decided > 0.7


def test_benefits_of_several_classes() -> None:
    X, y, X_new = task(k=3)
    labels = np.array(["low", "mid", "top"])
    worth = Benefit.matrix([[5, 0, -1], [-2, 1, 0], [-9, 0, 1]], classes=["top", "low", "mid"])
    found = reverse_test(learners(), X, labels[y], X_new, benefit=worth)
    p = GaussianNB().fit(X, labels[y]).predict_proba(X_new)
    tree = DecisionTreeClassifier(max_depth=4, random_state=0)
    decided = clone(tree).fit(X_new, worth.decide(p[:, [2, 0, 1]])).predict(X)
    assert found.matrix[0, 1] == pytest.approx(worth.each(labels[y], decided).sum())
    # unnamed: in the order of the classes
    unnamed = Benefit.matrix(np.asarray(worth.matrix)[np.ix_([1, 2, 0], [1, 2, 0])])
    np.testing.assert_allclose(reverse_test(learners(), X, labels[y], X_new, benefit=unnamed).matrix, found.matrix)
    one = Benefit(tp=9, fp=-1)
    by_label = reverse_test(learners(), X, labels[y], X_new, benefit=one, pos_label="top")
    called = clone(tree).fit(X_new, one.decide(p[:, 2])).predict(X)
    assert by_label.matrix[0, 1] == pytest.approx(one.total(labels[y] == "top", called).estimate)


def test_models_of_a_panel_need_no_probabilities_for_a_benefit() -> None:
    X, y, X_new = task()
    panel = cross_fit({"ridge": RidgeClassifier(), "bayes": GaussianNB()}, X, y, cv=3)
    found = reverse_test(panel, X, y, X_new, benefit=Benefit(tp=9, fp=-1))
    given = (10 * panel.scorers["ridge"](X_new)[:, 1] > 1).astype(int)
    called = GaussianNB().fit(X_new, given).predict(X)
    assert found.matrix[0, 1] == pytest.approx(Benefit(tp=9, fp=-1).total(y, called).estimate)


# What is said


def test_the_summary_says_who_beats_whom() -> None:
    assert result([[0.9, 0.8], [0.8, 0.7]]).summary() == "ReverseTesting: a beats b. 4 fits in 0.3 s."
    assert result([[0.9, 0.7], [0.8, 0.8]]).summary() == "ReverseTesting: no pair is decided. 4 fits in 0.3 s."
    three = result([[0.9, 0.8, 0.9], [0.8, 0.7, 0.6], [0.7, 0.8, 0.8]], notes=(Note(code="method", detail="a note"),))
    assert three.summary() == "ReverseTesting: a beats c and b; c beats b. 4 fits in 0.3 s. A note."
    one = result([[0.9, 0.8, 0.9], [0.8, 0.7, 0.6], [0.7, 0.6, 0.8]])
    assert one.summary() == "ReverseTesting: a beats b and c; b and c are undecided. 4 fits in 0.3 s."
    many = np.full((4, 4), 0.5)
    many[0, :2] = 0.6
    assert result(many).summary() == (
        "ReverseTesting: a beats b; 5 pairs are undecided (a and c; a and d; b and c; 2 more). 4 fits in 0.3 s."
    )
    assert repr(one) == f"<ReverseTest: {one.summary()}>"


def test_the_frame_has_one_row_per_pair() -> None:
    found = result([[0.9, 0.8, 0.9], [0.8, 0.7, 0.6], [0.7, 0.6, 0.8]])
    frame = found.to_frame()
    assert frame.columns.tolist() == ["model", "other", "winner", "confidence"]
    assert frame[["model", "other", "winner"]].to_numpy().tolist() == [
        ["a", "b", "a"],
        ["a", "c", "a"],
        ["b", "c", None],
    ]
    assert frame["confidence"].isna().all()
    shares = np.array([[0.0, 0.7, 0.2], [0.1, 0.0, 0.5], [0.6, 0.5, 0.0]])
    frame = result(found.matrix, confidence=shares, resamples=10).to_frame()
    assert frame["winner"].tolist() == ["a", "c", None]
    np.testing.assert_array_equal(frame["confidence"], [0.7, 0.6, np.nan])


def test_the_dict_is_json_and_the_page_is_html() -> None:
    shares = np.array([[0.0, 0.7], [0.1, 0.0]])
    found = result([[0.9, np.nan], [0.8, 0.7]], confidence=shares, resamples=10)
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["matrix"] == [[0.9, None], [0.8, 0.7]]
    assert told["pairs"] == [{"model": "a", "other": "b", "winner": "a", "confidence": 0.7}]
    assert (told["order"], told["wins"]) == ([["a"], ["b"]], {"a": 1, "b": 0})
    assert {"shiftproof", "summary", "names", "judges", "score", "fits", "n_labelled", "n_new", "notes"} <= set(told)
    assert json.loads(json.dumps(result([[0.9, 0.8], [0.8, 0.7]]).to_dict()))["confidence"] is None
    assert "<table" in found._repr_html_()
    assert pickle.loads(pickle.dumps(found)).to_dict() == found.to_dict()  # noqa: S301
    with pytest.raises(ValueError, match="read-only"):
        found.matrix[0, 0] = 1


def test_both_plots_draw_the_result() -> None:
    from shiftproof import plots

    found = result([[0.9, 0.8], [0.8, 0.7]])
    ax = plots.own_figure(size=(4, 3)).subplots()
    assert found.plot(ax=ax) is ax
    other = plots.own_figure(size=(4, 3)).subplots()
    assert found.plot_tournament(ax=other) is other


# What is refused

X, Y, NEW = task(40, 30)
PANEL = cross_fit(learners(), X, Y, cv=2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: reverse_test(learners(), X, Y, NEW, judges="both"),  # type: ignore[arg-type]
            "judges must be one of 'pair', 'all'; got 'both'.",
        ),
        (
            lambda: reverse_test(learners(), X, Y, NEW, resamples=-1),
            "resamples must be a whole number of at least 0, got -1; 0 uses the new rows as they are.",
        ),
        (
            lambda: reverse_test(learners(), X, Y, NEW, most_rows=1),
            "most_rows must be a whole number of at least 2, got 1; there are 2 classes.",
        ),
        (lambda: reverse_test(learners(), X, Y), "X_new must be given; pass the rows without labels."),
        (
            lambda: reverse_test(learners(), X, None, NEW),
            "y is missing; call reverse_test(models, X, y, X_new), or pass a Panel.",
        ),
        (
            lambda: reverse_test(GaussianNB(), X, Y, NEW),
            "models must hold at least two classifiers, got ['GaussianNB']; a single model has nothing to be "
            "compared with.",
        ),
        (
            lambda: reverse_test([GaussianNB(), KNeighborsClassifier], X, Y, NEW),
            "models must be an estimator, got the class KNeighborsClassifier; "
            "write KNeighborsClassifier(), with parentheses.",
        ),
        (
            lambda: reverse_test({"a": GaussianNB(), "b": 3}, X, Y, NEW),
            "models['b'] must be a classifier with fit, or with predict_proba and classes_, got 3; if you only have "
            "scores, use sp.Panel.from_scores.",
        ),
        (
            lambda: reverse_test(learners(), X, Y[:-1], NEW),
            "y must have one label per row of X, got 39 for 40 rows; pass the labels of the same rows.",
        ),
        (
            lambda: reverse_test(learners(), X, Y, NEW[:, :2]),
            "X_new must have 3 columns, got 2; give the columns of X, in the same order.",
        ),
        (
            lambda: reverse_test(PANEL, None, None, NEW),
            "X must be given with a Panel, which does not contain it; pass the table that it was made from.",
        ),
        (
            lambda: reverse_test(PANEL, X[::-1], None, NEW),
            "X must be the table that the panel was made from, got one with other values or columns; "
            "pass the same rows in the same order.",
        ),
        (
            lambda: reverse_test(Panel.from_scores(Y, {"a": np.full(40, 0.5), "b": np.full(40, 0.5)}), X, Y, NEW),
            "ReverseTesting needs the models, but the panel has only scores; make it with cross_fit.",
        ),
        (
            lambda: reverse_test(cross_fit(learners(), X, Y, cv=2, refit=False), X, Y, NEW),
            "ReverseTesting needs the refitted models; call cross_fit with refit=True.",
        ),
        (
            lambda: reverse_test(learners(), sparse.csr_matrix(X), Y, sparse.csr_matrix(NEW), benefit=GIFTS),
            "the column 'gift' needs a table; pass the rows as table=.",
        ),
        (
            lambda: reverse_test(learners(), X, Y, NEW, benefit=GIFTS, table={"likely": Y, "gift": Y}),
            "new_table has no column 'likely', which the benefit needs; available: 'x0', 'x1', 'x2'.",
        ),
        (
            lambda: reverse_test(
                learners(), X, Y, NEW, benefit=GIFTS, table={"gift": Y}, new_table={"likely": [1.0, 2.0]}
            ),
            "new_table must have one row per decision, that is 30, got 2; pass both for the same rows.",
        ),
        (
            lambda: reverse_test(learners(), X, Y, NEW, benefit=GIFTS, table=pd.DataFrame({"likely": [1.0]})),
            "table must have one row per decision, that is 40, got 1; pass both for the same rows.",
        ),
        (
            lambda: reverse_test(learners(), X, Y, NEW, benefit=3),  # type: ignore[arg-type]
            "benefit must be a Benefit or a BenefitMatrix, got 3; "
            "write sp.Benefit(tp=9, fp=-1), or Benefit.matrix(...) for several classes.",
        ),
        (
            lambda: reverse_test(learners(), X, Y, NEW, benefit=Benefit(tp=1), pos_label="yes"),
            "pos_label must be one of 0 and 1, got 'yes'; labels must match exactly.",
        ),
        (
            lambda: reverse_test(learners(), X, np.arange(40) % 3, NEW, benefit=Benefit(tp=1)),
            "benefit must say which of several classes it is about, got no pos_label; "
            "name the class that pays with pos_label, or use Benefit.matrix(...).",
        ),
        (
            lambda: reverse_test(learners(), X, Y, NEW, benefit=Benefit.matrix(np.eye(2), classes=["a", "b"])),
            "the classes of benefit must be those of y, 0 and 1, got ['a', 'b']; name each once.",
        ),
        (
            lambda: reverse_test({"ridge": RidgeClassifier(), "bayes": GaussianNB()}, X, Y, NEW, benefit=Benefit(tp=1)),
            "a benefit needs models with predict_proba, got 'ridge' without it; leave them out, or pass "
            "cross_fit(models, X, y), which calibrates them.",
        ),
        (
            lambda: reverse_test(PANEL, X, Y, NEW, benefit=Benefit(tp=Amount(expected=1.0, actual="x0")), table=X),
            "models must not be trained on actual amounts, but 'x0' is a feature; leave it out of X and pass it "
            "with table=.",
        ),
        (
            lambda: result([[0.9, 0.8], [0.8, 0.7]]).verdict("a", "z"),
            "b must be one of the models, got 'z'; available: 'a', 'b'.",
        ),
    ],
)
def test_bad_input_gets_one_sentence(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(InputError) as error:
        call()
    assert str(error.value) == words

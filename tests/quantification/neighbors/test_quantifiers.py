"""Quantifiers by nearest neighbours against refitting by brute force, with ties decided in exact fractions."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold, TimeSeriesSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from shiftproof import InputError, ShiftproofWarning
from shiftproof.quantification import NearestNeighbors, ProportionWeightedNeighbors, Quantifier

Array = np.ndarray[Any, Any]


def task(n: int = 200, k: int = 2, seed: int = 0, *, grid: bool = True) -> tuple[Array, Array]:
    """Rows of k classes, the rarer last; on a grid many rows are copies, and most distances are tied."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % (2 * k - 1) % k)
    X = rng.normal(size=(n, 3)) + 1.2 * np.random.default_rng(9).normal(size=(k, 3))[y]
    return (X.round() if grid else X), y


def vote(
    X: Array, y: Array, row: Array, k: int, *, alpha: int | None, n_classes: int = 2, sizes: Array | None = None
) -> int:
    """One row by the k nearest of those given, in exact fractions; alpha 0 weighs all alike."""
    near = np.argsort(((X - row) ** 2).sum(axis=1), kind="stable")[:k]
    counts = (np.bincount(y, minlength=n_classes) if sizes is None else sizes).tolist()
    smallest = min(each for each in counts if each)
    weights = [
        Fraction(1)
        if alpha == 0
        else 1 - Fraction(each, sum(counts))
        if alpha is None
        else Fraction(smallest, max(each, 1))
        for each in counts
    ]
    votes = [int((y[near] == c).sum()) * weights[c] for c in range(n_classes)]
    return votes.index(max(votes))


def adjusted(said: Array, y: Array, said_new: Array, folds: Array) -> float:
    """Eq. 3.1 with the means of the folds' rates."""
    rates = [np.mean([said[(folds == fold) & (y == c)].mean() for fold in np.unique(folds[y == c])]) for c in range(2)]
    return float(np.clip((said_new.mean() - rates[0]) / (rates[1] - rates[0]), 0, 1))


def quantifier(alpha: int | None, k: Any, **options: Any) -> NearestNeighbors:
    if alpha == 0:
        return NearestNeighbors(k, scale=False, **options)
    return ProportionWeightedNeighbors(k, alpha=alpha, scale=False, **options)


def said_by(fitted: Quantifier) -> Array:
    return fitted.labelled_.scores.decisions


def said(call: Callable[[], Any]) -> str:
    with pytest.raises(InputError) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize(("rule", "k"), [("n^(2/8)", 4), ("n^(3/8)", 8)])
def test_k_by_a_power_of_the_number_of_rows(rule: str, k: int) -> None:
    X, y = task(256)
    X_new, _ = task(60, seed=1)
    for kind in (NearestNeighbors, ProportionWeightedNeighbors):
        fitted = kind(rule).fit(X, y)
        assert fitted.k_ == k
        np.testing.assert_array_equal(fitted.predict(X_new), kind(k).fit(X, y).predict(X_new))


def test_four_rows_still_have_a_neighbour() -> None:
    assert NearestNeighbors("n^(2/8)").fit(np.arange(4.0)[:, None], [0, 0, 1, 1]).k_ == 1


# Against brute force


@pytest.mark.parametrize("alpha", [0, None, 1])
@pytest.mark.parametrize("k", [1, 4, 15])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_leaving_one_out_is_voting_without_the_row(alpha: int | None, k: int, n_classes: int) -> None:
    X, y = task(k=n_classes)
    X_new, _ = task(60, n_classes, seed=1)
    fitted = quantifier(alpha, k).fit(X, y)
    how: dict[str, Any] = {"alpha": alpha, "n_classes": n_classes, "sizes": np.bincount(y)}
    wanted = np.array([vote(np.delete(X, i, 0), np.delete(y, i), X[i], k, **how) for i in range(len(y))])
    np.testing.assert_array_equal(said_by(fitted), wanted)
    new = np.array([vote(X, y, row, k, alpha=alpha, n_classes=n_classes) for row in X_new])
    np.testing.assert_array_equal(fitted.score_new(X_new).decisions, new)
    if n_classes == 2:
        assert fitted.predict(X_new)[1] == pytest.approx(adjusted(wanted, y, new, np.zeros(len(y))), abs=1e-12)


@pytest.mark.parametrize("alpha", [0, None, 1])
@pytest.mark.parametrize("k", [3, 20])
def test_rates_by_folds_are_those_of_refits(alpha: int | None, k: int) -> None:
    X, y = task()
    X_new, _ = task(60, seed=1)
    fitted = quantifier(alpha, k, rates="cv", cv=5, random_state=3).fit(X, y)
    wanted, folds = np.empty(len(y), int), np.empty(len(y), int)
    for fold, (train, test) in enumerate(StratifiedKFold(5, shuffle=True, random_state=3).split(X, y)):
        wanted[test] = [vote(X[train], y[train], row, k, alpha=alpha) for row in X[test]]
        folds[test] = fold
    np.testing.assert_array_equal(said_by(fitted), wanted)
    np.testing.assert_array_equal(fitted.labelled_.folds, folds)
    new = np.array([vote(X, y, row, k, alpha=alpha) for row in X_new])
    assert fitted.predict(X_new)[1] == pytest.approx(adjusted(wanted, y, new, folds), abs=1e-12)


@pytest.mark.parametrize("k", [3, "tune"])
def test_tied_votes_on_labelled_rows_are_as_those_on_new_rows(k: Any) -> None:
    """Classes of 2 to 1: one of three votes is a tie, which the left-out row's own class must not decide."""
    errors = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        y, y_new = np.repeat([0, 1], [150, 75]), np.repeat([0, 1], [300, 300])
        X, X_new = (rng.normal(size=(len(each), 3)) + 0.8 * (each == 1)[:, None] for each in (y, y_new))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ShiftproofWarning)  # of a large k
            fitted = ProportionWeightedNeighbors(k).fit(X, y)
        errors.append(fitted.predict(X_new)[1] - 0.5)
    assert abs(np.mean(errors)) < 0.1


def test_large_seeds_and_large_numbers() -> None:
    X, y = task()
    fitted = NearestNeighbors(3, rates="cv", tuning="2x5", random_state=2**40).fit(X, y)
    assert fitted.predict(X) == pytest.approx(NearestNeighbors(3, rates="cv", random_state=2**40).fit(X, y).predict(X))
    words = said(lambda: NearestNeighbors(3, scale=False).fit(X * 1e150, y))
    assert words.startswith("X must be at most 1e+100 in size, got ")
    assert words.endswith("; use a larger unit, or leave out scale=False.")


def test_scikit_learn_says_the_same_where_nothing_is_tied() -> None:
    X, y = task(k=3, grid=False)
    X = np.column_stack([X, np.random.default_rng(0).normal(size=(len(y), 15))])
    peer = KNeighborsClassifier(7).fit(StandardScaler().fit_transform(X), y)
    shares = NearestNeighbors(7).fit(X, y).score_new(X[:50] + 0.1).probabilities
    scaled = StandardScaler().fit(X).transform(X[:50] + 0.1)
    np.testing.assert_allclose(shares, peer.predict_proba(scaled))


def test_copies_are_neighbours_by_their_row() -> None:
    """Twenty copies of one row: the first three of the others vote."""
    X, y = np.repeat([[0.0], [5.0]], 20, axis=0), np.append(np.tile([0, 0, 1, 1], 5), np.ones(20, int))
    fitted = NearestNeighbors(3).fit(X, y)
    np.testing.assert_allclose(fitted.labelled_.probabilities[[0, 1, 2, 3, 19], 1], [2 / 3, 2 / 3, 1 / 3, 1 / 3, 1 / 3])
    np.testing.assert_allclose(fitted.score_new([[0.0], [5.0]]).probabilities[:, 1], [1 / 3, 1.0])


def test_constant_columns_leave_it_to_the_rows() -> None:
    y = np.arange(30) % 2
    with pytest.warns(ShiftproofWarning, match="^nearest neighbors: tpr <= fpr, so the plain count is returned[.]$"):
        fitted = NearestNeighbors(3).fit(np.ones((30, 2)), y)
    assert fitted.score_new(np.ones((1, 2))).probabilities.tolist() == [[2 / 3, 1 / 3]]


# Theorem 5.1


@pytest.mark.parametrize("seed", range(4))
def test_theorem_5_1(seed: int) -> None:
    X, y = task(120 + seed, seed=seed)
    X_new, _ = task(50, seed=99)
    for k in (1, 2, 6, 11, 24):
        naive = ProportionWeightedNeighbors(k).fit(X, y)
        one = ProportionWeightedNeighbors(k, alpha=1).fit(X, y)
        np.testing.assert_array_equal(said_by(naive), said_by(one))
        np.testing.assert_array_equal(naive.predict(X_new), one.predict(X_new))


def test_a_large_alpha_weighs_all_alike() -> None:
    X, y = task(200)
    plain, weighted = NearestNeighbors(25).fit(X, y), ProportionWeightedNeighbors(25, alpha=1e9).fit(X, y)
    np.testing.assert_array_equal(said_by(plain), said_by(weighted))
    naive = ProportionWeightedNeighbors(25).fit(X, y)
    assert said_by(naive).sum() > said_by(plain).sum()


# Tuning


def g_mean(said: Array, y: Array) -> float:
    return float(np.prod([(said[y == c] == c).mean() for c in np.unique(y)]) ** (1 / len(np.unique(y))))


def test_k_is_chosen_by_leaving_one_out() -> None:
    X, y = task()
    ks = [1, 2, 5, 9, 30]
    scores = [g_mean(said_by(quantifier(None, k).fit(X, y)), y) for k in ks]
    tuned = quantifier(None, ks[::-1]).fit(X, y)
    assert tuned.k_ == ks[int(np.argmax(scores))]
    np.testing.assert_array_equal(said_by(tuned), said_by(quantifier(None, tuned.k_).fit(X, y)))


def test_k_and_alpha_are_chosen_together_by_two_times_five_folds() -> None:
    X, y = task(150)
    ks, splitter = [1, 7, 25], RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=4)
    found = {}
    for k in ks:
        for alpha in (0, 1):
            found[k, alpha] = np.mean(
                [
                    g_mean(np.array([vote(X[train], y[train], row, k, alpha=alpha) for row in X[test]]), y[test])
                    for train, test in splitter.split(X, y)
                ]
            )
    wanted = max(found, key=lambda at: found[at])
    tuned = ProportionWeightedNeighbors(ks, alpha=[1, 1e12], tuning="2x5", scale=False, random_state=4).fit(X, y)
    assert (tuned.k_, 0 if tuned.alpha_ == 1e12 else tuned.alpha_) == wanted


def test_the_usual_grid_is_as_long_as_there_are_rows() -> None:
    X, y = task(20)
    tuned = ProportionWeightedNeighbors(alpha="tune").fit(X, y)
    assert tuned.k_ in (1, 3, 5, 7, 11, 15)
    assert tuned.alpha_ in (1, 2, 3, 4, 5)
    by_folds = NearestNeighbors(tuning="2x5", rates="cv", cv=4).fit(X, y)
    assert by_folds.k_ in (1, 3, 5, 7, 11, 15)


@pytest.mark.filterwarnings("ignore::shiftproof.ShiftproofWarning")
def test_one_k_needs_no_folds_to_choose_it() -> None:
    X, y = task(20)
    assert NearestNeighbors(19, tuning="2x5").fit(X, y).k_ == 19


def test_a_class_with_few_rows_makes_fewer_folds_and_that_is_told() -> None:
    X, y = np.arange(40.0)[:, None], np.repeat(["often", "rare"], [37, 3])
    with pytest.warns(ShiftproofWarning) as caught:
        fitted = NearestNeighbors([1, 3], tuning="2x5").fit(X, y)
    words = "class 'rare' has 3 rows, so there are that many folds instead of 5"
    assert fitted.notes_ == (words,)
    assert len(caught) == 1


# Inputs


LABELS: dict[str, Callable[[Array], Any]] = {
    "text": lambda y: np.array(["no", "yes"])[y],
    "booleans": lambda y: y == 1,
    "categories": lambda y: pd.Series(pd.Categorical(np.array(["no", "yes"])[y], categories=["yes", "no"])),
    "polars": lambda y: pl.Series(np.array(["no", "yes"])[y]),
    "list": lambda y: (2 * y - 1).tolist(),
}


@pytest.mark.parametrize("labels", LABELS)
def test_what_the_classes_are_called_changes_nothing(labels: str) -> None:
    X, y = task(100)
    wanted = ProportionWeightedNeighbors(5).fit(X, y).predict(X[:30])
    fitted = ProportionWeightedNeighbors(5).fit(X, LABELS[labels](y))
    np.testing.assert_array_equal(fitted.predict(X[:30]), wanted)
    assert fitted.classes_.tolist() == sorted(set(np.asarray(LABELS[labels](y)).tolist()))


@pytest.mark.parametrize("form", [pd.DataFrame, pl.DataFrame, lambda X: X.tolist(), np.asfortranarray])
def test_tables_of_every_library_give_the_same(form: Callable[[Array], Any]) -> None:
    X, y = task(100)
    wanted = NearestNeighbors().fit(X, y).predict(X[:30])
    np.testing.assert_array_equal(NearestNeighbors().fit(form(X), y).predict(form(X[:30])), wanted)


def test_units_do_not_matter_unless_asked() -> None:
    X, y = task(100)
    stretched = X * [1.0, 1000.0, 0.001]
    for scale in (True, False):
        plain, other = (
            NearestNeighbors(5, scale=scale).fit(each, y).labelled_.probabilities for each in (X, stretched)
        )
        assert np.array_equal(plain, other) == scale


def test_text_dates_and_gaps_are_taken() -> None:
    X, y = task(120, grid=False)
    table = pd.DataFrame(
        {
            "number": np.where(np.arange(120) % 9, X[:, 0], np.nan),
            "word": np.array(["u", "v", "w"])[(y + np.random.default_rng(0).integers(0, 2, 120))],
            "day": pd.date_range("2024-01-01", periods=120),
        }
    )
    shares = NearestNeighbors().fit(table, y).predict(table[:60])
    assert abs(shares[1] - y[:60].mean()) < 0.2


def test_one_row_and_many() -> None:
    X, y = task(100)
    fitted = NearestNeighbors(5).fit(X, y)
    for rows in (X[:1], X[y == 0], X[y == 1]):
        shares = fitted.predict(rows)
        assert shares.shape == (2,)
        assert shares.sum() == pytest.approx(1)
    assert fitted.predict(X[y == 0])[1] < 0.2
    assert fitted.predict(X[y == 1])[1] > 0.8


def test_columns_must_be_those_of_fit() -> None:
    X, y = task(50)
    fitted = NearestNeighbors(3).fit(pd.DataFrame(X, columns=["a", "b", "c"]), y)
    with pytest.raises(ValueError, match="Feature names unseen at fit time:\n- d"):
        fitted.predict(pd.DataFrame(X, columns=["a", "b", "d"]))
    with pytest.raises(ValueError, match=r"^X has 2 features, but NearestNeighbors is expecting 3"):
        NearestNeighbors(3).fit(X, y).predict(X[:, :2])
    with pytest.raises(NotFittedError):
        NearestNeighbors().predict(X)
    with pytest.raises(NotFittedError):
        _ = ProportionWeightedNeighbors().alpha_


def test_copies_and_pickles_say_the_same() -> None:
    X, y = task(100)
    fitted = ProportionWeightedNeighbors([3, 5], alpha="tune", random_state=1).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))  # noqa: S301 - our own
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    np.testing.assert_array_equal(copy.fit(X, y).predict(X), fitted.predict(X))
    assert len(pickle.dumps(fitted)) < 60_000


def test_intervals_hold_the_estimate() -> None:
    X, y = task(200)
    for quantifier in (ProportionWeightedNeighbors(7), ProportionWeightedNeighbors(7, rates="cv")):
        fitted = quantifier.fit(X, y)
        intervals = fitted.predict_interval(X[:70], resamples=40)
        np.testing.assert_allclose([each.estimate for each in intervals], fitted.predict(X[:70]))
        assert intervals[1].low < y[:70].mean() < intervals[1].high


def test_rows_that_no_fold_tests_are_not_learnt_from() -> None:
    X, y = task(100)
    fitted = NearestNeighbors(3, rates="cv", cv=TimeSeriesSplit(4)).fit(X, y)
    assert np.bincount(fitted.labelled_.folds).tolist() == [20] * 4
    wanted = [vote(X[:20], y[:20], row, 3, alpha=0) for row in X[20:40]]
    fitted = NearestNeighbors(3, rates="cv", cv=TimeSeriesSplit(4), scale=False).fit(X, y)
    assert said_by(fitted)[:20].tolist() == wanted
    repeated = NearestNeighbors(3, rates="cv", cv=RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=0))
    assert len(repeated.fit(X, y).labelled_.codes) == 100


# Notes and bad input


def test_a_k_above_the_smallest_class_is_noted() -> None:
    X, y = task(100)
    y = np.where(np.arange(100) < 8, "rare", "often")
    X[:8] += 3
    with pytest.warns(ShiftproofWarning) as caught:
        fitted = ProportionWeightedNeighbors(9).fit(X, y)
    words = "k is 9, above the 8 rows of class 'rare'; fewer neighbours are usually advised"
    assert fitted.notes_ == (words,)
    assert [str(each.message) for each in caught] == [f"proportion-weighted neighbors: {words}."]
    with pytest.warns(ShiftproofWarning, match="above the 8 rows of class 'rare', which can hardly win a vote[.]$"):
        NearestNeighbors(9).fit(X, y)
    with pytest.warns(ShiftproofWarning) as caught:
        NearestNeighbors(1, rates="cv").fit(X, y)
    words = "nearest neighbors: class 'rare' has 8 rows, so there are that many folds instead of 10."
    assert [str(each.message) for each in caught] == [words]


X, Y = task(40)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: NearestNeighbors(40).fit(X, Y),
            "k must be at most 39, the number of rows left to vote, got 40; give fewer, or more rows.",
        ),
        (
            lambda: NearestNeighbors(37, rates="cv").fit(X, Y),
            "k must be at most 36, the number of rows left to vote, got 37; give fewer, or more rows.",
        ),
        (
            lambda: NearestNeighbors([3, 33], tuning="2x5").fit(X, Y),
            "k must be at most 32, the number of rows left to vote, got 33; give fewer, or more rows.",
        ),
        (lambda: NearestNeighbors(0).fit(X, Y), "k must be a whole number of at least 1, got 0; 15 is usual."),
        (
            lambda: NearestNeighbors(2.5).fit(X, Y),
            "k must be a whole number of at least 1, got 2.5; 15 is usual.",
        ),
        (lambda: NearestNeighbors(True).fit(X, Y), "k must be a whole number of at least 1, got True; 15 is usual."),
        (
            lambda: NearestNeighbors([3, -1]).fit(X, Y),
            "k must be a whole number of at least 1, got -1; 15 is usual.",
        ),
        (
            lambda: NearestNeighbors([]).fit(X, Y),
            "k must name at least one number to choose from, got []; k='tune' has the usual ones.",
        ),
        (
            lambda: NearestNeighbors("best").fit(X, Y),
            "k must be a number, several, or 'tune', got 'best'; k='tune' chooses by G-mean.",
        ),
        (
            lambda: ProportionWeightedNeighbors(3, alpha=0.5).fit(X, Y),
            "alpha must be a number of at least 1, got 0.5; None uses the weights of eq. 5.5.",
        ),
        (
            lambda: ProportionWeightedNeighbors(3, alpha=[1, float("nan")]).fit(X, Y),
            "alpha must be a number of at least 1, got nan; None uses the weights of eq. 5.5.",
        ),
        (
            lambda: NearestNeighbors(3, rates="folds").fit(X, Y),  # type: ignore[arg-type]
            "rates must be one of 'loo', 'cv'; got 'folds'.",
        ),
        (
            lambda: NearestNeighbors(tuning="5x2").fit(X, Y),  # type: ignore[arg-type]
            "tuning must be one of 'loo', '2x5'; got '5x2'.",
        ),
        (
            lambda: NearestNeighbors(3, rates="cv", cv=1).fit(X, Y),
            "cv must be a whole number of at least 2, got 1; 10 is usual.",
        ),
        (
            lambda: NearestNeighbors(3, rates="cv", cv="prefit").fit(X, Y),
            "cv must be a whole number or a scikit-learn splitter, got 'prefit'; 10 is usual.",
        ),
        (
            lambda: NearestNeighbors(3).fit(X, 0 * Y),
            "y must contain at least two classes, got one class, 0; add rows of another class, or use another column.",
        ),
        (
            lambda: NearestNeighbors(3).fit(X, np.arange(40) == 7),
            "class True must have at least 2 rows, so that one can vote on the other, got 1; drop the class, or "
            "merge it with another.",
        ),
        (
            lambda: NearestNeighbors(3).fit(X, Y[1:]),
            "y must have one label per row of X, got 39 for 40 rows; pass the labels of the same rows.",
        ),
        (
            lambda: NearestNeighbors(3).fit(X),
            "y must hold the labels: NearestNeighbors requires y to be passed, but the target y is None.",
        ),
        (
            lambda: NearestNeighbors(3).fit(np.where(X > 1, np.nan, X), Y),
            "X must have neither NaN nor inf in an array, got nan; fill in the values first, or pass a table, "
            "which is filled in automatically.",
        ),
        (
            lambda: NearestNeighbors(3).fit(X, Y).predict(np.where(X > 1, np.inf, X)),
            "X must have neither NaN nor inf in an array, got inf; fill in the values first, or pass a table, "
            "which is filled in automatically.",
        ),
        (
            lambda: NearestNeighbors(3).fit(sparse.csr_matrix(X), Y),
            "X must be a table or a dense array, got a sparse matrix; call toarray() on it.",
        ),
        (
            lambda: NearestNeighbors(3, random_state=-1, rates="cv").fit(X, Y),
            "random_state must be None, a whole number of at least 0, or a NumPy generator, got -1; use 0.",
        ),
    ],
)
def test_bad_input_gets_one_sentence(call: Callable[[], Any], message: str) -> None:
    assert said(call) == message


@pytest.mark.parametrize("k", [1, 5, 12])
def test_similar_neighbours_count_more(k: int) -> None:
    X, y = task(150, grid=False)
    X_new, _ = task(60, seed=1, grid=False)
    ours = NearestNeighbors(k, similarity=True, scale=False).fit(X, y)
    theirs = KNeighborsClassifier(k, weights=lambda distances: 1 / (1 + distances / distances[:, -1:]))
    np.testing.assert_allclose(ours.score_new(X_new).probabilities, theirs.fit(X, y).predict_proba(X_new))
    left_out = [theirs.fit(np.delete(X, i, 0), np.delete(y, i)).predict_proba(X[i : i + 1])[0] for i in range(30)]
    np.testing.assert_allclose(ours.labelled_.probabilities[:30], left_out)


def test_k_is_tuned_by_similar_votes_and_copies_have_a_similarity() -> None:
    X, y = task(120)
    plain = NearestNeighbors([3, 7], scale=False).fit(X, y)
    similar = NearestNeighbors([3, 7], similarity=True, scale=False).fit(X, y)
    assert (plain.labelled_.probabilities != similar.labelled_.probabilities).any()
    # All neighbours of a copy are as near as itself.
    with pytest.warns(ShiftproofWarning, match="tpr <= fpr"):
        same = NearestNeighbors(3, similarity=True, scale=False).fit(np.zeros((20, 1)), np.arange(20) % 2)
    np.testing.assert_allclose(same.score_new(np.zeros((1, 1))).probabilities, [[2 / 3, 1 / 3]])
    with pytest.raises(InputError, match="similarity must be"):
        NearestNeighbors(similarity="yes").fit(X, y)  # type: ignore[arg-type]


@pytest.mark.parametrize("criterion", ["g-mean", "max", "x", "t50"])
def test_k_can_be_chosen_as_thresholds_are(criterion: Any) -> None:
    X, y = task(60, grid=False)
    ks = [1, 5, 9]
    found = NearestNeighbors(ks, criterion=criterion, scale=False).fit(X, y)
    values = []
    for k in ks:
        theirs = KNeighborsClassifier(k)
        said = np.array(
            [theirs.fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[i : i + 1])[0] for i in range(len(y))]
        )
        tpr, fpr = said[y == 1].mean(), said[y == 0].mean()
        rules = {"g-mean": tpr * (1 - fpr), "max": tpr - fpr, "x": -abs(fpr - (1 - tpr)), "t50": -abs(tpr - 0.5)}
        values.append(round(rules[criterion], 12))
    assert found.k_ == ks[int(np.argmax(values))]


def test_rules_for_thresholds_need_two_classes() -> None:
    with pytest.raises(InputError) as caught:
        NearestNeighbors(criterion="x").fit(*task(60, 3))
    assert str(caught.value) == "criterion must be 'g-mean' for 3 classes, got 'x'; the others are for two."

"""Splitters and the bootstrap: the slides' examples, and what each split promises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from shiftproof.core import InputError
from shiftproof.panel import (
    Bootstrap,
    balanced_sample,
    bootstrap_632,
    cross_fit,
    holdout,
    k_fold,
    leave_one_out,
    repeated_holdout,
    repeated_k_fold,
    three_way_split,
)


def noise(n: int = 60, seed: int = 0) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 4)), rng.permutation(np.arange(n) % 2)


def test_the_majority_learner_errs_always_when_one_is_left_out() -> None:
    X, y = noise()
    panel = leave_one_out(DummyClassifier(strategy="most_frequent"), X, y)
    assert (panel.predictions("DummyClassifier") != panel.y).all()
    assert panel.folds.tolist() == [list(range(60))]


@pytest.mark.parametrize("weights", ["uniform", "distance", lambda distances: np.exp(-distances)])
@pytest.mark.parametrize("k", [1, 5])
def test_neighbours_are_left_out_by_one_query(weights: Any, k: int) -> None:
    X, y = noise()
    model = KNeighborsClassifier(k, weights=weights)
    slow = cross_val_predict(model, X, y, cv=LeaveOneOut(), method="predict_proba")
    panel = leave_one_out(model, X, y)
    np.testing.assert_allclose(panel.out_of_fold["KNeighborsClassifier"], slow, atol=1e-12)
    panel.apply(X)
    with pytest.raises(InputError, match="needs the models of the folds"):
        panel.apply_by_fold(X)


def test_rows_at_the_same_place_outvote_others() -> None:
    X, y = np.array([[0.0], [0.0], [1.0], [1.0], [5.0]]), np.array([0, 1, 0, 0, 1])
    panel = leave_one_out(KNeighborsClassifier(2, weights="distance"), X, y)
    assert panel.out_of_fold["KNeighborsClassifier"][0].tolist() == [0.0, 1.0]


def test_a_row_has_only_the_others_as_neighbours() -> None:
    X, y = noise(10)
    with pytest.raises(InputError) as error:
        leave_one_out(KNeighborsClassifier(10), X, y)
    words = "n_neighbors must be below 10, the number of rows, got 10; only other rows can be neighbours."
    assert str(error.value) == words


def test_the_memoriser_fools_632_but_not_632_plus() -> None:
    memoriser = KNeighborsClassifier(1)
    plain, plus = [], []
    for seed in range(4):
        X, y = noise(200, seed)
        plain.append(bootstrap_632(memoriser, X, y, n_resamples=50, random_state=seed))
        plus.append(bootstrap_632(memoriser, X, y, n_resamples=50, random_state=seed, plus=True))
    assert np.mean([each.estimate for each in plain]) == pytest.approx(0.316, abs=0.02)
    assert np.mean([each.estimate for each in plus]) == pytest.approx(0.5, abs=0.03)
    assert plain[0].method == ".632 bootstrap, wilson"
    assert plus[0].method == ".632+ bootstrap, wilson"
    assert 0.5 in plus[0]


def test_632_is_its_formula() -> None:
    X, y = noise(40)
    model = LogisticRegression()
    draws = np.random.default_rng(3).integers(40, size=(30, 40))
    wrong: list[list[float]] = [[] for _ in range(40)]
    for draw in draws:
        fitted = LogisticRegression().fit(X[draw], y[draw])
        for row in set(range(40)) - set(draw.tolist()):
            wrong[row].append(float(fitted.predict(X[[row]])[0] != y[row]))
    fresh = float(np.mean([np.mean(each) for each in wrong]))
    apparent = float((model.fit(X, y).predict(X) != y).mean())
    found = bootstrap_632(LogisticRegression(), X, y, n_resamples=30, random_state=3)
    assert found.estimate == pytest.approx(0.368 * apparent + 0.632 * fresh, abs=1e-12)
    share = float((model.predict(X) == 1).mean())
    uninformed = 0.5 * (1 - share) + 0.5 * share
    capped = min(fresh, uninformed)
    rate = (capped - apparent) / (uninformed - apparent)
    weight = 0.632 / (1 - 0.368 * rate)
    plus = bootstrap_632(LogisticRegression(), X, y, n_resamples=30, random_state=3, plus=True)
    assert plus.estimate == pytest.approx((1 - weight) * apparent + weight * capped, abs=1e-12)


def test_a_loss_of_ones_own() -> None:
    X, y = noise(40)
    double = bootstrap_632(
        KNeighborsClassifier(3), X, y, n_resamples=20, loss=lambda true, guess: 2.0 * (true != guess), plus=True
    )
    single = bootstrap_632(KNeighborsClassifier(3), X, y, n_resamples=20, plus=True)
    assert double.estimate == pytest.approx(2 * single.estimate)
    assert double.method == ".632+ bootstrap, normal"
    assert double.width == pytest.approx(2 * single.width, rel=0.15)


def test_an_easy_task_has_no_overfitting_to_correct() -> None:
    X = np.repeat([[0.0], [1.0]], 20, axis=0)
    found = bootstrap_632(KNeighborsClassifier(1), X, np.repeat(["a", "b"], 20), n_resamples=20, plus=True)
    assert found.estimate == 0


def test_bootstrap_632_refuses_too_few_resamples() -> None:
    X, y = noise(40)
    with pytest.raises(InputError, match=r"^n_resamples must leave each row out at least once, got 2; \d+ rows were"):
        bootstrap_632(KNeighborsClassifier(1), X, y, n_resamples=2)
    with pytest.raises(InputError, match="y must give resamples with two classes"):
        bootstrap_632(KNeighborsClassifier(1), np.zeros((2, 1)), [0, 1], n_resamples=50, random_state=1)


def test_bootstrap_splits() -> None:
    splitter = Bootstrap(5, random_state=1)
    pairs = list(splitter.split(list(range(30))))
    assert len(pairs) == splitter.get_n_splits() == 5
    for train, test in pairs:
        assert len(train) == 30
        assert set(train.tolist()) | set(test.tolist()) == set(range(30))
        assert not set(train.tolist()) & set(test.tolist())
    again = list(Bootstrap(5, random_state=1).split(np.zeros((30, 2))))
    assert all((a[0] == b[0]).all() for a, b in zip(pairs, again, strict=True))
    assert repr(splitter) == "Bootstrap(n_resamples=5, random_state=1)"


def test_bootstrap_in_a_panel() -> None:
    X, y = noise()
    panel = cross_fit(LogisticRegression(), X, y, cv=Bootstrap(5))
    assert panel.n_repeats == 5
    assert np.isnan(panel.out_of_fold["LogisticRegression"]).any(axis=1).tolist() == (~panel.tested).tolist()


def test_scikit_learns_own_splitters() -> None:
    _, y = noise(90)
    (train, test), *none = holdout().split(np.zeros(90), y)
    assert (len(train), len(test), none) == (60, 30, [])
    assert y[test].mean() == 0.5
    assert repeated_holdout(repeats=4).get_n_splits() == 4
    assert k_fold(3).get_n_splits() == 3
    assert repeated_k_fold(3, repeats=2).get_n_splits() == 6


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: holdout(test_size=2),
            "test_size must be a number strictly between 0 and 1, got 2; 1/3 is usual.",
        ),
        (lambda: k_fold(1), "k must be a whole number of at least 2, got 1; 10 is usual."),
        (
            lambda: three_way_split([0, 1], shares=(0.5, 0.2, 0.2)),
            "shares must be three shares above 0 that sum to 1, got (0.5, 0.2, 0.2); (0.5, 0.2, 0.3) is usual.",
        ),
        (
            lambda: balanced_sample(["a"] * 5 + ["b"] * 2, size=6),
            "size must not need more rows than the 2 of class 'b', got 6; at most 4 rows can be balanced.",
        ),
        (
            lambda: balanced_sample([0, 1], size=1),
            "size must be a whole number of at least 2, got 1; give each class a row.",
        ),
    ],
)
def test_errors(call: Any, words: str) -> None:
    with pytest.raises(InputError) as error:
        call()
    assert str(error.value) == words


def test_three_parts_are_disjoint_and_stratified() -> None:
    y = np.repeat(["a", "b", "c"], [100, 50, 10])
    parts = three_way_split(y)
    assert np.concatenate(parts).tolist() != list(range(160))
    assert sorted(np.concatenate(parts).tolist()) == list(range(160))
    for label, counts in {"a": [50, 20, 30], "b": [25, 10, 15], "c": [5, 2, 3]}.items():
        assert [int((y[part] == label).sum()) for part in parts] == counts


@pytest.mark.parametrize("size", [None, 7, 30])
def test_balanced_samples(size: int | None) -> None:
    y = np.repeat(["a", "b", "c"], [100, 50, 10])
    rows = balanced_sample(y, size=size)
    assert len(set(rows.tolist())) == len(rows) == (size or 30)
    counts = [int((y[rows] == label).sum()) for label in "abc"]
    assert max(counts) - min(counts) <= 1
    assert rows.tolist() == balanced_sample(y, size=size).tolist()

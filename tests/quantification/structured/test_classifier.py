"""The classifier of the structural SVM: scikit-learn's contract, decisions, what it says when it fails."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from shiftproof import InputError, ShiftproofWarning
from shiftproof.counting._samples import predicted
from shiftproof.quantification.structured._classifier import StructuredClassifier

Array = np.ndarray[Any, Any]


def task(n: int, k: int = 2, seed: int = 0, shift: float = 2.0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    y = rng.choice(k, n, p=np.arange(k, 0, -1) / np.arange(k, 0, -1).sum())
    means = np.random.default_rng(99).normal(size=(k, 3))
    return rng.normal(size=(n, 3)) + shift * means[y], y


@pytest.mark.filterwarnings("ignore::shiftproof.ShiftproofWarning")
@pytest.mark.parametrize("loss", ["q", "nas"])
def test_the_contract_of_scikit_learn_holds(loss: Any) -> None:
    results = check_estimator(StructuredClassifier(loss), on_skip=None, on_fail=None)
    assert {each["check_name"]: each["exception"] for each in results if each["status"] == "failed"} == {}
    assert len(results) > 50


@pytest.mark.parametrize("loss", ["q", "nas", "arithmetic", "f1", "error", lambda *cells: (cells[1] + cells[2]) / 150])
def test_decisions_predictions_and_probabilities_agree(loss: Any) -> None:
    X, y = task(150)
    model = StructuredClassifier(loss).fit(X, y)
    decisions, shares = model.decision_function(X), model.predict_proba(X)
    np.testing.assert_allclose(decisions, X @ model.coef_[0] + model.intercept_[0])
    np.testing.assert_array_equal(model.predict(X), decisions > 0)
    np.testing.assert_array_equal(predicted(shares), decisions > 0)
    np.testing.assert_allclose(shares[:, 1], 1 / (1 + np.exp(-decisions)))
    assert (model.predict(X) == y).mean() > 0.75
    assert model.bound_[0] <= model.objective_[0] <= model.bound_[0] * (1 + 1.1e-4)
    assert model.notes_ == ()
    assert not model.collapsed_.any()
    assert not model.one_sided_.any()


def test_a_decision_of_0_is_negative_and_rounding_moves_none() -> None:
    model = StructuredClassifier("nas").fit(*task(60))
    model.coef_, model.intercept_ = np.array([[1.0, 0.0, 0.0]]), np.zeros(1)
    X = np.zeros((5, 3))
    X[:, 0] = [-1e-300, 0.0, 1e-300, -1e-17, 1e-17]
    assert model.predict(X).tolist() == [0, 0, 1, 0, 1]
    assert predicted(model.predict_proba(X)).tolist() == [0, 0, 1, 0, 1]
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_more_classes_are_each_told_from_the_others() -> None:
    X, y = task(300, 3)
    model = StructuredClassifier("nas").fit(X, y)
    decisions = model.decision_function(X)
    assert decisions.shape == (300, 3)
    for code in range(3):
        alone = StructuredClassifier("nas").fit(X, y == code)
        np.testing.assert_allclose(decisions[:, code], alone.decision_function(X))
        assert model.objective_[code] == alone.objective_[0]
    np.testing.assert_array_equal(model.predict(X), decisions.argmax(axis=1))
    np.testing.assert_array_equal(predicted(model.predict_proba(X)), decisions.argmax(axis=1))


@pytest.mark.parametrize("rename", [lambda y: np.array(["no", "yes"])[y], lambda y: y == 1, pd.Categorical])
def test_what_the_classes_are_called_changes_nothing(rename: Any) -> None:
    X, y = task(80)
    wanted = StructuredClassifier().fit(X, y)
    model = StructuredClassifier().fit(X, rename(y))
    np.testing.assert_array_equal(model.coef_, wanted.coef_)
    np.testing.assert_array_equal(model.predict(X), model.classes_[wanted.predict(X)])


def test_it_can_be_cloned_and_pickled_and_draws_nothing() -> None:
    X, y = task(100)
    model = StructuredClassifier("f1", C=0.3).fit(X, y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).coef_, model.coef_)  # noqa: S301 - our own
    np.testing.assert_array_equal(clone(model).fit(X, y).coef_, model.coef_)


def hopeless(n: int = 400, share: float = 0.1) -> tuple[Array, Array]:
    """Positives in the middle of the negatives, where no line tells them apart."""
    rng = np.random.default_rng(0)
    y = np.arange(n) < share * n
    return rng.normal(size=(n, 2)) * np.where(y, 0.3, 2.0)[:, None], y


@pytest.mark.parametrize("loss", ["q", "f1"])
def test_a_collapse_is_told_and_leaves_no_weights(loss: Any) -> None:
    X, y = hopeless()
    rest = "whatever C and beta" if loss == "q" else "whatever C"
    words = (
        f"no weights are better than none, so no row is predicted as True, with loss={loss!r} and {rest}; "
        "give loss='arithmetic' or loss='nas'"
    )
    for C, beta in ((0.01, 2.0), (1.0, 0.5), (100.0, 30.0)):
        with pytest.warns(ShiftproofWarning) as caught:
            model = StructuredClassifier(loss, C=C, beta=beta).fit(X, y)
        assert [str(each.message) for each in caught] == [f"{words}."]
        assert model.notes_ == (words,)
        assert model.collapsed_.tolist() == [True]
        assert not model.coef_.any()
        assert not model.predict(X).any()
        assert model.objective_[0] == pytest.approx(C * len(X))
        assert model.bound_[0] == pytest.approx(C * len(X), rel=1e-4)


@pytest.mark.parametrize("loss", ["q", "error"])
def test_no_weights_for_want_of_a_larger_c_are_told_as_such(loss: Any) -> None:
    X, y = task(200)
    with pytest.warns(ShiftproofWarning) as caught:
        model = StructuredClassifier(loss, C=1e-8).fit(X, y)
    assert model.collapsed_.tolist() == [True]
    assert [str(each.message) for each in caught] == [
        f"no weights are better than none, so no row is predicted as {model.classes_[1]}, because C is too small for "
        "these columns; give a larger C."
    ]


def test_rows_on_one_side_are_told() -> None:
    X, y = hopeless()
    words = (
        "no row is predicted as True, because the columns hardly separate it from the rest, or C is too small; a "
        "correction based on scores, such as 'median sweep', may still work."
    )
    with pytest.warns(ShiftproofWarning) as caught:
        model = StructuredClassifier("nas").fit(X, y)
    assert [str(each.message) for each in caught] == [words]
    assert model.one_sided_.tolist() == [True]
    assert not model.collapsed_.any()
    with pytest.warns(ShiftproofWarning, match="^all rows are predicted as True, because"):
        StructuredClassifier("nas").fit(X, ~y)


def test_constant_columns_of_balanced_classes_leave_nothing_to_weigh() -> None:
    words = (
        "no weights are better than none, so no row is predicted as 1; "
        "add columns that separate it from the rest, or use another loss."
    )
    with pytest.warns(ShiftproofWarning) as caught:
        StructuredClassifier("nas").fit(np.ones((10, 2)), np.arange(10) % 2)
    assert [str(each.message) for each in caught] == [words]


def test_a_class_of_several_is_named() -> None:
    X, y = hopeless()
    three = np.where(y, 2, X[:, 0] > 0)
    with pytest.warns(ShiftproofWarning) as caught:
        StructuredClassifier("q").fit(X, three)
    assert [str(each.message) for each in caught] == [
        "class 2: no weights are better than none, so every decision is 0, with loss='q' and whatever C and beta; "
        "give loss='arithmetic' or loss='nas'."
    ]


def test_giving_up_is_told() -> None:
    X, y = task(200)
    with pytest.warns(ShiftproofWarning) as caught:
        model = StructuredClassifier("nas", most_planes=4).fit(X, y)
    gap = 1 - model.bound_[0] / model.objective_[0]
    assert [str(each.message) for each in caught] == [
        f"after 5 planes the relative gap to the optimum may be {gap:.2g}, not 0.0001; "
        "scale the columns, or give a smaller C, a larger tolerance or more planes."
    ]


@pytest.mark.parametrize("loss", ["error", "nas", "q", "f1", "arithmetic"])
def test_bad_scales_converge_or_say_so(loss: Any) -> None:
    X, y = task(200)
    X = X * [1.0, 1e6, 1e-3] + [0.0, 1e6, 5.0]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = StructuredClassifier(loss, most_planes=300).fit(np.column_stack([X, np.full(200, 7.0)]), y)
    fine = model.objective_[0] - model.bound_[0] <= 1e-4 * model.objective_[0]
    assert fine or any("scale the columns" in str(each.message) for each in told)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0}, "C must be a number above 0, got 0; 1 is usual."),
        ({"C": np.inf}, "C must be a number above 0, got inf; 1 is usual."),
        ({"C": "1"}, "C must be a number above 0, got '1'; 1 is usual."),
        ({"tolerance": 0.0}, "tolerance must be a number above 0, got 0.0; 0.0001 is usual."),
        ({"most_planes": 1}, "most_planes must be a whole number of at least 2, got 1; 1000 is usual."),
        (
            {"beta": -0.5},
            "beta must be a number of at least 0, got -0.5; 2 favours quantification, 0.5 favours classification.",
        ),
    ],
)
def test_bad_parameters_get_one_sentence(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        StructuredClassifier(**parameters).fit(*task(30))
    assert str(caught.value) == message


def test_bad_rows_get_one_sentence() -> None:
    X, y = task(30)
    with pytest.raises(InputError) as caught:
        StructuredClassifier().fit(X, np.zeros(30))
    message = (
        "y must contain at least two classes, got one class, 0.0; add rows of another class, or use another column."
    )
    assert str(caught.value) == message
    with pytest.raises(InputError) as caught:
        StructuredClassifier().fit(X * 1e200, y)
    assert str(caught.value).startswith("X must be at most 1e+100 in size, got ")
    for bad in (np.nan, np.inf):
        X[3, 1] = bad
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            StructuredClassifier().fit(X, y)

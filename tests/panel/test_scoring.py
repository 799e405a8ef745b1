"""From a classifier's output to probabilities in one order of classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from shiftproof.core import InputError
from shiftproof.panel._scoring import Scorer, fit_calibrator, own_decisions, raw_scores, scoring


@pytest.mark.parametrize("separable", [False, True])
def test_fit_calibrator_is_the_weighted_logistic_regression_of_soft_targets(separable: bool) -> None:
    rng = np.random.default_rng(0)
    codes = np.arange(200) % 2
    values = (rng.normal(size=200) + (20 if separable else 1) * codes)[:, None]
    weights = rng.uniform(size=200)
    calibrated = fit_calibrator(values, codes, 2, weights)(values)[:, 1]
    targets = np.where(codes == 1, 101 / 102, 1 / 102)
    regression = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000)
    soft = np.concatenate([weights * targets, weights * (1 - targets)])
    regression.fit(np.vstack([values, values]), np.repeat([1, 0], 200), soft)
    np.testing.assert_allclose(calibrated, regression.predict_proba(values)[:, 1], atol=1e-4)
    # At the optimum the weighted residuals vanish.
    assert weights @ (calibrated - targets) == pytest.approx(0, abs=1e-9)
    assert weights @ ((calibrated - targets) * values[:, 0]) == pytest.approx(0, abs=1e-8)


def test_fit_calibrator_is_flat_where_decision_values_rank_in_reverse() -> None:
    rng = np.random.default_rng(0)
    codes = np.tile([0, 1], 100)
    against = (0.3 - 0.6 * codes + rng.normal(size=200)).reshape(-1, 1)
    calibrator = fit_calibrator(against, codes.astype(np.int64), 2, None)
    np.testing.assert_allclose(calibrator(np.array([[-1.0], [1.0]])), 0.5, atol=1e-6)


@dataclass
class Probabilities:
    """Gives the same probabilities for every row, with columns in the order of its own classes."""

    classes_: list[str]
    row: list[float]

    def predict_proba(self, X: list[int]) -> list[list[float]]:
        return [self.row] * len(X)


@dataclass
class Margins:
    """Gives decision values, and predicts the second class where they are above 0."""

    values: list[float]

    def decision_function(self, X: list[int]) -> list[float]:
        return self.values[: len(X)]

    def predict(self, X: list[int]) -> list[str]:
        return ["b" if value > 0 else "a" for value in self.decision_function(X)]


def test_raw_scores_follow_the_order_of_all_classes() -> None:
    model = Probabilities(["c", "a"], [0.7, 0.3])
    raw = raw_scores(model, [1, 2], np.array(["a", "b", "c"]))
    assert raw.values.tolist() == [[0.3, 0.0, 0.7]] * 2
    assert not raw.decision


def test_raw_scores_of_two_classes_are_one_column_of_decision_values() -> None:
    raw = raw_scores(Margins([-1.0, 2.0]), [1, 2], np.array(["a", "b"]))
    assert raw.values.tolist() == [[-1.0], [2.0]]
    assert raw.decision


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (Probabilities(["a", "x"], [0.5, 0.5]), "the model has a class 'x' that does not occur in the labels."),
        (Probabilities(["a", "b"], [0.5, np.nan]), "predict_proba gave values that are not finite."),
        (
            Probabilities(["a", "b"], [0.2, 0.3, 0.5]),
            "scores of shape (1, 3) do not have one column for each of 2 classes.",
        ),
        (
            Probabilities(["a", "b"], [20.0, 80.0]),
            "predict_proba must lie between 0 and 1, got 20; turn decision values into probabilities first, or divide "
            "percentages by 100.",
        ),
        (
            Probabilities(["a", "b"], [0.1, 0.4]),
            "predict_proba must have rows that sum to 1, got 0.5; divide each row by its sum.",
        ),
        (Probabilities(["a", "a"], [0.1, 0.9]), "classes_ of the model must differ, got 'a' and 'a'."),
        (Margins([1e200]), "decision_function must give values below 1e+100; got 1e+200."),
        (Margins([]), "decision_function must give one row per row of X; got 0 for 1 rows."),
        (object(), "object gives no scores: it has neither predict_proba nor decision_function."),
    ],
)
def test_raw_scores_refuse_output_that_fits_no_class(model: object, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        raw_scores(model, [1], np.array(["a", "b"]))
    assert str(caught.value) == sentence


def test_own_decisions_exist_only_without_probabilities() -> None:
    classes = np.array(["a", "b"])
    decisions = own_decisions(Margins([-1.0, 2.0]), [1, 2], classes)
    assert decisions is not None
    assert decisions.tolist() == [0, 1]
    assert own_decisions(Probabilities(["a", "b"], [0.5, 0.5]), [1], classes) is None


def test_scorer_calibrates_decision_values_without_changing_their_order() -> None:
    values, codes = [-2.0, -1.0, 1.0, 2.0], np.array([0, 0, 1, 1])
    calibrator = fit_calibrator(np.array(values)[:, None], codes, 2, None)
    probabilities = Scorer(Margins(values), np.array(["a", "b"]), calibrator)([1, 2, 3, 4])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert (np.diff(probabilities[:, 1]) > 0).all()
    # Platt's targets for two rows per class are 1/4 and 3/4, so that separated classes do not get 0 and 1.
    assert probabilities[:, 1].mean() == pytest.approx(0.5)
    assert 0.05 < probabilities[0, 1] < 0.25


def test_scoring_makes_one_sentence_of_a_value_error() -> None:
    with pytest.raises(InputError) as caught, scoring("the new rows"):
        raise ValueError("Input X contains NaN.\nmany more lines")
    assert str(caught.value) == "the classifier cannot score the new rows: Input X contains NaN."


@dataclass
class Returns:
    """Returns the same object whatever is to be scored."""

    output: Any
    classes_: Any = ("a", "b")

    def predict_proba(self, _: object) -> Any:
        return self.output


def test_raw_scores_match_named_columns_and_copy_the_output() -> None:
    classes = np.array(["a", "b"])
    named = Returns(pd.DataFrame({"b": [0.2, 0.6], "a": [0.8, 0.4]}))
    assert raw_scores(named, [1, 2], classes).values.tolist() == [[0.8, 0.2], [0.4, 0.6]]
    with pytest.raises(InputError, match="predict_proba must have one column for each of the classes 'a' and 'b'"):
        raw_scores(Returns(pd.DataFrame({"p": [0.2], "q": [0.8]})), [1], classes)
    shared = Returns(np.array([[0.5, 0.5]]))
    assert not np.shares_memory(raw_scores(shared, [1], classes).values, shared.output)
    with pytest.raises(InputError, match=r"predict_proba must give one row per row of X; got an array of shape"):
        raw_scores(Returns(np.zeros((1, 2, 2))), [1], classes)


@dataclass
class Decides:
    """Decision values of two classes, of which the second in its own order is meant."""

    output: Any
    classes_: Any

    def decision_function(self, _: object) -> Any:
        return self.output


@pytest.mark.parametrize(
    ("values", "known"),
    [([-1.0, 2.0], ["a", "b"]), ([1.0, -2.0], ["b", "a"]), ([[1.0, -1.0], [-2.0, 2.0]], ["a", "b"])],
)
def test_raw_scores_of_two_classes_are_decision_values_of_the_second(values: Any, known: list[str]) -> None:
    raw = raw_scores(Decides(np.array(values), known), [1, 2], np.array(["a", "b"]))
    assert raw.values.tolist() == [[-1.0], [2.0]]


def test_own_decisions_must_be_one_per_row() -> None:
    with pytest.raises(InputError) as caught:
        own_decisions(Margins([-1.0]), [1, 2], np.array(["a", "b"]))
    assert str(caught.value) == ("predict must give one row per row of X; got 1 for 2 rows.")

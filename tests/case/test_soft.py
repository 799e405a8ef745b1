"""Measures of probable labels: against hard ones, scikit-learn, drawn labels and numerical derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from tests.selection.cases import decided, draw_codes, random_posterior

from shiftproof.case._blocks import one_hot
from shiftproof.case._soft import SOFT_MEASURES, Decided
from shiftproof.core import Floats
from shiftproof.measures import measure

OF_TWO = ["accuracy", "error", "precision", "recall", "f1", "auc", "brier"]
SEVERAL = ["accuracy", "error", "brier"]


def coarse(rng: np.random.Generator, n: int, k: int = 2) -> Floats:
    """Draw probabilities that often tie, as those of trees do."""
    parts = rng.integers(1, 5, size=(n, k)).astype(float)
    return np.asarray(parts / parts.sum(axis=1, keepdims=True))


def both(n: int, seed: int, k: int = 2) -> tuple[Floats, Any]:
    rng = np.random.default_rng(seed)
    codes = rng.integers(k, size=n)
    codes[:k] = np.arange(k)
    return coarse(rng, n, k), codes


def value(name: str, what: Decided, labels: Floats, weights: Floats) -> float:
    return SOFT_MEASURES[name].function(what, labels, weights).value


def equal(n: int) -> Floats:
    return np.full(n, 1 / n)


@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("name", OF_TWO)
@given(n=st.integers(2, 40), seed=st.integers(0, 10**6))
def test_sure_labels_give_the_usual_measure(name: str, positive: int, n: int, seed: int) -> None:
    p, codes = both(n, seed)
    usual = measure(name, codes, p, positive=positive).estimate
    assert value(name, decided(p, positive), one_hot(codes, 2), equal(n)) == pytest.approx(usual, nan_ok=True)


@pytest.mark.parametrize("name", SEVERAL)
@given(n=st.integers(3, 40), seed=st.integers(0, 10**6))
def test_so_it_is_with_three_classes(name: str, n: int, seed: int) -> None:
    p, codes = both(n, seed, k=3)
    usual = measure(name, codes, p).estimate
    assert value(name, decided(p), one_hot(codes, 3), equal(n)) == pytest.approx(usual)


@given(n=st.integers(3, 60), seed=st.integers(0, 10**6))
def test_weights_are_those_of_scikit_learn(n: int, seed: int) -> None:
    p, codes = both(n, seed)
    weights = np.random.default_rng(seed).dirichlet(np.full(n, 0.5))
    weights = np.maximum(weights, 1e-6) / np.maximum(weights, 1e-6).sum()
    what, labels = decided(p), one_hot(codes, 2)
    called, how = p.argmax(axis=1), {"sample_weight": weights}
    nan = {"zero_division": float("nan")}
    expected = {
        "accuracy": metrics.accuracy_score(codes, called, **how),
        "error": metrics.zero_one_loss(codes, called, **how),
        "precision": metrics.precision_score(codes, called, **how, **nan),
        "recall": metrics.recall_score(codes, called, **how),
        "f1": metrics.f1_score(codes, called, **how),
        "auc": metrics.roc_auc_score(codes, p[:, 1], **how),
        "brier": metrics.brier_score_loss(codes, p[:, 1], **how),
    }
    found = {name: value(name, what, labels, weights) for name in expected}
    assert found == pytest.approx(expected, nan_ok=True)


@given(n=st.integers(3, 60), seed=st.integers(0, 10**6), positive=st.integers(0, 2))
def test_one_of_three_classes_is_taken_against_the_others(n: int, seed: int, positive: int) -> None:
    p, codes = both(n, seed, k=3)
    what, labels, called = decided(p, positive), one_hot(codes, 3), p.argmax(axis=1) == positive
    expected = {
        "precision": metrics.precision_score(codes == positive, called, zero_division=float("nan")),
        "recall": metrics.recall_score(codes == positive, called),
        "f1": metrics.f1_score(codes == positive, called),
        "auc": metrics.roc_auc_score(codes == positive, p[:, positive]),
    }
    assert {name: value(name, what, labels, equal(n)) for name in expected} == pytest.approx(expected, nan_ok=True)


def test_area_under_a_curve_with_ties_by_hand() -> None:
    p = np.array([[0.5, 0.5], [0.5, 0.5], [0.2, 0.8], [0.9, 0.1]])
    # Pairs of a positive (rows 1 and 3) with a negative (rows 0 and 2): a tie, lost, lost, lost.
    assert value("auc", decided(p), one_hot(np.array([0, 1, 0, 1]), 2), equal(4)) == 0.125


def several(name: str) -> tuple[Decided, Floats, Floats]:
    """Give rows, probable labels and uneven weights, of three classes, or two for the Brier score of two."""
    rng = np.random.default_rng(3)
    k = 2 if name == "brier of two" else 3
    p, labels = coarse(rng, 25, k), random_posterior(rng, 25, k)
    weights = rng.dirichlet(np.ones(25))
    return decided(p, 1, rng.normal(size=(25, k))), labels, weights


@pytest.mark.parametrize("name", [*SOFT_MEASURES, "brier of two"])
def test_weighted_mean_of_the_influence_is_zero(name: str) -> None:
    what, labels, weights = several(name)
    influence = SOFT_MEASURES[name.split(maxsplit=1)[0]].function(what, labels, weights).influence
    assert influence.shape == labels.shape
    assert float(weights @ (labels * influence).sum(axis=1)) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("name", [*SOFT_MEASURES, "brier of two"])
def test_influence_is_the_derivative_towards_one_more_row_of_the_class(name: str) -> None:
    what, labels, weights = several(name)
    function = SOFT_MEASURES[name.split(maxsplit=1)[0]].function
    influence = function(what, labels, weights).influence
    step = 1e-6
    for row, label in ((0, 0), (7, 1), (19, labels.shape[1] - 1)):
        values = []
        for sign in (1, -1):
            # The joint mass of row and class, (1 - step) of what there is and step at one place.
            mass = (1 - sign * step) * weights[:, None] * labels
            mass[row, label] += sign * step
            values.append(function(what, mass / mass.sum(axis=1, keepdims=True), mass.sum(axis=1)).value)
        assert (values[0] - values[1]) / (2 * step) == pytest.approx(influence[row, label], abs=1e-5)


@pytest.mark.parametrize("name", ["accuracy", "error", "brier", "profit"])
def test_means_are_what_drawn_labels_give_on_average(name: str) -> None:
    rng = np.random.default_rng(5)
    posterior = random_posterior(rng, 300, 3)
    what = decided(coarse(rng, 300, 3), 1, rng.normal(size=(300, 3)))
    drawn = [value(name, what, one_hot(draw_codes(rng, posterior), 3), equal(300)) for _ in range(2000)]
    assert value(name, what, posterior, equal(300)) == pytest.approx(np.mean(drawn), abs=4 * np.std(drawn) / 2000**0.5)


@pytest.mark.parametrize("name", ["precision", "recall", "f1", "auc"])
def test_ratios_are_so_with_many_rows(name: str) -> None:
    rng = np.random.default_rng(6)
    posterior = random_posterior(rng, 4000, 2)
    what = decided(random_posterior(rng, 4000, 2) / 2 + posterior / 2)
    drawn = [value(name, what, one_hot(draw_codes(rng, posterior), 2), equal(4000)) for _ in range(200)]
    assert value(name, what, posterior, equal(4000)) == pytest.approx(np.mean(drawn), abs=0.002)


def test_profit_is_the_mean_of_what_decisions_bring() -> None:
    worth = np.array([[1.0, 10.0], [2.0, 20.0]])
    what = decided(np.array([[0.9, 0.1], [0.2, 0.8]]), 1, worth)
    labels = np.array([[1.0, 0.0], [0.25, 0.75]])
    found = SOFT_MEASURES["profit"].function(what, labels, np.array([0.4, 0.6]))
    assert found.value == pytest.approx(0.4 * 1 + 0.6 * (0.25 * 2 + 0.75 * 20))
    assert found.influence == pytest.approx(worth - found.value)
    with pytest.raises(ValueError, match=r"^the profit needs what decisions bring$"):
        SOFT_MEASURES["profit"].function(decided(what.probabilities), labels, equal(2))


@pytest.mark.parametrize(
    ("name", "codes", "p"),
    [
        ("recall", [0, 0], [0.3, 0.9]),
        ("precision", [0, 1], [0.3, 0.4]),
        ("f1", [0, 0], [0.3, 0.4]),
        ("auc", [0, 0], [0.3, 0.4]),
        ("auc", [1, 1], [0.3, 0.4]),
    ],
)
def test_nothing_is_said_where_a_measure_is_undefined(name: str, codes: list[int], p: list[float]) -> None:
    what = decided(np.column_stack([1 - np.array(p), p]))
    found = SOFT_MEASURES[name].function(what, one_hot(np.array(codes), 2), equal(2))
    assert np.isnan(found.value)
    assert found.influence.shape == (2, 2)
    assert np.isnan(found.influence).all()


def test_some_rows_can_be_taken() -> None:
    what = decided(np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]), 0, np.arange(6.0).reshape(3, 2))
    part = what.take(np.array([2, 1]))
    assert part.decisions.tolist() == [0, 1]
    assert part.probabilities.tolist() == [[0.6, 0.4], [0.2, 0.8]]
    assert part.worth is not None
    assert part.worth.tolist() == [[4.0, 5.0], [2.0, 3.0]]
    assert part.positive == 0
    assert decided(what.probabilities).take(np.array([0])).worth is None


def test_what_is_better_and_how_far_measures_go() -> None:
    assert [name for name, each in SOFT_MEASURES.items() if not each.higher_is_better] == ["error", "brier"]
    wrong = decided(np.array([[1.0, 0.0, 0.0]]))
    assert value("brier", wrong, one_hot(np.array([2]), 3), np.ones(1)) == SOFT_MEASURES["brier"].limits[1] == 2.0

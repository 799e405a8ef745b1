"""Totals of amounts, against equation 3.4 by hand and simulated coverage."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from shiftproof.core import InputError
from shiftproof.quantification import ProbabilityAverage, class_totals


def rows(n: int, share: float, seed: int, k: int = 2) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(seed)
    y = rng.choice(k, n, p=[1 - share, *([share / (k - 1)] * (k - 1))])
    centres = np.random.default_rng(9).normal(size=(k, 3)) * 1.5
    return rng.normal(size=(n, 3)) + centres[y], y, rng.gamma(2.0, 10.0 * (1 + y))


def test_two_classes_by_hand() -> None:
    X, y, _ = rows(300, 0.4, 0)
    X_new, _, amounts = rows(200, 0.7, 1)
    quantifier = ProbabilityAverage(LogisticRegression(), cv=3).fit(X, y)
    found = class_totals(quantifier, X_new, amounts, resamples=100)
    seen = quantifier.labelled_.scores.probabilities[:, 1]
    low, high = seen[y == 0].mean(), seen[y == 1].mean()
    wanted = (amounts @ quantifier.checked_scores(X_new).probabilities[:, 1] - low * amounts.sum()) / (high - low)
    assert found[1].estimate == pytest.approx(wanted)
    assert found[0].estimate + found[1].estimate == pytest.approx(amounts.sum())


@pytest.mark.parametrize("k", [2, 3])
def test_intervals_contain_the_totals_as_often_as_they_say(k: int) -> None:
    inside = []
    X, y, _ = rows(600, 0.5, 100, k)
    for seed in range(40):
        X, y, _ = rows(300, 0.5, 200 + seed, k)
        quantifier = ProbabilityAverage(LogisticRegression(), cv=3).fit(X, y)
        X_new, y_new, amounts = rows(150, 0.3, seed, k)
        found = class_totals(quantifier, X_new, amounts, resamples=100)
        inside += [amounts[y_new == code].sum() in found[code] for code in range(k)]
    assert 0.8 < np.mean(inside) <= 1


def test_what_does_not_fit_is_refused() -> None:
    X, y, amounts = rows(60, 0.5, 0)
    quantifier = ProbabilityAverage(LogisticRegression(), cv=3).fit(X, y)
    with pytest.raises(InputError) as caught:
        class_totals(quantifier, X, amounts[1:])
    assert str(caught.value) == "amounts must have 60 values, one per row of X, got 59; pass one amount per row."
    nothing = class_totals(quantifier, X, np.zeros(60), resamples=100)
    assert [nothing[code].estimate for code in (0, 1)] == [0, 0]

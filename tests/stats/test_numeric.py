"""Errors of numbers, against scikit-learn and scipy."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from scipy.stats import pearsonr
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score

from shiftproof.core import InputError
from shiftproof.stats import numeric_error
from shiftproof.stats._numeric import NumericError

RNG = np.random.default_rng(0)
ACTUAL = RNG.gamma(2, size=300)
PREDICTED = ACTUAL + RNG.normal(size=300) * 0.5
EXPECTED = {
    "absolute": mean_absolute_error(ACTUAL, PREDICTED),
    "squared": mean_squared_error(ACTUAL, PREDICTED),
    "root squared": mean_squared_error(ACTUAL, PREDICTED) ** 0.5,
    "relative absolute": mean_absolute_error(ACTUAL, PREDICTED) / np.abs(ACTUAL - ACTUAL.mean()).mean(),
    "relative squared": 1 - r2_score(ACTUAL, PREDICTED),
    "root relative squared": (1 - r2_score(ACTUAL, PREDICTED)) ** 0.5,
    "correlation": pearsonr(ACTUAL, PREDICTED).statistic,
}


@pytest.mark.parametrize("error", get_args(NumericError))
def test_every_error_is_that_of_other_libraries_and_lies_in_its_interval(error: NumericError) -> None:
    found = numeric_error(ACTUAL, PREDICTED, error, n_resamples=500)
    assert found.estimate == pytest.approx(EXPECTED[error])
    assert found.low < found.estimate < found.high


def test_the_interval_of_a_mean_is_nearly_the_normal_one() -> None:
    found = numeric_error(ACTUAL, PREDICTED, "squared")
    squares = (ACTUAL - PREDICTED) ** 2
    assert found.width == pytest.approx(2 * 1.96 * squares.std(ddof=1) / 300**0.5, rel=0.1)


@pytest.mark.parametrize(
    ("actual", "predicted", "error", "message"),
    [
        (
            [1.0, 2.0],
            [1.0],
            "absolute",
            "predicted must have 2 values, one per actual value, got 1; pass equal lengths.",
        ),
        ([1.0, 1.0], [1.0, 2.0], "correlation", "actual must hold at least two different numbers"),
        ([1.0, 2.0], [1.0, 2.0], "relativ", "error must be one of"),
    ],
)
def test_bad_input_gets_one_sentence(actual: list[float], predicted: list[float], error: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        numeric_error(actual, predicted, error)  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)

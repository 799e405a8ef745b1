"""Calibration: scikit-learn's bins, Wilson's intervals, Murphy's parts."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from sklearn import calibration

from shiftproof.core import InputError
from shiftproof.measures._calibration import calibration_curve
from shiftproof.plots import own_figure
from shiftproof.stats import wilson

RNG = np.random.default_rng(0)
P = RNG.beta(0.7, 1.4, 500)
Y = RNG.uniform(size=500) < P
BASE: dict[str, Any] = {"y": [0, 1], "scores": [0.2, 0.7]}


@pytest.mark.parametrize("bins", [2, 10, 33])
@pytest.mark.parametrize(("equal", "strategy"), [("mass", "quantile"), ("width", "uniform")])
def test_bins_are_those_of_scikit_learn(equal: Any, strategy: str, bins: int) -> None:
    curve = calibration_curve(Y, P, bins=bins, equal=equal)
    observed, predicted = calibration.calibration_curve(Y, P, n_bins=bins, strategy=strategy)
    np.testing.assert_allclose(curve.observed, observed, atol=1e-12)
    np.testing.assert_allclose(curve.predicted, predicted, atol=1e-12)


def test_each_bin_has_wilsons_interval() -> None:
    curve = calibration_curve(Y, P, level=0.9)
    for rate, n, low, high in zip(curve.observed, curve.weight, curve.low, curve.high, strict=True):
        expected = wilson(rate * n, n, level=0.9)
        assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_calibrated_probabilities_are_mostly_inside() -> None:
    rng, inside = np.random.default_rng(1), []
    for _ in range(100):
        p = rng.uniform(size=1000)
        curve = calibration_curve(rng.uniform(size=1000) < p, p)
        inside.append((curve.low <= curve.predicted) & (curve.predicted <= curve.high))
    assert 0.93 < np.mean(inside) < 0.97


def test_parts_add_up_to_the_brier_score_of_the_bins() -> None:
    grouped = np.round(P, 1)  # one probability per bin: the decomposition is exact
    curve = calibration_curve(Y, grouped, bins=1000, equal="width")
    brier = float(np.mean((grouped - Y) ** 2))
    assert curve.reliability - curve.resolution + curve.uncertainty == pytest.approx(brier, abs=1e-12)


def test_weights_count_as_repeats() -> None:
    times = np.random.default_rng(2).integers(0, 3, 500)
    weighted = calibration_curve(Y, P, sample_weight=times, equal="width")
    repeated = calibration_curve(np.repeat(Y, times), np.repeat(P, times), equal="width")
    np.testing.assert_allclose(weighted.observed, repeated.observed)
    np.testing.assert_allclose(weighted.weight, repeated.weight)
    assert (weighted.high - weighted.low >= repeated.high - repeated.low - 1e-12).all()


@pytest.mark.parametrize("equal", ["mass", "width"])
def test_odd_tables(equal: Any) -> None:
    one = calibration_curve([1], [0.3], equal=equal)
    assert (one.predicted.tolist(), one.observed.tolist()) == ([0.3], [1.0])
    same = calibration_curve([0, 0, 1, 0], [0.25] * 4, equal=equal)
    assert (same.predicted.tolist(), same.observed.tolist(), same.reliability) == ([0.25], [0.25], 0.0)
    none = calibration_curve([0, 0], [0.0, 1.0], equal=equal)
    assert none.observed.tolist() == [0.0, 0.0]


def test_shown_as_table_dict_words_and_chart() -> None:
    curve = calibration_curve(Y, P)
    assert len(curve.to_frame()) == 10
    json.dumps(curve.to_dict(), allow_nan=False)
    assert curve.summary().endswith(
        "of 10 bins the mean probability lies outside the 95% interval for the observed rate."
    )
    ax = curve.plot(own_figure(size=(4, 4)).subplots())
    assert ax.get_xlabel() == "mean predicted probability"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {"scores": [0.5, 1.5]},
            "scores must lie between 0 and 1, got 1.5; "
            "turn decision values into probabilities first, or divide percentages by 100.",
        ),
        (
            {"scores": [0.5, math.nan]},
            "scores must be finite, got nan; drop or fill the 1 missing or infinite value first.",
        ),
        ({"bins": 0}, "bins must be a whole number of at least 1; got 0."),
        ({"equal": "masses"}, "equal must be one of 'mass', 'width'; got 'masses'. Did you mean 'mass'?"),
    ],
)
def test_refusals_in_words(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        calibration_curve(**BASE | given)
    assert str(caught.value) == sentence

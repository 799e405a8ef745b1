"""Counting under prior shift, its adjustment, and the scaling of figure 3.3."""

from __future__ import annotations

import json
import math
import os
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftproof.core import InputError
from shiftproof.losses import adjusted, scaling, trend
from shiftproof.plots import own_figure

LONGER = int(os.environ.get("SIMULATIONS", "1"))
shares = st.floats(0, 1)


def test_equation_3_4_sends_04_to_017_whatever_the_caption_of_figure_3_3_says() -> None:
    found = scaling([0.4, 0.54, 0.8], positives=0.9, negatives=0.3)
    np.testing.assert_allclose(found.scaled, [1 / 6, 0.4, 5 / 6])
    assert abs(found.scaled[0] - 0.23) > 0.06
    np.testing.assert_array_equal(found.to_frame()["scaled"], found.scaled)
    json.dumps(found.to_dict(), allow_nan=False)


def test_numbers_give_numbers_and_shapes_stay() -> None:
    assert adjusted(0.54, 0.9, 0.3) == pytest.approx(0.4)
    assert isinstance(adjusted(0.54, 0.9, 0.3), float)
    assert adjusted([[0.1, 0.5], [0.5, 0.95]], 0.9, 0.3).tolist() == [
        [0, pytest.approx(1 / 3)],
        [pytest.approx(1 / 3), 1],
    ]


@given(p=shares, rates=st.tuples(shares, shares).filter(lambda pair: pair[0] > pair[1] + 1e-3))
def test_adjusting_undoes_counting(p: float, rates: tuple[float, float]) -> None:
    tpr, fpr = rates
    found = trend([p], tpr, fpr)
    assert found.counted[0] == pytest.approx(tpr * p + fpr * (1 - p))
    assert found.adjusted[0] == pytest.approx(p, abs=1e-9)


@given(p=shares, rates=st.tuples(shares, shares).filter(lambda pair: 1e-3 < pair[0] - pair[1] < 0.999))
def test_forman_s_theorem(p: float, rates: tuple[float, float]) -> None:
    found = trend([p], *rates)
    gap = found.counted[0] - p
    assert found.unmoved == pytest.approx(rates[0] * found.unmoved + rates[1] * (1 - found.unmoved))
    assert gap == pytest.approx(0, abs=1e-9) if p == found.unmoved else gap * (p - found.unmoved) <= 1e-12


def test_the_bands_cover() -> None:
    rng, times = np.random.default_rng(0), 4000 * LONGER
    p, tpr, fpr, rows, positives, negatives = 0.4, 0.8, 0.1, 300, 80, 120
    found = trend([p], tpr, fpr, sample_size=rows, train_positives=positives, train_negatives=negatives, level=0.9)
    counted = rng.binomial(rows, found.counted[0], times) / rows
    high, low = rng.binomial(positives, tpr, times) / positives, rng.binomial(negatives, fpr, times) / negatives
    estimates = (counted - low) / (high - low)
    for values, lower, upper in (
        (counted, found.counted_low, found.counted_high),
        (estimates, found.adjusted_low, found.adjusted_high),
    ):
        assert abs(((lower[0] <= values) & (values <= upper[0])).mean() - 0.9) < 0.02


def test_fewer_training_rows_widen_the_adjusted_band_only() -> None:
    many, few = (trend([0.3], 0.8, 0.1, train_positives=n, train_negatives=n) for n in (1000, 50))
    assert few.adjusted_high[0] - few.adjusted_low[0] > many.adjusted_high[0] - many.adjusted_low[0]
    np.testing.assert_array_equal(few.counted_low, many.counted_low)


def test_a_perfect_classifier_is_right_everywhere() -> None:
    found = trend([0.0, 0.2, 1.0], 1.0, 0.0)
    assert math.isnan(found.unmoved)
    np.testing.assert_array_equal(found.counted, found.true)
    assert found.summary() == "Counting is off by up to 0.000 on average; adjusted counting is right on average."
    json.dumps(found.to_dict(), allow_nan=False)


def test_trend_and_scaling_summary_and_to_frame() -> None:
    found = trend([0.1, 0.9], 0.8, 0.1)
    assert found.summary() == (
        "Counting is off by up to 0.170 on average and right only at a prevalence of 0.333; "
        "adjusted counting is right on average."
    )
    assert list(found.to_frame()) == [
        "true", "counted", "counted_low", "counted_high", "adjusted", "adjusted_low", "adjusted_high",
    ]  # fmt: skip


def test_trend_and_scaling_plot_draw_on_the_given_axes() -> None:
    for found in (trend([0.1, 0.9], 0.8, 0.1), trend([0.1], 1, 0), scaling([0.5], 0.9, 0.3)):
        ax = own_figure(size=(4, 3)).subplots()
        assert found.plot(ax) is ax


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: adjusted(0.5, 0.3, 0.3),
            "tpr must be above fpr, 0.3, got 0.3; "
            "positives must score higher than negatives for an adjustment to exist.",
        ),
        (
            lambda: scaling([0.5], 0.2, 0.3),
            "positives must be above negatives, 0.3, got 0.2; "
            "positives must score higher than negatives for an adjustment to exist.",
        ),
        (
            lambda: adjusted(0.5, 80, 0.1),
            "tpr must be one number between 0 and 1, got 80; divide percentages by 100.",
        ),
        (
            lambda: adjusted(0.5, 0.8, math.nan),
            "fpr must be one number between 0 and 1, got nan; divide percentages by 100.",
        ),
        (
            lambda: trend([0.5, 1.5], 0.8, 0.1),
            "prevalence must lie between 0 and 1, got 1.5; divide percentages by 100.",
        ),
        (
            lambda: trend([0.5], 0.8, 0.1, train_positives=0),
            "train_positives must be a whole number of at least 1; got 0.",
        ),
        (
            lambda: adjusted([0.5, math.nan], 0.8, 0.1),
            "estimated must be finite, got nan; drop or fill the 1 missing or infinite value first.",
        ),
        (lambda: trend([], 0.8, 0.1), "prevalence must hold at least 1 value, got 0; add observations."),
    ],
)
def test_bad_input_gets_one_sentence(call: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        call()

"""Lift and cumulative hits: the slides' numbers, ties shared out, an interval that covers."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
import pytest
from scipy import optimize, special

from shiftproof.core import InputError
from shiftproof.measures._lift import lift_at, lift_curve
from shiftproof.plots import own_figure

LONGER = int(os.environ.get("SIMULATIONS", "1"))
# 21 of 100 targets in the first 50 of 1,000
LIST = np.repeat([1, 0, 1, 0], [21, 29, 79, 871])
SCORES = -np.arange(1000)


def test_21_percent_of_the_targets_in_the_first_5_percent_is_lift_4_2() -> None:
    curve = lift_curve(LIST, SCORES)
    assert curve.at(0.05) == pytest.approx(4.2, abs=1e-12)
    assert np.interp(0.05, curve.share, curve.cph) == pytest.approx(0.21, abs=1e-12)
    assert lift_at(LIST, SCORES, 0.05).estimate == pytest.approx(4.2, abs=1e-12)


def test_3_of_15_targets_in_the_first_5_percent_is_a_fifth() -> None:
    y = np.repeat([1, 0, 1, 0], [3, 2, 12, 83])
    curve = lift_curve(y, -np.arange(100))
    assert np.interp(0.05, curve.share, curve.cph) == pytest.approx(0.2)
    assert np.interp(0.05, curve.share, curve.gains) == pytest.approx(3)


@pytest.mark.parametrize("seed", range(5))
def test_the_whole_list_has_lift_1(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y, scores = rng.integers(0, 2, 100), np.round(rng.normal(size=100), seed)
    assert lift_curve(y, scores).at(1.0) == 1
    whole = lift_at(y, scores, 1.0)
    assert (whole.estimate, whole.low, whole.high) == (1, 1, 1)


def test_a_random_list_has_cph_p_on_average() -> None:
    rng, shares = np.random.default_rng(0), np.array([0.05, 0.2, 0.5, 0.9])
    y = np.repeat([1, 0], [30, 270])
    found = []
    for _ in range(2000):
        curve = lift_curve(y, rng.uniform(size=300))
        found.append(np.interp(shares, curve.share, curve.cph))
    np.testing.assert_allclose(np.mean(found, axis=0), shares, atol=0.008)


def test_an_inverted_model_lifts_below_1() -> None:
    lift = lift_at(LIST, -SCORES, 0.05)
    assert lift.estimate == 0
    assert 0 < lift.high < 1
    assert (lift_curve(LIST, -SCORES).lift[:-1] < 1).all()


def test_ties_are_shared_out_not_ordered_by_luck() -> None:
    rng = np.random.default_rng(0)
    y, scores = rng.integers(0, 2, 200), rng.integers(0, 4, 200)
    shuffled = rng.permutation(200)
    curve, other = lift_curve(y, scores), lift_curve(y[shuffled], scores[shuffled])
    np.testing.assert_array_equal(curve.cph, other.cph)
    broken = []
    for _ in range(2000):
        at = lift_curve(y, scores + rng.uniform(0, 0.5, 200))
        broken.append(np.interp(0.15, at.share, at.cph))
    assert np.interp(0.15, curve.share, curve.cph) == pytest.approx(np.mean(broken), abs=0.002)


def test_equal_scores_lift_nothing_for_sure() -> None:
    lift = lift_at([0, 1, 0, 1], [0.5] * 4, 0.3)
    assert (lift.estimate, lift.low, lift.high) == pytest.approx((1, 1, 1))


def test_weights_count_as_repeats() -> None:
    rng = np.random.default_rng(1)
    y, scores, times = rng.integers(0, 2, 50), rng.normal(size=50), rng.integers(0, 4, 50)
    weighted, repeated = (
        lift_curve(y, scores, sample_weight=times),
        lift_curve(np.repeat(y, times), np.repeat(scores, times)),
    )
    np.testing.assert_allclose(weighted.cph, repeated.cph)
    assert weighted.at(0.1) == pytest.approx(repeated.at(0.1))
    assert 0.9 < lift_at(y, scores, 0.5, sample_weight=times).width / lift_at(y, scores, 0.5).width < 2


def test_a_single_row() -> None:
    assert lift_curve([1], [0.3]).at(0.5) == 1
    assert lift_at([1], [0.3], 1.0).estimate == 1


@pytest.mark.parametrize(
    ("prevalence", "gap", "n"), [(0.05, 1.5, 1000), (0.2, 1.0, 1000), (0.1, 2.0, 3000), (0.4, 0.0, 1000)]
)
def test_the_interval_at_5_percent_covers(prevalence: float, gap: float, n: int) -> None:
    rng, times, share = np.random.default_rng(n), 1500 * LONGER, 0.05
    cut: Any = optimize.brentq(
        lambda c: prevalence * special.ndtr(gap - c) + (1 - prevalence) * special.ndtr(-c) - share, -9, 9
    )
    truth = float(special.ndtr(gap - cut)) / share
    found = 0
    for _ in range(times):
        y = rng.uniform(size=n) < prevalence
        found += truth in lift_at(y, rng.normal(size=n) + gap * y, share)
    assert 0.93 - 1.5 / times**0.5 * 0.22 <= found / times <= 0.97 + 1.5 / times**0.5 * 0.22


def test_the_interval_stays_in_range() -> None:
    rng = np.random.default_rng(0)
    for n in (5, 20, 100):
        for _ in range(50):
            y = np.append(1, rng.integers(0, 2, n))
            lift = lift_at(y, rng.normal(size=n + 1), 0.1)
            assert 0 <= lift.low <= lift.estimate <= lift.high <= 10 + 1e-9


def test_shown_as_table_dict_words_and_charts() -> None:
    curve = lift_curve(LIST, SCORES)
    assert list(curve.to_frame().columns) == ["share", "cph", "lift", "gains", "threshold"]
    json.dumps(curve.to_dict(), allow_nan=False)
    assert curve.summary().endswith("of the list (lift 4.20 at 5%).")
    ax = curve.plot(own_figure(size=(4, 4)).subplots(), name="tree")
    assert [line.get_label() for line in ax.lines] == ["random list", "perfect list", "tree"]
    ax = curve.plot(own_figure(size=(4, 4)).subplots(), of="lift")
    assert ax.get_ylabel() == "lift (multiple of the chance rate)"


@pytest.mark.parametrize("share", [0, -0.1, 1.01, float("nan"), "5%", True])
def test_shares_outside_are_refused_in_words(share: Any) -> None:
    with pytest.raises(InputError) as caught:
        lift_at(LIST, SCORES, share)
    hint = "0.05 means the first 5% of the list"
    assert str(caught.value) == f"share must be above 0 and at most 1, got {share!r}; {hint}."


def test_a_list_without_targets_is_refused_in_words() -> None:
    with pytest.raises(InputError) as caught:
        lift_curve([0, 0], [0.1, 0.2])
    assert str(caught.value) == "y must hold a positive, got 2 negative rows; without one there is no lift."

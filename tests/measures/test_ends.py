from __future__ import annotations

import math

import numpy as np
import pytest

from shiftproof.core import Interval
from shiftproof.measures._ends import around, logit_ends, recovered, smooth_ends, spread, student, undefined
from shiftproof.measures._scores import IntervalPlan, Scores
from shiftproof.stats import newcombe, wilson


def test_recovery_of_a_difference_is_newcombes_interval() -> None:
    one, two = wilson(9, 10), wilson(3, 10)
    truth = newcombe(9, 10, 3, 10)
    assert recovered(lambda r: r[0] - r[1], [one, two]) == pytest.approx((truth.low, truth.high), abs=1e-14)


def test_recovery_of_one_rate_is_its_own_interval() -> None:
    rate = wilson(9, 10)
    assert recovered(lambda r: r[0], [rate]) == pytest.approx((rate.low, rate.high), abs=1e-15)
    assert recovered(lambda r: 1 - r[0], [rate]) == pytest.approx((1 - rate.high, 1 - rate.low), abs=1e-15)


def test_the_spread_of_a_mean_is_that_of_its_rows() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=40)
    scores = Scores.of(np.zeros(40), np.full((40, 2), 0.5))
    variance, df = spread(values - values.mean(), scores)
    assert variance == pytest.approx(values.var(ddof=1) / 40, rel=1e-12)
    assert df == pytest.approx(39)


def test_whole_weights_spread_like_their_size_says() -> None:
    y, p = np.array([0, 0, 1, 1, 1]), np.full((5, 2), 0.5)
    influences = np.array([1.0, -1.0, 0.5, -0.5, 0.0])
    plain = spread(influences, Scores.of(y, p))
    assert spread(influences, Scores.of(y, p, sample_weight=np.full(5, 7.0))) == pytest.approx(plain)
    folded = spread(influences, Scores.of(y, p, folds=[0, 1, 0, 1, 0]))
    assert folded == pytest.approx((3 * plain[0], plain[1]))


def test_one_row_of_a_class_has_an_unknown_spread_unless_a_model_knows() -> None:
    scores = Scores.of([0, 0, 1], np.full((3, 2), 0.5))
    influences = np.array([0.5, -0.5, 0.0])
    assert math.isnan(spread(influences, scores)[0])
    assert spread(influences, scores, prior={0: 1.0, 1: 1.0})[0] > 0


def test_smooth_ends_are_bounded_only_where_that_is_known() -> None:
    free = smooth_ends(0.7, 0.05, 9, least_size=10, level=0.95)
    bound = smooth_ends(0.7, 0.05, 9, least_size=10, level=0.95, bounded=True)
    rate = wilson(7, 10)
    assert free == logit_ends(0.7, 0.05, 9, 0.95)
    assert bound == (rate.low, rate.high)
    assert smooth_ends(0.7, math.nan, 9, least_size=10, level=0.95) == (rate.low, rate.high)


def test_intervals_keep_to_their_limits_and_hold_their_estimate() -> None:
    kept = around(0.9, (-0.2, 0.8), IntervalPlan(), "m", remarks=("a", "b"))
    assert kept == Interval(estimate=0.9, low=0.0, high=0.9, level=0.95, method="m (a, b)")
    nothing = undefined("no positives", IntervalPlan(level=0.9), (0, math.inf))
    assert math.isnan(nothing.estimate)
    assert (nothing.low, nothing.high, nothing.level) == (0, math.inf, 0.9)


def test_students_quantile_becomes_normal() -> None:
    assert student(0.95, 1) == pytest.approx(12.7062, abs=1e-4)
    assert student(0.95, 1e7) == pytest.approx(student(0.95, 1e12), abs=1e-6)

from __future__ import annotations

import math
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn import metrics

from shiftproof.core import InputError
from shiftproof.measures._probability import brier, calibration_error, log_loss
from shiftproof.measures._scores import IntervalPlan, Scores

LONGER = int(os.environ.get("SIMULATIONS", "1"))


def _binary(y: NDArray[np.intp], p: NDArray[np.float64], **given: object) -> Scores:
    return Scores.of(y, np.column_stack([1 - p, p]), **given)  # type: ignore[arg-type]


@given(st.integers(0, 10**6), st.integers(5, 60), st.integers(2, 4), st.booleans())
@settings(max_examples=60)
def test_estimates_agree_with_scikit_learn(seed: int, n: int, k: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), rng.integers(k, size=n)])
    p = rng.dirichlet(np.full(k, 0.7), len(y))
    weights = rng.integers(0, 3, len(y)) + 0.25 if weighted else np.ones(len(y))
    scores = Scores.of(y, p, sample_weight=weights)
    # scikit-learn < 1.7 knows the Brier score of two classes only
    squares = ((p - np.eye(k)[y]) ** 2).sum(axis=1)
    truth = np.average(squares, weights=weights)
    if k == 2:
        truth = metrics.brier_score_loss(y, p[:, 1], sample_weight=weights)
    found, loss = brier(scores, IntervalPlan()), log_loss(scores, IntervalPlan())
    assert found.estimate == pytest.approx(truth, abs=1e-12)
    assert loss.estimate == pytest.approx(metrics.log_loss(y, p, sample_weight=weights), abs=1e-12)
    assert 0 <= found.low <= found.estimate <= found.high <= (1 if k == 2 else 2)
    assert 0 <= loss.low <= loss.estimate <= loss.high


def test_sure_and_wrong_costs_what_scikit_learn_says() -> None:
    y, p = np.array([0, 1, 1]), np.array([1.0, 1.0, 0.0])
    truth = metrics.log_loss(y, np.column_stack([1 - p, p]))
    found = log_loss(_binary(y, p), IntervalPlan())
    assert found.estimate == pytest.approx(truth, rel=1e-12)
    assert found.high > 36


def test_one_row_and_losses_that_are_all_alike() -> None:
    one = _binary(np.array([1]), np.array([0.7]))
    assert (log_loss(one, IntervalPlan()).low, log_loss(one, IntervalPlan()).high) == (0, math.inf)
    assert brier(one, IntervalPlan()).low <= 0.09 <= brier(one, IntervalPlan()).high < 1
    perfect = _binary(np.array([0, 1] * 20), np.array([0.0, 1.0] * 20))
    assert (brier(perfect, IntervalPlan()).estimate, brier(perfect, IntervalPlan()).low) == (0, 0)
    assert 0.05 < brier(perfect, IntervalPlan()).high < 0.15
    worst = brier(_binary(np.array([0, 1] * 20), np.array([1.0, 0.0] * 20)), IntervalPlan())
    assert (worst.estimate, worst.high) == (1, 1)


def _by_hand(y: NDArray[np.bool_], p: NDArray[np.float64], n_bins: int) -> float:
    order = np.argsort(p)
    parts = np.array_split(order, n_bins)
    return float(sum(len(rows) / len(y) * abs(y[rows].mean() - p[rows].mean()) for rows in parts))


def test_calibration_error_is_the_mean_gap_of_bins_of_equal_mass() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(200)
    y = rng.random(200) < p**2
    for n_bins in (1, 5, 10, 20):
        found = calibration_error(_binary(y.astype(int), p), IntervalPlan(), n_bins=n_bins)
        assert found.estimate == pytest.approx(_by_hand(y, p, n_bins), abs=1e-12)
        assert found.method == f"simulation, {n_bins} bin{'s' * (n_bins > 1)} with equally many rows"
        assert 0 <= found.low <= found.estimate <= found.high <= 1


def test_several_classes_are_calibrated_in_the_decided_one() -> None:
    rng = np.random.default_rng(1)
    p = rng.dirichlet([1, 1, 1], 300)
    y = np.array([rng.choice(3, p=row) for row in p])
    found = calibration_error(Scores.of(y, p), IntervalPlan())
    assert found.estimate == pytest.approx(_by_hand(p.argmax(axis=1) == y, p.max(axis=1), 10), abs=1e-12)
    assert found.low == 0


def test_tied_probabilities_share_a_bin_and_whole_weights_are_counts() -> None:
    y, p = np.array([1, 0, 1, 0, 0]), np.array([0.5, 0.5, 0.5, 0.5, 0.2])
    found = calibration_error(_binary(y, p), IntervalPlan())
    assert found.estimate == pytest.approx(0.2 * 0.2)
    weights = np.array([3, 1, 2, 2, 1])
    weighted = calibration_error(_binary(y, p, sample_weight=weights), IntervalPlan())
    repeated = calibration_error(_binary(np.repeat(y, weights), np.repeat(p, weights)), IntervalPlan())
    assert weighted.estimate == pytest.approx(repeated.estimate, abs=1e-12)
    exact = calibration_error(_binary(np.array([0, 1]), np.array([0.5, 0.5])), IntervalPlan())
    assert exact.estimate == exact.low == 0
    assert exact.high > 0.3
    with pytest.raises(InputError, match=r"^n_bins must be a whole number of at least 1, got 0; 10 is usual\.$"):
        calibration_error(_binary(y, p), IntervalPlan(), n_bins=0)


def test_folds_widen_every_interval() -> None:
    rng = np.random.default_rng(2)
    p = rng.random(400)
    y = (rng.random(400) < p).astype(int)
    plain, folded = _binary(y, p), _binary(y, p, folds=np.arange(400) % 10)
    for measure in (brier, log_loss):
        found = measure(folded, IntervalPlan())
        assert found.width == pytest.approx(measure(plain, IntervalPlan()).width * math.sqrt(1 + 10 / 9), rel=0.05)
        assert "nadeau-bengio over 10 folds" in found.method
    assert calibration_error(folded, IntervalPlan()).width >= calibration_error(plain, IntervalPlan()).width
    plain, folded = _binary(y, p**2), _binary(y, p**2, folds=np.arange(400) % 10)
    assert calibration_error(folded, IntervalPlan()).width > 1.2 * calibration_error(plain, IntervalPlan()).width


@pytest.mark.parametrize(("n", "prevalence"), [(200, 0.1), (200, 0.5), (2000, 0.05)])
def test_intervals_of_mean_losses_cover(n: int, prevalence: float) -> None:
    rng, times = np.random.default_rng(n), 1000 * LONGER

    def draw(size: int) -> Scores:
        y = rng.random(size) < prevalence
        odds = np.exp(1.5 * (rng.normal(size=size) + 1.5 * y) - 1.125) * prevalence / (1 - prevalence)
        return _binary(y.astype(int), odds / (1 + odds))

    many = draw(400_000)
    for measure in (brier, log_loss):
        truth = measure(many, IntervalPlan()).estimate
        hits = np.mean([truth in measure(draw(n), IntervalPlan()) for _ in range(times)])
        error = 3 * math.sqrt(0.05 * 0.95 / times)
        assert 0.94 - error < hits < 0.96 + error


@pytest.mark.parametrize(("power", "least"), [(1.0, 0.95), (2.0, 0.92)])
def test_calibration_intervals_cover(power: float, least: float) -> None:
    rng, times, plan = np.random.default_rng(5), 300 * LONGER, IntervalPlan(n_resamples=200)

    def draw(size: int) -> Scores:
        p = rng.random(size)
        return _binary((rng.random(size) < p**power).astype(int), p)

    truth = 0.0 if power == 1 else calibration_error(draw(400_000), plan).estimate
    hits = np.mean([truth in calibration_error(draw(500), plan) for _ in range(times)])
    assert hits > least - 3 * math.sqrt(0.05 * 0.95 / times)

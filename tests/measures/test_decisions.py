"""Profit curves, decision curves, and best cuts that do not flatter themselves."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
import pytest

from shiftproof.core import InputError
from shiftproof.measures._benefit import Benefit
from shiftproof.measures._decisions import best_list_size, best_threshold, net_benefit_curve, profit_curve
from shiftproof.plots import own_figure

LONGER = int(os.environ.get("SIMULATIONS", "1"))
FIVE = Benefit(tp=5, fp=-1)


def sample(n: int, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    p = rng.uniform(size=n)
    return (rng.uniform(size=n) < p).astype(int), p


def test_the_curve_agrees_with_totals() -> None:
    y, p = sample(60)
    p = np.round(p, 1)
    table = {"gift": np.random.default_rng(1).gamma(2, 3, 60)}
    benefit = Benefit(tp="gift", fp=-2, fn=-1, tn=0.5)
    curve = profit_curve(y, p, benefit, table=table)
    for threshold, share, profit, low, high in zip(
        curve.thresholds, curve.share, curve.profit, curve.low, curve.high, strict=True
    ):
        total = benefit.total(y, p >= threshold, table)
        assert share == pytest.approx(float((p >= threshold).mean()))
        assert (profit, low, high) == pytest.approx((total.estimate, total.low, total.high))


def test_weights_count() -> None:
    y, p = sample(50)
    weights = np.random.default_rng(0).integers(1, 4, 50)
    curve = profit_curve(y, p, FIVE, sample_weight=weights)
    assert curve.profit[-1] == pytest.approx(FIVE.total(y, np.ones(50), sample_weight=weights).estimate)
    assert curve.share[1] == pytest.approx(weights[np.argmax(p)] / weights.sum())


def test_a_curve_of_one_row() -> None:
    curve = profit_curve([1], [0.5], FIVE)
    assert curve.profit.tolist() == [0, 5]
    assert curve.low.tolist() == [-np.inf, -np.inf]
    json.dumps(curve.to_dict(), allow_nan=False)


def test_net_benefit_is_the_formula() -> None:
    y, p = sample(300)
    curve = net_benefit_curve(y, p)
    assert len(curve.thresholds) == 99
    for t, net, everyone in zip(curve.thresholds, curve.net_benefit, curve.treat_all, strict=True):
        called = p >= t
        tp, fp = (called & (y == 1)).mean(), (called & (y == 0)).mean()
        assert net == pytest.approx(tp - fp * t / (1 - t))
        assert everyone == pytest.approx(y.mean() - (1 - y.mean()) * t / (1 - t))
    assert (curve.low <= curve.net_benefit).all()
    assert (curve.net_benefit <= curve.high).all()


def test_net_benefit_with_weights_is_that_of_repeats() -> None:
    y, p = sample(80)
    times = np.random.default_rng(3).integers(0, 3, 80)
    weighted = net_benefit_curve(y, p, sample_weight=times)
    repeated = net_benefit_curve(np.repeat(y, times), np.repeat(p, times))
    np.testing.assert_allclose(weighted.net_benefit, repeated.net_benefit, atol=1e-12)


def test_net_benefit_covers() -> None:
    rng, at, times = np.random.default_rng(0), np.array([0.2, 0.5, 0.7]), 1000 * LONGER
    truth = (1 - at**2) / 2 - (1 - at) ** 2 / 2 * at / (1 - at)
    found = np.zeros(3)
    for _ in range(times):
        p = rng.uniform(size=400)
        curve = net_benefit_curve(rng.uniform(size=400) < p, p, thresholds=at)
        found += (curve.low <= truth) & (truth <= curve.high)
    assert (np.abs(found / times - 0.95) < 0.03).all(), found / times


def test_the_best_threshold_is_the_best_of_these_rows() -> None:
    y, p = sample(300)
    best = best_threshold(y, p, FIVE, random_state=0)
    curve = profit_curve(y, p, FIVE)
    assert best.apparent == curve.profit.max() == FIVE.total(y, p >= best.threshold).estimate
    assert best.share == pytest.approx(float((p >= best.threshold).mean()))
    assert best.profit.method == "out of bag, t, skewness removed"
    again = best_threshold(y, p, FIVE, random_state=0)
    assert again.profit == best.profit


@pytest.mark.parametrize("find", [best_threshold, best_list_size])
def test_the_profit_told_is_the_profit_to_come(find: Any) -> None:
    rng, n, times = np.random.default_rng(0), 300, 150 * LONGER
    covered, told, true, apparent = 0, [], [], []
    for _ in range(times):
        p = rng.uniform(size=n)
        best = find(rng.uniform(size=n) < p, p, FIVE, n_resamples=60, random_state=rng)
        cut = min(best.threshold, 1.0) if find is best_threshold else 1 - best.share
        true.append(n * (3 * (1 - cut**2) - (1 - cut)))  # of uniform p, in the long run
        told.append(best.profit.estimate)
        apparent.append(best.apparent)
        covered += true[-1] in best.profit
    assert 0.90 <= covered / times <= 0.995
    assert np.mean(apparent) > np.mean(true) > np.mean(told) - 3
    assert abs(np.mean(told) - np.mean(true)) < 10


def test_useless_scores_promise_nothing() -> None:
    rng, coin, told, apparent = np.random.default_rng(0), Benefit(tp=1, fp=-1), [], []
    for _ in range(60 * LONGER):
        best = best_threshold(
            rng.uniform(size=200) < 0.5, rng.uniform(size=200), coin, n_resamples=60, random_state=rng
        )
        told.append(best.profit.estimate)
        apparent.append(best.apparent)
    assert np.mean(apparent) > 8
    assert abs(np.mean(told)) < 4


def test_where_nothing_pays_nobody_is_called() -> None:
    y, p = sample(50)
    best = best_threshold(y, p, Benefit(tp=-1, fp=-1), random_state=0)
    assert (best.threshold, best.share, best.apparent, best.profit.estimate) == (np.inf, 0, 0, 0)


def test_equal_scores_take_all_or_none() -> None:
    for find in (best_threshold, best_list_size):
        best = find([1, 1, 0, 1], [0.5] * 4, FIVE, random_state=0)
        assert (best.threshold, best.share, best.apparent) == (0.5, 1, 14)


def test_shown_as_tables_words_and_charts() -> None:
    y, p = sample(200)
    profit, net = profit_curve(y, p, FIVE), net_benefit_curve(y, p)
    assert list(profit.to_frame().columns) == ["threshold", "share", "profit", "low", "high"]
    assert list(net.to_frame().columns) == ["threshold", "net_benefit", "low", "high", "treat_all"]
    assert profit.summary().startswith("Calling nobody positive brings 0.00; calling everybody ")
    assert net.summary().startswith(
        "The model is better than both always acting and never acting at thresholds from 0."
    )
    hopeless = net_benefit_curve([0, 0, 1], [0.9, 0.8, 0.1], thresholds=[0.5, 0.7])
    assert hopeless.summary() == "At every threshold, always acting or never acting is at least as good as the model."
    for over, xlabel in (("share", "share of the list called positive (%)"), ("threshold", "threshold of the score")):
        ax = profit.plot(own_figure(size=(4, 4)).subplots(), over=over)  # type: ignore[arg-type]
        assert ax.get_xlabel() == xlabel
    ax = net.plot(own_figure(size=(4, 4)).subplots())
    assert [str(line.get_label()) for line in ax.lines] == ["act never", "act always", "model"]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: best_threshold([1], [0.5], FIVE),
            "y must hold at least 2 rows to choose a cut, got 1; add observations.",
        ),
        (
            lambda: best_list_size([1, 0], [0.5, 0.1], FIVE, n_resamples=10),
            "n_resamples must be a whole number of at least 50; got 10.",
        ),
        (
            lambda: profit_curve([1, 0], [0.5, 0.1], 5),  # type: ignore[arg-type]
            "benefit must be a Benefit, got 5; make one with Benefit(tp=..., fp=..., fn=..., tn=...).",
        ),
        (
            lambda: net_benefit_curve([1, 0], [0.5, 0.1], thresholds=[0.5, 1.0]),
            "thresholds must lie strictly between 0 and 1, got 1.0; drop it.",
        ),
        (
            lambda: net_benefit_curve([1, 0], [0.5, 2.0]),
            "probabilities must lie between 0 and 1, got 2; "
            "turn decision values into probabilities first, or divide percentages by 100.",
        ),
    ],
)
def test_refusals_in_words(call: Any, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value) == sentence

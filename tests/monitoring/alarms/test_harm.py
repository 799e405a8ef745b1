from __future__ import annotations

import math

import numpy as np
import pytest

from shiftproof.monitoring.alarms._evidence import Experts
from shiftproof.monitoring.alarms._harm import (
    Bias,
    HarmBets,
    bet_on_estimate,
    bet_on_labels,
    bet_on_strata,
    lowered_floor,
)


def evidence_of(bets: list[np.ndarray]) -> list[float]:
    experts = Experts.of([np.full(5, 0.2)])
    wealth, evidence = experts.none(), []
    for batch, log_e in enumerate(bets, 1):
        wealth = experts.grow(wealth, log_e, batch, "ever")
        evidence.append(float(np.exp(experts.evidence(wealth, batch, "ever")[0])))
    return evidence


def test_estimates_without_labels_have_the_golden_evidence() -> None:
    assert lowered_floor(0.8, 0.04, 0.05) == pytest.approx(0.72160144)
    bets = HarmBets.of(0.8, 0.04, 0.05)
    assert bets.floor == 0.8
    assert bets.lowered == pytest.approx(0.72160144)
    evidence = evidence_of([bet_on_estimate(bets.lowered, accuracy, 0.0008) for accuracy in (0.66, 0.65)])
    assert evidence == pytest.approx([2.090749, 21.216105], abs=5e-6)
    assert bets.log_e(0.66, 0.02) == pytest.approx(bet_on_estimate(bets.lowered, 0.66, 0.0008))


def test_labels_have_the_golden_evidence() -> None:
    assert evidence_of([bet_on_labels(0.8, right, 10) for right in (5, 4)]) == pytest.approx(
        [2.316104, 42.014682], abs=5e-7
    )


def test_labels_at_the_floor_are_fair_bets() -> None:
    rng = np.random.default_rng(0)
    e = np.exp([bet_on_labels(0.8, int(right), 20) for right in rng.binomial(20, 0.8, 20_000)])
    assert e[:, :3].mean(axis=0) == pytest.approx([1, 1, 1], abs=0.05)


def test_bias_has_the_golden_values() -> None:
    first = Bias.unknown(0.04).step(0.04, 0.06, 20)
    second = first.step(0.04, 0.05, 20)
    assert (first.mean, math.sqrt(first.variance)) == pytest.approx((0.010667, 0.036271), abs=5e-7)
    assert (second.mean, math.sqrt(second.variance)) == pytest.approx((0.016535, 0.033482), abs=5e-7)


def test_bias_without_labels_returns_to_what_is_known_without_them() -> None:
    known = Bias(0.05, 0.0001)
    for _ in range(1000):
        known = known.step(0.04)
    assert known.mean == pytest.approx(0, abs=1e-5)
    assert math.sqrt(known.variance) == pytest.approx(0.04)
    assert known.lowered_floor(0.8, 0.05) == pytest.approx(0.8 - 2.241403 * 0.04, abs=1e-6)


def test_strata_bet_more_the_lower_the_weighted_mean() -> None:
    assert bet_on_strata(0.8, 0.8, 2.0, 0.5) == 0
    assert bet_on_strata(0.8, 0.4, 2.0, 0.5) == pytest.approx(math.log(1 + 0.5 / 1.2 * 0.4))
    assert bet_on_strata(0.8, 2.0, 2.0, 0.99) == pytest.approx(math.log(0.01))


def test_a_bias_within_the_allowance_never_becomes_sure() -> None:
    bets = HarmBets.of(0.8, 0.04, 0.05)
    # The accuracy is at the floor, and every batch repeats an estimate that is 0.07 too low.
    assert max(evidence_of([bets.log_e(0.73, 0.01)] * 500)) < 1

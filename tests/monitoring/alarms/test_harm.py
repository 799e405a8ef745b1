from __future__ import annotations

import math

import numpy as np
import pytest

from shiftproof.monitoring.alarms._evidence import Experts, Mode
from shiftproof.monitoring.alarms._harm import (
    Bias,
    HarmBets,
    LabelFacts,
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


def test_late_labels_say_less_of_the_bias_now() -> None:
    unknown = Bias.unknown(0.04)
    fresh, old, ancient = (unknown.learn(0.04, 0.06, 20, age=age) for age in (0, 50, 2000))
    assert 0.06 > fresh.mean > old.mean > ancient.mean
    assert ancient.mean == pytest.approx(0, abs=1e-6)
    assert ancient.variance == pytest.approx(0.04**2)
    # As many steps later, what labels of that time said is worth the same whenever they came.
    later = fresh
    for _ in range(50):
        later = later.step(0.04)
    assert (old.mean, old.variance) == pytest.approx((later.mean, later.variance))


def test_floors_near_zero_are_no_bet() -> None:
    assert bet_on_labels(0.0, 3, 10).tolist() == [0.0] * 5
    assert np.isfinite(bet_on_labels(0.02, 0, 10)).all()


def labels(right: int, labelled: int = 20, *, residual: float = 0.0, counts: bool = True) -> LabelFacts:
    return LabelFacts(right=right, labelled=labelled, residual=residual, row_variance=0.16, counts=counts)


def test_labels_alone_are_evidence_in_the_order_in_which_they_come() -> None:
    bets, expected = HarmBets.of(0.8, 0.04, 0.05), evidence_of([bet_on_labels(0.8, right, 10) for right in (5, 4)])
    arrays, known = bets.begin(), []
    for right in (5, 4):
        bets.learn(arrays, labels(right, 10), "ever")
        known.append(math.exp(bets.evidence(arrays, 0, "ever").by_labels))
    assert known == pytest.approx(expected)


def test_labels_of_a_closed_incident_show_the_bias_and_are_no_evidence() -> None:
    bets = HarmBets.of(0.8, 0.04, 0.05)
    arrays = bets.begin()
    bets.learn(arrays, labels(2, residual=0.3, counts=False), "ever")
    assert bets.evidence(arrays, 0, "ever").by_labels == 0
    assert arrays["bias"][0] > 0.03


@pytest.mark.parametrize(("mode", "less"), [("ever", 0.0), ("run length", math.log(2))])
def test_two_ways_to_an_alarm_share_what_one_had(mode: Mode, less: float) -> None:
    bets = HarmBets.of(0.8, 0.04, 0.05)
    arrays = bets.begin()
    arrays["harm"] = np.full(5, 3.0)
    assert bets.evidence(arrays, 10**9, mode).larger == pytest.approx(3.0, abs=2e-3)
    bets.learn(arrays, labels(16, counts=False), mode)
    arrays |= {"harm corrected": np.full(5, 2.0), "harm labelled": np.full(5, 1.0)}
    arrays["label steps"][0] = 10**9
    both = bets.evidence(arrays, 10**9, mode)
    assert (both.by_estimates, both.by_labels) == pytest.approx((2.0 - math.log(2), 1.0 - less), abs=0.02)
    assert both.larger == both.by_estimates

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri
from tests.monitoring.alarms._plans import batch_facts, category_plan, number_plan, two_columns

from shiftproof.detection import MATERIAL
from shiftproof.monitoring.alarms._evidence import Experts
from shiftproof.monitoring.alarms._material import (
    DISTANCE,
    MISSING,
    HellingerBets,
    MaterialBets,
    ShareBets,
    cut_limits,
    missing_limits,
    pooled_levels,
)


def test_limits_are_those_of_detect() -> None:
    assert MATERIAL["ks"] == MATERIAL["chi-square"] == DISTANCE
    assert MATERIAL["missing"] == MISSING


def test_cuts_have_the_golden_evidence() -> None:
    bets = ShareBets.above(cut_limits(np.array([0.25, 0.5, 0.75]), 1000, 1.96))
    experts = Experts.of([np.full(36, 1 / 36)])
    wealth, evidence = experts.none(), []
    for batch, counts in enumerate(([25, 40, 48], [24, 41, 47]), 1):
        below = np.array(counts)
        log_e = bets.log_e(np.stack([below, 50 - below], axis=-1), np.full((3, 1), 50))
        wealth = experts.grow(wealth, log_e.ravel(), batch, "ever")
        evidence.append(float(np.exp(experts.evidence(wealth, batch, "ever")[0])))
    assert evidence == pytest.approx([1.493952, 23.676855], abs=5e-7)


def test_hellinger_distance_has_the_golden_evidence() -> None:
    bets = HellingerBets([np.array([500, 300, 200])], np.array([1.96]))
    experts = Experts.of([np.full(8, 1 / 8)])
    wealth, earlier, evidence = experts.none(), np.zeros((2, 1, 3)), []
    for batch in (1, 2):
        x = bets.pool([np.array([20, 20, 60])])
        wealth = experts.grow(wealth, bets.log_e(x, earlier, bets.expected(earlier)).ravel(), batch, "ever")
        evidence.append(float(np.exp(experts.evidence(wealth, batch, "ever")[0])))
        earlier = earlier + x  # of the first batch nothing is forgotten yet
    assert evidence == pytest.approx([0.807348, 142.785732], rel=1e-6)


def test_shares_that_cannot_be_exceeded_are_bets_of_one() -> None:
    bets = ShareBets.above(np.array([0.7, 1.2]))
    log_e = bets.log_e(np.array([90, 90]), np.array([100, 100]))
    assert np.all(log_e[0, :5] != 0)
    assert log_e[0, 5] == 0  # 0.7 + 0.4
    assert np.all(log_e[1] == 0)


def test_cut_limits_cover_values_that_the_reference_may_have_missed() -> None:
    # No value above the cut in 100 rows, at 0.001: exactly 1 - 0.001^(1/100) = 6.7% may be above it.
    below, above = cut_limits(np.array([1.0]), 100, -float(ndtri(0.001)))[0]
    assert above == pytest.approx(0.1 + 0.067, abs=0.002)
    assert below > 1


def test_missing_limits_cover_shares_that_the_reference_may_have_missed() -> None:
    limits = missing_limits(np.array([0, 50]), np.array([100, 100]), np.array([[0.01], [0.01]]))
    assert limits[0, 0] == pytest.approx(1 - 0.01 ** (1 / 100) + 0.05)  # 4.5% missing may show none in 100 rows
    assert limits[0, 1] > 1
    assert limits[1] == pytest.approx(np.array([0.62, 0.62]) + 0.05, abs=0.01)


def test_rare_levels_share_a_cell_until_each_has_a_hundred_reference_rows() -> None:
    assert pooled_levels(np.array([5, 150, 3, 100, 92])).tolist() == [0, 3, 0, 2, 1]
    assert pooled_levels(np.array([5, 20, 3])).tolist() == [0, 1, 0]
    assert pooled_levels(np.array([300, 300])).tolist() == [0, 1]


def test_bets_of_both_kinds_stand_in_the_order_of_the_columns() -> None:
    plans = two_columns()
    both, facts = MaterialBets(plans, 0.05), batch_facts(1, shift=0.5)
    assert np.diff(both.experts.starts).tolist() == [384, 20]
    assert np.exp(both.experts.log_weights[:384]).sum() == pytest.approx(1)
    assert np.exp(both.experts.log_weights[384:]).sum() == pytest.approx(1)
    split = np.random.default_rng(0).uniform(size=int(both.n_uniforms.sum()))
    levels = both.bet(dict(both.begin()), facts.counts, split)
    assert facts.below[0] is not None
    log_e = both.join(facts.below[0], np.array([0, 0]), np.array([100, 100]), levels.ravel())
    assert log_e[384:392] == pytest.approx(levels[0])
    for name, plan, of in (("age", number_plan(), slice(0, 384)), ("job", category_plan(), slice(384, 404))):
        # Alone, a column has twice the level, so its reference is trusted more.
        alone = MaterialBets({name: plan}, 0.025)
        index = list(plans).index(name)
        counted = facts.below[index]
        below = np.empty(0, np.int64) if counted is None else counted
        levels = alone.bet(dict(alone.begin()), facts.counts[index : index + 1], split)
        assert alone.join(below, np.array([0]), np.array([100]), levels.ravel()) == pytest.approx(log_e[of])


def test_reference_error_is_shared_by_cuts_sides_and_columns() -> None:
    plan = number_plan()
    assert plan.cuts is not None
    expected = ShareBets.above(cut_limits(plan.cuts[None] / 400, 400, -float(ndtri(0.05 / (128 * 3)))))
    bets = MaterialBets(dict.fromkeys("abc", plan), 0.05)
    assert bets.cuts.hit[0] == pytest.approx(expected.hit[0])


def test_levels_are_forgotten_by_half_lives() -> None:
    bets = MaterialBets({"job": category_plan()}, 0.05)
    arrays = dict(bets.begin())
    counts = np.array([0, 0, 1, 10, 20, 30])
    for _ in range(2):
        bets.bet(arrays, (counts,), np.full(int(bets.n_uniforms.sum()), 0.5))
    ratio = arrays["levels"][:, 0].sum(axis=1) / 61
    assert ratio == pytest.approx([1 + 2 ** (-1 / 4), 1 + 2 ** (-1 / 32)])


def test_parts_of_a_batch_are_bet_on_with_what_came_before_them() -> None:
    bets = HellingerBets([np.array([500, 300, 200])], np.array([1.96]))
    x, earlier = bets.pool([np.array([80, 0, 0])]), bets.pool([np.array([50, 30, 20])]) * np.ones((2, 1, 1))
    # All rows have the same level, so that the parts are known: 10, 10, 20 and 40 of them.
    expected = bets.log_e(x / 8, earlier, bets.expected(earlier))
    for rows in (10, 20, 40):
        before = bets.pool([np.array([rows, 0, 0])])
        shown = earlier * np.array([1 / 16, 1])[:, None, None] + before
        expected += bets.log_e(before, shown, bets.expected(shown))
    split = np.full(int(bets.n_uniforms.sum()), 0.5)
    assert bets.log_e_in_parts(x, earlier, bets.expected(earlier), split) == pytest.approx(expected)


def test_bets_in_parts_have_a_mean_of_at_most_one_at_the_limit() -> None:
    # Shares that are exactly at a Hellinger distance of 0.1; a large reference, so that only the batch is random.
    shares = 0.25 + 0.0499 * np.array([1, 1, -1, -1])
    assert np.sum((np.sqrt(shares) - 0.5) ** 2) == pytest.approx(DISTANCE**2, rel=0.01)
    streams, rng = 4000, np.random.default_rng(0)
    bets = HellingerBets([np.full(4, 250_000)] * streams, np.zeros(streams))
    x = rng.multinomial(64, shares, streams).astype(np.float64)
    none = np.zeros((2, *bets.shape))
    log_e = bets.log_e_in_parts(x, none, none, rng.uniform(size=int(bets.n_uniforms.sum())))
    mean, error = np.exp(log_e).mean(axis=0), np.exp(log_e).std(axis=0) / np.sqrt(streams)
    assert np.all(mean <= 1 + 3 * error)
    assert np.any(np.abs(log_e) > 0.1)


@pytest.mark.parametrize("quiet", [0, 20])
def test_level_that_all_rows_of_a_batch_have_is_enough_with_that_batch(quiet: int) -> None:
    plan, rng = category_plan(), np.random.default_rng(0)
    bets = MaterialBets({"job": plan}, 0.05)
    arrays, evidence = dict(bets.begin()), []
    for batch in range(1, quiet + 2):
        changed = np.array([0, 0, 0, 1500, 0, 0])
        counts = changed if batch > quiet else rng.multinomial(1500, plan.reference / plan.reference.sum())
        levels = bets.bet(arrays, (counts,), rng.uniform(size=int(bets.n_uniforms.sum())))
        log_e = bets.join(np.empty(0, np.int64), np.array([0]), np.array([1500]), levels.ravel())
        arrays["material"] = bets.experts.grow(arrays["material"], log_e, batch, "ever")
        evidence.append(bets.experts.evidence(arrays["material"], batch, "ever")[0])
    assert all(value < np.log(40) for value in evidence[:-1])
    assert evidence[-1] > np.log(40)


def test_bets_in_parts_of_columns_with_different_numbers_of_levels_are_those_of_each_alone() -> None:
    columns, z = [np.array([500, 300, 200]), np.array([900, 600])], np.array([1.96, 1.96])
    rows, split = [np.array([30, 30, 60]), np.array([20, 100])], np.random.default_rng(0).uniform(size=9)
    both = HellingerBets(columns, z)
    none = np.zeros((2, *both.shape))
    together = both.log_e_in_parts(both.pool(rows), none, none, split)
    for j, numbers in enumerate((split[:6], split[6:])):
        alone = HellingerBets(columns[j : j + 1], z[j : j + 1])
        none = np.zeros((2, *alone.shape))
        bets = alone.log_e_in_parts(alone.pool(rows[j : j + 1]), none, none, numbers)
        assert bets[0] == pytest.approx(together[j])

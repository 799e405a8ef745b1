from __future__ import annotations

import numpy as np
import pytest

from shiftproof.monitoring._recovery import RECOVERED, clear_break, has_returned, is_near, is_same, largest_z
from shiftproof.monitoring.alarms import CellPlan

# Missing values, then four cells.
REFERENCE = np.array([100, 225, 225, 225, 225])
NUMBERS = CellPlan(kind="number", part=REFERENCE, pool=REFERENCE, reference=REFERENCE)
LEVELS = CellPlan(kind="category", part=REFERENCE, pool=REFERENCE, reference=REFERENCE)


@pytest.mark.parametrize("plan", [NUMBERS, LEVELS])
def test_is_near_and_is_same_for_the_counts_of_the_reference(plan: CellPlan) -> None:
    assert is_near(plan, REFERENCE, 1000.0, 1.0, slack=0.0)
    assert is_same(plan, REFERENCE, 1000.0, 1.0, chance=0.05)


@pytest.mark.parametrize(
    ("plan", "counts", "near"),
    [
        (NUMBERS, [100, 190, 190, 260, 260], True),
        (NUMBERS, [100, 100, 225, 225, 350], False),
        (NUMBERS, [160, 210, 210, 210, 210], False),
        (LEVELS, [100, 165, 225, 225, 285], True),
        # A Hellinger distance of 0.12 after the correction for chance.
        (LEVELS, [100, 145, 225, 225, 305], False),
        (LEVELS, [100, 75, 225, 225, 375], False),
        (LEVELS, [160, 210, 210, 210, 210], False),
    ],
)
def test_is_near_within_the_limits_of_material(plan: CellPlan, counts: list[int], near: bool) -> None:
    assert is_near(plan, np.array(counts), 1000.0, 1.0, slack=0.0) is near
    # All of these differ from the reference.
    assert not is_same(plan, np.array(counts), 1000.0, 1.0, chance=0.05)
    # With few independent rows nothing is clear.
    assert is_near(plan, np.array(counts), 10.0, 1.0, slack=1.95)
    assert is_same(plan, np.array(counts), 10.0, 1.0, chance=0.001)


def test_is_near_and_is_same_need_rows() -> None:
    assert not is_near(NUMBERS, np.zeros(5, np.int64), 0.0, 1.0, slack=0.0)
    assert not is_same(NUMBERS, np.zeros(5, np.int64), 0.0, 1.0, chance=0.05)


def test_is_near_where_all_values_are_missing_in_both() -> None:
    missing = np.array([50, 0, 0])
    plan = CellPlan(kind="number", part=missing, pool=missing, reference=missing)
    assert is_near(plan, missing, 50.0, 1.0, slack=0.0)


def test_is_same_has_the_chance_it_promises() -> None:
    rng = np.random.default_rng(0)
    shares = np.array([0.1, 0.2, 0.3, 0.4])
    passed = 0
    for _ in range(1000):
        reference, counts = rng.multinomial(1000, shares), rng.multinomial(400, shares)
        plan = CellPlan(kind="number", part=reference, pool=reference, reference=reference)
        passed += is_same(plan, counts, 400.0, 1.0, chance=0.05)
    assert 0.94 <= passed / 1000 <= 0.99


def test_is_near_and_is_same_need_a_reference() -> None:
    # After a change was accepted there may be no data before an incident.
    nothing = CellPlan(kind="number", part=REFERENCE, pool=REFERENCE, reference=np.zeros(5, np.int64))
    assert not is_near(nothing, REFERENCE, 1000.0, 1.0, slack=1.95)
    assert not is_same(nothing, REFERENCE, 1000.0, 1.0, chance=0.001)


def test_largest_z_of_a_share_is_the_two_sample_test() -> None:
    # Half of the rows in each cell, so that nothing is skewed.
    half = np.array([0, 500, 500])
    plan = CellPlan(kind="category", part=half, pool=half, reference=half)
    counts = np.array([0, 60, 40])
    share = 560 / 1100
    expected = 0.1 / np.sqrt(share * (1 - share) * (1 / 100 + 1 / 1000))
    assert float(largest_z(plan, counts, 100.0, half, 1000.0)) == pytest.approx(expected, rel=0.02)


def test_is_same_where_two_rows_have_a_category_of_one_in_a_thousand() -> None:
    reference = np.array([0, 10, 4990, 5000])
    plan = CellPlan(kind="category", part=reference, pool=reference, reference=reference)
    # A normal test would find 4.0 standard errors; the chance of two rows or more is 1.8%.
    assert is_same(plan, np.array([0, 2, 98, 100]), 200.0, 1.0, chance=0.05)
    assert not is_same(plan, np.array([0, 6, 96, 98]), 200.0, 1.0, chance=0.05)


@pytest.mark.parametrize("size", [10, 100])
def test_clear_break_is_where_batches_became_different(size: int) -> None:
    rng = np.random.default_rng(0)
    early = rng.multinomial(size, [0, 0.1, 0.2, 0.3, 0.4], 20)
    late = rng.multinomial(size, [0, 0.4, 0.3, 0.2, 0.1], 8)
    rows = np.full(28, float(size))
    assert abs(clear_break(NUMBERS, np.vstack([early, late]), rows) - 20) <= (2 if size == 10 else 0)


def test_clear_break_is_the_first_batch_if_there_is_none() -> None:
    rng = np.random.default_rng(0)
    breaks = [clear_break(NUMBERS, rng.multinomial(50, REFERENCE / 1000, 30), np.full(30, 50.0)) for _ in range(300)]
    assert np.count_nonzero(breaks) <= 2
    assert clear_break(NUMBERS, REFERENCE[None], np.array([1000.0])) == 0


def test_has_returned_forgives_a_difference_only_after_a_clear_break() -> None:
    # 1.5 standard errors of the missing share; of three functions 5% allows for 2.4, and 50% for 1.4.
    late, away = np.array([60, 105, 105, 105, 105]), np.array([0, 0, 0, 120, 360])
    assert is_same(NUMBERS, late, 480.0, 1.0, chance=RECOVERED.chance)
    assert not is_same(NUMBERS, late, 480.0, 1.0, chance=RECOVERED.unbroken)
    rows = np.full(3, 480.0)
    assert has_returned(NUMBERS, np.array([away, away, late]), rows, 1.0, RECOVERED)
    assert not has_returned(NUMBERS, late[None], rows[:1], 1.0, RECOVERED)
    assert not has_returned(NUMBERS, np.array([away, away, away]), rows, 1.0, RECOVERED)

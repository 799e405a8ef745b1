from __future__ import annotations

import numpy as np
import pytest

from shiftproof.monitoring.alarms import BatchFacts, CellPlan
from shiftproof.monitoring.rehearsal._injection import joined, moved, part_of, share_to_move

CUTS = np.arange(1, 32) * 1000 // 32
NUMBER = np.array([0, *[100] * 10])
PLANS = (
    CellPlan(kind="number", part=NUMBER, pool=NUMBER, reference=NUMBER, cuts=CUTS),
    CellPlan(kind="category", part=NUMBER[:5], pool=NUMBER[:5], reference=np.array([0, 100, 200, 300, 400])),
)
FACTS = BatchFacts(
    n=3200,
    counts=(np.array([200, *[300] * 10]), np.array([0, 320, 640, 960, 1280])),
    below=(np.arange(1, 32) * 3000 // 32, None),
    accuracy=0.9,
    accuracy_error=0.01,
)


@pytest.mark.parametrize("distance", [0.1, 0.2, 0.4])
def test_moved_numbers_are_at_the_distance_in_the_middle(distance: float) -> None:
    rng = np.random.default_rng(0)
    changed = moved(FACTS, PLANS[0], 0, share_to_move(PLANS[0], distance), rng)
    below = changed.below[0]
    assert below is not None
    gaps = np.abs(below / 3000 - CUTS / 1000)
    assert gaps.max() == pytest.approx(distance, abs=0.03)
    assert 10 <= gaps.argmax() <= 20
    assert changed.counts[0].sum() == 3200
    assert changed.counts[0][0] == 200  # missing values stay
    assert (np.diff(below) >= 0).all()


@pytest.mark.parametrize("distance", [0.1, 0.3])
def test_moved_categories_are_at_the_hellinger_distance(distance: float) -> None:
    changed = moved(FACTS, PLANS[1], 1, share_to_move(PLANS[1], distance), np.random.default_rng(1))
    before, after = PLANS[1].reference[1:] / 1000, changed.counts[1][1:] / 3200
    assert np.sqrt(np.sum((np.sqrt(after) - np.sqrt(before)) ** 2)) == pytest.approx(distance, abs=0.03)
    assert (changed.counts[0] == FACTS.counts[0]).all()


def test_moved_column_of_one_value_keeps_its_rows() -> None:
    counts = np.array([0, 1000, 0])
    plan = CellPlan(kind="number", part=counts, pool=counts, reference=counts, cuts=np.full(31, 1000))
    facts = BatchFacts(n=100, counts=(np.array([0, 100, 0]),), below=(np.full(31, 100),))
    changed = moved(facts, plan, 0, 0.9, np.random.default_rng(0))
    assert changed.counts[0].sum() == 100
    assert changed.counts[0][2] > 70


def test_joined_batches_add_up() -> None:
    both = joined([FACTS, FACTS])
    assert both.n == 6400
    assert (both.counts[0] == 2 * FACTS.counts[0]).all()
    assert both.below[1] is None
    assert both.accuracy == pytest.approx(0.9)
    assert both.accuracy_error == pytest.approx(0.01 / np.sqrt(2))


def test_part_of_a_batch_has_so_many_rows_in_every_column() -> None:
    half = part_of(FACTS, 0.5, np.random.default_rng(0))
    assert half.n == 1600
    assert [int(column.sum()) for column in half.counts] == [1600, 1600]
    assert half.below[0] is not None
    assert half.below[0][-1] <= half.counts[0][1:].sum()
    assert half.accuracy_error == pytest.approx(0.01 * np.sqrt(2))

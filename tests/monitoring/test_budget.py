from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.monitoring import _made as made

from shiftproof.monitoring._budget import batches_per_year, budget_of

CLOSED = made.incident("material", acknowledged=made.START, reason="seen")


def test_every_acknowledgement_adds_a_quiet_period() -> None:
    budget = budget_of(made.TERMS, [CLOSED, CLOSED, made.incident("changed")])
    assert {level: one.alpha for level, one in budget.items()} == {"changed": 0.05, "material": 0.025, "harm": 0.025}
    assert [one.acknowledged for one in budget.values()] == [0, 2, 0]
    assert budget["material"].next_alpha == 0.025
    assert budget["material"].expected_false == pytest.approx(3 * 0.025 / 0.975)


def test_lifetime_leaves_less_for_every_next_alarm() -> None:
    terms = replace(made.TERMS, lifetime=True, floor=None)
    budget = budget_of(terms, [CLOSED, CLOSED])
    assert budget["material"].next_alpha == pytest.approx(0.05 / 12)
    assert budget["material"].expected_false == 0.05
    assert "harm" not in budget


def test_run_length_has_no_budget() -> None:
    assert budget_of(replace(made.TERMS, mode="run length"), [CLOSED]) == {}


def test_pace_needs_ten_batches_at_different_times() -> None:
    times = [made.START + timedelta(hours=number) for number in range(10)]
    pace = batches_per_year(times)
    assert pace is not None
    assert round(pace) == 8766
    assert batches_per_year(times[:9]) is None
    assert batches_per_year([made.START] * 10) is None

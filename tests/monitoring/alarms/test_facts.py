from __future__ import annotations

import dataclasses

import pytest
from tests.monitoring.alarms._plans import batch_facts, category_plan, number_plan


def test_facts_and_plans_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        batch_facts(0).n = 3  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        number_plan().kind = "category"  # type: ignore[misc]


def test_categories_need_no_cuts_and_accuracy_is_optional() -> None:
    assert category_plan().cuts is None
    assert batch_facts(0).accuracy is None

from __future__ import annotations

from typing import get_args

from shiftproof.monitoring._alert_channels import EVENTS, USUAL_EVENTS, USUAL_LEVELS, Event
from shiftproof.monitoring.alarms import LEVELS


def test_usual_events_and_levels_are_among_all() -> None:
    assert get_args(Event) == EVENTS
    assert {*USUAL_EVENTS} == {*EVENTS} - {"acknowledged"}
    assert {*USUAL_LEVELS} == {*LEVELS} - {"changed"}

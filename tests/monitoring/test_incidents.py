from __future__ import annotations

from dataclasses import replace

import pytest
from tests.monitoring.conftest import make_batch

from shiftproof.monitoring import Baseline, Monitor
from shiftproof.monitoring._incidents import follow_incidents


@pytest.mark.parametrize(
    ("course", "recovered"),
    [
        ([9.0], None),
        ([9.0, 6.0], None),
        ([9.0, 4.5], 3),
        ([9.0, 4.5, 4.0], 3),
        ([9.0, 4.5, 9.5], None),
        ([9.0, 4.5, 9.5, 5.0], 5),
    ],
)
def test_incident_is_over_when_the_evidence_fell_by_as_much_as_raises_it(
    monitor: Monitor, baseline: Baseline, course: list[float], recovered: int | None
) -> None:
    alarms = monitor._alarms
    for number in range(5):
        monitor.add(make_batch(seed=number), id=f"{number}")
    state, reading = alarms.step(alarms.start(), baseline.summarise(make_batch()).facts, "one")
    quiet = dict.fromkeys(reading.alarms, False)
    with monitor._store.log(monitor._key, write=True) as log:
        for number, evidence in enumerate(course, 2):
            made = replace(
                reading,
                log_evidence={"material": evidence},
                log_limits={"material": 4.382},
                alarms=quiet | {"material": evidence >= 4.382},
                blamed={"material": ("age",)},
            )
            follow_incidents(log, alarms, state, made, number)
        incidents = log.incidents()
    assert [(one.level, one.raised, one.recovered) for one in incidents] == [("material", 2, recovered)]
    assert incidents[0].peak == max(course)


def test_beginning_is_not_looked_for_before_the_last_acknowledgement(monitor: Monitor) -> None:
    for day in range(3):
        monitor.add(make_batch(200, shift=15.0, seed=day), id=f"day {day}")
    material = next(one for one in monitor.incidents if one.level == "material")
    assert material.first.id == "day 0"
    monitor.acknowledge(material, "seen")
    opened = monitor.add(make_batch(200, shift=15.0, seed=9), id="day 9").opened
    assert [one.first.id for one in opened] == ["day 9"]

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.monitoring.conftest import make_batch

from shiftproof.monitoring import Baseline, Monitor
from shiftproof.monitoring._incidents import IncidentFollower


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
            IncidentFollower(log, alarms, baseline.columns).follow(state, made, number)
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


@pytest.mark.parametrize("quiet", [0, 4])
def test_first_batch_of_a_category_that_changed_raises_the_incident_and_began_it(monitor: Monitor, quiet: int) -> None:
    for day in range(quiet):
        assert not monitor.add(make_batch(200, seed=day), id=f"day {day}").opened
    batch = make_batch(200, seed=quiet)
    batch["job"] = ["clerk"] * 200
    opened = monitor.add(batch, id=f"day {quiet}").opened
    assert {one.level: one.columns for one in opened} == {"changed": ("job",), "material": ("job",)}
    assert {one.first.id for one in opened} == {one.last.id for one in opened} == {f"day {quiet}"}


def test_batches_of_an_incident_that_recovered_leave_the_pool(monitor: Monitor) -> None:
    for day in range(12):
        monitor.add(make_batch(200, shift=15.0 if 4 <= day < 8 else 0.0, seed=day), id=f"day {day}")
    changed = next(one for one in monitor.incidents if one.level == "changed")
    assert (changed.first.id, changed.recovered is not None) == ("day 4", True)
    with monitor._store.log(monitor._key) as log:
        before = monitor._state(log).arrays["pool"]
        kept = log.counts(5, 8)
    monitor.acknowledge(changed, "a campaign that is over")
    with monitor._store.log(monitor._key) as log:
        after = monitor._state(log).arrays["pool"]
        how = next(one.how for one in log.incidents() if one.level == "changed")
    assert how == "resolved"
    assert len(kept) == 4
    assert changed.recovered is not None
    # Four columns, and 200 rows of each batch from the first to the one before the recovery.
    assert int((before - after).sum()) == 4 * 200 * (changed.recovered.number - 5)
    assert (after >= 0).all()
    # Batches like the reference do not seem to have changed.
    for day in range(12, 16):
        opened = monitor.add(make_batch(200, seed=day), id=f"day {day}").opened
        assert [one.level for one in opened if one.level == "changed"] == []


def test_changed_recovers_soon_after_a_long_incident_and_stays_recovered(monitor: Monitor) -> None:
    # The pool then holds more rows of the incident than of the reference.
    for day in range(25):
        monitor.add(make_batch(100, shift=15.0, seed=day), id=f"day {day}")
    assert [one.recovered for one in monitor.incidents] == [None, None]
    for day in range(25, 31):
        monitor.add(make_batch(100, seed=day), id=f"day {day}")
    changed = next(one for one in monitor.incidents if one.level == "changed")
    assert changed.recovered is not None
    assert changed.recovered.number <= 29
    # What it says against the pool: that the data changed.
    with monitor._store.log(monitor._key) as log:
        course = log.estimates("evidence", "changed", 1)
    assert course[31] > 3
    monitor.acknowledge(changed, "a campaign that is over")
    for day in range(31, 35):
        assert not monitor.add(make_batch(100, seed=day), id=f"day {day}").opened


def test_changed_is_open_again_when_the_shift_returns_after_many_quiet_batches(monitor: Monitor) -> None:
    for day in range(24):
        monitor.add(make_batch(100, shift=15.0 if day < 4 or day >= 20 else 0.0, seed=day), id=f"day {day}")
        if day == 19:
            before = {one.level: one.recovered is not None for one in monitor.incidents}
    assert before == {"changed": True, "material": True}
    changed = next(one for one in monitor.incidents if one.level == "changed")
    assert changed.recovered is None


def test_changed_recovers_to_the_data_that_were_accepted(monitor: Monitor) -> None:
    for day in range(24):
        shift = 10.0 if 8 <= day < 16 else 5.0
        monitor.add(make_batch(200, shift=shift, seed=day), id=f"day {day}")
        if day == 1:
            monitor.acknowledge(1, "new customers, who stay", how="accept")
    changed = [one for one in monitor.incidents if one.level == "changed"][-1]
    assert (changed.first.id, changed.recovered is not None) == ("day 8", True)


def test_changed_right_after_accept_recovers_to_the_only_batch_before_it(monitor: Monitor) -> None:
    monitor.add(make_batch(200, shift=6.0, seed=1), id="raises")
    monitor.acknowledge(1, "new customers, who stay", how="accept")
    for day, shift in enumerate((6.0, -6.0, -6.0, 6.0, 6.0)):
        monitor.add(make_batch(300, shift=shift, seed=20 + day), id=f"day {day}")
    changed = [one for one in monitor.incidents if one.level == "changed"][-1]
    assert (changed.raised.id, changed.recovered is not None) == ("day 1", True)


def test_incident_that_goes_on_restarts(monitor: Monitor) -> None:
    monitor.add(make_batch(200, shift=15.0), id="one")
    monitor.acknowledge(1, "seen")
    with monitor._store.log(monitor._key) as log:
        assert log.incidents()[0].how == "restart"


def test_resolving_an_incident_that_goes_on_takes_all_its_batches_out(monitor: Monitor) -> None:
    for day in range(2):
        monitor.add(make_batch(200, shift=15.0, seed=day), id=f"day {day}")
    monitor.acknowledge(1, "seen", how="resolved")
    with monitor._store.log(monitor._key) as log:
        assert (monitor._state(log).arrays["pool"] == monitor._alarms.start().arrays["pool"]).all()


def test_incident_goes_on_while_another_column_is_still_away(monitor: Monitor) -> None:
    for day in range(14):
        batch = make_batch(200, shift=30.0 if day < 6 else 0.0, seed=day)
        # The evidence of one column rises slowly, and that of the others hides it.
        batch["gap"] = batch["gap"] + 0.5
        monitor.add(batch, id=f"day {day}")
    material = next(one for one in monitor.incidents if one.level == "material")
    with monitor._store.log(monitor._key) as log:
        figures = [record.figure("evidence", "material") for record in log.recent(14)]
        peaks = log.column_peaks("material", material.raised.number)
    joint = [figure.estimate for figure in figures if figure is not None]
    assert max(joint) - joint[-1] > 4.382
    assert peaks["gap"][0] > 4.382
    assert material.recovered is None


def test_incident_goes_on_while_a_shift_only_becomes_smaller(monitor: Monitor) -> None:
    for day in range(14):
        monitor.add(make_batch(200, shift=10.0 if day < 6 else 6.0, seed=day), id=f"day {day}")
    with monitor._store.log(monitor._key) as log:
        course = log.estimates("evidence", "changed", 1)
    # The evidence fell, because the change became smaller and the pool has absorbed it.
    assert max(course.values()) - course[14] > 2.996
    assert {one.level: one.recovered for one in monitor.incidents} == {"changed": None, "material": None}
    assert monitor.status().headline == "The data changed enough to matter."


def test_incident_is_open_again_when_the_shift_returns_below_its_peak(monitor: Monitor) -> None:
    for day in range(10):
        monitor.add(make_batch(200, shift=0.0 if 4 <= day < 6 else 15.0, seed=day), id=f"day {day}")
        if day == 5:
            before = {one.level: one.recovered is not None for one in monitor.incidents}
    assert before["material"]
    material = next(one for one in monitor.incidents if one.level == "material")
    assert material.recovered is None


def test_column_that_is_blamed_later_joins_the_incident(monitor: Monitor) -> None:
    named: list[str] = []
    for day in range(4):
        batch = make_batch(200, shift=15.0, seed=day)
        if day >= 2:
            batch["gap"] = batch["gap"] + 2.0
        update = monitor.add(batch, id=f"day {day}")
        if "gap" in update.newly_blamed:
            named.append(update.id)
            assert "Also changed now: 'gap'" in update.headline
        if day == 1:
            before = {one.level: one.columns for one in monitor.incidents}
    after = {one.level: one.columns for one in monitor.incidents}
    assert "gap" not in before["material"]
    assert after["material"] == (*before["material"], "gap")
    assert named[0] == "day 2"


def test_incident_of_harm_goes_on_until_the_estimate_is_at_the_floor(monitor: Monitor) -> None:
    for day in range(6):
        batch = make_batch(200, seed=day)
        # Scores near 0.5 are right half of the time; later ones are better, but not good enough.
        batch["p"] = batch["p"] * 0 + 0.5 if day < 2 else 0.5 + (batch["p"] - 0.5) * 0.3
        monitor.add(batch, id=f"day {day}")
    floor = monitor.terms.floor
    harm = next(one for one in monitor.incidents if one.level == "harm")
    with monitor._store.log(monitor._key) as log:
        accuracy = log.estimates("accuracy", "", 3)
    assert floor is not None
    assert max(accuracy.values()) < floor
    assert harm.recovered is None
    for day in range(6, 20):
        monitor.add(make_batch(200, seed=day), id=f"day {day}")
    assert next(one for one in monitor.incidents if one.level == "harm").recovered is not None

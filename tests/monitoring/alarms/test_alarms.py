from __future__ import annotations

import math

import numpy as np
import pytest
from tests.monitoring.alarms._plans import batch_facts, two_columns

from shiftproof import InputError
from shiftproof.monitoring.alarms import Alarms, BatchFacts, LabelFacts, Level, Reading, State


def run(alarms: Alarms, facts: list[BatchFacts]) -> tuple[State, list[Reading]]:
    state, readings = alarms.start(), []
    for number, batch in enumerate(facts):
        state, reading = alarms.step(state, batch, str(number))
        readings.append(reading)
    return state, readings


def shifted(shift: float, *, quiet: int = 10, after: int = 10) -> list[BatchFacts]:
    """Return batches whose column of numbers shifts."""
    return [batch_facts(number, shift=shift if number >= quiet else 0.0) for number in range(quiet + after)]


def test_alarms_come_after_a_change_and_blame_its_column() -> None:
    _, readings = run(Alarms.of(two_columns()), shifted(1.0))
    before, after = readings[9], readings[-1]
    assert not any(before.alarms.values())
    assert after.alarms == {"changed": True, "material": True}
    assert after.blamed == {"changed": ("age",), "material": ("age",)}
    assert after.columns["changed"]["age"] > after.columns["changed"]["job"]


def test_limits_share_alpha_between_what_pages() -> None:
    alone, shared = Alarms.of(two_columns()), Alarms.of(two_columns(), floor=0.8)
    assert {level: math.exp(limit) for level, limit in alone.log_limits.items()} == pytest.approx(
        {"changed": 20, "material": 40}
    )
    assert {level: math.exp(limit) for level, limit in shared.log_limits.items()} == pytest.approx(
        {"changed": 20, "material": 80, "harm": 80}
    )
    run_length = Alarms.of(two_columns(), mode="run length")
    assert [*run_length.log_limits.values()] == pytest.approx([math.log(1000)] * 2)


def test_evidence_of_all_columns_is_the_mean() -> None:
    _, readings = run(Alarms.of(two_columns()), shifted(0.5))
    for reading in readings:
        expected = np.mean(np.exp([*reading.columns["changed"].values()]))
        assert math.exp(reading.log_evidence["changed"]) == pytest.approx(expected)


def test_steps_are_repeatable_to_the_bit_and_depend_on_the_batch_id() -> None:
    alarms = Alarms.of(two_columns(), floor=0.8)
    state, _ = run(alarms, shifted(0.2))
    again, _ = run(alarms, shifted(0.2))
    assert state.to_bytes() == again.to_bytes()
    restored = State.from_bytes(state.to_bytes())
    assert alarms.step(restored, batch_facts(5), "x")[0] == alarms.step(state, batch_facts(5), "x")[0]
    assert alarms.step(state, batch_facts(5), "x")[0] != alarms.step(state, batch_facts(5), "y")[0]


def test_a_step_leaves_the_state_before_it_as_it_is() -> None:
    alarms = Alarms.of(two_columns(), floor=0.8)
    state = alarms.start()
    stored = state.to_bytes()
    alarms.step(state, batch_facts(0, accuracy=0.7), "0")
    assert state.to_bytes() == stored


def test_batch_without_rows_changes_nothing() -> None:
    alarms = Alarms.of(two_columns(), floor=0.8)
    state, readings = run(alarms, shifted(1.0))
    nothing = BatchFacts(n=0, counts=(np.zeros(5, int), np.zeros(6, int)), below=(np.zeros(31, int), None))
    after, reading = alarms.step(state, nothing, "empty")
    assert after == state
    assert reading.inputs == b""
    assert reading.log_evidence == readings[-1].log_evidence


def test_harm_is_watched_only_with_a_floor_and_an_estimate() -> None:
    assert "harm" not in Alarms.of(two_columns()).read(Alarms.of(two_columns()).start()).alarms
    alarms = Alarms.of(two_columns(), floor=0.8)
    state, readings = run(alarms, [batch_facts(number) for number in range(5)])
    assert state.batches == {"changed": 5, "material": 5, "harm": 0}
    assert readings[-1].log_evidence["harm"] == pytest.approx(0)
    state, readings = run(alarms, [batch_facts(number, accuracy=0.5) for number in range(5)])
    assert state.batches["harm"] == 5
    assert readings[-1].alarms["harm"]
    assert "harm" not in readings[-1].columns


@pytest.mark.parametrize("level", ["changed", "material", "harm"])
def test_acknowledging_begins_the_level_again(level: Level) -> None:
    alarms = Alarms.of(two_columns(), floor=0.8)
    state, _ = run(alarms, [batch_facts(number, shift=1.5, accuracy=0.5) for number in range(8)])
    assert all(alarms.read(state).alarms.values())
    after = alarms.acknowledge(state, level)
    assert alarms.read(after).log_evidence[level] == pytest.approx(0)
    assert after.batches == {**state.batches, level: 0}
    assert np.array_equal(after.arrays["pool"], state.arrays["pool"])


def test_lifetime_shares_alpha_among_all_alarms_of_a_level() -> None:
    alarms = Alarms.of(two_columns(), floor=0.8, lifetime=True)
    state = alarms.start()
    plain = Alarms.of(two_columns(), floor=0.8).log_limits
    for number in (1, 2, 3):
        limits = alarms.read(state).log_limits
        # The i-th has alpha / (i (i + 1)); the other levels are as they were.
        assert limits["material"] == pytest.approx(plain["material"] + math.log(number * (number + 1)))
        assert limits["harm"] == pytest.approx(plain["harm"] + math.log(2))
        state = alarms.acknowledge(state, "material")
    with pytest.raises(InputError) as caught:
        Alarms.of(two_columns(), mode="run length", lifetime=True)
    assert str(caught.value) == ("lifetime cannot be used with mode='run length'; that mode has no alpha to share.")


def test_run_length_is_the_limit() -> None:
    alarms = Alarms.of(two_columns(), mode="run length", run_length=200)
    assert [*alarms.log_limits.values()] == pytest.approx([math.log(200)] * 2)


def test_accepting_a_change_makes_the_next_batches_the_normal_ones() -> None:
    alarms = Alarms.of(two_columns())
    state, _ = run(alarms, shifted(1.5))
    accepted = alarms.acknowledge(state, "changed", "accept")
    for number in range(20, 40):
        accepted, reading = alarms.step(accepted, batch_facts(number, shift=1.5), str(number))
        assert not reading.alarms["changed"]
    with pytest.raises(InputError) as caught:
        alarms.acknowledge(state, "material", "accept")
    assert str(caught.value) == (
        "how must be 'restart' or 'resolved' for level='material', got 'accept'; make a new baseline to accept it."
    )


def test_resolving_a_change_compares_with_the_pool_before_it_and_the_batches_since_the_recovery() -> None:
    alarms = Alarms.of(two_columns())
    quiet, _ = run(alarms, shifted(1.5, after=0))
    state, _ = run(alarms, shifted(1.5))
    incident = np.sum([np.concatenate(batch.counts) for batch in shifted(1.5)[10:]], axis=0)
    aside = alarms.set_aside(state, incident[None])
    assert np.array_equal(aside.arrays["before"], quiet.arrays["pool"])
    assert np.array_equal(aside.arrays["pool"], state.arrays["pool"])
    # Batches that come later do not change what was set aside.
    later, _ = alarms.step(aside, batch_facts(20), "20")
    back = np.concatenate(batch_facts(20).counts)
    resolved = alarms.acknowledge(later, "changed", "resolved", back=back[None])
    assert np.array_equal(resolved.arrays["pool"], quiet.arrays["pool"] + back)
    assert not resolved.arrays["moved"].any()
    assert not resolved.arrays["before"].any()
    assert resolved.batches["changed"] == 0
    restarted = alarms.acknowledge(later, "changed")
    assert np.array_equal(restarted.arrays["pool"], later.arrays["pool"])
    assert not restarted.arrays["before"].any()


def test_since_says_with_which_batch_a_change_began() -> None:
    alarms = Alarms.of(two_columns(), floor=0.8)
    _, readings = run(alarms, [*shifted(1.5), *(batch_facts(n, shift=1.5, accuracy=0.4) for n in range(20, 26))])
    inputs = [reading.inputs for reading in readings]
    first, last, likeliest = alarms.since("changed", inputs)
    assert first <= 10 <= last
    assert likeliest == 10
    assert alarms.since("material", inputs)[2] == 10
    # Batches without an estimate or without rows are not counted, but keep their place.
    assert alarms.since("harm", [b"", *inputs])[2] == 21
    assert max(map(len, inputs)) < 600
    with pytest.raises(InputError, match=r"^last_inputs must have a batch with rows"):
        alarms.since("changed", [b""])


def test_design_effect_may_differ_by_column() -> None:
    plain, careful = Alarms.of(two_columns()), Alarms.of(two_columns(), design_effect={"age": 4.0}, mean_period=100.0)
    _, readings = run(plain, shifted(0.5))
    _, slower = run(careful, shifted(0.5))
    for level in ("changed", "material"):
        assert slower[-1].columns[level]["age"] != pytest.approx(readings[-1].columns[level]["age"])
        assert slower[-1].columns[level]["job"] == pytest.approx(readings[-1].columns[level]["job"])
    assert slower[-1].log_evidence["changed"] < readings[-1].log_evidence["changed"]


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        (
            BatchFacts(n=5, counts=(np.full(5, 1),), below=(None,)),
            "facts must have the same cells as the reference; got [5].",
        ),
        (
            BatchFacts(n=6, counts=(np.full(5, 1), np.full(6, 1)), below=(np.zeros(31, int), None)),
            "facts must count 6 rows in every column; got [5, 6].",
        ),
        (
            BatchFacts(n=6, counts=(np.array([2, 1, 1, 1, 1]), np.full(6, 1)), below=(None, None)),
            "facts must have the same cuts as the reference; got [None, None].",
        ),
    ],
)
def test_facts_of_other_columns_are_refused(facts: BatchFacts, message: str) -> None:
    alarms = Alarms.of(two_columns())
    with pytest.raises(InputError) as caught:
        alarms.step(alarms.start(), facts, "0")
    assert str(caught.value) == message


def test_alarms_need_columns_and_a_sensible_alpha() -> None:
    with pytest.raises(InputError, match=r"^columns must have at least one column"):
        Alarms.of({})
    with pytest.raises(InputError, match=r"^alpha must"):
        Alarms.of(two_columns(), alpha=1.5)
    with pytest.raises(InputError, match=r"^mode must be one of 'ever', 'run length'"):
        Alarms.of(two_columns(), mode="often")  # type: ignore[arg-type]


def labelled(right: int, *, residual: float = 0.0, age: int = 0) -> LabelFacts:
    return LabelFacts(right=right, labelled=20, residual=residual, row_variance=0.16, age=age)


def test_labels_raise_an_alarm_that_estimates_do_not() -> None:
    alarms = Alarms.of(two_columns(), floor=0.8)
    state, readings = run(alarms, [batch_facts(number, accuracy=0.85) for number in range(3)])
    assert not readings[-1].alarms["harm"]
    for right in (10, 11, 9):
        state, reading = alarms.learn(state, labelled(right, residual=0.3))
    assert reading.alarms["harm"]
    assert reading.by_labels
    restored = State.from_bytes(state.to_bytes())
    assert alarms.read(restored).log_evidence == reading.log_evidence
    # What is known of the bias stays after an incident; evidence begins anew.
    after = alarms.acknowledge(restored, "harm")
    assert not alarms.read(after).alarms["harm"]
    assert after.arrays["bias"].tolist() == state.arrays["bias"].tolist()
    assert after.arrays["label steps"].tolist() == [0, 60]


def test_estimates_less_the_bias_that_labels_show_raise_an_alarm() -> None:
    alarms = Alarms.of(two_columns(), floor=0.8)
    # Labels show that estimates are right, so that a drop within the usual bias is known.
    state = alarms.start()
    for number in range(30):
        state, _ = alarms.step(state, batch_facts(number, accuracy=0.85), str(number))
        state, reading = alarms.learn(state, labelled(17))
    assert not reading.alarms["harm"]
    inputs = []
    for number in range(30, 40):
        state, reading = alarms.step(state, batch_facts(number, accuracy=0.7), str(number))
        inputs.append(reading.inputs)
    assert reading.alarms["harm"]
    assert not reading.by_labels
    assert (state.arrays["harm"] < math.log(80)).all()
    assert alarms.since("harm", inputs, corrected=True)[2] == 0


def test_labels_say_since_when() -> None:
    alarms = Alarms.of(two_columns(), floor=0.8)
    first, last, likeliest = alarms.since_labels([(18, 20, 0), (17, 20, 0), (10, 20, 0), (11, 20, 0), (9, 20, 0)])
    assert likeliest == 2
    assert first <= 2 <= last
    with pytest.raises(InputError, match="labelled must have a batch with labels"):
        alarms.since_labels([])


def test_labels_need_a_floor() -> None:
    alarms = Alarms.of(two_columns())
    with pytest.raises(InputError, match="facts must be left out without a floor"):
        alarms.learn(alarms.start(), labelled(10))

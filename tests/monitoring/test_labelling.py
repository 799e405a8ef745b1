from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.monitoring.conftest import make_table

from shiftproof import InputError
from shiftproof.monitoring import Baseline, Monitor


def labelled_batch(n: int, *, seed: int, wrong: float = 0.0) -> tuple[dict[str, Any], np.ndarray]:
    """Return a batch and its labels; in a share of the rows the link between features and label is turned round."""
    table = make_table(n, seed=seed)
    labels = table.pop("y")
    turned = np.random.default_rng(seed + 1000).random(n) < wrong
    return table, np.where(turned, np.where(labels == "yes", "no", "yes"), labels)


def add(monitor: Monitor, name: str, *, n: int = 300, seed: int = 1, wrong: float = 0.0) -> np.ndarray:
    batch, labels = labelled_batch(n, seed=seed, wrong=wrong)
    monitor.add(batch, id=name)
    return labels


def give(monitor: Monitor, name: str, labels: np.ndarray, count: int) -> Any:
    return monitor.label(name, {row: labels[row] for row in monitor.plan(name, count).rows.tolist()})


def state_of(monitor: Monitor) -> bytes | None:
    with monitor._store.log(monitor._key) as log:
        return log.state()


def test_a_plan_is_the_same_until_its_labels_come(monitor: Monitor) -> None:
    labels = add(monitor, "a")
    plan = monitor.plan("a", 20)
    assert plan.rows.tolist() == monitor.plan("a", 30).rows[:20].tolist()
    assert (plan.n_kept, plan.n_rows, plan.n_used, plan.keys) == (300, 300, 0, ())
    give(monitor, "a", labels, 20)
    after = monitor.plan("a", 20)
    assert not {*after.rows.tolist()} & {*plan.rows.tolist()}
    assert (after.n_labels, after.n_used) == (20, 20)
    monitor.label("a", labels)
    assert monitor.plan("a").rows.tolist() == []
    assert monitor.plan("a").summary() == (
        "All 300 stored rows of batch 'a' have labels; there is nothing left to label."
    )


def test_labels_show_accuracy_and_whether_the_interval_was_right(monitor: Monitor) -> None:
    labels = add(monitor, "a")
    update = give(monitor, "a", labels, 50)
    assert (update.n_new, update.labels.n_used, update.missing) == (50, 50, None)
    assert update.labels.alone.low < update.labels.accuracy.estimate < update.labels.alone.high
    assert update.labels.accuracy.width < update.labels.alone.width
    assert (update.track_record.n_batches, update.track_record.n_labels) == (1, 50)
    assert update.to_frame()["accuracy"].tolist() == ["before", "labels alone", "with labels"]
    whole = monitor.label("a", labels)
    batch, _ = labelled_batch(300, seed=1)
    actual = float(np.mean(np.where(batch["p"] > 0.5, "yes", "no") == labels))
    assert whole.labels.alone is not None
    assert whole.labels.accuracy is not None
    assert whole.labels.alone.estimate == whole.labels.accuracy.low == whole.labels.accuracy.high == actual
    assert (whole.n_new, whole.n_repeated) == (250, 50)
    line = monitor.status().recent[0]
    assert line.labels == whole.labels
    # What was estimated before the labels stays.
    assert line.accuracy == update.before


def test_labels_twice_change_nothing(monitor: Monitor) -> None:
    labels = add(monitor, "a")
    plan = monitor.plan("a", 20)
    given = {row: labels[row] for row in plan.rows.tolist()}
    monitor.label("a", given)
    before = state_of(monitor)
    again = monitor.label("a", given)
    assert (again.n_new, again.n_repeated) == (0, 20)
    assert state_of(monitor) == before


def test_contradicting_labels_are_refused_and_nothing_changes(monitor: Monitor) -> None:
    labels = add(monitor, "a")
    give(monitor, "a", labels, 20)
    before = state_of(monitor)
    turned = np.where(labels == "yes", "no", "yes")
    row = min(monitor.plan("a", 1).rows.tolist())
    known = next(iter({*range(300)} - {*monitor.plan("a", 300).rows.tolist()}))
    with pytest.raises(InputError) as caught:
        monitor.label("a", {row: labels[row], known: turned[known]})
    assert str(caught.value) == (
        f"labels: row {known} has the label {str(labels[known])!r}, and {str(turned[known])!r} was "
        "given; a label cannot be changed. Leave this row out to add the others."
    )
    assert state_of(monitor) == before
    assert monitor.plan("a", 1).n_labels == 20


def test_rows_that_were_not_planned_wait(monitor: Monitor) -> None:
    labels = add(monitor, "a")
    order = monitor.plan("a", 300).rows.tolist()
    before = state_of(monitor)
    # Somebody labels the rows that customers complained about.
    chosen = monitor.label("a", {row: labels[row] for row in order[5:30]})
    assert (chosen.labels.n_labels, chosen.labels.n_used, chosen.missing) == (25, 0, order[0])
    assert chosen.labels.alone is None
    assert state_of(monitor) == before
    assert chosen.summary() == (
        f"25 new labels for batch 'a'. None of its labels count yet: row {order[0]} comes next in the random order of "
        "the plan and has no label; rows chosen in any other way are not a random sample."
    )
    plan = monitor.plan("a", 5)
    assert plan.rows.tolist() == order[:5]
    assert "25 labels of other rows will count once these rows have labels." in plan.summary()
    filled = monitor.label("a", {row: labels[row] for row in order[:5]})
    assert (filled.labels.n_used, filled.missing) == (30, None)


def test_portions_are_worth_what_the_whole_is(monitor: Monitor) -> None:
    labels = add(monitor, "a")
    half = give(monitor, "a", labels, 15)
    whole = give(monitor, "a", labels, 15)
    assert (half.labels.n_used, whole.labels.n_used) == (15, 30)
    assert whole.track_record.n_batches == 1


def test_labels_find_harm_that_scores_do_not_show(monitor: Monitor) -> None:
    for day in range(4):
        labels = add(monitor, f"day {day}", seed=day + 1)
        assert not give(monitor, f"day {day}", labels, 50).opened
    opened = []
    for day in range(4, 8):
        labels = add(monitor, f"day {day}", seed=day + 1, wrong=0.5)
        update = give(monitor, f"day {day}", labels, 50)
        opened += update.opened
    (incident,) = opened
    assert (incident.level, incident.by_labels) == ("harm", True)
    assert incident.likeliest.id == "day 4"
    assert incident.labels is not None
    assert incident.labels.settled == "confirmed"
    status = monitor.status()
    assert status.headline == "Labels show that accuracy is below the floor."
    assert ", whose labels raised the alarm." in status.summary()
    assert f"Labels confirm incident {incident.number}: accuracy" in status.summary()
    assert status.next_step is not None
    assert status.next_step.python == f"monitor.acknowledge({incident.number}, reason)"
    # The estimate follows what labels have shown.
    assert status.recent[-1].accuracy is not None
    assert status.recent[3].accuracy is not None
    assert status.recent[-1].accuracy.estimate < status.recent[3].accuracy.estimate - 0.1
    assert status.last is not None
    assert status.last.n_learnt == 7
    # Late labels of the incident's batches do not count towards a new alarm.
    monitor.acknowledge(incident, "the model is to be retrained")
    late = give(monitor, "day 7", labels, 100)
    assert (late.closed_by, late.opened) == (incident.number, ())
    assert f"before incident {incident.number} was acknowledged" in late.summary()
    assert not monitor.status().levels["harm"].alarm


def test_the_labels_of_one_batch_have_one_interval(monitor: Monitor) -> None:
    table = make_table(300, shift=15.0, seed=9)
    labels = table.pop("y")
    monitor.add(table, id="shifted")
    update = give(monitor, "shifted", labels, 60)
    verdict = next(one.labels for one in update.open_incidents if one.level == "material")
    assert verdict is not None
    assert verdict.n_batches == 1
    assert str(verdict.accuracy) == str(update.labels.alone)


def test_all_labels_of_a_small_batch_settle_nothing(monitor: Monitor) -> None:
    table = make_table(300, shift=15.0, seed=9)
    labels = table.pop("y")
    monitor.add({name: values[:296] for name, values in table.items()}, id="shifted")
    monitor.add({name: values[296:] for name, values in table.items()}, id="small")
    update = monitor.label("small", labels[296:])
    verdict = next(one.labels for one in update.open_incidents if one.level == "material")
    assert verdict is not None
    # The accuracy of these 4 rows is known exactly; that of the incident is not.
    assert verdict.accuracy.low == verdict.accuracy.high
    assert verdict.settled == "open"
    # There is nothing left to plan.
    assert len(monitor.plan("small").rows) == 0
    assert update.next_step is monitor.status().next_step is None
    assert "Next:" not in update.summary()


def test_labels_clear_a_change_that_does_no_harm(monitor: Monitor) -> None:
    table = make_table(300, shift=15.0, seed=9)
    labels = table.pop("y")
    update = monitor.add(table, id="shifted")
    assert "material" in [incident.level for incident in update.opened]
    assert update.next_step is not None
    assert update.summary().endswith("Next: monitor.plan('shifted').")
    cleared = monitor.label("shifted", labels)
    number = next(one.number for one in cleared.open_incidents if one.level == "material")
    assert f"Labels clear incident {number}: accuracy " in cleared.summary()
    assert cleared.summary().endswith(f"Next: monitor.acknowledge({number}, reason).")
    incident = monitor.acknowledge(number, "no harm")
    assert incident.labels is not None
    assert incident.labels.settled == "cleared"


def test_an_incident_by_labels_recovers_by_labels(monitor: Monitor) -> None:
    for day in range(3):
        give(monitor, f"day {day}", add(monitor, f"day {day}", seed=day + 1, wrong=0.5), 100)
    (incident,) = [one for one in monitor.incidents if one.level == "harm"]
    for day in range(3, 9):
        labels = add(monitor, f"day {day}", seed=day + 1)
        # Estimates alone do not know.
        assert monitor.incidents[incident.number - 1].recovered is None or day > 4
        give(monitor, f"day {day}", labels, 100)
    assert monitor.incidents[incident.number - 1].recovered is not None


def test_run_length_counts_labels_too(empty_store: Path, baseline: Baseline, tmp_path: Path) -> None:
    monitor = Monitor(tmp_path / "run.db", baseline, mode="run length")
    for day in range(3):
        update = give(monitor, f"day {day}", add(monitor, f"day {day}", seed=day + 1, wrong=0.6), 100)
    assert [one.level for one in update.open_incidents] == ["harm"]


def test_labels_of_what_is_not_there_are_refused(monitor: Monitor) -> None:
    labels = add(monitor, "a")
    monitor.add(labelled_batch(100, seed=3)[0], at="2020-01-01", id="old")
    with pytest.raises(InputError, match="id must be the name of a batch, got 'b'; available: 'a', 'old'"):
        monitor.label("b", labels)
    with pytest.raises(InputError, match="count must be a whole number of at least 1; got 0"):
        monitor.plan("a", 0)
    monitor.prune("2021-01-01")
    with pytest.raises(InputError) as caught:
        monitor.plan("old")
    assert str(caught.value) == (
        "the rows of batch 'old' were deleted from the store along with its figures, so its labels can no longer "
        "be used; label a newer batch."
    )


def test_labels_need_labels_in_the_baseline(tmp_path: Path) -> None:
    table = make_table(400)
    monitor = Monitor(tmp_path / "m.db", Baseline.of(table, scores="p", exclude=["y"]))
    monitor.add(labelled_batch(100, seed=1)[0], id="a")
    with pytest.raises(InputError, match="labels cannot be used, because this monitor was created without scores and"):
        monitor.plan("a")


def test_keys_name_rows(tmp_path: Path) -> None:
    baseline = Baseline.of(make_table(400) | {"row": np.arange(400)}, scores="p", labels="y", key="row")
    monitor = Monitor(tmp_path / "m.db", baseline)
    batch, labels = labelled_batch(100, seed=1)
    monitor.add(batch | {"row": [f"c{number}" for number in range(100)]}, id="a")
    plan = monitor.plan("a", 3)
    # A key that is called "row" would be taken for row numbers.
    assert plan.to_frame().columns.tolist() == ["batch", "row", "key", "p", "label"]
    assert plan.keys == tuple(f"c{row}" for row in plan.rows)
    update = monitor.label("a", {key: labels[int(key[1:])] for key in plan.keys})
    assert update.labels.n_used == 3
    turned = {plan.keys[0]: "no" if labels[plan.rows[0]] == "yes" else "yes"}
    with pytest.raises(InputError, match=rf"row {plan.rows[0]} \('{plan.keys[0]}'\) has the label"):
        monitor.label("a", turned)


def test_a_long_batch_uses_the_rows_that_are_kept(monitor: Monitor) -> None:
    labels = add(monitor, "a", n=1500)
    update = monitor.label("a", labels)
    assert (update.labels.n_used, update.n_not_kept) == (1000, 500)
    assert "500 labels are for rows whose scores are not kept, and will not be used." in update.summary()
    assert update.labels.alone is not None
    assert update.labels.alone.width > 0


def test_a_store_with_labels_is_read_as_it_was_left(store: Path, tmp_path: Path) -> None:
    monitor = Monitor(store)
    labels = add(monitor, "a")
    give(monitor, "a", labels, 30)
    copied = Monitor(shutil.copy(store, tmp_path / "copy.db"))
    add(monitor, "b", seed=2)
    add(copied, "b", seed=2)
    assert state_of(copied) == state_of(monitor)
    assert copied.history()[["batch", "quantity", "estimate"]].equals(
        monitor.history()[["batch", "quantity", "estimate"]]
    )
    assert {"accuracy with labels", "share by labels"} <= {*copied.history()["quantity"]}


def test_labels_give_the_class_proportions_of_the_random_sample(monitor: Monitor) -> None:
    labels = add(monitor, "a")
    rows = monitor.plan("a", 30).rows
    update = monitor.label("a", {int(row): labels[row] for row in rows})
    share = update.labels.shares["yes"]
    assert share.estimate == pytest.approx((labels[rows] == "yes").mean())
    assert share.low < share.estimate < share.high
    assert update.labels.reference_shares == pytest.approx(monitor.baseline.class_shares)
    assert "According to 30 labels, class 'yes' makes up" in update.summary()
    # A row beside the plan waits, and does not count.
    other = next(row for row in range(len(labels)) if row not in monitor.plan("a", 31).rows and row not in rows)
    assert monitor.label("a", {other: labels[other]}).labels.shares["yes"] == share


def test_labels_of_a_season_that_is_always_worse_are_no_evidence_of_harm(tmp_path: Path) -> None:
    def days(first: str, count: int, seed: int, broken: float = 0.0) -> pd.DataFrame:
        rng = np.random.default_rng(seed)
        day = pd.date_range(first, periods=count).repeat(200)
        # At weekends scores are hardly better than a coin.
        certain = np.where(day.day_of_week >= 5, 0.1, 0.45)
        p = 0.5 + certain * rng.choice([-1, 1], len(day))
        y = np.where(rng.random(len(day)) < broken, rng.random(len(day)) < 0.5, rng.random(len(day)) < p)
        return pd.DataFrame({"day": day, "p": p, "y": np.where(y, "yes", "no")})

    reference = days("2024-01-01", 70, seed=1)
    baseline = Baseline.of(reference, scores="p", labels="y", time="day", every="day", season="weekday")
    monitor = Monitor(tmp_path / "monitor.db", baseline)
    for weekend in range(8):
        day = pd.Timestamp("2024-04-06") + pd.Timedelta(days=7 * weekend)
        batch = days(str(day), 1, seed=weekend + 2)
        monitor.add(batch.drop(columns="y"), at=day, id=str(weekend))
        update = monitor.label(str(weekend), dict(enumerate(batch["y"])))
    # Far below the floor of all days, and above that of weekends.
    assert baseline.validated is not None
    assert update.labels.alone is not None
    assert update.labels.alone.estimate < baseline.validated - 0.1
    assert not monitor.incidents
    for weekday in range(4):
        day = pd.Timestamp("2024-06-03") + pd.Timedelta(days=weekday)
        batch = days(str(day), 1, seed=weekday + 20, broken=0.8)
        monitor.add(batch.drop(columns="y"), at=day, id=f"bad {weekday}")
        update = monitor.label(f"bad {weekday}", dict(enumerate(batch["y"])))
    assert [one.level for one in monitor.incidents] == ["harm"]
    assert monitor.incidents[0].likeliest.id == "bad 0"
    assert monitor.incidents[0].labels is not None
    assert monitor.incidents[0].labels.settled == "confirmed"


def test_history_shows_the_evidence_that_labels_add(tmp_path: Path, baseline: Baseline) -> None:
    monitor = Monitor(tmp_path / "monitor.db", baseline)
    add(monitor, "a")
    labels = add(monitor, "b", seed=2, wrong=0.9)

    def harm() -> dict[str, float]:
        history = monitor.history()
        own = history[(history["quantity"] == "evidence") & (history["subject"] == "harm")]
        return dict(zip(own["batch"], own["estimate"], strict=True))

    before = harm()
    monitor.label("b", dict(enumerate(labels)))
    assert harm()["a"] == before["a"]
    assert harm()["b"] == pytest.approx(monitor.status().levels["harm"].log_evidence)
    assert harm()["b"] > before["b"] + 1


def test_a_table_of_labels_loses_none_of_its_rows(tmp_path: Path) -> None:
    table = make_table(300, seed=1) | {"id": np.arange(300)}
    monitor = Monitor(tmp_path / "m.db", Baseline.of(table, scores="p", labels="y", key="id"))
    monitor.add(table, id="a")
    labels = pd.DataFrame({"id": table["id"], "y": table["y"]})
    # In a dict, one of them would be left.
    with pytest.raises(InputError, match="id 7 occurs more than once in labels; keep one of these rows"):
        monitor.label("a", labels.assign(id=7))
    with pytest.raises(InputError, match="by must be left out with a table, whose columns name the rows; got 'key'"):
        monitor.label("a", labels, by="key")
    assert monitor.label("a", labels).n_new == 300

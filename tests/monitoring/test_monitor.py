from __future__ import annotations

import math
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from tests._stores import Place
from tests.monitoring.conftest import Table, make_batch

from shiftproof.core import FileError, InputError
from shiftproof.monitoring import Baseline, Monitor, Update, utc
from shiftproof.monitoring.alarms import Alarms, State

# Streams and their batches that go through the monitor and through its alarms alone.
STREAMS, LENGTH = (1, 4) if os.environ.get("SIMULATIONS", "1") == "1" else (20, 200)


def state_of(monitor: Monitor) -> bytes | None:
    with monitor._store.log(monitor._key) as log:
        return log.state()


def test_monitor_that_is_opened_again_goes_on_where_it_was(store: Place, monitor: Monitor) -> None:
    monitor.add(make_batch(), id="one")
    again = Monitor(store)
    again.add(make_batch(seed=1), id="two")
    assert [line.batch.id for line in again.status().recent] == ["one", "two"]
    assert repr(again) == f"Monitor({str(store)!r}, name='default')"
    assert again.name == "default"


def test_floor_is_five_points_below_the_validated_accuracy(monitor: Monitor, baseline: Baseline) -> None:
    assert baseline.validated is not None
    assert monitor.terms.validated == baseline.validated
    assert monitor.terms.floor == round(baseline.validated - 0.05, 6)
    assert {*monitor.status().levels} == {"changed", "material", "harm"}


def test_without_labels_harm_is_not_watched_and_that_is_said(table: Table, tmp_path: Path) -> None:
    unlabelled = Baseline.of({name: values for name, values in table.items() if name != "y"}, scores="p")
    monitor = Monitor(tmp_path / "m.db", unlabelled)
    update = monitor.add(make_batch())
    assert {*update.levels} == {"changed", "material"}
    assert (update.accuracy, monitor.terms.floor) == (None, None)
    assert "there is no harm alarm" in monitor.status().summary()
    with pytest.raises(InputError) as caught:
        Monitor(tmp_path / "other.db", unlabelled, floor=0.8)
    assert str(caught.value) == ("floor needs labels and scores in the baseline; add them, or leave it out.")


def test_unknown_monitor_is_refused_by_name(store: Place) -> None:
    with pytest.raises(InputError) as caught:
        Monitor(store, name="defaults")
    assert str(caught.value) == "name must be a monitor of the store; got 'defaults'. Did you mean 'default'?"


def test_store_holds_several_monitors(store: Place, baseline: Baseline, monitor: Monitor) -> None:
    other = Monitor(store, baseline, name="other", alpha=0.01, mode="run length", floor=0.7)
    other.add(make_batch(), id="one")
    assert (monitor.status().n_batches, other.status().n_batches) == (0, 1)
    opened = Monitor(store, name="other")
    assert (opened.terms.alpha, opened.terms.mode, opened.terms.floor) == (0.01, "run length", 0.7)
    sooner = Monitor(store, baseline, name="sooner", run_length=200)
    assert (sooner.terms.mode, sooner.terms.run_length) == ("run length", 200)
    careful = Monitor(store, baseline, name="careful", lifetime=True)
    assert careful.status().levels["changed"].log_limit == pytest.approx(math.log(40))


def test_same_batch_again_changes_nothing(monitor: Monitor) -> None:
    first = monitor.add(make_batch(), id="one")
    state = state_of(monitor)
    again = monitor.add(make_batch(), id="one")
    assert (first.repeated, again.repeated) == (False, True)
    assert state_of(monitor) == state
    assert monitor.status().n_batches == 1
    assert "It was added before and counts only once." in again.summary()
    pd.testing.assert_frame_equal(first.to_frame(), again.to_frame())
    assert first.levels == again.levels


def test_batch_without_a_name_is_named_by_its_content(monitor: Monitor) -> None:
    first = monitor.add(make_batch())
    assert len(first.id) == 64
    assert monitor.add(make_batch()).repeated
    assert not monitor.add(make_batch(seed=1)).repeated


def test_equal_batches_of_several_days_all_count(monitor: Monitor) -> None:
    batch = make_batch(3)
    updates = [monitor.add(batch, at=f"2024-01-0{day}") for day in (1, 2, 3)]
    assert not [update for update in updates if update.repeated]
    assert monitor.add(batch, at="2024-01-02T02:00+02:00").repeated
    assert monitor.status().n_batches == 3


def test_small_batch_that_may_be_a_copy_is_refused(monitor: Monitor) -> None:
    monitor.add(make_batch(3))
    with pytest.raises(InputError) as caught:
        monitor.add(make_batch(3))
    assert str(caught.value) == (
        "the monitor already has a batch with the same 3 rows, so this may be a copy or a new batch; pass id or at "
        "to say "
        "which."
    )
    assert monitor.status().n_batches == 1


@pytest.mark.parametrize("at", ["0001-01-01", "1969-12-31", "2999-01-01"])
def test_unlikely_time_is_refused_unless_it_is_meant(monitor: Monitor, at: str) -> None:
    with pytest.raises(InputError) as caught:
        monitor.add(make_batch(), at=at)
    assert str(caught.value) == (
        f"the time of the batch, {at}, is before 1970 or more than a year from now; correct it, or pass "
        "allow_date=True if it is meant."
    )
    assert monitor.status().n_batches == 0
    assert monitor.add(make_batch(), at=at, allow_date=True).at == utc(at)


def test_content_of_another_batch_is_refused_unless_it_is_meant(monitor: Monitor) -> None:
    monitor.add(make_batch(), id="one", at="2024-01-01")
    state = state_of(monitor)
    names: list[dict[str, Any]] = [{"id": "two"}, {"at": "2024-01-02"}, {}]
    for renamed in names:
        with pytest.raises(InputError) as caught:
            monitor.add(make_batch(), **renamed)
        assert str(caught.value) == (
            "the monitor already has the same 100 rows as batch 'one' of 2024-01-01; to count them again, pass "
            "allow_copy=True."
        )
    assert (state_of(monitor), monitor.status().n_batches) == (state, 1)
    assert monitor.add(make_batch(), id="one").repeated
    assert not monitor.add(make_batch(), id="two", allow_copy=True).repeated
    assert monitor.status().n_batches == 2


def test_same_name_with_other_content_is_refused(monitor: Monitor) -> None:
    monitor.add(make_batch(), id="one")
    state = state_of(monitor)
    with pytest.raises(InputError) as caught:
        monitor.add(make_batch(seed=1), id="one")
    assert (
        str(caught.value) == "the monitor already has a batch 'one' with different content; give this one another id."
    )
    assert (state_of(monitor), monitor.status().n_batches) == (state, 1)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"id": 3}, "id must be a text, got 3; name the batch, or leave it out."),
        ({"id": " "}, "id must be a text, got ' '; name the batch, or leave it out."),
        ({"id": "x" * 256}, "id must have at most 255 characters, got 256; choose a shorter name."),
        (
            {"at": "yesterday"},
            "at must be a date or a time, got 'yesterday'; write it as 2024-01-31 or 2024-01-31T12:00+02:00.",
        ),
    ],
)
def test_bad_names_and_times_are_refused(monitor: Monitor, arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        monitor.add(make_batch(), **arguments)
    assert str(caught.value) == sentence
    assert monitor.status().n_batches == 0


@pytest.mark.parametrize(
    "batch",
    [
        {name: values[:0] for name, values in make_batch().items()},
        {name: values for name, values in make_batch().items() if name != "p"},
        make_batch() | {"age": np.array(["old"] * 100)},
        make_batch() | {"p": np.full(100, 1.5)},
    ],
    ids=["no rows", "no scores", "another type", "no probabilities"],
)
def test_bad_batch_changes_nothing(monitor: Monitor, batch: Table) -> None:
    with pytest.raises(InputError):
        monitor.add(batch)
    assert (state_of(monitor), monitor.status().n_batches) == (None, 0)


def test_late_batches_count_by_arrival_and_are_shown_by_time(monitor: Monitor) -> None:
    for day in (2, 1, 3):
        monitor.add(make_batch(seed=day), at=f"2024-01-0{day}", id=f"day {day}")
    status = monitor.status()
    assert [line.batch.id for line in status.recent] == ["day 1", "day 2", "day 3"]
    assert [line.batch.number for line in status.recent] == [2, 1, 3]
    assert status.last is not None
    assert status.last.batch.id == "day 3"
    history = monitor.history()
    assert history["batch"].drop_duplicates().tolist() == ["day 1", "day 2", "day 3"]
    assert history["at"].iloc[0] == datetime(2024, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("stream", range(STREAMS))
def test_states_are_those_of_the_alarms_alone(monitor: Monitor, baseline: Baseline, stream: int) -> None:
    alarms = Alarms.of(baseline.columns, floor=monitor.terms.floor, bias_sd=monitor.terms.bias)
    state = alarms.start()
    for day in range(LENGTH):
        batch = make_batch(100, shift=5.0 * (day >= LENGTH // 2), seed=1000 * stream + day)
        monitor.add(batch, id=f"day {day}")
        state, _ = alarms.step(state, baseline.summarise(batch).facts, f"day {day}")
    stored = State.from_bytes(state_of(monitor) or b"")
    # An incident sets the pool before it aside; nothing else differs.
    assert State(stored.batches, {**stored.arrays, "before": state.arrays["before"]}) == state


def test_history_has_one_row_per_batch_and_quantity(watched: Monitor) -> None:
    history = watched.history()
    assert history.columns.tolist() == [
        *("batch", "at", "arrived", "n", "segment", "quantity", "subject", "estimate", "low", "high", "level", "method")
    ]
    first = history[history["batch"] == "day 0"]
    assert first[["quantity", "subject"]].to_numpy().tolist() == [
        ["accuracy", ""],
        *([["evidence", level] for level in ("changed", "harm", "material")]),
        ["loss chance", ""],
        *([["share", label] for label in ("no", "yes")]),
    ]
    low, estimate, high = first[["low", "estimate", "high"]].to_numpy()[0]
    assert low < estimate < high
    columns = watched.history(columns=True)
    assert len(columns) == 10 * 4
    assert {"name", "distance", "p_value", "missing", "unseen", "changed", "material"} <= {*columns.columns}


def test_incident_has_its_start_its_columns_and_its_recovery(watched: Monitor) -> None:
    incident = next(one for one in watched.incidents if one.level == "material")
    assert incident.open
    assert incident.likeliest.id == "day 5"
    assert {"age", "p"} <= {*incident.columns}
    assert incident.recovered is not None
    assert incident.recovered.id in ("day 8", "day 9")


def test_acknowledged_incident_restarts_its_alarm(monitor: Monitor) -> None:
    update = monitor.add(make_batch(200, shift=15.0), id="one")
    raised = {incident.level: incident for incident in update.opened}
    closed = monitor.acknowledge(raised["material"], "a campaign")
    assert (closed.open, closed.reason) == (False, "a campaign")
    levels = monitor.status().levels
    assert levels["material"].log_evidence == pytest.approx(0.0)
    assert levels["changed"].alarm
    # It still is a change that matters, so that the next batch raises the alarm again.
    again = monitor.add(make_batch(200, shift=15.0, seed=1), id="two")
    assert [(one.level, one.first.id) for one in again.opened] == [("material", "two")]
    monitor.acknowledge(raised["changed"].number, "for good", how="accept")
    assert not [one for one in monitor.add(make_batch(200, shift=15.0, seed=2)).opened if one.level == "changed"]


def test_acknowledge_without_incidents_says_so(monitor: Monitor) -> None:
    with pytest.raises(InputError, match=r"^incident must be the number of an incident, got 7; there are no incidents"):
        monitor.acknowledge(7, "seen")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((7, "seen"), "incident must be the number of an incident, got 7; available: 1, 2."),
        ((1, ""), "reason must say why the incident is closed, got ''; write a few words."),
    ],
)
def test_bad_acknowledgements_are_refused(monitor: Monitor, arguments: tuple[int, str], sentence: str) -> None:
    opened = monitor.add(make_batch(200, shift=15.0)).opened
    assert len(opened) == 2
    with pytest.raises(InputError) as caught:
        monitor.acknowledge(*arguments)
    assert str(caught.value) == sentence


def test_incident_is_acknowledged_once(monitor: Monitor) -> None:
    monitor.add(make_batch(200, shift=15.0))
    monitor.acknowledge(1, "seen")
    with pytest.raises(InputError) as caught:
        monitor.acknowledge(1, "seen again")
    assert str(caught.value) == "incident 1 was already acknowledged (reason: 'seen')."


def test_material_incident_cannot_be_accepted(monitor: Monitor) -> None:
    monitor.add(make_batch(200, shift=15.0))
    with pytest.raises(InputError) as caught:
        monitor.acknowledge(2, "seen", how="accept")
    assert (
        str(caught.value)
        == "how must be 'restart' or 'resolved' for level='material', got 'accept'; make a new baseline to accept it."
    )
    assert len(monitor.status().open_incidents) == 2


def test_redacted_monitor_neither_prints_nor_stores_categories_of_a_batch(table: Table, tmp_path: Path) -> None:
    monitor = Monitor(tmp_path / "m.db", Baseline.of(table, scores="p", labels="y", redact=True))
    batch = make_batch() | {"job": np.array(["TOPSECRET"] * 2 + ["OTHER"] + ["nurse"] * 97)}
    summary = monitor.add(batch, id="one").summary()
    assert "Column 'job' has new values, which the baseline never had: 2 values (3 rows)." in summary
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert not [name for name in ("TOPSECRET", "OTHER", "nurse") if name in summary or name.encode() in stored]


def test_prune_deletes_figures_and_knows_copies(monitor: Monitor) -> None:
    for day in (1, 2, 3):
        monitor.add(make_batch(seed=day), at=f"2024-01-0{day}", id=f"day {day}")
    state = state_of(monitor)
    assert monitor.prune("2024-01-03") == 2
    assert monitor.history()["batch"].unique().tolist() == ["day 3"]
    again = monitor.add(make_batch(seed=1), id="day 1")
    assert (again.repeated, again.columns, again.accuracy) == (True, {}, None)
    assert again.summary().startswith(
        "Batch 'day 1' (100 rows). It was added before and counts only once. Its figures were deleted. No alarm."
    )
    assert (state_of(monitor), monitor.status().n_batches) == (state, 3)


def test_prune_makes_the_file_smaller(baseline: Baseline, tmp_path: Path) -> None:
    store = tmp_path / "monitor.db"
    monitor = Monitor(store, baseline)
    for day in range(30):
        monitor.add(make_batch(10, seed=day), at="2024-01-01", id=f"day {day}")
    size = store.stat().st_size
    assert monitor.prune("2024-01-02") == 30
    assert store.stat().st_size <= size - 8192


def test_prune_keeps_the_figures_that_open_incidents_need(monitor: Monitor) -> None:
    for day in (1, 2, 3, 4):
        monitor.add(make_batch(200, shift=15.0 * (day > 2), seed=day), at=f"2024-01-0{day}", id=f"day {day}")
    assert {incident.raised.id for incident in monitor.incidents} == {"day 3"}
    assert monitor.prune("2024-02-01") == 2
    assert monitor.history()["batch"].unique().tolist() == ["day 3", "day 4"]
    for incident in monitor.incidents:
        monitor.acknowledge(incident, "seen")
    assert monitor.prune("2024-02-01") == 2


def test_export_writes_three_files(watched: Monitor, tmp_path: Path) -> None:
    paths = watched.export(tmp_path / "out")
    assert [path.name for path in paths] == ["figures.parquet", "columns.parquet", "incidents.parquet"]
    incidents = pq.read_table(paths[2]).to_pandas()
    assert incidents["likeliest"].tolist() == [one.likeliest.id for one in watched.incidents]


def test_export_into_what_cannot_be_written_is_refused(monitor: Monitor, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError) as caught:
        monitor.export(tmp_path / "file")
    assert str(caught.value) == f"{tmp_path}/file: not a folder; name a folder for the files."
    (tmp_path / "out" / "incidents.parquet").mkdir(parents=True)
    with pytest.raises(FileError) as caught:
        monitor.export(tmp_path / "out")
    assert str(caught.value) == f"{tmp_path}/out: the history cannot be written (Is a directory)."
    assert [path.name for path in (tmp_path / "out").glob("*.part")] == []


def test_export_of_a_monitor_without_batches(monitor: Monitor, tmp_path: Path) -> None:
    sizes = [pq.read_table(path).num_rows for path in monitor.export(tmp_path)]
    assert sizes == [0, 0, 0]


def test_files_are_remembered_by_the_names_of_batches(monitor: Monitor) -> None:
    update = monitor.add(make_batch(), id="one")
    assert monitor.files() == {}
    monitor.remember_file(update.id, (100, 5))
    monitor.remember_file(update.id, (100, 6))
    assert monitor.files() == {"one": (100, 6)}
    assert monitor.add(make_batch(), id="one").repeated


def test_update_of_a_batch_is_a_result(watched: Monitor) -> None:
    update = watched.add(make_batch(200, seed=10), id="day 9")
    assert isinstance(update, Update)
    assert update.repeated


def test_state_that_another_version_wrote_is_refused(monitor: Monitor) -> None:
    with monitor._store.log(monitor._key, write=True) as log:
        log.replace_state(b"another version")
    with pytest.raises(InputError):
        monitor.add(make_batch())
    assert monitor._alarms.start() == State.from_bytes(monitor._alarms.start().to_bytes())


def test_redate_changes_the_time_and_no_evidence(monitor: Monitor) -> None:
    for day in (1, 2):
        monitor.add(make_batch(seed=day), at=f"2024-03-0{day}", id=f"day {day}")
    before = monitor.status()
    update = monitor.redate("day 1", "2024-04-01")
    assert (update.at.isoformat(), update.repeated) == ("2024-04-01T00:00:00+00:00", True)
    after = monitor.status()
    assert [line.batch.id for line in after.recent] == ["day 2", "day 1"]
    assert after.levels == before.levels
    with pytest.raises(InputError, match=r"id must be the name of a batch; got 'day 9'\. Did you mean"):
        monitor.redate("day 9", "2024-04-01")


def test_two_monitors_cannot_share_an_export_folder(store: Place, baseline: Baseline, tmp_path: Path) -> None:
    Monitor(store).export(tmp_path / "out")
    other = Monitor(store, baseline, name="other")
    with pytest.raises(
        FileError, match=r"the history of another monitor, 'default', created .*; export to another folder"
    ):
        other.export(tmp_path / "out")
    assert Monitor(store).export(tmp_path / "out")

"""What a monitor takes over from other tools is shown, and is no evidence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
from tests.monitoring.conftest import make_batch
from tests.monitoring.imports.test_nannyml import RESULTS

from shiftproof.core import InputError
from shiftproof.monitoring import Monitor

ESTIMATED, DRIFT = RESULTS / "nannyml-estimated.csv", RESULTS / "nannyml-drift.csv"


def state_of(monitor: Monitor) -> bytes | None:
    with monitor._store.log(monitor._key) as log:
        return log.state()


def test_imported_batches_are_in_the_history_by_their_time(monitor: Monitor) -> None:
    monitor.add(make_batch(), at="2024-02-10", id="own")
    imported = monitor.import_history(ESTIMATED, "nannyml")
    assert (imported.n_batches, imported.n_new) == (5, 5)
    history = monitor.history()
    assert history["at"].is_monotonic_increasing
    accuracy = history[history["quantity"] == "accuracy"]
    assert accuracy["batch"].tolist()[1:4] == ["nannyml 2024-02-05/2024-02-11", "own", "nannyml 2024-02-12/2024-02-18"]
    assert accuracy["method"].tolist()[1:3] == ["NannyML estimate", "calibrated confidence"]
    assert (history["quantity"] == "actual accuracy").sum() == 5
    monitor.import_history(DRIFT, "nannyml")
    columns = monitor.history(columns=True)
    assert {"NannyML wasserstein", "ks"} <= {*columns["measure"]}
    assert columns.loc[columns["measure"] == "NannyML wasserstein", "material"].isna().all()


def test_same_import_again_changes_nothing(monitor: Monitor) -> None:
    monitor.import_history(ESTIMATED, "nannyml")
    before = monitor.history().drop(columns="arrived")
    assert monitor.import_history(ESTIMATED, "nannyml").n_new == 0
    pd.testing.assert_frame_equal(monitor.history().drop(columns="arrived"), before)


def test_imports_are_no_evidence(monitor: Monitor, store: Any, stores: Any) -> None:
    untouched = Monitor(stores.copy(store))
    for other, imported in ((monitor, True), (untouched, False)):
        for day in range(6):
            if imported and day in (0, 3):
                monitor.import_history(ESTIMATED, "nannyml")
                monitor.import_history(DRIFT, "nannyml")
            other.add(make_batch(200, shift=15.0 * (1 < day < 4), seed=day), at=f"2024-02-0{day + 1}", id=f"day {day}")
    assert state_of(monitor) == state_of(untouched)
    assert monitor.status().n_batches == 6
    assert monitor.status().levels == untouched.status().levels
    assert [one.recovered and one.recovered.id for one in monitor.incidents] == [
        one.recovered and one.recovered.id for one in untouched.incidents
    ]


def test_status_shows_imports_also_before_the_first_batch(monitor: Monitor, tmp_path: Path) -> None:
    monitor.import_history(ESTIMATED, "nannyml")
    monitor.import_history(RESULTS / "evidently-dump.json", "evidently")
    status = monitor.status()
    assert (
        "Imported: 5 batches from NannyML and 1 batch from Evidently. The alarms do not use them." in status.summary()
    )
    page = Path(status.save(tmp_path / "page.html")).read_text()
    assert "nannyml 2024-02-05/2024-02-11" in page
    assert "imported estimate" in page
    assert [one["id"] for one in status.to_dict()["imported"]][-1] == "evidently evidently-dump.json"
    redacted = Path(status.save(tmp_path / "redacted.html", redact=True)).read_text()
    assert "evidently-dump.json" not in redacted
    monitor.add(make_batch(), at="2024-03-10")
    # What is drawn begins with the imports.
    first, last = monitor.status().plot().get_xlim()
    assert last - first > 40


def test_export_and_prune_have_imports(monitor: Monitor, tmp_path: Path) -> None:
    monitor.import_history(ESTIMATED, "nannyml")
    monitor.import_history(DRIFT, "nannyml")
    monitor.add(make_batch(), at="2024-02-10", id="own")
    for _ in range(2):
        figures, columns, _ = monitor.export(tmp_path)
    assert pq.read_table(figures)["batch"].to_pylist().count("nannyml 2024-02-05/2024-02-11") == 4
    assert monitor.prune("2024-02-06") == 2
    assert "nannyml 2024-02-05/2024-02-11" not in {*monitor.history()["batch"]}
    # What was exported stays in the files.
    figures, columns, _ = monitor.export(tmp_path)
    assert pq.read_table(figures)["batch"].to_pylist().count("nannyml 2024-02-05/2024-02-11") == 4
    assert pq.read_table(columns)["batch"].to_pylist().count("nannyml 2024-02-05/2024-02-11") == 3


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"tool": "nanny"}, "tool must be one of 'nannyml', 'evidently'; got 'nanny'. Did you mean 'nannyml'?"),
        (
            {"at": "2024-01-01"},
            "at must be left out, got '2024-01-01'; chunks of NannyML have their own dates and names.",
        ),
        ({"id": "one"}, "id must be left out, got 'one'; chunks of NannyML have their own dates and names."),
        ({"tool": "evidently", "id": ""}, "id must be a text, got ''; name the batch, or leave it out."),
        (
            {"tool": "evidently", "at": "soon"},
            "at must be a date or a time, got 'soon'; write it as 2024-01-31 or 2024-01-31T12:00+02:00.",
        ),
    ],
)
def test_bad_arguments_are_refused_and_nothing_is_written(
    monitor: Monitor, arguments: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InputError) as caught:
        monitor.import_history(ESTIMATED, **{"tool": "nannyml", **arguments})
    assert str(caught.value) == sentence
    assert len(monitor.history()) == 0

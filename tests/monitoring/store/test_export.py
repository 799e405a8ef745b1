from __future__ import annotations

import os
import stat
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.monitoring.store.conftest import START

from shiftproof.core import FileError
from shiftproof.monitoring.store import BatchRecord, Store, export_history

Record = Callable[..., BatchRecord]
INCIDENTS = pa.table({"incident": [1]})


def test_export_writes_one_row_per_batch_and_quantity(store: Store, record: Record, tmp_path: Path) -> None:
    with store.log(1, write=True) as log:
        for day in (1, 0):
            log.append(record(day), b"")
    with store.log(1) as log:
        figures, columns, _ = export_history(log, INCIDENTS, tmp_path, owner="one")
    assert (figures.name, columns.name) == ("figures.parquet", "columns.parquet")
    frame = pq.read_table(figures).to_pandas()
    assert frame["batch"].tolist() == ["day 0", "day 1"]
    assert frame["at"].tolist()[0] == START
    assert frame[["quantity", "estimate", "low", "high", "level"]].to_numpy().tolist()[0] == [
        "accuracy",
        0.8,
        0.7,
        0.9,
        0.9,
    ]
    assert pq.read_table(columns).to_pandas()[["name", "unseen"]].to_numpy().tolist() == [["age", 0.25]] * 2
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".parquet"] * 3


def test_export_again_keeps_batches_that_were_pruned_since(store: Store, record: Record, tmp_path: Path) -> None:
    with store.log(1, write=True) as log:
        for day in (0, 1):
            log.append(record(day), b"")
        export_history(log, INCIDENTS, tmp_path, owner="one")
        assert log.prune(START + timedelta(days=1)) == 1
        log.append(record(2), b"")
        *paths, _ = export_history(log, INCIDENTS, tmp_path, owner="one")
    for path in paths:
        assert pq.read_table(path)["batch"].to_pylist() == ["day 0", "day 1", "day 2"]


def test_export_of_a_store_without_batches_has_the_columns(store: Store, tmp_path: Path) -> None:
    with store.log(1) as log:
        figures, *_ = export_history(log, INCIDENTS, tmp_path, owner="one")
    table = pq.read_table(figures)
    assert (table.num_rows, table.column_names[:5]) == (0, ["batch", "at", "arrived", "n", "segment"])


def test_failed_export_leaves_no_part_behind(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shiftproof.monitoring.store._log.MonitorLog.rows", fail)
    with store.log(1) as log, pytest.raises(FileError, match=r"cannot be written \(No space left on device\)"):
        export_history(log, INCIDENTS, tmp_path, owner="one")
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("other", [None, pa.table({"price": [1.0]})])
def test_export_leaves_a_file_alone_that_is_no_earlier_export(store: Store, tmp_path: Path, other: pa.Table) -> None:
    path = tmp_path / "figures.parquet"
    path.write_text("hello") if other is None else pq.write_table(other, path)
    before = path.read_bytes()
    with store.log(1) as log, pytest.raises(FileError, match="not an earlier export of a monitor; export to another"):
        export_history(log, INCIDENTS, tmp_path, owner="one")
    assert path.read_bytes() == before


def test_export_into_the_folder_of_another_monitor_is_refused(store: Store, record: Record, tmp_path: Path) -> None:
    with store.log(1, write=True) as log:
        log.append(record(0), b"")
        export_history(log, INCIDENTS, tmp_path, owner="'calls', created 2024-03-01")
        (tmp_path / "figures.parquet").unlink()
        message = (
            r"columns.parquet: the history of another monitor, 'calls', created 2024-03-01; export to another folder"
        )
        with pytest.raises(FileError, match=message):
            export_history(log, INCIDENTS, tmp_path, owner="'calls', created 2024-03-02")
    # Nothing was written before the refusal.
    assert not (tmp_path / "figures.parquet").exists()


def test_nobody_else_can_read_new_files_and_others_keep_their_mode(store: Store, tmp_path: Path) -> None:
    umask = os.umask(0o022)
    try:
        with store.log(1) as log:
            paths = export_history(log, INCIDENTS, tmp_path / "new", owner="one")
            assert [mode_of(path) for path in (tmp_path / "new", *paths)] == [0o700, 0o600, 0o600, 0o600]
            paths[0].chmod(0o644)
            export_history(log, INCIDENTS, tmp_path / "new", owner="one")
    finally:
        os.umask(umask)
    assert [mode_of(path) for path in paths] == [0o644, 0o600, 0o600]


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)

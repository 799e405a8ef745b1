from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from shiftproof.cli._incoming import Incoming
from shiftproof.core import InputError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of old files."""
    for name in ("b.csv", "a.parquet", ".hidden.csv", "part.csv.tmp", "notes.txt"):
        (tmp_path / name).write_text("a\n1\n")
        os.utime(tmp_path / name, (time.time() - 60, time.time() - 60))
    return tmp_path


def test_files_are_batches_without_a_name(folder: Path) -> None:
    incoming = Incoming(files=[folder / "b.csv", Path("-")])
    assert [*incoming.batches(dict)] == [(folder / "b.csv", None), (Path("-"), None)]
    assert (incoming.single, incoming.watched) == (False, False)
    assert Incoming(files=[Path("-")]).single


def test_folder_gives_its_tables_by_name(folder: Path) -> None:
    incoming = Incoming(files=[folder], once=True)
    assert [*incoming.batches(dict)] == [(folder / "a.parquet", "a.parquet"), (folder / "b.csv", "b.csv")]
    assert not incoming.single


def test_files_that_were_added_are_read_again_only_if_they_changed(folder: Path) -> None:
    now = datetime.now(UTC)
    added = {"a.parquet": now, "b.csv": now - timedelta(hours=1)}
    assert [name for _, name in Incoming(files=[folder], once=True).batches(lambda: added)] == ["b.csv"]


def test_watched_folder_gives_new_files_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def later(_: float) -> None:
        (folder / "c.csv").write_text("a\n1\n")
        os.utime(folder / "c.csv", (time.time() - 60, time.time() - 60))

    monkeypatch.setattr("shiftproof.cli._incoming.time.sleep", later)
    batches = Incoming(files=[folder]).batches(dict)
    assert [next(batches)[1] for _ in range(3)] == ["a.parquet", "b.csv", "c.csv"]


def test_file_that_is_being_written_waits(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "c.csv").write_text("a\n")

    def grow(_: float) -> None:
        (folder / "c.csv").write_text("a\n1\n")

    monkeypatch.setattr("shiftproof.cli._incoming.time.sleep", grow)
    assert [name for _, name in Incoming(files=[folder], once=True).batches(dict)] == ["a.parquet", "b.csv"]


def test_bad_inputs_are_refused(folder: Path) -> None:
    file = folder / "b.csv"
    for settings, sentence in (
        ({"files": [file], "every": 0.0}, "--every must be above 0, got 0.0; give seconds, such as 10."),
        ({"files": [file], "once": True}, "--once must come with a folder, got True; files are always added once."),
        ({"files": [folder / "none.csv"]}, f"{folder}/none.csv: there is no such file or folder."),
    ):
        with pytest.raises(InputError) as caught:
            Incoming(**settings)
        assert str(caught.value) == sentence
    with pytest.raises(InputError, match="FILES must name each file once"):
        Incoming(files=[file, file])

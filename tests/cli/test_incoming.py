from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from shiftproof.cli._incoming import Incoming, IncomingFile
from shiftproof.core import InputError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of old files."""
    for name in ("b.csv", "a.parquet", ".hidden.csv", "part.csv.tmp", "notes.txt"):
        (tmp_path / name).write_text("a\n1\n")
        os.utime(tmp_path / name, (time.time() - 60, time.time() - 60))
    return tmp_path


def stamp(path: Path) -> tuple[int, int]:
    return path.stat().st_size, path.stat().st_mtime_ns


def names(incoming: Incoming) -> list[str | None]:
    return [file.name for file in incoming.batches(dict)]


def test_batches_are_named_by_their_files_but_standard_input_is_not(folder: Path) -> None:
    incoming = Incoming(files=[folder / "b.csv", Path("-")])
    assert [*incoming.batches(dict)] == [
        (folder / "b.csv", "b.csv", stamp(folder / "b.csv")),
        (Path("-"), None, None),
    ]
    assert (incoming.single, incoming.watched) == (False, False)
    assert Incoming(files=[Path("-")]).single


def test_folder_gives_its_tables_by_name(folder: Path) -> None:
    incoming = Incoming(files=[folder], once=True)
    assert names(incoming) == ["a.parquet", "b.csv"]
    assert not incoming.single


def test_file_that_was_added_is_read_again_only_if_its_size_or_time_differs(folder: Path) -> None:
    size, moment = stamp(folder / "b.csv")
    # A file of the same name that is older than the one that was added is another file.
    for added in ((size, moment + 10**12), (size + 1, moment)):
        files = Incoming(files=[folder], once=True).batches(
            {"a.parquet": stamp(folder / "a.parquet"), "b.csv": added}.copy
        )
        assert [file.name for file in files] == ["b.csv"]


def test_file_that_vanishes_is_left_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = folder / "a.parquet"
    monkeypatch.setattr("shiftproof.cli._incoming._tables", lambda _: [folder / "none.csv", gone, folder / "b.csv"])
    monkeypatch.setattr("shiftproof.cli._incoming._SETTLED", 3600.0)
    monkeypatch.setattr("shiftproof.cli._incoming.time.sleep", lambda _: gone.unlink())
    assert names(Incoming(files=[folder], once=True)) == ["b.csv"]


def test_watched_folder_gives_new_files_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def later(_: float) -> None:
        (folder / "c.csv").write_text("a\n1\n")
        os.utime(folder / "c.csv", (time.time() - 60, time.time() - 60))

    monkeypatch.setattr("shiftproof.cli._incoming.time.sleep", later)
    batches = Incoming(files=[folder]).batches(dict)
    assert [next(batches).name for _ in range(3)] == ["a.parquet", "b.csv", "c.csv"]


def test_file_that_is_being_written_waits(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "c.csv").write_text("a\n")

    def grow(_: float) -> None:
        (folder / "c.csv").write_text("a\n1\n")

    monkeypatch.setattr("shiftproof.cli._incoming.time.sleep", grow)
    assert names(Incoming(files=[folder], once=True)) == ["a.parquet", "b.csv"]


def test_bad_inputs_are_refused(folder: Path) -> None:
    file = folder / "b.csv"
    for settings, sentence in (
        ({"files": [file], "poll": 0.0}, "--poll must be above 0, got 0.0; give seconds, such as 10."),
        (
            {"files": [file], "once": True},
            "--once must come with a folder, got True; single files are always added once.",
        ),
        ({"files": [folder / "none.csv"]}, f"{folder}/none.csv: there is no such file or folder."),
    ):
        with pytest.raises(InputError) as caught:
            Incoming(**settings)
        assert str(caught.value) == sentence
    with pytest.raises(InputError, match="FILES must name each file only once"):
        Incoming(files=[file, file])


@pytest.mark.parametrize(
    ("name", "date"),
    [
        ("2009-03.csv", "2009-03"),
        ("calls_2009-03-31T06.csv", "2009-03-31"),
        ("20090331.parquet", "2009-03-31"),
        ("2009-02-31.csv", None),
        ("200903.csv", None),
        ("120090331.csv", None),
        ("2009-03_2009-04.csv", None),
        (None, None),
    ],
)
def test_date_of_a_file_is_the_only_one_in_its_name(name: str | None, date: str | None) -> None:
    assert IncomingFile(Path(name or "-"), name, None).date == date

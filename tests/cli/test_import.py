from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.test_monitor import rows
from tests.monitoring.imports.test_nannyml import RESULTS

from shiftproof.monitoring import Baseline, Monitor

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Return a store without batches."""
    path = tmp_path / "calls.db"
    Monitor(path, Baseline.of(rows(0, n=400).drop(columns="date"), scores="p", labels="y"))
    return path


def test_import_says_what_was_taken_over_from_each_file(command: Command, store: Path) -> None:
    files = [RESULTS / "nannyml-estimated.csv", RESULTS / "nannyml-drift.csv"]
    code, out, _ = command("monitor", "import", store, *files, "--from", "nannyml")
    assert code == 0
    first, second = out.splitlines()
    assert first.startswith(f"{files[0]}: Imported 5 batches from NannyML (2024-01-29 to 2024-02-26): accuracy, actual")
    assert "5 already imported before: figures of 2 columns." in second


def test_time_of_a_snapshot_is_the_date_in_its_file_name(command: Command, store: Path) -> None:
    code, out, _ = command("monitor", "import", store, RESULTS / "evidently-2024-02.json", "--from", "evidently")
    assert (code, out.splitlines()[0][:41]) == (0, "Imported 1 batch from Evidently (2024-02-")
    assert Monitor(store).status().imported[0].at.isoformat() == "2024-02-01T00:00:00+00:00"


def test_option_at_says_the_time_of_one_snapshot(command: Command, store: Path, tmp_path: Path) -> None:
    bare = shutil.copy(RESULTS / "evidently-2024-02.json", tmp_path / "snapshot.json")
    code, _, err = command("monitor", "import", store, bare, "--from", "evidently")
    assert (code, "does not contain a time (save_json does not write one); pass --at." in err) == (2, True)
    assert command("monitor", "import", store, bare, "--from", "evidently", "--at", "2024-05")[0] == 0
    assert Monitor(store).status().imported[0].at.isoformat() == "2024-05-01T00:00:00+00:00"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("x.csv", "--from", "nannyml"), "x.csv: cannot be read (No such file or directory)."),
        (
            ("x.csv", "--from", "nannyml", "--at", "2024-05"),
            "--at must be used with a single Evidently snapshot only, got '2024-05'; NannyML chunks already have "
            "dates.",
        ),
        (("x.csv", "--from", "nanyml"), "Did you mean 'nannyml'?"),
        (("x.csv",), "missing option '--from'. Choose from: nannyml, evidently"),
    ],
)
def test_bad_imports_exit_with_2(command: Command, store: Path, arguments: tuple[str, ...], sentence: str) -> None:
    code, _, err = command("monitor", "import", store, *arguments)
    assert (code, sentence in err) == (2, True), err

"""The command for chapters 5 and 6: whatever happens to it on the way, its tables are the same."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "thesis.py"
PROBLEMS = ("iris.1", "wine.1")
WITHIN = 300


def command(data: Path, keep: Path, *more: str) -> list[str]:
    return [
        *(sys.executable, str(SCRIPT), "--data", str(data), "--keep", str(keep), "--seeds", "1"),
        *("--no-figures", "--problems", *PROBLEMS, *more),
    ]


def tables(keep: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(keep)): path.read_bytes()
        for path in sorted((keep / "tables").rglob("*"))
        if path.suffix in (".txt", ".csv")
    }


@pytest.fixture
def few_rows(shared_data: Path, tmp_path: Path) -> Path:
    """Every third row of two problems: what is compared here are runs, not figures."""
    folder = tmp_path / "data"
    folder.mkdir()
    for name in PROBLEMS:
        pd.read_csv(shared_data / f"{name}.csv")[::3].to_csv(folder / f"{name}.csv", index=False)
    return folder


def test_a_killed_run_goes_on_to_the_same_tables(few_rows: Path, tmp_path: Path) -> None:
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    # One worker: two would end both problems at about the same time, with nothing left to kill.
    begun = subprocess.Popen(  # noqa: S603 - our own program
        command(few_rows, killed, "--chapter", "5", "--workers", "1"), start_new_session=True, stderr=subprocess.PIPE
    )
    end = time.monotonic() + WITHIN
    while not list(killed.glob("*.parquet")) and time.monotonic() < end:
        time.sleep(0.01)
    os.killpg(begun.pid, signal.SIGKILL)
    begun.communicate()
    kept = {path.name: path.stat().st_mtime_ns for path in killed.glob("*.parquet")}
    assert begun.returncode == -signal.SIGKILL
    assert 0 < len(kept) < len(PROBLEMS)

    resumed = subprocess.run(  # noqa: S603 - our own program
        command(few_rows, killed, "--chapter", "5", "--workers", "1"), check=True, capture_output=True, text=True
    )
    assert f"{len(kept)} of {len(PROBLEMS)} problems were there already" in resumed.stderr
    assert "minutes left" in resumed.stderr
    assert {name: (killed / name).stat().st_mtime_ns for name in kept} == kept
    again = command(few_rows, whole, "--chapter", "5", "--workers", "2")
    subprocess.run(again, check=True, capture_output=True)  # noqa: S603 - our own program
    assert tables(killed) == tables(whole)
    assert not list(killed.glob("*.part"))

    methods = pd.read_csv(whole / "tables" / "chapter-5" / "methods.csv", index_col="method")
    assert {*methods.index} == {"BL", "CC", "AC", "Max", "X", "T50", "MS", "KNN", "PWK", "PWKa", "Combined"}
    assert methods["mean AE"].idxmax() == "BL"


def test_bad_arguments_get_one_sentence(tmp_path: Path) -> None:
    asked = command(tmp_path / "nowhere", tmp_path)
    found = subprocess.run(asked, capture_output=True, text=True, check=False)  # noqa: S603 - our own program
    assert found.returncode == 2
    assert found.stderr.splitlines()[-1].endswith("it holds iris.1.csv and others.")
    assert not list(tmp_path.glob("*.parquet"))

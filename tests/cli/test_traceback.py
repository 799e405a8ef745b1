"""Where an internal error came from, without cells."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import time
from pathlib import Path

import pytest

import shiftproof
from shiftproof.cli._traceback import keep_traceback


def failure() -> Exception:
    try:
        try:
            float("SECRET")
        except ValueError as cause:
            raise RuntimeError("about SECRET") from cause
    except RuntimeError as error:
        return error
    raise AssertionError


def test_keep_traceback_names_types_and_places_but_no_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    sentence = keep_traceback(failure())
    (log,) = tmp_path.iterdir()
    assert sentence == f"the traceback is in {log}"
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    kept = log.read_text(encoding="utf-8")
    assert kept.startswith(f"shiftproof {shiftproof.__version__}, Python {sys.version}\n  File ")
    assert "\nValueError\nwhich led to:\n  File " in kept
    assert kept.endswith("\nRuntimeError\n")
    lines = [line for line in kept.splitlines() if "SECRET" in line]
    assert lines == ['    float("SECRET")', '    raise RuntimeError("about SECRET") from cause']  # code, no values


def test_keep_traceback_removes_files_older_than_a_week(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name, days in (("shiftproof-old.log", 8), ("shiftproof-new.log", 6), ("other-old.log", 8)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (time.time() - days * 86_400,) * 2)
    keep_traceback(failure())
    names = {file.name for file in tmp_path.iterdir()}
    assert len(names) == 3
    assert {"shiftproof-new.log", "other-old.log"} <= names


def test_keep_traceback_in_a_folder_that_is_gone_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    assert keep_traceback(failure()) == "the traceback cannot be written (No such file or directory)"

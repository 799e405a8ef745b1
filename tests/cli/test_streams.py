"""Standard output and standard error that cannot be written."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import redirect_stderr
from pathlib import Path
from typing import TextIO

import pytest

from shiftproof.cli import run

FULL = Path("/dev/full")


@pytest.fixture
def full() -> Iterator[TextIO]:
    """Return a stream on a device that is full."""
    if not FULL.exists():
        pytest.skip("only Linux has such a device")
    with FULL.open("w", encoding="utf-8") as stream:
        yield stream


@pytest.mark.parametrize(
    ("new", "options", "code"),
    [("same.csv", [], 0), ("shifted.csv", [], 1), ("none.csv", [], 2), ("numbered.csv", ["--alpha", "2"], 2)],
)
def test_an_unwritable_standard_error_leaves_the_exit_code(
    folder: Path, full: TextIO, new: str, options: list[str], code: int
) -> None:
    files = [str(folder / "old.csv"), str(folder / new)]
    with redirect_stderr(full):
        assert run(["detect", *files, "--no-multivariate", "--fail-on", "shift", *options]) == code
        assert sys.stderr is full


def test_a_full_standard_output_is_one_sentence_and_bad_input(
    folder: Path, full: TextIO, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", full)
    assert run(["detect", str(folder / "old.csv"), str(folder / "same.csv"), "--no-multivariate"]) == 2
    assert capsys.readouterr().err == (
        "shiftproof: cannot write to standard output ([Errno 28] No space left on device).\n"
    )


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_closed_streams_leave_the_exit_code(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(sys, name, None)
    files = [str(folder / "old.csv"), str(folder / "shifted.csv")]
    assert run(["detect", *files, "--no-multivariate", "--fail-on", "shift"]) == 1

"""`shiftproof reproduce`: what it writes and prints, and how it refuses."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from shiftproof.cli._reproduce import progress_words
from shiftproof.experiments import NAMES, CellProgress

Command = Callable[..., tuple[int, str, str]]


def test_slides_are_written_and_named(command: Command, tmp_path: Path) -> None:
    code, out, err = command("reproduce", "slides", "--out", tmp_path / "out", "--workers", "1")
    assert code == 0
    assert out.startswith("Evaluation and credibility: the worked examples of the slides\n  examples.csv: Every")
    assert re.search(r"7 parts done\.", out)
    assert err.splitlines()[0] == "7 cells to run"
    assert err.splitlines()[-1].startswith("7 of 7 cells: worked-examples-")
    assert (tmp_path / "out" / "slides" / "tables.md").is_file()
    _, _, err = command("reproduce", "slides", "--out", tmp_path / "out", "--workers", "1")
    assert err == "7 of 7 cells were already done\n"


def test_help_describes_every_experiment(command: Command) -> None:
    _, out, _ = command("reproduce", "--help")
    described = " ".join(re.sub("[│╭╮╰╯─]", " ", out).split()).partition("Arguments")[2].partition("--data")[0]
    assert [name for name in NAMES if not re.search(rf"(?<![\w-]){name}(?![\w-])", described)] == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["slide"], "NAME must be an experiment; got 'slide'. Did you mean 'slides'?"),
        (["slides", "--seeds", "0"], "--seeds must be a whole number of at least 1; got 0."),
        (["slides", "--workers", "-1"], "--workers must be a whole number of at least 1; got -1."),
        (
            ["slides", "--data", "nowhere"],
            "--data: 'nowhere' does not exist; pass a folder with files such as",
        ),
        (["slides", "--out", "-"], "--out must name a folder, got '-'; tables and figures are written as files."),
        (["slides", "--out", "file"], "--out must name a folder, got the file 'file'; choose another path."),
        (
            ["slides", "--backend", "clouds"],
            "--backend must be dask://HOST:PORT or a backend of joblib, got 'clouds'",
        ),
        (["slides", "--seeds", "x"], "--seeds must be a whole number, got 'x'; see 'shiftproof reproduce --help'."),
    ],
)
def test_bad_input_is_one_line(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("", encoding="utf-8")
    code, out, err = command("reproduce", *words)
    assert (code, out) == (2, "")
    assert err.startswith(f"shiftproof: {sentence}")
    assert err.count("\n") == 1


def test_progress_is_in_seconds_at_the_end() -> None:
    assert progress_words(CellProgress(0, 8)) == "8 cells to run"
    assert progress_words(CellProgress(7, 8, "x", 12.4)) == "7 of 8 cells: x; about 12 seconds left"
    assert progress_words(CellProgress(8, 8, "x", 0.0)) == "8 of 8 cells: x"

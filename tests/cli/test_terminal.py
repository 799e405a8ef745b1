"""The two consoles, JSON and notes."""

from __future__ import annotations

import json
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

import pytest
from rich.console import Console

from shiftproof.cli._terminal import consoles, show_note, write_json
from shiftproof.reporting import print_verdict


def test_consoles_keep_results_and_progress_apart(capsys: pytest.CaptureFixture[str]) -> None:
    results, progress = consoles()
    results.print("answer")
    progress.print("working")
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("answer\n", "working\n")


def test_piped_results_have_no_blanks_at_the_ends_of_lines(capsys: pytest.CaptureFixture[str]) -> None:
    results, _ = consoles()
    results.width = 20
    print_verdict(results, "Trust the model on the new data.", "good", ["One reason that is longer than a line."])
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line != line.rstrip()] == []
    assert lines[0] == "Trust the model on"
    assert lines[3:5] == ["1. One reason that", "   is longer than a"]


def test_write_json_to_a_file_is_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    write_json({"größe": 1}, path)
    assert path.read_bytes().decode("utf-8") == '{\n  "größe": 1\n}\n'


@pytest.mark.parametrize(("encoding", "written"), [("utf-8", "größe"), ("ascii", "gr\\u00f6\\u00dfe")])
def test_write_json_to_standard_output_uses_characters_that_it_knows(
    monkeypatch: pytest.MonkeyPatch, encoding: str, written: str
) -> None:
    stream = TextIOWrapper(BytesIO(), encoding=encoding)
    monkeypatch.setattr("sys.stdout", stream)
    write_json({"größe": 1}, Path("-"))
    text = stream.buffer.getvalue().decode(encoding)
    assert written in text
    assert json.loads(text) == {"größe": 1}


def test_write_json_refuses_numbers_that_json_lacks(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json({"x": float("nan")}, tmp_path / "result.json")
    assert not (tmp_path / "result.json").exists()


def test_show_note_cannot_steer_the_terminal() -> None:
    stream = StringIO()
    show_note(Console(file=stream, width=20), "a column called \x1b[31mred is [bold]left out[/bold]")
    printed = stream.getvalue()
    assert printed.startswith("note: a column called ")
    assert "\x1b" not in printed
    assert "[bold]" in printed
    assert printed.count("\n") == 1

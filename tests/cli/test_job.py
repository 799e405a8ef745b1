"""What every command does besides its own work."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from shiftproof.cli._job import Job
from shiftproof.core import Argument, ColumnsLeftOut, CopiedRows, InputError, RankingUnreliable, ShiftproofWarning, warn


class Saved:
    def save(self, path: Path, *, redact: bool) -> None:
        path.write_text(f"page, redacted: {redact}")

    def to_dict(self) -> dict[str, Any]:
        return {"a": 1}


def show(console: Console, answer: Saved) -> None:
    console.print(f"answer {answer.to_dict()['a']}")


def test_notes_come_once_and_files_last(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job = Job(out=tmp_path / "page.html", json=tmp_path / "found.json", redact=True)
    with job.listening():
        for _ in range(2):
            warn(ShiftproofWarning(Argument("y"), " must be told"))
        warn(RankingUnreliable("The answer says so itself."))
    assert job.end(Saved(), show) == 0
    out, err = capsys.readouterr()
    assert out == "answer 1\n"
    assert err == f"note: --target must be told\npage: {tmp_path}/page.html\n"
    assert (tmp_path / "page.html").read_text() == "page, redacted: True"
    assert (tmp_path / "found.json").read_text() == '{\n  "a": 1\n}\n'


def test_the_answer_comes_before_notes_and_the_next_step_after_them(tmp_path: Path) -> None:
    job = Job(out=tmp_path / "page.html")
    # Both consoles write to one terminal.
    terminal = Console(file=StringIO(), width=200)
    job.output = job.progress = terminal
    job.note("look at this.")
    job.next_step("do that")
    job.end(Saved(), show, failure="--fail-on harm: it is worse")
    assert terminal.file.getvalue().splitlines() == [  # type: ignore[attr-defined]
        "answer 1",
        "note: look at this.",
        f"page: {tmp_path}/page.html",
        "next: do that",
        "exit status 1 because of --fail-on harm: it is worse.",
    ]


def test_columns_left_out_twice_are_noted_once(capsys: pytest.CaptureFixture[str]) -> None:
    job = Job()
    with job.listening():
        warn(ColumnsLeftOut({"id": "identifier"}, "drop it"))
        warn(ColumnsLeftOut({"id": "identifier"}, "name its kind"))
        warn(ColumnsLeftOut({"text": "text"}, "drop it"))
    job.end(Saved(), show)
    assert capsys.readouterr().err == (
        "note: left out of tests: 'id' (identifier); name its kind.\nnote: left out of tests: 'text' (text); drop it.\n"
    )


def test_copies_in_each_period_of_the_past_are_noted_once(capsys: pytest.CaptureFixture[str]) -> None:
    job = Job()
    with job.listening():
        warn(CopiedRows(0.048))
        warn(CopiedRows(0.037))
    job.end(Saved(), show)
    err = capsys.readouterr().err
    assert err.startswith("note: 3.7% of the labelled rows have an exact copy in another fold")
    assert err.count("note: ") == 1


def test_json_on_standard_output_is_alone(capsys: pytest.CaptureFixture[str]) -> None:
    job = Job(json=Path("-"))
    assert job.end(Saved(), show, failure="--fail-on harm: it is worse") == 1
    expected = "exit status 1 because of --fail-on harm: it is worse.\n"
    assert capsys.readouterr() == ('{\n  "a": 1\n}\n', expected)


def test_files_are_checked_before_anything_is_done(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--json must name a file, got the folder .*; add a file name to the path\."):
        Job(json=tmp_path)


def test_stages_show_on_a_terminal_but_where_a_bar_does(monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job()
    terminal = Console(force_terminal=True, record=True, width=60)
    monkeypatch.setattr(job, "progress", terminal)
    with job.stages(barred=("fitting",)) as begin:
        for name in ("reading", "fitting", "counting"):
            begin(name)
    shown = terminal.export_text()
    assert "reading" in shown
    assert "counting" in shown
    assert "fitting" not in shown


def test_stages_are_silent_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    with Job().stages() as begin:
        begin("reading")
    assert capsys.readouterr() == ("", "")

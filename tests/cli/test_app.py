from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
import typer

import shiftproof
from shiftproof.cli import main, run

Command = Callable[..., tuple[int, str, str]]

EXIT_CODES = "Exit codes: 0 fine, 1 found what --fail-on asks about, 2 bad input, 3 internal error."


def raising(error: BaseException) -> Callable[..., NoReturn]:
    def fail(*arguments: Any, **settings: Any) -> NoReturn:
        raise error

    return fail


def in_a_shell(*arguments: str | Path, **settings: Any) -> subprocess.CompletedProcess[str]:
    """Run the command as a nightly job does; warnings are errors there too."""
    return subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-W", "error", "-m", "shiftproof", *map(str, arguments)],
        env={**os.environ, **settings.pop("env", {})},
        stdout=settings.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        encoding="utf-8",
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("arguments", [["--help"], ["detect", "--help"], ["demo", "--help"]])
def test_help_teaches(command: Command, arguments: list[str]) -> None:
    code, out, err = command(*arguments)
    assert (code, err) == (0, "")
    assert EXIT_CODES in out
    assert "shiftproof demo" in out or "shiftproof detect january.csv february.parquet" in out


def test_help_names_every_command(command: Command) -> None:
    _, out, _ = command("--help")
    assert "demo    Compare a bank's phone calls of 2009 with those of 2010, and write a page about it." in out
    assert "detect  Say which features changed between two tables, by how much, and whether it matters." in out


def test_help_names_every_option_of_detect(command: Command) -> None:
    _, out, _ = command("detect", "--help")
    options = ["--target", "--exclude", "--kind", "--alpha", "--out", "--json", "--fail-on", "--all", "--help"]
    assert [option for option in options if f" {option} " not in out] == []


def test_version(command: Command) -> None:
    assert command("--version") == (0, f"shiftproof {shiftproof.__version__}\n", "")


def test_no_arguments_give_the_help_and_say_what_is_missing(command: Command) -> None:
    code, out, err = command()
    assert (code, err) == (2, "shiftproof: no command was given; see 'shiftproof --help'.\n")
    assert EXIT_CODES in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["detekt"], "no such command 'detekt'; did you mean 'detect'?"),
        (["rain"], "no such command 'rain'; see 'shiftproof --help'."),
        (["--colour"], "no such option: --colour; see 'shiftproof --help'."),
        (
            ["detect", "a", "b", "--alfa", "0.1"],
            "no such option: --alfa (Possible options: --all, --alpha); see 'shiftproof detect --help'.",
        ),
        (["detect"], "missing argument 'reference'; see 'shiftproof detect --help'."),
        (["detect", "a.csv"], "missing argument 'current'; see 'shiftproof detect --help'."),
        (
            ["detect", "a", "b", "--fail-on", "rain"],
            "invalid value for '--fail-on': 'rain' is not one of 'shift', 'material'; see 'shiftproof detect --help'.",
        ),
        (["demo", "a.csv"], "got unexpected extra argument(s) (a.csv); see 'shiftproof demo --help'."),
    ],
)
def test_a_wrong_call_is_one_line(command: Command, arguments: list[str], sentence: str) -> None:
    assert command(*arguments) == (2, "", f"shiftproof: {sentence}\n")


def test_a_number_that_is_none_names_its_option(command: Command) -> None:
    code, out, err = command("detect", "a", "b", "--alpha", "much")
    assert (code, out) == (2, "")
    assert err.startswith("shiftproof: invalid value for '--alpha': ")
    assert err.endswith("; see 'shiftproof detect --help'.\n")
    assert err.count("\n") == 1


def test_an_internal_error_is_one_line_and_keeps_its_traceback(
    command: Command, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("shiftproof.detection.detect", raising(ZeroDivisionError("by\nnothing")))
    code, out, err = command("detect", folder / "old.csv", folder / "same.csv")
    (log,) = tmp_path.iterdir()
    assert (code, out) == (3, "")
    assert err == (f"shiftproof: internal error: ZeroDivisionError('by\\nnothing'); the traceback is in {log}\n")
    kept = log.read_text(encoding="utf-8")
    assert kept.startswith(
        f"shiftproof {shiftproof.__version__}, Python {sys.version}\nTraceback (most recent call last)"
    )
    assert kept.endswith("ZeroDivisionError: by\nnothing\n")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), typer.Abort(), EOFError()])
def test_an_interruption_is_one_word(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    monkeypatch.setattr("shiftproof.detection.detect", raising(error))
    code, out, err = command("detect", folder / "old.csv", folder / "same.csv")
    assert (code, out, err.strip()) == (130, "", "shiftproof: interrupted.")


def test_errors_are_one_line_without_orders_to_the_terminal(command: Command, tmp_path: Path) -> None:
    code, out, err = command("detect", tmp_path / "\x1b[31mred\nname.csv", "b.csv")
    assert (code, out) == (2, "")
    assert err == (
        f"shiftproof: {tmp_path}/\N{REPLACEMENT CHARACTER}[31mred name.csv: there is no such file; "
        "the folder holds no files.\n"
    )


def test_main_leaves_with_the_code(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leaving:
        main(["rain"])
    assert leaving.value.code == 2
    assert capsys.readouterr().err == "shiftproof: no such command 'rain'; see 'shiftproof --help'.\n"


def test_the_arguments_are_those_of_the_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["shiftproof", "--version"])
    assert run() == 0
    assert capsys.readouterr().out == f"shiftproof {shiftproof.__version__}\n"


def test_a_shell_may_ask_for_completions(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("_SHIFTPROOF_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "shiftproof de")
    monkeypatch.setenv("COMP_CWORD", "1")
    with pytest.raises(SystemExit) as leaving:
        run([])
    assert leaving.value.code in (0, None)
    assert capsys.readouterr().out.split() == ["demo", "detect"]


@pytest.fixture
def nobody_listens(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let standard output be a pipe that was closed at its other end."""
    reading, writing = os.pipe()
    os.close(reading)
    # Typer wraps both streams when a pipe breaks; this puts them back.
    monkeypatch.setattr(sys, "stderr", sys.stderr)
    with os.fdopen(writing, "w", encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        yield


@pytest.mark.usefixtures("nobody_listens")
@pytest.mark.parametrize("arguments", [[], ["--json", "-"]])
def test_a_reader_that_has_seen_enough_is_no_finding(folder: Path, arguments: list[str]) -> None:
    assert run(["detect", str(folder / "old.csv"), str(folder / "same.csv"), *arguments]) == 0


def test_a_closed_pipe_in_a_shell(folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = in_a_shell("detect", folder / "old.csv", folder / "shifted.csv", "--json", "-", stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_missing_file_in_a_shell(tmp_path: Path) -> None:
    missing = tmp_path / "none.csv"
    done = in_a_shell("detect", missing, missing)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"shiftproof: {missing}: there is no such file; the folder holds no files.\n"


def test_a_terminal_that_knows_only_ascii(folder: Path, tmp_path: Path) -> None:
    named = tmp_path / "named.csv"
    named.write_text((folder / "old.csv").read_text().replace("amount", "größe 年"), encoding="utf-8")
    settings = {"PYTHONIOENCODING": "ascii", "COLUMNS": "300"}
    done = in_a_shell("detect", named, named, "--exclude", "job", env=settings)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1].split() == [
        "gr??e",
        "?",
        "continuous",
        "............",
        "0.00",
        "KS",
        "1",
        "-",
        "no",
        "shift",
    ]

from __future__ import annotations

import gc
import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn, TextIO

import pytest
import typer

import shiftproof
from shiftproof.cli import main, run
from shiftproof.panel import default_models

Command = Callable[..., tuple[int, str, str]]

COMMAND_NAMES = [
    *("audit", "backtest", "compare", "demo", "detect", "evaluate", "quantify", "reproduce", "select", "stress")
]
EXIT_CODES = "Exit codes: 0 success, 1 a --fail-on condition is met, 2 bad input, 3 internal error."


def raising(error: BaseException) -> Callable[..., NoReturn]:
    def fail(*arguments: Any, **settings: Any) -> NoReturn:
        raise error

    return fail


def in_a_shell(*arguments: str | Path, stdout: int = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    """Run the command as a nightly job does; warnings are errors there too."""
    return subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-W", "error", "-W", "ignore::DeprecationWarning", "-m", "shiftproof", *map(str, arguments)],
        stdout=stdout,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("arguments", "example"),
    [
        (["--help"], "shiftproof demo"),
        (["detect", "--help"], "shiftproof detect january.csv february.parquet"),
        (["demo", "--help"], "shiftproof demo"),
        (["evaluate", "--help"], "shiftproof evaluate customers.csv --target churned"),
        (["compare", "--help"], "shiftproof compare losses.csv --control ours --out page.html"),
        (["audit", "--help"], "shiftproof audit labelled.csv new.csv --target churned --verify"),
        (["reproduce", "--help"], "shiftproof reproduce slides"),
    ],
)
def test_help_teaches(command: Command, arguments: list[str], example: str) -> None:
    code, out, err = command(*arguments)
    assert (code, err) == (0, "")
    fails = "--fail-on" in out or arguments == ["--help"]
    assert (EXIT_CODES if fails else "Exit codes: 0 success, 2 bad input, 3 internal error.") in out
    assert example in out


@pytest.mark.parametrize(
    "name", ["audit", "detect", "compare", "demo", "evaluate", "quantify", "reproduce", "select", "stress", "backtest"]
)
def test_help_fits_a_terminal_of_80_columns(command: Command, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = command(name, "--help")
    told = out[: out.index("╭")].splitlines()
    assert max(map(len, told)) <= 80
    # no line of a paragraph was broken once more, which leaves a short one in its middle
    broken = [line for line, after in pairwise(told[5:]) if 0 < len(line.strip()) < 45 and after.strip()]
    assert broken == []


def test_help_says_what_cannot_say_does(command: Command) -> None:
    _, out, _ = command("detect", "--help")
    told = " ".join(out.replace("│", " ").split())
    assert 'the verdict is "cannot tell"; only --fail-on unsure makes the command fail on that.' in told
    assert "or unsure (shift, or too few rows to tell)." in told


@pytest.mark.parametrize(
    "name",
    ["", "audit", "detect", "compare", "demo", "evaluate", "quantify", "reproduce", "select", "stress", "backtest"],
)
def test_help_shows_flags_without_a_type(command: Command, name: str) -> None:
    _, out, _ = command(*([name] if name else []), "--help")
    assert "--help " in out
    assert "bool" not in out.casefold()


@pytest.mark.parametrize(
    ("words", "usage"),
    [
        ("audit", "LABELLED [NEW]"),
        ("compare", "RESULTS"),
        ("reproduce", "NAME"),
        ("monitor add", "STORE FILES..."),
        ("monitor import", "STORE FILES..."),
        ("monitor alerts webhook", "STORE [URL]"),
        ("monitor alerts email", "STORE TO"),
    ],
)
def test_help_shows_names_of_arguments_and_no_types_of_python(command: Command, words: str, usage: str) -> None:
    _, out, _ = command(*words.split(), "--help")
    assert f"Usage: shiftproof {words} [OPTIONS] {usage}\n" in re.sub(" +\n", "\n", out)
    assert re.findall(r"[<{].*?[>}]", out) == []


def test_help_names_the_models(command: Command) -> None:
    _, out, _ = command("evaluate", "--help")
    told = " ".join(out.replace("│", " ").split())
    assert "By default there are seven models" in told
    assert all(f" {name}" in told for name in default_models())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["demo"], "Show what shiftproof does, in three steps."),
        (["monitor"], "Is the model still good, batch after batch, without labels?"),
        (["monitor"], "changed: the data differ from earlier data, which may be harmless."),
        (
            ["monitor", "init"],
            "ever: the probability of any false alarm is at most alpha, however many batches you add.",
        ),
        (
            ["monitor", "init"],
            "run length: alarms are raised sooner, but expect about one false alarm every --run-length batches.",
        ),
        (
            ["monitor", "init"],
            "It makes sure that the same rows always give the same baseline. The column is not compared.",
        ),
        (["monitor", "init"], "alarms account for the fact that rows of the same period resemble each other."),
        (["monitor", "add"], "A folder is watched until you stop the command; with --once it is read once."),
        (["monitor", "ack"], "Count the data that arrive from now on as normal."),
        (["monitor", "ack"], "later batches are no longer compared with the batches of the incident."),
        (["monitor", "export"], "Batch names are kept, so that a batch added twice is still recognised."),
        (["detect"], "Scores are compared first and are not used as a feature."),
        (["detect"], "Also read this text as a missing value, such as '?'. Can be repeated."),
        (["select"], "Say which model to use on the new data, how good it is, and how certain that is."),
        (["audit"], "natural: all that changes a little between years, places and groups."),
        (
            ["audit"],
            "any table with the --target column and either the --id column or a column 'row' with row numbers",
        ),
        (["quantify"], "The default does not: it corrects the mean probability of all models for their errors."),
        (["quantify"], "New rows, with the same columns; labels are not needed. Leave this out with --split."),
        (["stress"], "and which model to trust then."),
        (["stress"], "base (no shift; always included). Default: all except soft."),
        (["compare"], "The loss column holds scores such as accuracies, for which higher is better."),
        (["backtest"], "If the run stops, the same command resumes it."),
    ],
)
def test_help_sentence(command: Command, arguments: list[str], sentence: str) -> None:
    _, out, _ = command(*arguments, "--help")
    assert sentence in " ".join(re.sub("[│╭╮╰╯─]", " ", out).split())


@pytest.mark.parametrize("arguments", [["backtest"], ["compare"], ["demo"], ["monitor", "export"], ["reproduce"]])
def test_help_calls_every_folder_folder(command: Command, arguments: list[str]) -> None:
    _, out, _ = command(*arguments, "--help")
    assert "FOLDER" in out
    assert "DIR" not in out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["a.csv", "b.csv"], "missing option '--target'; name the column with the labels."),
        (["--missing"], "option '--missing' requires an argument; see 'shiftproof audit --help'."),
    ],
)
def test_incomplete_option_is_answered_with_what_it_needs(command: Command, words: list[str], sentence: str) -> None:
    assert command("audit", *words) == (2, "", f"shiftproof: {sentence}\n")


def test_help_names_every_command(command: Command) -> None:
    _, out, _ = command("--help")
    for name, told in (("demo", "What does shiftproof do"), ("audit", "Can I trust"), ("detect", "What changed")):
        assert re.search(rf"{name}\s+{told}", out), name
    assert "shiftproof audit labelled.csv new.csv --target churned" in out
    assert "in a table such as [audit] apply only to that command" in out


def test_help_names_every_option_of_detect(command: Command) -> None:
    _, out, _ = command("detect", "--help")
    options = ["--target", "--exclude", "--kind", "--alpha", "--out", "--json", "--fail-on", "--all", "--help"]
    assert [option for option in options if f" {option} " not in out] == []


def test_help_says_that_code_of_the_user_runs(command: Command) -> None:
    _, out, _ = command("audit", "--help")
    assert "a function that returns them (this runs your code)" in " ".join(out.replace("│", " ").split())


def test_version(command: Command) -> None:
    assert command("--version") == (0, f"shiftproof {shiftproof.__version__}\n", "")


def test_no_arguments_give_the_help_and_say_what_is_missing(command: Command) -> None:
    code, out, err = command()
    assert (code, err) == (2, "shiftproof: no command was given; see 'shiftproof --help'.\n")
    assert EXIT_CODES in out


def test_an_unknown_command(command: Command) -> None:
    assert command("rain") == (2, "", "shiftproof: no such command 'rain'; see 'shiftproof --help'.\n")
    assert command("detekt") == (2, "", "shiftproof: no such command 'detekt'. Did you mean 'detect'?\n")


def test_a_command_that_is_hardly_alike_is_not_suggested(command: Command) -> None:
    sentence = "shiftproof: no such command 'backup'; see 'shiftproof monitor --help'.\n"
    assert command("monitor", "backup") == (2, "", sentence)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--colour"], "--colour"),
        (["detect", "--weather", "a", "b"], "--weather"),
        (["detect"], "reference"),
        (["demo", "a.csv"], "a.csv"),
    ],
)
def test_a_wrong_call_is_one_line(command: Command, arguments: list[str], named: str) -> None:
    # The words between are Typer's, and not the same in all its versions.
    code, out, err = command(*arguments)
    path = " ".join(["shiftproof", *[word for word in arguments[:1] if not word.startswith("-")]])
    assert (code, out) == (2, "")
    assert re.fullmatch(rf"shiftproof: [a-z].*{re.escape(named)}.*; see '{path} --help'\.\n", err, re.IGNORECASE)
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("No such command 'detekt'. Did you mean 'detect'?", "no such command 'detekt'. Did you mean 'detect'?"),
        ("Missing argument 'current'.", "missing argument 'current'; see 'shiftproof --help'."),
        ("Value error, 'x' is not one of 'a'.", "'x' is not one of 'a'; see 'shiftproof --help'."),
        ("", "no command was given; see 'shiftproof --help'."),
    ],
)
def test_misuse_is_worded_as_all_errors_are(
    command: Command, monkeypatch: pytest.MonkeyPatch, words: str, sentence: str
) -> None:
    class Misuse(typer.BadParameter):
        def format_message(self) -> str:
            return words

    monkeypatch.setattr("shiftproof.cli._app.app", raising(Misuse("")))
    assert command("detekt") == (2, "", f"shiftproof: {sentence}\n")


def test_an_internal_error_is_one_line_and_keeps_its_traceback(
    command: Command, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("shiftproof.detection.detect", raising(ZeroDivisionError("by\nnothing")))
    code, out, err = command("detect", folder / "old.csv", folder / "same.csv")
    (log,) = tmp_path.iterdir()
    assert (code, out) == (3, "")
    assert err == (f"shiftproof: internal error: ZeroDivisionError('by\\nnothing'); the traceback is in {log}\n")


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (MemoryError("malloc of 3"), "not enough memory for these tables; use fewer rows or columns."),
        (OSError(28, "No space left on device", "a.svg"), "a.svg cannot be used (No space left on device)."),
    ],
)
def test_a_machine_that_cannot_is_no_internal_error(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, sentence: str
) -> None:
    monkeypatch.setattr("shiftproof.detection.detect", raising(error))
    assert command("detect", folder / "old.csv", folder / "same.csv") == (2, "", f"shiftproof: {sentence}\n")


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
        "the folder contains no tables.\n"
    )


def test_main_leaves_with_the_code(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leaving:
        main(["rain"])
    assert leaving.value.code == 2
    assert capsys.readouterr().err == "shiftproof: no such command 'rain'; see 'shiftproof --help'.\n"


def test_main_needs_no_standard_output(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(SystemExit) as leaving:
        main(["detect", "none.csv", "none.csv", "--alpha", "much"])
    assert leaving.value.code == 2
    assert capsys.readouterr().err.startswith("shiftproof: --alpha must be a number, got 'much'")


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
def closed_pipe() -> Iterator[TextIO]:
    """Return a pipe that was closed at its other end."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w", encoding="utf-8") as stream:
        yield stream


@pytest.mark.parametrize("arguments", [[], ["--json", "-"]])
@pytest.mark.parametrize(("new", "code"), [("same.csv", 0), ("shifted.csv", 1)])
def test_the_exit_code_survives_a_reader_that_has_seen_enough(
    folder: Path, closed_pipe: TextIO, arguments: list[str], new: str, code: int
) -> None:
    files = [str(folder / "old.csv"), str(folder / new)]
    with redirect_stdout(closed_pipe):
        assert run(["detect", *files, "--no-multivariate", "--fail-on", "shift", *arguments]) == code
    assert os.fstat(closed_pipe.fileno()).st_rdev == os.stat(os.devnull).st_rdev  # what is left to write goes nowhere


def test_a_closed_pipe_in_a_shell(folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = in_a_shell(
        "detect", folder / "old.csv", folder / "shifted.csv", "--no-multivariate", "--fail-on", "shift", stdout=writing
    )
    os.close(writing)
    why = "exit status 1 because of --fail-on shift: a feature or score changed enough to matter.\n"
    assert (done.returncode, done.stderr) == (1, why)


def test_a_missing_file_in_a_shell(tmp_path: Path) -> None:
    missing = tmp_path / "none.csv"
    done = in_a_shell("detect", missing, missing)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"shiftproof: {missing}: there is no such file; the folder contains no tables.\n"


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_that_knows_few_characters(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    named = tmp_path / "named.csv"
    named.write_text((folder / "old.csv").read_text().replace("amount", "größe 年"), encoding="utf-8")
    terminal = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(terminal, encoding=encoding))
    with pytest.raises(SystemExit) as leaving:
        main(["detect", str(named), str(named), "--exclude", "job"])
    name = {"ascii": "gr??e ?", "cp1252": "größe ?"}[encoding]
    assert leaving.value.code == 0
    lines = [" ".join(line.split()) for line in terminal.getvalue().decode(encoding).splitlines()]
    assert f"{name} continuous ............ 0.00 KS 1 - no shift" in lines


@pytest.mark.parametrize("name", ["alpha.csv", "exclude", "kinds.csv", "time must pass.csv", "kinds['a'] must.csv"])
def test_files_with_the_names_of_arguments_keep_them(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command("detect", name, "b.csv") == (
        2,
        "",
        f"shiftproof: {name}: there is no such file; the folder contains no tables.\n",
    )


def test_main_searches_for_garbage_less_often() -> None:
    before = gc.get_threshold()
    try:
        with pytest.raises(SystemExit):
            main(["--version"])
        assert gc.get_threshold()[0] == 100_000
    finally:
        gc.set_threshold(*before)

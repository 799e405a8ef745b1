"""What all commands have in common."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, get_args

import pytest
from typer.models import ArgumentInfo

from shiftproof.cli._commands import _conditions_apart, as_command
from shiftproof.cli._completion import complete_column

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@dataclass(kw_only=True)
class Size:
    """How large.

    Parameters
    ----------
    height : H
        How high it is, in a text of
        two lines.
    width : W
        How wide it is.
    """

    width: int = 1
    height: int
    seed: int = 0


def complete_colour(incomplete: str) -> list[str]:
    return [incomplete]


def test_as_command_spreads_groups_and_reads_declarations_from_docstrings() -> None:
    calls = []

    def paint(
        *,
        wall: Path,
        size: Size,
        colour: Annotated[str, complete_colour] = "red",
        second_coat: bool = False,
        by: str | None = None,
        everything: bool = False,
    ) -> int:
        """Paint a wall.

        With care.

        Parameters
        ----------
        wall : WALL
            The wall.
        colour : NAME
            The colour.
        second_coat
            Paint it twice.
        by : COL
            By whom.
        everything : --all
            Paint all walls.

        Raises
        ------
        ValueError
            Never.
        """
        calls.append((wall, size, colour, second_coat, by, everything))
        return 0

    command = as_command(paint)
    assert (command.__name__, command.__doc__) == ("paint", "Paint a wall.\n\nWith care.")
    parameters = inspect.signature(command).parameters
    assert list(parameters) == ["wall", "width", "height", "seed", "colour", "second_coat", "by", "everything"]
    declared = {name: get_args(parameter.annotation) for name, parameter in parameters.items()}
    assert [kind for kind, _ in declared.values()] == [Path, int, int, int, str, bool, str | None, bool]
    infos = {name: info for name, (_, info) in declared.items()}
    assert isinstance(infos["wall"], ArgumentInfo)
    assert [infos[name].metavar for name in ("wall", "height", "colour", "second_coat", "everything")] == [
        *("WALL", "H", "NAME", None, None)
    ]
    assert infos["height"].help == "How high it is, in a text of two lines."
    assert infos["seed"].help == "Random seed."  # described for all commands
    # Inside Annotated, typer takes the name of an option for its default.
    assert [infos[name].default for name in ("second_coat", "everything")] == ["--second-coat", "--all"]
    assert (infos["colour"].autocompletion, infos["by"].autocompletion) == (complete_colour, complete_column)
    values = {"wall": Path("a"), "width": 2, "height": 3, "seed": 4, "colour": "blue", "second_coat": True, "by": None}
    assert command(**values, everything=False) == 0
    assert calls == [(Path("a"), Size(width=2, height=3, seed=4), "blue", True, None, False)]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--out", "old.csv"], "--out must not name a file that is read, got 'old.csv'; choose another path."),
        (["--json", "./new.csv"], "--json must not name a file that is read, got 'new.csv'; choose another path."),
        (["--out", "hard.csv"], "--out must not name a file that is read, got 'hard.csv'; choose another path."),
        (["--out", "soft.csv"], "--out must not name a file that is read, got 'soft.csv'; choose another path."),
        (["--out", "shiftproof.toml"], "--out must not name a file that is read, got 'shiftproof.toml'; choose another "
         "path."),
        (["--out", "page", "--json", "page"], "--json must not name the file of --out, got 'page'; choose another "
         "path."),
        (["--out", "."], "--out must name a file, got the folder '.'; add a file name to the path."),
    ],
)  # fmt: skip
def test_outputs_that_are_inputs_or_each_other_are_refused(
    command: Command, folder: Path, arguments: list[str], sentence: str
) -> None:
    for name, source in (("old.csv", "old.csv"), ("new.csv", "same.csv")):
        Path(name).write_bytes((folder / source).read_bytes())
    Path("hard.csv").hardlink_to("old.csv")
    Path("soft.csv").symlink_to("new.csv")
    Path("shiftproof.toml").touch()
    before = {file.name: file.read_bytes() for file in Path().iterdir()}
    assert command("detect", "old.csv", "new.csv", *arguments) == (2, "", f"shiftproof: {sentence}\n")
    assert {file.name: file.read_bytes() for file in Path().iterdir()} == before


def test_a_plan_may_not_replace_a_model(command: Command) -> None:
    Path("mine.skops").touch()
    arguments = ["a.csv", "b.csv", "--target", "y", "--models", "lr,mine.skops", "--plan", "mine.skops"]
    code, _, err = command("select", *arguments)
    assert (code, err) == (
        2,
        "shiftproof: --plan must not name a file that is read, got 'mine.skops'; choose another path.\n",
    )


@pytest.mark.parametrize(
    ("words", "suggestion"),
    [
        (
            ["--fail-on", "chekc"],
            "must be one of 'check', 'do-not-trust', 'cannot-tell', 'shift'; got 'chekc'. Did you mean 'check'?",
        ),
        (["--fail-on=cannot-tel"], "Did you mean 'cannot-tell'?"),
        (["--fail-on", "shift,chekc"], "'cannot-tell', 'shift'; got 'chekc'. Did you mean 'check'?"),
        (["--modles", "lr"], "no such option '--modles'. Did you mean '--models'?"),
        (["--fail-on", "rain"], "must be one of 'check', 'do-not-trust', 'cannot-tell', 'shift'; got 'rain'."),
        (["--level", "shift"], "see 'shiftproof audit --help'."),
    ],
)
def test_a_wrong_choice_is_answered_by_the_likely_one(command: Command, words: list[str], suggestion: str) -> None:
    code, out, err = command("audit", "shif.csv", "harm.csv", "--target", "y", *words)
    assert (code, out) == (2, "")
    assert err.endswith(f" {suggestion}\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--most-loss-chance", "20"], "--most-loss-chance must be a number from 0 to 1, got 20; 0.2 means 20%."),
        (["--seed", "-1"], "--seed must be at least 0, got -1; 0 is the default."),
        (["--seed", "abc"], "--seed must be a whole number, got 'abc'; see 'shiftproof audit --help'."),
        (["--level=high"], "--level must be a number, got 'high'; see 'shiftproof audit --help'."),
        (["--quick", "true"], "unexpected argument (true); see 'shiftproof audit --help'."),
        # Options that only begin with dashes as well are no help.
        (["--zone", "x"], "no such option '--zone'; see 'shiftproof audit --help'."),
    ],
)
def test_words_that_a_command_cannot_use_are_named(command: Command, words: list[str], sentence: str) -> None:
    assert command("audit", "a.csv", "b.csv", "--target", "y", *words) == (2, "", f"shiftproof: {sentence}\n")


def test_conditions_of_fail_on_are_taken_apart_at_commas() -> None:
    assert _conditions_apart("--fail-on", "harm, shift") == ["harm", "--fail-on", "shift"]
    assert _conditions_apart(None, "--fail-on=harm,shift") == ["--fail-on=harm", "--fail-on=shift"]
    # Everything else may contain commas.
    assert _conditions_apart("--models", "lr,nb") == ["lr,nb"]


@pytest.mark.parametrize("out", ["comparison.html", "."])
def test_a_comparison_may_not_replace_its_results(command: Command, out: str) -> None:
    Path("comparison.html").write_text("dataset,a,b\nx,1,2\n")
    code, _, err = command("compare", "comparison.html", "--out", out)
    assert (code, err) == (
        2,
        "shiftproof: --out must not name a file that is read, got 'comparison.html'; choose another path.\n",
    )
    assert Path("comparison.html").read_text() == "dataset,a,b\nx,1,2\n"

"""What all commands have in common."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest

from shiftproof.cli._commands import with_groups
from shiftproof.cli._options import option

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@dataclass(kw_only=True)
class Size:
    width: Annotated[int, option("N", "Width.")] = 1
    height: int


def test_with_groups_spreads_the_fields_of_a_group() -> None:
    sizes = []

    def paint(*, size: Size, colour: str = "red") -> int:
        sizes.append((size, colour))
        return 0

    command = with_groups(paint)
    assert list(inspect.signature(command).parameters) == ["width", "height", "colour"]
    assert command(width=2, height=3, colour="blue") == 0
    assert sizes == [(Size(width=2, height=3), "blue")]
    assert command.__name__ == "paint"


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
        (["--out", "."], "--out must name a file, got the folder '.'; add a file name to it."),
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

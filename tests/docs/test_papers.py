"""The tables on the pages about the papers are those of the committed files; what the index names exists."""

from __future__ import annotations

import importlib.util
import inspect
import json
import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from typer.main import get_command

import shiftproof as sp
from shiftproof.cli._app import app
from shiftproof.experiments import NAMES

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "papers").glob("*.md"))
PACKAGES = [name for name in vars(sp)["__all__"] if isinstance(getattr(sp, name), ModuleType)]
# A public name, perhaps with arguments (`stats.wilson(z=1.28)`) or a key (`selection.RIVALS["leave-one-out"]`).
_NAME = re.compile(r'(?P<name>\w+(\.\w+)+)(\((?P<arguments>.*)\)|\["(?P<key>.+)"\])?')
_REASON = re.compile(r"because|not built: \w+")


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_papers", ROOT / "tools" / "make_papers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_papers"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tables_on_the_page_are_those_of_the_files(tool: ModuleType, page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert tool.rewritten(text) == text, "run python tools/make_papers.py"


def test_every_experiment_and_every_table_is_on_a_page(tool: ModuleType) -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    shown = set(re.findall(r"<!-- table: (\S+) -->", text))
    kept = {f"{path.parent.name}/{path.stem}" for path in tool.TABLES.rglob("*.csv")}
    assert shown == kept
    assert set(re.findall(r"<!-- run: (\S+) -->", text)) == {*NAMES}


def test_blocks_change_with_the_files(tool: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "t.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    run = {"seeds": 2, "quick": True, "cells": 1200, "reference_fits": 3456}
    (tmp_path / "toy" / "run.json").write_text(json.dumps(run), encoding="utf-8")
    page = "x\n<!-- table: toy/t -->\nold\n<!-- end -->\ny\n<!-- run: toy -->\n<!-- end -->\n"
    made = tool.rewritten(page, tmp_path)
    assert "<!-- table: toy/t -->\n| a | b |\n|---|---|\n| 1 | 2 |\n<!-- end -->\ny\n" in made
    assert "shiftproof reproduce toy --data folder --quick --seeds 2\n" in made
    assert "a run with `--quick` (2 seeds, 1,200 cells). It took as long as 3,456 reference fits" in made


class Item(NamedTuple):
    """A row of the index: what a source has, and where it is here."""

    source: str
    where: str
    what: str
    done: str
    place: str

    def __str__(self) -> str:
        return f"{self.source}: {self.where}: {self.what}"

    @property
    def names(self) -> list[str]:
        return re.findall(r"`([^`]+)`", self.place)


def _items() -> list[Item]:
    found = []
    for part in (ROOT / "docs" / "papers" / "index.md").read_text(encoding="utf-8").split("\n### ")[1:]:
        source, *lines = part.splitlines()
        rows = [line for line in lines if line.startswith("|")][2:]
        found += [Item(source, *(cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1])) for row in rows]
    return found


ITEMS = _items()


@cache
def _command_options(command: str) -> set[str]:
    commands: Any = get_command(app)
    return {option for parameter in commands.commands[command].params for option in parameter.opts}


def _missing(name: str) -> str:
    """Return why a name that the index has in code does not exist; nothing if it does."""
    first, *rest = name.split(" ")
    if name.startswith("tests/"):
        path, _, test = name.partition("::")
        exists = (ROOT / path).is_file() and f"def {test}(" in (ROOT / path).read_text(encoding="utf-8")
        return "" if exists else "no such test"
    if first == "make":
        return "" if re.search(rf"^{rest[0]}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M) else "no target"
    if first == "shiftproof":
        commands: Any = get_command(app)
        known = rest[0] in commands.commands and (rest[0] != "reproduce" or rest[1] in NAMES)
        return "" if known else "no such command"
    if name.startswith("--"):
        return "" if name in _command_options("reproduce") else "no such option of reproduce"
    return _missing_public(name)


def _missing_public(name: str) -> str:
    match = _NAME.fullmatch(name)
    if match is None:
        return "neither a test, a command, a target nor a public name"
    first, *rest = match["name"].split(".")
    found: Any = sp if first == "sp" else getattr(sp, first) if first in PACKAGES else None
    # What a package does not export is not public, whatever can be imported from it.
    if found is None or rest[0] not in found.__all__:
        return "not public"
    for part in rest:
        annotated = isinstance(found, type) and any(
            part in vars(kind).get("__annotations__", {}) for kind in found.__mro__
        )
        if not hasattr(found, part) and not annotated:
            return f"no {part}"
        found = getattr(found, part, None)
    if match["key"] is not None:
        return "" if match["key"] in found else "no such key"
    return _missing_argument(found, match["arguments"] or "")


def _missing_argument(function: Any, arguments: str) -> str:
    """Check keyword arguments, which may have a value: texts must be in the docstring."""
    given = re.findall(r'(\w+)=(?:"([^"]*)")?', arguments)
    known = inspect.signature(function).parameters if given else {}
    for name, text in given:
        if name not in known:
            return f"no argument {name}"
        if text not in (inspect.getdoc(function) or ""):
            return f"no {text!r} in the docstring"
    return ""


@pytest.mark.parametrize("source", sorted({item.source for item in ITEMS}))
def test_everything_that_the_index_names_exists(source: str) -> None:
    own = [item for item in ITEMS if item.source == source]
    found = {f"{item}: {name}": _missing(name) for item in own for name in item.names}
    assert {name: why for name, why in found.items() if why} == {}


def test_every_item_that_is_done_names_something() -> None:
    assert [str(item) for item in ITEMS if item.done == "yes" and not item.names] == []


def test_every_item_that_is_not_done_has_a_reason() -> None:
    left = [item for item in ITEMS if item.done != "yes"]
    assert {item.done for item in left} == {"**partly**", "**no**"}
    assert [str(item) for item in left if not _REASON.search(item.place)] == []


def test_counts_of_the_index_are_those_of_its_rows() -> None:
    text = (ROOT / "docs" / "papers" / "index.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| (.+?) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", text, re.M)
    counted: dict[str, Counter[str]] = {}
    for item in ITEMS:
        counted.setdefault(item.source, Counter())[item.done.strip("*")] += 1
    counted["**all**"] = sum(counted.values(), Counter())
    answers = ("yes", "partly", "no")
    assert [(name, *map(int, numbers)) for name, *numbers in shown] == [
        (name, counts.total(), *(counts[answer] for answer in answers)) for name, counts in counted.items()
    ]
    assert counted["**all**"].total() == 219


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("sp.select", ""),
        ("sp.selects", "not public"),
        ("panel.holdout", "not public"),
        ("sp.Detection.plot_ks", ""),
        ("sp.Detection.rows", ""),
        ("sp.Detection.plot_kss", "no plot_kss"),
        ("stats.wilson(z=1.28)", ""),
        ("stats.wilson(zed=1.28)", "no argument zed"),
        ('simulation.mar(tail="low")', ""),
        ('simulation.mar(tail="lower")', "no 'lower' in the docstring"),
        ('selection.RIVALS["leave-one-out"]', ""),
        ('selection.RIVALS["leave-two-out"]', "no such key"),
        ("shiftproof reproduce slides", ""),
        ("shiftproof reproduce slide", "no such command"),
        ("make papers", ""),
        ("make paper", "no target"),
        ("--quick", ""),
        ("--quickly", "no such option of reproduce"),
        ("tests/docs/test_papers.py::test_names_are_looked_up", ""),
        ("tests/docs/test_papers.py::test_names", "no such test"),
        ("holdout", "neither a test, a command, a target nor a public name"),
    ],
)
def test_names_are_looked_up(name: str, why: str) -> None:
    assert _missing(name) == why

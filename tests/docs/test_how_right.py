"""The figures of natural shifts stand on several pages and come from one file."""

from __future__ import annotations

import csv
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return load("make_how_right")


def test_pages_have_the_figures_of_the_file(tool: ModuleType) -> None:
    pages = tool.pages()
    assert {page.name for page in pages} >= {"README.md", "how-right.md", "quantification.md", "real-shifts.md"}
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert tool.rewritten(text, tool.read()) == text, f"{page}: run python tools/make_how_right.py"


def test_another_figure_in_the_file_changes_the_page(tool: ModuleType) -> None:
    figures = {"accuracy": [{"data": "both", "covered": 0.914}]}
    page = "<!-- = accuracy/both: covered as % -->0%<!-- end --> of them"
    assert tool.rewritten(page, figures) == "<!-- = accuracy/both: covered as % -->91%<!-- end --> of them"


def test_every_worst_case_says_what_happened(tool: ModuleType) -> None:
    assert {f"{row['set']}: {row['pair']}" for row in tool.read()["worst"]} == set(tool.NOTES)


def test_figures_are_those_of_the_precedents(tool: ModuleType) -> None:
    with (ROOT / "src" / "shiftproof" / "case" / "natural_shifts.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    both = tool.one(tool.read(), "accuracy", data="both")
    assert len(rows) == both["cases"]
    for column, name in (("estimate", "error"), ("validated", "cross-validation")):
        error = sum(abs(float(row[column]) - float(row["actual"])) for row in rows) / len(rows)
        assert error == pytest.approx(both[name], abs=1e-4)


def test_the_picture_of_the_chance_shows_the_figures_of_the_file(tool: ModuleType) -> None:
    words = load("make_pictures").chance_words(tool.read()["bins"])
    assert words in (ROOT / "docs" / "images" / "chance.svg").read_text(encoding="utf-8")
    assert f"![{words}](images/chance.svg)" in (ROOT / "docs" / "how-right.md").read_text(encoding="utf-8")
    assert len(re.findall("happens in", words)) == len(tool.read()["bins"])

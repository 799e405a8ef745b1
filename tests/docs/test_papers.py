"""The tables on the pages about the papers are those of the committed files, and every file is shown."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from shiftproof.experiments import NAMES

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "papers").glob("*.md"))


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
    assert "`--quick`: 2 seeds, 1,200 cells, as long as 3,456 reference fits" in made

"""The reference: every public name, with a full docstring, as `make reference` writes it."""

from __future__ import annotations

import inspect
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL = runpy.run_path(str(ROOT / "tools" / "make_reference.py"))
NAMES = [item for page, names in TOOL["public_names"]().items() for item in names if item.page == page]


def test_pages_agree_with_the_docstrings() -> None:
    pages = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "reference").glob("*.md")}
    assert pages == TOOL["write_pages"](), "run make reference"


def test_examples_of_docstrings_stand_in_the_reference_only() -> None:
    # Doctest runs them; on other pages all code is run by `test_docs`.
    with_examples = [path for path in (ROOT / "docs").rglob("*.md") if "```pycon" in path.read_text(encoding="utf-8")]
    assert {path.parent.name for path in with_examples} == {"reference"}


def missing_parts(value: object, doc: str) -> list[str]:
    """Return what a docstring lacks: sections, or parameters."""
    sections = set(re.findall(r"^(\w[\w ]*)\n-{3,}$", doc, flags=re.MULTILINE))
    if not inspect.isfunction(value):
        # A class is told by its parameters or attributes; its examples are those of the function that makes it.
        documented = bool({"Parameters", "Attributes"} & sections) or not _parameters(value)
        return [part for part, there in (("text", bool(doc)), ("Parameters", documented)) if not there]
    wanted = ["Examples", *(["Parameters"] if _parameters(value) else [])]
    if inspect.signature(value).return_annotation not in (None, "None"):
        wanted.append("Returns")
    entries = re.findall(r"(?:^|; )([\w*, ]+?)(?: :.*?)?(?=$|; )", doc, flags=re.MULTILINE)
    described = {name.strip("* ") for entry in entries for name in entry.split(",")}
    return [part for part in (*wanted, *_parameters(value)) if part not in sections | described]


def _parameters(value: Any) -> list[str]:
    if not inspect.isfunction(value) and (not isinstance(value, type) or issubclass(value, (Exception, Warning))):
        return []
    return [name for name in inspect.signature(value).parameters if name not in ("self", "args", "kwargs")]


@pytest.mark.parametrize("item", NAMES, ids=lambda item: item.title)
def test_public_name_has_a_full_docstring(item: Any) -> None:
    assert missing_parts(item.value, item.doc) == []

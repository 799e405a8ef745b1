"""The dict and the skeleton of the report are what they were: a change of either is meant, or a mistake.

Written anew by ``GOLDEN=write python -m pytest tests/auditing/test_golden.py``; then read the difference.
"""

from __future__ import annotations

import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from tests.auditing.cases import audited

from shiftproof import reporting

FOLDER = Path(__file__).parent / "golden"
WRITE = os.environ.get("GOLDEN") == "write"
#: What differs from run to run, or with the version of a library.
VARIES = ("seconds", "versions", "shiftproof", "fingerprints", "made")
SHOWN = ("class", "id", "role", "aria-label", "aria-labelledby", "scope", "href", "type", "tabindex")


def steady(found: Any) -> Any:
    """Leave out what varies; sentences that tell seconds are cut there."""
    if isinstance(found, dict):
        return {name: steady(value) for name, value in found.items() if name not in VARIES}
    if isinstance(found, list):
        return [steady(each) for each in found]
    return re.sub(r"\d+ fits? in [\d.]+ s", "... fits in ... s", found) if isinstance(found, str) else found


def same(found: Any, known: Any, where: str = "") -> None:
    """Compare two dicts; numbers may differ by rounding."""
    assert type(found) is type(known) or {type(found), type(known)} <= {int, float}, where
    if isinstance(found, dict):
        assert list(found) == list(known), where
        for name in found:
            same(found[name], known[name], f"{where}.{name}")
    elif isinstance(found, list):
        assert len(found) == len(known), where
        for at, pair in enumerate(zip(found, known, strict=True)):
            same(*pair, f"{where}[{at}]")
    elif isinstance(found, float):
        assert found == pytest.approx(known, rel=1e-6, abs=1e-9), where
    else:
        assert found == known, where


class Skeleton(HTMLParser):
    """Writes tags with what they are called, headings and heads of tables, and no numbers; charts are one word."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._within: list[str] = []
        self._chart = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "svg":
            self._chart += 1
        if self._chart:
            return
        if tag not in ("meta", "link", "input", "br"):
            self._within.append(tag)
        told = "".join(f' {name}="{re.sub(r"[0-9.,]+", "#", value or "")}"' for name, value in attrs if name in SHOWN)
        self.lines.append(f"{'  ' * len(self._within)}<{tag}{told}>")

    def handle_endtag(self, tag: str) -> None:
        if tag == "svg":
            self._chart -= 1
            self.lines.append(f"{'  ' * len(self._within)}(chart)")
        elif not self._chart and tag in self._within:
            while self._within.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not self._chart and self._within and self._within[-1] in ("h1", "h2", "h3", "th", "a", "title", "button"):
            words = re.sub(r"[0-9][0-9.,]*", "#", " ".join(data.split()))
            if words:
                self.lines.append(f"{'  ' * len(self._within)}  {words}")


def skeleton(text: str) -> str:
    parser = Skeleton()
    parser.feed(text)
    # Rows of a table that are alike are one.
    kept = [line for before, line in zip(["", *parser.lines], parser.lines, strict=False) if line != before]
    return "\n".join(kept) + "\n"


def test_dict() -> None:
    found = steady(json.loads(json.dumps(audited("prior")[0].to_dict(), allow_nan=False)))
    place = FOLDER / "audit.json"
    if WRITE:
        place.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    same(found, json.loads(place.read_text(encoding="utf-8")))


@pytest.mark.parametrize("kind", ["prior", "nonsense"])
def test_page(kind: str) -> None:
    found, y_new = audited(kind)
    text = skeleton(reporting.render(found.to_page(verification=found.verify(y_new))))
    place = FOLDER / f"{kind}.txt"
    if WRITE:
        place.write_text(text, encoding="utf-8")
    assert text == place.read_text(encoding="utf-8")

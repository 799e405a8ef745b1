"""The README stays short, and the version is the same everywhere. What it says is tested in tests/docs."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_it_stays_short() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    example = re.search(r"```python\n(.*?)```\n```text\n", text, flags=re.DOTALL)
    assert example is not None
    assert len([line for line in example[1].splitlines() if line.strip()]) <= 10
    assert len(text.splitlines()) <= 120


def test_commands_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make ([a-z-]+)", (ROOT / "CONTRIBUTING.md").read_text(), flags=re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target


def test_one_version() -> None:
    from shiftproof import __version__

    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\S+)", changelog, flags=re.MULTILINE)[0] == __version__


def test_lower_bounds_are_the_oldest_versions_tested() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = project[project.index("\ndependencies = [") : project.index("]", project.index("\ndependencies = ["))]
    bounds = dict(re.findall(r'"([a-z-]+)>=([\d.]+)"', block))
    oldest = dict(
        re.findall(r"^([a-z-]+)==([\d.]+)$", (ROOT / "constraints-oldest.txt").read_text(), flags=re.MULTILINE)
    )
    assert bounds.keys() == oldest.keys()
    for name, bound in bounds.items():
        assert oldest[name].startswith(bound), name

"""The README stays short, and the version is the same everywhere. What it says is tested in tests/docs."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_FIGURE = re.compile(r"\d+\.\d%")


def test_it_stays_short() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    example = re.search(r"```python\n(.*?)```\n```text\n", text, flags=re.DOTALL)
    assert example is not None
    assert len([line for line in example[1].splitlines() if line.strip()]) <= 10
    assert len(text.splitlines()) <= 120


def test_picture_shows_the_figures_of_the_text() -> None:
    readme, tutorial = (ROOT / "README.md").read_text(), (ROOT / "docs" / "tutorial.md").read_text()
    picture = (ROOT / "docs" / "images" / "acts.svg").read_text()
    described = re.search(r"<desc>(.*?)</desc>", picture)
    assert described is not None
    words = unescape(described[1])
    # tests/docs runs the tutorial, so its figures are true; `make pictures` draws them again.
    assert f"![{words}](docs/images/acts.svg)" in readme
    first, *_ = words.split(" 2. ")
    assert [figure for figure in _FIGURE.findall(first) if readme.count(figure) < 2] == []
    assert [figure for figure in _FIGURE.findall(words) if figure not in tutorial] == []


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

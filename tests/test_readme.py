"""The README tells the truth: its example prints what stands below it."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def test_the_example_prints_what_stands_below_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"```python\n(.*?)```\n```text\n(.*?)```", text, flags=re.DOTALL)
    assert found is not None
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(found[1], "README.md", "exec"), {})  # noqa: S102 - our own README
    assert printed.getvalue() == found[2]
    assert (tmp_path / "page.html").is_file()
    assert len([line for line in found[1].splitlines() if line.strip()]) <= 8


def test_links_and_commands_exist() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / target).exists(), target
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make ([a-z-]+)", text + (ROOT / "CONTRIBUTING.md").read_text(), flags=re.MULTILINE):
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

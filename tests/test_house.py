"""The code stays in order: short functions, and a test for every module where a reader looks for it."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.conftest import SLOW_FILES

ROOT = Path(__file__).resolve().parents[1]
# Modules that need no test of their own, and why.
WITHOUT_TEST = {
    "__main__.py": "two lines, run by tests/cli/test_app.py",
    "_version.py": "one string, checked in tests/test_public_names.py",
}


@pytest.fixture(scope="module")
def house() -> ModuleType:
    """Return the program behind `make house`."""
    spec = importlib.util.spec_from_file_location("house", ROOT / "tools" / "house.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["house"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_measure_counts_code_comments_and_any(house: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "stats" / "_sums.py"
    path.parent.mkdir()
    path.write_text(
        '"""Two lines\nof text."""\n\n# why\ndef add(a: Any, *more: int) -> int:\n    """Add."""\n    return a\n'
    )
    measured = house.measure(path, tmp_path)
    assert (measured.package, measured.code_lines, measured.comments) == ("stats", 2, 1)
    assert measured.functions == (("add", 2, ("Any", "int")),)
    assert measured.test == Path("stats/test_sums.py")
    assert house.comments_per_hundred([measured]) == 50
    assert house.any_share([measured]) == 0.5
    assert house.untested([measured], tmp_path) == [Path("stats/_sums.py")]
    (tmp_path / "stats" / "test_sums.py").touch()
    assert house.untested([measured], tmp_path) == []


@pytest.fixture(scope="module")
def modules(house: ModuleType) -> list[Any]:
    """Return what is measured of every module of the package."""
    return list(house.modules())


def test_functions_are_short(house: ModuleType, modules: list[Any]) -> None:
    lengths = [function.lines for module in modules for function in module.functions]
    assert house.quantile(lengths, 0.95) <= 26


def test_every_module_has_a_mirrored_test(house: ModuleType, modules: list[Any]) -> None:
    assert sorted(path.as_posix() for path in house.untested(modules)) == sorted(WITHOUT_TEST)


def test_class_names_are_unique() -> None:
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    names = Counter(name for source in sources for name in re.findall(r"^class (\w+)", source, re.MULTILINE))
    assert [name for name, times in names.items() if times > 1] == []


def test_files_called_slow_exist() -> None:
    assert sorted(str(path) for path in SLOW_FILES if not path.is_file()) == []
